"""The library's front door: GELU on numbers and arrays, and what each command answers.

`gelu_cli` has the functions; whatever the caller's floating-point environment is, digits are
computed in the standard one.
"""
