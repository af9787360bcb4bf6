"""A form as a function in C or Python, in which nothing cancels."""

from gelu_cli.codegen.languages import LANGUAGES, code_of
from gelu_cli.codegen.sources import has_program

__all__ = ["LANGUAGES", "code_of", "has_program"]
