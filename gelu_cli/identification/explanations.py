"""What explains how many figures: every candidate is held against all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64, FORMATS, Format
from gelu_cli.arithmetic.rounding import Array, Mask, nearest
from gelu_cli.arithmetic.ulp import ulps
from gelu_cli.forms import FIRST
from gelu_cli.identification.candidates import (
    FITTED,
    FORM,
    Candidate,
    approximately,
    families,
    forms_for,
    numbers_of,
    routines_for,
)
from gelu_cli.identification.estimation import Estimate, estimated
from gelu_cli.identification.figures import Figures, Printed, Results, unit
from gelu_cli.values.evaluate import evaluate
from gelu_cli.values.figures import OFF_BY, Figure, correct

TWINS = ("exact", "tanh")
"""Those that people take for one another."""

FEW_ULP = 8
"""A kernel in floating point may be so far off the form that it computes, and often is."""

FEW = 2048
"""Of no more figures every candidate is held against all, without a look at who is near."""

NEAREST = 12
"""Of more, the forms that are near most of them."""

MANY = 60
"""Digits that tell a cut figure from one that is not."""

CARELESS = 2.0**-48
"""More than float64s are off here, relative to the sizes of x and of the value."""


class Explanation(NamedTuple):
    """Which figures a candidate explains, and how far off it is at the worst of them."""

    candidate: Candidate
    agrees: Mask
    max_off: Decimal | float
    """In units of the last place that is printed, or of the last place of the format."""

    lost: float = 0.0
    """Of results, how many of their bits are not explained, in the mean."""

    alike: Sequence[Candidate] = ()
    """Routines and formats that explain the same figures as the form itself."""

    @property
    def agree(self) -> int:
        """How many figures are explained."""
        return int(np.count_nonzero(self.agrees))

    @property
    def verdict(self) -> str:
        """In words, how many that is."""
        if self.agrees.all():
            return "explains all"
        return "explains most" if 2 * self.agree > len(self.agrees) else "does not"


class Answer(NamedTuple):
    """What explains figures, best first, and forms whose parameter has no value that does."""

    explanations: Sequence[Explanation]
    conflicts: Sequence[str] = ()
    twins: Sequence[Explanation] = ()
    """What exact and tanh explain, whether or not that is worth a row."""


def explained(figures: Figures, jobs: int = 1) -> Answer:
    """Return what explains some of the figures, best first; if nothing does, what is nearest.

    A routine or a format that explains the same figures as the form itself tells nothing more: it
    is listed beside the form.
    """
    held_against = judge(figures, jobs)
    forms = [held_against(each) for each in _near(forms_for(figures.quantity), figures)]
    itself = {each.candidate.function: each for each in forms}
    alike: dict[tuple[str, str], list[Candidate]] = {}
    found = []
    for each in map(held_against, _others(figures, forms)):
        function = each.candidate.function
        own = itself.get(function)
        if own is not None and np.array_equal(own.agrees, each.agrees):
            if not each.candidate.truncated:
                alike.setdefault(function, []).append(each.candidate)
        elif own is None or _is_more(each, own):
            found.append(each)
    found += [each._replace(alike=alike.get(each.candidate.function, ())) for each in forms]
    estimates = [*filter(None, (estimated(form, figures) for form in families()))]
    conflicts = [each.conflict for each in estimates if each.conflict and each.form.name in FIRST]
    found = _with_parameters(_convincing(estimates, figures), figures, found, held_against)
    ranked = sorted(found, key=_rank)
    twins = [each for each in forms if each.candidate.label in TWINS]
    return Answer([*filter(_is_told(ranked[0]), ranked)] or ranked[:3], conflicts, twins)


def _is_told(best: Explanation) -> Callable[[Explanation], bool]:
    """Return whether an explanation is worth a row, beside the best one.

    Where most figures are explained, forms that explain some are told still: they are what people
    compare. Others must explain most.
    """

    def told(each: Explanation) -> bool:
        form = each.candidate.kind == FORM and each.candidate.is_form_itself
        return each.agree > 0 and (form or each.verdict != "does not" or best.verdict == "does not")

    return told


def _convincing(estimates: Sequence[Estimate], figures: Figures) -> Iterator[Estimate]:
    """Yield the estimates that explain most figures, of results to a few ULP if no better."""
    for estimate in estimates:
        if estimate.words:
            yield estimate
        elif isinstance(figures, Results):
            wider = estimated(estimate.form.without_settings(), figures, 2 * FEW_ULP)
            if wider is not None and wider.words:
                yield wider._replace(words=f"{wider.words} to {FEW_ULP} ULP")


def _is_more(other: Explanation, own: Explanation) -> bool:
    """Return whether another way to compute a form says more than the form itself."""
    if other.candidate.truncated:
        return bool(other.agrees.all()) and len(other.agrees) > 1
    if other.candidate.routine:
        return other.agree > 0
    return other.agree > own.agree


def _rank(explanation: Explanation) -> tuple[float, int, int, bool, float]:
    candidate = explanation.candidate
    other = candidate.truncated or candidate.compute is not None
    off = 0.0 if explanation.agrees.all() else float(explanation.max_off)
    return explanation.lost, -explanation.agree, candidate.kind, other, off


def _near(candidates: Iterable[Candidate], figures: Figures) -> list[Candidate]:
    """Return the candidates that are worth a close look: all, or of many figures the nearest."""
    candidates = list(candidates)
    if len(figures.y) <= FEW:
        return candidates
    x, y, tolerance = roughly(figures)

    def near(candidate: Candidate) -> int:
        with np.errstate(invalid="ignore"):
            close = np.abs(approximately(candidate, x) - y) <= tolerance
        return -int(np.count_nonzero(close))

    return sorted(candidates, key=near)[:NEAREST]


def roughly(figures: Figures) -> tuple[Array, Array, Array]:
    """Return x and y as float64s, and how near a value must be to explain y."""
    if isinstance(figures, Results):
        near = 0.75 * ulps(figures.result, figures.y) + 2.0**-40 * np.abs(figures.y)
        return figures.x, figures.y, near
    x = np.array([float(point) for point in figures.points])
    y = np.array([float(each) for each in figures.y])
    units = np.array([float(unit(each)) for each in figures.y])
    return x, y, 0.75 * units + 2.0**-40 * np.abs(y)


def _others(figures: Figures, forms: Sequence[Explanation]) -> Iterator[Candidate]:
    """Yield routines in all formats, forms in a format of their own, and forms that are cut."""
    for candidate in routines_for(figures.quantity):
        if _may_have_made(candidate.compute, figures):
            yield candidate
    for explanation in forms:
        candidate = explanation.candidate
        if explanation.agrees.all():
            continue
        for number_format in FORMATS.values():
            if _may_be_in(number_format, candidate, figures):
                yield candidate._replace(compute=number_format)
        if isinstance(figures, Printed):
            yield candidate._replace(truncated=True)


def _may_have_made(number_format: Format | None, figures: Figures) -> bool:
    """Return whether most results are numbers of the format inside.

    Of figures in print it may be any but an 8-bit format, whose numbers would explain anything.
    """
    if number_format is None or isinstance(figures, Printed):
        return number_format is not None and number_format.width > 8
    if number_format.precision >= figures.result.precision:
        return True
    there = nearest(number_format, figures.y)[0] == figures.y
    return bool(2 * np.count_nonzero(there) > len(figures.y))


def _may_be_in(number_format: Format, candidate: Candidate, figures: Figures) -> bool:
    """Return whether most figures are so near the form that it may be rounded to a format."""
    if isinstance(figures, Results):
        narrower = number_format.precision < figures.result.precision
        return narrower and _may_have_made(number_format, figures)
    if number_format is FLOAT64 or number_format.width == 8:
        return False  # a figure in print may be the float64 next to the value anyway
    x, y, tolerance = roughly(figures)
    coarse = 2.0 ** (1 - number_format.precision)
    with np.errstate(invalid="ignore"):
        off = np.abs(approximately(candidate, x) - y)
        near = off <= tolerance + coarse * (np.abs(x) + np.abs(y))
    return bool(2 * np.count_nonzero(near) > len(y))


def judge(figures: Figures, jobs: int = 1) -> Callable[[Candidate], Explanation]:
    """Return what holds a candidate against the figures."""
    return PrintedJudge(figures) if isinstance(figures, Printed) else ResultsJudge(figures, jobs)


class ResultsJudge:
    """Holds candidates against results in a format: numbers that must be the same.

    −0 and 0 are, and NaN is NaN. How far they are off is counted in ULP of the candidate's.
    """

    def __init__(self, figures: Results, jobs: int = 1) -> None:
        self._figures, self._jobs = figures, jobs

    def __call__(self, candidate: Candidate) -> Explanation:
        """Return which results the candidate explains."""
        figures = self._figures
        want = numbers_of(candidate, figures.x, figures.result, self._jobs)
        agrees = (want == figures.y) | (np.isnan(want) & np.isnan(figures.y))
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(want - figures.y) / ulps(figures.result, want)
        off = np.where(agrees, 0.0, np.where(np.isfinite(off), off, np.inf))
        lost = np.minimum(np.log2(1 + off), figures.result.precision)
        return Explanation(candidate, agrees, float(np.max(off)), float(np.mean(lost)))


class PrintedJudge:
    """Holds candidates against figures in print: numbers that must round to them.

    What float64s leave open is decided exactly, one figure at a time.
    """

    def __init__(self, figures: Printed) -> None:
        self._figures = figures
        self._x, self._y, _ = roughly(figures)
        self._units = np.array([float(unit(y)) for y in figures.y])

    def __call__(self, candidate: Candidate) -> Explanation:
        """Return which figures the candidate explains."""
        numbers = numbers_of(candidate, self._x, None)
        steep = max([1.0, *(abs(float(each)) for each in candidate.form.settings.values())])
        with np.errstate(invalid="ignore", over="ignore"):
            size = np.abs(numbers) + np.abs(self._y) + np.abs(self._x)
            doubt = CARELESS * steep * size / self._units
            if candidate.truncated:
                toward = np.sign(self._y) * (numbers - self._y) / self._units
                agrees = (toward >= 0) & (toward < 1) & (self._y != 0)
                open_ = np.minimum(np.abs(toward), np.abs(toward - 1)) <= doubt
                off = np.abs(toward)
            else:
                off = np.abs(numbers - self._y) / self._units
                agrees, open_ = off <= 0.5, np.abs(off - 0.5) <= doubt
        for place in np.flatnonzero(open_ & np.isfinite(numbers)).tolist():
            agrees[place] = self._exactly(candidate, float(numbers[place]), place)[0]
        worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
        return Explanation(
            candidate, agrees, self._exactly(candidate, float(numbers[worst]), worst)[1]
        )

    def _exactly(
        self, candidate: Candidate, number: float, place: int
    ) -> tuple[bool, Decimal | float]:
        """Return whether a candidate explains a figure, and how many units it is off."""
        figures, y = self._figures, self._figures.y[place]
        x, quantity = figures.x[place], candidate.quantity
        if candidate.compute is not None:  # the number is the candidate's own
            if not np.isfinite(number):
                return False, np.inf
            off = abs(Fraction(number) - Fraction(y)) / unit(y)
            return off <= Fraction(1, 2), OFF_BY.exactly(off)
        verdict = correct(Figure(place, x, figures.name, candidate.form, quantity, y))
        if not candidate.truncated:
            return verdict.right, verdict.off_by
        value = evaluate(candidate.form, [quantity], figures.points[place], Decimals(MANY))[0]
        toward = (Fraction(value) - Fraction(y)) / unit(y) * (-1 if y < 0 else 1)
        return 0 <= toward < 1 and y != 0, verdict.off_by


def _with_parameters(
    estimates: Iterable[Estimate],
    figures: Figures,
    found: Sequence[Explanation],
    held_against: Callable[[Candidate], Explanation],
) -> list[Explanation]:
    """Add the values of parameters that explain the figures: to forms that have one, or as others.

    Where something else explains all figures, other parameters than the published ones are left
    out: nobody needs them. So are those that explain no more than something else does.
    """
    result = list(found)
    best = max(each.agree for each in found)
    for estimate in estimates:
        known = [
            i
            for i, each in enumerate(result)
            if estimate.holds(each.candidate.form)
            and each.candidate.is_form_itself
            and each.candidate.quantity == figures.quantity
        ]
        if known:
            i = min(known, key=lambda i: result[i].candidate.kind)
            candidate = result[i].candidate._replace(parameter=estimate.words)
            result[i] = result[i]._replace(candidate=candidate)
        elif not estimate.holds_default and best < len(figures.y):
            form, words = estimate.form, estimate.words
            fitted = Candidate(form, figures.quantity, form.label, FITTED, parameter=words)
            explanation = held_against(fitted)
            if estimate.all or explanation.agree > best:
                result.append(explanation)
    return result
