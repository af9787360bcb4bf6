"""A form at a point: its rounded value, its side of a number, its size.

Each comes from Ziv's loop (`refine_until`): enclose the quantity as an exact fraction plus the ball
of a rest, and double the bits until the ball decides. The loop does not end at a tie, so values
that are fractions are found exactly (`Form.fraction`); at ±∞ there are limits (`limit`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias, TypeVar

from flint import arb, fmpq

from gelu_cli.errors import ComputationError
from gelu_cli.formulas import ORDERS, Form
from gelu_cli.formulas.form import derivatives
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.far import far_out
from gelu_cli.numbers.formats import power_of_two
from gelu_cli.numbers.rounding import (
    HALF,
    Rounded,
    Target,
    exact_ball,
    round_fraction,
    round_sum,
    sign,
    working,
)

Point: TypeAlias = float | Fraction | fmpq
"""A float64, or the exact number that was typed; infinities, NaN and −0.0 are floats."""

Split: TypeAlias = "tuple[fmpq, arb | None]"
"""An exact part, and the ball of what is added to it; None if that is all."""

GUARD = 24
"""Bits beyond the target's in the first round: one point in 2²³ needs a second round."""

DOUBLINGS = 10
"""Rounds, up to 2⁹ times the bits: only a tie that is not known to be a fraction needs more."""

NEXT_TO_0 = -(2.0**-1000)
A = TypeVar("A")


def is_finite(x: Point) -> bool:
    """Return True for a number; exact ones may be beyond float64."""
    return not isinstance(x, float) or math.isfinite(x)


def binade_of(x: fmpq) -> int:
    """Return the least k ≥ 0 with |x| < 2ᵏ, or one more."""
    return max(int(x.p).bit_length() - int(x.q).bit_length() + 1, 0)


def enclose(form: Form, quantities: Sequence[str], x: fmpq) -> dict[str, Split]:
    """Enclose quantities at x, each as an exact part and a rest.

    The rest is None if the value is known to be the exact part. A fraction that is slow to find may
    have a rest: `refine_until` asks `Form.fraction` for it in the second round.
    """
    i, mean = form.piece_at(x)
    found: dict[str, Split] = {}
    if x == 0 or form.zeros or form.is_polynomial(i):
        for name in quantities:
            if mean and name in ("gate", "gradient"):  # g on the left and 1 − g on the right
                found[name] = HALF, None
            elif (known := form.fraction(i, name, x)) is not None:
                found[name] = known, None
    left = [name for name in quantities if name not in found] if found else quantities
    if not left:
        return found
    order, ball = max([ORDERS[name] for name in left]), arb(x)
    tail = derivatives(form.tail_series(i, ball, order + 1), order)
    for name in left:
        k0, k1, rest = form.split(i, name, ball, tail)
        exact = k0 + k1 * x if k1 else k0
        if rest.is_zero() or (x == 0 and rest.is_exact()):
            found[name] = exact + exact_ball(rest), None
        else:
            found[name] = exact, rest
    return found


def refine_until(
    form: Form,
    quantities: Sequence[str],
    x: fmpq,
    bits: int,
    decide: Callable[[fmpq, arb | None], A | None],
) -> list[A]:
    """Double the bits until `decide(exact, rest)` answers for each quantity.

    Raises
    ------
    ComputationError
        If a number is too near to a tie to be distinguished from it.
    """
    results: dict[str, A] = {}
    left: Sequence[str] = quantities
    bits += GUARD + 3 * binade_of(x)  # x² times the slope of the tail: both cancel far out
    for doubling in range(DOUBLINGS):
        with working(bits << doubling):
            for name, parts in enclose(form, left, x).items():
                answer = decide(*parts)
                if answer is None and doubling == 1:  # a tie that is a fraction?
                    exact = form.fraction(form.piece_at(x)[0], name, x)
                    answer = None if exact is None else decide(exact, None)
                if answer is not None:
                    results[name] = answer
        if len(results) == len(quantities):
            return [results[name] for name in quantities]
        left = [name for name in left if name not in results]
    raise ComputationError(
        f"{', '.join(left)} of '{form.label}' at x = {float(x.p) / float(x.q):g} is too near to "
        "the middle between two numbers to be rounded; take other --digits"
    )


def evaluate(
    form: Form,
    quantities: Sequence[str],
    x: Point,
    to: Target,
    times: Any = 1,
) -> list[Any]:
    """Return quantities at x, times an exact factor, correctly rounded.

    Parameters
    ----------
    form
        From `formulas.find_form`.
    quantities
        Of `formulas.QUANTITIES`.
    x
        At NaN all are NaN, at ±∞ they are limits, with the sign of a zero. At −0.0 a zero has the
        sign that the quantity has below 0.
    to
        A `Format`, `Decimals` or `Places`.
    times
        A finite number that is multiplied before the rounding.

    Raises
    ------
    ComputationError
        If a number is too near to a tie to be distinguished from it.

    Examples
    --------
    >>> from gelu_cli.formulas import find_form
    >>> from gelu_cli.numbers.formats import FLOAT64
    >>> evaluate(find_form("exact"), ["value", "gradient"], -37.0, FLOAT64)
    [-2.1184613523340935e-298, -7.838298669418516e-297]
    """
    factor = to_fraction(times)
    if isinstance(x, float) and not math.isfinite(x):
        return [x if math.isnan(x) else limit(form, name, x > 0, to, factor) for name in quantities]
    if not factor:
        return [to.zero(False) for _ in quantities]

    def decide(exact: fmpq, rest: arb | None) -> Rounded | None:
        return round_sum(to, exact * factor, None if rest is None else rest * factor)

    q, plain = to_fraction(x), partial(round_sum, to)
    found = refine_until(form, quantities, q, to.bits_needed, plain if factor == 1 else decide)
    if q == 0 and isinstance(x, float) and math.copysign(1, x) < 0:
        for i, name in enumerate(quantities):
            if found[i] == 0 and name in ("value", "complement"):
                (below,) = evaluate(form, [name], NEXT_TO_0, to, times)
                found[i] = to.zero(math.copysign(1, below) < 0)
    return found


def limit(form: Form, name: str, right: bool, to: Target, times: fmpq) -> Rounded:
    """Return the limit of a quantity at ±∞ times a number, rounded."""
    i, way = form.outer(right), sign(times)
    if not way:
        return to.zero(False)
    if form.has_rest(i, name) and not form.has_tail(i):
        c0 = form.asymptotes[i][0]
        return math.inf * way * sign(c0 * (1 - c0))  # x²G(1 − G) of a constant gate G
    far = far_out(form, name, right)
    if far.k1:
        return math.inf * way if (far.k1 > 0) == right else -math.inf * way
    return round_fraction(to, far.k0 * times) if far.k0 else to.zero(far.sign * way < 0)


def side(form: Form, quantity: str, x: Point, number: Any, times: Any = 1) -> int:
    """Return the sign of times·quantity − number at a finite x.

    >>> from gelu_cli.formulas import find_form
    >>> side(find_form("exact"), "value", 1e30, 1e30)
    -1
    """
    factor, bound = to_fraction(times), to_fraction(number)

    def decide(exact: fmpq, rest: arb | None) -> int | None:
        beyond = exact * factor - bound
        if rest is None or not factor:
            return sign(beyond)
        return sign(rest * factor + arb(beyond)) or None

    return refine_until(form, [quantity], to_fraction(x), 64, decide)[0]


def value(form: Form, quantity: str, x: Point, bits: int = 200, times: Any = 1) -> fmpq:
    """Return times·quantity at a finite x, exactly or to `bits` bits.

    A size below 2^−16600 becomes 2^−16600, with its sign.

    >>> from gelu_cli.formulas import find_form
    >>> float(value(find_form("relu"), "value", 0.1).p)
    3602879701896397.0
    """

    def decide(exact: fmpq, rest: arb | None) -> fmpq | None:
        if rest is None:
            return exact
        total = rest + arb(exact)
        if abs(total) < arb((1, -16600)):
            return power_of_two(-16600) * sign(total) if sign(total) else None
        return exact_ball(total) if total.rel_accuracy_bits() >= bits else None

    return refine_until(form, [quantity], to_fraction(x), bits, decide)[0] * to_fraction(times)
