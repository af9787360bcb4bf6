"""What published approximations are made of: pieces of several kinds, and kinks, from their texts.

Polynomials are texts of numbers, the lowest power first.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice, zip_longest
from typing import Literal, TypeAlias

from gelu_cli.old.arithmetic import Arithmetic, Real, polynomials
from gelu_cli.old.formulas import erf_as, logistic, tanh
from gelu_cli.old.formulas.form import Direct, Gated, Jet, Kink, Piece, mirrored, signed_square
from gelu_cli.old.formulas.rectifiers import ONE, ZERO

Coefficients: TypeAlias = Sequence[Fraction]

HALF = Fraction(1, 2)


def constant(text: str) -> Callable[[Arithmetic], Real]:
    """Return a constant of a formula, in any arithmetic: a decimal, π, a quotient, or a root.

    >>> from gelu_cli.old.arithmetic.exact import RATIONAL
    >>> constant("√(2/π)")(RATIONAL), constant("1/4")(RATIONAL)
    (Irrational(0.79788456080286536…), Fraction(1, 4))
    """
    if text.startswith("("):
        return constant(text[1:-1])
    if text.startswith("√"):
        square = constant(text[1:])
        return lambda a: a.sqrt(square(a))
    if "/" in text:
        above, below = map(constant, text.split("/"))
        return lambda a: above(a) / below(a)
    return lambda a: a.pi if text == "π" else a.rational(Fraction(text))


def kink(place: str, takes: Literal["left", "right", "mean"]) -> Kink:
    """Return a kink from its place, a decimal or one times a root, and what holds there.

    >>> kink("-2.5", "left").square, kink("4√2", "right").square
    (Fraction(-25, 4), Fraction(32, 1))
    """
    factor, _, radicand = place.partition("√")
    return Kink(signed_square(Fraction(factor)) * Fraction(radicand or 1), takes)


def numbers(text: str) -> list[Fraction]:
    """Return the numbers in a text: decimals, unless its first word says how others are read.

    `float16` takes the float16s nearest to decimals, as a table in hardware holds them, and
    `float32/2` half of what the bits of float32s are.

    >>> numbers("0.25 -1e-3"), numbers("float16 0.1"), numbers("float32/2 3fc00000")
    ([Fraction(1, 4), Fraction(-1, 1000)], [Fraction(819, 8192)], [Fraction(3, 4)])
    """
    first, *words = text.split()
    if first == "float16":
        return [Fraction(struct.unpack("e", struct.pack("e", float(each)))[0]) for each in words]
    if first == "float32/2":
        return [Fraction(struct.unpack(">f", bytes.fromhex(each))[0]) / 2 for each in words]
    return list(map(Fraction, (first, *words)))


def mixed(even: Coefficients, odd: Coefficients) -> list[Fraction]:
    """Return the coefficients of p(x²) + x·q(x²) from those of p and q.

    >>> [int(c) for c in mixed(numbers("1 2 3"), numbers("4"))]
    [1, 4, 2, 0, 3]
    """
    both = list(chain.from_iterable(zip_longest(even, odd, fillvalue=Fraction(0))))
    return both[:-1] if len(even) > len(odd) else both


def polynomial(coefficients: Coefficients) -> Jet:
    """Return the jet of a polynomial.

    >>> from gelu_cli.old.arithmetic.exact import RATIONAL
    >>> square = polynomial(numbers("0 0 1"))
    >>> [int(y) for y in square(RATIONAL, Fraction(3))]
    [9, 6, 2]
    """
    return lambda a, x: islice(polynomials.polynomial(list(map(a.rational, coefficients)), x), 3)


def quotient(above: Coefficients, below: Coefficients) -> Jet:
    """Return the jet of r = n/d: r′ = (n′ − rd′)/d, r″ = (n″ − 2r′d′ − rd″)/d."""

    def jet(a: Arithmetic, x: Real) -> Iterator[Real]:
        n, d = polynomial(above)(a, x), polynomial(below)(a, x)
        d0 = next(d)
        r = next(n) / d0
        yield r
        d1 = next(d)
        r1 = (next(n) - r * d1) / d0
        yield r1
        yield (next(n) - 2 * r1 * d1 - r * next(d)) / d0

    return jet


def halves(left: Jet) -> list[Piece]:
    """Return the pieces of a gate with G(x) + G(−x) = 1, from its left half."""
    return [Gated(left), Gated(mirrored(left))]


def tanh_of(argument: str) -> Gated:
    """Return the gate ½(1 + tanh u), u as in print: a·(x + c·x³), a·x + b·x³, x + b·x³ or a·x."""
    if product := re.fullmatch(r"(.+)·\(x \+ (.+)·x³\)", argument):
        scale, c = map(constant, product.groups())
        return Gated(lambda a, x: tanh.gate(a, x, c(a), scale(a), 0))
    first, _, third = argument.partition(" + ")
    b, d = constant(first.removesuffix("x").strip("·") or "1"), constant(third[:-3] or "0")
    return Gated(lambda a, x: tanh.expanded_gate(a, x, first=b(a), third=d(a)))


def power(exponent: str, below: str) -> list[Piece]:
    """Return the gate with ½(1 − erf z) ≈ ½d(z)⁻ⁿ, z = −x/√2 ≥ 0, d a polynomial."""
    n, denominator = int(exponent), polynomial(numbers(below))

    def left(a: Arithmetic, x: Real) -> Iterator[Real]:
        slope = -1 / a.sqrt(a.rational(2))
        jet = denominator(a, slope * x)
        d = next(jet)
        power = (1 / d) ** n / 2
        yield power
        ratio = next(jet) / d
        yield -n * slope * power * ratio
        yield n * power * ((n + 1) * ratio**2 - next(jet) / d) / 2

    return halves(left)


def density_times(p: str, coefficients: str) -> list[Piece]:
    """Return the gate φ(x)·(b₁t + … + b₅t⁵), t = 1/(1 − px), x ≤ 0: as `erf_as`, p·√2, b·√(2/π)."""

    def left(a: Arithmetic, x: Real) -> Iterator[Real]:
        scale = a.sqrt(2 / a.pi)
        b = {f"a{n}": scale * a.rational(each) for n, each in enumerate(numbers(coefficients), 1)}
        return erf_as.left_gate(a, x, a.sqrt(a.rational(2)) * a.rational(Fraction(p)), **b)

    return halves(left)


def exponential_times(coefficients: str) -> list[Piece]:
    """Return the gate e^(−x²/2)·c(x), c a polynomial."""

    def jet(a: Arithmetic, x: Real) -> Iterator[Real]:
        exponential = a.exp(-x * x / 2)
        c, c1, c2 = polynomial(numbers(coefficients))(a, x)
        yield exponential * c
        yield exponential * (c1 - x * c)
        yield exponential * (c2 - 2 * x * c1 + (x * x - 1) * c)

    return [Gated(jet)]


def half_x_plus(*polynomials: str) -> list[Piece]:
    """Return ½x + p(|x|), with one polynomial after another from 0 on."""
    right = [*map(numbers, polynomials)]
    sides = (*((-1, p) for p in reversed(right)), *((1, p) for p in right))
    return [
        Direct(polynomial([c * side**k + (k == 1) * HALF for k, c in enumerate(p)]))
        for side, p in sides
    ]


def right_gates(*polynomials: str) -> list[Piece]:
    """Return the gates p(x) for x ≥ 0, one after another from 0 on, and 1 − p(−x) for x < 0."""
    right = [*map(numbers, polynomials)]
    left = [[(k == 0) - c * (-1) ** k for k, c in enumerate(p)] for p in reversed(right)]
    return [Gated(polynomial(p)) for p in (*left, *right)]


def rational(above: str, below: str) -> list[Piece]:
    """Return the gate ½(1 + xP(x²)/Q(x²)) as one quotient, (Q + xP)/2Q.

    >>> from gelu_cli.old.arithmetic.exact import RATIONAL
    >>> (piece,) = rational("1", "1 1")
    >>> str(piece(RATIONAL, Fraction(1), 0).gate)
    '3/4'
    """
    p, q = numbers(above), numbers(below)
    return [Gated(quotient(mixed(q, p), [2 * c for c in mixed(q, [])]))]


def rational_erf(above: str, below: str) -> list[Piece]:
    """Return the gate ½(1 + erf z), erf z ≈ zP(z²)/Q(z²), z = x/√2."""
    erf = quotient(mixed([], numbers(above)), mixed(numbers(below), []))

    def jet(a: Arithmetic, x: Real) -> Iterator[Real]:
        slope = 1 / a.sqrt(a.rational(2))
        inner = erf(a, slope * x)
        yield (1 + next(inner)) / 2
        yield slope * next(inner) / 2
        yield next(inner) / 4

    return [Gated(jet)]


KINDS: Mapping[str, Callable[..., Sequence[Piece]]] = {
    "zero": lambda: [ZERO],
    "identity": lambda: [ONE],
    "value": lambda p: [Direct(polynomial(numbers(p)))],  # p(x) itself
    "half_plus": lambda p: [Gated(polynomial(mixed([HALF], numbers(p))))],  # the gate ½ + x·p(x²)
    "half_x_plus": half_x_plus,
    "logistic": lambda beta: [Gated(lambda a, x: logistic.gate(a, x, constant(beta)(a)))],
    "tanh": lambda argument: [tanh_of(argument)],
    "power": power,
    "density_times": density_times,
    "exponential_times": exponential_times,
    "right_gates": right_gates,
    "rational": rational,
    "rational_erf": rational_erf,
}
"""Every kind by name, as a set has it: what makes its pieces of texts."""
