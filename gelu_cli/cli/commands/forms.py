"""`gelu forms`: what there is to evaluate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gelu_cli.cli import options

if TYPE_CHECKING:
    from gelu_cli.cli.output.reports import Output


def forms(output: Output = options.OUTPUT_OF_NAMES) -> None:
    """The forms: definitions, parameters, names in frameworks.

    Example:

      gelu forms --format markdown
    """
    from gelu_cli.answers import forms as answer

    output.write(answer.forms())
