"""Which constants of a form are best, why, and what they cost by other criteria."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import isfinite

from gelu_cli.old.answers import report_of
from gelu_cli.old.arithmetic import Result, Rounding
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.calculus.comparison import Comparison, compare
from gelu_cli.old.fitting import CRITERIA
from gelu_cli.old.fitting.best import best_constants
from gelu_cli.old.fitting.bounds import below
from gelu_cli.old.fitting.families import Best, Criterion, Family, constants_rounding
from gelu_cli.old.fitting.rounded import Rounded, constants_in
from gelu_cli.old.formulas import Form
from gelu_cli.old.report import Cell, Ending, Report, Row, Sentence
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import rounded_constant, rounding_to

SUMMARY = "parameter fitted published error_fitted error_published gain lower_bound proof"
SHORT = 4
"""Digits of a gain or a weight."""

PROOFS = ("alternation", "bound")
POINTS_SAY = {
    "error": "of the best real constants, before they are rounded",
    "weight": "how much a point holds against the others: with these weights the slopes of "
    "|error| in the constants add up to 0",
}

MIRRORED = "errors at x and −x are equal in size: these are the points of one side"

Solve = Callable[[], Best]
"""The best constants, found when they are first asked for, and once."""


def solver(family: Family, criterion: Criterion, digits: int | None) -> Solve:
    """Return what finds the best constants for all views."""

    @cache
    def solve() -> Best:
        with part(family.form.label):
            return best_constants(family, criterion, digits)

    return solve


def summary(solve: Solve, *, digits: int | None = None, dtype: Format | None = None) -> Report:
    """Return a row for each constant: the best one, the published one, and their errors.

    With `dtype` each ends with how many ULP the program in that format is off, and where.
    """

    def stream() -> Iterator[list[Row] | Ending]:
        best = solve()
        family, criterion = best.family, best.criterion
        published = _published_error(best, criterion, family.quantity, rounding_to(digits))
        gain = _gain(published, best.error) if best.lower_bound != 0 else None
        errors = (best.error, published, gain)
        key = _key(best, family.quantity, criterion)
        facts, in_ulp = _facts(best), list[Result | float]()
        if dtype:
            from gelu_cli.old.answers.fit.code import swept, written

            most, x, inputs = swept(best, written(best, None), dtype)
            in_ulp = [rounding_to(digits).exactly(Fraction(most)) if isfinite(most) else most, x]
            facts["max_ulp"] = f"of --view code in {dtype.name}, against the target, over {inputs}"
        yield [
            (*key, name, constant, usual, *errors, best.lower_bound, best.proof, *in_ulp)
            for (name, constant), usual in zip(
                best.parameters.items(), _published_constants(best, digits), strict=True
            )
        ]
        unproved = f"nothing proves these constants best: they are the {best.proof}"
        notes = [] if best.proof in PROOFS else [unproved]
        yield Ending(facts, notes, words=[_in_words(best, published)])

    names = f"form quantity criterion range {SUMMARY}{' max_ulp max_ulp_x' if dtype else ''}"
    return report_of("Best constants", names, stream(), digits, keys=5, headed=True)


def _in_words(best: Best, published: Result | None) -> Sentence:
    """Return what the best constants are worth, and what says that there are no better ones."""
    error, criterion = float(best.error), best.criterion
    said = f"{best.form.label}: {criterion.name} error {error:.4g} over {range_text(criterion)}"
    if published is not None and error:
        ratio = _gain(published, best.error)
        said += f"; the published constants have {float(published):.4g}, {ratio} times as much"
    proved = best.proof in PROOFS and best.lower_bound is not None
    why = (
        f"No constants have less than {float(best.lower_bound or 0):.6g}: proved by {best.proof}."
        if proved else f"Nothing proves that there are no better ones: {best.proof}."
    )  # fmt: skip
    return Sentence("best", f"{said}. {why}", {"error_fitted": error})


def points(solve: Solve, *, digits: int | None = None) -> Report:
    """Return a row for each point where the error of the best constants is largest."""

    def stream() -> Iterator[list[Row] | Ending]:
        best = solve()
        yield [(point.x, point.error, _short(point.weight)) for point in best.points]
        facts, criterion = _facts(best) | POINTS_SAY, best.criterion
        symmetric = best.family.form.symmetric and best.family.target.symmetric
        if criterion.name == "sup" and criterion.low < 0 < criterion.high and symmetric:
            facts["range"] = MIRRORED
        yield Ending(facts)

    return report_of("Where the error is largest", "x error weight", stream(), digits)


def others(solve: Solve, *, digits: int | None = None) -> Report:
    """Return a row for each quantity and criterion: the errors of fitted and published constants.

    Suprema are over the range of the fit, or over the whole line.
    """

    def stream() -> Iterator[list[Row] | Ending]:
        best = solve()
        gated = best.family.form.has_gate and best.family.target.has_gate
        names = [name for name in CRITERIA if name != "relative"]
        for quantity in ("value", "gradient", *(["gate"] if gated else [])):
            yield [_other(best, quantity, best.criterion._replace(name=name)) for name in names]
        yield Ending(_facts(best))

    def _other(best: Best, quantity: str, criterion: Criterion) -> Row:
        rounding = rounding_to(digits)
        with part(f"{quantity}, {criterion.name}"):
            fitted = _error(best, best.form, criterion, quantity, rounding)
            published = _published_error(best, criterion, quantity, rounding)
        return (*_key(best, quantity, criterion), fitted, published, _gain(published, fitted))

    names = "form quantity criterion range error_fitted error_published gain"
    return report_of("The same constants by other criteria", names, stream(), digits, keys=4)


def comparisons_of(best: Best) -> list[Comparison]:
    """Return the form with the best constants, and with published ones, beside the target."""
    family = best.family
    forms = [best.form, *([family.form] if family.form.fit.published else [])]
    return [compare(form, family.target, family.quantity) for form in forms]


def range_text(criterion: Criterion) -> str:
    """Return over what a criterion is taken, as options have it.

    >>> range_text(Criterion("sup")), range_text(Criterion("rms"))
    ('-inf:inf', 'N(0, 1)')
    """
    if criterion.is_average:
        mean, sigma = map(_end, criterion.normal)
        return f"N({mean}, {sigma}²)" if criterion.normal.sigma != 1 else f"N({mean}, 1)"
    return f"{_end(criterion.low)}:{_end(criterion.high)}"


def _key(best: Best, quantity: str, criterion: Criterion) -> Row:
    return best.family.form.typed_name, quantity, criterion.name, range_text(criterion)


def _published_constants(best: Best, digits: int | None) -> list[Result | None]:
    """Return the constants in use, if those of the form are published, rounded like the best."""
    form, rounding = best.family.form, constants_rounding(digits)
    if not form.fit.published:
        return [None] * len(best.constants)
    defaults = {each.name: each.default_in for each in form.parameters}
    return [rounded_constant(defaults[name], rounding) for name in best.family.free]


def _published_error(
    best: Best, criterion: Criterion, quantity: str, rounding: Rounding
) -> Result | None:
    form = best.family.form
    return _error(best, form, criterion, quantity, rounding) if form.fit.published else None


def _error(
    best: Best, form: Form, criterion: Criterion, quantity: str, rounding: Rounding
) -> Result:
    family = best.family._replace(form=form, free=(), quantity=quantity)
    return criterion.error(family.comparison(()), rounding)


def _gain(published: Result | None, fitted: Result) -> Cell:
    if published is None or not fitted:
        return None
    return _short(float(published) / float(fitted))


def _facts(best: Best) -> dict[str, str]:
    scope = {"bound": f"for {best.scope}"} if best.scope else {}
    return {"fitted": best.form.label, "target": best.family.target.label, **scope}


def _short(number: float) -> float:
    return float(f"{number:.{SHORT}g}")


def _end(end: Fraction | float) -> str:
    return f"{float(end):.12g}"


# In a format


def rounded(solve: Solve, number_format: Format, *, digits: int | None = None) -> Report:
    """Return a row for each constant: of the best real ones rounded, and of the best of a format.

    Errors are those of the constants of the format; published ones are rounded to it, too.
    """

    def stream() -> Iterator[list[Row] | Ending]:
        best = solve()
        with part(f"{best.family.form.label} in {number_format.name}"):
            ways = constants_in(best, number_format, digits)
        yield from ([*_rows_in(best, way)] for way in ways)
        yield Ending(_facts_in(best, ways), list(_notes_in(ways)))

    names = f"form quantity criterion range written constants {SUMMARY}"
    return report_of(f"Best constants in {number_format.name}", names, stream(), digits, keys=7)


def _rows_in(best: Best, way: Rounded) -> Iterator[Row]:
    key = *_key(best, best.family.quantity, best.criterion), ", ".join(way.constants(way.best))
    bound = below(way.error) if way.is_proved and way.error else None
    published = way.published or (None,) * len(way.names)
    for chosen, values, error, proof in (
        ("naive", way.naive, way.error_naive, (None, None)),
        ("best", way.best, way.error, (bound, way.proof)),
    ):
        errors = error, way.error_published, _gain(way.error_published, error)
        for name, value, usual in zip(way.names, values, published, strict=True):
            yield (*key, chosen, name, value, usual, *errors, *proof)


def _facts_in(best: Best, ways: list[Rounded]) -> Mapping[str, str]:
    facts = {"target": best.family.target.label}
    for way in ways:
        words = [f"{name} = {value!r}, rounded and not fitted" for name, value in way.fixed.items()]
        if best.error:
            naive, chosen = (
                float(each) / float(best.error) for each in (way.error_naive, way.error)
            )
            words.insert(0, f"{chosen:.4g} times the error of the best real constants, "
                         f"{naive:.4g} times if these are rounded")  # fmt: skip
        facts[", ".join(way.constants(way.best))] = "; ".join(words)
    return facts


def _notes_in(ways: list[Rounded]) -> Iterator[str]:
    if all(way.is_proved for way in ways):
        name = ways[0].number_format.name
        yield f"no other {name} constants have a smaller error: all of them are covered"
    for way in ways:
        if not way.is_proved:
            yield f"nothing proves {', '.join(way.names)} best: they are the {way.proof}"
