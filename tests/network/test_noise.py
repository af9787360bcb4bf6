"""The noise of formats, against sums of closed forms over their cells and against ml_dtypes."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from scipy.special import erfc, expit, log_ndtr

from gelu_cli.arithmetic.formats import FORMATS, Format
from gelu_cli.errors import ComputationError
from gelu_cli.formulas import find_form
from gelu_cli.network import noise
from gelu_cli.network.noise import noise_of, rounded
from tests.truth.mpmath import M

TYPES = {
    "bfloat16": ml_dtypes.bfloat16,
    "float16": np.float16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}


def of(name, number_format, mean=0, sigma=1):
    return noise_of(number_format, find_form(name), Fraction(mean), Fraction(sigma)).relative_rms


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


@pytest.mark.parametrize("precision", [3, 8])
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(("name", "mean"), [("float16", -15), ("bfloat16", -30), ("float16", -30)])
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
