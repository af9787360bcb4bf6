"""Bounds on errors: what breaks them, and what cannot be judged."""

import json

import pytest

from gelu_cli import load, sweep
from gelu_cli.errors import UsageError
from tests.runner import gelu

E5M2 = "float8_e5m2"
LARGEST = {
    "max_ulp": 2.5,
    "max_ulp_x": -3.0,
    "max_abs_error": 0.125,
    "max_abs_x": 1.0,
    "max_rel_error": None,
}
WRONG = {"wrong_nan": "wrong NaNs", "wrong_inf": "wrong infinities", "wrong_sign": "wrong signs"}
ALL = dict.fromkeys(("max_ulp", "max_abs", "max_rel"), 10**9)


@pytest.fixture
def result(tmp_path):
    """Make the result on a kernel k with some numbers in its summary."""
    path = tmp_path / "record.json"
    sweep("erfc", dtype=E5M2, range="1:2").save(path)
    record = json.loads(path.read_text())

    def made(worst=(), **cells):
        record["views"]["summary"][0] |= {"kernel": "k", **LARGEST, **cells}
        record["views"]["worst"] = [{"kernel": "k", "ulp": None, **row} for row in worst]
        path.write_text(json.dumps(record))
        return load(path)

    return made


def lines(result, **bounds):
    """The sentences on broken bounds."""
    try:
        result.assert_within(**bounds)
    except AssertionError as error:
        return str(error).splitlines()
    return []


def test_a_bound_holds_up_to_itself_exactly(result):
    assert lines(result(), max_ulp=2.5) == []
    assert lines(result(), max_ulp="2.4") == ["k: max_ulp 2.50000 at x = -3 exceeds --max-ulp 2.4"]
    just_above = result(max_ulp=f"2.{'0' * 29}1", max_ulp_x=1.0)
    assert lines(just_above, max_ulp=2) == ["k: max_ulp 2.00000 at x = 1 exceeds --max-ulp 2"]
    assert lines(result(), max_ulp="1/3", max_abs="1/10")[1] == (
        "k: max_abs_error 0.125000 at x = 1 exceeds --max-abs 0.1"
    )


def test_a_wrong_nan_infinity_or_sign_breaks_each_bound(result):
    worst = [
        {"x": "Infinity", "got": 0.0, "want": "Infinity"},
        {"x": 2.0, "got": "NaN", "want": 1.9},
    ]
    for column, words in WRONG.items():
        found = result(worst, **{**dict.fromkeys(WRONG, 0), column: 1})
        for name, bound in ALL.items():
            line = lines(found, **{name: bound})[0]
            assert line.startswith(f"k: {words}: 1, NaN at x = 2; ")
    many = result(wrong_inf=2_000, wrong_sign=3, max_ulp=None)
    assert lines(many, max_ulp=1)[0].startswith("k: wrong infinities: 2,000, wrong signs: 3; ")


def test_a_bound_that_cannot_be_judged_is_refused(result):
    with pytest.raises(UsageError, match="--max-rel cannot be checked: k has no max_rel_error"):
        result().assert_within(max_rel=1)
    with pytest.raises(UsageError, match="no bound"):
        result().assert_within()
    run = gelu("sweep", "erfc", "--dtype", E5M2, "--range", "0:1e-6", "--max-rel", 1)
    assert (run.code, run.out) == (2, "")


REFUSED = {
    "max_ulp": ("-1", "--max-ulp is -1; give 0 or a number above it"),
    "max_abs": ("inf", "--max-abs is inf; give a finite number"),
    "max_rel": ("x", "--max-rel is x; give a finite number"),
}


def test_bounds_are_numbers_from_0_on(result):
    for name, (word, message) in REFUSED.items():
        with pytest.raises(UsageError, match=message):
            result().assert_within(**{name: word})


def test_the_command_ends_with_1_and_a_line_for_each_bound():
    line = ("sweep", "erfc", "--dtype", E5M2, "--range", "-4:4")
    assert gelu(*line, "--max-ulp", 100, "--max-abs", 1).code == 0
    run = gelu(*line, "--max-ulp", "0.5", "--max-abs", "1e-9", "-q")
    assert (run.code, len(run.err.splitlines()), bool(run.rows)) == (1, 2, True)


def test_a_sample_that_keeps_a_bound_says_that_others_may_not():
    run = gelu("sweep", "erfc", "--samples", 100, "--range", "1:2", "--max-ulp", 100)
    assert run.code == 0
    assert "bounds hold for 100 measured inputs" in run.err
