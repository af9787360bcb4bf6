"""Averages over a normal distribution, and over a range, within proved bounds.

Arb integrates rigorously (Johansson, Numerical integration in arbitrary-precision ball arithmetic,
2018): a stretch is bisected until the rule of Gauss and Legendre, with a bound from balls in the
plane, or a ball around the integrand itself, is good enough. Beyond its reach a product of two
quantities of a form is bounded by max(|x|, 2ⁿ)³², see `Form.limit_exponent`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from flint import acb, arb

from gelu_cli.arithmetic import Arithmetic, Real, Result, Rounding
from gelu_cli.arithmetic.balls import (
    BALLS,
    ZERO,
    Ball,
    Polynomial,
    X,
    beside_polynomials,
    bits_of,
    enclosure,
    fractions,
    integral,
    real,
    working,
)
from gelu_cli.arithmetic.beside import Beside, BesideArithmetic, beside
from gelu_cli.arithmetic.interval import interval_arithmetic
from gelu_cli.calculus.stretches import Place, Stretch, vanishes
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import rounded

SPARE, GUARD = 12, 24
"""Bits beyond the rounding's own that an average has, and that are lost on the way to it."""

ATTEMPTS = (
    *((times, False, False) for times in (1, 2, 4)),
    *((times, True, False) for times in (2, 8)),
    *((times, True, True) for times in (1, 8, 64)),
)
"""Times the bits, whether beside polynomials, and whether with the sign of what is left then."""

SOMEWHERE = acb(arb(1.5, 0.1))
"""A ball on which only a polynomial is exact."""

LEAST_ERROR = arb(2) ** -4000
"""Of an integral over a range, whose error is relative unless it is as small as that."""

FAINT, FAINTEST = 8, 1 << 64
"""Bits below 1 at which an average is looked for, at first and at last."""

GROWTH = 32

Integrand: TypeAlias = Callable[[Arithmetic, Real], Any]
"""A function of a real number, or several, on every arithmetic."""

Parts: TypeAlias = Sequence[tuple[Stretch, Integrand]]
"""An integrand for each stretch of a range, or of the line."""

Outer: TypeAlias = Callable[..., Ball]
"""(values, whether the result must be analytic) → what is averaged, at most the last in size."""


class Normal(NamedTuple):
    """A normal distribution N(mean, sigma²)."""

    mean: Fraction
    sigma: Fraction

    def average(self, polynomial: Polynomial) -> Fraction:
        """Return E p(X), from E Xᵏ = μ·E Xᵏ⁻¹ + (k − 1)σ²·E Xᵏ⁻².

        >>> Normal(Fraction(3), Fraction(2)).average(X * X)
        Fraction(13, 1)
        """
        coefficients, moments = fractions(polynomial), [Fraction(1), self.mean]
        for k in range(2, len(coefficients)):
            moments.append(self.mean * moments[-1] + (k - 1) * self.sigma**2 * moments[-2])
        pairs = zip(coefficients, moments, strict=False)
        return sum((c * moment for c, moment in pairs), Fraction(0))


def check_sigma(sigma: Fraction) -> None:
    """Raise `UsageError` for a standard deviation that is not positive."""
    if sigma <= 0:
        raise UsageError(f"sigma must be positive, not {float(sigma):g}")


def averaged(
    statistics: Callable[[Averages], Sequence[Any]], normal: Normal, rounding: Rounding
) -> list[Result]:
    """Return statistics of averages over a normal distribution, each correctly rounded.

    Raises `ComputationError` for one that no number of bits tells to so many digits.

    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> from gelu_cli.calculus.stretches import stretches
    >>> line = stretches(Place.of(-math.inf, []), Place.of(math.inf, []), [])
    >>> def mean_square(averages):
    ...     return [averages.of([(part, lambda a, x: x * x) for part in line])]
    >>> averaged(mean_square, Normal(Fraction(0), Fraction(1, 10)), FLOAT64)
    [0.01]
    """
    first = rounding.precision + SPARE
    for times, *settings in ATTEMPTS:
        tell(f"averages, to {times * first} bits")
        averages = Averages(normal, times * first, *settings)
        found = [rounded(y, rounding) for y in statistics(averages)]
        results = [result for result in found if result is not None]
        if len(results) == len(found):
            return results
    raise ComputationError(
        "an average cannot be told to so many digits: it is too near to the middle between two "
        "numbers, or the form changes too quickly on the scale of sigma; take other --digits, or "
        "a --sigma nearer to the scale of the form"
    )


def squared(curve: Integrand) -> Integrand:
    """Return the square of a curve."""
    return lambda a, x: curve(a, x) ** 2


def itself(y: Ball, analytic: bool) -> Ball:
    """Return a value: the `Outer` of plain averages."""
    return y


def absolute(y: Ball, analytic: bool) -> Ball:
    """Return |y|, which is analytic on either side of 0."""
    return y.real_abs(analytic=analytic)


class Averages(NamedTuple):
    """Averages for X ~ N(μ, σ²), to a number of bits, as integrals over t = (x − μ)/σ.

    Where they are `precise`, integrands are computed beside the polynomials that they are near,
    and averages are beside those of the polynomials: for a large mean, E f(X) of GELU is the mean
    less next to nothing. Where they are `signed`, the sign of that is known.
    """

    normal: Normal
    bits: int
    precise: bool
    signed: bool

    @property
    def a(self) -> BesideArithmetic:
        """The arithmetic of the averages."""
        return beside(interval_arithmetic(self.bits + GUARD))

    def of(self, line: Parts, outer: Outer = itself) -> Beside:
        """Return E g(X), g given on stretches of the whole line, or what `outer` makes of it."""
        parts = [(stretch, curve) for stretch, curve in line if not vanishes(curve)]
        near, known = ZERO, Fraction(0) if not parts else None
        if self.precise and outer is itself:
            near, known = self._polynomial(line), self._known(parts)
        if known is not None:
            return Beside(known, None, self.a.rests)
        exact, largest = self.normal.average(near), 1 << _limit_exponent(line)
        faint = FAINT
        while faint < FAINTEST:
            goal = self.bits + faint  # the error is to be 2^-goal at most
            reach = math.isqrt(7 * (goal + GROWTH * largest.bit_length()) // 5) + 2
            with working(self.bits + GUARD + 2 * reach.bit_length() + self._lost):
                error = arb(2) ** -goal
                total = arb(0, self._tail(largest, reach))
                for stretch, curve in parts:
                    total += self._within(stretch, curve, outer, near, reach, error / 8)
                relative = total.rad() <= abs(total).lower() * arb(2) ** -self.bits
                if relative or (exact and not self.signed) or total.rad() > 16 * error:
                    return Beside(exact, enclosure(total, self.bits + GUARD), self.a.rests)
                least = abs(total).lower()
                faint = max(faint, bits_of(1 / least)) + FAINT if least > 0 else 4 * faint
        raise ComputationError(
            "an average is too small to be found; take a --mean or --sigma nearer to the scale of "
            "the form"
        )

    @property
    def _lost(self) -> int:
        """The bits in which x and μ agree."""
        ratio = abs(self.normal.mean) / self.normal.sigma
        return max(0, ratio.numerator.bit_length() - ratio.denominator.bit_length())

    def _known(self, parts: Parts) -> Fraction | None:
        """Return E g(X) where g is an even polynomial of x − μ to the left of μ, and to the right.

        Of tʲ that is (j − 1)!!/2 for even j.
        """
        mean, sigma = self.normal
        total = Fraction(0)
        for stretch, curve in parts:
            y = curve(*beside_polynomials(SOMEWHERE))
            left, right = (end.infinite or end.rational == mean for end in stretch)
            if y.rest is not None or not (left and right):
                return None
            powers = fractions(y.anchor(y.a.anchor(mean) + y.a.anchor(sigma) * X))
            if any(powers[1::2]):
                return None
            total += sum(c * math.prod(range(1, 2 * j, 2)) / 2 for j, c in enumerate(powers[::2]))
        return total

    def _polynomial(self, line: Parts) -> Polynomial:
        """Return what g tends to on the side of the mean, or on both sides."""
        (first, left), (last, right) = line[0], line[-1]
        below, above = (
            curve(*beside_polynomials(place.position(BALLS))).anchor
            for curve, place in ((left, first.low), (right, last.high))
        )
        mean, sigma = self.normal
        if below == above or mean < -sigma:
            return below
        return above if mean > sigma else ZERO

    def _within(
        self, stretch: Stretch, curve: Integrand, outer: Outer, near: Polynomial, reach: int,
        error: Ball,
    ) -> Ball:  # fmt: skip
        """Return the integral over what is within ±reach of a stretch, with about that error.

        Densities are relative to the largest one, φ(T): far out e^(−t²/2) has no bounds on a ball,
        as t²/2 has more digits than the bounds of a ball have.
        """
        low, high = (self._standardised(end) for end in stretch)
        low, high = low if low > -reach else arb(-reach), high if high < reach else arb(reach)
        if not low < high:
            return arb(0)
        nearest = low.max(arb(0)).min(high).mid()
        largest = density(acb(nearest)).real

        def integrand(t: Ball, analytic: bool) -> Ball:
            weight = ((nearest - t) * (nearest + t) / 2).exp()
            return outer(*self._values(curve, self._x(t), near), analytic) * weight

        return largest * _between(low, high, integrand, self.bits + 4, error / largest)

    def _tail(self, largest: int, reach: int) -> Ball:
        """Return a bound on the integral of |g| beyond ±T = ±reach, T ≥ 8: 2A³²·φ(T).

        A = max(2ⁿ, |μ| + σT), for there |g| ≤ (A·t/T)³², and (t/T)³²·φ(t) falls faster than
        φ(T)·e^(T − t).
        """
        mean, sigma = self.normal
        most = real(max(Fraction(largest), abs(mean) + sigma * reach))
        return 2 * most**GROWTH * density(acb(reach)).real

    def _standardised(self, end: Place) -> Ball:
        """Return t at the end of a stretch."""
        if end.infinite:
            return arb.pos_inf() if end.square > 0 else arb.neg_inf()
        mean, sigma = self.normal
        if end.rational is not None:
            return real((end.rational - mean) / sigma)
        return ((end.position(BALLS) - BALLS.rational(mean)) / BALLS.rational(sigma)).real

    def _x(self, t: Ball) -> Ball:
        mean, sigma = map(BALLS.rational, self.normal)
        return mean + sigma * t

    def _values(self, curve: Integrand, x: Ball, line: Polynomial) -> list[Ball]:
        """Return the values of a curve at x, less those of a polynomial."""
        if not self.precise:
            found = curve(BALLS, x)
            return list(found) if isinstance(found, tuple) else [found]
        a, variable = beside_polynomials(x)
        found = curve(a, variable)
        values = found if isinstance(found, tuple) else (found,)
        return [(y - Beside(line, None, a.rests)).folded for y in values]


def density(t: Ball) -> Ball:
    """Return φ(t) = e^(−t²/2)/√(2π)."""
    return (-t * t / 2).exp() / (2 * acb.pi()).sqrt()


def _limit_exponent(line: Parts) -> int:
    """Return the n for which the line ends at ±2ⁿ, see `Form.limit_exponent`."""
    end = line[-1][0].high
    return (end.square.numerator.bit_length() - 1) // 2


def _between(
    low: Ball, high: Ball, f: Callable[[Ball, bool], Ball], bits: int, error: Ball
) -> Ball:
    """Return the integral of f between two points, each somewhere in a ball, as a kink is."""
    total = integral(f, low.upper(), high.lower(), arb(2) ** -bits, error)
    for end in (low, high):
        if not end.is_exact():
            total += arb(0, 2 * end.rad() * f(acb(end), False).abs_upper())
    return total


def root_mean_square(parts: Parts, rounding: Rounding) -> Result:
    """Return √(1/(b − a)·∫ₐᵇ g² dx), g given on stretches from a to b, correctly rounded.

    Raises `ComputationError` if it cannot be told to so many digits.

    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> ends = Stretch(Place.of(Fraction(-1)), Place.of(Fraction(1)))
    >>> root_mean_square([(ends, lambda a, x: a.exp(x))], FLOAT64)  # √(sinh(2)/2)
    1.346636626534237
    """
    ends = parts[0][0].low, parts[-1][0].high
    squares = [(stretch, squared(curve)) for stretch, curve in parts if not vanishes(curve)]
    first = rounding.precision + SPARE
    for bits in (first, 2 * first, 8 * first):
        with working(bits + GUARD):
            total = arb(0)
            for stretch, square in squares:
                left, right = map(_position, stretch)
                total += _between(left, right, _plain(square), bits, LEAST_ERROR)
            low, high = map(_position, ends)
            mean = enclosure(total / (high - low), bits + GUARD)
        result = rounded(interval_arithmetic(bits + GUARD).sqrt(mean), rounding)
        if result is not None:
            return result
    raise ComputationError("a root mean square cannot be told to so many digits; take fewer")


def _position(end: Place) -> Ball:
    return end.position(BALLS).real


def _plain(curve: Integrand) -> Callable[[Ball, bool], Ball]:
    return lambda x, analytic: curve(BALLS, x)
