"""`gelu error`: how far a form is from GELU."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import options, words
from gelu_cli.old.cli.parameters import GIVEN, INPUTS, Given, option
from gelu_cli.old.reading.files import name_of

if TYPE_CHECKING:
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.values.points import Points
    from gelu_cli.old.writing.destinations import Output

OF_POINTS = ("points", "histogram")
"""Views for which points are due."""

OVER_POINTS = ["summary", "regions", "histogram"]
VIEWS_THAT_USE = {
    "--range": ["summary", "regions"],
    "--sigma": ["summary"],
    "--mean": ["summary"],
}
LISTED = 40
"""Points that a terminal lists; of more it shows the other tables."""


def error(
    forms: list[Form] = options.forms("tanh", "sigmoid"),
    target: Form = options.target("exact", "What the forms are judged against."),
    quantity: str = options.quantity(
        "value", "compared_quantities", "What is compared: {compared_quantities}."
    ),
    ends: words.Ends = option(
        "--range",
        default="-10:10",
        metavar="A:B",
        parse=words.parse_ends,
        help="Range of the suprema; -inf:inf works.",
    ),
    mean: Fraction = options.mean("The averages, and random points, are for X ~ N(M, S²)."),
    sigma: Fraction = options.sigma("Standard deviation of these."),
    samples: int | None = options.samples(1, "N random points, beside what holds for all X.").under(
        INPUTS
    ),
    seed: int | None = options.seed("Seed of the random points. Default: 0.").under(INPUTS),
    points: options.PointWords = options.POINTS,
    output: Output = options.output(
        options.view(
            "error_views",
            "Which table: {error_views}. Without points it is summary, with points points; of "
            "more than 40 a terminal shows the others.",
        )
    ),
    jobs: int = options.jobs("Threads for many points. Default: every core."),
    given: Given = GIVEN,
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
    from gelu_cli.old.answers import behind
    from gelu_cli.old.answers import error as answer
    from gelu_cli.old.answers.plot import picture_of_errors
    from gelu_cli.old.calculus.comparison import compare

    if points.given or (output.view in OF_POINTS and samples is None):
        points = points.or_piped()
    _refuse(given, points, samples, output)
    comparisons = [compare(form, target, quantity) for form in forms]
    digits = output.digits
    if points.given:
        blocks, source, views = _given_points(points, output)
    elif samples is not None:
        from gelu_cli.old.calculus.integrals import check_sigma
        from gelu_cli.old.calculus.monte_carlo import normal_points

        check_sigma(sigma)
        blocks, views = normal_points(float(mean), float(sigma), samples, seed or 0), OVER_POINTS
        source = (
            f"{answer.normal_in_words(mean, sigma)}, drawn by numpy's PCG64 with seed {seed or 0}"
        )
    else:
        tables = {
            "summary": lambda: answer.summary(comparisons, *ends, sigma, mean, digits=digits),
            "regions": lambda: answer.regions(comparisons, *ends, digits=digits),
        }
        if output.is_screen:
            del tables["regions"]
        output.write_views(tables, lambda: picture_of_errors(comparisons, ends))
        return
    shown = output.shown(views)
    if "points" in shown:
        report = answer.at_points(blocks, comparisons, digits=digits, jobs=jobs)
        kept = points.kept
        output.write(behind(report, kept.names, kept.waiting(), len(comparisons)))
        return
    given.refuse("--keep", purpose="--view points", remedy="add it")
    if output.is_exact:
        raise UsageError(
            "--digits above 17 is for --view points: over many points, figures are float64s"
        )
    from gelu_cli.old.calculus.point_summary import summarise_points  # for which numpy is loaded
    from gelu_cli.old.writing.progress import Progress

    expected = None
    with Progress(output.quiet):
        found = summarise_points(blocks, comparisons, [*map(float, answer.EDGES)], jobs)
        if samples is not None and "summary" in shown:
            expected = answer.expected_of(comparisons, sigma, mean, digits=digits)
    over = answer.OverPoints(comparisons, found, source, expected, digits)
    output.write_views(over.views())


def _refuse(given: Given, points: options.PointWords, samples: int | None, output: Output) -> None:
    """Raise `UsageError` for what the answer would not use, or has not."""
    view = output.view
    if samples is not None:
        own = "points of your own"
        names = "X", "--input", "--column", "--keep", "--skip-unreadable"
        given.refuse(*names, purpose=own, remedy="leave --samples out")
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
    given.refuse_other_views(output.shown(["summary", "regions"]), VIEWS_THAT_USE)


def _given_points(
    points: options.PointWords, output: Output
) -> tuple[Iterable[Points], str, Sequence[str]]:
    """Return the points of the command line, what they are, and the tables that a terminal shows.

    A stream of them is listed as it comes.
    """
    from gelu_cli.old.reading.points import read_points

    blocks = read_points(*points, exact=output.is_exact, say=output.say)
    if "-" in (*points.x, points.source):
        return blocks, "stdin", ["points"]
    source = name_of(points.source) if points.source else "the command line"
    first: list[Points] = []
    if output.for_people and output.view is None:
        while sum(map(len, first)) <= LISTED and (block := next(blocks, None)) is not None:
            first.append(block)
    many = sum(map(len, first)) > LISTED
    return chain(first, blocks), source, OVER_POINTS if many else ["points"]
