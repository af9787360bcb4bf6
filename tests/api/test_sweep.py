"""`sweep`, the command and the function: against fractions, planted faults, and its own options."""

import json
import math
import os
import re
import signal
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product

import ml_dtypes
import numpy as np
import pandas
import pytest

from gelu_cli import check, sweep
from tests.runner import gelu
from tests.truth.exact import Asked, all_numbers, rounded, true_value
from tests.truth.fractions import views
from tests.truth.mpmath import FORMS, M, decimal_of

E5M2, E4M3 = "float8_e5m2", "float8_e4m3fn"
SUMMARY = (
    "kernel dtype form quantity inputs exhaustive max_ulp max_ulp_x max_ulp_x_bits mean_ulp "
    "over_half_ulp over_1_ulp misrounded wrong_nan wrong_inf wrong_sign wrong_zero wrong_special "
    "non_monotone max_ordinal max_ordinal_x max_abs_error max_abs_x max_rel_error rms_error "
    "noise_ratio unrepeatable"
)
COLUMNS = {
    "summary": SUMMARY,
    "regions": "kernel low high inputs max_ulp max_ulp_x mean_ulp over_1_ulp",
    "worst": "kernel x x_bits got want exact ulp ordinal",
    "profile": "kernel bound low high share left_out",
    "criteria": "kernel criterion inputs verdict found threshold x",
    "plot": "kernel low high max_ulp",
}
OF_PAIRS = {
    "summary": re.sub(r"(max_\w+_)x(_bits)?\b", r"\g<0> \1up\2", SUMMARY),
    "regions": COLUMNS["regions"]
    .replace("high", "high up_low up_high")
    .replace("_x", "_x max_ulp_up"),
    "worst": COLUMNS["worst"].replace("x_bits", "x_bits up up_bits"),
    "criteria": f"{COLUMNS['criteria']} up",
    "plot": COLUMNS["plot"].replace("high", "high up_low up_high"),
}


@cache
def right(dtype, form="exact"):
    """Correctly rounded results by bit pattern, of NaN and infinities too."""
    results = np.full(256, np.nan, dtype)
    if dtype == E5M2:
        results[[0x7C, 0xFC]] = math.inf, -0.0
    for x in all_numbers(dtype):
        y = rounded(dtype, true_value(form, "value", x))
        results[np.array(x, dtype).view(np.uint8)] = y
    return results


def tabled(results):
    """A kernel that looks its results up."""
    return lambda x: results[x.view(np.uint8)]


def spoilt(dtype, seed):
    """A kernel whose results are random at every third input."""
    random = np.random.default_rng(seed)
    some = random.integers(0, 256, 256).astype(np.uint8).view(dtype)
    return tabled(np.where(random.random(256) < 1 / 3, some, right(dtype)))


def with_fault(dtype, x, got):
    results = right(dtype).copy()
    results[np.array(x, dtype).view(np.uint8)] = got
    return tabled(results)


def differences(found, asked, kernel, *ups):
    """Columns that differ from those of fractions."""
    x = [*all_numbers(asked.dtype), *[math.inf, -math.inf] * (asked.dtype == E5M2), math.nan]
    inputs = list(product(all_numbers(asked.dtype) if ups else x, *([ups] if ups else [])))
    got = kernel(*(np.array(each).astype(asked.dtype) for each in zip(*inputs, strict=True)))
    rows = [(*each, y) for each, y in zip(inputs, got.astype(float).tolist(), strict=True)]
    want, wrong = views(asked, rows), {}
    left_out = ["left_out", "saturated"] + ["wrong_special"] * bool(ups)
    tables = {"summary": [want["summary"]], "regions": want["regions"], "profile": want["profile"]}
    for view in ("summary", "regions") if ups else tables:
        shown = found.view(view)
        assert len(shown) == len(tables[view])
        for place, (row, right) in enumerate(zip(shown, tables[view], strict=True)):
            for name in row.keys() & right.keys() - {*(left_out if view == "summary" else [])}:
                value, expected = row[name], right[name]
                if isinstance(expected, Fraction | float):
                    value = float(value)
                    expected = pytest.approx(float(expected), rel=2e-4, abs=1e-12)
                if value != expected:
                    wrong[view, place, name] = value, expected
    return wrong


@pytest.mark.parametrize("dtype", [E5M2, E4M3])
def test_a_summary_is_that_of_fractions(dtype):
    for seed in range(3):
        kernel = spoilt(dtype, seed)
        assert differences(sweep(kernel, dtype=dtype), Asked(dtype=dtype), kernel) == {}


def test_errors_have_as_many_digits_as_asked_for():
    """0 for x = 1 is off by GELU(1)/2⁻³ ULP; each digit is right."""
    results = with_fault(E5M2, 1.0, 0.0)
    found = sweep(results, dtype=E5M2, digits=40)
    assert found.max_ulp == decimal_of(8 * FORMS["exact"](M.mpf(1)), 40)
    row = gelu("sweep", "erfc", "--dtype", E5M2, "--digits", 3, "-f", "csv").rows[0]
    assert len(row["max_ulp"].replace(".", "").strip("0")) <= 3


FAULTS = {  # the result at x = −1, where −0.15625 is right: the columns that count it
    math.nan: {"wrong_nan"},
    math.inf: {"wrong_inf"},
    0.15625: {"wrong_sign", "over_half_ulp", "over_1_ulp", "misrounded", "non_monotone"},
    0.0: {"wrong_zero", "over_half_ulp", "over_1_ulp", "misrounded", "non_monotone"},
    -0.1875: {"over_half_ulp", "misrounded", "non_monotone"},
}


def test_a_planted_fault_is_counted_once_and_breaks_bounds():
    counts = set().union(*FAULTS.values())
    clean = sweep(tabled(right(E5M2)), dtype=E5M2)
    assert clean.max_ulp <= 0.5
    for got, named in FAULTS.items():
        found = sweep(with_fault(E5M2, -1.0, got), dtype=E5M2)
        changed = {name for name in counts if getattr(found, name) != getattr(clean, name)}
        assert changed - {"non_monotone"} == named - {"non_monotone"}, got
        assert all(getattr(found, name) == 1 for name in changed - {"non_monotone"})
        with pytest.raises(AssertionError, match="x = -1" if got != 0.15625 else "sign"):
            found.assert_within(max_ulp=0.5, max_abs=1, max_rel=10)


# What was wrong in earlier versions


def test_what_saturates_or_changes_is_noted():
    def largest(x):
        return np.minimum(x, 448).astype(ml_dtypes.float8_e4m3fn)

    def flips(x):
        flips.calls += 1
        return (x + flips.calls).astype(x.dtype)

    flips.calls = 0
    asked = {"dtype": "float16", "form": "relu"}
    (beyond,) = sweep(largest, **asked, result=E4M3, range="512:512").notes
    assert beyond.endswith("the largest number in place of an exact value beyond: 1")
    (changes,) = sweep(flips, **asked, range="1:1").notes
    assert changes.endswith("inputs whose results change from call to call: 1")


def test_headings_spell_words_as_people_do():
    text = sweep("erfc", dtype=E5M2).answer.table("summary").heading
    assert (text("wrong_nan"), text("rms_error")) == ("wrong NaN", "RMS error")


def test_an_error_beyond_float64_is_printed():
    """x at the least float64 is off by |x|/2⁻¹⁰⁷⁴ ULP of 0."""
    largest = Fraction(np.finfo(float).max) * 2**1074
    found = sweep(lambda x: x, dtype="float64", range="-1.8e308:-1e308", samples=1)
    assert found.max_ulp_x == -np.finfo(float).max
    assert Decimal("3.6385714125121573E+631") == found.max_ulp
    assert abs(Fraction(found.max_ulp) - largest) < largest / 10**16
    with pytest.raises(AssertionError, match=r"max_ulp 3\.63857e\+631 at x"):
        found.assert_within(max_ulp=1)


def test_steps_to_0_are_counted_in_each_block():
    found = sweep(np.zeros_like, dtype="float32", range="1:1.875", all=True)
    y = np.float32(1.875 * math.erfc(-1.875 / math.sqrt(2)) / 2)
    assert (found.max_ordinal_x, found.max_ordinal) == (1.875, int(y.view(np.int32)))


def test_values_that_no_float64_holds_are_on_the_right_side():
    least = sweep(lambda x: np.full_like(x, 2**-9), dtype=E4M3, form="softplus", range="-448:-9")
    assert (least.max_ulp, least.over_1_ulp) == (1.0, 0)  # the unit, less softplus(x) > 0
    found = sweep("erfc", dtype=E5M2, range="-1000:-100")
    assert (found.mean_ulp, found.max_abs_error) == (0.0, Decimal("5.08025E-2725"))
    tanh = check([0.875, -13, -104], [0.6875, -0.28125, 0.171875], dtype=E4M3, form="tanh")
    assert tanh.non_monotone == 0  # tanh(−104) > tanh(−13), as the form and the results


def test_a_kernel_that_is_nan_everywhere_breaks_every_bound(tmp_path):
    nans = tabled(np.full(256, np.nan, E5M2))
    sweep(tabled(right(E5M2)), dtype=E5M2).save(tmp_path / "base.json")
    found = sweep(nans, dtype=E5M2)
    assert (found.max_ulp, found.max_abs_error, found.wrong_nan) == (None, None, found.inputs)
    for bound in ("max_ulp", "max_abs", "max_rel"):
        with pytest.raises(AssertionError, match="wrong NaNs: 248, NaN at x = 0"):
            found.assert_within(**{bound: 1e300})
    with pytest.raises(AssertionError, match="wrong_nan is"):
        found.assert_no_worse(tmp_path / "base.json")


def test_the_worst_begin_with_a_failure_of_each_kind_and_the_largest_error():
    results = right(E5M2).copy()
    x = np.arange(256).astype(np.uint8).view(E5M2).astype(float)
    results[(x > 1) & (x < 64)] = math.inf
    results[(x < -1) & (x > -64)] = math.nan
    found = sweep(tabled(results), dtype=E5M2)
    worst = found.view("worst")
    assert [math.isnan(row["got"]) for row in worst[:2]] == [False, True]
    assert [row["ulp"] for row in worst[:2]] == [None, None]
    assert (worst[2]["x"], worst[2]["ulp"]) == (found.max_ulp_x, found.max_ulp)
    finite = [row["ulp"] for row in worst[2:]]
    assert finite == sorted(finite, reverse=True)
    shown = gelu("sweep", "tests.api.test_sweep:failing", "--dtype", E5M2, terminal=True)
    table = shown.out.partition(": worst")[2]
    assert re.findall("inf|NaN", table) == ["inf", "NaN"]


def failing(x):
    """A kernel that is infinite beyond 1 and NaN below −1; the command line finds it by name."""
    y = right(E5M2)[x.view(np.uint8)].copy()
    y[(x > 1) & (x < 64)] = math.inf
    y[(x < -1) & (x > -64)] = math.nan
    return y


def geglu(gate, up):
    return (right(E5M2)[gate.view(np.uint8)].astype(float) * up.astype(float)).astype(gate.dtype)


def turned(up, gate):
    return geglu(gate, up)


def diffusers(packed):
    """As in diffusers: `x, gate = packed.chunk(2)`; x·GELU(gate)."""
    x, gate = np.split(packed, 2, axis=-1)
    return geglu(gate, x)


def relu_backward(upstream, up, gate):
    """Of relu(gate)·up where gate > 0: (dup, dgate)."""
    return gate, up


HERE = "tests.api.test_sweep:"


# Pairs


def test_pairs_are_those_of_fractions():
    found, asked = sweep(geglu, dtype=E5M2, glu=True, up=[3, -0.3125]), Asked(dtype=E5M2, two=True)
    assert differences(found, asked, geglu, 3.0, -0.3125) == {}


def test_up_first_is_the_other_order_in_every_way():
    usual = sweep(geglu, dtype=E5M2, glu=True, up=[3, -2])
    same = {
        "up first": sweep(turned, dtype=E5M2, glu=True, up=[3, -2], up_first=True),
        "packed": sweep(
            diffusers, dtype=E5M2, glu=True, up=[3, -2], packed="halves", up_first=True
        ),
    }
    for name, found in same.items():
        assert {**found.to_dict(), "kernel": "geglu"} == usual.to_dict(), name
    swapped = sweep(turned, dtype=E5M2, glu=True, up=[3, -2])
    assert swapped.max_ulp > 8
    backward = {"dtype": E5M2, "form": "relu", "glu": True, "up": [3, -2], "range": "1:4"}
    for quantity in ("gate_gradient", "up_gradient"):
        found = sweep(relu_backward, quantity=quantity, backward=True, up_first=True, **backward)
        assert found.max_ulp == 0, quantity


def times(upstream, x):
    return (upstream.astype(float) * (x > 0)).astype(x.dtype)


def test_upstream_gradients_multiply_the_gradient():
    one = sweep(times, dtype=E5M2, form="relu", backward=True, up=3)
    assert (one.quantity, one.max_ulp, one.kernel) == ("gradient", 0.0, "times")
    several = sweep(times, dtype=E5M2, form="relu", backward=True, up=["3", "1/2"])
    assert (several.max_ulp, several.exhaustive) == (0.0, "no")
    assert several.inputs == 2 * one.inputs
    every = sweep(times, dtype=E5M2, form="relu", backward=True, up="all", range="1:1.5")
    assert (every.max_ulp, every.exhaustive, every.inputs) == (0.0, "yes", 3 * one.inputs)


# Views, formats, records


def test_views_have_the_columns_of_the_contract():
    found = sweep("erfc", dtype=E5M2)
    for view, columns in COLUMNS.items():
        assert list(found.answer.table(view).columns) == columns.split(), view
    assert list(found.to_dict()) == SUMMARY.split()
    pairs = sweep(geglu, dtype=E5M2, glu=True, up=[3])
    for view, columns in OF_PAIRS.items():
        assert list(pairs.answer.table(view).columns) == columns.split(), view
    assert set(pairs.to_dict()) == set(OF_PAIRS["summary"].split())


def as_json(rows):
    return json.loads(re.sub(r"-?Infinity|NaN", r'"\g<0>"', json.dumps(rows, default=float)))


def test_the_command_prints_what_the_function_returns():
    found = sweep(["erf_sum", "erfc:compute=float32"], dtype=E5M2, range="-4:4")
    line = ("sweep", "erf_sum", "erfc:compute=float32", "--dtype", E5M2, "--range", "-4:4")
    whole = gelu(*line, "--view", "all", "-f", "json").json
    assert list(whole) == list(COLUMNS)
    for view, rows in whole.items():
        assert rows == as_json(found.view(view)), view
    assert pandas.DataFrame(list(found)).loc[1, "kernel"] == "erfc:compute=float32"
    printed = gelu(*line, "-f", "csv")
    assert [row["max_ulp"] for row in printed.rows] == [repr(each.max_ulp) for each in found]


def test_json_is_the_record(tmp_path):
    base = tmp_path / "base.json"
    line = ("sweep", "erfc", "--dtype", E5M2)
    assert gelu(*line, "-o", base).err.startswith("gelu: erfc: max ULP ")
    record = json.loads(base.read_text())
    assert list(record) == ["gelu", "command", "question", "environment", "verdict", "views"]
    assert record["command"] == f"gelu sweep erfc --dtype {E5M2} -o {base}"
    assert list(record["views"]) == list(COLUMNS)
    other = gelu("sweep", "tanh_sum", "--dtype", E5M2, "--baseline", base)
    assert (other.code, "over_half_ulp is" in other.err) == (1, True)


def test_criteria_are_of_the_users_tolerance_and_of_draws():
    found = sweep("erfc", dtype="float16", sigma=2, rtol="1e-3", atol=0)
    rows = found.view("criteria")
    assert rows[0]["criterion"] == "rtol=0.001,atol=0"
    assert {row["inputs"] for row in rows} == {"judged", "N(0, 2²)"}
    line = ("sweep", "erfc", "--dtype", E5M2, "--view", "criteria", "-f", "csv")
    names = [row["criterion"] for row in gelu(*line).rows]
    assert {"torch.testing.assert_close", "numpy.allclose", "pcc_0.99", "tightest_atol"} <= {*names}


def test_a_picture_has_a_curve_for_each_kernel_and_a_map_for_pairs():
    picture = sweep(["erf_sum", "erfc"], dtype=E5M2, max_ulp=2).answer.picture()
    assert list(picture.curves) == ["erf_sum", "erfc"]
    assert np.nanmax(picture.curves["erfc"]) == sweep("erfc", dtype=E5M2).max_ulp
    assert list(picture.levels.values()) == [0.5, 2.0]
    pairs = sweep(geglu, dtype=E5M2, glu=True, up=[3, -2])
    errors = pairs.answer.picture().curves["geglu"]
    assert errors[np.isfinite(errors)].max() == pairs.max_ulp


SCREENS = [
    ("erf_sum", "--dtype", "float16", "--range", "-8:8", "--max-ulp", 2),
    ("erf_sum", "erfc", "tanh_sum", "--dtype", E5M2),
    (f"{HERE}geglu", "--glu", "--dtype", E5M2, "--up", 3),
    (f"{HERE}failing", "--dtype", E5M2),
    ("erfc", "--samples", 100),
]


def test_a_terminal_shows_sentences_and_two_tables_on_one_screen():
    for words in SCREENS:
        shown = gelu("sweep", *words, terminal=True)
        lines = f"{shown.out}{shown.err}".splitlines()
        assert len(lines) <= 40, words
        assert max(map(len, shown.out.splitlines())) <= 80
        head, _, worst = shown.out.partition(": worst")
        assert re.search("ULP|inputs", head)
        assert 1 <= len([line for line in worst.splitlines()[4:] if line.strip()]) <= 3


# Inputs


def test_samples_and_ranges():
    assert sweep("erfc", samples=100).inputs == 100
    some, more = (sweep("erfc", samples=5000, seed=seed) for seed in (0, 1))
    assert (some.exhaustive, some.inputs) == ("no", 5000)
    assert more.mean_ulp != some.mean_ulp
    assert sweep("erfc", range="1:1.0001").exhaustive == "yes"
    assert sweep("erfc", dtype="float16", range=(1, 2)).inputs == 1025
    both = sweep("erfc", range="1:1.0001", all=True)
    assert "criteria" not in both.answer.views
    assert both.max_ulp == sweep("erfc", range="1:1.0001").max_ulp


def test_float64s_of_all_sizes_raise_no_warning():
    """Warnings are errors here: differences of float64s overflow as they are compared."""
    assert sweep("erfc", dtype="float64", samples=500).exhaustive == "no"


def test_form_auto_is_the_nearest():
    found = sweep("sigmoid", dtype="float16", form="auto", range="-4:4")
    assert found.form == "sigmoid"
    assert "measured against sigmoid, the nearest form" in found.notes[0]
    assert found.max_ulp == sweep("sigmoid", dtype="float16", form="sigmoid", range="-4:4").max_ulp
    relu_glu = sweep(lambda x, up: x * (x > 0) * up, dtype=E5M2, glu=True, up=[3], form="auto")
    assert (relu_glu.form, relu_glu.max_ulp <= 0.5) == ("relu", True)


def test_form_auto_calls_a_kernel_once_at_few_inputs():
    counts = []
    sweep(lambda x: counts.append(len(x)) or x, dtype="float16", form="auto", range="-4:4")
    assert counts.count(counts[0]) == 1


def test_ftz_accepts_flushed_results():
    results = right(E5M2).copy()
    results[np.abs(results.astype(float)) < ml_dtypes.finfo(E5M2).smallest_normal] = 0
    kernel = tabled(results)
    assert sweep(kernel, dtype=E5M2).max_ulp > 0.5 >= sweep(kernel, dtype=E5M2, ftz=True).max_ulp


REFUSED = {
    ("sweep",): "no kernel",
    ("sweep", "erfc", "--all", "--dtype", "float64"): "2^64 bit patterns",
    ("sweep", "erfc", "--range", "1e-60:1e-50"): "holds no number of float32",
    ("sweep", "erfc", "--worst", 0): "--worst is 0",
    ("sweep", "erfc", "--sigma", 0): "--sigma is 0; give a number above 0",
    ("sweep", "erfc", "--glu"): "--glu is not for erfc",
    ("sweep", "erfc", "--packed", "halves"): "--packed is for kernels of two inputs; add --glu",
    ("sweep", "erfc", "--intermediate", "float16"): "two inputs; add --glu",
    ("sweep", "erfc", "--quantity", "gate_gradient"): "such a kernel has value or gradient",
    ("sweep", "k.py:f", "--backward", "--quantity", "value"): "such a kernel has gradient",
    ("sweep", "k.py:f", "--up", "all,3", "--glu"): "--up is all; give a finite number",
    ("sweep", "k.py:f", "--up", "all", "--glu"): "--up all is for 16 or 8 bits",
    ("sweep", "erfc", "--view", "histogram"): "unknown view 'histogram'",
    ("sweep", "erfc", "--baseline", "none.json", "--dtype", E5M2): "none.json",
}


def test_lines_that_cannot_be_meant_end_with_2():
    for line, part in REFUSED.items():
        run = gelu(*line)
        assert (run.code, run.out) == (2, ""), line
        assert part in run.err, (line, run.err)


# Interrupts and failures


def stop(done, total):
    raise KeyboardInterrupt


def test_an_interrupt_leaves_what_was_measured():
    found = sweep("erfc", samples=300_000, progress=stop)
    assert (found.exhaustive, found.answer.complete) == ("partial", False)
    assert 0 < found.inputs < 300_000
    assert found.max_ulp > 0
    assert found.answer.failures == []
    with pytest.raises(KeyboardInterrupt):
        sweep(interrupting, dtype=E5M2)


def interrupting(x):
    raise KeyboardInterrupt


def interrupting_later(x):
    """Interrupt the program, which calls this from another process, at the last blocks."""
    if len(x) > 10_000 and x.min() < -1e30:
        os.kill(os.getppid(), signal.SIGINT)
    return np.maximum(x, 0)


def test_ctrl_c_ends_with_130_and_the_summary_alone(tmp_path):
    line = ("sweep", f"{HERE}interrupting_later", "--form", "relu", "--samples", 300_000)
    run = gelu(*line, "-f", "json")
    assert run.code == 130
    assert "interrupted" in run.err
    ((row),) = run.json
    assert row["exhaustive"] == "partial"
    record = tmp_path / "record.json"
    assert gelu(*line, "-o", record).code == 130
    assert not record.exists()


def raising(x):
    raise ValueError("no")


def test_a_kernel_that_fails_ends_with_4_and_names_the_inputs():
    run = gelu("sweep", f"{HERE}raising", "--dtype", E5M2)
    assert (run.code, run.out) == (4, "")
    assert re.search(r"inputs, from \S+ to \S+, and raised ValueError: no", run.err)
