"""Averages over a normal distribution, and over a range, within proved bounds.

Arb integrates rigorously (Johansson, Numerical integration in arbitrary-precision ball arithmetic,
2018): a stretch is bisected until the rule of Gauss and Legendre, with a bound from balls in the
plane, or a ball around the integrand itself, is good enough. Beyond its reach a product of two
quantities of a form is bounded by max(|x|, 2ⁿ)³², see `Form.limit_exponent`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from flint import acb, acb_poly, arb

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.arithmetic import Curve, Real, Result, Rounding, mpf
from gelu_cli.old.arithmetic.balls import (
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
    on_ball,
    real,
    sign_of,
    working,
)
from gelu_cli.old.arithmetic.beside import Beside, BesideArithmetic
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.calculus.stretches import Place, Stretch, vanishes
from gelu_cli.old.stages import tell
from gelu_cli.old.values.evaluate import rounded

SPARE, GUARD = 12, 24
"""Bits beyond the rounding's own that an average has, and that are lost on the way to it."""

ATTEMPTS = (
    *((times, False, False) for times in (1, 2, 4)),
    *((times, True, False) for times in (2, 8)),
    *((times, True, True) for times in (1, 8, 24, 64)),
)
"""Times the bits, whether beside polynomials, and whether with the sign of what is left then."""

SOMEWHERE = acb(arb(1.5, 0.1))
"""A ball on which only a polynomial is exact."""

LEAST_ERROR = arb(2) ** -4000
"""Of an integral over a range, whose error is relative unless it is as small as that."""

FAINT, FAINTEST = 8, 1 << 128
"""Bits below 1 at which an average is looked for, at first and at last."""

FAR = 24
"""Standard deviations from 0 of a mean far away, and points on the way there."""

GROWTH = 32
"""A product of two quantities of a form is at most max(|x|, 2ⁿ)³² beyond the reach."""

REACH_BITS = 16
"""(|μ| + σT)³² < ((|μ| + σ)·2¹⁶)³² for a reach of T < 2¹⁶; a longer one outgrows it by itself."""

MOST_PARTS = 2000
"""Of a stretch, in search of where a function changes its sign."""

Parts: TypeAlias = Sequence[tuple[Stretch, Curve]]
"""An integrand for each stretch of a range, or of the line."""


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

    >>> from gelu_cli.old.arithmetic.formats import FLOAT64
    >>> from gelu_cli.old.calculus.stretches import stretches
    >>> line = stretches(Place.of(-math.inf, []), Place.of(math.inf, []), [])
    >>> def mean_square(averages):
    ...     return [averages.of([(part, lambda a, x: x * x) for part in line])]
    >>> averaged(mean_square, Normal(Fraction(0), Fraction(1, 10)), FLOAT64)
    [0.01]
    """
    first, too_long = rounding.precision + SPARE, False
    for times, precise, signed in ATTEMPTS:
        if too_long and not precise:
            continue
        tell(f"averages, to {times * first} bits")
        try:
            averages = Averages(normal, times * first, precise, signed)
            found = [_rounded(y, rounding) for y in statistics(averages)]
        except ComputationError:
            if precise:
                raise
            too_long = True  # but beside a polynomial there may be less to integrate
            continue
        results = [result for result in found if result is not None]
        if len(results) == len(found):
            return results
    raise ComputationError(
        "an average cannot be told to so many digits: it is too near to the middle between two "
        "numbers, or the form changes too quickly on the scale of sigma; take other --digits, or "
        "a --sigma nearer to the scale of the form"
    )


def _rounded(y: Real, rounding: Rounding) -> Result | None:
    """Return what an average rounds to: 0 if it is that small, or ∞ if it is beyond a format."""
    result, y = rounded(y, rounding), y.folded if isinstance(y, Beside) else y
    if result is None and isinstance(y, Interval):
        if rounding.settle(y.low, y.low) == math.inf:
            return math.inf
        zeros = {rounding.settle(y.low, mpf.ZERO), rounding.settle(mpf.ZERO, y.high)}
        result = rounding.exactly(Fraction(0)) if not y.sign and zeros == {0} else None
    return result


def squared(curve: Curve) -> Curve:
    """Return the square of a curve."""
    return lambda a, x: curve(a, x) ** 2


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
        return BesideArithmetic(IntervalArithmetic(self.bits + GUARD))

    def of(self, line: Parts, signs: Parts = (), share: bool = True) -> Beside:
        """Return E g(X), g given on stretches of the whole line; with signs s, E sgn(s(X))·g(X).

        Its error is a share of it, of 2^-bits, or 2^-bits itself if no `share` is asked for.
        """
        parts: Parts = [(part, curve) for part, curve in line if not vanishes(curve)]
        sign_on = dict(signs)
        near, known = ZERO, Fraction(0) if not parts else None
        if self.precise and not signs:
            near = self._polynomial(line)
            parts = line if near != ZERO else parts
            known = self._known(parts, near)
        if known is not None:
            return Beside(known, None, self.a.rests)
        # The line ends at ±2ⁿ, see `Form.limit_exponent`.
        exact, end = self.normal.average(near), line[-1][0].high.square
        largest = 1 << (end.numerator.bit_length() - 1) // 2
        most = max(largest, math.ceil(abs(self.normal.mean) + self.normal.sigma) << REACH_BITS)
        faint = FAINT + self._faintness(parts, near)
        while True:
            goal = self.bits + faint  # the error is to be 2^-goal at most
            reach = math.isqrt(7 * (goal + GROWTH * most.bit_length()) // 5) + 2
            with working(self.bits + GUARD + 2 * reach.bit_length() + self._lost):
                error = arb(2) ** -goal
                total = arb(0, self._tail(largest, reach))
                for stretch, curve in parts:
                    sign = sign_on.get(stretch)
                    total += self._within(stretch, curve, sign, near, reach, error / 8)
                relative = total.rad() <= abs(total).lower() * arb(2) ** -self.bits
                enough = relative or not share or (exact and not self.signed)
                if enough or total.rad() > 16 * error or faint > FAINTEST:
                    return Beside(exact, enclosure(total, self.bits + GUARD), self.a.rests)
                least = abs(total).lower()
                faint = max(faint, bits_of(1 / least)) + FAINT if least > 0 else 4 * faint

    def _faintness(self, parts: Parts, near: Polynomial) -> int:
        """Return about how many bits below 1 the integrand is at its highest, from some points.

        Where it is far from the mean, it is between that and a point as far beyond 0.
        """
        mean, sigma = self.normal
        far, highest = abs(mean) / sigma, arb(0)
        with working(self.bits + GUARD + 2 * self._lost):
            for t in (real(k * far / FAR) for k in range(-2 * FAR, 2 * FAR + 1) if far > FAR):
                for (low, high), curve in parts:
                    if self._standardised(low) < t < self._standardised(high):
                        y = self._value(curve, self._x(t), near) * density(acb(t))
                        highest = highest.max(y.abs_lower())
        return max(0, bits_of(1 / highest)) if highest > 0 else 0

    @property
    def _lost(self) -> int:
        """The bits in which x and μ agree."""
        ratio = abs(self.normal.mean) / self.normal.sigma
        return max(0, ratio.numerator.bit_length() - ratio.denominator.bit_length())

    def _known(self, parts: Parts, near: Polynomial) -> Fraction | None:
        """Return E g(X) where g is `near`, or a polynomial of x − μ on either side of μ.

        Of tʲ each side has (j − 1)!!/2 for even j; those of odd j, which are not rational, cancel.
        """
        mean, sigma = self.normal
        total, odd = Fraction(0), ZERO
        pieces = [(stretch, curve(*beside_polynomials(SOMEWHERE))) for stretch, curve in parts]
        if all(y.rest is None and y.anchor == near for _, y in pieces):
            return self.normal.average(near)
        for stretch, y in pieces:
            left, right = (end.infinite or end.rational == mean for end in stretch)
            if y.rest is not None or not (left and right):
                return None
            polynomial = y.anchor(y.a.anchor(mean) + y.a.anchor(sigma) * X)
            odd += (polynomial - polynomial(-X)) * (-1 if stretch.low.infinite else 1)
            powers = fractions(polynomial)[::2]
            total += sum(c * math.prod(range(1, 2 * j, 2)) / 2 for j, c in enumerate(powers))
        return total if odd == ZERO else None

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
        self, stretch: Stretch, curve: Curve, sign: Curve | None, near: Polynomial, reach: int,
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

        def integrand(t: Ball) -> Ball:
            weight = ((nearest - t) * (nearest + t) / 2).exp()
            return self._value(curve, self._x(t), near) * weight

        def sign_on(t: Ball) -> int:
            return sign_of(self._bounds(sign, self._x(t)).real) if sign else 1

        def bound(t: Ball) -> Ball:
            x, weight = self._x(t), ((nearest - t) * (nearest + t) / 2).exp()
            return (self._bounds(curve, x) - acb_poly(near)(x)).abs_upper() * weight.abs_upper()

        error /= largest
        shares = [2.0**-n for n in range(1, 8)]
        shares += [1 - share for share in shares]
        some = [integrand(acb(low + share * (high - low))).real for share in shares]
        noise, size = max(y.rad() for y in some), max(y.abs_lower() for y in some)
        if noise > 16 * error / (high - low) + size:  # lost in the precision: no rule helps
            return largest * arb(0, _area(bound, low, high))
        total = _at_ends(integrand, low, high)
        for start, end, known in _signed(sign_on, bound, low.upper(), high.lower(), error / 64):
            if known:
                total += known * integral(integrand, start, end, arb(2) ** -self.bits / 16, error)
            else:
                total += arb(0, _area(bound, start, end))
        return largest * total

    def _bounds(self, curve: Curve, x: Ball) -> Ball:
        """Return a ball around the values of a curve at all x of a ball."""
        y = self._value(curve, x, ZERO)
        if sign_of(y.real) or not y.is_finite():
            return y
        other = on_ball(curve, x)
        return other if other.real.rad() < y.real.rad() else y

    def _tail(self, largest: int, reach: int) -> Ball:
        """Return a bound on the integral beyond ±T = ±reach, T ≥ 8: 4A³²·φ(T).

        A = max(2ⁿ, |μ| + σT), for there |g|, and the polynomial that g is near, are each at most
        (A·t/T)³², and (t/T)³²·φ(t) falls faster than φ(T)·e^(T − t).
        """
        mean, sigma = self.normal
        most = real(max(Fraction(largest), abs(mean) + sigma * reach))
        return 4 * most**GROWTH * density(acb(reach)).real

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

    def _value(self, curve: Curve, x: Ball, line: Polynomial) -> Ball:
        """Return the value of a curve at x, less that of a polynomial."""
        if not self.precise:
            return acb(curve(BALLS, x))
        a, variable = beside_polynomials(x)
        return (curve(a, variable) - Beside(line, None, a.rests)).folded


def density(t: Ball) -> Ball:
    """Return φ(t) = e^(−t²/2)/√(2π)."""
    return (-t * t / 2).exp() / (2 * acb.pi()).sqrt()


def _at_ends(f: Callable[[Ball], Ball], low: Ball, high: Ball) -> Ball:
    """Return the integral of f next to ends that are somewhere in balls, as kinks are."""
    unsure = [end for end in (low, high) if not end.is_exact()]
    return arb(0, sum((2 * end.rad() * f(acb(end)).abs_upper() for end in unsure), arb(0)))


def _area(bound: Callable[[Ball], Ball], low: Ball, high: Ball) -> Ball:
    return ((high - low) * bound(acb(low.union(high)))).upper()


def _signed(
    sign_on: Callable[[Ball], int], bound: Callable[[Ball], Ball], low: Ball, high: Ball,
    least: Ball,
) -> Iterator[tuple[Ball, Ball, int]]:  # fmt: skip
    """Yield parts of a range with the sign there, 0 where it is not told and matters little.

    The part whose length times a bound is largest is halved, until that is below `least`, or due
    to the working precision.
    """
    told: list[tuple[Ball, Ball, int]] = []
    unsure: list[tuple[float, int, Ball, Ball]] = []  # a heap

    def look(low: Ball, high: Ball) -> None:
        sign, area = sign_on(acb(low.union(high))), _area(bound, low, high)
        middle = acb(((low + high) / 2).mid())
        noise = 2 * (high - low) * bound(middle)
        if sign or area < least or (area < noise and not sign_on(middle)):
            told.append((low, high, sign))
        else:
            size = -bits_of(area) if area.is_finite() else -math.inf
            heappush(unsure, (size, len(told) + len(unsure), low, high))

    look(low, high)
    while unsure and len(told) + len(unsure) < MOST_PARTS:
        *_, low, high = heappop(unsure)
        middle = ((low + high) / 2).mid()
        if low < middle < high:
            look(low, middle)
            look(middle, high)
        else:
            told.append((low, high, 0))
    told += [(low, high, 0) for *_, low, high in unsure]
    told.sort(key=itemgetter(0))
    for sign, run in groupby(told, itemgetter(2)):
        parts = list(run)
        if sign:
            yield parts[0][0], parts[-1][1], sign
        else:
            yield from parts


def root_mean_square(parts: Parts, rounding: Rounding) -> Result:
    """Return √(1/(b − a)·∫ₐᵇ g² dx), g given on stretches from a to b, correctly rounded.

    Raises `ComputationError` if it cannot be told to so many digits.

    >>> from gelu_cli.old.arithmetic.formats import FLOAT64
    >>> ends = Stretch(Place.of(-1), Place.of(1))
    >>> root_mean_square([(ends, lambda a, x: a.exp(x))], FLOAT64)  # √(sinh(2)/2)
    1.3466366265342367
    """
    squares = [(stretch, squared(curve)) for stretch, curve in parts if not vanishes(curve)]
    first = rounding.precision + SPARE
    for bits in (first, 2 * first, 8 * first):
        with working(bits + GUARD):
            total = arb(0)
            for stretch, square in squares:
                left, right = (end.position(BALLS).real for end in stretch)
                integrand = partial(square, BALLS)
                share = arb(2) ** -bits / 16
                total += integral(integrand, left.upper(), right.lower(), share, LEAST_ERROR)
                total += _at_ends(integrand, left, right)
            low, high = (end.position(BALLS).real for end in (parts[0][0].low, parts[-1][0].high))
            mean = enclosure(total / (high - low), bits + GUARD)
        result = rounded(IntervalArithmetic(bits + GUARD).sqrt(mean), rounding)
        if result is not None:
            return result
    raise ComputationError("a root mean square cannot be told to so many digits; take fewer")
