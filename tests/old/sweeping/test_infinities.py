"""What a sweep says of results at ±∞ and NaN."""

from fractions import Fraction
from math import inf, isnan, nan

import numpy as np

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import typed_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question, upstream_in
from tests.old.every import every

HALF = FORMATS["float16"]
SOME = Inputs(1.0, 1.03125, infinities=True)
"""33 numbers and three that are none."""


def verdict_on(at_special, question, inputs=SOME, beside=0.0):
    """The verdict on a function with some results at ∞, −∞ and NaN, and one at all else."""
    plus, minus, of_nan = at_special

    def function(*upstream_and_x):
        x = upstream_and_x[-1]
        with np.errstate(invalid="ignore"):
            result = np.where(np.isposinf(x), plus, np.where(np.isneginf(x), minus, beside))
        return np.where(np.isnan(x), of_nan, result).astype(x.dtype)

    calling = Calling(question.dtype, question.result, quantity=question.quantity, backward="own")
    if question.quantity == "value":
        calling = calling._replace(backward=None)
    own = implementation_of("f", function, calling)
    return sweep(own, question, inputs, keep=40)


def specials(form, quantity="value", dtype=HALF, upstream=1.0):
    return Question(
        typed_form(form), quantity, dtype, upstream=upstream_in(dtype, Fraction(upstream))[0]
    )


def failures_of(verdict):
    return [(x, got) for x, got, _ in verdict.failures if not np.isfinite(x)]


VALUES = ["exact", "tanh", "sigmoid", "sigmoid:beta=1.5", "silu", "relu"]


@every("form", VALUES)
@every("zero", [0.0, -0.0])
def test_a_gelu_is_infinite_or_0_of_either_sign(form, zero):
    found = verdict_on((inf, zero, nan), specials(form)).total
    assert (found.inputs, found.wrong_nan, found.wrong_inf, found.failures) == (36, 0, 0, [])
    without = verdict_on((inf, zero, nan), specials(form), plain()).total
    assert found.wrong_zero == without.wrong_zero


def plain():
    return SOME._replace(infinities=False)


@every(
    ("results", "counts"),
    [
        ((nan, 0, nan), (1, 0, 0)),
        ((inf, nan, nan), (1, 0, 0)),
        ((inf, 0, 0), (1, 0, 0)),
        ((65504, 0, nan), (0, 1, 0)),
        ((-inf, -inf, nan), (0, 2, 0)),
        ((inf, -1, nan), (0, 0, 1)),
        ((nan, nan, 1), (3, 0, 0)),
    ],
)
def test_what_is_wrong_is_counted_and_first_among_the_worst(results, counts):
    question = specials("exact")
    found, without = verdict_on(results, question), verdict_on(results, question, plain())
    names = ("wrong_nan", "wrong_inf", "wrong_zero")
    more = [getattr(found.total, name) - getattr(without.total, name) for name in names]
    assert tuple(more) == counts
    wrong_nan, wrong_inf, _ = counts
    assert len(failures_of(found)) == wrong_nan + wrong_inf
    assert sum(tally.inputs for tally in found.regions.values()) == without.total.inputs == 33
    if wrong_nan + wrong_inf:
        assert not np.isfinite(found.worst[0].x)


@every(
    ("form", "upstream", "limits"),
    [
        ("exact", 1, (1, 0, nan)),
        ("tanh", -0.5, (-0.5, 0, nan)),
        ("sigmoid", 3, (3, -0.0, nan)),
        ("sigmoid:beta=-1", 2, (0, 2, nan)),
    ],
)
def test_gradients_are_the_limits_times_the_upstream(form, upstream, limits):
    question = specials(form, "gradient", upstream=upstream)
    limited = verdict_on(limits, question)
    assert failures_of(limited) == []
    wrong = verdict_on((*(2 * each + 1 for each in limits[:2]), 0), question)
    assert wrong.total.inputs == 36
    assert {x for x, _ in failures_of(wrong) if not isnan(x)} == set()
    assert {entry.x for entry in wrong.total.worst if np.isinf(entry.x)} == {inf, -inf}
    assert wrong.total.wrong_nan == 1


def test_parameters_decide_what_is_due():
    falling = specials("sigmoid:beta=-1")
    assert failures_of(verdict_on((0, -inf, nan), falling)) == []
    assert failures_of(verdict_on((inf, 0, nan), falling)) == [(inf, inf), (-inf, 0)]
    elu = specials("elu:alpha=1/2")
    right, wrong = (verdict_on((inf, each, nan), elu).total.worst for each in (-0.5, -0.75))
    assert [entry.ulp for entry in right if entry.x == -inf] in ([], [0])
    assert [entry.ulp for entry in wrong if entry.x == -inf] == [0.25 * 2**11]


def test_a_format_without_infinities_has_nan_alone():
    e4m3 = FORMATS["float8_e4m3fn"]
    found = verdict_on((0, 0, 7), specials("relu", dtype=e4m3), Inputs(1.0, 2.0, infinities=True))
    (failure,) = found.failures
    assert isnan(failure.x)
    assert (found.total.inputs, failure.got) == (10, 7)


@every("dtype", ["float32", "float64"])
def test_they_join_samples_too(dtype):
    inputs = Inputs(1, 2, every=False, samples=500, infinities=True)
    found = verdict_on((inf, 0, 5), specials("exact", dtype=FORMATS[dtype]), inputs)
    ((x, got),) = failures_of(found)
    assert (isnan(x), got) == (True, 5)
