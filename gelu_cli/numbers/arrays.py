"""Quantities of forms at arrays of x, correctly rounded or in ULPs.

On one piece of a form a quantity (value, gradient, …) is a line k₀ + k₁·x plus a rest. Taylor
polynomials on cells (short intervals of x) give the rest with an error bound. Ziv's test certifies
a value if all numbers within the bound round to one number. `points` computes all other values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from gelu_cli.formulas import Form
from gelu_cli.numbers.cells import PAIRED, QUICK, Floats, Mask, U, binade, head, rest_of, two_sum
from gelu_cli.numbers.formats import FLOAT64, LITTLE, Format
from gelu_cli.numbers.points import LOW_BITS, evaluate, in_units
from gelu_cli.numbers.rounding import Decimals
from gelu_cli.numbers.series import NEAR, Smooth, asymptote, tangent

BLOCK = 1 << 13  # points evaluated together; the 30 arrays of 64 KiB fit in the cache
FEW = 32  # for at most FEW points, Ziv's loop (25 µs a point) is faster than making Taylor cells
NORMAL, LARGEST = 2.0**-1022, 1e308  # least normal float64; cells are not used beyond ±LARGEST
WORST = 2.0**-12  # largest error, in ULP, that `in_units_array` certifies


def ulps(of: Format, y: Floats) -> Floats:
    """Return ulp(y), in a format, for float64s y."""
    return np.maximum(binade(y), 2.0**of.emin) * 2.0 ** (1 - of.precision)


def numbers_of(of: Format, bits: NDArray[Any]) -> Floats:
    """Convert bit patterns to the numbers that they encode, as float64s."""
    with np.errstate(invalid="ignore"):  # numpy warns of signaling NaNs
        unsigned = np.asarray(bits).astype(f"u{of.width // 8}")
        return np.asarray(unsigned.view(of.dtype).astype(np.float64))


def bits_of(of: Format, values: Floats) -> NDArray[Any]:
    """Convert numbers of a format to their bit patterns."""
    return np.asarray(values.astype(of.dtype).view(f"u{of.width // 8}"))


def pattern_range(of: Format, sign: int, low: float, high: float) -> tuple[int, int]:
    """Return the range of bit patterns of the numbers in [low, high].

    `range(first, end)` has the pattern of |y| for each such number y of the given sign, 1 or −1.

    >>> pattern_range(FORMATS["float8_e5m2"], 1, 1.0, 1.5)
    (60, 63)
    """
    least, most = sorted((sign * low + 0.0, sign * high + 0.0))  # −0 + 0 = 0
    if most < 0:
        return 0, 0
    first, end = (pattern_from(of, size) for size in (max(least, 0.0), np.nextafter(most, np.inf)))
    return first, max(first, end)


def pattern_from(of: Format, size: float) -> int:
    """Return the bit pattern of the least number ≥ size, else `top`."""
    if size > of.largest:
        return of.top
    nearest = of.from_float(size)
    return of.bits(nearest) + int(nearest < size)


def ordinal_distances(of: Format, one: Floats, other: Floats) -> NDArray[np.uint64]:
    """Return the ordinal distances between two arrays, element by element."""
    a, b = (values.astype(of.dtype).view(f"i{of.width // 8}") for values in (one, other))
    if np.any(a ^ b < 0):  # if signs are equal, differences of patterns are enough
        least = -1 << (of.width - 1)
        a, b = (bits.astype(np.int64) for bits in (a, b))
        a, b = (np.where(bits < 0, least - bits, bits) for bits in (a, b))
    return np.asarray((np.maximum(a, b) - np.minimum(a, b)).astype(np.uint64))


def line_of(line: tuple[fmpq, fmpq], x: Floats) -> tuple[Floats, Floats, Any]:
    """Return k₀ + k₁·x as a sum of two float64s, and an error bound."""
    (a, a_low), (b, b_low) = map(two_floats, line)
    if math.frexp(abs(b))[0] in (0, 0.5) and not (a_low or b_low):  # b is 0 or ±2ᵏ
        product = b * x  # exact unless subnormal
        inexact = np.where(np.abs(product) > NORMAL, 0.0, 2.0**-1070)
        return *two_sum(a, product), 0.0 if abs(b) in (0, 1) else inexact
    b1, x1 = head(np.array([b]))[0], head(x)
    exact = b1 * x1
    lacking = b1 * (x - x1) + (b - b1) * x + b_low * x
    s, e = two_sum(a, exact)
    return s, e + (lacking + a_low), 2.0**-74 * (np.abs(exact) + abs(a)) + 2.0**-1070


def two_floats(y: fmpq) -> tuple[float, float]:
    """Return h, the float64 nearest to y, and the float64 nearest to y − h."""
    high = int(y.p) / int(y.q)
    lacks = y - fmpq(*high.as_integer_ratio())
    return high, int(lacks.p) / int(lacks.q)


def nearest(to: Format, y: Floats, scale: Any = 1.0) -> tuple[Floats, Mask]:
    """Round y/scale to a format; also return the mask of ties."""
    unit = np.maximum(binade(y), 2.0**to.emin * scale) * 2.0 ** (1 - to.precision)
    units = y / unit
    n = np.rint(units)
    found = n * (unit / scale)
    beyond = np.abs(found) > to.largest
    if beyond.any():
        found[beyond] = np.copysign(math.inf if to.infinite else math.nan, found[beyond])
    return found, np.abs(units - np.floor(units)) == 0.5


def round_array(x: Floats, to: Format) -> Floats:
    """Round float64s to a format.

    >>> round_array(np.array([1 / 3, -0.0, math.inf]), FORMATS["float16"])
    array([ 0.33325195, -0.        ,         inf])
    """
    with np.errstate(all="ignore"):
        return np.where(np.isfinite(x), nearest(to, x)[0], x if to.infinite else math.nan)


def attempt(curve: Smooth, x: Floats, to: Format, pairs: int) -> tuple[Floats, Mask]:
    """Evaluate a curve inside one piece; also return the certified mask."""
    p, q, error, scale = rest_of(curve, x, pairs)
    if any(curve.line):
        line, line_low, line_error = line_of(curve.line, x)
        p, e = two_sum(line, p / scale)
        inner = line_low + q / scale
        error = error / scale + line_error + 2.0**-52 * (np.abs(e) + np.abs(inner))
        if curve.has_rest:  # p/scale and q/scale may be subnormal
            error += 2.0**-1070
        q, scale = e + inner, np.ones_like(x)
    low, high = p + (q - error), p + (q + error)
    if to.precision == 53 and not (scale > 1).any():
        return low, (low == high) & ((np.abs(low) > 2.0**-1000) | (error == 0))
    (a, a_tie), (b, b_tie) = nearest(to, low, scale), nearest(to, high, scale)
    same = (a == b) & (np.signbit(a) == np.signbit(b)) & ~a_tie & ~b_tie
    overflow = np.isnan(a) & np.isnan(b) & np.isfinite(low)  # the format has no infinities
    return a, same | overflow


def smooth_parts(forms: Sequence[Form], x: Floats) -> Iterator[tuple[tuple[int, ...], Mask]]:
    """Yield piece indices, one per form, and the mask of x on these pieces.

    An x at 0, within 2 ULP of a nonzero end of a piece or beyond ±LARGEST is in no mask.
    """
    roots = [[root_of(cut.square) for cut in form.cuts] for form in forms]
    ends = sorted({root for each in roots for root in each})
    for low, high in pairwise([-LARGEST, *ends, LARGEST]):
        inside = (x > low + 4 * U * abs(low)) & (x < high - 4 * U * abs(high))
        if inside.any():
            yield tuple(sum(root <= low for root in each) for each in roots), inside


def root_of(square: fmpq) -> float:
    """Return the x with x·|x| = square as a float64."""
    return math.copysign(math.sqrt(abs(int(square.p) / int(square.q))), int(square.p))


def evaluate_curves(
    forms: Sequence[Form], curve_of: Any, x: Floats, to: Format, at_point: Any, few: int = FEW
) -> Floats:
    """Return a curve at float64s, correctly rounded.

    `curve_of` takes one piece index per form. Taylor cells compute values if x has more than
    `few`. `at_point` computes values at fewer points, and values that the cells do not certify.
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
        result[left] = by_points(x[left], at_point)
    return result


def by_points(x: Floats, at_point: Any) -> Floats:
    """Apply a function to float64s, once per distinct bit pattern."""
    patterns, inverse = np.unique(x.view(np.uint64), return_inverse=True)
    return np.array([at_point(each) for each in patterns.view(np.float64).tolist()], float)[inverse]


def evaluate_array(form: Form, quantity: str, x: Floats, to: Format = FLOAT64) -> Floats:
    """Evaluate a quantity at float64s, correctly rounded to a format.

    `x` is one-dimensional and contiguous; the results are numbers of the format, as float64s.

    >>> evaluate_array(find_form("exact"), "gradient", np.array([-1.0, 0.0, 1.0]))
    array([-0.08331547,  0.5       ,  1.08331547])
    """

    def at_point(each: float) -> Any:
        return evaluate(form, [quantity], each, to)[0]

    curve_of = partial(Smooth, form, quantity=quantity)
    blocks = np.array_split(x, len(x) // BLOCK + 1)
    return np.concatenate([evaluate_curves([form], curve_of, z, to, at_point) for z in blocks])


def decimals_of_array(form: Form, quantity: str, x: Floats, digits: int) -> list[Any]:
    """Evaluate a quantity at float64s as correctly rounded decimals.

    If both neighbours of the rounded value round to one decimal, so does the exact value.

    >>> decimals_of_array(find_form("exact"), "value", np.array([1.0]), 6)
    [Decimal('0.841345')]
    """
    values, to = evaluate_array(form, quantity, x), Decimals(digits)
    return [
        decimal_by_float64(y, digits) or evaluate(form, [quantity], each, to)[0]
        for each, y in zip(x.tolist(), values.tolist(), strict=True)
    ]


def decimal_by_float64(y: float, digits: int) -> Decimal | None:
    """Return the decimal to which both neighbours of a float64 round, or None."""
    below, above = (f"{math.nextafter(y, end):.{digits - 1}e}" for end in (-math.inf, math.inf))
    return Decimal(below) if below == above and NORMAL < abs(y) < math.inf else None


def in_units_array(form: Form, quantity: str, x: Floats, to: Format) -> Any:
    """Evaluate a quantity in ULPs: return m, low, exponents, largest error.

    A value is (m + low)·2^exponent; the module `points` has the rules for m and low. The error is
    in ULP. `x` is one-dimensional, contiguous and finite.
    """
    found = [_block_in_units(form, quantity, z, to) for z in np.array_split(x, len(x) // BLOCK + 1)]
    m, low, exponent = np.concatenate([rows for rows, _ in found], axis=1)
    return m, low, exponent.astype(np.int32), max(error for _, error in found)


def _block_in_units(form: Form, quantity: str, x: Floats, to: Format) -> tuple[Floats, float]:
    """Return an array with rows m, low and exponent, and the largest error."""
    rows, error, certain = np.zeros((3, len(x))), 0.0, np.zeros(len(x), bool)
    with np.errstate(all="ignore"):
        for here, line, *rest in _lines_and_rests(form, quantity, x):
            rows[:, here], errors, certain[here] = _sum_in_units(to, line_of(line, x[here]), *rest)
            error = max(error, float(np.max(errors, initial=0.0, where=certain[here])))
    if not certain.all():
        found = by_points(x[~certain], lambda each: in_units(form, quantity, each, to)).T
        rows[:, ~certain] = found
        error = max(error, float(np.max(np.abs(found[1]))) * 2.0**-LOW_BITS)
    return rows, error


def _lines_and_rests(form: Form, quantity: str, x: Floats) -> Iterator[Any]:
    """Yield indices of x, and there the line, the rest and the rest's sign.

    The line is k₀ and k₁. The rest is p, q, error and scale as in `Cells.evaluate`. The sign is 0
    if there is no rest, NaN if the sign is unknown.
    """
    left, size = np.ones(len(x), bool), np.abs(x)
    for right in (False, True):
        (far, beyond), near = asymptote(form, quantity, right), tangent(form, quantity, right)
        for line, zone in ((far, size >= beyond), (near, size < NEAR)):
            here = np.flatnonzero(zone & (x > 0 if right else x < 0))
            if line and len(here):
                left[here] = False
                term = line.term * x[here] ** line.power
                yield here, line[:2], (term, 0.0, 2.0**-50 * np.abs(term), 1.0), line.side
    left = np.flatnonzero(left)
    if len(left) > FEW:
        for (i,), inside in smooth_parts([form], x[left]):
            here, curve = left[inside], Smooth(form, i, quantity)
            p, q, error, _ = rest = rest_of(curve, x[here], PAIRED)
            way = np.where(np.abs(p) > np.abs(q) + error, np.sign(p), np.nan)
            yield here, curve.line, rest, way if curve.has_rest else 0


def _sum_in_units(to: Format, line: Any, rest: Any, way: Any) -> tuple[Any, Floats, Mask]:
    """Return line + rest in ULPs, error bounds, and the certified mask."""
    (a, a_low, a_error), (p, q, error, scale) = line, rest
    y = a + (p + q) / scale
    unit = ulps(to, y)
    p, q, error = (each / (scale * unit) for each in (p, q, error))
    faint = (np.abs(p) < LITTLE) & (way != 0)
    p, q, error = (np.where(faint, *pair) for pair in ((way * LITTLE, p), (0.0, q), (0.0, error)))
    m, e = two_sum(a / unit, p)
    inner = a_low / unit + q
    m, low = two_sum(m, e + inner)
    error = error + a_error / unit + 2.0**-52 * (np.abs(e) + np.abs(inner))
    # The exact value may be just below a power of 2, where the ULP is half as large.
    size, rest, power = np.abs(m), low * np.sign(m), 2.0 ** (to.precision - 1)
    below = (size < power) | ((size == power) & (rest < 0))
    double = np.where(below & (unit > 2.0**to.least_exponent), 2.0, 1.0)
    certain = (np.abs(y) < LARGEST) & (size < 2 * power)
    m, low, error = m * double, low * double, error * double
    beyond = (m - np.rint(2 * m) / 2) + low
    distance = np.minimum(np.abs(beyond), np.abs(0.5 - np.abs(beyond)))
    certain &= (distance > error + 2.0**-52 * np.abs(beyond)) | (error == 0)
    certain &= (error < WORST) & ((a == 0) | (np.abs(a / unit) > 2.0**-900))
    return (m, low, np.frexp(unit / double)[1] - 1), error, certain
