"""One function per command: words or arrays in, frozen dataclasses out.

Nothing is imported here: `gelu_cli.table` is the function, `gelu_cli.api.table` the module.
"""
