"""`gelu error`: how far a form is from GELU."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.cli import choices, entries, leaving, options, sections
from gelu_cli.cli.input import words
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from gelu_cli.answers.error.over_points import OverPoints
    from gelu_cli.calculus.comparison import Comparison
    from gelu_cli.cli.given import Given
    from gelu_cli.cli.output.reports import Output
    from gelu_cli.forms import Form
    from gelu_cli.values.points import Points

OF_POINTS = ("points", "histogram")
"""Views for which points are due."""

OVER_POINTS = ["summary", "regions", "histogram"]
VIEWS_THAT_USE = {
    "--range": ["summary", "regions"],
    "--sigma": ["summary"],
    "--mean": ["summary"],
}
LISTED = 40
"""So many points are listed on a terminal; of more it shows the other tables."""

QUANTITY: Any = options.quantity(
    "value", choices.compared_quantities, "What is compared: {compared_quantities}."
)
RANGE: Any = entries.option(
    "-10:10",
    "--range",
    metavar="A:B",
    parser=words.ends(),
    help="Range of the suprema; -inf:inf works.",
)
MEAN: Any = options.mean("The averages, and random points, are for X ~ N(M, S²).")
SIGMA: Any = options.sigma("Standard deviation of these.")
SAMPLES: Any = options.samples(1, "N random points, beside what holds for all X.").under(
    sections.INPUTS
)
SEED: Any = options.seed("Seed of the random points. Default: 0.").under(sections.INPUTS)


def error(
    forms: list[Form] = options.forms("tanh, sigmoid"),
    target: Form = options.target("exact", "What the forms are judged against."),
    quantity: str = QUANTITY,
    ends: words.Ends = RANGE,
    mean: Fraction = MEAN,
    sigma: Fraction = SIGMA,
    samples: int | None = SAMPLES,
    seed: int | None = SEED,
    view: str | None = leaving.view(
        choices.error_views,
        "Which table: {error_views}. With points it is points; a terminal shows the others of "
        "more than 40, and without points summary and regions.",
    ),
    points: options.PointWords = options.POINTS,
    output: Output = leaving.OUTPUT,
    jobs: int = options.jobs("Threads for many points. Default: every core."),
    given: Given = options.GIVEN,
) -> None:
    """How far a form is from GELU, as real numbers.

    Suprema and averages, or the same over points X, and the errors at each. A supremum is a
    critical point or an end of the range, not the maximum of a grid. The averages are over the
    whole line. An absolute error that is harmless may be a relative error of 100% in the tail,
    where GELU itself goes to 0.

    Examples:

      gelu error --form tanh

      gelu error --form tanh,igelu --quantity gradient --view regions

      gelu error -3 -1 0.5 --form quick_gelu --digits 30

      gelu error -6:6:0.01 --form tanh --view summary

      gelu error --samples 100000 --seed 1 --sigma 2
    """
    from gelu_cli.answers.error import line as answer
    from gelu_cli.answers.error.line import at_points
    from gelu_cli.calculus.comparison import compare
    from gelu_cli.cli.input.words import parse_forms

    if points.given or (view in OF_POINTS and samples is None):
        points = points.or_piped()
    _refuse(given, points, samples, view, output)
    comparisons = [
        compare(form, target, quantity) for form in forms or parse_forms(answer.DEFAULT_FORMS)
    ]
    digits = output.digits
    if points.given:
        asked = _given_points(points, view, output)
    elif samples is not None:
        asked = _random_points(mean, sigma, samples, seed or 0)
    else:
        views = {
            "summary": lambda: answer.summary(comparisons, *ends, sigma, mean, digits=digits),
            "regions": lambda: answer.regions(comparisons, *ends, digits=digits),
        }
        output.write_views(views, view)
        return
    shown = output.shown(asked.views, view)
    if "points" in shown:
        output.write(at_points(asked.blocks, comparisons, digits=digits, jobs=jobs))
        return
    normal = (sigma, mean) if samples is not None and "summary" in shown else None
    output.write_views(_over_points(comparisons, asked, normal, output, jobs).views(), view)


def _refuse(
    given: Given, points: options.PointWords, samples: int | None, view: str | None, output: Output
) -> None:
    """Raise `UsageError` for what the answer would not use, or has not."""
    if samples is not None:
        own = "points of your own"
        given.refuse("X", "--input", "--column", purpose=own, remedy="leave --samples out")
    if points.given:
        remedy = "leave the points out"
        given.refuse("--sigma", "--mean", purpose="averages without points", remedy=remedy)
    if view == "histogram":
        given.refuse("--digits", purpose="the other views", remedy="change the view")
    if samples is None:
        given.refuse("--seed", purpose="--samples N", remedy="add it")
    if points.given or samples is not None:
        remedy = "leave --samples out" if samples is not None else "leave the points out"
        given.refuse("--range", purpose="suprema without points", remedy=remedy)
        if output.is_exact:
            remedy = "ask for fewer digits"
            given.refuse("--jobs", purpose="numbers of up to 17 digits", remedy=remedy)
        return
    given.refuse("--jobs", purpose="points", remedy="give some")
    if view in OF_POINTS:
        raise UsageError(
            f"--view {view} needs points; give numbers, '-', --input FILE or --samples N"
        )
    given.refuse_other_views(output.shown(["summary", "regions"], view), VIEWS_THAT_USE)


class _Asked(NamedTuple):
    """Points, what they are, and the tables that a terminal shows."""

    blocks: Iterable[Points]
    source: str
    views: Sequence[str]


def _given_points(points: options.PointWords, view: str | None, output: Output) -> _Asked:
    """Return the points of the command line; a stream of them is listed as it comes."""
    from gelu_cli.cli.input.points import read_points
    from gelu_cli.cli.input.streams import name_of

    blocks = read_points(*points, exact=output.is_exact, say=output.say)
    if "-" in (*points.words, points.source):
        return _Asked(blocks, "stdin", ["points"])
    source = name_of(points.source) if points.source else "the command line"
    first: list[Points] = []
    if output.for_people and view is None:
        while sum(map(len, first)) <= LISTED and (block := next(blocks, None)) is not None:
            first.append(block)
    many = sum(map(len, first)) > LISTED
    return _Asked(chain(first, blocks), source, OVER_POINTS if many else ["points"])


def _random_points(mean: Fraction, sigma: Fraction, samples: int, seed: int) -> _Asked:
    from gelu_cli.answers.error.line import normal_in_words
    from gelu_cli.calculus.integrals import check_sigma
    from gelu_cli.calculus.monte_carlo import normal_points

    check_sigma(sigma)
    source = f"{normal_in_words(mean, sigma)}, drawn by numpy's PCG64 with seed {seed}"
    blocks = normal_points(float(mean), float(sigma), samples, seed)
    return _Asked(blocks, source, OVER_POINTS)


def _over_points(
    comparisons: Sequence[Comparison],
    asked: _Asked,
    normal: tuple[Fraction, Fraction] | None,
    output: Output,
    jobs: int,
) -> OverPoints:
    """Return what is found over all points, beside what holds for all X if that is asked for."""
    from gelu_cli.answers.error.line import EDGES
    from gelu_cli.answers.error.over_points import OverPoints, expected_of
    from gelu_cli.calculus.point_summary import summarise_points
    from gelu_cli.cli.output.progress import Progress

    if output.is_exact:
        raise UsageError(
            "--digits above 17 is for --view points: over many points, figures are float64s"
        )
    with Progress(output.quiet):
        found = summarise_points(asked.blocks, comparisons, [*map(float, EDGES)], jobs)
        expected = expected_of(comparisons, *normal, digits=output.digits) if normal else None
    return OverPoints(comparisons, found, asked.source, expected, output.digits)
