"""`gelu error`: how far a form is from GELU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gelu_cli.cli import choices, options
from gelu_cli.cli.input import words
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.cli.given import Given
    from gelu_cli.cli.output.reports import Output
    from gelu_cli.forms import Form

VIEWS_THAT_USE = {
    "--range": ["summary", "regions"],
    "--sigma": ["summary"],
    "X": ["points"],
    "--input": ["points"],
    "--column": ["points"],
}

QUANTITY: Any = options.quantity("value", choices.quantities, "What is compared: {quantities}.")
RANGE: Any = options.option(
    "-10:10",
    "--range",
    metavar="A:B",
    parser=words.ends(),
    help="Range of the suprema; -inf:inf works.",
)
SIGMA: Any = options.option(
    "1",
    metavar="S",
    parser=words.finite("--sigma"),
    help="The averages are for X ~ N(0, S²).",
)


def error(
    forms: list[Form] = options.FORMS,
    target: Form = options.target("exact", "What the forms are judged against."),
    quantity: str = QUANTITY,
    ends: words.Ends = RANGE,
    sigma: Fraction = SIGMA,
    view: str | None = options.view(
        choices.error_views,
        "Which table: {error_views}. With points it is points; else a terminal shows both others.",
    ),
    points: options.PointWords = options.POINTS,
    output: Output = options.OUTPUT,
    given: Given = options.GIVEN,
) -> None:
    """How far a form is from GELU, as real numbers.

    Suprema and averages, or errors at points X. Default forms: tanh, sigmoid. A supremum is a
    critical point or an end of the range, not the maximum of a grid. The averages are over the
    whole line. An absolute error that is harmless may be a relative error of 100% in the tail,
    where GELU itself goes to 0.

    Examples:

      gelu error --form tanh

      gelu error --form tanh --form igelu --quantity gradient --view regions

      gelu error -3 -1 0.5 --form quick_gelu --digits 30
    """
    from gelu_cli.answers import error as answer
    from gelu_cli.calculus.comparison import compare
    from gelu_cli.cli.input.points import read_points
    from gelu_cli.cli.input.words import parse_forms

    names = ["points"] if points.given else ["summary", "regions"]
    given.refuse_other_views(output.shown(names, view), VIEWS_THAT_USE)
    if view == "points" and not points.given:
        raise UsageError("--view points needs points: give numbers, '-' or --input FILE")
    digits = output.digits
    comparisons = [
        compare(form, target, quantity) for form in forms or parse_forms(answer.DEFAULT_FORMS)
    ]
    if points.given:
        blocks = read_points(*points, exact=output.is_exact)
        output.write(answer.at_points(blocks, comparisons, digits=digits))
        return
    views = {
        "summary": lambda: answer.summary(comparisons, *ends, sigma, digits=digits),
        "regions": lambda: answer.regions(comparisons, *ends, digits=digits),
    }
    output.write_views(views, view)
