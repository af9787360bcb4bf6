"""The user's code: Python functions of arrays, C functions, programs on a pipe."""
