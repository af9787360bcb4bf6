"""The noise of formats, against sums of closed forms over their cells and against ml_dtypes."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from scipy.special import erfc, log_ndtr

from gelu_cli.arithmetic.formats import FORMATS, Format
from gelu_cli.block import cells
from gelu_cli.block.noise import noise_of, rounded
from gelu_cli.errors import ComputationError
from gelu_cli.forms import find_form
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


def noise_of_relu(precision, first, last):
    """√(E(round(X) − X)² over X > 0, times 2) by ∫φ = Φ, ∫xφ = −φ and ∫x²φ = Φ − xφ."""
    with M.workdps(40):
        total = M.zero
        left = None
        for low, number, high in cells_of(precision, first, last):
            below, dense = left or (M.ncdf(low), M.npdf(low))
            left = above, sparse = M.ncdf(high), M.npdf(high)
            area, slope = above - below, dense - sparse
            square = area - (high * sparse - low * dense)
            total += square - 2 * number * slope + number**2 * area
        return float(M.sqrt(2 * total))


@pytest.mark.parametrize("precision", [3, 8])
def test_of_relu_it_is_a_sum_of_closed_forms(precision):
    number_format = Format("a format", precision, -126, 8 + precision)
    assert of("relu", number_format) == rounded(noise_of_relu(precision, -12, 4))


def test_runs_of_cells_have_the_noise_of_their_cells(monkeypatch):
    """As those of float32 are taken, here of a format whose cells can be added up."""
    monkeypatch.setattr(cells, "MANY", 256)
    monkeypatch.setattr(cells, "NEAR_ENDS", 32)
    number_format = Format("a format", 11, -126, 19)
    want = noise_of_relu(11, -8, 4)
    assert of("relu", number_format) == pytest.approx(want, rel=2e-7)  # 2⁻²², as u² is


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize(("mean", "sigma"), [(0, 1), (-1, "1/2")])
def test_of_gelu_it_is_what_ml_dtypes_rounds_off(name, mean, sigma):
    """By the midpoint rule with steps much narrower than most cells."""
    step = 2.0**-18
    z = np.arange(-9, 9, step) + step / 2
    h = mean + float(Fraction(sigma)) * z
    f = h * erfc(-h / math.sqrt(2)) / 2
    # ml_dtypes rounds float64s to 8 bits by way of float32.
    errors = f.astype(np.float32).astype(TYPES[name]).astype(float) - f
    weights = np.exp(-z * z / 2)
    want = math.sqrt((errors**2 @ weights) / (f * f @ weights))
    assert of("exact", FORMATS[name], mean, sigma) == pytest.approx(want, rel=2e-6)


@pytest.mark.parametrize(("name", "mean"), [("float16", -15), ("bfloat16", -30), ("float16", -30)])
def test_far_to_the_left_it_is_that_of_the_h_that_matter(name, mean):
    """There f falls off as the density does: most of E f² is between, near mean/3."""
    h = np.linspace(mean - 12, -1, 4_000_001)
    weights = np.exp(mean**2 / 4.5 - (h - mean) ** 2 / 2)
    f = h * erfc(-h / math.sqrt(2)) / 2
    errors = f.astype(np.float32).astype(TYPES[name]).astype(float) - f
    want = math.sqrt((errors**2 @ weights) / (f * f @ weights))
    assert of("exact", FORMATS[name], mean) == pytest.approx(want, rel=2e-6)


def test_of_what_is_0_there_is_no_noise():
    with pytest.raises(ComputationError, match="relu is as good as 0 for h ~ N"):
        of("relu", FORMATS["bfloat16"], -50)


@pytest.mark.parametrize("name", ["hard", "elu", "igelu", "softplus", "tanh"])
def test_kinks_and_turns_of_other_forms_are_met(name):
    """Far more cells than the form has parts: the noise is about that of GELU."""
    assert of(name, FORMATS["float16"]) == pytest.approx(2.08e-4, rel=0.1)


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
    """Between −4 and 4 units of float16's least bit nearly all values are subnormal."""
    unit = 2.0**-24
    sigma = Fraction(1, 1 << 15)
    want = unit / math.sqrt(12) / (float(sigma) / math.sqrt(2))
    assert of("relu", FORMATS["float16"], 0, sigma) == pytest.approx(want / math.sqrt(2), rel=1e-3)
