"""Types of pieces of published approximations, from texts of numbers.

Polynomials are texts of numbers, the lowest power first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

from flint import fmpq

from gelu_cli.formulas.entries import HALF, erf_by_abramowitz_stegun
from gelu_cli.formulas.pieces import (
    ONE,
    ZERO,
    Cut,
    Holds,
    Piece,
    Tail,
    polynomial_of,
    to_fraction,
)
from gelu_cli.formulas.special import exp, horner, logistic, pi, sqrt, sqrt_half, sqrt_two_over_pi

Coefficients = Sequence[fmpq]


def constant(text: str) -> Any:
    """Return a constant of a formula: a decimal, π, a quotient or a root.

    >>> constant("1/4"), constant("√(2/π)").mid().str(6, radius=False)
    (1/4, '0.797885')
    """
    if text.startswith("("):
        return constant(text[1:-1])
    if text.startswith("√"):
        from flint import arb

        return sqrt(arb(constant(text[1:])))
    if "/" in text:
        above, below = map(constant, text.split("/"))
        return above / below
    return pi() if text == "π" else to_fraction(text)


def cut(place: str, holds: Holds) -> Cut:
    """Return a cut at a decimal, or at one times a root.

    >>> cut("-2.5", "left").square, cut("4√2", "right").square
    (-25/4, 32)
    """
    factor, _, radicand = place.partition("√")
    size = to_fraction(factor)
    return Cut(size * abs(size) * to_fraction(radicand or "1"), holds)


def numbers(text: str) -> list[fmpq]:
    """Return the decimals in a text.

    >>> numbers("0.25 -1e-3")
    [1/4, -1/1000]
    """
    return [to_fraction(word) for word in text.split()]


def mixed(even: Coefficients, odd: Coefficients) -> list[fmpq]:
    """Return the coefficients of p(x²) + x·q(x²) from those of p and q.

    >>> mixed(numbers("1 2 3"), numbers("4"))
    [1, 4, 2, 0, 3]
    """
    both = list(chain.from_iterable(zip_longest(even, odd, fillvalue=fmpq(0))))
    return both[:-1] if len(even) > len(odd) else both


def gate(*coefficients: Any) -> Piece:
    """Return a piece whose gate is a polynomial."""
    return Piece(polynomial=polynomial_of(*coefficients))


def value(*coefficients: Any) -> Piece:
    """Return a piece that is a polynomial itself."""
    return replace(gate(*coefficients), gated=False)


def both_halves(left: Tail) -> list[Piece]:
    """Return the pieces of a gate with G(x) + G(−x) = 1, from its left half."""
    piece = Piece(left)
    return [piece, piece.mirrored("complementary")]


def tanh_of(argument: str) -> list[Piece]:
    """Return the gate ½(1 + tanh u) for the text of u.

    The text is "a·(x + c·x³)", "a·x + b·x³", "x + b·x³" or "a·x".
    """
    if product := re.fullmatch(r"(.+)·\(x \+ (.+)·x³\)", argument):
        scale, c = product.groups()
        return both_halves(lambda x: logistic(2 * constant(scale) * x * (1 + x * x * constant(c))))
    first, _, third = argument.partition(" + ")
    a, b = first.removesuffix("x").strip("·") or "1", third[:-3] or "0"
    return both_halves(lambda x: logistic(2 * x * (constant(a) + x * x * constant(b))))


def logistic_of(beta: str) -> list[Piece]:
    """Return the gate σ(βx)."""
    return both_halves(lambda x: logistic(constant(beta) * x))


def power(exponent: str, below: str) -> list[Piece]:
    """Return the gate with ½(1 − erf z) ≈ ½d(z)⁻ⁿ, z = −x/√2, d a polynomial."""
    n, denominator = int(exponent), numbers(below)

    def left(x: Any) -> Any:
        inverse = 1 / horner(denominator, x * -sqrt_half())
        for _ in range(n.bit_length() - 1):
            inverse = inverse * inverse
        return inverse / 2

    assert n & (n - 1) == 0
    return both_halves(left)


def density_times(p: str, coefficients: str) -> list[Piece]:
    """Return the gate φ(x)·(b₁t + … + b₅t⁵), t = 1/(1 − px), x ≤ 0.

    It is `erf_as` with the parameters p·√2 and b·√(2/π).
    """
    given = numbers(coefficients)

    def left(x: Any) -> Any:
        scale = sqrt_two_over_pi()
        b = {f"a{n}": scale * each for n, each in enumerate(given, 1)}
        return erf_by_abramowitz_stegun(x, to_fraction(p) * 2 * sqrt_half(), **b)

    return both_halves(left)


def exponential_times(coefficients: str) -> list[Piece]:
    """Return the gate e^(−x²/2)·c(x), c a polynomial."""
    c = numbers(coefficients)
    return [Piece(lambda x: exp(x * x / -2) * horner(c, x))]


def half_x_plus(*polynomials: str) -> list[Piece]:
    """Return ½x + p(|x|), with one polynomial after another from 0 on."""
    right = [*map(numbers, polynomials)]
    sides = (*((-1, p) for p in reversed(right)), *((1, p) for p in right))
    return [value(*(c * side**k + (k == 1) * HALF for k, c in enumerate(p))) for side, p in sides]


def right_gates(*polynomials: str) -> list[Piece]:
    """Return gates p(x) for x ≥ 0, in order from 0, and 1 − p(−x) for x < 0."""
    right = [gate(*numbers(p)) for p in polynomials]
    return [*(piece.mirrored("complementary") for piece in reversed(right)), *right]


def rational(above: str, below: str) -> list[Piece]:
    """Return the gate ½(1 + xP(x²)/Q(x²)) as one quotient, (Q + xP)/2Q."""
    p, q = numbers(above), numbers(below)
    numerator, denominator = mixed(q, p), [2 * c for c in mixed(q, [])]
    return [Piece(lambda x: horner(numerator, x) / horner(denominator, x))]


def rational_erf(above: str, below: str) -> list[Piece]:
    """Return the gate ½(1 + erf z), erf z ≈ zP(z²)/Q(z²), z = x/√2."""
    p, q = numbers(above), numbers(below)

    def gate(x: Any) -> Any:
        z = x * sqrt_half()
        return z * horner(p, z * z) / horner(q, z * z) / 2 + HALF

    return [Piece(gate)]


KINDS: dict[str, Callable[..., Sequence[Piece]]] = {
    "zero": lambda: [ZERO],
    "identity": lambda: [ONE],
    "value": lambda p: [value(*numbers(p))],
    "half_plus": lambda p: [gate(*mixed([HALF], numbers(p)))],  # ½ + x·p(x²)
    "half_x_plus": half_x_plus,
    "logistic": logistic_of,
    "tanh": tanh_of,
    "power": power,
    "density_times": density_times,
    "exponential_times": exponential_times,
    "right_gates": right_gates,
    "rational": rational,
    "rational_erf": rational_erf,
}
"""Every kind by name, as a set has it: a function from texts to pieces."""
