"""`gelu table`: values and gradients at chosen points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import glu, options
from gelu_cli.old.cli.parameters import GIVEN, INPUTS, OUTPUT, Given, flag

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.writing.destinations import Output


def table(
    forms: list[Form] = options.forms("exact", "tanh", "sigmoid"),
    quantities: list[str] = options.quantities(
        "Quantities, with commas or repeated: {quantities_of_table}. Default: value, gradient; "
        "with --glu value, gate_gradient, up_gradient, the only ones it has.",
        "quantities_of_table",
    ),
    dtype: Format | None = options.dtype(None, "Round x and every result to a format: {dtypes}."),
    bits: bool = flag("--bits", section=OUTPUT, help="Show the bit patterns too (with --dtype)."),
    every: bool = flag(
        "--all", section=INPUTS, help="Every finite number of a 16- or 8-bit --dtype."
    ),
    points: options.PointWords = options.POINTS,
    second: glu.SecondInput = glu.OF_TABLES,
    output: Output = options.output(),
    jobs: int = options.jobs("Threads for many points. Default: every core."),
    given: Given = GIVEN,
) -> None:
    """Values and gradients at chosen points, correctly rounded.

    Examples:

      gelu table -3 -1 0 0.5 1 3

      gelu table -4:4:0.5 --form exact,relu --quantity value,curvature

      gelu table 0.1 --digits 50

      gelu table --dtype bfloat16 --all --bits --form exact -o golden.csv

      gelu table --glu 1,2 -1,0.5 --form exact,silu
    """
    from gelu_cli.old.answers import behind
    from gelu_cli.old.answers import table as answer
    from gelu_cli.old.arithmetic.formats import FLOAT64
    from gelu_cli.old.reading.points import every_pair, every_point, read_points

    if output.is_exact and dtype:
        raise UsageError("--digits above 17 goes beyond every --dtype; leave one of them out")
    if output.is_exact:
        given.refuse("--jobs", purpose="numbers of up to 17 digits", remedy="ask for fewer digits")
    gating = second.with_upstreams(given).gating(dtype or FLOAT64)
    if gating:
        given.refuse("--column", purpose="points without --glu", remedy="name columns x and up")
        if points.source and points.source.endswith(".npy"):
            raise UsageError("--input: pairs are read from a table with columns x and up, not .npy")
    if every:
        if dtype is None or dtype.width > 16:
            raise UsageError("--all takes every number of a 16- or 8-bit --dtype, e.g. bfloat16")
        if points.given:
            others = "X, --input, --column, --keep and --skip-unreadable"
            raise UsageError(f"--all takes every number; leave {others} out")
        blocks = every_pair(dtype, second.ups(dtype)[0], gating) if gating else every_point(dtype)
    else:
        given.refuse("--up", purpose="--all", remedy="give pairs X,U")
        blocks = read_points(
            *points.or_piped(), exact=output.is_exact, number_format=dtype, say=output.say,
            gating=gating,
        )  # fmt: skip
    report = answer.table(
        blocks,
        forms,
        answer.chosen_quantities(quantities, forms, glu=second.glu),
        digits=output.digits,
        dtype=dtype,
        bits=bits,
        jobs=jobs,
        gating=gating,
    )
    output.write(behind(report, points.kept.names, points.kept.waiting()))
