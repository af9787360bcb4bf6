"""What a fit makes least: the largest error on a range, or an average of it."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import NamedTuple

from gelu_cli.arithmetic import Result, Rounding
from gelu_cli.calculus.comparison import Comparison, End, average_errors
from gelu_cli.calculus.fitting.names import CRITERIA
from gelu_cli.calculus.integrals import Normal, check_sigma
from gelu_cli.calculus.stretches import check_range
from gelu_cli.calculus.suprema import Extreme
from gelu_cli.errors import unknown


class Criterion(NamedTuple):
    """What is made least, by its name in `CRITERIA`: over a range, or for X ~ N(mean, sigma²)."""

    name: str
    low: End = -inf
    high: End = inf
    normal: Normal = Normal(Fraction(0), Fraction(1))

    @property
    def is_average(self) -> bool:
        """Whether it is an average, so that the range is the whole line."""
        return self.name in ("rms", "mean")

    def extreme(self, comparison: Comparison, rounding: Rounding) -> Extreme:
        """Return the largest error on the range, relative if that is asked, and where it is."""
        if self.name == "relative":
            return comparison.largest_ratio(self.low, self.high, rounding)
        return comparison.largest_difference(self.low, self.high, rounding)

    def error(self, comparison: Comparison, rounding: Rounding) -> Result:
        """Return what the criterion makes of a form beside its target, correctly rounded.

        >>> from gelu_cli.arithmetic.formats import FLOAT64
        >>> from gelu_cli.forms import find_form
        >>> tanh = Comparison(find_form("tanh"), find_form("exact"), "value")
        >>> Criterion("sup").error(tanh, FLOAT64), Criterion("rms").error(tanh, FLOAT64)
        (0.00047323552068728487, 0.00012877962500385627)
        """
        if not self.is_average:
            return self.extreme(comparison, rounding).value
        mean, rms = average_errors(comparison, self.normal.sigma, rounding, self.normal.mean)
        return mean if self.name == "mean" else rms


def check_criterion(criterion: Criterion) -> None:
    """Raise `UsageError` for an unknown name, an empty range, a sigma that is not positive."""
    if criterion.name not in CRITERIA:
        raise unknown("criterion", criterion.name, CRITERIA)
    check_range(criterion.low, criterion.high)
    check_sigma(criterion.normal.sigma)
