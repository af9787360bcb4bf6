"""A form at a point: its rounded value, its side of a number, its size.

Each comes from Ziv's loop (`refine_until`): enclose the quantity as an exact fraction plus the ball
of a rest, and double the bits until the ball decides. The loop does not end at a tie, so values
that are fractions are found exactly (`Form.fraction`); at ±∞ there are limits (`limit`).

In units of a format's last place a value is (m + low)·unit, unit = ulp(value), continued beyond the
largest number and constant below emin. What holds of m and low, here and in `arrays`:

1. |m + low − value/unit| ≤ error ≤ 2⁻¹².
2. m + low is on the value's side of each multiple of ½ and each power of 2.
3. Beside such a number m *is* the number, and low has the sign of the difference; elsewhere m is
   the nearest float64, or one beside it.
4. NaN and the infinities never enter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from flint import arb, fmpq

from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import LITTLE, Format, power_of_two
from gelu_cli.numbers.rays import far_out
from gelu_cli.numbers.rounding import HALF, Target, exact_ball, leading_bit, refine, round_sum, sign

Point: TypeAlias = float | Fraction | fmpq  # the latter as typed; infinities and −0.0 are floats
Split: TypeAlias = "tuple[fmpq, arb | None]"  # an exact part, and what is added to it
Units: TypeAlias = tuple[float, float, int]  # m, low and e of (m + low)·2ᵉ
GUARD = 24  # bits beyond the target's in the first round: one point in 2²³ needs a second round
BITS, LOW_BITS = 106, 40  # in which values in units, and their low parts, are known


def is_finite(x: Point) -> bool:
    """Return True for a number; exact ones may be beyond float64."""
    return not isinstance(x, float) or math.isfinite(x)


def bits_at(x: fmpq, bits: int) -> int:
    """Return the bits in which a rest at x is good to `bits` bits.

    x² times the slope of the tail: both cancel far out.
    """
    binade = int(x.p).bit_length() - int(x.q).bit_length() + 1
    return bits + GUARD + 3 * max(binade, 0)


def enclose(form: Form, quantity: str, x: fmpq, thorough: bool = False) -> Split:
    """Enclose a quantity at x as an exact part and a rest.

    The rest is None if the value is known to be the exact part. A fraction that is slow to find is
    asked of `Form.fraction` if the search is thorough.
    """
    i, mean = form.piece_at(x)
    if mean and quantity in ("gate", "gradient"):  # g on the left and 1 − g on the right
        return HALF, None
    if thorough or x == 0 or form.zeros or form.is_polynomial(i):
        known = form.fraction(i, quantity, x)
        if known is not None:
            return known, None
    k0, k1, rest = form.evaluate(i, quantity, arb(x))
    exact = k0 + k1 * x
    if rest.is_zero() or (x == 0 and rest.is_exact()):
        return exact + exact_ball(rest), None
    return exact, rest


def refine_until(form: Form, quantity: str, x: fmpq, bits: int, decide: Any, times: Any = 1) -> Any:
    """Double the bits until `decide(exact, rest)` answers for times·quantity.

    Raises
    ------
    ComputationError
        If a number is too near to a tie to be distinguished from it.
    """
    first, factor = bits_at(x, bits), to_fraction(times)

    def attempt(bits: int) -> Any:
        exact, rest = enclose(form, quantity, x, thorough=bits > first)
        if factor != 1:
            exact, rest = exact * factor, rest * factor if rest is not None and factor else None
        return decide(exact, rest)

    return refine(first, attempt, f"{quantity} of '{form.label}'")


def evaluate(form: Form, quantities: Sequence[str], x: Point, to: Target, times: Any = 1) -> Any:
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
        A `Format` or `Decimals`.
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
    return [_rounded(form, quantity, x, to, times) for quantity in quantities]


def _rounded(form: Form, quantity: str, x: Point, to: Target, times: Any) -> Any:
    """Return a quantity at x, rounded."""
    if isinstance(x, float) and not math.isfinite(x):
        return x if math.isnan(x) else limit(form, quantity, x > 0, to, to_fraction(times))
    rounded = partial(round_sum, to)
    found = refine_until(form, quantity, to_fraction(x), to.bits_needed, rounded, times)
    if found == 0 and isinstance(x, float) and x == 0 and math.copysign(1, x) < 0:
        # f(−0) has the sign that f has just left of 0.
        return to.zero(math.copysign(1, _rounded(form, quantity, -(2.0**-1000), to, times)) < 0)
    return found


def limit(form: Form, name: str, right: bool, to: Target, times: fmpq) -> Any:
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
    return round_sum(to, far.k0 * times) if far.k0 else to.zero(far.sign * way < 0)


def side(form: Form, quantity: str, x: Point, number: Any, times: Any = 1) -> int:
    """Return the sign of times·quantity − number at a finite x.

    >>> from gelu_cli.formulas import find_form
    >>> side(find_form("exact"), "value", 1e30, 1e30)
    -1
    """
    bound = to_fraction(number)

    def decide(exact: fmpq, rest: arb | None) -> int | None:
        return sign(exact - bound) if rest is None else sign(rest + arb(exact - bound)) or None

    found: int = refine_until(form, quantity, to_fraction(x), 64, decide, times)
    return found


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

    found: fmpq = refine_until(form, quantity, to_fraction(x), bits, decide, times)
    return found


def in_units(form: Form, quantity: str, x: Point, to: Format, times: Any = 1) -> Units:
    """Return times·quantity at a finite x as (m + low)·2ᵉ: m, low, e.

    >>> from gelu_cli.formulas import find_form
    >>> from gelu_cli.numbers.formats import FORMATS
    >>> in_units(find_form("relu"), "value", 3.0, FORMATS["bfloat16"])
    (192.0, 0.0, -6)
    """
    found: Units = refine_until(form, quantity, to_fraction(x), BITS, partial(to_units, to), times)
    return found


def to_units(to: Format, exact: fmpq, rest: arb | None = None) -> Units | None:
    """Return exact + rest in units; None if the ball does not decide."""
    ball = arb(0) if rest is None else rest
    total = ball + arb(exact)
    way = sign(total)
    if not way:
        return (0.0, 0.0, to.least_exponent) if rest is None else None
    place = max(leading_bit(abs(total).upper()), to.emin)
    if place > to.emin:  # which side of 2^place?
        beside = sign(ball * way + arb(exact * way - power_of_two(place)))
        if not beside and rest is not None:
            return None
        place -= beside < 0
    exponent = place - to.precision + 1
    scale = arb((1, -exponent))
    m = float(total.mid() * scale)
    if abs(2 * m - round(2 * m)) < 2.0**-40 * max(abs(m), 1.0):
        m = round(2 * m) / 2  # what is beside it is in `low`
    beyond = exact * power_of_two(-exponent) - to_fraction(m)
    low = ball * scale + arb(beyond)
    its_sign, small = sign(low), float(low.mid())
    # A float64 has units of its own, so |low| may be ½: on which side of it is low?
    beside_half = sign(ball * scale * its_sign + arb(beyond * its_sign - HALF))
    if rest is not None and not (its_sign and beside_half and low.rel_accuracy_bits() >= LOW_BITS):
        return None
    if sign(abs(small) - 0.5) != beside_half:
        small = its_sign * (0.5 + beside_half * 2.0**-53)
    return m, small if abs(small) > LITTLE else its_sign * LITTLE, exponent
