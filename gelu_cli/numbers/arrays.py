"""Arrays of numbers, correctly rounded.

Sums of Taylor polynomials, and Ziv's test on the sums.

A number that the test does not certify is evaluated at its point, by `points`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from flint import fmpq

from gelu_cli.formulas import Form
from gelu_cli.numbers.cells import PAIRED, QUICK, Floats, Mask, U, head, rest_of, two_sum
from gelu_cli.numbers.formats import FLOAT64, Format
from gelu_cli.numbers.points import evaluate
from gelu_cli.numbers.rounding import Decimals
from gelu_cli.numbers.series import Smooth

BLOCK = 1 << 13
"""Points at a time: thirty arrays of 64 KiB stay in the cache."""

FEW = 8
"""Fewer points are quicker by Ziv's loop, 25 µs each, than by 150 numpy calls, 1 µs each."""

DIGITS_BY_FLOAT64 = 14
"""Decimals of so many digits are nearly always decided by a float64."""

NORMAL = 2.0**-1022

TOP_BITS = 0x7FF0_0000_0000_0000


def line_of(k0: fmpq, k1: fmpq, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return k₀ + k₁x as the sum of two float64s, and a bound of its error."""
    (a, a_low), (b, b_low) = two_floats(k0), two_floats(k1)
    if math.frexp(abs(b))[0] in (0, 0.5) and not (a_low or b_low):  # b·x is exact, or subnormal
        s, e = two_sum(a, b * x)
        return s, e, np.full_like(x, 0.0 if abs(b) in (0, 1) else 2.0**-1070)
    b1, x1 = head(np.array([b]))[0], head(x)
    exact = b1 * x1
    lacking = b1 * (x - x1) + (b - b1) * x + b_low * x
    s, e = two_sum(a, exact)
    return s, e + (lacking + a_low), 2.0**-74 * (np.abs(exact) + abs(a)) + 2.0**-1070


def two_floats(y: fmpq) -> tuple[float, float]:
    """Return a fraction as a float64 and a remainder."""
    high = int(y.p) / int(y.q)
    lacks = y - fmpq(*high.as_integer_ratio())
    return high, int(lacks.p) / int(lacks.q)


def binade(y: Floats) -> Floats:
    """Return 2^⌊log₂|y|⌋ of normal float64s, else 0."""
    return (y.view(np.int64) & TOP_BITS).view(np.float64)


def nearest(to: Format, y: Floats, scale: Any = 1.0) -> tuple[Floats, Mask]:
    """Round float64s, divided by their scale, to a format; mark the ties."""
    unit = np.maximum(binade(y), 2.0**to.emin * scale) * 2.0 ** (1 - to.precision)
    units = y / unit
    n = np.rint(units)
    found = n * (unit / scale)
    beyond = np.abs(found) > to.largest
    if beyond.any():
        found[beyond] = np.copysign(math.inf if to.infinite else math.nan, found[beyond])
    return found, np.abs(units - np.floor(units)) == 0.5


def round_array(x: Floats, to: Format) -> Floats:
    """Return float64s rounded to a format.

    >>> from gelu_cli.numbers.formats import FORMATS
    >>> round_array(np.array([1 / 3, -0.0, math.inf]), FORMATS["float16"])
    array([ 0.33325195, -0.        ,         inf])
    """
    if to.precision == FLOAT64.precision:
        return x
    found, finite = x.copy(), np.isfinite(x)
    with np.errstate(over="ignore"):
        found[finite] = nearest(to, x[finite])[0]
    if not to.infinite:
        found[~finite] = math.nan
    return found


def sum_of(curve: Smooth, x: Floats, pairs: int) -> tuple[Floats, Floats, Floats, Any]:
    """Return p + q, a curve times a scale on one side of 0, and error bounds."""
    k0, k1 = curve.line
    if curve.has_rest:
        p, q, error, scale = rest_of(curve, x, pairs)
    else:
        p, q, error, scale = np.repeat([[0.0], [0.0], [0.0], [1.0]], len(x), axis=1)
    if not (k0 or k1):
        return p, q, error, scale
    if curve.has_rest:
        p, q, error = p / scale, q / scale, error / scale + 2.0**-1070  # they may be subnormal
    line, line_low, line_error = line_of(k0, k1, x)
    p, e = two_sum(line, p)
    inner = line_low + q
    error = error + line_error + 2.0**-52 * (np.abs(e) + np.abs(inner))
    return p, e + inner, error, np.ones_like(x)


def attempt(curve: Smooth, x: Floats, to: Format, pairs: int) -> tuple[Floats, Mask]:
    """Evaluate inside one piece on one side of 0; mark certified results."""
    if not curve.has_rest and not any(curve.line):
        return np.zeros_like(x), np.ones(x.shape, bool)
    p, q, error, scale = sum_of(curve, x, pairs)
    low, high = p + (q - error), p + (q + error)
    if to.precision == 53 and not (scale > 1).any():
        return low, (low == high) & (np.abs(low) > 2.0**-1000)
    (a, a_tie), (b, b_tie) = nearest(to, low, scale), nearest(to, high, scale)
    same = (a == b) & (np.signbit(a) == np.signbit(b)) & ~a_tie & ~b_tie
    overflow = np.isnan(a) & np.isnan(b) & np.isfinite(low)  # of a format without infinities
    return a, same | overflow


def smooth_parts(forms: Sequence[Form], x: Floats) -> Iterator[tuple[tuple[int, ...], Mask]]:
    """Yield the pieces of forms, and the mask of the points inside them.

    Points within two ULP of a cut are in no mask; at the cut 0 that is 0 alone.
    """
    squares = sorted({cut.square for form in forms for cut in form.cuts})
    roots = [math.copysign(math.sqrt(abs(int(s.p) / int(s.q))), int(s.p)) for s in squares]
    below = [root - 4 * U * abs(root) for root in roots] + [math.inf]
    above = [-math.inf] + [root + 4 * U * abs(root) for root in roots]
    for n, (low, high) in enumerate(zip(above, below, strict=True)):
        inside = (x > low) & (x < high)
        if inside.any():
            pieces = (
                sum(cut.square < s for s in squares[n : n + 1] for cut in f.cuts)
                if n < len(squares)
                else len(f.cuts)
                for f in forms
            )
            yield tuple(pieces), inside


def evaluate_curves(
    forms: Sequence[Form],
    curve_of: Callable[..., Any],
    x: Floats,
    to: Format,
    at_point: Callable[[float], Any],
    few: int = FEW,
) -> Floats:
    """Return curves at float64s, each correctly rounded.

    By pieces, else by `at_point`.
    """
    result, left = np.empty_like(x), np.ones(x.shape, bool)
    if len(x) > few:
        with np.errstate(all="ignore"):
            for pieces, inside in smooth_parts(forms, x):
                z, curve = x[inside], curve_of(*pieces)
                y, certified = attempt(curve, z, to, QUICK)
                again = np.flatnonzero(~certified)
                if len(again):
                    y[again], certified[again] = attempt(curve, z[again], to, PAIRED)
                result[inside], left[inside] = y, ~certified
    if left.any():
        patterns, inverse = np.unique(x[left].view(np.uint64), return_inverse=True)
        points = patterns.view(np.float64).tolist()
        result[left] = np.array([at_point(each) for each in points], float)[inverse]
    return result


def evaluate_array(form: Form, quantity: str, x: Floats, to: Format = FLOAT64) -> Floats:
    """Evaluate a quantity at float64s, correctly rounded to a format.

    Parameters
    ----------
    form
        From `formulas.find_form`.
    quantity
        Of `formulas.QUANTITIES`.
    x
        One-dimensional and contiguous.
    to
        The format of the results.

    Returns
    -------
    ndarray of float64
        Numbers of the format.

    Examples
    --------
    >>> from gelu_cli.formulas import find_form
    >>> evaluate_array(find_form("exact"), "gradient", np.array([-1.0, 0.0, 1.0]))
    array([-0.08331547,  0.5       ,  1.08331547])
    """
    if len(x) > BLOCK:
        blocks = np.array_split(x, -(-len(x) // BLOCK))
        return np.concatenate([evaluate_array(form, quantity, each, to) for each in blocks])
    return evaluate_curves(
        [form],
        lambda i: Smooth(form, i, quantity),
        x,
        to,
        lambda each: evaluate(form, [quantity], each, to)[0],
    )


def decimals_of_array(form: Form, quantity: str, x: Floats, digits: int) -> list[Any]:
    """Evaluate a quantity at float64s as correctly rounded decimals.

    A float64 decides where both its neighbours round alike.

    >>> from gelu_cli.formulas import find_form
    >>> decimals_of_array(find_form("exact"), "value", np.array([1.0]), 6)
    [Decimal('0.841345')]
    """
    to = Decimals(digits)
    if digits > DIGITS_BY_FLOAT64:
        return [evaluate(form, [quantity], each, to)[0] for each in x.tolist()]
    values = evaluate_array(form, quantity, x).tolist()
    return [
        decimal_by_float64(y, digits) or evaluate(form, [quantity], each, to)[0]
        for each, y in zip(x.tolist(), values, strict=True)
    ]


def decimal_by_float64(y: float, digits: int) -> Decimal | None:
    """Round all numbers near a float64 to one decimal; None if they differ."""
    below, above = (f"{math.nextafter(y, end):.{digits - 1}e}" for end in (-math.inf, math.inf))
    return Decimal(below) if below == above and NORMAL < abs(y) < math.inf else None
