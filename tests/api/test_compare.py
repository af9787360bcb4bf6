"""`compare`, the command and the function: against fractions, and its own options."""

import json
import math
import re
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from gelu_cli import compare, sweep
from tests.api.test_sweep import E5M2, SUMMARY, right, spoilt, tabled
from tests.runner import gelu
from tests.truth import exact

SOME = ("--dtype", E5M2, "--range", "-4:4", "-q")
COLUMNS = {
    "summary": f"{SUMMARY} differ differ_share nearer",
    "regions": "low high inputs differ nearer_a nearer_b max_ulp_a max_ulp_b",
    "worst": "x a b want a_ulp b_ulp",
}
FILES = {
    "glu.py": "import numpy as np\n"
    "def once(gate, up):\n"
    "    return (np.maximum(gate.astype(np.float32), 0) * up).astype(gate.dtype)\n"
    "def half(gate, up):\n"
    "    return once(gate, up) / gate.dtype.type(2)\n"
}


INSIDE = tuple(x for x in exact.all_numbers(E5M2) if -16 <= x <= 16)


def distance(x, got):
    """How far a result is from the exact value: less is nearer; then what is due, or is not."""
    y = exact.true_value("exact", "value", x)
    if math.isinf(want := exact.rounded(E5M2, y)):
        return 0 if got == want else math.inf
    return abs(Fraction(got) - y) if math.isfinite(got) else math.inf


def differences(a, b):
    """Yield x, both results and both distances where bits differ; a NaN is a NaN."""
    x = np.array(INSIDE, E5M2)
    results = (kernel(x).astype(float).tolist() for kernel in (a, b))
    for x, one, other in zip(INSIDE, *results, strict=True):
        if repr(one) != repr(other):
            yield x, one, other, distance(x, one), distance(x, other)


@pytest.mark.parametrize("seed", [1, 3])
def test_differences_are_those_of_fractions(seed):
    a, b = spoilt(E5M2, seed), spoilt(E5M2, seed + 10)
    options = {"dtype": E5M2, "range": "-16:16"}
    found, slow = compare(a, b, **options, worst=1000), list(differences(a, b))
    assert [each.differ for each in found] == [len(slow)] * 2
    assert len(slow) > 50
    weights = dict(zip(map(repr, INSIDE), exact.weights(E5M2, INSIDE), strict=True))
    share = sum(weights[repr(x)] for x, *_ in slow)
    assert float(found[0].differ_share) == pytest.approx(float(share), rel=1e-3)
    assert found[0].nearer == sum(one < other for *_, one, other in slow)
    assert found[1].nearer == sum(other < one for *_, one, other in slow)
    for side, kernel in zip(found, (a, b), strict=True):
        alone, mine = sweep(kernel, **options).to_dict(), side.to_dict()
        assert [name for name in alone if repr(alone[name]) != repr(mine[name])] in ([], ["kernel"])

    def apart(x, one, other):
        unit = exact.ulp(E5M2, exact.true_value("exact", "value", x))
        finite = math.isfinite(one) and math.isfinite(other)
        return abs(Fraction(one) - Fraction(other)) / unit if finite else math.inf

    worst = found.view("worst")
    sizes = [apart(row["x"], row["a"], row["b"]) for row in worst]
    assert sizes == sorted((apart(*each[:3]) for each in slow), reverse=True)[: len(worst)]
    assert len(worst) >= 20
    at = {repr(x): (one, other) for x, one, other, *_ in slow}
    for row in worst:
        assert repr((row["a"], row["b"])) == repr(at[repr(row["x"])])
        assert row["want"] == float(right(E5M2)[np.array(row["x"], E5M2).view(np.uint8)])
        if row["a_ulp"] is not None:
            y = exact.true_value("exact", "value", row["x"])
            error = float(abs(Fraction(row["a"]) - y) / exact.ulp(E5M2, y))
            assert row["a_ulp"] == pytest.approx(error, rel=1e-14, abs=1e-40)


def test_regions_add_up_to_the_summary():
    found = compare(spoilt(E5M2, 5), "erfc", dtype=E5M2, range="-16:16")
    regions = found.view("regions")
    for name in ("inputs", "differ"):
        assert sum(row[name] for row in regions) == getattr(found[0], name)
    for side, verdict in zip("ab", found, strict=True):
        assert sum(row[f"nearer_{side}"] for row in regions) == verdict.nearer
        assert max(row[f"max_ulp_{side}"] or 0 for row in regions) == verdict.max_ulp
    assert [row["low"] for row in regions] == sorted(row["low"] for row in regions)


def test_columns_and_rows():
    for view, columns in COLUMNS.items():
        run = gelu("compare", "erf_sum", "erfc", *SOME, "-f", "csv", "--view", view)
        assert (run.code, run.err) == (0, "")
        assert list(run.rows[0]) == columns.split()
    rows = gelu("compare", "erf_sum", "erfc", *SOME, "-f", "csv").rows
    assert [row["kernel"] for row in rows] == ["erf_sum", "erfc"]
    assert {row["differ_share"] for row in rows} == {"0.3118"}
    assert (
        len(
            gelu(
                "compare", "erf_sum", "erfc", *SOME, "-f", "csv", "--view", "worst", "--worst", 2
            ).rows
        )
        == 2
    )


def test_pairs_have_second_inputs(folder):
    kernels = ("glu.py:once", "glu.py:half", "--form", "relu")
    views = gelu("compare", *kernels, *SOME, "--glu", "--up", "1,2", "-f", "json", "--view", "all")
    worst, regions = (views.json[name] for name in ("worst", "regions"))
    assert list(worst[0]) == ["x", "up", "a", "b", "want", "a_ulp", "b_ulp"]
    assert all(row["a"] == 2 * row["b"] == row["x"] * row["up"] for row in worst)
    assert list(regions[0])[:4] == ["low", "high", "up_low", "up_high"]
    nearer = [row["nearer"] for row in views.json["summary"]]
    assert nearer == [sum(row["nearer_a"] for row in regions), 0]


def test_the_same_kernel_twice_and_in_two_ways(folder):
    same = gelu("compare", "erfc", "erfc", *SOME, "-f", "csv").rows
    assert [row["kernel"] for row in same] == ["erfc", "erfc (2)"]
    assert {(row["differ"], row["nearer"]) for row in same} == {("0", "0")}
    gelu("compare", "erfc", "erfc", *SOME, "-o", "same.json")
    assert gelu("check", "same.json", "--view", "worst", "-f", "csv").code == 0  # no rows
    programs = gelu("compare", "--exec", "cat", "--exec", "cat", *SOME, "-f", "csv")
    assert [row["kernel"] for row in programs.rows] == ["cat", "cat (2)"]
    mixed = gelu("compare", "erfc", "--exec", "cat", *SOME, "-f", "csv").rows
    assert [row["kernel"] for row in mixed] == ["erfc", "cat"]
    two = gelu("compare", "erf_sum", "erf_sum:compute=float64", *SOME, "-f", "csv").rows
    assert [row["kernel"] for row in two] == ["erf_sum", "erf_sum:compute=float64"]
    assert (int(two[1]["misrounded"]), int(two[1]["nearer"])) == (0, int(two[0]["differ"]))


def test_auto_is_the_form_that_is_nearest_to_the_first():
    for kernels, form in {("tanh_sum", "erfc"): "tanh", ("erfc", "tanh_sum"): "exact"}.items():
        options = {"dtype": "float16", "range": "-6:6", "compute": "float32", "form": "auto"}
        found = compare(*kernels, **options)
        assert [each.form for each in found] == [form, form]


def test_a_terminal_has_words_one_small_table_and_three_inputs():
    run = gelu("compare", "erf_sum", "erfc", "--dtype", "bfloat16", "-q", terminal=True)
    lines = run.out.splitlines()
    assert len(lines) <= 40
    said = re.sub(r"\s+", " ", run.out)
    assert said.startswith(
        " erf_sum and erfc differ at 628 of 65,280 inputs; erf_sum is nearer to the exact value at "
        "101 inputs, erfc at 527. For inputs from N(0, 1) a share of 0.2728 of the results differs."
    )
    table = run.out.partition(": worst")[2]
    assert re.findall(r"^ *(-\d+\.\d+) ", table, re.MULTILINE) == ["-12.5", "-12.9375", "-11.875"]
    same = gelu("compare", "erfc", "erfc", *SOME, terminal=True).out
    assert "erfc and erfc (2) differ at 0 of 138 inputs" in re.sub(r"\s+", " ", same)


def test_json_is_a_record_with_every_view(tmp_path):
    path = tmp_path / "two.json"
    run = gelu("compare", "erf_sum", "erfc", "--dtype", E5M2, "--range", "-4:4", "-o", path)
    assert re.search(r"erf_sum and erfc differ at \d+ of 138 inputs; written to", run.err)
    record = json.loads(path.read_text())
    assert list(record["views"]) == ["summary", "regions", "worst", "plot"]
    assert [each["name"] for each in record["environment"]["kernels"]] == ["erf_sum", "erfc"]
    assert record["command"].startswith("gelu compare erf_sum erfc --dtype")
    assert record["verdict"][0].startswith("erf_sum and erfc differ at")
    assert gelu("check", path, "-f", "csv").rows[0]["kernel"] == "erf_sum"
    assert gelu("sweep", "erfc", *SOME, "--baseline", path).code == 0


def test_a_comparison_has_the_verdicts_on_both(tmp_path):
    found = compare("erf_sum", tabled(right(E5M2)), dtype=E5M2, range="-4:4")
    a, b = found
    assert list(a.to_dict())[-3:] == ["differ", "differ_share", "nearer"]
    assert a.differ == b.differ >= b.nearer > a.nearer == 0
    found.save(tmp_path / "two.json")
    with pytest.raises(AssertionError, match=r"erf_sum: .* exceeds --max-ulp 2"):
        a.assert_within(max_ulp=2)
    b.assert_no_worse(tmp_path / "two.json")
    other = compare("tanh_sum", "erf_sum", dtype=E5M2, range="-4:4")
    other[1].assert_no_worse(tmp_path / "two.json")
    assert list(found.to_dict())[-3:] == ["differ", "differ_share", "nearer"]
    assert found.to_dict()["nearer"] == [0, b.nearer]
    assert len(found.to_pandas()) == 2
    assert "erf_sum" in str(found)


REFUSED = {
    ("erfc",): "two kernels are needed, not 1; name two",
    (): "no kernel; name a routine",
    ("erfc", "erf_sum", "--exec", "cat"): "two kernels are needed, not 3",
    ("erfc", "new.json"): "new.json is a record, the other is not",
    ("erfc", "logistic", "--worst", "0"): "--worst is 0; give a whole number from 1",
    ("erfc", "logistic", "--signature", "scalar"): "--signature is not for erfc",
    ("erfc", "logistic", "--view", "profile"): "unknown view 'profile'",
    ("old.json", "new.json"): "cannot read 'old.json'",
}


def test_lines_that_cannot_be_meant_are_refused():
    for words, message in REFUSED.items():
        run = gelu("compare", *words)
        assert (run.code, run.out) == (2, ""), words
        assert message in run.err.replace("\n", " "), words
    for words in (("erfc", "logistic", "--max-ulp", "2"), ("erfc", "logistic", "--baseline", "b")):
        run = gelu("compare", *words)
        assert (run.code, "No such option" in run.err) == (2, True)


def test_of_equal_errors_neither_is_nearer():
    kernels = [lambda x, off=off: np.where(x > 0, x + off, 0).astype("f4") for off in (0.5, -0.5)]
    found = compare(*kernels, dtype=E5M2, result="float32", form="relu")
    assert found[0].differ > 100
    assert (found[0].nearer, found[1].nearer) == (0, 0)


def test_nans_of_any_payload_are_one_and_zeros_are_two():
    zero, minus = ml_dtypes.float8_e5m2(0.0), ml_dtypes.float8_e5m2(-0.0)
    nan = np.array([0x7D, 0xFE], np.uint8).view(E5M2)
    found = compare(
        lambda x: np.where(x > 0, nan[0], zero),
        lambda x: np.where(x > 0, nan[1], minus),
        dtype=E5M2,
        form="relu",
    )
    negative = len(exact.all_numbers(E5M2)) // 2
    assert (found[0].differ, found[0].nearer, found[1].nearer) == (negative + 1, 0, 0)
