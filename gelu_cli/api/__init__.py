"""One function per command; it takes words or arrays, returns dataclasses.

This file imports nothing, so that the name `gelu_cli.api.table` is the module, not the function.
"""
