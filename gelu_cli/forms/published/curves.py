"""What published approximations are made of: polynomials, quotients of two, powers, and kinks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain, islice, zip_longest
from typing import Literal, TypeAlias

from gelu_cli.arithmetic import Arithmetic, Real, polynomials
from gelu_cli.forms.form import Jet, Kink, signed_square

HALF = Fraction(1, 2)


def decimals(texts: str) -> tuple[Fraction, ...]:
    """Return the fractions that decimals in a text are.

    >>> decimals("0.25 -1e-3")
    (Fraction(1, 4), Fraction(-1, 1000))
    """
    return tuple(map(Fraction, texts.split()))


def spread(coefficients: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the coefficients of p(x²), lowest power first, from those of p.

    >>> spread([Fraction(1), Fraction(2)])
    (Fraction(1, 1), Fraction(0, 1), Fraction(2, 1))
    """
    return tuple(chain.from_iterable((c, Fraction(0)) for c in coefficients))[:-1]


def odd(coefficients: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the coefficients of x·p(x²), lowest power first, from those of p.

    >>> odd([Fraction(1), Fraction(2)])
    (Fraction(0, 1), Fraction(1, 1), Fraction(0, 1), Fraction(2, 1))
    """
    return Fraction(0), *spread(coefficients)


def polynomial(coefficients: Sequence[Fraction]) -> Jet:
    """Return the jet of a polynomial, from its coefficients, lowest power first.

    >>> from gelu_cli.arithmetic.exact import RATIONAL
    >>> square = polynomial(decimals("0 0 1"))
    >>> [int(y) for y in square(RATIONAL, Fraction(3))]
    [9, 6, 2]
    """
    return lambda a, x: islice(polynomials.polynomial(list(map(a.rational, coefficients)), x), 3)


def quotient(above: Jet, below: Jet) -> Jet:
    """Return the jet of r = n/d: r′ = (n′ − rd′)/d, r″ = (n″ − 2r′d′ − rd″)/d."""
    return partial(_quotient, above, below)


def _quotient(above: Jet, below: Jet, a: Arithmetic, x: Real) -> Iterator[Real]:
    above_jet, below_jet = above(a, x), below(a, x)
    d = next(below_jet)
    r = next(above_jet) / d
    yield r
    d1 = next(below_jet)
    r1 = (next(above_jet) - r * d1) / d
    yield r1
    yield (next(above_jet) - 2 * r1 * d1 - r * next(below_jet)) / d


def sum_of(p: Sequence[Fraction], q: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the coefficients of the sum of two polynomials."""
    return tuple(b + c for b, c in zip_longest(p, q, fillvalue=Fraction(0)))


def rational_gate(p: Sequence[Fraction], q: Sequence[Fraction]) -> Jet:
    """Return the gate ½(1 + xP(x²)/Q(x²)) as one quotient, (Q + xP)/2Q.

    >>> from gelu_cli.arithmetic.exact import RATIONAL
    >>> gate = rational_gate(decimals("1"), decimals("1 1"))
    >>> [str(y) for y in gate(RATIONAL, Fraction(1))]
    ['3/4', '0', '-1/4']
    """
    below = spread(q)
    return quotient(polynomial(sum_of(below, odd(p))), polynomial([2 * c for c in below]))


def gate_of_erf(erf: Jet) -> Jet:
    """Return the gate ½(1 + erf(x/√2)) from the jet of an approximation of erf."""
    return partial(_gate_of_erf, erf)


def _gate_of_erf(erf: Jet, a: Arithmetic, x: Real) -> Iterator[Real]:
    slope = 1 / a.sqrt(a.rational(2))
    jet = erf(a, slope * x)
    yield (1 + next(jet)) / 2
    yield slope * next(jet) / 2
    yield next(jet) / 4


Place: TypeAlias = tuple[str, Literal["left", "right", "mean"]]
"""Where two pieces meet, and which of them holds there."""


def kinks(*places: Place) -> Callable[..., tuple[Kink, ...]]:
    """Return what a form without parameters has as `kinks_at`, from places and who holds there.

    >>> kinks(("-2.5", "left"))()[0].square
    Fraction(-25, 4)
    """
    found = tuple(Kink(signed_square(Fraction(x)), takes) for x, takes in places)
    return lambda: found
