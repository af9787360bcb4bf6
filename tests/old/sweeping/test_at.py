"""Results at single inputs, each inside a full block."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import SEPARATE, Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.at import clamp_of, results_at
from gelu_cli.old.sweeping.gating import Gating
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.routines import ROUTINES, find_routine
from gelu_cli.old.sweeping.truth import Question
from tests.truth.mpmath import FORMS as TRUTHS
from tests.truth.mpmath import M, fraction

RELU = find_form("relu")


def of_function(function, dtype="float16", batch=None, form=RELU):
    number_format = FORMATS[dtype]
    own = implementation_of("f", function, Calling(number_format, number_format, batch=batch))
    return Kernel(own, Question(form, "value", number_format))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
@pytest.mark.parametrize("name", ROUTINES)
def test_errors_are_those_that_mpmath_finds(name, dtype):
    number_format = FORMATS[dtype]
    routine = find_routine(name)
    question = Question(find_form(routine.form), "value", number_format)
    points = [-3.5, -1.0, 0.5, 2.25, -0.0078125]
    found = results_at(
        Kernel(routine_implementation(routine, "value", number_format), question), points
    )
    assert [result.x for result in found.results] == points
    for result in found.results:
        true = fraction(TRUTHS[routine.form](M.mpf(result.x)))
        exponent = math.floor(M.log(abs(TRUTHS[routine.form](M.mpf(result.x))), 2))
        unit = Fraction(2) ** (exponent - number_format.precision + 1)
        assert result.want == number_format.exactly(true)
        assert float(result.ulp) == pytest.approx(float(abs(Fraction(result.got) - true) / unit))


def test_results_are_in_the_order_of_the_inputs_each_as_often_as_given():
    found = results_at(of_function(lambda x: x), [2.0, -1.0, 2.0, 0.0, -0.0, 2.0])
    assert [result.x for result in found.results] == [2, -1, 2, 0, 0, 2]
    assert [math.copysign(1, result.got) for result in found.results[3:5]] == [1, -1]
    assert [result.ordinal for result in found.results] == [0, 15360, 0, 0, 0, 0]


def test_nan_and_infinities_are_inputs():
    points = [math.nan, math.inf, -math.inf, 1.0]
    right = results_at(of_function(lambda x: np.maximum(x, 0)), points)
    assert [*map(right.failed, right.results)] == [False] * 4
    assert [result.ulp is None for result in right.results] == [True, True, False, False]
    wrong = results_at(of_function(lambda x: 0 * x), points)
    assert [*map(wrong.failed, wrong.results)] == [False, True, True, False]
    assert wrong.worst is wrong.results[1]


def test_an_input_is_inside_a_block_as_long_as_those_of_a_sweep():
    lengths = []

    def noting(x):
        lengths.append(len(x))
        return np.maximum(x, 0)

    results_at(of_function(noting), [1.0])
    results_at(of_function(noting, "float32"), [1.0, 2.0])
    results_at(of_function(noting, "float32", batch=100), [1.0] * 150)
    assert lengths == [63488, 65536, 100, 100]


def test_results_that_differ_within_a_block_are_told():
    def by_place(x):
        return np.maximum(x, 0) * np.where(np.arange(len(x)) % 8 == 7, 2, 1).astype(x.dtype)

    for points in ([1.0], [1.0, 2.0], [float(i) for i in range(1, 9)]):
        found = results_at(of_function(by_place), points)
        (note,) = found.verdict.notes
        assert note.startswith(f"at {len(points)} of {len(points)} inputs the results differ")
    assert not results_at(of_function(lambda x: x), [1.0, 2.0]).verdict.notes


def test_subnormal_results_may_be_flushed():
    number_format = FORMATS["float16"]
    question = Question(find_form("exact"), "value", number_format)

    def flushed(x):
        return np.where(abs(x) < 2.0**-12, 0, x / 2).astype(x.dtype)

    own = implementation_of("f", flushed, Calling(number_format, number_format))
    for ftz, ulp in ((False, 512), (True, 0)):
        (result,) = results_at(Kernel(own, question), [2.0**-14], ftz=ftz).results
        assert round(result.ulp) == ulp


@pytest.mark.parametrize(("dtype", "gate", "up"), [
    ("float32", 7, 7), ("float32", 3.3329999446868896, None), ("bfloat16", None, 14.9375),
    ("float16", 100, 0.28564453125), ("float8_e5m2", 6, 3.5), ("float64", None, None),
])  # fmt: skip
def test_clamps_are_found_where_results_no_longer_change(dtype, gate, up):
    """Of numbers of the format, in results that are rounded: neighbours may have the same."""

    def oss(x, u):
        x, u = np.minimum(x, gate or np.inf), np.clip(u, -(up or np.inf), up or np.inf)
        return x / (1 + np.exp(-1.702 * x)) * (u + 1)

    def kernel(x, u):
        return oss(x.astype(np.float64), u.astype(np.float64)).astype(x.dtype)

    number_format = FORMATS[dtype]
    own = implementation_of("f", kernel, Calling(number_format, number_format, second="separate"))
    asked = Kernel(own, Question(RELU, "value", number_format, gating=Gating()))
    assert (clamp_of(asked, 0), clamp_of(asked, 1)) == (gate, up)


@pytest.mark.parametrize("gating", [Gating(), Gating(upstream=True)])
def test_pairs_are_judged_against_fractions(gating):
    half = FORMATS["float16"]
    backward = gating.upstream
    quantity = "gradient" if backward else "value"
    calling = Calling(half, half, quantity, gating.second, "own" if backward else None)

    def kernel(*both):
        x, up = reversed(both) if backward else both
        with np.errstate(all="ignore"):
            return (np.float16(0.7) * x * up).astype(np.float16)

    own = Kernel(
        implementation_of("f", kernel, calling), Question(RELU, quantity, half, gating=gating)
    )
    pairs = [(1.5, -3.0), (-2.0, 0.5), (1.5, 0.25), (512.0, 512.0)]
    found = results_at(own, pairs).results
    assert [(each.x, each.up) for each in found] == pairs
    for (x, up), each in zip(pairs, found, strict=True):
        true = Fraction(max(x, 0) if not backward else x > 0) * Fraction(up)
        assert each.want == half.exactly(true)
        if math.isfinite(each.want) and math.isfinite(each.got):
            assert each.ulp == abs(Fraction(each.got) - true) / half.ulp(true)
    limits = [(math.inf, 0.0), (1.0, -math.inf), (math.nan, 1.0), (-math.inf, 2.0)]
    wants = [0.0, -math.inf, math.nan, 0.0] if backward else [math.nan, -math.inf, math.nan, 0.0]
    found = results_at(own, limits).results
    np.testing.assert_array_equal([each.want for each in found], wants)


def test_pairs_stand_together_in_full_blocks():
    half = FORMATS["float16"]

    def kernel(gate, up):
        assert len(gate) == len(up) == 63488
        assert {*zip(gate.tolist(), up.tolist(), strict=True)} == {(1, 2), (3, 5)}
        return gate * up

    own = implementation_of("f", kernel, Calling(half, half, second=SEPARATE))
    found = results_at(
        Kernel(own, Question(RELU, "value", half, gating=Gating())), [(1, 2), (3, 5)]
    )
    assert [each.got for each in found.results] == [2, 15]
