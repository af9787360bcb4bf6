"""`gelu error`: how far forms are from GELU."""

from typing import Annotated

from gelu_cli.cli import options
from gelu_cli.cli.options import Text, of_points, option, words
from gelu_cli.errors import UsageError
from gelu_cli.output.writer import Output

VIEWS = ("summary", "points", "regions")
WHICH = "summary, points, regions or all. Default: points with X or --input, else summary."
QUANTITIES = words("value", "gradient", "curvature", "gate")


def error(
    x: options.Points = None,
    form: options.Forms = ["tanh", "sigmoid"],
    target: options.Target = "exact",
    quantity: Annotated[
        str, option("--quantity", "Q", "value, gradient, curvature or gate.", QUANTITIES)
    ] = "value",
    range: options.Interval = "-10:10",
    mean: options.Mean = "0",
    sigma: options.Sigma = "1",
    samples: Annotated[Text, of_points("--samples", "N", "Draw N points from N(M, S²).")] = None,
    seed: Annotated[str, of_points("--seed", "K", "Seed of --samples, for numpy's PCG64.")] = "0",
    input: options.Input = None,
    column: options.Column = None,
    view: Annotated[str | None, options.view(*VIEWS, help=WHICH)] = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Errors of forms in exact arithmetic, over a range or at points.

    A supremum is found at critical points and ends of the range, not on a grid. Averages are for
    X ~ N(M, S²). In the tail, where GELU goes to 0, a small absolute error may be a relative error
    of 100 %.

    ```
    gelu error --form tanh
    gelu error --form tanh,igelu --quantity gradient --view regions
    gelu error -3 -1 0.5 --form quick_gelu --digits 30
    gelu error -6:6:0.01 --form tanh --view summary
    gelu error --samples 100000 --seed 1 --sigma 2
    ```
    """
    asked = options.asked(locals())
    del asked["input"], asked["column"]
    out = Output(format, output, digits, quiet, view, VIEWS)

    from gelu_cli.api.error import error
    from gelu_cli.inputs.point_lists import keeps_typed, piped, read_points

    if intervals := [word for word in x or () if word.count(":") == 1]:
        ends = intervals[0]
        raise UsageError(f"'{ends}' is an interval; write --range {ends}, or points {ends}:/100")
    named = x or input or column
    asked["x"] = read_points(x, input, column, keeps_typed(out.digits)) if named else None
    if view == "points" and not named and samples is None:
        raise UsageError("--view points has no points; write X, --input FILE or --samples N")
    ignored = not named and piped()
    found = error(**asked, digits=out.digits)
    out.write(found, notes=["stdin was not read; '-' reads points from it"] if ignored else [])
