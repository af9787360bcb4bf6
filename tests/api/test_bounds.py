"""Bounds on errors: what breaks them, and what cannot be judged."""

from fractions import Fraction

import pytest

from gelu_cli.api.bounds import Bounds, Errors, Judging
from gelu_cli.errors import UsageError
from tests.runner import gelu

NOTHING = dict.fromkeys(("wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero"), 0)
LARGEST = {"max_ulp": (Fraction(5, 2), "x = -3.0"), "max_abs_error": (Fraction(1, 8), "x = 1.0")}


def errors(largest=LARGEST, first="", **counts):
    return Errors("k", largest, NOTHING | counts, first)


def test_a_bound_holds_up_to_itself_exactly():
    just_above = {"max_ulp": (2 + Fraction(1, 10**30), "x = 1.0")}
    assert Bounds.of(max_ulp=2.5).broken_by(errors()) == []
    assert Bounds.of(max_ulp="2.4").broken_by(errors()) == [
        "k: 2.5 ULP at x = -3.0 exceeds --max-ulp 2.4"
    ]
    (line,) = Bounds.of(max_ulp=2).broken_by(errors(just_above))
    assert line == "k: a little over 2 ULP at x = 1.0 exceeds --max-ulp 2"
    assert Bounds.of(max_ulp="1/3", max_abs="1/10").broken_by(errors())[1] == (
        "k: 0.125 absolute error at x = 1.0 exceeds --max-abs 0.1"
    )


@pytest.mark.parametrize("name", ["max_ulp", "max_abs", "max_rel"])
def test_a_wrong_nan_infinity_or_sign_breaks_each_bound(name):
    bounds = Bounds.of(**{name: 10**9})
    for column, words in {
        "wrong_nan": "1 wrong NaN", "wrong_inf": "1 wrong infinity", "wrong_sign": "1 wrong sign",
    }.items():  # fmt: skip
        (line,) = bounds.broken_by(
            errors(first="nan at x = 2.0, where 1.9 is right", **{column: 1})
        )
        assert line.startswith(f"k: {words}: nan at x = 2.0, where 1.9 is right; ")
    (line,) = bounds.broken_by(errors({}, wrong_inf=2_000, wrong_sign=3))
    assert line.startswith("k: 2,000 wrong infinities, 3 wrong signs; ")


def test_a_bound_that_cannot_be_judged_is_refused():
    with pytest.raises(UsageError, match="--max-rel cannot be judged: k has no max_rel_error"):
        Bounds.of(max_rel=1).broken_by(errors())
    assert Bounds.of().broken_by(errors(wrong_nan=1)) == []
    run = gelu("sweep", "erfc", "--dtype", "float8_e5m2", "--range", "0:1e-6", "--max-rel", 1)
    assert (run.code, run.out) == (2, "")


REFUSED = {
    "max_ulp": ("-1", "--max-ulp is -1; give 0 or a number above it"),
    "max_abs": ("inf", "--max-abs is inf; give a finite number"),
    "max_rel": ("x", "--max-rel: 'x' is not a number"),
}


def test_bounds_and_tolerances_are_numbers_from_0_on():
    for name, (word, message) in REFUSED.items():
        with pytest.raises(UsageError, match=message):
            Bounds.of(**{name: word})
    judging = Judging.of(Bounds.of(), worst="3", rtol="1/4")
    assert (judging.worst, judging.tolerance) == (3, (0.25, 0.0))
    assert Judging.of(Bounds.of()).tolerance is None


def test_the_command_ends_with_1_and_a_line_for_each_bound():
    line = ("sweep", "erfc", "--dtype", "float8_e5m2", "--range", "-4:4")
    assert gelu(*line, "--max-ulp", 100, "--max-abs", 1).code == 0
    run = gelu(*line, "--max-ulp", "0.5", "--max-abs", "1e-9", "-q")
    assert (run.code, len(run.err.splitlines()), bool(run.rows)) == (1, 2, True)


def test_a_sample_that_keeps_a_bound_says_that_others_may_not():
    run = gelu("sweep", "erfc", "--samples", 100, "--range", "1:2", "--max-ulp", 100)
    assert run.code == 0
    assert "bounds hold for the" in run.err
