"""Forms far out: limits, signs of rests, and how far these matter."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from flint import arb, fmpq

from gelu_cli.formulas import ORDERS, Form
from gelu_cli.numbers.rays import (
    FARTHEST,
    PRECISION,
    Ray,
    Term,
    Undecided,
    on_first_ray,
)
from gelu_cli.numbers.rounding import working


def first_ray(*forms: Form) -> int:
    """Return the least k ≥ 3 with 2ᵏ beyond all cuts."""
    squares = (abs(cut.square) for form in forms for cut in form.cuts)
    return max(3, *(int(square.ceil()).bit_length() // 2 + 1 for square in squares))


def ray_variable(start: int, right: bool) -> Ray:
    """Return x for |x| ≥ 2ᵏ on a side."""
    return Ray(start, [Term(arb(1 if right else -1), 1)])


@lru_cache(4096)
def rest_on_ray(form: Form, quantity: str, right: bool, start: int) -> Ray:
    """Return the rest of a quantity for |x| ≥ 2ᵏ on a side."""
    i = form.outer(right)
    with working(PRECISION):
        x = ray_variable(start, right)
        tails = [form.tail(i, x) if form.has_tail(i) else x.of(0)]
        for _ in range(ORDERS[quantity]):
            tails.append(tails[-1].derivative() * (1 if right else -1))
        return x.of(form.split(i, quantity, x, tails)[2])


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
        first_ray(form), lambda k: (k, rest_on_ray(form, quantity, right, k).sign())
    )
    return Far(*form.line(form.outer(right), quantity), way, start)


@lru_cache(4096)
def faint_from(form: Form, quantity: str, right: bool, exponent: int) -> int:
    """Return k with |rest| < 2^−exponent from 2ᵏ on, else FARTHEST."""
    start = far_out(form, quantity, right).start
    rest = rest_on_ray(form, quantity, right, start)

    def faint(k: int) -> bool:
        try:
            return bool(rest.most(True, k) < arb((1, -exponent)))
        except Undecided:
            return False

    with working(PRECISION):
        return start + bisect_left(range(start, FARTHEST), True, key=faint)
