"""Forms far out: limits, signs of rests, and how far these matter."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb, fmpq

from gelu_cli.formulas import ORDERS, Form
from gelu_cli.formulas.form import derivatives
from gelu_cli.numbers.ray_series import RaySeries
from gelu_cli.numbers.rays import FARTHEST, PRECISION, Ray, Undecided, on_first_ray
from gelu_cli.numbers.rounding import working


def nearest_ray(form: Form, right: bool) -> int:
    """Return the least k with 2ᵏ beyond all cuts on a side."""
    return max(ray_beyond(form.cuts[-1 if right else 0].square), 3)


def ray_beyond(square: fmpq) -> int:
    """Return a k with 2ᵏ beyond |x|, x·|x| = square."""
    return int(abs(square).ceil()).bit_length() // 2 + 1


def ray_variable(start: int, right: bool, length: int = 2) -> RaySeries:
    """Return x for |x| ≥ 2ᵏ on a side, as a series of `length` terms."""
    x, one = (
        Ray.polynomial(start, fmpq(0), fmpq(1 if right else -1)),
        Ray.polynomial(start, fmpq(1)),
    )
    return RaySeries([x, one, *[Ray(start, ())] * (length - 2)])


@lru_cache(4096)
def tail_on_ray(form: Form, right: bool, start: int, order: int) -> list[Any]:
    """Return the tail of a form and its derivatives for |x| ≥ 2ᵏ on a side."""
    i = form.outer(right)
    if not form.has_tail(i):
        return [Ray(start, ())] * (order + 1)
    piece, image = form.pieces[i], form.pieces[form.outer(not right)]
    if piece.reflected and not image.reflected and piece.tail is image.tail:
        same = tail_on_ray(form, not right, start, order)
        return [y * (piece.sign * image.sign * (-1) ** k) for k, y in enumerate(same)]
    return derivatives(form.tail(i, ray_variable(start, right, order + 1)), order)


@lru_cache(4096)
def rest_on_ray(form: Form, quantity: str, right: bool, start: int) -> RaySeries:
    """Return the rest of a quantity, and its slope, for |x| ≥ 2ᵏ on a side."""
    i, order = form.outer(right), ORDERS[quantity]
    with working(PRECISION):
        x = ray_variable(start, right)
        jet = pairwise(tail_on_ray(form, right, start, order + 1))
        return x.of(form.split(i, quantity, x, [*map(RaySeries, jet)])[2])


class Far(NamedTuple):
    """A quantity far out is k₀ + k₁x + rest; the rest has one sign from 2ᵏ on."""

    k0: fmpq
    k1: fmpq
    sign: int
    start: int


@lru_cache(4096)
def far_out(form: Form, quantity: str, right: bool) -> Far:
    """Return the behaviour of a quantity far out on a side.

    Raises
    ------
    ComputationError
        If its sign cannot be told.
    """
    start, way = on_first_ray(
        nearest_ray(form, right), lambda k: (k, rest_on_ray(form, quantity, right, k)[0].sign())
    )
    return Far(*form.line(form.outer(right), quantity), way, start)


@lru_cache(4096)
def faint_from(form: Form, quantity: str, right: bool, exponent: int) -> int:
    """Return k with |rest| < 2^−exponent from 2ᵏ on, else FARTHEST."""
    far = far_out(form, quantity, right)
    rest = rest_on_ray(form, quantity, right, far.start)[0]
    low, high = far.start - 1, FARTHEST
    with working(PRECISION):
        while high - low > 1:
            middle = (low + high) // 2
            try:
                faint = rest.most(middle) < arb((1, -exponent))
            except Undecided:
                faint = False
            low, high = (low, middle) if faint else (middle, high)
    return high
