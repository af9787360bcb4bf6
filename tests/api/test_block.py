"""`block`, the command and the function: against closed forms, ml_dtypes and its own numbers."""

import math

import ml_dtypes
import numpy as np
import pytest
from scipy.special import ndtr

from gelu_cli import block
from gelu_cli.errors import ComputationError, UsageError
from tests.runner import gelu
from tests.truth.mpmath import M, decimal_of

COLUMNS = [
    "form",
    "relative_rms",
    "db",
    "gradient_relative_rms",
    "gradient_db",
    "times_bfloat16",
    "times_float16",
    "times_float32",
    "verdict",
]
SWAP = ("--form", "elu", "--target", "relu")


def of_elu_for_relu():
    """E d², E d′² of d = elu − relu for N(0, 1); of relu both are ½."""
    below, twice = M.exp(M.mpf(1) / 2) * M.ncdf(-1), M.exp(2) * M.ncdf(-2)
    return twice - 2 * below + M.mpf(1) / 2, twice


@pytest.mark.parametrize("digits", [5, 16, 40])
def test_digits_are_those_of_closed_forms(digits):
    square, slope_square = of_elu_for_relu()
    exact = {
        "relative_rms": M.sqrt(2 * square),
        "db": 10 * M.log10(2 * square),
        "gradient_relative_rms": M.sqrt(2 * slope_square),
        "gradient_db": 10 * M.log10(2 * slope_square),
    }
    found = block("elu", "relu", digits=digits)
    assert {name: getattr(found, name) for name in exact} == {
        name: decimal_of(number, digits) for name, number in exact.items()
    }


def test_a_gated_block_has_the_gradients_of_both_branches():
    """With u ~ N(0, 1) the ratio is (E d′² + E d²)/(E f′² + E f²); that of values stays."""
    square, slope_square = of_elu_for_relu()
    found = block("elu", "relu", glu=True, digits=30)
    assert found.gradient_relative_rms == decimal_of(M.sqrt(slope_square + square), 30)
    assert found.relative_rms == block("elu", "relu", digits=30).relative_rms


def test_mean_and_sigma_are_those_of_the_pre_activations():
    """A linear piece: for h > 0 almost surely elu is relu; scaling h scales relu alone."""
    assert float(block("elu", "relu", mean=40).relative_rms) < 1e-100
    m, s = M.mpf("-0.5"), M.mpf(2)
    above = (m**2 + s**2) * M.ncdf(m / s) + m * s * M.npdf(m / s)
    below = [M.exp(k * m + (k * s) ** 2 / 2) * M.ncdf(-(m + k * s**2) / s) for k in range(3)]
    exact = decimal_of(M.sqrt((below[2] - 2 * below[1] + below[0]) / above), 17)
    for mean in ("-1/2", -0.5):
        assert block("elu", "relu", mean=mean, sigma="2", digits=17).relative_rms == exact


def noise_by_ml_dtypes(dtype, mean, sigma, gated):
    """√(E(round(y) − y)²/E y²) for y = GELU(h), or GELU(h)·u, on a grid."""
    n = 1001 if gated else 1_000_001
    z = np.linspace(-8, 8, n)
    h = mean + sigma * z
    f, weights = h * ndtr(h), np.exp(-z * z / 2)
    y = np.outer(f, sigma * z) if gated else f
    weights = np.outer(weights, weights) if gated else weights
    stored = y.astype(np.float32).astype(dtype).astype(float)
    return math.sqrt(np.sum(weights * (stored - y) ** 2) / np.sum(weights * y * y))


def test_the_noise_of_a_format_is_what_ml_dtypes_rounds_off():
    cases = {
        ("float8_e5m2", 0, 1, False): 1e-5,
        ("bfloat16", -1, 2, False): 1e-4,
        ("float16", 0, 1, False): 1e-3,
        ("float8_e4m3fn", 0, 1, True): 1e-3,
    }
    for (dtype, mean, sigma, gated), within in cases.items():
        found = block("tanh", dtype=dtype, mean=mean, sigma=sigma, glu=gated)
        noise = found.relative_rms / getattr(found, f"times_{dtype}")
        type_ = np.float16 if dtype == "float16" else getattr(ml_dtypes, dtype)
        exact = noise_by_ml_dtypes(type_, mean, sigma, gated)
        assert noise == pytest.approx(exact, rel=within), dtype


def test_a_verdict_is_about_the_first_dtype():
    said = set()
    for dtype in ("bfloat16", "float32"):
        found = block("tanh", dtype=[dtype, "float8_e5m2"])
        times = getattr(found, f"times_{dtype}")
        assert found.verdict == ("below" if times <= 1 else "above"), dtype
        assert found.times_float8_e5m2 < times
        assert found.times_float64 is None
        said.add(found.verdict)
    assert said == {"below", "above"}


def test_a_shape_counts_parameters_and_operations():
    d, hidden = 3, 5
    cases = {
        (): (2 * d * hidden + hidden + d, 4 * d * hidden),
        ("--glu",): (3 * d * hidden, 6 * d * hidden),
    }
    for words, counts in cases.items():
        run = gelu("block", *SWAP, "--dtype", "e5m2", "--shape", f"{d},{hidden}", *words)
        (row,) = run.rows
        assert list(row)[-2:] == ["parameters", "flops"]
        assert (int(row["parameters"]), int(row["flops"])) == counts
    assert block("elu", "relu", dtype="e5m2", shape=(d, hidden)).parameters == cases[()][0]


def test_ratios_have_nine_digits_at_most():
    """The noise has so many; of fewer digits a ratio is the nearest one."""
    long = block("elu", "relu", digits=30)
    assert len(long.times_bfloat16.as_tuple().digits) == 9
    assert block("elu", "relu", digits=4).times_bfloat16 == decimal_of(
        M.mpf(str(long.times_bfloat16)), 4
    )


def test_a_sentence_has_the_numbers_of_the_summary(tmp_path):
    found = block("elu", "relu", digits=6)
    said = f"elu: r = {found.relative_rms}, {found.times_bfloat16} times the rounding noise"
    run = gelu("block", *SWAP, terminal=True)
    assert said in run.out
    assert max(map(len, run.out.splitlines())) <= 80
    run = gelu("block", *SWAP, "-o", tmp_path / "b.md")
    assert run.err == f"gelu: {said} of bfloat16; written to {tmp_path / 'b.md'}\n"
    assert (tmp_path / "b.md").read_text().startswith("| form | r | dB |")


def test_nothing_is_relative_to_what_is_0():
    with pytest.raises(ComputationError, match="exact is as good as 0"):
        block("tanh", mean=-50, sigma="0.1")
    assert gelu("block", "--form", "tanh", "--mean", "-50", "--sigma", "0.1").code == 4
    with pytest.raises(UsageError, match="--sigma"):
        block("tanh", sigma=0)
