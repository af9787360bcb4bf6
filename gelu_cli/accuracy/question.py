"""The expected result: f(x) or f′(x), times a function of a second input."""

from __future__ import annotations

from math import inf, isfinite, isinf, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FLOAT64, Format, evaluate, round_fraction, side, value
from gelu_cli.numbers.cells import Floats, two_sum
from gelu_cli.numbers.formats import power_of_two
from gelu_cli.numbers.points import in_units, to_units

if TYPE_CHECKING:
    from flint import fmpq

UP_GRADIENT = "up_gradient"
OF_FORM = {"gate_gradient": "gradient", UP_GRADIENT: "value"}
"""For each gradient of a GLU F(gate)·up: the quantity of F that is a factor of the gradient."""

SLOPES = {"value": "gradient", "gradient": "curvature"}

DIGITS, MOST_BITS, FIRST_BITS = 120, 1400, 200
"""`distance` computes y to MOST_BITS if the error is below 2^(DIGITS − FIRST_BITS) = 2^−80 ULP."""


class Glu(NamedTuple):
    """A gated linear unit: F(min(x, L))·(max(−M, min(u, M)) + offset).

    x is the gate, u the up, L the `gate_limit`, M the `up_limit` and offset the `up_offset`, as in
    GPT-OSS. If an `intermediate` format is set, F(…) is rounded to this format before the product.
    A backward pass, upstream·f′(x), is `Glu()` with the upstream gradient as u.

    Source: modular_gpt_oss.py of huggingface/transformers, `GptOssExperts`.
    """

    gate_limit: float = inf
    up_limit: float = inf
    up_offset: float = 0.0
    intermediate: Format | None = None


class Question(NamedTuple):
    """Expected results: a form, a quantity, formats, second inputs.

    Attributes
    ----------
    quantity
        `value` or `gradient`; with `glu` also `gate_gradient` or `up_gradient`.
    dtype, result
        Formats of inputs and results.
    times
        An exact factor of the form: an upstream gradient that is the same at all inputs or, if the
        up is fixed, its `factor`.
    glu
        How a second input enters the result; None for kernels of one input.
    """

    form: Form
    quantity: str
    dtype: Format
    result: Format
    times: Any = to_fraction(1)
    glu: Glu | None = None

    @property
    def of_form(self) -> str:
        """The quantity of the form that is a factor of the result."""
        return OF_FORM.get(self.quantity, self.quantity) if self.glu else self.quantity

    @property
    def inner(self) -> Question | None:
        """The question of F(gate) if it is rounded to `intermediate`, else None."""
        if not (self.glu and self.glu.intermediate):
            return None
        glu = self.glu._replace(intermediate=None)
        return self._replace(result=self.glu.intermediate, times=to_fraction(1), glu=glu)

    @property
    def unlimited(self) -> float:
        """The gate limit; for larger x the form is evaluated at the limit."""
        return self.glu.gate_limit if self.glu else inf

    def at(self, up: float) -> Question:
        """Return the question in x alone, for a fixed finite second input."""
        return self._replace(times=self.factor(up)) if self.glu else self

    def factor(self, up: float) -> fmpq:
        """Return the exact factor of the form for a finite second input."""
        high, low = self.factors(np.array([up]))
        return to_fraction(float(high[0])) + to_fraction(float(low[0]))

    @np.errstate(invalid="ignore")  # ups may be infinite
    def factors(self, ups: Floats) -> tuple[Floats, Floats]:
        """Return each up's exact factor of the form as a sum of two float64s."""
        glu = self.glu or Glu()
        if self.quantity == UP_GRADIENT:
            return (np.abs(ups) <= glu.up_limit).astype(np.float64), np.zeros_like(ups)
        clamped = np.clip(ups, -glu.up_limit, glu.up_limit)
        if not glu.up_offset:
            return clamped, np.zeros_like(ups)
        return two_sum(clamped, np.full_like(ups, glu.up_offset))

    def limited(self, x: Floats) -> Floats:
        """Return min(x, gate limit), at which the form is evaluated."""
        return x if self.unlimited == inf else np.minimum(x, self.unlimited)

    def flat(self, x: Any) -> Any:
        """Return True if the gradient is 0 because x exceeds the gate limit."""
        return (x > self.unlimited) & (self.of_form != "value")

    def flushed(self, x: Any, up: Any = 1.0) -> Any:
        """Return True if flushing a subnormal input makes the result 0."""
        least, one = 2.0**self.dtype.emin, self._replace(times=to_fraction(1))
        of_x = (np.abs(x) < least) & (one.side(0.0, 0) == 0)
        return of_x | (np.abs(up) < least) & (self.glu is not None and not self.factor(0.0))

    def _point(self, x: float) -> tuple[float, Any]:
        """Return the point at which the form is evaluated, and the form's factor."""
        return min(x, self.unlimited), to_fraction(0) if self.flat(x) else self.times

    def value(self, x: float, bits: int = FIRST_BITS) -> fmpq:
        """Return the value at a finite x: exact if rational, else to `bits` bits."""
        if inner := self.inner:
            product: fmpq = to_fraction(inner.want(x)) * self.times
            return product
        at, times = self._point(x)
        return value(self.form, self.of_form, at, bits, times)

    def want(self, x: float) -> float:
        """Return the correctly rounded result at any x; the limit at ±∞."""
        if isnan(x):
            return nan
        if inner := self.inner:
            first = inner.want(x)
            if isfinite(first):
                return float(round_fraction(self.result, self.times * to_fraction(first)))
            y = first * sign_of(self.times) if self.times else nan
        else:
            at, times = self._point(x)
            (y,) = evaluate(self.form, [self.of_form], at, self.result, times)
        return self.result.from_float(y) if isinf(y) else float(y)

    def limit(self, x: float, up: float) -> float:
        """Return the result at non-finite inputs, multiplied as in IEEE 754.

        If F or the factor is infinite, an infinite product is ±∞ even in formats without ∞.
        """
        factor = float(self.factors(np.array([up]))[0][0]) if self.glu else 1.0
        at = min(x, self.unlimited)
        if isnan(at) or isnan(factor):
            return nan
        alone = self.inner or self._replace(result=FLOAT64, times=to_fraction(1))
        first = alone.want(x)
        if isfinite(factor) and (isfinite(at) or isfinite(first)):
            return self.at(up).want(x)
        if not first and not self.inner and isfinite(at):
            first = float(alone.side(x, 0))  # F(x) underflowed: F(x)·∞ is ±∞, not NaN
        return first * factor

    def side(self, x: float, number: Any) -> int:
        """Return the sign of y − number, for the exact value y at a finite x."""
        if self.inner:
            return sign_of(self.value(x) - to_fraction(number))
        at, times = self._point(x)
        return side(self.form, self.of_form, at, number, times)

    def slope(self, x: float) -> int:
        """Return the sign of the derivative of the exact value at a finite x."""
        return self._replace(quantity=SLOPES[self.quantity]).side(x, 0)

    def in_units(self, x: float) -> tuple[float, float, int]:
        """Return m, low and n: y = (m + low)·2ⁿ and 2ⁿ = ulp(y), at a finite x."""
        if self.inner and (found := to_units(self.result, self.value(x))):
            return found
        at, times = self._point(x)
        return in_units(self.form, self.of_form, at, self.result, times)

    def distance(self, x: float, got: float) -> tuple[fmpq, fmpq, fmpq]:
        """Return |got − y|, |got − y|/ulp(y) and the exact value y at a finite x."""
        unit = power_of_two(self.in_units(x)[2])
        for bits in (FIRST_BITS, MOST_BITS):
            y = self.value(x, bits)
            found = abs(to_fraction(got) - y)
            if found / unit * power_of_two(bits - DIGITS) >= 1:
                break
        return found, found / unit, y


def sign_of(y: Any) -> int:
    """Return 1, 0 or −1: the sign of a number."""
    return int(y > 0) - int(y < 0)
