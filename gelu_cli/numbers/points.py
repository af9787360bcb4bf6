"""Quantities of a form at a point: rounded, compared, or in ULPs.

At a finite x, Ziv's loop (`refine_until`) encloses a quantity by a fraction plus a ball (a midpoint
and a radius; the ball contains the rest), and doubles the precision until the ball decides. At a
tie the loop would not end; so rational values are computed exactly (`Form.fraction`).

In ULPs a value is (m + low)·unit: m and low are float64s, and unit is ulp(value), by the formula in
`formats` even if the value is beyond the largest number. Let v = value/unit. Here and in `arrays`:

1. |m + low − v| ≤ error ≤ 2⁻¹².
2. m + low and v are on the same side of each multiple of ½ and of each power of 2.
3. If v is near such a number n, m is n, and low has the sign of v − n. If not, m is the float64
   nearest to v, or a neighbour of that float64.
4. x and the value are finite.
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

Point: TypeAlias = float | Fraction | fmpq  # exact numbers are fractions; ±∞ and −0.0 are floats
Split: TypeAlias = "tuple[fmpq, arb | None]"  # exact part and rest of a sum; None: no rest
Units: TypeAlias = tuple[float, float, int]  # m, low and e of (m + low)·2ᵉ
GUARD = 24  # extra bits in the first round: one point in 2²³ needs a second round
BITS, LOW_BITS = 106, 40  # bits in the first round for values in ULPs; accurate bits of `low`


def is_finite(x: Point) -> bool:
    """Return True if x is finite; a fraction may exceed all float64s."""
    return not isinstance(x, float) or math.isfinite(x)


def bits_at(x: fmpq, bits: int) -> int:
    """Return the working precision that gives a rest at x to `bits` bits.

    Far out a rest loses up to 3·log₂|x| bits, most of them in e^(−x²/2).
    """
    binade = int(x.p).bit_length() - int(x.q).bit_length() + 1
    return bits + GUARD + 3 * max(binade, 0)


def enclose(form: Form, quantity: str, x: fmpq, thorough: bool = False) -> Split:
    """Enclose a quantity at x as an exact part and a rest.

    The rest is None if the value is the exact part. The slow `Form.fraction` is called only if the
    value is likely to be rational, or if `thorough` is set.
    """
    i, mean = form.piece_at(x)
    if mean and quantity in ("gate", "gradient"):  # (g + (1 − g))/2
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
    """Call `decide` on times·quantity with doubled bits until it answers.

    Raises ComputationError if `decide(exact, rest)` returns None, undecided, at every precision.
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

    At x = NaN results are NaN; at ±∞ they are limits, and a limit 0 has the sign of the values far
    out. At −0.0 a result 0 has the sign of the values just left of 0. The factor `times` is finite;
    the product is rounded once. Raises ComputationError if a number is too near to a tie.

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
        return to.zero(math.copysign(1, _rounded(form, quantity, -(2.0**-1000), to, times)) < 0)
    return found


def limit(form: Form, name: str, right: bool, to: Target, times: fmpq) -> Any:
    """Return the limit of times·quantity at ±∞, rounded."""
    i, times_sign = form.outer(right), sign(times)
    if not times_sign:
        return to.zero(False)
    if form.has_rest(i, name) and not form.has_tail(i):
        c0 = form.asymptotes[i][0]
        return math.inf * times_sign * sign(c0 * (1 - c0))  # x²G(1 − G) with a constant gate G
    far = far_out(form, name, right)
    if far.k1:
        return math.inf * times_sign if (far.k1 > 0) == right else -math.inf * times_sign
    return round_sum(to, far.k0 * times) if far.k0 else to.zero(far.sign * times_sign < 0)


def side(form: Form, quantity: str, x: Point, number: Any, times: Any = 1) -> int:
    """Return the sign of times·quantity − number at a finite x."""
    bound = to_fraction(number)

    def decide(exact: fmpq, rest: arb | None) -> int | None:
        return sign(exact - bound) if rest is None else sign(rest + arb(exact - bound)) or None

    found: int = refine_until(form, quantity, to_fraction(x), 64, decide, times)
    return found


def value(form: Form, quantity: str, x: Point, bits: int = 200, times: Any = 1) -> fmpq:
    """Return times·quantity at a finite x, exactly or to `bits` bits.

    An irrational value below 2^−16600 in size becomes ±2^−16600.

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
    """Return times·quantity at a finite x as (m + low)·2ᵉ: m, low, e."""
    found: Units = refine_until(form, quantity, to_fraction(x), BITS, partial(to_units, to), times)
    return found


def to_units(to: Format, exact: fmpq, rest: arb | None = None) -> Units | None:
    """Return exact + rest in ULPs; None if the ball does not decide."""
    ball = arb(0) if rest is None else rest
    total = ball + arb(exact)
    value_sign = sign(total)
    if not value_sign:
        return (0.0, 0.0, to.least_exponent) if rest is None else None
    leading = max(leading_bit(abs(total).upper()), to.emin)
    if leading > to.emin:  # is |value| below 2^leading?
        beyond = sign(ball * value_sign + arb(exact * value_sign - power_of_two(leading)))
        if not beyond and rest is not None:
            return None
        leading -= beyond < 0
    exponent = leading - to.precision + 1
    scale = arb((1, -exponent))
    m = float(total.mid() * scale)
    if abs(2 * m - round(2 * m)) < 2.0**-40 * max(abs(m), 1.0):
        m = round(2 * m) / 2  # the difference goes into `low`
    exact_low = exact * power_of_two(-exponent) - to_fraction(m)
    low = ball * scale + arb(exact_low)
    its_sign, small = sign(low), float(low.mid())
    # For |m| ≥ 2⁵², m is an integer, and |low| may be near ½: is |low| below or above ½?
    beyond_half = sign(ball * scale * its_sign + arb(exact_low * its_sign - HALF))
    if rest is not None and not (its_sign and beyond_half and low.rel_accuracy_bits() >= LOW_BITS):
        return None
    if sign(abs(small) - 0.5) != beyond_half:
        small = its_sign * (0.5 + beyond_half * 2.0**-53)
    return m, small if abs(small) > LITTLE else its_sign * LITTLE, exponent
