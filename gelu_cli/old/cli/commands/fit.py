"""`gelu fit`: the best constants of a form, with proof."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import options, words
from gelu_cli.old.cli.parameters import GIVEN, JUDGING, OUTPUT, Given, argument, count, flag, option
from gelu_cli.old.reading.names import parse_form

if TYPE_CHECKING:
    from gelu_cli.old.answers.fit.best import Solve
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.writing.asked import Asked

AVERAGES = ("rms", "mean")
LANGUAGES = ("c", "python")
SUFFIXES = {".c": "c", ".py": "python"}


def fit(
    form: Form | None = argument(
        "[FORM]",
        "What is fitted: {fitted_forms}. A parameter that is set, as in tanh:a=0.8, keeps its "
        "value.",
        parse=parse_form,
        choices="fitted_forms",
    ),
    free: list[str] = option(
        "--free",
        many=True,
        metavar="PARAM",
        parse=str,
        choices="fitted_parameters",
        help="Parameters to fit, with commas or repeated. Default: those usually fitted.",
    ),
    degree: int | None = count(
        "--degree",
        1,
        15,
        "Of polynomial: fit A and the coefficients up to the odd degree N of the gate.",
    ),
    criterion: str = option(
        "--criterion",
        default="sup",
        metavar="CRITERION",
        section=JUDGING,
        choices="criteria",
        help="What is made least: {criteria}. sup is the largest error.",
    ),
    quantity: str = options.quantity(
        "value", "fitted_quantities", "What is fitted: {fitted_quantities}."
    ),
    target: Form = options.target("exact", "What the form is to be near.").under(JUDGING),
    ends: words.Ends = option(
        "--range",
        default="-inf:inf",
        metavar="A:B",
        section=JUDGING,
        parse=words.parse_ends,
        help="Range of sup and relative; -inf:inf is the whole line.",
    ),
    mean: Fraction = options.mean("rms and mean are for X ~ N(M, S²).").under(JUDGING),
    sigma: Fraction = options.sigma("Standard deviation of X.").under(JUDGING),
    constants_in: Format | None = options.number_format(
        "--constants-in",
        "The best constants among the numbers of a format, bfloat16 say, beside the best real ones "
        "rounded.",
    ),
    published: bool = flag(
        "--published",
        help="Judge published constants and what is claimed of them, instead of a FORM.",
    ),
    view: str | None = options.view(
        "fit_views", "Which table: {fit_views}. A terminal shows summary and points."
    ),
    language: str | None = option(
        "--language",
        metavar="LANGUAGE",
        section=OUTPUT,
        choices="languages",
        help="Of --view code: {languages}. Default: what the suffix of --output says, else both.",
    ),
    dtype: Format = options.dtype(
        "float32",
        "Number format of the code: {dtypes}. With the summary: say how many ULP that code is off.",
    ).under(OUTPUT),
    output: Asked = options.OUTPUT_OF_FITS,
    given: Given = GIVEN,
) -> None:
    """The best constants of a form, with proof.

    Which constants make the largest error, or an average of it, least. What proves them is
    alternation of the error, or a bound that covers the other constants: none have an error below
    lower_bound. Where nothing proves them, proof says how many searches found nothing better.

    Constants are printed as float64s, or with more digits if --digits asks for them; errors are
    those of the constants printed.

    Examples:

      gelu fit sigmoid --quantity gate

      gelu fit tanh --free a,c --digits 30

      gelu fit tanh --free a,c,d --range -4:4 --view points

      gelu fit tanh --free a,c --constants-in bfloat16

      gelu fit polynomial --degree 7 --view code -o gelu.c

      gelu fit --published
    """
    from gelu_cli.old.answers.fit import best
    from gelu_cli.old.answers.fit.published import published as published_sets
    from gelu_cli.old.answers.plot import picture_of_errors
    from gelu_cli.old.calculus.integrals import Normal
    from gelu_cli.old.fitting.best import family_of
    from gelu_cli.old.fitting.families import Criterion
    from gelu_cli.old.writing.destinations import choose_tables

    output = output._replace(view=view)
    if published:
        own = ("--published", *options.OUTPUT_OF_FITS.labels)
        others = [name for name in given.names if name not in own]
        given.refuse(*others, purpose="a fit", remedy="leave --published out")
        destination = choose_tables(output)
        destination.write(published_sets(destination.digits))
        return
    if form is None:
        raise UsageError("no form is given; name one, e.g. gelu fit tanh")
    _refuse_unused(given, criterion, view)
    if constants_in and view in ("points", "others"):
        given.refuse("--constants-in", purpose="--view summary, code", remedy="change the view")
    asked = Criterion(criterion, *ends, Normal(mean, sigma))
    family = family_of(*_with_degree(form, free, degree), target, quantity, asked)
    solve = partial(best.solver, family, asked)
    if view == "code":
        _write_code(solve, constants_in, language, dtype, output)
        return
    if output.suffix in SUFFIXES:
        raise UsageError(f"--output '{output.path}' is a program; add --view code")
    destination = choose_tables(output)
    in_ulp = dtype if "--dtype" in given.names else None
    summary: Callable[..., Any] = partial(best.summary, dtype=in_ulp)
    if constants_in:
        summary = partial(best.rounded, number_format=constants_in)
    tables = {"summary": summary, "points": best.points, "others": best.others}
    alone = asked.is_average or constants_in
    names = [view] if view else ["summary"] if alone else ["summary", "points"]
    solved, digits = solve(destination.digits), destination.digits
    destination.write_views(
        {name: partial(tables[name], solved, digits=digits) for name in names},
        lambda: picture_of_errors(best.comparisons_of(solved()), ends),
    )


def _write_code(
    solver: Callable[[int | None], Solve],
    constants_in: Format | None,
    language: str | None,
    dtype: Format,
    output: Asked,
) -> None:
    """Write programs: as text, or in a table of the format asked for."""
    from gelu_cli.old.answers.fit.code import code, judged, programs
    from gelu_cli.old.writing.destinations import choose_tables
    from gelu_cli.old.writing.files import check_path, write_out

    suffix = output.suffix
    if language and SUFFIXES.get(suffix, language) != language:
        raise UsageError(
            f"--output '{output.path}' is not for --language {language}; leave one out"
        )
    solve = solver(output.digits)
    write = cache(lambda: judged(solve(), constants_in, dtype))
    languages = [language or SUFFIXES[suffix]] if language or suffix in SUFFIXES else LANGUAGES
    if output.format_name == "auto" and suffix in ("", *SUFFIXES):
        if output.no_header:
            raise UsageError("--no-header is for csv and tsv, not for code; add --format csv")
        write_out(check_path(output.path), programs(write, languages, dtype))
        return
    choose_tables(output).write(code(write, languages, dtype))


def _with_degree(form: Form, free: list[str], degree: int | None) -> tuple[Form, list[str]]:
    """Return the form and the parameters that --degree stands for."""
    from gelu_cli.old.formulas.polynomial import of_degree

    if degree is None:
        return form, free
    if form.name != "polynomial":
        raise UsageError(
            f"--degree is for polynomial, not for {form.typed_name}; name --free parameters"
        )
    if free:
        raise UsageError("--degree says which parameters are free; leave --free out")
    return of_degree(form, degree)


def _refuse_unused(given: Given, criterion: str, view: str | None) -> None:
    """Raise `UsageError` for an option that the criterion does not use."""
    if criterion in AVERAGES:
        given.refuse("--range", purpose="--criterion sup, relative", remedy="change the criterion")
        if view == "points":
            raise UsageError(f"--view points is for --criterion sup, relative, not for {criterion}")
    if view != "code":
        given.refuse("--language", purpose="--view code", remedy="add it")
    if view in ("points", "others") or (view != "code" and "--constants-in" in given.names):
        given.refuse("--dtype", purpose="--view summary, code", remedy="change the view")
    if criterion not in AVERAGES and view != "others":
        given.refuse("--mean", "--sigma", purpose="--criterion rms, mean, or --view others",
                     remedy="change the criterion")  # fmt: skip
