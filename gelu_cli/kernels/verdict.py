"""What a sweep has found: a verdict, exact wherever a single input is named."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import copysign, inf
from typing import NamedTuple

from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.ulp import ordinal, ulp_error
from gelu_cli.kernels.regions import Region
from gelu_cli.kernels.tally import Failure, Tally
from gelu_cli.kernels.truth import EXACT_DIGITS, Question


class ExactError(NamedTuple):
    """A result and its error, exactly: the true value, the error in ULP, the steps to `want`."""

    x: float
    got: float
    want: float
    exact: Fraction
    ulp: Fraction
    ordinal: int


@dataclass
class Verdict:
    """What a sweep has found, exact wherever a single input is named."""

    name: str
    question: Question
    exhaustive: bool
    ftz: bool = False
    total: Tally = field(default_factory=Tally)
    regions: dict[Region, Tally] = field(default_factory=dict)
    complete: bool = True

    @property
    def worst(self) -> list[ExactError]:
        """The largest errors in ULP, the largest first."""
        return self.errors(self.total)

    def errors(self, tally: Tally) -> list[ExactError]:
        """Return the largest errors of a tally, exactly, the largest first."""
        found = [self._error(entry.x, entry.got) for entry in tally.worst]
        return sorted(found, key=lambda error: error.ulp, reverse=True)

    def _error(self, x: float, got: float) -> ExactError:
        error = exact_error(self.question, x, got)
        least = 2.0**self.question.number_format.emin
        if not self.ftz:
            return error
        if got == 0 and abs(float(error.exact)) < least:  # a power of 2 has more digits
            return error._replace(want=0.0, ulp=Fraction(0), ordinal=0)
        if 0 < abs(x) < least:
            flushed = exact_error(self.question, copysign(0.0, x), got)._replace(x=x)
            return min(error, flushed, key=lambda error: error.ulp)
        return error

    @property
    def furthest(self) -> ExactError:
        """The largest ordinal distance."""
        _, x, got = self.total.furthest
        return self._error(x, got)

    @property
    def failures(self) -> list[Failure]:
        """The first results that are NaN or infinite, or should be."""
        return self.total.failures

    @property
    def max_ulp(self) -> float:
        """The largest error in ULP of a finite result; a NaN or an infinity is beyond any."""
        if self.failures:
            return inf
        return FLOAT64.exactly(self.worst[0].ulp) if self.total.worst else 0.0


def exact_error(question: Question, x: float, got: float) -> ExactError:
    """Return the error of a finite result, from as many digits of the truth as it takes.

    The error in ULP has 20 digits, unless it is below 1e-400.
    """
    number_format, want = question.number_format, question.want(x)
    digits = EXACT_DIGITS
    while True:
        exact = question.exactly(x, digits)
        error = ulp_error(number_format, got, exact)
        if error * 10 ** (digits - 36) >= 1 or digits > 440:  # ulp is over 10⁻¹⁶ of the value
            break
        digits *= 2
    steps = abs(ordinal(number_format, got) - ordinal(number_format, want))
    return ExactError(x, got, want, exact, error, steps)
