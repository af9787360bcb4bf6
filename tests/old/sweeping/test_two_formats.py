"""Results in another format than that of x, and gradients times one from above."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import every_number
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.judging import judge_at_limits
from gelu_cli.old.sweeping.routines import ROUTINES
from gelu_cli.old.sweeping.runs import Side
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import truth_at, upstream_in
from tests.old.every import every
from tests.old.sweeping.some_runs import inputs, moved_by
from tests.old.sweeping.test_judging import (
    assert_judged_as_fractions_do,
    assert_one_is_judged_as_fractions_do,
    judge,
    question_of,
    some_numbers,
)
from tests.old.sweeping.test_judging_runs import assert_judged_alike

PAIRS = [("bfloat16", "float32"), ("float32", "bfloat16"), ("float32", "float8_e4m3fn"),
         ("float64", "float32"), ("float16", "float64"), ("float16", "bfloat16"),
         ("bfloat16", "float16"), ("float8_e5m2", "float8_e4m3fn")]  # fmt: skip
KINDER = "logistic", "float32", True


def held(x, number_format):
    return x.astype(np.float64 if number_format.width == 64 else np.float32)


@every("quantity", ["value", "gradient"])
@every(("dtype", "result"), PAIRS)
def test_results_of_another_format_are_judged_as_the_slow_way_does(dtype, result, quantity):
    halves, x_format = some_numbers(dtype, 12), FORMATS[dtype]
    question = question_of(dtype, "exact", quantity, result)
    name, inner, ftz = ("erf_sum", dtype, False) if quantity == "value" else KINDER
    kernel = routine_implementation(ROUTINES[name], quantity, FORMATS[result], FORMATS[inner])
    results = [kernel(held(half, x_format)) for half in halves]
    assert_judged_as_fractions_do(question, halves, results, ftz)


UPSTREAMS = [
    ("float32", "float32", 2.0), ("float32", "float32", 0.1), ("bfloat16", "bfloat16", -3.0),
    ("float32", "bfloat16", 1.00390625), ("float16", "float16", 0.0),
    ("float16", "float16", 2.0**-24), ("float16", "float16", 60000.0),
    ("bfloat16", "float32", -3e38), ("float8_e4m3fn", "float8_e4m3fn", 416.0),
    ("float64", "float64", 1e-30), ("float64", "float64", -1e30),
]  # fmt: skip


@every("upstream", [1.0, -1.0])
def test_next_to_a_power_of_two_the_unit_is_that_of_the_truths_side(upstream):
    """Far out GELU's gradient is 1 + e^(−x²/2), about, and that of softplus is 1 − e⁻ˣ."""
    for form, unit in (("exact", 2.0**-52), ("softplus", 2.0**-53)):
        question = question_of("float64", form, "gradient", upstream=upstream)
        assert question.unit(200.0, question.exactly(200.0)) == unit


@every(("dtype", "result", "upstream"), UPSTREAMS)
def test_gradients_times_one_from_above_are_judged_as_the_slow_way_does(dtype, result, upstream):
    x_format, result_format = FORMATS[dtype], FORMATS[result]
    from_above = x_format.exactly(Fraction(upstream))
    question = question_of(dtype, "exact", "gradient", result, from_above)
    inner = routine_implementation(ROUTINES["erfc"], "gradient", FORMATS["float64"])
    halves, generator = some_numbers(dtype, 4), np.random.default_rng(3)
    for ftz in (False, True):
        results = []
        for half in halves:
            exact = (question.upstream * inner(half)).tolist()
            due = [result_format.exactly(Fraction(y)) for y in exact]
            moved = [moved_by(result_format, y, int(generator.integers(-1, 2))) for y in due]
            results.append(np.array(moved))
        assert_judged_as_fractions_do(question, halves, results, ftz)


NARROWER = [("float32", "bfloat16"), ("float32", "float16"), ("float32", "float8_e4m3fn"),
            ("float64", "float32"), ("float64", "float8_e5m2"),
            ("float16", "float8_e4m3fn")]  # fmt: skip


def beside_ties():
    """Two formats, a form's quantity, an upstream gradient, and an input for which it is a tie.

    Far to the right GELU is x and less, its gradient 1 and more; next to 0 they are x/2 and ½, and
    more or less. So results are next to x, x/2, U and U/2, which are chosen half way between two.
    """

    def cases(pair):
        dtype, result = pair
        wide, narrow = FORMATS[dtype], FORMATS[result]
        top = narrow.bits(min(narrow.largest, wide.largest)) + narrow.infinite
        return st.tuples(
            st.just(dtype), st.just(result), st.integers(0, top - 1), st.sampled_from([1, -1]),
            st.sampled_from(["x", "x/2", "U", "U/2"]), st.integers(-1, 1), st.integers(-1, 2),
        )  # fmt: skip

    return st.sampled_from(NARROWER).flatmap(cases)


@given(beside_ties(), st.sampled_from(["exact", "tanh", "silu"]), st.booleans())
def test_next_to_ties_each_result_is_judged_as_fractions_do(where, form, ftz):
    dtype, result, place, sign, kind, beside, steps = where
    wide, narrow = FORMATS[dtype], FORMATS[result]
    low = Fraction(narrow.number(place))
    above = narrow.number(place + 1)
    gap = (
        Fraction(above) - low if math.isfinite(above) else low - Fraction(narrow.number(place - 1))
    )
    tie = sign * (low + gap / 2) * (2 if "/2" in kind else 1)
    number = wide.exactly(tie)
    assume(math.isfinite(number))
    number = moved_by(wide, number, beside)
    if "U" in kind:
        x, upstream, quantity = (
            (0.0 if place % 2 else 2.0**-10) if "/2" in kind else 50.0,
            number,
            "gradient",
        )
    else:
        x, upstream, quantity = number, 1.0, "value"
    question = question_of(dtype, form, quantity, result, upstream)
    assert_one_is_judged_as_fractions_do(
        question, x, moved_by(narrow, question.want(x), steps), ftz
    )
    np.testing.assert_equal(truth_at(question, np.array([x])).want[0], question.want(x))


# Runs of float32s


FLOAT32 = FORMATS["float32"]
RUN_CASES = [
    ("bfloat16", "value", 1.0), ("float16", "value", 1.0), ("float8_e4m3fn", "value", 1.0),
    ("float8_e5m2", "gradient", 1.0), ("float32", "gradient", 0.1), ("float32", "gradient", -3e38),
    ("bfloat16", "gradient", 1.00390625), ("float32", "gradient", 3 * 2.0**-149),
    ("float16", "gradient", 70000.0), ("float32", "gradient", 0.0),
]  # fmt: skip


PLACES = [(1, 0, 0), (-1, 0, 5), (1, 90, 17), (-1, 110, 0), (1, 118, 3), (1, 125, 64),
          (-1, 126, 60), (1, 127, 1), (-1, 128, 100), (-1, 130, 96), (1, 130, 7), (1, 131, 0),
          (1, 135, 77), (-1, 135, 20), (1, 142, 127), (1, 200, 5)]  # fmt: skip


@every("case", range(len(RUN_CASES)))
def test_a_part_of_a_run_is_judged_as_its_inputs_are_one_by_one(case):
    assert_runs_judged_alike(RUN_CASES[case], PLACES[case % 4 :: 4], case % 2 > 0)


@pytest.mark.slow
@every("ftz", [False, True])
@every("case", RUN_CASES)
def test_many_runs_are_judged_as_their_inputs_are_one_by_one(case, ftz):
    assert_runs_judged_alike(case, PLACES, ftz)


def assert_runs_judged_alike(case, places, ftz):
    result, quantity, upstream = case
    from_above = FLOAT32.exactly(Fraction(upstream))
    question = question_of("float32", "exact", quantity, result, from_above)
    generator = np.random.default_rng(4)
    for i, (sign, field, number) in enumerate(places):
        run = Side(question, sign).run(field, number)
        part = slice(0, 300) if i % 2 else slice(32_500, 33_100)  # around a bfloat16 and a tie
        kind = ("right", "noisy", "rare", "broken")[i % 4]
        if run:
            x = inputs(sign, field, number)
            assert_judged_alike(question, x, run, generator, kind, part, ftz)


@every(
    ("result", "ranges"),
    [("bfloat16", [(8.0, 8.1), (-1.001, -1.0), (1e-40, 1.02e-40)]),
     ("float8_e4m3fn", [(463.9, 464.1)]), ("float16", [(65519.0, 65521.0)]),
     ("float64", [(7.995, 8.0)])],
)  # fmt: skip
def test_every_float32_of_a_range_is_judged_as_blocks_of_them_are(result, ranges):
    question = question_of("float32", result=result)
    kernel = routine_implementation(ROUTINES["erf_sum"], "value", FORMATS[result], FLOAT32)
    for low, high in ranges:
        verdict = sweep(kernel, question, Inputs(low, high))
        x = every_number(FLOAT32, low, high)
        got = kernel(x.astype(np.float32))
        blocks = check_results("f", question, x, got.astype(np.float64), exhaustive=True)
        assert {**verdict.total.counts} == {**blocks.total.counts}
        assert verdict.total.inputs == blocks.total.inputs == len(x)
        assert [error.ulp for error in verdict.worst[:3]] == [e.ulp for e in blocks.worst[:3]]
        assert verdict.total.sum_ulp == pytest.approx(blocks.total.sum_ulp, rel=1e-9)
        np.testing.assert_array_equal(verdict.total.histogram, blocks.total.histogram)


# By hand: relu is x itself


@every(
    ("dtype", "result", "x", "got", "counted"),
    [
        ("bfloat16", "float8_e4m3fn", 500.0, math.nan, ""),
        ("bfloat16", "float8_e4m3fn", 500.0, 448.0, "saturated"),
        ("bfloat16", "float8_e4m3fn", 500.0, -448.0, "wrong_nan"),
        ("bfloat16", "float8_e4m3fn", 500.0, 416.0, "wrong_nan"),
        ("bfloat16", "float8_e4m3fn", 464.0, 448.0, ""),  # a tie goes to the even number
        ("bfloat16", "float8_e4m3fn", 464.0, math.nan, "wrong_nan"),
        ("bfloat16", "float8_e5m2", 1e6, math.inf, ""),
        ("bfloat16", "float8_e5m2", 1e6, 57344.0, "saturated"),
        ("bfloat16", "float8_e5m2", 1e6, -math.inf, "wrong_inf"),
        ("bfloat16", "float8_e5m2", 1e6, math.nan, "wrong_nan"),
        ("float32", "float16", 65520.0, 65504.0, "saturated"),  # here the tie is infinity's
        ("float32", "float16", 65519.99609375, math.inf, "wrong_inf"),
    ],
)
def test_what_overflows(dtype, result, x, got, counted):
    x = FORMATS[dtype].exactly(Fraction(x))
    tally = judge(
        question_of(dtype, "relu", result=result), np.array([x]), np.array([got]), keep=1, ftz=False
    )
    assert {name for name, number in tally.counts.items() if number} == set(counted.split())
    assert tally.judged == (math.isfinite(got) and x < 480)
    np.testing.assert_equal(tally.failures, [(x, got, 1.0)] if "wrong" in counted else [])


def test_at_the_infinities_a_format_without_them_may_saturate():
    x, got = np.array([math.inf, math.inf, math.nan]), np.array([448.0, math.nan, 448.0])
    tally = judge_at_limits(question_of("bfloat16", result="float8_e4m3fn"), x, got, keep=3)
    assert (tally.saturated, tally.wrong_nan, tally.wrong_inf) == (1, 1, 0)
    to_half = question_of("bfloat16", result="float16")
    tally = judge_at_limits(to_half, x[:1], np.array([65504.0]), keep=3)
    assert (tally.saturated, tally.wrong_inf) == (0, 1)


def test_a_subnormal_of_either_format_may_be_flushed():
    x, nothing = np.array([2.0**-20]), np.array([0.0])  # a normal float32, a subnormal float16
    to_half = question_of("float32", "relu", result="float16")
    from_half = question_of("float16", "relu", result="float32")
    for question in (to_half, from_half):
        for ftz, wrong in ((False, 1), (True, 0)):
            assert judge(question, x, nothing, keep=1, ftz=ftz).wrong_zero == wrong
    x = np.array([2.0**-14])  # normal in both
    assert judge(from_half, x, nothing, keep=1, ftz=True).wrong_zero == 1


@every("far", [1e30, 1e305])
def test_a_result_beside_a_tie_is_judged_alike_whatever_else_is_judged(far):
    """GELU(39.296875) is below it, and it is half way between two float16s."""
    question = question_of("float64", result="float16")
    x, got = np.array([39.296875, far]), np.array([39.3125, math.inf])
    total = check_results("f", question, x, got, exhaustive=False).total
    assert (total.over_half_ulp, total.misrounded, total.histogram[:2].tolist()) == (1, 1, [0, 1])


def test_an_upstream_gradient_is_rounded_to_the_format_of_x():
    assert upstream_in(FORMATS["bfloat16"], Fraction(3, 2)) == (1.5, ())
    assert upstream_in(FORMATS["bfloat16"], Fraction(1, 3)).value == 0.333984375
    with pytest.raises(UsageError, match="beyond the largest float16"):
        upstream_in(FORMATS["float16"], Fraction(65520))
