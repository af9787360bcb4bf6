"""`gelu locate`: where the minimum and the inflection points of a form are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gelu_cli.old.cli import options

if TYPE_CHECKING:
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.writing.destinations import Output


def locate(forms: list[Form] = options.forms("exact"), output: Output = options.output()) -> None:
    """The minimum and the inflection points of a form.

    Where they are, and what the form is there. GELU's minimum is at x ≈ −0.7518, and its value
    there is ≈ −0.1700; the one has been printed for the other.

    Examples:

      gelu locate

      gelu locate --form tanh,silu --digits 40
    """
    from gelu_cli.old.answers import locate as answer
    from gelu_cli.old.answers.plot import picture_of

    output.write(answer.locate(forms, digits=output.digits), lambda: picture_of(forms, ["value"]))
