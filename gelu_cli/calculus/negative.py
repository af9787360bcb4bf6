"""How often a form is negative for Gaussian inputs: between the roots where its sign changes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from gelu_cli.arithmetic import Result, Rounding
from gelu_cli.arithmetic.interval import Interval, IntervalArithmetic, interval_arithmetic
from gelu_cli.calculus.coverings import sign_changes
from gelu_cli.calculus.roots import Root, Spot, precisions
from gelu_cli.calculus.stretches import curves_on_line
from gelu_cli.forms import Form
from gelu_cli.values.evaluate import too_near


def negative_probability(form: Form, mean: Fraction, sigma: Fraction, rounding: Rounding) -> Result:
    """Return P(f(X) < 0) for X ~ N(mean, sigma²), correctly rounded.

    That is Σ Φ((b − mean)/sigma) − Φ((a − mean)/sigma) over the stretches a < x < b on which f is
    negative. Raises `ComputationError` if a root of f cannot be enclosed.

    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> from gelu_cli.forms import find_form
    >>> negative_probability(find_form("exact"), Fraction(1), Fraction(1), FLOAT64)
    0.15865525393145705
    """
    found = list(_negative(form))
    for precision in precisions(rounding):
        a = interval_arithmetic(precision)
        total = a.rational(0)
        for low, high in found:
            left, right = (_standardised(end, mean, sigma, a) for end in (low, high))
            total = total + _between(left, right, a)
        result = rounding.settle(total.low, total.high)
        if result is not None:
            return result
    raise too_near("the probability of negative values")


def _negative(form: Form) -> Iterator[tuple[Spot, Spot]]:
    """Yield the ends of the stretches on which a form is negative."""
    for stretch, curve in curves_on_line(form, "value"):
        sign, brackets = sign_changes(curve, stretch)
        roots: list[Spot] = [
            Root(curve, bracket, f"a root of '{form.label}'") for bracket in brackets
        ]
        for pair in pairwise([stretch.low, *roots, stretch.high]):
            if sign < 0:
                yield pair
            sign = -sign


def _standardised(
    end: Spot, mean: Fraction, sigma: Fraction, a: IntervalArithmetic
) -> Interval | None:
    """Return (x − mean)/sigma at an end; None stands for ±∞."""
    return None if end.infinite else (end.position(a) - a.rational(mean)) / a.rational(sigma)


def _between(low: Interval | None, high: Interval | None, a: IntervalArithmetic) -> Interval:
    """Return Φ(high) − Φ(low), from the tails on the side of 0 where both ends are."""
    if low is not None and low.sign >= 0:
        return _below(-low, a) - _below(None if high is None else -high, a)
    if high is None:
        return a.rational(1) - _below(low, a)
    return _below(high, a) - _below(low, a)


def _below(z: Interval | None, a: IntervalArithmetic) -> Interval:
    """Return Φ(z) = erfc(−z/√2)/2; None stands for −∞."""
    if z is None:
        return a.rational(0)
    return a.erfc(-z / a.sqrt(a.rational(2))) / 2
