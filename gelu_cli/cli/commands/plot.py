"""`gelu plot`: curves of forms, their derivatives or their errors."""

from typing import Annotated

from gelu_cli.cli import options
from gelu_cli.cli.commands.table import QUANTITIES
from gelu_cli.cli.options import Text, Texts, option, words
from gelu_cli.output.writer import Output

FORM = "Forms to draw. Default: exact; if errors are drawn, tanh,sigmoid."
QUANTITY = "Quantities, as in table. Default: value; for one form without --error, value,gradient."
ERROR = "Draw errors: absolute (form − target) or relative (its ratio to the target)."


def plot(
    form: Annotated[Texts, option("--form", "F,...", FORM, options.form_names)] = None,
    quantity: Annotated[Texts, option("--quantity", "Q,...", QUANTITY, words(*QUANTITIES))] = None,
    range: Annotated[str, option("--range", "A:B", "Finite interval of x.")] = "-4:4",
    error: Annotated[Text, option("--error", "KIND", ERROR, words("absolute", "relative"))] = None,
    target: options.Target = "exact",
    format: options.Format = None,
    output: options.PictureFile = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Pictures of forms, their derivatives or their errors.

    Curves are drawn on the terminal, or by matplotlib in -o FILE.png (.svg, .pdf). Pipes and other
    files get the points of the curves. Errors keep their sign; the axis of errors is logarithmic on
    both sides of 0.

    ```
    gelu plot
    gelu plot --form exact,silu,relu --quantity value --range -3:1
    gelu plot --error absolute -o errors.svg
    gelu plot --error relative --range -10:2 -f csv
    ```
    """
    out = Output(format, output, digits, quiet, "plot", ["plot"], draws=True)

    from gelu_cli.api.plot import curves

    found = curves(form, quantity, range=range, error=error, target=target, digits=out.digits)
    out.write(found)
