"""`gelu model`: changes of a torch model by swaps of activations."""

import sys
from contextlib import redirect_stdout
from typing import Annotated

from typer import Argument, Option

from gelu_cli.cli import options
from gelu_cli.output.writer import Output

VIEWS = ("summary", "layers")
LOADER = "A function that returns a torch module, or the pair (module, batch)."
BATCH = options.option("--batch", "FILE", "Inputs of the module, as .pt, .npy or .npz.")
LABELS = options.option("--labels", "FILE", "An integer label for each row of logits: .pt or .npy.")
KERNEL = options.option("--kernel", "K", "A kernel that replaces activations, as in sweep.")
NOISE = options.option("--dtype", "FORMAT", "Format of the rounding noise.", options.format_names)


def model(
    module: Annotated[str, Argument(metavar="FILE.py:LOADER", show_default=False, help=LOADER)],
    batch: Annotated[options.Text, BATCH] = None,
    labels: Annotated[options.Text, LABELS] = None,
    form: options.Forms = ["tanh", "sigmoid"],
    kernel: Annotated[list[str], KERNEL] = [],
    dtype: Annotated[str, NOISE] = "bfloat16",
    each: Annotated[bool, Option("--each", help="Add rows for swaps in single layers.")] = False,
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Changes of a torch model by other activations, relative to noise.

    Activations are found by what they compute, not by their names, and replaced in all layers. The
    model runs in float32; the noise is the change if the model runs in FORMAT.

    ```
    gelu model net.py:load
    gelu model net.py:load --form exact,sigmoid --labels labels.pt
    gelu model net.py:load --batch batch.pt --form tanh --each --view layers
    ```
    """
    asked = options.asked(locals())
    out = Output(format, output, digits, quiet, view, VIEWS)

    from gelu_cli.api.model import model

    with redirect_stdout(sys.stderr):  # the user's code may print
        found = model(**asked, digits=out.digits)
    out.write(found)
