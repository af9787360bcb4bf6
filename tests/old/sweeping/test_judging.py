"""Judging blocks, against the slow way that takes every input by itself, in fractions."""

import itertools
import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.format_arrays import ordinal
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping import truth
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.exact_errors import exact_error
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.judging import Judge, judge_at_limits
from gelu_cli.old.sweeping.metrics import Judged
from gelu_cli.old.sweeping.routines import ROUTINES
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.tally import Tally, tally_of
from gelu_cli.old.sweeping.truth import Question, truth_at
from gelu_cli.old.sweeping.verdict import Verdict
from tests.old.every import every
from tests.truth.mpmath import M
from tests.truth.slow_judge import patterns, slow_tally, true_value

KEEP = 6
COUNTS = ("inputs", "judged", "over_half_ulp", "over_1_ulp", "misrounded", "wrong_nan",
          "wrong_inf", "wrong_sign", "wrong_zero", "non_monotone")  # fmt: skip


def question_of(dtype, form="exact", quantity="value", result=None, upstream=1.0, **parameters):
    chosen = find_form(form)
    if parameters:
        settings = {name: Fraction(value) for name, value in parameters.items()}
        chosen = chosen.with_settings(form, settings)
    return Question(chosen, quantity, FORMATS[dtype], FORMATS[result or dtype], upstream)


def judge(question, x, got, *, keep, ftz):
    return Judge(question, x, ftz).tally(got, keep)


def judged(dtype, pairs, form="exact", quantity="value", *, keep=KEEP, ftz=False):
    x, got = (np.array(part, np.float64) for part in zip(*pairs, strict=True))
    return judge(question_of(dtype, form, quantity), x, got, keep=keep, ftz=ftz)


def assert_same(tally, slow):
    assert {name: getattr(tally, name) for name in COUNTS} == {name: slow[name] for name in COUNTS}
    assert tally.sum_ulp == pytest.approx(float(slow["sum_ulp"]), rel=1e-12)
    histogram = {i: count for i, count in enumerate(tally.histogram.tolist()) if count}
    assert histogram == slow["histogram"]
    assert tally.furthest[0] == slow["furthest"]
    np.testing.assert_equal([tuple(failure) for failure in tally.failures], slow["failures"])
    # Errors at x and −x are often the same: they may be in either order. What is less than
    # float64s show beside 1 is not always listed.
    largest = [float(error) for error, _, _ in slow["worst"] if error > 1e-12]
    assert [each.ulp for each in tally.worst if each.ulp > 1e-12] == pytest.approx(largest, 1e-12)


def assert_judged_as_fractions_do(question, halves, results, ftz):
    """Judge results at some numbers, of either sign, in both ways."""
    verdict, pairs = Verdict("f", question, False, ftz), []
    for half, got in zip(halves, results, strict=True):
        pairs.append(list(zip(half.tolist(), got.astype(float).tolist(), strict=True)))
        verdict.total.ends = None
        verdict.total.add(judge(question, half, got.astype(float), keep=KEEP, ftz=ftz), KEEP)
    assert_verdict(verdict, slowly(question, pairs, KEEP, ftz))


def slowly(question, pairs, keep, ftz=False):
    """Return what the slow way says of lists of (x, result)."""
    form, quantity = question.form.name, question.quantity
    return slow_tally(
        question.dtype.name, pairs,
        lambda x: Fraction(question.upstream) * true_value(form, quantity, x),
        keep, ftz, question.result.name,
    )  # fmt: skip


def assert_verdict(verdict, slow):
    """What is counted is the same; the errors that are named are exact: 20 digits, all steps."""
    assert_same(verdict.total, slow)
    assert verdict.total.saturated == slow["saturated"]
    largest = verdict.errors(verdict.total)[:1]
    for found, (error, _, _) in zip(largest, slow["worst"], strict=False):
        assert abs(found.ulp - error) * 10**15 <= error
    if verdict.total.judged:
        assert verdict.furthest.ordinal == slow["furthest"]


def compare(routine, target, quantity, dtype, compute, halves, ftz):
    """Judge what a routine gives at some numbers of a format, of either sign, in both ways."""
    implementation = routine_implementation(
        ROUTINES[routine], quantity, FORMATS[dtype], FORMATS[compute or dtype]
    )
    carrier = np.float64 if dtype == "float64" else np.float32
    results = [implementation(half.astype(carrier)) for half in halves]
    assert_judged_as_fractions_do(question_of(dtype, target, quantity), halves, results, ftz)


COMPUTE = {
    "float64": "float32", "float32": "float64", "float16": "float32", "bfloat16": "float32",
    "float8_e4m3fn": "float16", "float8_e5m2": "bfloat16",
}  # fmt: skip


def some_numbers(dtype, count):
    """Return numbers of either sign: those that change the most, the smallest and the largest."""
    generator = np.random.default_rng(5)
    least, most = np.frexp(FORMATS[dtype].number(1))[1], np.frexp(FORMATS[dtype].largest)[1]
    sizes = np.concatenate([
        [0.0, FORMATS[dtype].number(1), FORMATS[dtype].number(3), 2.0 ** FORMATS[dtype].emin,
         FORMATS[dtype].largest, 0.5, 1.0],
        generator.uniform(0, 16, count), 2.0 ** generator.uniform(-9, 5, count),
        2.0 ** generator.uniform(least, most - 1, count // 2),
    ])  # fmt: skip
    x = np.unique(sizes.astype(dtype).astype(float))
    return [x[np.isfinite(x)], -x[np.isfinite(x)]]


@every("quantity", ["value", "gradient"])
@every("dtype", FORMATS)
def test_some_inputs_are_judged_as_the_slow_way_does(dtype, quantity):
    halves = some_numbers(dtype, 4)
    for i, (name, routine) in enumerate(ROUTINES.items()):
        compute = COMPUTE[dtype] if i % 2 == (quantity == "value") else None
        target = "exact" if compute else routine.form
        compare(name, target, quantity, dtype, compute, halves, ftz=i % 4 < 2)


@pytest.mark.slow
@every("quantity", ["value", "gradient"])
@every("dtype", FORMATS)
def test_many_inputs_are_judged_as_the_slow_way_does(dtype, quantity):
    halves = some_numbers(dtype, 400)
    for name, routine in ROUTINES.items():
        for compute in (None, COMPUTE[dtype]):
            for target in {"exact", routine.form}:
                for ftz in (False, True):
                    compare(name, target, quantity, dtype, compute, halves, ftz)


EIGHT_BITS = ["float8_e4m3fn", "float8_e5m2"]


@pytest.mark.parametrize("routine", ["erf_sum", "exp_ratio"])
@pytest.mark.parametrize("dtype", [*EIGHT_BITS, pytest.param("float16", marks=pytest.mark.slow)])
def test_every_input_of_a_sweep_is_judged_as_the_slow_way_does(dtype, routine):
    """The judge in Arb does it for bfloat16, and for all questions in 8 bits."""
    question, halves = question_of(dtype), patterns(dtype)
    implementation = routine_implementation(ROUTINES[routine], "value", FORMATS[dtype])
    verdict = sweep(implementation, question, Inputs(), keep=KEEP)
    results = [implementation(half.astype(np.float32)).astype(float).tolist() for half in halves]
    pairs = [list(zip(*each, strict=True)) for each in zip(map(list, halves), results, strict=True)]
    assert_verdict(verdict, slowly(question, pairs, KEEP + 16))


def test_noise_is_judged_as_the_slow_way_does():
    """Results of all sizes and signs, NaNs and infinities, that have nothing to do with x."""
    generator = np.random.default_rng(8)
    x = patterns("bfloat16")[1][::97]
    results = generator.integers(0, 2**16, len(x), dtype=np.uint16)
    results[:60] = np.tile([0x7F80, 0xFF80, 0x7FC0, 0x8000, 0, 1], 10)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        got = (results.astype(np.uint32) << 16).view(np.float32).astype(float)
    assert_judged_as_fractions_do(question_of("bfloat16"), [x], [got], ftz=False)


def next_to_powers():
    """A format, an input next to a power of 2, and a result next to what it rounds to."""

    def inputs(dtype):
        number_format = FORMATS[dtype]
        exponents = st.integers(-149 if dtype == "float32" else number_format.emin - 2,
                                math.frexp(number_format.largest)[1] - 1)  # fmt: skip
        return st.tuples(
            st.just(dtype), exponents | st.integers(-3, 10), st.sampled_from([1, -1]),
            st.integers(-2, 2), st.integers(-3, 3),
        )  # fmt: skip

    return st.sampled_from(list(FORMATS)).flatmap(inputs)


@given(
    next_to_powers(),
    st.sampled_from(["exact", "tanh", "sigmoid", "silu"]),
    st.sampled_from(["value", "gradient"]),
    st.booleans(),
)
@example(("float64", 9, -1, 0, 0), "silu", "value", False)  # −512·e⁻⁵¹² is a float64
def test_next_to_powers_of_two_each_result_is_judged_as_fractions_do(where, form, quantity, ftz):
    dtype, exponent, sign, beside, steps = where
    number_format = FORMATS[dtype]
    power = number_format.exactly(Fraction(2) ** exponent)
    assume(math.isfinite(power))
    x = sign * number_format.number(max(ordinal(number_format, power) + beside, 0))
    question = question_of(dtype, form, quantity)
    moved = ordinal(number_format, question.want(x)) + steps
    got = math.copysign(number_format.number(abs(moved)), moved)
    assume(math.isfinite(x) and math.isfinite(got))
    assert_one_is_judged_as_fractions_do(question, x, got, ftz)


def assert_one_is_judged_as_fractions_do(question, x, got, ftz):
    slow = slowly(question, [[(x, got)]], 1, ftz)
    verdict = Verdict("f", question, False, ftz)
    verdict.total.add(judge(question, np.array([x]), np.array([got]), keep=1, ftz=ftz), 1)
    counts = {name: getattr(verdict.total, name) for name in (*COUNTS, "saturated")}
    assert counts == {name: slow[name] for name in counts}
    assert np.flatnonzero(verdict.total.histogram).tolist() == list(slow["histogram"])
    least = Fraction(1, 10**40)  # what its 60 digits show
    for error, _, _ in slow["worst"]:
        (found,) = verdict.errors(verdict.total)
        assert abs(found.ulp - error) <= error / 10**15 + least
        assert abs(Fraction(verdict.total.sum_ulp) - error) <= error / 10**12 + least
        assert verdict.furthest.ordinal == slow["furthest"]


@every("quantity", ["value", "gradient"])
@every("form", ["exact", "silu"])
def test_bounds_alone_settle_every_float64(form, quantity):
    """An anchor and a rest of about its size, too: where |x| is near 1 the rests make a unit."""
    x = np.random.default_rng(1).uniform(-12, 12, 2000)
    question = question_of("float64", form, quantity)
    with mock.patch.object(truth, "one_truth", side_effect=AssertionError):
        found = truth_at(question, x)
    assert (np.abs(found.low) <= 0.5).all()
    assert found.want[:5].tolist() == [question.want(point) for point in x[:5].tolist()]


# By hand: relu is x itself to the right and 0 to the left, the truth without a mystery

LEAST = 2.0**-133
UNIT = 2.0**-7


@every(
    ("x", "got", "error", "wrong"),
    [
        (1.0, 1.0, 0, ""),
        (1.0, 1 + UNIT, 1, "misrounded"),
        (1.0, 1 - UNIT / 2, 0.5, "misrounded"),  # the next number below a power of two
        (2.0, 2 - UNIT, 0.5, "misrounded"),
        (1.0, -1.0, 256, "misrounded wrong_sign over_half_ulp over_1_ulp"),
        (1.0, 0.0, 128, "misrounded wrong_zero over_half_ulp over_1_ulp"),
        (1.0, -0.0, 128, "misrounded wrong_zero over_half_ulp over_1_ulp"),
        (1.0, math.nan, None, "wrong_nan"),
        (1.0, math.inf, None, "wrong_inf"),
        (1.0, -math.inf, None, "wrong_inf"),
        (LEAST, LEAST, 0, ""),
        (LEAST, 0.0, 1, "misrounded wrong_zero over_half_ulp"),
        (LEAST, -LEAST, 2, "misrounded wrong_sign over_half_ulp over_1_ulp"),
        (3 * LEAST, LEAST, 2, "misrounded over_half_ulp over_1_ulp"),
        (2.0**-126, 0.0, 128, "misrounded wrong_zero over_half_ulp over_1_ulp"),
        (0.0, 0.0, 0, ""),
        (0.0, -0.0, 0, ""),
        (-0.0, 0.0, 0, ""),
        (-1.0, 0.0, 0, ""),
        (-1.0, -0.0, 0, ""),
        (-1.0, LEAST, 1, "misrounded wrong_zero over_half_ulp"),
        (-1.0, -LEAST, 1, "misrounded wrong_zero over_half_ulp"),
        (FORMATS["bfloat16"].largest, math.inf, None, "wrong_inf"),
        (FORMATS["bfloat16"].largest, 2.0**127, 127, "misrounded over_half_ulp over_1_ulp"),
    ],
)
def test_one_result_by_hand(x, got, error, wrong):
    tally = judged("bfloat16", [(x, got)], "relu")
    counted = {name for name in COUNTS[2:] if getattr(tally, name)}
    assert counted == set(wrong.split()) | ({"over_half_ulp"} if (error or 0) > 0.5 else set())
    assert tally.judged == (error is not None)
    if error is None:
        np.testing.assert_equal(tally.failures, [(x, got, 1.0)])
        assert tally.worst == []
    else:
        assert [entry[:3] for entry in tally.worst] == [(error, x, got)]
        assert tally.sum_ulp == error


@every("dtype", FORMATS)
def test_ties_of_the_smallest_numbers_go_to_the_side_of_the_curvature(dtype):
    """x/2 is a tie; the term 0.4x² moves GELU up on both sides of 0."""
    least = Fraction(FORMATS[dtype].number(1))
    for k in (1, 3, 5, 7, -1, -3, -5, -7):
        x, up = float(k * least), (k + 1) * least / 2
        assert question_of(dtype).want(x) == float(up)
        tally = judged(dtype, [(x, float(up)), (x, float(up - least))])
        assert tally.misrounded == tally.over_half_ulp == 1


@every(
    ("results", "against"),
    [([1, 2, 3], 0), ([1, 3, 2], 1), ([3, 2, 1], 2), ([1, 1, 3], 0), ([1, math.nan, 3], 0),
     ([1, math.inf, 3], 1), ([-math.inf, 0, 1], 0)],
)  # fmt: skip
def test_steps_against_the_truth_are_counted(results, against):
    x = [1.0, 2.0, 3.0]
    assert judged("bfloat16", zip(x, results, strict=True), "relu").non_monotone == against
    mirrored = [(point, -y) for point, y in zip([3.0, 2.0, 1.0], results, strict=True)]
    falls = judged("bfloat16", mirrored, "relu").non_monotone
    assert falls == (against if all(map(math.isfinite, results)) else falls)


def test_where_the_truth_does_not_move_every_step_is_against_it():
    x, results = [-1.0, -2.0, -3.0, -4.0, -5.0], [0, 1, 0, 0, 1]
    assert judged("bfloat16", zip(x, results, strict=True), "relu").non_monotone == 3
    tally = Tally()
    for part in zip(x, results, strict=True):
        tally.add(judged("bfloat16", [part], "relu"), KEEP)
    assert tally.non_monotone == 3
    same = [(-1.0, 0), (-1.0, 1)]
    assert judged("bfloat16", same, "relu").non_monotone == 0


@every(
    ("form", "quantity", "x", "rises"),
    [("sigmoid", "value", [-500.0, -1000.0], True), ("exact", "value", [-200.0, -1e30], True),
     ("exact", "gradient", [200.0, 1e30], False), ("softplus", "gradient", [500.0, 600.0], True),
     ("elu", "value", [-1e4, -1e5], False), ("exact", "gradient", [2.0**-116, 2.0**-113], True),
     ("sigmoid", "value", [-480.0, -512.0], True)],  # one of them still is a float64
)  # fmt: skip
def test_steps_are_seen_where_float64_shows_none_of_the_truth(form, quantity, x, rises):
    for up in (True, False):
        for together in (True, False):
            pairs = list(zip(x, [0.0, 1.0] if up else [1.0, 0.0], strict=True))
            tally = Tally()
            for part in [pairs] if together else [pairs[:1], pairs[1:]]:
                tally.add(judged("bfloat16", part, form, quantity), KEEP)
            assert tally.non_monotone == (up != rises)


def test_e4m3_has_nan_where_the_truth_is_too_large():
    question = question_of("float8_e4m3fn", "elu", alpha=-1000)
    x, got = np.array([(-8.0, math.nan), (-8.0, 448.0), (1.0, math.nan), (1.0, 1.0)]).T
    tally = judge(question, x.copy(), got.copy(), keep=3, ftz=False)
    assert (tally.inputs, tally.judged, tally.wrong_nan) == (4, 1, 2)
    np.testing.assert_equal(tally.failures, [(-8.0, 448.0, 1.0), (1.0, math.nan, 1.0)])
    assert (tally.misrounded, tally.over_half_ulp) == (0, 0)


def test_a_number_where_infinity_is_due_is_a_failure():
    question = question_of("float16", "elu", alpha=10**6)
    x, got = np.array([(-8.0, -math.inf), (-9.0, -65504.0), (1.0, 1.0)]).T
    tally = judge(question, x.copy(), got.copy(), keep=3, ftz=False)
    assert (tally.judged, tally.wrong_inf, tally.misrounded) == (1, 1, 0)
    assert tally.failures == [(-9.0, -65504.0, 1.0)]
    assert tally.worst[0].ulp == 0


def test_errors_beyond_float64_are_counted_and_told_apart():
    x = [-1e300, -1e305, -1e303, 1.0]
    got = [1e300, -1e305, -1e303, 0.8413447460685429]
    tally = judged("float64", zip(x, got, strict=True), keep=2)
    sizes = {found.x: found.ulp for found in tally.worst}
    assert sizes == {point: Fraction(-point) * 2**1074 for point in (-1e305, -1e303)}
    assert tally.over_1_ulp == 3
    assert tally.sum_ulp == math.inf
    assert tally.histogram[[0, -1]].tolist() == [1, 3]
    assert tally.histogram.sum() == 4


def test_steps_between_float64s_of_different_signs_are_all_counted():
    tally = judged("float64", [(1e300, -1e300), (1.0, 0.0)], "relu")
    assert tally.furthest == (2 * FORMATS["float64"].bits(1e300), 1e300, -1e300, 1.0)


def test_few_units_may_be_many_steps():
    """From 1 to 0 there are 128 units and 16,256 steps."""
    x, got, errors = np.array([1.0]), np.array([0.0]), np.array([128.0])
    judged = Judged(x, got, x, x, errors, 0 * errors)
    tally = tally_of(judged, question_of("bfloat16"), KEEP)
    assert tally.furthest == (FORMATS["bfloat16"].bits(1.0), 1.0, 0.0, 1.0)
    got, errors = np.array([0.125]), np.array([112.0])
    judged = Judged(x, got, x, x, errors, 0 * errors)
    tally = tally_of(judged, question_of("bfloat16"), KEEP)
    assert tally.furthest == (384, 1.0, 0.125, 1.0)


def test_the_least_number_where_a_tie_goes_to_0_is_a_wrong_zero():
    half_of_x = question_of("bfloat16", "sigmoid", beta=0)
    tally = judge(half_of_x, np.array([LEAST]), np.array([LEAST]), keep=1, ftz=False)
    assert (tally.misrounded, tally.wrong_zero) == (1, 1)


def test_parts_may_be_put_together_in_any_grouping():
    x = [float(k) for k in range(1, 10)]
    got = [2, 1, 4, 3, 3, 9, 1, 8, 7]  # steps down where relu goes up, inside parts and between
    pairs = list(zip(x, map(float, got), strict=True))
    whole = judged("bfloat16", pairs, "relu")
    for first, second in ((2, 4), (3, 6), (1, 8)):
        parts = [pairs[:first], pairs[first:second], pairs[second:]]
        one, two, three = (judged("bfloat16", part, "relu") for part in parts)
        two.add(three, KEEP)
        one.add(two, KEEP)
        assert (one.non_monotone, one.ends) == (whole.non_monotone, whole.ends)
        assert [getattr(one, name) for name in COUNTS] == [getattr(whole, name) for name in COUNTS]


def test_of_equal_errors_the_first_inputs_are_kept():
    tally = judged("bfloat16", [(2.0**k, 0.0) for k in range(6)], "relu", keep=6)
    assert [found.x for found in tally.worst] == [1, 2, 4, 8, 16, 32]


# Flushing

TINY = 2.0**-126


@every(
    ("x", "got", "right"),
    [
        (TINY, TINY, True),
        (TINY, 0.0, False),  # relu(TINY) is no subnormal
        (TINY / 2, 0.0, True),  # an input flushed
        (-TINY / 2, 0.0, True),
        (TINY / 2, TINY / 2, True),  # it need not be
        (TINY / 2, TINY, False),
        (1.0, 0.0, False),
        (0.0, 0.0, True),
    ],
)
def test_a_machine_that_flushes_sees_and_makes_no_subnormals(x, got, right):
    tally = judged("bfloat16", [(x, got)], "relu", ftz=True)
    assert (tally.misrounded == 0) == right
    assert (tally.sum_ulp == 0) == right
    given = np.array([x]), np.array([got])
    verdict = check_results(
        "f", question_of("bfloat16", "relu"), *given, exhaustive=False, ftz=True
    )
    assert verdict.max_ulp == tally.sum_ulp
    assert (verdict.furthest.ordinal == 0) == right


@every(
    ("form", "quantity", "x", "at_zero"),
    [
        ("elu", "value", -TINY / 2, 0.0),  # −500·TINY
        ("elu", "gradient", TINY / 2, 1000.0),  # the left side's, here 1
        ("relu", "gradient", TINY / 2, 0.0),
    ],
)
def test_an_input_flushed_has_the_result_at_0_be_it_far_away(form, quantity, x, at_zero):
    question = question_of("bfloat16", form, quantity, **{"alpha": 1000} if form == "elu" else {})
    results = np.array([question.want(x), question.want(0.0), 4.0])
    assert results[0] != results[1] == at_zero
    tally = judge(question, np.array([x, x, x]), results, keep=3, ftz=True)
    assert (tally.misrounded, tally.worst[0].got, tally.over_half_ulp) == (1, 4.0, 1)
    verdict = check_results("f", question, np.array([x]), results[1:2], exhaustive=False, ftz=True)
    assert verdict.max_ulp <= 0.5


# At the ends


@every(
    ("x", "got", "wrong"),
    [
        (math.nan, math.nan, ""), (math.nan, 1.0, "wrong_nan"), (math.inf, math.inf, ""),
        (math.inf, 1.0, "wrong_inf"), (math.inf, -math.inf, "wrong_inf"),
        (math.inf, math.nan, "wrong_nan"), (-math.inf, 0.0, ""), (-math.inf, -0.0, ""),
        (-math.inf, math.nan, "wrong_nan"), (-math.inf, -math.inf, "wrong_inf"),
        (-math.inf, 1.0, "misrounded over_half_ulp over_1_ulp wrong_zero"),
    ],
)  # fmt: skip
def test_nan_and_the_infinities_have_their_limits(x, got, wrong):
    tally = judge_at_limits(question_of("bfloat16"), np.array([x]), np.array([got]), KEEP)
    assert {name for name in COUNTS[2:] if getattr(tally, name)} == set(wrong.split())
    finite = math.isfinite(got) and x == -math.inf
    assert [(found.x, found.got) for found in tally.worst] == ([(x, got)] if finite else [])
    assert tally.histogram.sum() == tally.judged == finite
    np.testing.assert_equal(tally.failures, [(x, got, 1.0)] if wrong.startswith("wrong") else [])


def test_errors_beyond_float64_do_not_hide_the_others():
    x, got = np.array([-0.75, -0.875, -2.0, -1.0]), np.array([1e308, 5.0, 0.25, -1e308])
    verdict = check_results("f", question_of("float64"), x, got, exhaustive=False, keep=3)
    assert [error.x for error in verdict.worst[:4]] == [-0.75, -1.0, -0.875, -2.0]


def test_a_number_at_minus_infinity_may_be_the_worst_result():
    x, got = np.array([1.0, -math.inf]), np.array([0.83984375, -1.0])
    verdict = check_results("f", question_of("bfloat16"), x, got, exhaustive=False)
    assert verdict.max_ulp == 2.0**133
    assert (verdict.worst[0].x, verdict.furthest.x) == (-math.inf, -math.inf)
    far = check_results("f", question_of("float64"), x, got * 1e300, exhaustive=False)
    assert far.max_ulp == math.inf


@every("exponent", [-60, -300, -500])
def test_a_tiny_error_has_its_digits_too(exponent):
    """GELU is x/2 + x²/√(2π) − … there: the second term is all that x/2 lacks."""
    x = 2.0**exponent
    error = exact_error(question_of("float64"), x, x / 2)
    with M.workdps(60):
        unit = M.mpf(2) ** (exponent - 1 - 52)
        want = M.mpf(x) ** 2 / M.sqrt(2 * M.pi) / unit
        assert abs(M.mpf(error.ulp.numerator) / error.ulp.denominator / want - 1) < 1e-19 + x**2


def test_a_truth_next_to_nothing_keeps_its_sign():
    """It has so many digits that no format tells it from 1e-5000."""
    assert question_of("float64").exactly(-200.0) == -Fraction(1, 10**5000)
    assert question_of("float64", "softplus").exactly(-20000.0) == Fraction(1, 10**5000)
    assert 0 > question_of("float64").exactly(-100.0) > -Fraction(1, 10**2000)


def test_the_histogram_tells_errors_next_to_the_ends_of_buckets():
    ends = 2.0 ** np.arange(-3, 70)
    near = [ends, np.nextafter(ends, 0), np.nextafter(ends, 1e300), ends * (1 + 2.0**-26)]
    errors = np.concatenate([*near, ends * (1 - 2.0**-26), [0.0, 1e-300, 1e39, 1e300]])
    one = np.ones(len(errors))
    with np.errstate(all="ignore"):
        tally = tally_of(Judged(one, one, one, one, errors, 0 * one), question_of("float64"), 1)
    upper = [Fraction(2) ** (bucket - 1) for bucket in range(len(tally.histogram) - 1)]
    want = [sum(low < error <= high for error in map(Fraction, errors.tolist()))
            for low, high in itertools.pairwise([-1, *upper, 10**400])]  # fmt: skip
    assert tally.histogram.tolist() == want


def test_at_infinity_the_error_is_from_the_limit_itself():
    """Which is 0.1 as a float32, 2⁻²⁷·13421773, and no bfloat16: 205·2⁻¹¹ is the nearest."""
    limit, got = 13421773 * 2.0**-27, 205 * 2.0**-11
    question = Question(
        find_form("relu"), "gradient", FORMATS["float32"], FORMATS["bfloat16"], limit
    )
    x, results = np.array([math.inf, 1.0]), np.array([got, got])
    verdict = check_results("f", question, x, results, exhaustive=False)
    error = abs(Fraction(got) - Fraction(limit)) / Fraction(1, 2048)
    assert [found.ulp for found in verdict.total.worst] == [float(error)] * 2
    assert {verdict.error_at(point, got).ulp for point in x.tolist()} == {error}
