"""The noise of formats, against sums of closed forms over cells, moments and ml_dtypes."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import erfc, expit, k0

from gelu_cli.calculus.averages import normal
from gelu_cli.errors import ComputationError
from gelu_cli.formulas import typed_form
from gelu_cli.network.changes import noise
from gelu_cli.numbers import FORMATS, Format
from tests.truth.mpmath import M

TYPES = {
    "bfloat16": ml_dtypes.bfloat16,
    "float16": np.float16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
FUNCTIONS = {
    "exact": lambda h: h * erfc(-h / math.sqrt(2)) / 2,
    "tanh": lambda h: h * expit(math.sqrt(8 / math.pi) * (h + 0.044715 * h**3)),
    "hard": lambda h: h * np.clip(1.702 * h + 3, 0, 6) / 6,
    "elu": lambda h: np.where(h > 0, h, np.expm1(h)),
    "softplus": lambda h: np.logaddexp(0, h),
}


def of(name, to, mean=0, sigma=1, *, gated=False):
    return noise(to, typed_form(name), normal(mean, sigma), gated=gated)


def of_bits(precision):
    return Format("a format", precision, -126, 8 + precision)


def nine_digits(y):
    return float(f"{float(y):.9g}")


def cells_of(precision, first, last):
    """Yield (low, number, high) for the numbers of p bits from 2**first to 2**last."""
    for exponent in range(first, last):
        unit = M.mpf(2) ** (exponent - precision + 1)
        for k in range(1 << (precision - 1), 1 << precision):
            number = k * unit
            below = unit / 4 if k == 1 << (precision - 1) else unit / 2
            yield number - below, number, number + unit / 2


def noise_of_relu(cells, sigma=1):
    """√(E(round(X) − X)² over X > 0, times 2) by ∫φ = Φ, ∫xφ = −φ and ∫x²φ = Φ − xφ."""
    with M.workdps(40):
        total = M.zero
        left = None
        for low, number, high in ([end / sigma for end in cell] for cell in cells):
            below, dense = left or (M.ncdf(low), M.npdf(low))
            left = above, sparse = M.ncdf(high), M.npdf(high)
            area, slope = above - below, dense - sparse
            square = area - (high * sparse - low * dense)
            total += square - 2 * number * slope + number**2 * area
        return float(M.sqrt(2 * total))


def test_of_relu_it_is_a_sum_of_closed_forms():
    for precision in (3, 8):
        want = nine_digits(noise_of_relu(cells_of(precision, -14, 4)))
        assert of("relu", of_bits(precision)) == want, precision


def test_fine_formats_have_the_noise_of_their_binades():
    """√(Σ u²/12·P(binade)·2) of relu: its density is constant in cells that are so narrow."""
    for name, precision in (("float32", 24), ("float64", 53)):
        with M.workdps(30):
            total = sum(
                M.mpf(4) ** (k - precision + 1)
                / 12
                * (M.ncdf(M.mpf(2) ** (k + 1)) - M.ncdf(M.mpf(2) ** k))
                for k in range(-40, 4)
            )
        assert of("relu", FORMATS[name]) == nine_digits(M.sqrt(2 * total)), name


def rounded_off(form, name, h, weights):
    """√(E(round(f) − f)²/E f²) by the midpoint rule; to 8 bits by way of float32."""
    f = FUNCTIONS[form](h)
    errors = f.astype(np.float32).astype(TYPES[name]).astype(float) - f
    return math.sqrt((errors**2 @ weights) / (f * f @ weights))


def test_it_is_what_ml_dtypes_rounds_off():
    """By steps much narrower than most cells: halved, they change the result by less than 2e-5."""
    cases = [
        *(("exact", name, *each) for name in TYPES for each in ((0, 1), (-1, "1/2"))),
        *((form, "bfloat16", 0, 1) for form in [*FUNCTIONS][1:]),
    ]
    for form, name, mean, sigma in cases:
        step = 2.0 ** -(17 if name == "float16" else 15)
        z = np.arange(-7, 7, step) + step / 2
        want = rounded_off(form, name, mean + float(Fraction(sigma)) * z, np.exp(-z * z / 2))
        found = of(form, FORMATS[name], mean, sigma)
        assert found == pytest.approx(want, rel=2e-5), (form, name, mean)


def test_far_to_the_left_it_is_that_of_the_h_that_matter():
    """There f falls off as the density does: most of E f² is between, near mean/3."""
    for name, mean in (("float16", -15), ("bfloat16", -30), ("float16", -30)):
        h = np.linspace(mean - 12, -1, 2_000_001)
        want = rounded_off("exact", name, h, np.exp(mean**2 / 4.5 - (h - mean) ** 2 / 2))
        assert of("exact", FORMATS[name], mean) == pytest.approx(want, rel=2e-5), (name, mean)


def test_what_is_too_small_for_float64_is_refused():
    with pytest.raises(ComputationError, match="exact is as good as 0 for h ~ N"):
        of("exact", FORMATS["bfloat16"], -50, "0.1")
    with pytest.raises(ComputationError, match="sigma is too small for float64s near 1"):
        of("exact", FORMATS["bfloat16"], 1, "1e-8")


def test_subnormal_products_and_those_beyond_have_the_density_of_two_normal_numbers():
    """That of u·v for u, v ~ N(0, S²) is K₀(|y|/S²)/(πS²): relu·u has it for half of all h."""
    e4m3 = FORMATS["float8_e4m3fn"]
    small = np.array([e4m3.number(bits) for bits in range(e4m3.bits(2.0**-6) + 1)])
    normal_ones = np.array([(8 + k) * 2.0 ** (e - 3) for e in range(-6, 24) for k in range(8)])
    numbers = np.concatenate([small[:-1], normal_ones])
    ends = [0.0, *(numbers[1:] + numbers[:-1]) / 2]
    for sigma in (1, 30):
        scale, total = sigma**2, 0.0
        for low, number, high in zip(ends[:-1], numbers[:-1], ends[1:], strict=True):
            part, _ = quad(
                lambda y, n=number, s=scale: (y - n) ** 2 * k0(y / s),
                low,
                high,
                epsabs=1e-16,
                epsrel=1e-11,
            )
            total += part / (math.pi * scale)
        want = math.sqrt(total / (scale**2 / 2))
        assert of("relu", e4m3, 0, sigma, gated=True) == pytest.approx(want, rel=5e-9), sigma
