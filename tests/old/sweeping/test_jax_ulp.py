"""The largest error in ULP by the rule of JAX's page on accuracy, which is written here again.

The rule (docs/accuracy.md of jax-ml/jax, reviewed in September 2026), in fractions: ulp(r) has the
exponent of r, at least emin and at most emax; what rounds to infinity is infinity; beside it, from
2^emax on, infinity stands at 2^(emax+1), so that overflow has a distance; any other infinity or NaN
that is not due is infinitely far. Under flush-to-zero two subnormal numbers are 0 apart, and what
is between ±(2^emin − 2^(emin−p+1)) is contracted to 0.
"""

import itertools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from gelu_cli import sweep
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import SEPARATE, Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.exact_errors import error_by_jax
from gelu_cli.old.sweeping.gating import Gating, every_second
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import sweep as swept
from gelu_cli.old.sweeping.truth import Question
from tests.old.cli.runner import gelu
from tests.old.sweeping.slow_judge import all_numbers, true_value


def power(exponent):
    return Fraction(2) ** exponent


def rule(dtype, got, r, ftz):
    """|got − r| in ULP as the page has it."""
    known = ml_dtypes.finfo(dtype)
    p, emin, emax = int(known.nmant) + 1, int(known.minexp), int(known.maxexp) - 1
    threshold, end = power(emax + 1) - power(emax - p), power(emax + 1)
    overflows = abs(r) >= threshold
    same = math.copysign(1, got) == (-1 if r < 0 else 1)
    if math.isnan(got) or ((math.isinf(got) or overflows) and not same):
        return math.inf
    if math.isinf(got):
        above = Fraction(0) if overflows else end - abs(r)
        return above / power(emax - p + 1) if abs(r) >= power(emax) else math.inf
    if overflows:
        return abs(abs(Fraction(got)) - min(abs(r), end)) / power(emax - p + 1)
    exponent = emin
    while abs(r) >= power(exponent + 1):
        exponent += 1
    unit = power(exponent - p + 1)
    c, tiny = Fraction(got), power(emin)
    if ftz:
        if abs(c) < tiny and abs(r) < tiny:
            return Fraction(0)
        if min(abs(c), abs(r)) < tiny or (c < 0) != (r < 0):
            span = tiny - power(emin - p + 1)
            c, r = ((1 if v > 0 else -1) * max(Fraction(0), abs(v) - span) for v in (c, r))
    return abs(c - r) / unit


# Single results


def numbers_that_tell(dtype):
    known = ml_dtypes.finfo(dtype)
    sizes = [0.0, known.smallest_subnormal, known.smallest_normal, 1.0, known.max, math.inf]
    step = [np.nextafter(np.array(each, dtype), np.array(2, dtype)) for each in sizes[:3]]
    below = [np.nextafter(np.array(known.smallest_normal, dtype), np.array(0, dtype))]
    sizes = sorted({float(each) for each in (*sizes, *step, *below)})
    return [*sizes, *(-each for each in sizes), math.nan]


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_single_results_are_judged_by_the_rule(dtype, ftz):
    """ReLU in float64, whose results are numbers of a narrower format: its values are exact."""
    question = Question(find_form("relu"), "value", FORMATS["float64"], FORMATS[dtype])
    known = ml_dtypes.finfo(dtype)
    largest, tiny = float(known.max), float(known.smallest_normal)
    unit = 2.0 ** (int(known.maxexp) - 1 - int(known.nmant))
    inputs = [1.0, 1.3, tiny, tiny * 0.999, tiny * 1.7, tiny / 3, 1e-300, 0.0, -1.0]
    inputs += [largest, largest - unit / 3, largest + unit / 4, largest + unit / 2]
    inputs += [largest + unit * 0.7, largest + unit, largest * 3, largest / 2 - unit / 4, 1e300]
    for x in inputs:
        for got in numbers_that_tell(dtype):
            due = rule(dtype, got, Fraction(max(x, 0.0)), ftz)
            assert error_by_jax(question, x, got, ftz) == due, (x, got)


@pytest.mark.parametrize("ftz", [False, True])
def test_negative_results_are_judged_by_the_rule(ftz):
    """Gradients of ReLU times −3, which are 0 or −3, and of −1e4 beyond float16's largest."""
    for upstream, r in ((-3.0, Fraction(-3)), (-65504.0, Fraction(-65504))):
        question = Question(find_form("relu"), "gradient", FORMATS["float16"], upstream=upstream)
        for got in numbers_that_tell("float16"):
            assert error_by_jax(question, 2.0, got, ftz) == rule("float16", got, r, ftz)


def test_a_number_that_flushes_is_one_unit_from_0():
    """The examples of JAX's own tests: of a subnormal gap, and across 0."""
    half = FORMATS["float16"]
    question = Question(find_form("relu"), "value", FORMATS["float64"], half)
    tiny, least = 2.0**-14, 2.0**-24
    assert error_by_jax(question, 0.0, tiny, True) == 1
    assert error_by_jax(question, least, tiny, True) == 1
    assert error_by_jax(question, tiny - least, tiny, True) == 1
    assert error_by_jax(question, 0.0, tiny, False) == 2**10
    assert error_by_jax(question, tiny, 0.0, True) == 1
    assert error_by_jax(question, tiny, -tiny, True) == 2
    assert error_by_jax(question, tiny, -tiny, False) == 2**11


def test_overflow_is_measured_with_infinity_one_unit_after_the_largest():
    question = Question(find_form("relu"), "value", FORMATS["float64"], FORMATS["float16"])
    assert error_by_jax(question, 65504.0, math.inf, False) == 1
    assert error_by_jax(question, 65519.0, math.inf, False) == Fraction(17, 32)
    assert error_by_jax(question, 65520.0, math.inf, False) == 0
    assert error_by_jax(question, 65520.0, 65504.0, False) == Fraction(1, 2)
    assert error_by_jax(question, 1e300, 65504.0, False) == 1
    assert error_by_jax(question, 32768.0, math.inf, False) == 1024
    assert error_by_jax(question, 32767.0, math.inf, False) == math.inf


# All results


def poor(x):
    """A tanh form that flushes, overflows, and is wrong here and there."""
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        y = wide / (1 + np.exp(-1.5957691216057308 * (wide + 0.044715 * wide**3)))
        y = np.where(np.abs(y) < 2.0**-13, 0, y)
        return np.where(wide > 40000, np.inf, y).astype(x.dtype)


def by_the_rule(f, ftz):
    """Return the largest error of f among the float8_e5m2s from −⅛ on."""
    x = np.array([x for x in all_numbers("float8_e5m2") if x >= -0.125], "float8_e5m2")
    errors = []
    for point, result in zip(x.astype(float).tolist(), f(x).astype(float).tolist(), strict=True):
        due = [true_value("tanh", "value", point)]
        if ftz and abs(point) < 2.0**-14:
            due.append(Fraction(0))
        errors.append(min(rule("float8_e5m2", result, r, ftz) for r in due))
    return float(max(errors))


@pytest.mark.parametrize("ftz", [False, True])
def test_the_largest_of_a_sweep_is_that_of_the_rule(ftz):
    verdict = sweep(poor, dtype="float8_e5m2", form="tanh", low=-0.125, ftz=ftz)
    due = by_the_rule(poor, ftz)
    assert verdict.max_ulp_jax == due
    assert 0.5 < due < math.inf


def early(gate, up):
    """Return relu(gate)·up, infinite before its time."""
    return np.where(gate * up > 40000, np.inf, np.maximum(gate, 0) * up)


def flushing(gate, up):
    """Return it as a machine without subnormal numbers does, which takes some normal ones for 0."""
    gate, up = (np.where(np.abs(each) < 2.0**-14, 0, each) for each in (gate, up))
    return np.where(np.abs(gate * up) < 2.0**-13, 0, np.maximum(gate, 0) * up)


def saturating(gate, up):
    return np.clip(np.maximum(gate, 0) * up, -57344, 57344)


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("kernel", [early, flushing, saturating])
def test_the_largest_of_every_pair_is_that_of_the_rule(kernel, ftz):
    e5m2, dtype = FORMATS["float8_e5m2"], "float8_e5m2"

    def narrow(gate, up):
        with np.errstate(all="ignore"):
            return kernel(gate.astype(np.float64), up.astype(np.float64)).astype(gate.dtype)

    called = implementation_of("f", narrow, Calling(e5m2, e5m2, second=SEPARATE))
    question = Question(find_form("relu"), "value", e5m2, gating=Gating())
    ups = [up for up in every_second(e5m2) if not 2.0**-15 < abs(up) < 2.0**14]
    verdict = swept(called, question, Inputs(-1, 2.0**6, ups=tuple(ups), every_up=True), ftz=ftz)
    x = [x for x in all_numbers(dtype) if -1 <= x <= 2.0**6]
    gates, seconds = np.array([*itertools.product(x, ups)]).T
    errors = []
    for a, b, got in zip(
        gates.tolist(),
        seconds.tolist(),
        narrow(gates.astype(dtype), seconds.astype(dtype)).tolist(),
        strict=True,
    ):
        tiny = [(0, each) if ftz and abs(each) < 2.0**-14 else (each,) for each in (a, b)]
        due = {max(Fraction(x), Fraction(0)) * Fraction(up) for x, up in itertools.product(*tiny)}
        errors.append(min(rule(dtype, got, r, ftz) for r in due))
    assert verdict.max_ulp_jax == float(max(errors))


@pytest.mark.parametrize("least", [2.0**-14, 2.0**-14 * 1.001])
def test_a_machine_that_flushes_is_right_by_jax_unless_it_flushes_more(least):
    """0 in place of the least normal number is 4 ULP of float8_e5m2, and one unit by JAX."""

    def flushing(x):
        wide = x.astype(np.float64)
        with np.errstate(over="ignore"):
            y = wide / (1 + np.exp(-1.5957691216057308 * (wide + 0.044715 * wide**3)))
        return np.where(np.abs(y) < least, 0, y).astype(x.dtype)

    strict, loose = (
        sweep(flushing, dtype="float8_e5m2", form="tanh", low=-0.125, ftz=ftz)
        for ftz in (False, True)
    )
    assert strict.max_ulp_jax == strict.max_ulp > 3
    assert loose.max_ulp_jax == by_the_rule(flushing, True)
    if least == 2.0**-14:
        assert loose.max_ulp_jax == loose.max_ulp <= 0.5
    else:
        assert loose.max_ulp > 3
        assert 1 < loose.max_ulp_jax < 1.5


def test_one_wrong_result_is_found_among_many_that_flush():
    """Some normal numbers become 0, over 1024 ULP off but within 100 by JAX; one is 300 off."""
    x = 2.0**-14 + np.append(np.arange(100), 512) * 2.0**-24
    got = np.append(np.zeros(100), x[-1] + 300 * 2.0**-24)
    question = Question(find_form("relu"), "value", FORMATS["float16"])
    assert check_results("f", question, x, got, exhaustive=False, ftz=True).max_ulp_jax == 300


def test_a_nan_is_infinitely_far():
    verdict = sweep(lambda x: np.where(x == 1, np.nan, x), dtype="float16", form="relu", low=0)
    assert verdict.max_ulp_jax == math.inf
    assert verdict.to_dict()["summary"][0]["max_ulp_jax"] == "inf"


def test_without_failures_and_flushing_it_is_the_error_in_ulp():
    for dtype in FORMATS:
        few = {"samples": 300} if dtype in ("float32", "float64") else {}
        verdict = sweep(lambda x: np.maximum(x, 0), dtype=dtype, low=1, high=1.01, **few)
        assert verdict.max_ulp_jax == verdict.max_ulp > 1


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("result", ["float16", "bfloat16", "float8_e5m2"])
def test_results_that_saturate_are_measured(result, ftz):
    """ReLU from float32, cut off at the largest number, at inputs of both kinds."""
    largest = float(ml_dtypes.finfo(result).max)
    beyond = 3.4e38 if result == "bfloat16" else largest * 1.0078125
    x = np.array([1.0, 3.399e38, largest, beyond], np.float32).astype(np.float64)
    got = np.minimum(x, largest)
    got = got.astype(result).astype(np.float64)
    question = Question(find_form("relu"), "value", FORMATS["float32"], FORMATS[result])
    found = check_results("f", question, x, got, exhaustive=False, ftz=ftz)
    due = [rule(result, g, Fraction(point), ftz) for point, g in zip(x, got, strict=True)]
    assert found.max_ulp_jax == float(max(due))


def test_results_at_infinity_are_judged_too():
    question = Question(find_form("relu"), "value", FORMATS["float16"])
    x = np.array([1.0, math.inf, -math.inf, math.nan])
    right = check_results("f", question, x, np.maximum(x, 0), exhaustive=False)
    assert right.max_ulp_jax == 0
    got = np.array([1.0, 65504.0, 0.0, math.nan])
    assert check_results("f", question, x, got, exhaustive=False).max_ulp_jax == math.inf


def test_e4m3_has_nan_where_others_have_infinity():
    question = Question(find_form("relu"), "value", FORMATS["float32"], FORMATS["float8_e4m3fn"])
    assert error_by_jax(question, 1e6, math.nan, False) == 0
    assert error_by_jax(question, 1e6, 448.0, False) == 1
    assert error_by_jax(question, 470.0, 448.0, False) == Fraction(22, 32)
    assert error_by_jax(question, 3.0, math.nan, False) == math.inf


# Where it is


def test_it_is_a_column_of_a_summary_and_of_a_comparison():
    words = ("--dtype", "float8_e5m2", "--range", "-2:2", "-d", "30")
    swept = gelu("sweep", "erfc", *words)
    assert "max_ulp_jax" in swept.columns
    (row,) = swept.rows
    assert row["max_ulp_jax"] == row["max_ulp"]  # to the last digit
    assert len(row["max_ulp_jax"]) > 25
    compared = gelu("compare", "erfc", "erf_sum", *words)
    assert {"differ", "nearer", "max_ulp_jax"} <= {*compared.columns}
