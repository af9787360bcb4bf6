"""The noise of formats, against sums of closed forms over their cells and against ml_dtypes."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import erfc, expit, k0, log_ndtr, loggamma

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FORMATS, Format
from gelu_cli.old.formulas import find_form
from gelu_cli.old.network import noise
from gelu_cli.old.network.gated import Ups
from gelu_cli.old.network.noise import noise_of, rounded
from tests.old.every import every
from tests.truth.mpmath import M

TYPES = {
    "bfloat16": ml_dtypes.bfloat16,
    "float16": np.float16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}


def of(name, number_format, mean=0, sigma=1, ups=None):
    normal = Fraction(mean), Fraction(sigma)
    return noise_of(number_format, find_form(name), *normal, ups).relative_rms


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


@every("precision", [3, 8])
def test_of_relu_it_is_a_sum_of_closed_forms(precision):
    number_format = Format("a format", precision, -126, 8 + precision)
    assert of("relu", number_format) == rounded(noise_of_relu(cells_of(precision, -12, 4)))


def test_runs_of_cells_have_the_noise_of_their_cells(monkeypatch):
    """As those of float32 are taken, here of a format whose cells can be added up."""
    monkeypatch.setattr(noise, "MANY", 256)
    monkeypatch.setattr(noise, "NEAR_ENDS", 32)
    number_format = Format("a format", 11, -126, 19)
    want = noise_of_relu(cells_of(11, -8, 4))
    assert of("relu", number_format) == pytest.approx(want, rel=2e-7)  # 2⁻²², as u² is


FUNCTIONS = {
    "exact": lambda h: h * erfc(-h / math.sqrt(2)) / 2,
    "tanh": lambda h: h * expit(math.sqrt(8 / math.pi) * (h + 0.044715 * h**3)),
    "hard": lambda h: h * np.clip(1.702 * h + 3, 0, 6) / 6,
    "elu": lambda h: np.where(h > 0, h, np.expm1(h)),
    "softplus": lambda h: np.logaddexp(0, h),
}


def rounded_off(form, name, h, weights):
    """√(E(round(f) − f)²/E f²) by the midpoint rule; to 8 bits by way of float32."""
    f = FUNCTIONS[form](h)
    errors = f.astype(np.float32).astype(TYPES[name]).astype(float) - f
    return math.sqrt((errors**2 @ weights) / (f * f @ weights))


@every(
    ("form", "name", "mean", "sigma"),
    [
        *(("exact", name, *each) for name in TYPES for each in ((0, 1), (-1, "1/2"))),
        *((form, "bfloat16", 0, 1) for form in [*FUNCTIONS][1:]),
    ],
)
def test_it_is_what_ml_dtypes_rounds_off(form, name, mean, sigma):
    """By steps much narrower than most cells: halved, they change the result by less than 2e-5."""
    step = 2.0 ** -(17 if name == "float16" else 15)
    z = np.arange(-7, 7, step) + step / 2
    want = rounded_off(form, name, mean + float(Fraction(sigma)) * z, np.exp(-z * z / 2))
    assert of(form, FORMATS[name], mean, sigma) == pytest.approx(want, rel=2e-5)


@every(("name", "mean"), [("float16", -15), ("bfloat16", -30), ("float16", -30)])
def test_far_to_the_left_it_is_that_of_the_h_that_matter(name, mean):
    """There f falls off as the density does: most of E f² is between, near mean/3."""
    h = np.linspace(mean - 12, -1, 2_000_001)
    want = rounded_off("exact", name, h, np.exp(mean**2 / 4.5 - (h - mean) ** 2 / 2))
    assert of("exact", FORMATS[name], mean) == pytest.approx(want, rel=2e-5)


def test_of_what_is_0_there_is_no_noise():
    with pytest.raises(ComputationError, match="relu is as good as 0 for h ~ N"):
        of("relu", FORMATS["bfloat16"], -50)


def test_a_wide_format_has_the_noise_of_its_binades():
    """√(Σ u²/12·P(binade)·2) of relu, for u so narrow that the density is constant in a cell."""
    with M.workdps(30):
        total = sum(
            M.mpf(4) ** (k - 52) / 12 * (M.ncdf(M.mpf(2) ** (k + 1)) - M.ncdf(M.mpf(2) ** k))
            for k in range(-40, 4)
        )
        want = float(M.sqrt(2 * total))
    assert of("relu", FORMATS["float64"]) == rounded(want)


def test_what_is_beyond_the_largest_number_is_told():
    e4m3 = FORMATS["float8_e4m3fn"]
    noise = noise_of(e4m3, find_form("relu"), Fraction(0), Fraction(200))
    # 448 is the largest; 464 is half way to what would follow.
    assert noise.beyond == pytest.approx(math.exp(log_ndtr(-464 / 200)), rel=1e-6)
    assert noise_of(FORMATS["bfloat16"], find_form("relu"), Fraction(0), Fraction(1)).beyond == 0


def test_subnormal_results_have_the_noise_of_their_one_width():
    """Most of them are below 2⁻¹⁴, two deviations: 1024 units of the least bit."""
    unit = M.mpf(2) ** -24
    subnormal = [(max(0, k * unit - unit / 2), k * unit, (k + M.mpf(1) / 2) * unit)
                 for k in range(1024)]  # fmt: skip
    _, *normal = cells_of(11, -14, -12)
    first = (subnormal[-1][2], 1024 * unit, (1024 + M.mpf(1) / 2) * unit)
    want = noise_of_relu([*subnormal, first, *normal], M.mpf(2) ** -15)
    assert of("relu", FORMATS["float16"], 0, Fraction(1, 1 << 15)) == rounded(want)


def harmonic(precision, k):
    """The k-th Fourier coefficient in log₂ y of (round(y) − y)²/y², which has the period 1."""
    unit = 2.0 ** (1 - precision)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    ends = np.array([1, *np.arange(1 + unit / 2, 2, unit), 2])
    low, high = ends[:-1, None], ends[1:, None]
    y = (low + high) / 2 + (high - low) / 2 * nodes
    squares = (y - np.rint(y / unit) * unit) ** 2 * y ** (-3 - 2j * math.pi * k / math.log(2))
    return np.sum(squares * weights * (high - low) / 2) / math.log(2)


@every("precision", [3, 8, 11])
def test_of_products_it_is_a_series_of_moments(precision):
    """E(round(p) − p)² is a sum of harmonics times E|f|ᶻ·E|u|ᶻ, z = 2 + 2πik/ln 2."""
    h = np.linspace(-12, 12, 400_000)  # and not 0
    f = np.abs(FUNCTIONS["exact"](h))
    weights = np.exp(-h * h / 2) * (h[1] - h[0]) / math.sqrt(2 * math.pi)
    total = 0.0
    for k in range(-5, 6):
        z = 2 + 2j * math.pi * k / math.log(2)
        of_u = np.exp(z / 2 * math.log(2) + loggamma((z + 1) / 2)) / math.sqrt(math.pi)
        total += (harmonic(precision, k) * of_u * (f**z @ weights)).real
    want = math.sqrt(total / (f * f @ weights))
    number_format = Format("a format", precision, -126, 8 + precision)
    assert of("exact", number_format, ups=Ups()) == pytest.approx(
        want, rel=5e-9
    )  # half a ninth digit


@every("sigma", [1, 30])
def test_subnormal_products_and_those_beyond_have_the_density_of_two_normal_numbers(sigma):
    """That of u·v for u, v ~ N(0, S²) is K₀(|y|/S²)/(πS²): relu·u has it for half of all h."""
    e4m3, scale = FORMATS["float8_e4m3fn"], sigma**2
    sizes = np.array([e4m3.number(bits) for bits in range(e4m3.bits(2.0**-6) + 1)])
    normal = np.array([(8 + k) * 2.0 ** (e - 3) for e in range(-6, 24) for k in range(8)])
    numbers = np.concatenate([sizes[:-1], normal])
    ends = [0.0, *(numbers[1:] + numbers[:-1]) / 2]
    total = 0.0
    for low, number, high in zip(ends[:-1], numbers[:-1], ends[1:], strict=True):
        part, _ = quad(lambda y, n=number: (y - n) ** 2 * k0(y / scale), low, high,
                       epsabs=1e-16, epsrel=1e-11)  # fmt: skip
        total += part / (math.pi * scale)
    got = noise_of(e4m3, find_form("relu"), Fraction(0), Fraction(sigma), Ups())
    assert got.relative_rms == pytest.approx(math.sqrt(total / (scale**2 / 2)), rel=5e-9)
    beyond, _ = quad(lambda y: k0(y / scale) / (math.pi * scale), 464, math.inf)
    assert got.beyond == pytest.approx(beyond, rel=1e-6, abs=1e-30)


def test_with_an_offset_and_two_roundings_it_is_what_ml_dtypes_rounds_off():
    """At 4 million pairs; that both errors are independent is right to their squares, 2⁻⁸."""
    h, u = np.linspace(-6, 6, 2001), np.linspace(-6, 6, 2003)
    weights = np.outer(np.exp(-h * h / 2), np.exp(-u * u / 2))
    f, dtype = FUNCTIONS["exact"](h), TYPES["float8_e4m3fn"]
    products = np.outer(f, u + 1)
    square = np.sum(weights * products**2)
    for inner, within in ((None, 1e-4), (FORMATS["float8_e4m3fn"], 4e-3)):
        once = f.astype(dtype).astype(float) if inner else f
        stored = np.outer(once, u + 1).astype(np.float32).astype(dtype).astype(float)
        want = math.sqrt(np.sum(weights * (stored - products) ** 2) / square)
        got = of("exact", FORMATS["float8_e4m3fn"], ups=Ups(None, 1.0, inner))
        assert got == pytest.approx(want, rel=within)


@every("ups", [Ups(6.9), Ups(0.0, 1.0), Ups(None, 8.1), Ups(None, -8.1)])
def test_of_ups_that_are_clamped_nearby_or_far_from_0_it_is_unknown(ups):
    assert math.isnan(of("exact", FORMATS["bfloat16"], ups=ups))
