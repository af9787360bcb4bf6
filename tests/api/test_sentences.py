"""The sentences on kernels: true, with the numbers of the tables."""

import math
import re

import ml_dtypes
import numpy as np

from gelu_cli import sweep
from gelu_cli.output.tables import to_short_text
from tests.api.test_sweep import E4M3, E5M2, right, spoilt, tabled, with_fault
from tests.truth.exact import all_numbers

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]\d+)?|\binf\b")


def words(kernel, digits=6, **options):
    return sweep(kernel, digits=digits, **{"dtype": E5M2, **options}).answer.sentences


def test_each_number_is_that_of_a_table_printed_the_same():
    kernels = {
        "erf_sum": {"dtype": "bfloat16", "range": "-8:4"},
        "exp_ratio": {"dtype": E4M3, "range": "-8:8"},
        "tanh_sum": {"dtype": "float32", "samples": 500, "range": "-4:4", "mean": 1, "sigma": 0.5},
        spoilt(E5M2, 1): {"range": "-8:8"},
        "logistic": {"quantity": "gradient", "range": "-3:3"},
    }
    for digits, (kernel, options) in zip((6, 3, 6, 3, 6), kernels.items(), strict=True):
        found = sweep(kernel, **{"dtype": E5M2, **options}, digits=digits)
        tables = [found.answer.table(view) for view in ("summary", "profile", "worst")]
        rows = [row for table in tables for row in table.rows()]
        printed = {to_short_text(cell) for row in rows for cell in row}
        text = " ".join(found.answer.sentences)
        text = re.sub(r"N\([^)]*\)|within 1 ULP|float32|of the [0-9.]+ that", "", text)
        assert len(NUMBER.findall(text)) >= 5
        assert [each for each in NUMBER.findall(text) if each not in printed] == [], text


def test_two_to_five_sentences_describe_a_kernel():
    found = words(tabled(right(E5M2)), range="-4:4")
    count = sum(-4 <= x <= 4 for x in all_numbers(E5M2))
    assert found[0] == f"All {count} results are correctly rounded."
    assert found[1].endswith(" times that of correct rounding.")
    for kernel in ("erfc", "tanh_sum", spoilt(E5M2, 3), spoilt(E5M2, 4)):
        found = words(kernel, range="-8:8")
        assert 2 <= len(found) <= 4
        assert all(each[0].isupper() and each.endswith(".") for each in found)
    exact = words(lambda x: np.maximum(x, 0), dtype="float16", form="relu")
    assert exact == [
        "All 63,488 results are correctly rounded.",
        "For inputs N(0, 1) the RMS error is 0, 1.000 times that of correct rounding.",
    ]


FAULTS = {  # the result at x = −1, where −0.15625 is right: what is said of it
    math.nan: ["For -0.875 ≤ x ≤ 57344 every result is within 0.5 ULP", "Wrong NaNs: 1."],
    math.inf: ["Wrong infinities: 1."],
    0.15625: [
        "For -0.875 ≤ x ≤ 57344 every result is within 0.5 ULP",
        "The largest error is 10.0770 ULP at x = -1; wrong signs: 1.",
    ],
    0.0: ["at x = -1; wrong zeros: 1."],
    -0.1875: ["All 248 results are within 1 ULP; not correctly rounded: 1."],
}


def test_a_planted_fault_is_named():
    for got, said in FAULTS.items():
        found = " ".join(words(with_fault(E5M2, -1.0, got)))
        for each in said:
            assert each in found, (got, found)
        assert "wrong" not in found.lower() or got != -0.1875
    nothing = words(tabled(np.full(256, np.nan, E5M2)))
    assert nothing == ["Wrong NaNs: 248; wrong results at ±∞ or NaN: 2."]


def test_the_interval_around_0_is_that_of_the_profile():
    seen = 0
    for seed in range(6):
        found = sweep(spoilt(E5M2, seed), dtype=E5M2, digits=17)
        row = [row for row in found.view("profile") if row["bound"] <= 1][-1]
        pattern = r"For (\S+) ≤ x ≤ (\S+) every result is within \S+ ULP"
        for said in re.findall(pattern, found.answer.sentences[0]):
            assert tuple(map(float, said)) == (row["low"], row["high"])
            seen += 1
    assert seen >= 2


def test_a_sample_says_that_it_is_one():
    found = words("erfc", dtype="float32", samples=300, range="-2:2")
    assert found[0].endswith("inputs were measured, not all: others may have larger errors.")
    assert "The largest error is ≥ " in found[2]
    assert "not all" not in " ".join(words("erfc"))


def test_pairs_have_both_inputs():
    zero = ml_dtypes.float8_e5m2(0)
    found = words(
        lambda gate, up: np.where(gate == up, zero, np.maximum(gate, zero) * up),
        form="relu",
        glu=True,
        up="1,2",
    )
    text = " ".join(found)
    assert "at x = 1, up = 1" in text
    assert "wrong zeros: 2" in text
    assert "496 inputs were measured, not all" in text


def test_results_that_saturate_are_not_called_right():
    """The exact value of 17 float8_e5m2s is beyond 448, which E4M3 has no infinity for."""
    beyond = sum(x > 464 for x in all_numbers(E5M2))

    def relu(x):
        return np.clip(x.astype(float), 0, 448).astype(E4M3)

    found = words(relu, form="relu", result=E4M3)
    assert "All 248 results that do not saturate are" in found[0]
    assert f"results that saturate: {beyond}" in found[1].lower()
