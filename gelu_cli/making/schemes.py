"""Schemes of kernels of gated forms: a polynomial for exp2, one division.

With t = min(|x|, T) and E = e^(−q(t)) = 2^(−C·q(t)):

- value: f(x) = max(x, 0) − t·E·M(t), with q = t²/2 and M(t) = erfcx(t/√2)/2 for `exact`, and
  q = at + bt³ and M = 1/(1 + E) for the logistic forms x·σ(ax + bx³);
- gradient: f′(−t) = w, f′(t) = 1 − w, with w = E·(t − t₀)·R(t) for `exact`, which has its minimum
  at −t₀, so that R has no zero, and w = E·(1 + E − t·q′(t))/(1 + E)² for the logistic forms.

For `exact` −M(t)·(t + c) and R(t) are polynomials in v = (t − c)/(t + c), c = `Rung.middle`, with
−1 ≤ v < 1. k = round(−C·q) results from adding 1.5·2^(p − 1), p the precision of the operations.
r = −C·q − k is exact except for its last rounding: C is split so that the high part of C, times t
or t², has at most p bits. For |x| > T values round to x or 0, gradients to 1 or 0 (`saturation`).
Kernels of 16-bit formats compute in float32, kernels of float32 in float64. For bfloat16 E carries
a factor 2^S, so that no result before the last is subnormal.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import mpmath
import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.making.writers import Program, parse
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import evaluate_array

Real: TypeAlias = Callable[[Any], Any]
Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"

LOG2_E = math.log2(math.e)
DIGITS = 40  # decimal digits of coefficients before they are rounded
# S by format: for bfloat16, whose least number is 2⁻¹³³, E·2^S is not subnormal.
SCALES = {"bfloat16": 64, "float16": 0, "float32": 0}


class Rung(NamedTuple):
    """Degrees of the polynomials for exp2 and, for `exact`, in v; also c."""

    exponential: int
    polynomial: int = 0
    middle: float = 4.0

    def __str__(self) -> str:
        return f"{self.exponential} {self.polynomial or ''}".rstrip()


# Degrees to try, by scheme and bits of the format; the last for float32 aims at correct rounding.
LADDERS = {
    ("exact", 16): [Rung(4, 4, 2.5), Rung(4, 6), Rung(5, 6), Rung(6, 8)],
    ("exact", 32): [Rung(7, 12), Rung(8, 12), Rung(8, 14), Rung(10, 17, 6.0)],
    ("logistic", 16): [Rung(3), Rung(4), Rung(5), Rung(6)],
    ("logistic", 32): [Rung(7), Rung(8), Rung(9), Rung(10)],
}


def logistic_argument(form: Form) -> tuple[float, float] | None:
    """Return a and b of x·σ(ax + bx³); None for `exact`.

    Raises UsageError for other forms, and for tanh if c < 0 or d ≠ 0.

    >>> logistic_argument(find_form("silu"))
    (1.0, 0.0)
    """
    settings = {name: float(value) for name, value in form.settings.items()}
    if form.name == "exact":
        return None
    if form.name == "silu":
        return 1.0, 0.0
    if form.name == "sigmoid":
        return settings["beta"], 0.0
    if form.name == "tanh" and settings["c"] >= 0 and not settings["d"]:
        return 2 * settings["a"], 2 * settings["a"] * settings["c"]
    raise UsageError(
        f"'{form.label}' cannot be made; choose from exact, tanh, sigmoid, silu, "
        "with parameters as in sigmoid:beta=1.6"
    )


def ladder(form: Form, to: Format) -> Sequence[Rung]:
    """List the degrees to try, from few operations to many."""
    return LADDERS["logistic" if logistic_argument(form) else "exact", to.width]


class Scheme:
    """A kernel that is being written, with its constants so far."""

    def __init__(self, to: Format, reach: float, rung: Rung) -> None:
        self.to, self.reach, self.rung = to, reach, rung
        self.wide = to.width == 32
        self.significand = 53 if self.wide else 24
        self.scale, self.lacking = 2.0 ** SCALES[to.name], 0.0
        magic = 1.5 * 2.0 ** (self.significand - 1)
        self.constants = {"T": float(np.float32(reach)), "MAGIC": magic, "one": 1.0}

    def program(self, form: Form, quantity: str) -> Program:
        """Write the kernel."""
        argument = logistic_argument(form)
        self.lacking = 2.0**-self.significand if quantity == "value" else 0.0
        self._fit("e", lambda r: 2**r, (-0.5, 0.5), 0.0, self.rung.exponential, self.scale)
        if argument is None:
            self._split("C", LOG2_E / 2, self.significand - 2 * self.to.precision)
            power = f"z mul t t\n{_power('z')}"
            rest = self._exact(quantity)
        else:
            power = self._cubic(*argument) if argument[1] else self._linear(argument[0])
            rest = self._logistic(quantity, *argument)
        side = "positive" if quantity == "value" else "step"
        start, end = f"t clamp a T\nR {side} x", "y nan y0 a"
        if self.wide:
            start = f"t0 clamp a T\nt widen t0\nR0 {side} x\nR widen R0"
            end = "y1 narrow y0\ny nan y1 a"
        text = f"a abs x\n{start}\n{power}\nX poly r e\nE scale X kf\n{rest}\n{end}"
        constants = self.constants
        used = {operand for each in parse(text, constants).operations for operand in each.operands}
        rounded = float if self.wide else lambda each: float(np.float32(each))
        return parse(text, {name: rounded(constants[name]) for name in constants if name in used})

    def _fit(
        self, letter: str, f: Real, ends: tuple[float, float], at: float, degree: int, scale: float
    ) -> None:
        """Interpolate `f` (mpmath); for values, one bit too low at `at`.

        If x is subnormal and an odd multiple of the least number, x/2 is a tie, and the value f(x)
        is above the tie. So E and M, whose product is subtracted, are made one bit too small at 0.
        """
        count, middle, half = degree + 1, sum(ends) / 2, (ends[1] - ends[0]) / 2
        with mpmath.workdps(DIGITS):
            turns = (mpmath.pi * (2 * k + 1) / (2 * count) for k in range(count))
            nodes = [middle + half * mpmath.cos(turn) for turn in turns]
            powers = mpmath.matrix([[node**n for n in range(count)] for node in nodes])
            found = [float(c) for c in mpmath.lu_solve(powers, [*map(f, nodes)])]
            now = mpmath.fsum(mpmath.mpf(c) * at**n for n, c in enumerate(found))
            found[0] += float(f(mpmath.mpf(at)) * (1 - self.lacking) - now)
        self.constants |= {f"{letter}{n}": c * scale for n, c in enumerate(found)}

    def _split(self, name: str, y: float, bits: int) -> None:
        """Add −y, the head of −y (`bits` bits) and the remainder as constants."""
        mantissa, exponent = math.frexp(y)
        high = math.ldexp(round(mantissa * 2**bits), exponent - bits)
        self.constants |= {name: -y, f"{name}h": -high, f"{name}l": high - y}

    def _linear(self, a: float) -> str:
        """Write k and r for q = a·t."""
        self._split("C", a * LOG2_E, self.significand - self.to.precision)
        return _power("t")

    def _cubic(self, a: float, b: float) -> str:
        """Write k and r for q = at + bt³.

        In float32 the heads of a and b are short, so that their products with t and t³ are exact.
        For bfloat16 t³ has 24 bits; for float16 33, so it is split: t·(head of t²) + remainder.
        """
        short = self.to.precision == 8
        self._split("A", a * LOG2_E, self.significand - self.to.precision)
        self._split("B", b * LOG2_E, 1 if short else 2)
        start = "z mul t t\ns ma z B A\nkf ma t s MAGIC\nnk sub MAGIC kf"
        if self.wide:
            return f"{start}\nr ma t s nk"
        cube = "u mul t z" if short else "h cut z\nl sub z h\nu mul t h"
        rest = "v ma z Bl Al" if short else "v0 ma h Bl Al\nv ma l B v0"
        return f"{start}\n{cube}\nd0 ma t Ah nk\nd1 ma u Bh d0\n{rest}\nr ma t v d1"

    def _exact(self, quantity: str) -> str:
        """Write the value or gradient of `exact` from E, and fit the polynomial."""
        c, reach, is_value = self.rung.middle, self.reach, quantity == "value"

        def in_v(v: Any) -> Any:
            t = c * (1 + v) / (1 - v)
            return -gate_ratio(t) * (t + c) if is_value else slope_ratio(t)

        highest = (reach - c) / (reach + c)
        self._fit("p", in_v, (-1.0, highest), -1.0, self.rung.polynomial, 1 / self.scale)
        self.constants |= {"c": c, "m2c": -2 * c}
        start = "d add t c\ni div one d\nv ma m2c i one\nN poly v p"
        if is_value:
            return f"{start}\nw0 mul E t\nw mul w0 i\ny0 ma w N R"
        high, low = gradient_zero()
        if not self.wide:
            high, low = float(np.float32(high)), high - float(np.float32(high))
        self.constants |= {"nt0": -high, "nt1": -low}
        return f"{start}\ns0 add t nt0\ns1 add s0 nt1\nw mul E s1\nsw flip w x\ny0 ma sw N R"

    def _logistic(self, quantity: str, a: float, b: float) -> str:
        """Write the value or the gradient of a logistic form from E."""
        if quantity == "value":
            self.constants["one"] = self.scale
            return "w mul t E\nQ add E one\ng div w Q\ny0 sub R g"
        self._split("G", a, self.significand - self.to.precision)
        self.constants |= {"down": 1 / self.scale, "nb": -3 * b}
        lines, last = ["D ma E down one", "h0 ma t Gh D"], "h0"  # 1 + E − at − 3bt³
        if b:
            lines += ["t3 mul t z", "h1 ma t3 nb h0"]
            last = "h1"
        if self.constants["Gl"]:
            lines.append(f"h2 ma t Gl {last}")
            last = "h2"
        lines += [f"w mul E {last}", "DD mul D D", "g div w DD", "gs flip g x", "y0 ma gs down R"]
        return "\n".join(lines)


def _power(argument: str) -> str:
    """Write k = round(−C·q), and r = −C·q − k with C in two parts."""
    return f"""
kf ma {argument} C MAGIC
nk sub MAGIC kf
r0 ma {argument} Ch nk
r ma {argument} Cl r0"""


def gate_ratio(t: Any) -> Any:
    """Return M(t) = Φ(−t)/E of `exact`, in mpmath."""
    return mpmath.erfc(t / mpmath.sqrt(2)) * mpmath.exp(t**2 / 2) / 2


def slope_ratio(t: Any) -> Any:
    """Return R(t) = (Φ(−t) − tφ(t))/(E·(t − t₀)) of `exact`, in mpmath."""
    high, low = gradient_zero()
    return (gate_ratio(t) - t / mpmath.sqrt(2 * mpmath.pi)) / (t - high - low)


@cache
def gradient_zero() -> tuple[float, float]:
    """Find t₀ as a float64 and a remainder; GELU has its minimum at −t₀."""
    with mpmath.workdps(40):
        zero = mpmath.findroot(lambda t: mpmath.ncdf(-t) - t * mpmath.npdf(t), 0.75)
        return float(zero), float(zero - float(zero))


def saturation(form: Form, quantity: str, to: Format) -> float:
    """Find the least T such that f(−t) rounds to 0, f(t) to t if t ≥ T.

    For the gradient f′(t) rounds to 1.

    >>> saturation(find_form("silu"), "value", find_format("bfloat16"))
    97.5
    """

    def saturated(numbers: Any) -> Any:
        t = np.atleast_1d(numbers)
        limit = t if quantity == "value" else 1.0
        left, right = (evaluate_array(form, quantity, each, to) for each in (-t, t))
        return (left == 0) & (right == limit)

    powers = 2.0 ** np.arange(to.emin, math.frexp(to.largest)[1])
    low = to.bits(float(powers[~saturated(powers)][-1])) + 1
    binade = range(low, low + (1 << (to.precision - 1)))
    if binade[-1] >= to.top:
        raise UsageError(f"'{form.label}' does not saturate in {to.name}; choose larger parameters")
    return to.number(low + bisect_left(binade, True, key=lambda bits: saturated(to.number(bits))))
