"""Rounding whole arrays into a floating-point format, and telling where that is not settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.extended.double_double import two_sum
from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.ulp import least_exponent

if TYPE_CHECKING:
    from gelu_cli.arithmetic.anchored import Anchored
    from gelu_cli.arithmetic.extended.number import Extended

Array: TypeAlias = NDArray[np.float64]
Floats: TypeAlias = NDArray[np.floating]
Mask: TypeAlias = NDArray[np.bool_]

SLACK = 1 + 2.0**-20
"""Error bounds are themselves computed in float64, with some hundred roundings at most."""

LITTLE = 2.0**-1000
"""Of a unit: as good as anything smaller."""

BEYOND = 5000
"""Scaled by more than 2**±this, a number of size 1 is an infinity or a zero in every format."""


def nearest(number_format: Format, values: Array) -> tuple[Array, Mask]:
    """Return float64s rounded to nearest, ties to even, and which of them were such ties.

    Infinities and NaN stay where the format has them, as in `Format.from_float`.

    >>> from gelu_cli.arithmetic.formats import FORMATS
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


def settle(number_format: Format, y: Extended) -> tuple[Array, Mask]:
    """Return what the numbers of `y` round to, and where their error bounds leave no doubt of it.

    Ziv's test: a rounding is settled where all numbers within the bound of `y` round alike.
    """
    near_one = y.scale is None and np.min(np.abs(y.high), initial=1) > TINY
    if number_format.precision == 53 and near_one:
        high, low, error = np.broadcast_arrays(y.high, y.low, _generous(y))
        return high, (high + (low - error) == high) & (high + (low + error) == high)
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


TINY = 2.0**-900
"""Down to here the low part of a float64 pair and its error bound are no subnormals."""


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
