"""Which figures a candidate explains: it is held against all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.format_arrays import Mask, ulps
from gelu_cli.identification.candidates import Candidate, numbers_of
from gelu_cli.identification.figures import Figures, Printed, Results, roughly, unit
from gelu_cli.values.evaluate import evaluate
from gelu_cli.values.figures import OFF_BY, Figure, correct

MANY = 120
"""Digits that tell a cut figure from one that is not."""

CARELESS = 2.0**-48
"""Float64s may be off by this, relative to the sizes of x and of the value; in fact by less."""


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


def judge_of(figures: Figures, jobs: int = 1) -> Callable[[Candidate], Explanation]:
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
        if not np.isfinite(float(value)):
            return False, verdict.off_by
        toward = (Fraction(value) - Fraction(y)) / unit(y) * (-1 if y < 0 else 1)
        return 0 <= toward < 1 and y != 0, verdict.off_by
