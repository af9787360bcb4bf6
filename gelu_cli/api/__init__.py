"""One function per command: words or arrays in, a frozen dataclass out.

Nothing is imported here, so that `gelu_cli.table` is the function, never this package's module.
"""
