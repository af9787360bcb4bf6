"""A form at many points, rounded correctly: Ziv's strategy on whole arrays.

The form is evaluated on extended numbers, which carry bounds on their errors. What these do not
settle, some points in 10¹² and exact ties, goes to `evaluate`, one point at a time; so do NaN, the
infinities and zeros. The digits are those of `evaluate` whoever computes them: there is one
correctly rounded result.

Values at tiny inputs lie beside a line through 0, closer than any precision shows: at x = 2⁻¹⁰⁷⁴
GELU is x/2 + x²/√(2π) + …, half way between two float64s but for a part in 2¹⁰⁷⁴. Which side of the
tie it is on is the sign of f″(0); no more digits are needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from gelu_cli.old.arithmetic import Result
from gelu_cli.old.arithmetic.anchored import ANCHORED, LEAST, Anchored, anchored, pick
from gelu_cli.old.arithmetic.exact import RATIONAL
from gelu_cli.old.arithmetic.extended.functions import EXTENDED
from gelu_cli.old.arithmetic.extended.number import Extended, choose, extended
from gelu_cli.old.arithmetic.format_arrays import Array, Mask, settle
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.formulas import CANCELLING, ORDERS
from gelu_cli.old.formulas.form import Form, Kink, Values, signed_square
from gelu_cli.old.parallel import in_order
from gelu_cli.old.values.evaluate import evaluate
from gelu_cli.old.values.points import BULK

TINY = 2.0**-120
"""Below it |f(x) − f′(0)·x| < 2⁻¹⁰⁰·|x| for f″ up to 2²⁰: less than a unit of any format."""

STEEP = 2.0**20
"""A curvature, or a parameter in higher derivatives, that may bend a form below `TINY` too."""


def evaluate_array(
    form: Form, quantities: Sequence[str], x: Array, rounding: Format
) -> list[Array]:
    """Return the quantities of a form at each x, float64s, correctly rounded to a format.

    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.arithmetic.formats import FLOAT64
    >>> evaluate_array(find_form("exact"), ["value", "gate"], np.array([-37.0, 1.0]), FLOAT64)
    [array([-2.11846135e-298,  8.41344746e-001]), array([5.72557122e-300, 8.41344746e-001])]
    """
    results, settled = attempt(form, quantities, x, rounding)
    if not settled.all():
        one_by_one(x, ~settled, results, partial(evaluate, form, quantities, rounding=rounding))
    return results


def evaluate_many(
    form: Form, quantities: Sequence[str], x: Array, rounding: Format, jobs: int
) -> list[Array]:
    """Return what `evaluate_array` does, by several threads in blocks that stay in the cache."""
    blocks = (x[start : start + BULK] for start in range(0, len(x), BULK))
    done = in_order(
        lambda block: evaluate_array(form, quantities, block, rounding),
        blocks,
        jobs if len(x) > BULK else 1,
        is_large=lambda block: True,
    )
    columns = list(zip(*done, strict=True))
    return [np.concatenate(column) for column in columns] or [x.copy() for _ in quantities]


def attempt(
    form: Form, quantities: Sequence[str], x: Array, rounding: Format
) -> tuple[list[Array], Mask]:
    """Return the quantities by extended numbers, and the points where all of them are settled."""
    order = max(ORDERS[quantity] for quantity in quantities)
    cancelling = not CANCELLING.isdisjoint(quantities)
    on_part = beside_anchors if cancelling else on_smooth_part
    results = [np.empty_like(x) for _ in quantities]
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            values = on_part(form, piece, x[where], order)
            settled[where] = True
            for result, quantity in zip(results, quantities, strict=True):
                y = getattr(values, quantity)
                result[where], sure = settle(rounding, y.folded if cancelling else y)
                settled[where] &= sure
    return results, settled


def approximately(form: Form, quantity: str, x: Array) -> Array:
    """Return approximate values of a form, NaN where x is 0, a kink, infinite or NaN.

    >>> from gelu_cli.old.formulas import find_form
    >>> approximately(find_form("relu"), "value", np.array([0.0, 0.5, 2.0]))
    array([nan, 0.5, 2. ])
    """
    from gelu_cli.old.arithmetic.arrays import ARRAYS

    found = np.full(x.shape, np.nan)
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            values = form.on_piece(piece, ARRAYS, x[where], ORDERS[quantity])
            found[where] = getattr(values, quantity)
    return found


def quick_values(form: Form, x: Array) -> Values:
    """Return f and f′ at each finite x by numpy and scipy, within some units of the last place.

    At a kink they are those of the side that the form takes there.

    >>> from gelu_cli.old.formulas import find_form
    >>> found = quick_values(find_form("relu"), np.array([0.0, 3.0]))
    >>> found.value, found.gradient
    (array([0., 3.]), array([0., 1.]))
    """
    from gelu_cli.old.arithmetic.arrays import ARRAYS  # which loads scipy

    kinks = list(map(float, form.kinks))
    value, gradient = np.empty_like(x), np.empty_like(x)
    part = np.searchsorted(kinks, x)
    # Far out a product of 0 and ∞, or a ratio to 0, may appear on the way to a gradient of 0 or 1.
    with np.errstate(all="ignore"):
        for i in range(len(form.pieces)):
            chosen = part == i
            values = form.on_piece(i, ARRAYS, x[chosen], 1)
            value[chosen], gradient[chosen] = values.value, values.gradient
        for kink in kinks:
            values = form.evaluate(ARRAYS, np.float64(kink), Fraction(kink), 1)
            at = x == kink
            value[at], gradient[at] = values.value, values.gradient
    return Values(value, gradient)


def on_smooth_part(form: Form, piece: int, x: Array, order: int) -> Values:
    """Return extended values of a form at points inside one of its pieces, none of them 0."""
    values = form.on_piece(piece, EXTENDED, extended(x), order)
    return values._replace(value=beside_the_line(form, x, values.value))


def beside_anchors(form: Form, piece: int, x: Array, order: int) -> Values:
    """Return anchored values of a form at points inside one of its pieces, none of them 0."""
    values = form.on_piece(piece, ANCHORED, anchored(x), order)
    value = pick(
        np.abs(x) < 2 * LEAST,  # half of such a float64 may be none
        lambda: Anchored(0.0, beside_the_line(form, x, values.value.folded)),
        lambda: values.value,
    )
    return values._replace(value=value)


def beside_the_line(form: Form, x: Array, y: Extended) -> Extended:
    """Return the values y of a form, those at tiny x as f′(0)·x and a little to the right side.

    How little does not matter: nothing between there and the true value rounds differently.
    """
    tiny = np.abs(x) < TINY
    if not np.any(tiny):
        return y
    line = line_through_zero(form)
    if line is None:
        return y
    slope, side = line
    on_line = extended(x)
    high = on_line.high * slope
    low = side * 2.0**-101 * np.abs(high)
    return choose(tiny, Extended(high, low, np.abs(low) / 2, on_line.scale), y)


def line_through_zero(form: Form) -> tuple[float, float] | None:
    """Return f′(0) and the sign of f″(0), where f(0) = 0, f′(0) = 1/2 and f is smooth.

    None stands for other forms, and for steep ones.
    """
    if any(abs(kink.square) < TINY**2 for kink in form.kinks):
        return None
    zero = Fraction(0)
    value, slope, *_ = form.evaluate(RATIONAL, zero, zero, 1)
    if value != 0 or slope != Fraction(1, 2):
        return None
    (curvature,) = evaluate(form, ["curvature"], 0.0, FLOAT64)
    sizes = map(abs, form.settings.values())
    if not 0 < abs(float(curvature)) < STEEP or any(size > STEEP for size in sizes):
        return None
    return float(slope), math.copysign(1.0, curvature)


def one_by_one(
    x: Array, where: Mask, results: Sequence[Array], at: Callable[[float], Sequence[Result]]
) -> None:
    """Fill in what is left, each bit pattern once: unlike ==, patterns tell −0 from 0."""
    patterns, inverse = np.unique(x[where].view(np.uint64), return_inverse=True)
    rows = [at(point) for point in patterns.view(float).tolist()]
    for result, column in zip(results, np.array(rows, dtype=np.float64).T, strict=True):
        result[where] = column[inverse]


def smooth_parts(form: Form, x: Array) -> Iterator[tuple[int, Mask]]:
    """Yield which points lie inside which piece; those on a kink, 0, ±∞ and NaN in none."""
    ordinary = np.isfinite(x) & (x != 0)
    ends = [_neighbours(kink) for kink in form.kinks]
    lows = [-math.inf, *(above for _, above in ends)]
    highs = [*(below for below, _ in ends), math.inf]
    for piece, (low, high) in enumerate(zip(lows, highs, strict=True)):
        where = ordinary & (low <= x) & (x <= high)
        if where.any():
            yield piece, where


def _neighbours(kink: Kink) -> tuple[float, float]:
    """Return the last float64 before a kink and the first after it."""
    low = high = float(kink)  # within an ulp or two
    while signed_square(Fraction(low)) >= kink.square:
        low = math.nextafter(low, -math.inf)
    while signed_square(Fraction(high)) <= kink.square:
        high = math.nextafter(high, math.inf)
    while signed_square(Fraction(above := math.nextafter(low, math.inf))) < kink.square:
        low = above
    while signed_square(Fraction(below := math.nextafter(high, -math.inf))) > kink.square:
        high = below
    return low, high
