"""`gelu block`, as a user runs it."""

import io
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from scipy.special import erfc

from gelu_cli.old.answers.block import beside_noise
from gelu_cli.old.arithmetic.formats import FORMATS
from tests.old.cli.runner import assert_all_refused, gelu, run_gelu

COLUMNS = [
    "form", "relative_rms", "db", "bits", "relative_rms_centred", "gain", "one_minus_cosine",
    "gradient_relative_rms", "gradient_db", "times_bfloat16", "times_float16", "times_float32",
    "verdict",
]  # fmt: skip
OF_DATA = [*COLUMNS, "gaussian_relative_rms", "times_gaussian", "top_share"]


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.fixture
def skewed():
    """Pre-activations of 40 units, skewed to the left."""
    draws = np.random.default_rng(5).gumbel(0.3, 0.8, (500, 40))
    return (-draws * np.linspace(0.5, 1.5, 40)).astype(np.float32)


def test_the_defaults():
    answer = gelu("block")
    assert answer.columns == COLUMNS
    verdicts = {row["form"]: row["verdict"] for row in answer.rows}
    assert verdicts == {"tanh": "below", "sigmoid": "above", "silu": "above", "relu": "above"}


def test_the_facts_have_the_size_of_the_block_and_what_is_not_claimed():
    words = ["block", "--form", "elu", "--target", "relu", "-f", "table"]
    out = run_gelu(*words).out
    for fact in ("4,722,432 parameters", "9,437,184 flops", "later layers"):
        assert fact in out
    assert "17 parameters, 24 flops" in run_gelu(*words, "--shape", "2,3").out


@pytest.mark.parametrize(
    ("times", "verdict"),
    [(0.25, "below"), (0.5, "below"), (0.51, "beside"), (1.0, "beside"), (1.99, "beside"),
     (2.0, "above"), (4.0, "above")],
)  # fmt: skip
def test_from_half_the_noise_to_twice_as_much_a_change_is_beside_it(times, verdict):
    noises = dict.fromkeys(FORMATS.values(), SimpleNamespace(relative_rms=2.0**-9))
    assert beside_noise(times * 2.0**-9, noises, [FORMATS["bfloat16"]], None)[-1] == verdict


def test_several_formats_are_named_in_the_verdict():
    words = ["block", "--form", "tanh", "--dtype", "bf16", "--dtype", "float32"]
    (row,) = gelu(*words, "--dtype", "bfloat16").rows
    assert row["verdict"] == "below bfloat16, above float32"


def test_a_form_in_its_own_place_is_minus_infinite_decibels():
    (row,) = gelu("block", "--form", "exact").rows
    assert (row["relative_rms"], row["db"], row["verdict"]) == ("0.0", "-inf", "below")


def test_a_ratio_is_of_r_and_the_noise_of_the_format_whatever_digits_are_shown():
    """The ratio of printed figures of 17 and of 9 digits is within their roundings, 2e-9."""
    words = ["block", "--target", "relu"]
    noises = {row["dtype"]: row for row in gelu(*words, "--view", "formats").rows}
    (row,) = gelu(*words, "--form", "elu").rows
    (short,) = gelu(*words, "--form", "elu", "--digits", 5).rows
    for name in ("bfloat16", "float16", "float32"):
        want = float(row["relative_rms"]) / float(noises[name]["relative_rms"])
        assert float(row[f"times_{name}"]) == pytest.approx(want, rel=2e-9)
        assert float(short[f"times_{name}"]) == pytest.approx(want, rel=5e-5)  # half a fifth digit


def test_formats_have_their_noise_beside_the_usual_model():
    answer = gelu("block", "--view", "formats", "--dtype", "float8_e5m2", "--target", "relu")
    names = [row["dtype"] for row in answer.rows]
    assert names == ["bfloat16", "float16", "float32", "float8_e5m2"]
    for row, precision in zip(answer.rows, (8, 11, 24, 3), strict=True):
        assert float(row["usual_model"]) == pytest.approx(2.0**-precision / math.sqrt(3))
        times = float(row["relative_rms"]) / float(row["usual_model"])
        assert float(row["times_model"]) == pytest.approx(times)


def test_what_overflows_a_format_is_told():
    answer = run_gelu(
        "block", "--form", "elu", "--target", "relu", "--sigma", "300", "--dtype", "e4m3"
    )
    assert "beyond 448, the largest float8_e4m3fn" in answer.err


def test_where_sigma_is_too_narrow_the_noise_is_unknown_and_r_is_not():
    words = ["--form", "elu", "--target", "relu", "--mean=-1", "--sigma", "1e-18"]
    answer = run_gelu("block", *words)
    (row,) = answer.rows
    assert answer.code == 0
    assert row["relative_rms"]
    assert row["times_bfloat16"] == "NaN"
    assert row["verdict"] == ""
    assert "the rounding noise is not computed" in answer.err


def test_noise_of_what_is_almost_0_is_refused():
    answer = run_gelu("block", "--form", "tanh", "--mean", "-30", "--sigma", "0.1")
    assert (answer.code, answer.out) == (4, "")
    assert "exact is as good as 0 for h ~ N(-30, 0.1²)" in answer.err


def test_changes_that_are_too_small_to_be_told_are_refused():
    """ReLU differs from GELU by e^(−10⁶⁰)."""
    answer = run_gelu("block", "--form", "relu", "--mean", "1e30")
    assert answer.code == 4
    assert "an average cannot be told to so many digits" in answer.err


def test_a_real_block_agrees_within_four_standard_errors():
    words = ["block", "--form", "elu", "--target", "relu", "--mean=-1/2", "--sigma", 2,
             "--samples", 4096, "--shape", "24,96"]  # fmt: skip
    answer = gelu(*words, "--seed", 7)
    added = ["sampled_relative_rms", "standard_error", "sampled_gradient_relative_rms",
             "gradient_standard_error"]  # fmt: skip
    assert answer.columns == [*COLUMNS, *added]
    (row,) = answer.rows
    for quantity in ("", "gradient_"):
        want, got = (float(row[f"{kind}{quantity}relative_rms"]) for kind in ("", "sampled_"))
        assert 0 < abs(got - want) < 4 * float(row[f"{quantity}standard_error"]) < want
    assert answer.out == gelu(*words, "--seed", 7).out != gelu(*words).out


def test_real_preactivations_have_the_figures_of_their_sums(skewed, tmp_path):
    path = tmp_path / "h.npy"
    np.save(path, skewed)
    answer = gelu("block", "--form", "relu", "--input", path)
    assert answer.columns == OF_DATA
    (row,) = answer.rows
    h = skewed.astype(float)
    f, g = h * erfc(-h / math.sqrt(2)) / 2, np.maximum(h, 0)
    r = math.sqrt(np.sum((g - f) ** 2) / np.sum(f * f))
    assert float(row["relative_rms"]) == pytest.approx(r, rel=1e-11)
    assert float(row["db"]) == pytest.approx(20 * math.log10(r), rel=1e-11)
    normal = gelu(
        "block", "--form", "relu", f"--mean={float(np.mean(h))!r}", "--sigma", float(np.std(h))
    )
    assert float(row["gaussian_relative_rms"]) == pytest.approx(
        float(normal.rows[0]["relative_rms"]), rel=1e-8
    )
    assert float(row["times_gaussian"]) == pytest.approx(
        r / float(row["gaussian_relative_rms"]), rel=1e-8
    )
    squares = np.sum((g - f) ** 2, axis=0)
    assert float(row["top_share"]) == pytest.approx(squares.max() / squares.sum(), rel=1e-11)


def test_the_noise_is_that_of_the_data(skewed):
    h = skewed.astype(float)
    f = h * erfc(-h / math.sqrt(2)) / 2
    rows = gelu("block", "--input", "-", "--view", "formats", stdin=saved(skewed)).rows
    for row, dtype in zip(rows[1:], (np.float16, np.float32), strict=True):
        errors = f.astype(dtype).astype(float) - f
        want = math.sqrt(np.sum(errors**2) / np.sum(f * f))
        # erfc of two libraries differs by units of float64's last place.
        assert float(row["relative_rms"]) == pytest.approx(want, rel=1e-6)


def test_the_moments_stand_beside_those_of_a_normal_distribution(skewed):
    rows = gelu("block", "--input", "-", "--view", "moments", stdin=saved(skewed)).rows
    found = {row["metric"]: row for row in rows}
    numbers = skewed.astype(float).ravel()
    for name, want in (
        ("n", 20000), ("mean", np.mean(numbers)), ("deviation", np.std(numbers)),
        ("skewness", stats.skew(numbers)), ("kurtosis", stats.kurtosis(numbers, fisher=False)),
        ("negative_share", np.mean(numbers < 0)),
    ):  # fmt: skip
        assert float(found[name]["value"]) == pytest.approx(want, rel=1e-10), name
    assert float(found["skewness"]["value"]) < 0 == float(found["skewness"]["normal"])
    share = stats.norm.cdf(-np.mean(numbers) / np.std(numbers))
    assert float(found["negative_share"]["normal"]) == pytest.approx(share, rel=1e-8)


def test_the_units_with_the_largest_r_come_first(skewed):
    rows = gelu(
        "block", "--form", "tanh", "--input", "-", "--view", "units", stdin=saved(skewed)
    ).rows
    assert list(rows[0]) == ["form", "unit", "mean", "deviation", "negative_share",
                             "relative_rms", "share"]  # fmt: skip
    found = [float(row["relative_rms"]) for row in rows]
    assert len(found) == 10
    assert found == sorted(found, reverse=True)
    assert float(rows[0]["mean"]) == pytest.approx(
        np.mean(skewed[:, int(rows[0]["unit"])], dtype=float)
    )


@pytest.mark.parametrize(
    ("words", "text"), [([], b"-1\n0.5 2\n"), (["--column", "h"], b"n,h\n1,-1\n2,0.5\n3,2\n")]
)
def test_numbers_of_text_are_one_unit(words, text):
    (row,) = gelu("block", "--form", "relu", "--input", "-", *words, stdin=text).rows
    h = np.array([-1, 0.5, 2])
    f = h * erfc(-h / math.sqrt(2)) / 2
    want = math.sqrt(np.sum((np.maximum(h, 0) - f) ** 2) / np.sum(f * f))
    assert float(row["relative_rms"]) == pytest.approx(want, rel=1e-11)


@pytest.mark.parametrize("view", ["summary", "formats", "units"])
def test_nothing_is_relative_to_an_f_that_is_0(view):
    answer = run_gelu("block", "--input", "-", "--view", view, stdin=b"-50 -60")
    assert answer.code == 4
    assert "exact is as good as 0 for all these pre-activations" in answer.err
    assert run_gelu("block", "--input", "-", "--view", "moments", stdin=b"-50 -60").code == 0


def test_a_change_too_small_to_tell_has_no_decibels():
    (tanh,) = gelu("block", "--form", "tanh", "--input", "-", stdin=b"1e-60 -2e-60").rows
    assert (tanh["relative_rms"], tanh["db"], tanh["verdict"]) == ("0.0", "NaN", "below")


def test_digits_between_those_of_noise_and_of_data_are_kept():
    (row,) = gelu("block", "--form", "relu", "--input", "-", "-d", 10, stdin=b"-1 0.5 2").rows
    assert [len(row[name].lstrip("0.")) for name in ("relative_rms", "gain")] == [10, 11]


def test_constant_preactivations_have_no_normal_counterpart():
    answer = run_gelu("block", "--form", "tanh", "--input", "-", "-f", "json", stdin=b"1 1 1")
    (row,) = json.loads(answer.out)
    assert answer.code == 0
    assert row["gaussian_relative_rms"] is row["times_gaussian"] is None


def pairs_of(packed, gates, ups):
    """How an array has gates and ups, each (rows, units)."""
    if packed == "halves":
        return np.concatenate([gates, ups], axis=1)
    pairs = np.stack([gates, ups], axis=2)
    return pairs.reshape(len(gates), -1) if packed else pairs


@pytest.mark.parametrize("packed", ["halves", "interleaved", ""])
def test_gates_and_ups_have_the_figures_of_their_sums(skewed, packed):
    """F is GELU or ReLU of min(h, ½); ups are clamped to −1 … 1, plus ¼."""
    u = np.random.default_rng(6).standard_normal(skewed.shape).astype(np.float32)
    layout = ["--packed", packed] if packed else []
    words = ["block", "--glu", "--form", "relu", "--gate-limit", "1/2", "--up-limit", 1,
             "--up-offset", "1/4", "--input", "-", *layout]  # fmt: skip
    array = saved(pairs_of(packed, skewed, u))
    answer = gelu(*words, stdin=array)
    assert answer.columns == OF_DATA
    (row,) = answer.rows
    h = np.minimum(skewed.astype(float), 0.5)
    c, inside = np.clip(u.astype(float), -1, 1) + 0.25, np.abs(u) <= 1
    below, phi = skewed <= 0.5, np.exp(-h * h / 2) / math.sqrt(2 * math.pi)
    phi_of_h = erfc(-h / math.sqrt(2)) / 2
    f, g = h * phi_of_h, np.maximum(h, 0)
    d = (g - f) * c
    square = np.sum((f * c) ** 2)
    slopes = (phi_of_h + h * phi) * below, (h > 0) * below
    change = np.sum(((slopes[1] - slopes[0]) * c) ** 2 + ((g - f) * inside) ** 2)
    whole = np.sum((slopes[0] * c) ** 2 + (f * inside) ** 2)
    centred = np.sum((d - d.mean(axis=0)) ** 2)
    cosine = np.sum(f * g * c * c) / math.sqrt(square * np.sum((g * c) ** 2))
    for name, want in (
        ("relative_rms", math.sqrt(np.sum(d * d) / square)),
        ("relative_rms_centred", math.sqrt(centred / square)),
        ("gain", math.sqrt(np.sum((g * c) ** 2) / square)),
        ("one_minus_cosine", 1 - cosine),
        ("gradient_relative_rms", math.sqrt(change / whole)),
    ):
        assert float(row[name]) == pytest.approx(want, rel=1e-10), name
    (moments, *_) = gelu(*words[:2], *words[10:], "--view", "moments", stdin=array).rows
    assert float(moments["value"]) == skewed.size


def test_the_noise_of_products_is_that_of_the_data(skewed):
    """Rounded by numpy: the product alone, or F(gate) to float32 and then the product."""
    u = np.random.default_rng(6).standard_normal(skewed.shape).astype(np.float32)
    h = skewed.astype(float)
    f = h * erfc(-h / math.sqrt(2)) / 2
    words = ["block", "--glu", "--input", "-", "--view", "formats"]
    for more in ([], ["--intermediate", "float32"]):
        rows = gelu(*words, *more, stdin=saved(np.stack([skewed, u], axis=2))).rows
        once = f.astype(np.float32).astype(float) if more else f
        for row, dtype in zip(rows[1:], (np.float16, np.float32), strict=True):
            errors = (once * u).astype(dtype).astype(float) - f * u
            want = math.sqrt(np.sum(errors**2) / np.sum((f * u) ** 2))
            assert float(row["relative_rms"]) == pytest.approx(want, rel=1e-6)


def test_the_model_of_two_roundings_is_that_of_independent_ones():
    words = ["block", "--glu", "--target", "relu", "--view", "formats"]
    twice = gelu(*words, "--intermediate", "bfloat16").rows
    once, alone = gelu(*words).rows, gelu(*words[:1], *words[2:]).rows
    for row, product in zip(twice, once, strict=True):
        for name in ("relative_rms", "usual_model"):
            want = math.hypot(float(product[name]), float(alone[0][name]))
            # Half a ninth digit of what is printed, and as much of what it is made of.
            assert float(row[name]) == pytest.approx(want, rel=1e-8)


def test_a_gated_block_has_three_matrices():
    words = ["block", "--glu", "--form", "elu", "--target", "relu", "-f", "table"]
    out = run_gelu(*words, "--shape", "4096,11008", "--gate-limit", 7).out
    for fact in ("135,266,304 parameters", "270,532,608 flops", "F(min(x, 7))·u", "ups ~ N(0, 1²)"):
        assert fact in out


def test_ups_that_are_clamped_nearby_leave_the_noise_unknown_and_r_as_it_is():
    words = ["block", "--glu", "--form", "elu", "--target", "relu"]
    answer, (free,) = run_gelu(*words, "--up-limit", 1), gelu(*words).rows
    (row,) = answer.rows
    assert (row["relative_rms"], row["gain"]) == (free["relative_rms"], free["gain"])
    assert row["gradient_relative_rms"] != free["gradient_relative_rms"]
    assert (row["times_bfloat16"], row["verdict"]) == ("NaN", "")
    assert "above a 7th of the up limit" in answer.err


def test_what_a_gated_block_does_not_use_is_refused(tmp_path):
    odd, pair = tmp_path / "odd.npy", tmp_path / "pair.npy"
    np.save(odd, np.ones((4, 3)))
    bad = np.ones((2, 3, 2))
    bad[1, 2, 1] = np.inf
    np.save(pair, bad)
    assert_all_refused(
        "block",
        cases=[
            ("--up-limit 1", "--up-limit is for kernels of two inputs; add --glu"),
            ("--glu --packed halves", "--packed is for --input FILE"),
            ("--glu --up-limit=-1", "--up-limit must be 0 or a positive number"),
            ("--glu --up-limit 0", "--up-limit 0 makes every up 0; add --up-offset B"),
            (f"--glu --input {odd}", "gates and ups need shape (…, 2), or --packed LAYOUT"),
            (f"--glu --input {odd} --packed halves", "gates and ups need an even last axis"),
            (f"--glu --input {pair}", "h[1, 2, 1] is inf"),
            (f"--glu --input {pair} --column h", "leave --glu out"),
            (f"--glu --input {pair} --view moments --up-limit 1", "--up-limit is for --view"),
        ],
    )


def test_what_it_does_not_use_is_refused(tmp_path):
    path = tmp_path / "h.npy"
    np.save(path, np.ones((2, 3)))
    bad = tmp_path / "bad.npy"
    np.save(bad, np.array([[1.0, 2.0], [np.nan, 0.0]]))
    whole = tmp_path / "whole.npy"
    np.save(whole, np.arange(3))
    assert_all_refused(
        "block",
        cases=[
            ("--sigma 0", "sigma must be positive"),
            ("--sigma=-1", "sigma must be positive"),
            ("--seed 3", "--seed is for --samples N; add it"),
            ("--samples 1", "--samples", "from 2"),
            ("--shape 768", "--shape '768' must be two widths"),
            ("--shape 0,3", "--shape"),
            ("--dtype int8", "--dtype", "int8"),
            ("--view units", "add --input FILE"),
            ("--column h", "--column is for --input FILE"),
            ("--view formats --form tanh", "--form is for --view summary, units"),
            (f"--input {path} --mean 1", "--mean is for h ~ N(M, S²)"),
            (f"--input {path} --samples 100", "--samples is for h ~ N(M, S²)"),
            (f"--input {path} --shape 3,4", "--shape is for h ~ N(M, S²)"),
            (f"--input {bad}", "h[1, 0] is nan"),
            (f"--input {whole}", "holds int64", "convert"),
            (f"--input {tmp_path / 'none.npy'}", "none.npy"),
        ],
    )
