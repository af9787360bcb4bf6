"""How a second input enters a result: multiples of forms, and what gated linear units are.

A kernel of two inputs returns f(x)·u, rounded once: a GLU with its gate x and the other branch u,
or a backward pass, u·f′(x), with the gradient u from above. A kernel of one input is one with
u = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.arithmetic.exact import Irrational
from gelu_cli.old.arithmetic.extended.double_double import Pair, two_sum
from gelu_cli.old.arithmetic.format_arrays import Array, every_number
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.formulas.form import Form, Kink, Piece, signed_square
from gelu_cli.old.formulas.form import Values as FormValues
from gelu_cli.old.guests.calling import INPUTS_OF_TWO, SEPARATE, UP_GRADIENT, UPSTREAM

GATE_GRADIENT = "gate_gradient"
OF_PAIRS = (GATE_GRADIENT, UP_GRADIENT)
QUANTITIES = {
    "value": "value", "gradient": "gradient", GATE_GRADIENT: "gradient", UP_GRADIENT: "value",
}  # fmt: skip
"""What of a form the results of kernels of two inputs have as a factor."""


LIMITS = ("gate_limit", "up_limit", "up_offset")
"""The numbers of a `Gating`: float64s."""


class Multiple(NamedTuple):
    """A smooth piece times an exact number; 0 times anything is 0."""

    piece: Piece
    factor: Fraction

    def __call__(self, a: Arithmetic, x: Real, order: int, /, **parameters: Real) -> FormValues:
        """Return the values at x, with derivatives up to `order`."""
        factor = a.rational(self.factor)
        if not self.factor:
            return FormValues(*[factor] * len(FormValues._fields))
        values = self.piece(a, x, order, **parameters)
        return FormValues(*(None if value is None else factor * value for value in values))


def multiple(form: Form, factor: float | Fraction) -> Form:
    """Return a number times a form: its values and all derivatives, in every arithmetic.

    >>> from gelu_cli.old.arithmetic.exact import RATIONAL
    >>> from gelu_cli.old.formulas import find_form
    >>> zero = Fraction(0)
    >>> multiple(find_form("exact"), 3.0).evaluate(RATIONAL, zero, zero, 1).gradient
    Fraction(3, 2)
    """
    if factor == 1:
        return form
    exact = Fraction(factor)
    return form._replace(pieces=tuple(Multiple(piece, exact) for piece in form.pieces))


class Held(NamedTuple):
    """The value of a piece at one point, wherever x is."""

    piece: Piece
    point: Fraction

    def __call__(self, a: Arithmetic, x: Real, order: int, /, **parameters: Real) -> FormValues:
        """Return the value and G, where it has one, and derivatives that are 0."""
        zero = 0 * x
        held = self.piece(a, a.rational(self.point) + zero, 0, **parameters)
        return FormValues(held.value + zero, *[zero] * order)._replace(gate=held.gate)


def clamped(form: Form, limit: Fraction | None) -> Form:
    """Return f(min(x, limit)), whose derivative at the limit is that from the left.

    >>> from gelu_cli.old.arithmetic.exact import RATIONAL
    >>> from gelu_cli.old.formulas import find_form
    >>> nine = Fraction(9)
    >>> clamped(find_form("relu"), Fraction(7)).evaluate(RATIONAL, nine, nine, 1)[:2]
    (Fraction(7, 1), Fraction(0, 1))
    """
    if limit is None:
        return form
    square = signed_square(limit)
    left = [kink for kink in form.kinks if kink.square < square]
    pieces = form.pieces[: len(left) + 1]
    return form._replace(
        pieces=(*pieces, Held(pieces[-1], limit)),
        kinks_at=lambda **parameters: (*left, Kink(square, "left")),
    )


class Gating(NamedTuple):
    """What a kernel of two inputs x and u computes beside f(x)·u.

    f(min(x, gate_limit))·(max(−up_limit, min(u, up_limit)) + up_offset), as GPT-OSS has it; f(x)
    is rounded to the `intermediate` format before the product, if there is one.

    Source: modular_gpt_oss.py of huggingface/transformers, `GptOssExperts`.
    """

    gate_limit: float | None = None
    up_limit: float | None = None
    up_offset: float = 0.0
    intermediate: Format | None = None
    packed: str = ""
    """How both inputs are in one array, one of the `PACKINGS`; nothing where they are two."""

    upstream: bool = False
    """Whether the second input is the gradient from above, by which f′(x) is multiplied."""

    up_first: bool = False
    """Whether the kernel takes (up, gate), not (gate, up)."""

    @property
    def second(self) -> str:
        """How kernels get both, as `Calling` has it."""
        return UPSTREAM if self.upstream else self.packed or SEPARATE

    @property
    def names(self) -> tuple[str, str]:
        """What the inputs are called."""
        return INPUTS_OF_TWO[self.upstream]

    @property
    def asked(self) -> dict[str, Any]:
        """What the kernel computes, by the names of options, as JSON has it."""
        asked = {**self._asdict(), "intermediate": self.intermediate and self.intermediate.name}
        return {name: value for name, value in asked.items() if value not in (None, "", 0)}

    @property
    def name(self) -> str:
        """What tells the figures of kernels from those of others, as budgets have it.

        >>> Gating().name, Gating(gate_limit=7.0, up_limit=7.0, up_offset=1.0).name
        ('plain', 'gate_limit=7,up_limit=7,up_offset=1')
        """
        asked = self._replace(packed="").asked.items()
        return ",".join(f"{each}={value}".removesuffix(".0") for each, value in asked) or "plain"

    def formula(self, quantity: str) -> str:
        """Return what results should be, of the gate or the input x, and the up or upstream u.

        >>> Gating(gate_limit=7.0, up_limit=7.0, up_offset=1.0).formula("value")
        'results are F(min(x, 7))·(max(−7, min(u, 7)) + 1), x the gate, u the up'
        >>> Gating().formula("up_gradient")
        'results are F(x), x the gate, u the up, where the upstream is 1'
        >>> Gating(upstream=True).formula("gradient")
        'results are F′(x)·u, u the upstream'
        """
        x = "x" if self.gate_limit is None else f"min(x, {self.gate_limit:g})"
        u = "u" if self.up_limit is None else f"max(−{self.up_limit:g}, min(u, {self.up_limit:g}))"
        if self.up_offset:
            u = f"({u} {'+−'[self.up_offset < 0]} {abs(self.up_offset):g})"
        inner = f"F{'′' * (QUANTITIES[quantity] == 'gradient')}({x})"
        if self.intermediate:
            inner = f"{self.intermediate.name}({inner})"
        product = inner if quantity == UP_GRADIENT else f"{inner}·{u}"
        of = "u the upstream" if self.upstream else "x the gate, u the up"
        return f"results are {product}, {of}{', where the upstream is 1' * (quantity in OF_PAIRS)}"

    @property
    def limit(self) -> Fraction | None:
        """The largest x that is not clamped."""
        return None if self.gate_limit is None else Fraction(self.gate_limit)

    def factor(self, up: Any, quantity: str) -> Fraction:
        """Return the exact number that f or f′ is multiplied by.

        >>> Gating(up_limit=7, up_offset=1).factor(8.0, "value")
        Fraction(8, 1)
        """
        if isinstance(up, Irrational):
            raise UsageError(f"the up {float(up)!r}… is no fraction; write its digits")
        if quantity == UP_GRADIENT:
            return Fraction(int(self.up_limit is None or abs(up) <= self.up_limit))
        most = up if self.up_limit is None else min(max(up, -self.up_limit), self.up_limit)
        return Fraction(most) + Fraction(self.up_offset)

    def factors(self, up: Array, quantity: str) -> Pair:
        """Return what `factor` does as the exact sums of two float64s."""
        limit = inf if self.up_limit is None else self.up_limit
        if quantity == UP_GRADIENT:
            return np.where(np.abs(up) <= limit, 1.0, 0.0), np.zeros_like(up)
        return two_sum(np.clip(up, -limit, limit), np.full_like(up, self.up_offset or -0.0))

    def check(self, number_format: Format) -> None:
        """Raise `UsageError` for a negative limit, and an intermediate format without infinity."""
        if self.up_limit is not None and self.up_limit < 0:
            raise UsageError("--up-limit must be 0 or a positive number")
        inner = self.intermediate
        if inner and not inner.infinite and inner.largest < number_format.largest:
            raise UsageError(
                f"--intermediate {inner.name} has no infinity for large {number_format.name}s; "
                "take another format"
            )


def seconds_of(
    number_format: Format, asked: Sequence[Fraction] | str | None, name: str = "up"
) -> tuple[tuple[float, ...], bool]:
    """Return second inputs in the order of their bits, and whether they are all of the format.

    Those that are asked for are rounded to the format; a text stands for all of them, and so does
    None of an 8-bit format. Raises `UsageError` for numbers beyond the largest.
    """
    if isinstance(asked, str) or (asked is None and number_format.width == 8):
        return every_second(number_format, name), True
    if asked is None:
        return tuple(usual_seconds(number_format)), False
    ups = {number_format.exactly(each) for each in asked}
    if not ups or not all(abs(each) <= number_format.largest for each in ups):
        raise UsageError(f"--{name}: name numbers up to the largest {number_format.name}")
    return tuple(sorted(ups, key=lambda up: (up < 0, abs(up)))), False


def rounded_seconds(number_format: Format, asked: Sequence[Fraction], name: str) -> list[str]:
    """Return a sentence where second inputs are rounded to the format.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> rounded_seconds(FORMATS["bfloat16"], [Fraction(1, 3), Fraction(2)], "up")
    ['ups are rounded to bfloat16: 0.333984375']
    """
    numbers = [(number_format.exactly(each), each) for each in asked]
    found = [repr(number) for number, each in numbers if number != each]
    return [f"{name}s are rounded to {number_format.name}: {', '.join(found)}"] if found else []


def every_second(number_format: Format, name: str = "up") -> tuple[float, ...]:
    """Return all second inputs of a format; raises `UsageError` where they are too many."""
    if number_format.width > 16:
        raise UsageError(f"--{name} all is for 16- and 8-bit formats, not {number_format.name}")
    return tuple(every_number(number_format).tolist())


INFINITE = 2.0**1000
"""What stands for an infinity that an intermediate format rounds to: no result is as large."""

EXPONENTS = (-1, 0, 1, 3)
"""Of powers of 2 that are taken with their neighbours."""

SECONDS = 64
"""As many second inputs are taken if nobody says which."""

GOLDEN = Fraction(618033988749894848, 10**18)
"""Multiples of it, less their whole part, are spread evenly over 0 … 1."""


def usual_seconds(number_format: Format) -> list[float]:
    """Return second inputs with which products do all that they can do, in the order of their bits.

    They are, of both signs, 0, the least and the largest subnormal number, the least normal one
    and the next, ½, 1, 2 and 8 with their neighbours, the largest number; and numbers of sizes from
    2⁻⁸ to 2⁷ whose significands are spread evenly.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> ups = usual_seconds(FORMATS["bfloat16"])
    >>> len(ups), ups[:3], ups[-1]
    (64, [0.0, 9.183549615799121e-41, 1.1663108012064884e-38], -3.3895313892515355e+38)
    """
    bits = number_format.bits
    normal, top = bits(2.0**number_format.emin), number_format.top
    powers = [bits(2.0**exponent) for exponent in EXPONENTS]
    sizes = {0, 1, normal - 1, normal, normal + 1, top - 1}
    sizes |= {power + step for power in powers for step in (-1, 0, 1)}
    for i in range(1, SECONDS):
        if len(sizes) == SECONDS // 2:
            break
        significand = 1 + i * GOLDEN % 1
        sizes.add(bits(number_format.exactly(significand * Fraction(2) ** (i % 16 - 8))))
    found = [number_format.number(size) for size in sorted(sizes)]
    return [*found, *(-each for each in found)]
