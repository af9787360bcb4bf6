"""How a gated form is computed in float32: exp2 by a polynomial, a rational, one division.

With t = min(|x|, T) and E = e^(−q(t)) = 2^(−C·q(t)):

- value: f(x) = max(x, 0) − t·E·M(t), with q = t²/2 and M(t) = erfcx(t/√2)/2 for `exact`, and
  q = at + bt³ and M = 1/(1 + E) for the logistic forms x·σ(ax + bx³);
- gradient: f′(−t) = w, f′(t) = 1 − w, with w = E·(t − t₀)·R(t) for `exact`, where R has no zero,
  and w = E·(1 + E − t·q′(t))/(1 + E)² for the logistic forms.

No branch, no table, no library function. k = round(−C·q) comes of an addition of 1.5·2²³; the rest
r of −C·q is exact but for the last rounding: C is split so that its high part times t or t² has at
most 24 bits. Beyond T the results are those of T. E carries a factor 2^S, for bfloat16 2⁶⁴, so that
no result before the last is subnormal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.making.minimax import Floats, rational
from gelu_cli.making.programs import Program, parse
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import evaluate_array

LOG2_E = math.log2(math.e)
MAGIC = 1.5 * 2.0**23
SIGNIFICAND = 24
SCALES = {"bfloat16": 64, "float16": 0}
"""S: with E·2^S the tail of bfloat16, down to 2⁻¹³³, stays normal; that of float16 is."""


class Rung(NamedTuple):
    """Degrees: of exp2, and of the rational of `exact`."""

    exponential: int
    numerator: int = 0
    denominator: int = 0

    def __str__(self) -> str:
        words = [self.exponential, self.numerator, self.denominator]
        return "/".join(str(each) for each in words if each).replace("/", " ", 1)


LADDERS = {
    ("exact", "value"): [Rung(4, 2, 3), Rung(4, 3, 4), Rung(5, 3, 4), Rung(6, 4, 4)],
    ("exact", "gradient"): [Rung(4, 2, 3), Rung(4, 3, 3), Rung(5, 4, 4), Rung(6, 5, 5)],
    "logistic": [Rung(3), Rung(4), Rung(5), Rung(6)],
}
"""Degrees to try, the cheapest first."""


def logistic_argument(form: Form) -> tuple[float, float] | None:
    """Return a and b of x·σ(ax + bx³); None for `exact`.

    >>> from gelu_cli.formulas import find_form
    >>> logistic_argument(find_form("silu"))
    (1.0, 0.0)

    Raises
    ------
    UsageError
        If the scheme does not fit the form.
    """
    settings = {name: float(value) for name, value in form.settings.items()}
    if form.name == "exact":
        return None
    if form.name == "silu":
        return 1.0, 0.0
    if form.name.startswith("sigmoid"):
        return settings["beta"], 0.0
    if form.name.startswith("tanh") and not settings.get("d"):
        return 2 * settings["a"], 2 * settings["a"] * settings["c"]
    raise UsageError(
        f"'{form.label}' cannot be made; choose from exact, tanh, sigmoid, silu, "
        "with parameters as in sigmoid:beta=1.6"
    )


def ladder(form: Form, quantity: str) -> Sequence[Rung]:
    """List the degrees to try."""
    return LADDERS["logistic" if logistic_argument(form) else ("exact", quantity)]


def program(form: Form, quantity: str, to: Format, reach: float, rung: Rung) -> Program:
    """Write a kernel of a 16-bit format with minimax coefficients; `reach` is T."""
    argument = logistic_argument(form)
    constants = {"T": reach, "MAGIC": MAGIC} | exp2_coefficients(rung, SCALES[to.name])
    if argument is None:
        power = _square(to, constants)
        rest = _exact(quantity, rung, reach, SCALES[to.name], constants)
    else:
        power = (
            _line(to, *argument, constants) if not argument[1] else _cubic(to, *argument, constants)
        )
        rest = _logistic(quantity, *argument, SCALES[to.name], constants)
    text = f"a abs x\nt clamp a T\n{power}\nX poly r e\nE scale X kf\n{rest}\ny nan y0 a"
    used = {operand for each in parse(text, constants).operations for operand in each.operands}
    rounded = {name: float(np.float32(value)) for name, value in constants.items() if name in used}
    return parse(text, rounded)


def exp2_coefficients(rung: Rung, scale: int) -> dict[str, float]:
    """Fit 2^(r + S) for |r| ≤ ½."""
    found, _, _ = rational(np.exp2, -0.5, 0.5, rung.exponential, 0)
    return {f"e{n}": float(each) * 2.0**scale for n, each in enumerate(found)}


def _head(y: float, bits: int) -> float:
    """Round to some significant bits."""
    mantissa, exponent = math.frexp(y)
    return math.ldexp(round(mantissa * 2**bits), exponent - bits)


def split(name: str, y: float, bits: int, constants: dict[str, float]) -> None:
    """Add −y as a head of some bits and what it lacks."""
    high = _head(y, bits)
    constants.update({name: -y, f"{name}h": -high, f"{name}l": high - y})


def _line(to: Format, a: float, b: float, constants: dict[str, float]) -> str:
    """Write r and k of −C·a·t."""
    split("C", a * LOG2_E, SIGNIFICAND - to.precision, constants)
    return power("t")


def _square(to: Format, constants: dict[str, float]) -> str:
    """Write r and k of −C·t²/2; t² is exact."""
    split("C", LOG2_E / 2, SIGNIFICAND - 2 * to.precision, constants)
    return f"z mul t t\n{power('z')}"


def power(argument: str) -> str:
    """Write k = round(−C·q), and r = −C·q − k with C in two parts."""
    return f"""
kf ma {argument} C MAGIC
k sub kf MAGIC
nk neg k
r0 ma {argument} Ch nk
r ma {argument} Cl r0"""


def _cubic(to: Format, a: float, b: float, constants: dict[str, float]) -> str:
    """Write r and k of −C·(at + bt³): the heads of a and b times t and t³ are exact.

    The 33 bits of t³ of float16 are t times a head of t² and a rest.
    """
    short = to.precision == 8
    split("A", a * LOG2_E, SIGNIFICAND - to.precision, constants)
    split("B", b * LOG2_E, 1 if short else 2, constants)
    cube = "u mul t z" if short else "h cut z\nl sub z h\nu mul t h"
    rest = "v ma z Bl Al" if short else "v0 ma h Bl Al\nv ma l B v0"
    return f"""
z mul t t
{cube}
s ma z B A
kf ma t s MAGIC
k sub kf MAGIC
nk neg k
d0 ma t Ah nk
d1 ma u Bh d0
{rest}
r ma t v d1"""


def gate_ratio(t: Floats) -> Floats:
    """Return M(t) = Φ(−t)/E = erfcx(t/√2)/2 of `exact`."""
    from scipy.special import erfcx

    found: Floats = 0.5 * erfcx(t / math.sqrt(2))
    return found


def slope_ratio(t: Floats) -> Floats:
    """Return R(t) = (Φ(−t) − tφ(t))/(E·(t − t₀)) of `exact`."""
    zero, _ = gradient_zero()
    t = np.where(np.abs(t - zero) < 1e-3, zero + 1e-3, t)  # 0/0 at t₀
    found: Floats = (gate_ratio(t) - t / math.sqrt(2 * math.pi)) / (t - zero)
    return found


@cache
def gradient_zero() -> tuple[float, float]:
    """Find t₀, where GELU is least at −t₀: a float64, and what it lacks."""
    import mpmath

    with mpmath.workdps(40):
        zero = mpmath.findroot(lambda t: mpmath.ncdf(-t) - t * mpmath.npdf(t), 0.75)
        return float(zero), float(zero - float(zero))


def _exact(quantity: str, rung: Rung, reach: float, scale: int, constants: dict[str, float]) -> str:
    """Write the value or the gradient of `exact` from E, and fit its rational."""
    fitted = gate_ratio if quantity == "value" else slope_ratio
    p, q, _ = rational(fitted, 0.0, reach, rung.numerator, rung.denominator)
    constants.update({f"p{n}": float(each) * 2.0**-scale for n, each in enumerate(p)})
    constants.update({f"q{n}": float(each) for n, each in enumerate(q)})
    fraction = "P poly t p\nQ poly t q\ng div P Q"
    if quantity == "value":
        return f"w mul t E\n{fraction}\nn neg w\nR positive x\ny0 ma n g R"
    zero = gradient_zero()[0]
    high = float(np.float32(zero))
    constants.update(nt0=-high, nt1=high - zero)
    return f"""
d0 add t nt0
d add d0 nt1
w mul E d
{fraction}
s1 flip w x
R step x
y0 ma s1 g R"""


def _logistic(quantity: str, a: float, b: float, scale: int, constants: dict[str, float]) -> str:
    """Write the value or the gradient of a logistic form from E."""
    if quantity == "value":
        constants["one"] = 2.0**scale
        return "w mul t E\nQ add E one\ng div w Q\nR positive x\ny0 sub R g"
    high = _head(a, SIGNIFICAND - 11)
    constants.update({"one": 1.0, "down": 2.0**-scale, "na": -high, "nal": high - a, "nb": -3 * b})
    if b:  # 1 + E − at − 3bt³
        slope = "c0 ma t na D\nt3 mul t z\nc1 ma t3 nb c0\nc ma t nal c1"
    else:
        slope = "c0 ma t na D\nc ma t nal c0" if high != a else "c sub D t"
    return f"""
D ma E down one
{slope}
w mul E c
DD mul D D
g div w DD
s1 flip g x
R step x
y0 ma s1 down R"""


def saturation(form: Form, quantity: str, to: Format) -> float:
    """Find the T from which on f(−t) rounds to −0, and f(t) to t or f′(t) to 1.

    >>> from gelu_cli.formulas import find_form
    >>> from gelu_cli.numbers import find_format
    >>> saturation(find_form("silu"), "value", find_format("bfloat16"))
    97.5
    """

    def saturated(t: Floats) -> Floats:
        limit = t if quantity == "value" else 1.0
        left, right = (evaluate_array(form, quantity, each, to) for each in (-t, t))
        found: Floats = (left == 0) & (right == limit)
        return found

    powers = 2.0 ** np.arange(to.emin, math.frexp(to.largest)[1])
    low = to.bits(float(powers[~saturated(powers)][-1]))
    high = low + (1 << (to.precision - 1))
    if high >= to.top:
        raise UsageError(f"'{form.label}' does not saturate in {to.name}; choose larger parameters")
    while high - low > 1:
        middle = (low + high) // 2
        if saturated(np.array([to.number(middle)]))[0]:
            high = middle
        else:
            low = middle
    return to.number(high)
