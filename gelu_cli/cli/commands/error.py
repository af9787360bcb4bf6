"""`gelu error`: how far forms are from GELU."""

from typing import Annotated

from typer import Option

from gelu_cli.cli import options
from gelu_cli.output.writer import Output

VIEWS = ("summary", "points", "regions")
WHICH = "summary, points, regions or all. Default: points if X are given, else summary."


def error(
    x: options.Points = None,
    form: options.Forms = ["tanh", "sigmoid"],
    target: options.Target = "exact",
    quantity: Annotated[
        str,
        Option(
            "--quantity",
            metavar="Q",
            autocompletion=options.words("value", "gradient", "curvature", "gate"),
            help="value, gradient, curvature or gate.",
        ),
    ] = "value",
    range: options.Range = "-10:10",
    mean: options.Mean = "0",
    sigma: options.Sigma = "1",
    samples: Annotated[
        str | None,
        Option(
            "--samples",
            metavar="N",
            rich_help_panel=options.POINTS,
            show_default=False,
            help="Draw N points from N(M, S²).",
        ),
    ] = None,
    seed: Annotated[
        str,
        Option(
            "--seed",
            metavar="K",
            rich_help_panel=options.POINTS,
            help="Seed of --samples, for numpy's PCG64.",
        ),
    ] = "0",
    input: options.Input = None,
    column: options.Column = None,
    view: Annotated[str | None, options.view(*VIEWS, help=WHICH)] = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Errors of forms as real numbers, over a range or at points.

    A supremum is at a critical point or an end of the range, not the maximum over a grid. Averages
    are over the real axis. A small absolute error may be a relative error of 100 % in the tail,
    where GELU goes to 0.

    ```
    gelu error --form tanh
    gelu error --form tanh,igelu --quantity gradient --view regions
    gelu error -3 -1 0.5 --form quick_gelu --digits 30
    gelu error -6:6:0.01 --form tanh --view summary
    gelu error --samples 100000 --seed 1 --sigma 2
    ```
    """
    out = Output(format, output, digits, quiet, view, VIEWS)

    from gelu_cli.api.error import error, read_x
    from gelu_cli.inputs.point_lists import unread

    points = read_x(x, input, column, out.digits)
    found = error(
        form,
        points,
        target=target,
        quantity=quantity,
        range=range,
        mean=mean,
        sigma=sigma,
        samples=samples,
        seed=seed,
        digits=out.digits,
    )
    out.write(found, notes=unread(points))
