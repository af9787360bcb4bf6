"""Polynomials and their derivatives, by Horner's rule, on every arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gelu_cli.old.arithmetic import Real


def polynomial(coefficients: Sequence[Real], x: Real) -> Iterator[Real]:
    """Yield c₀ + c₁x + … + cₙxⁿ and all of its derivatives.

    >>> values = polynomial([1, 2, 3], 10)
    >>> [next(values) for _ in range(4)]
    [321, 62, 6, 0]
    """
    while True:
        yield _horner(coefficients, x)
        coefficients = _derived(coefficients) or [0 * coefficients[0]]


def odd_polynomial(coefficients: Sequence[Real], x: Real) -> Iterator[Real]:
    """Yield c₀x + c₁x³ + … + cₙx²ⁿ⁺¹ with its first two derivatives.

    >>> list(odd_polynomial([1, 2], 10))
    [2010, 601, 120]
    """
    first, *rest = _without_zeros(coefficients)
    square = x**2
    yield first * x + x**3 * _horner(rest, square) if rest else first * x
    slopes = [(2 * n + 1) * c for n, c in enumerate(coefficients)]
    yield _horner(slopes, square)
    yield 2 * x * _horner(_derived(slopes) or [0 * slopes[0]], square)


def _derived(coefficients: Sequence[Real]) -> list[Real]:
    return [n * c for n, c in enumerate(coefficients)][1:]


def _horner(coefficients: Sequence[Real], x: Real) -> Real:
    first, *rest = _without_zeros(coefficients)[::-1]
    total = first
    for coefficient in rest:
        total = total * x + coefficient
    return total


def _without_zeros(coefficients: Sequence[Real]) -> Sequence[Real]:
    """Return the coefficients up to the last that is no 0, where a type tells it.

    An int is a 0 that takes no time; a float 0 times an infinity would be no number.
    """
    degree = len(coefficients) - 1
    while degree and isinstance(coefficients[degree], int | float) and not coefficients[degree]:
        degree -= 1
    return coefficients[: degree + 1]
