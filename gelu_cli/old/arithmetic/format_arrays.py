"""Arrays of a format's numbers: their bits, their places, units in the last place, rounding.

With y the true value and ŷ the result, the error in ULP is |ŷ − y|/ulp(y), where ulp(y) =
2^(max(⌊log₂|y|⌋, emin) − p + 1); a correctly rounded result has at most ½. The ordinal distance is
how many steps along the numbers of the format lead from ŷ to the correctly rounded y; −0 and +0 are
one place.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.extended.double_double import two_sum
from gelu_cli.old.arithmetic.formats import FORMATS, Format

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.anchored import Anchored
    from gelu_cli.old.arithmetic.extended.number import Extended

Array: TypeAlias = NDArray[np.float64]
Floats: TypeAlias = NDArray[np.floating]
Mask: TypeAlias = NDArray[np.bool_]
Bits: TypeAlias = NDArray[np.unsignedinteger[Any]]

BFLOAT16 = FORMATS["bfloat16"]

NATIVE = {"float64": "d", "float32": "f", "float16": "e"}
"""The characters of numpy's types for formats; names of types are made anew each time."""


def ulps(number_format: Format, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the units in the last place at float64s, from the bits of their exponents.

    >>> ulps(FORMATS["bfloat16"], np.array([1.0, -1.75, 0.25])).tolist()
    [0.0078125, 0.0078125, 0.001953125]
    """
    power = (y.view(np.int64) & 0x7FF0_0000_0000_0000).view(np.float64)
    return np.maximum(power, 2.0**number_format.emin) * 2.0 ** (1 - number_format.precision)


def least_exponent(number_format: Format) -> int:
    """Return the n such that the least unit in the last place, that at 0, is 2ⁿ."""
    return number_format.emin - number_format.precision + 1


def ulp_error(number_format: Format, got: float, y: Fraction) -> Fraction:
    """Return |got − y|/ulp(y) for a finite result.

    >>> ulp_error(FORMATS["bfloat16"], 1.0, Fraction(257, 256))
    Fraction(1, 2)
    """
    return abs(Fraction(got) - y) / number_format.ulp(y)


def ordinal(number_format: Format, value: float) -> int:
    """Return the place of a number of the format, counted from 0: the next one is 1 further.

    >>> [ordinal(FORMATS["float16"], x) for x in (-0.0, 2.0**-24, -(2.0**-24))]
    [0, 1, -1]
    """
    place = number_format.bits(abs(value))
    return -place if value < 0 else place


def is_native(number_format: Format, values: NDArray[np.floating]) -> bool:
    """Return whether an array holds numbers of the format in a type of numpy's for that format.

    >>> is_native(FORMATS["float16"], np.zeros(1, np.float16))
    True
    """
    return values.dtype.char == NATIVE.get(number_format.name)


def ordinals(number_format: Format, values: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the places of numbers of the format; infinity is the place after the largest.

    The numbers are held as float64s, or natively where numpy has the format.

    >>> ordinals(FORMATS["bfloat16"], np.array([1.0, -1.0, -0.0]))
    array([ 16256, -16256,      0])
    """
    if number_format.width == 8:
        places = np.searchsorted(_table(number_format)[: number_format.top], np.abs(values))
        found: NDArray[np.int64] = np.where(values < 0, -places, places)
        return found
    carried = values.astype(NATIVE.get(number_format.name, "f"), copy=False)
    bits = carried.view(f"i{carried.itemsize}").astype(np.int64)
    signed = np.where(bits < 0, (-1 << (8 * carried.itemsize - 1)) - bits, bits)
    return signed >> 16 if number_format is BFLOAT16 else signed


def ordinal_distances(
    number_format: Format, one: NDArray[np.floating], other: NDArray[np.floating]
) -> NDArray[np.unsignedinteger]:
    """Return how many steps along the numbers of the format lead from one to the other.

    >>> ordinal_distances(FORMATS["bfloat16"], np.array([1.0, 0.0]), np.array([-1.0, 1.0]))
    array([32512, 16256], dtype=uint64)
    """
    if is_native(number_format, one) and is_native(number_format, other):
        kind = f"i{one.dtype.itemsize}"
        ones, others = one.view(kind), other.view(kind)
        if not len(ones) or np.min(ones ^ others) >= 0:  # pairs of one sign
            steps: NDArray[np.signedinteger] = np.abs(ones - others)
            return steps.view(f"u{one.dtype.itemsize}")
    first, second = ordinals(number_format, one), ordinals(number_format, other)
    # Of float64s it may be more than an int64 holds.
    return np.where(first > second, first - second, second - first).view(np.uint64)


@lru_cache
def _table(number_format: Format) -> Array:
    """Return what the bit patterns of an 8-bit format stand for."""
    return np.array([number_format.number(bits) for bits in range(1 << number_format.width)])


def numbers(number_format: Format, bits: NDArray[np.int64]) -> Array:
    """Return what bit patterns of a format stand for, as float64s.

    >>> numbers(FORMATS["bfloat16"], np.array([0x3F80, 0x8000, 0xC000]))
    array([ 1., -0., -2.])
    """
    unsigned = bits.astype(f"u{number_format.width // 8}")
    with np.errstate(invalid="ignore"):  # of NaNs that signal
        return to_floats(number_format, unsigned).astype(np.float64, copy=False)


def every_number(number_format: Format, low: float = -inf, high: float = inf) -> Array:
    """Return every finite number of a range in the order of its bits: from 0 up, then from −0 down.

    >>> every_number(FORMATS["bfloat16"], -1e-40, 1e-40)
    array([ 0.00000000e+00,  9.18354962e-41, -0.00000000e+00, -9.18354962e-41])
    """
    sign_bits = {1: 0, -1: 1 << (number_format.width - 1)}
    halves = [
        np.arange(*pattern_range(number_format, sign, low, high), dtype=np.uint64) + sign_bit
        for sign, sign_bit in sign_bits.items()
    ]
    return numbers(number_format, np.concatenate(halves).view(np.int64))


def pattern_range(number_format: Format, sign: int, low: float, high: float) -> tuple[int, int]:
    """Return the first pattern, its sign bit left out, of the numbers in [low, high], and its end.

    The numbers are those of one sign, 1 or −1; where there are none, the two are the same.

    >>> [hex(bits) for bits in pattern_range(FORMATS["bfloat16"], -1, -1.0, 5.0)]
    ['0x0', '0x3f81']
    """
    least, most = sorted((sign * low, sign * high))
    if most < 0:
        return 0, 0
    first = _pattern_from(number_format, max(least, 0.0))
    end = _pattern_from(number_format, most)
    largest = number_format.bits(number_format.largest)
    end += end <= largest and number_format.number(end) == most
    return first, max(first, end)


def _pattern_from(number_format: Format, size: float) -> int:
    """Return the pattern of the least number from a size ≥ 0 on, or the one after the largest."""
    largest = number_format.bits(number_format.largest)
    if size > number_format.largest:
        return largest + 1
    pattern = number_format.bits(abs(number_format.from_float(size)))
    return pattern + (number_format.number(pattern) < size)


def held(number_format: Format, x: Floats) -> Floats:
    """Return numbers of a format as they are held: float64s of float64, else float32s.

    >>> held(FORMATS["bfloat16"], np.array([1.0, -2.0]))
    array([ 1., -2.], dtype=float32)
    """
    return x.astype(np.float64 if number_format.width == 64 else np.float32)


def to_bits(number_format: Format, x: Floats) -> Bits:
    """Return the bits of numbers of a format, held as float64s or float32s.

    >>> to_bits(FORMATS["bfloat16"], np.array([1.0, -2.0], np.float32))
    array([16256, 49152], dtype=uint16)
    """
    unsigned = f"u{number_format.width // 8}"
    if number_format.name in NATIVE:
        return np.ascontiguousarray(x, number_format.name).view(unsigned)
    if number_format is BFLOAT16:  # the upper half of a float32
        return (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    places = np.abs(ordinals(number_format, x)) | (np.signbit(x) * (1 << (number_format.width - 1)))
    return np.where(np.isnan(x), number_format.bits(np.nan), places).astype(unsigned)


def to_floats(number_format: Format, bits: Bits) -> Floats:
    """Return a copy of the numbers that bits stand for: float64s of float64, else float32s.

    >>> to_floats(FORMATS["bfloat16"], np.array([0x3F80, 0xC000], np.uint16))
    array([ 1., -2.], dtype=float32)
    """
    if number_format.name in NATIVE:
        return held(number_format, bits.view(number_format.name))
    if number_format is BFLOAT16:
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return held(number_format, _table(number_format)[bits])


SLACK = 1 + 2.0**-20
"""Factor on error bounds, which are computed in float64 with some hundred roundings at most."""

LITTLE = 2.0**-1000
"""Least size of what is not 0, in units: what is smaller is replaced by it, with its sign."""

BEYOND = 5000
"""Scaled by more than 2**±this, a number of size 1 is an infinity or a zero in every format."""


def nearest(number_format: Format, values: Array) -> tuple[Array, Mask]:
    """Return float64s rounded to nearest, ties to even, and which of them were such ties.

    Infinities and NaN stay where the format has them, as in `Format.from_float`.

    >>> nearest(FORMATS["bfloat16"], np.array([1 / 3, 1.00390625]))
    (array([0.33398438, 1.        ]), array([False,  True]))
    """
    with np.errstate(invalid="ignore"):
        multiple, exponent = _in_units(number_format, values, None)
        rounded = _number(number_format, np.rint(multiple), exponent)
        tie = np.abs(multiple - np.rint(multiple)) == 0.5
    special = ~np.isfinite(values)
    rounded[special] = [number_format.from_float(x) for x in values[special].tolist()]
    return rounded, tie & ~special


def cut(number_format: Format, values: Array) -> Array:
    """Return float64s rounded toward zero: what is finite stays that.

    >>> cut(FORMATS["bfloat16"], np.array([1.999, -1e39, np.inf])).tolist()
    [1.9921875, -3.3895313892515355e+38, inf]
    """
    largest = number_format.largest
    multiple, exponent = _in_units(number_format, values, None)
    finite = np.clip(np.ldexp(np.trunc(multiple), exponent), -largest, largest)
    return np.where(np.isinf(values), values if number_format.infinite else np.nan, finite)


def settle(number_format: Format, y: Extended) -> tuple[Array, Mask]:
    """Return what the numbers of `y` round to, and where their error bounds leave no doubt of it.

    Ziv's test: a rounding is settled where all numbers within the bound of `y` round alike.
    """
    return settle_units(number_format, in_units(number_format, y))


def _generous(y: Extended) -> Floats:
    """Return the error bounds with what their own computation, and low ± error, rounds off."""
    generous: Floats = y.error * SLACK + np.abs(y.low) * 2.0**-51
    return generous


class Units(NamedTuple):
    """Numbers in units of their last place in a format, `multiple` + `low` ± `error` of them."""

    multiple: Array
    low: Array
    error: Array
    exponent: NDArray[np.int32]
    """A unit is 2**exponent."""

    exact: Mask
    """Where there is no error at all."""

    known: Mask
    """Where the sign is known, or the number is 0 exactly; units may be too large to tell."""


def in_units(number_format: Format, y: Extended) -> Units:
    """Return extended numbers in units of their last place in a format."""
    high, low, error, exact = np.broadcast_arrays(
        y.high, y.low, _generous(y), np.asarray(y.error) == 0
    )
    known = (np.abs(high) > error) | (exact & (high == 0))
    multiple, exponent = _in_units(number_format, high, y.scale)
    shift = _clipped(y.scale) - exponent
    low, error = np.ldexp(low, shift), np.ldexp(error, shift)
    return Units(multiple, low, error, exponent, exact, known)


def anchored_in_units(number_format: Format, y: Anchored) -> Units:
    """Return anchored numbers in units of their last place, `low` to full relative precision."""
    units = in_units(number_format, y.rest)
    # What is too small keeps its sign.
    little = LITTLE * np.sign(y.rest.high)
    small = np.abs(units.multiple) < LITTLE
    multiple, low = np.where(small, little, units.multiple), np.where(small, 0.0, units.low)
    units = units._replace(multiple=multiple, low=low)
    beside = np.asarray(y.anchor != 0)
    if not np.any(beside):
        return units
    anchor, high, low, error = np.broadcast_arrays(
        y.anchor, y.rest.high, y.rest.low, _generous(y.rest)
    )
    scale = _clipped(y.rest.scale)
    nearly = np.where(beside, anchor + np.ldexp(high, scale), 1.0)
    exponent = np.where(beside, _in_units(number_format, nearly, None)[1], units.exponent)
    unknown = ~(np.abs(high) > error) & (error > 0)
    high, low, error = (np.ldexp(part, scale - exponent) for part in (high, low, error))
    high = np.where(np.abs(high) < LITTLE, little, high)
    error = np.where(unknown & (error == 0), 2 * LITTLE, error)
    multiple, lost = two_sum(np.ldexp(anchor, -exponent), np.where(beside, high, units.multiple))
    multiple, low = two_sum(multiple, lost + low)  # what is lost and low may be a unit together
    known = np.where(beside, np.abs(multiple) > error, units.known)
    exact = units.exact | (np.asarray(y.rest.error) == 0)
    return Units(multiple, low, error, exponent, exact, known)


def settle_units(number_format: Format, y: Units) -> tuple[Array, Mask]:
    """Return what `settle` does, of numbers in units of their last place."""
    outward = np.copysign(1.0, y.multiple)
    multiple, low, error = y.multiple * outward, y.low * outward, y.error
    nearest_even = np.rint(multiple)
    halfway = np.abs(multiple - nearest_even) == 0.5
    decided = halfway & (low != 0)
    whole = np.where(decided, multiple + np.copysign(0.5, low), nearest_even)
    # From a power of two towards 0 the numbers of the format lie twice as close.
    at_power = whole == 2.0 ** (number_format.precision - 1)
    at_power &= y.exponent > least_exponent(number_format)
    offset = multiple - whole + low
    settled = (offset + error < 0.5) & (error - offset < np.where(at_power, 0.25, 0.5))
    beside_tie = (np.abs(low) > error) & (np.abs(low) < 0.25)
    settled = np.where(halfway, np.where(decided, beside_tie, y.exact), settled) & y.known
    return _number(number_format, whole * outward, y.exponent), settled


def _in_units(
    number_format: Format, values: Array, scale: NDArray[np.int64] | None
) -> tuple[Array, NDArray[np.int32]]:
    """Return values·2**scale in units of their last place in the format, and its exponent."""
    mantissa, exponent = np.frexp(values)
    exponent = exponent + _clipped(scale)
    unit = np.maximum(exponent - number_format.precision, least_exponent(number_format))
    return np.ldexp(mantissa, exponent - unit), unit


def _clipped(scale: NDArray[np.int64] | None) -> NDArray[np.int32] | int:
    return 0 if scale is None else np.clip(scale, -BEYOND, BEYOND).astype(np.int32)


def _number(number_format: Format, whole: Array, exponent: NDArray[np.int32]) -> Array:
    with np.errstate(over="ignore"):
        rounded = np.ldexp(whole, exponent)
    beyond = np.abs(rounded) > number_format.largest
    overflow = np.inf if number_format.infinite else np.nan
    return np.where(beyond, np.copysign(overflow, rounded), rounded)
