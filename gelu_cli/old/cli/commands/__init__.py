"""One file per command: a function of the command's name, whose docstring is its help.

The defaults of its parameters are the options that they stand for (`gelu_cli.old.cli.options`).
"""
