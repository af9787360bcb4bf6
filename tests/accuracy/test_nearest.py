"""The nearest form of kernels that are a form, a poor one, or something near one."""

import numpy as np
import pytest

from gelu_cli.accuracy.nearest import hints, nearest_form, points_of, second_of
from gelu_cli.accuracy.question import Glu, Question
from gelu_cli.formulas import all_forms, find_form
from gelu_cli.numbers import FORMATS, evaluate

FORMATS_USED = ["bfloat16", "float16", "float32", "float64"]


def question(dtype, quantity="value", **more):
    return Question(find_form("exact"), quantity, FORMATS[dtype], FORMATS[dtype], **more)


def named(dtype, results, quantity="value", **more):
    """The form of a function of float64s whose results are rounded to a format."""
    x, of = points_of(FORMATS[dtype]), FORMATS[dtype].dtype
    with np.errstate(all="ignore"):
        got = results(x).astype(of).astype(np.float64)
    return nearest_form(question(dtype, quantity, **more), x, got).name


def test_each_form_is_nearest_to_itself():
    wrong = []
    for dtype in ("bfloat16", "float32"):
        x = points_of(FORMATS[dtype])[::3]
        for quantity in ("value", "gradient"):
            for name, form in all_forms().items():
                got = [evaluate(form, [quantity], each, FORMATS[dtype])[0] for each in x.tolist()]
                found = nearest_form(question(dtype, quantity), x, np.array(got, np.float64))
                same = {"sigmoid": "sigmoid", "tanh_taylor": "tanh", "erf_as": "exact"}
                if found.name not in (name, same.get(name, name)):
                    wrong.append((dtype, quantity, name, found.name))
    assert wrong == []


def clipped_cubic(x):
    """SiLU with a cubic for the logistic function, which is 0 from −3 and 1 from 3 on."""
    t = np.clip(x / 6 + 0.5, 0, 1)
    return x * t * t * (3 - 2 * t)


def other_cubic(x):
    a = np.clip(x, -4, 4)
    return x * np.clip(0.5 + 0.25 * a - a**3 / 128, 0, 1)


@pytest.mark.parametrize("dtype", FORMATS_USED)
def test_a_clipped_cubic_silu_is_not_hard(dtype):
    assert [named(dtype, each) for each in (clipped_cubic, other_cubic)] == ["silu"] * 2


def test_relu_is_found_though_no_input_tells():
    for dtype in FORMATS_USED:
        assert named(dtype, lambda x: np.maximum(x, 0)) == "relu"
        slip = named(dtype, lambda x: np.where(np.abs(x - 1) < 0.01, 1.25, np.maximum(x, 0)))
        assert slip == "relu"


def test_a_poor_tail_does_not_decide():
    """1 + erf in bfloat16 cancels below −2: the form is exact all the same."""
    from scipy.special import erf

    def cancels(x):
        step = 2.0**-8
        return x / 2 * (1 + np.round(erf(x / np.sqrt(2)) / step) * step)

    assert named("bfloat16", cancels) == "exact"
    assert (
        named("float32", lambda x: np.where(x < -2, 0, x / (1 + np.exp(-1.702 * x)))) == "sigmoid"
    )


def test_nan_and_infinities_are_left_out():
    assert named("float16", lambda x: np.where(x > 2, np.nan, np.where(x < 0, 0 * x, x))) == "relu"


def test_second_inputs_and_limits_enter():
    x = points_of(FORMATS["float32"])
    asked = question("float32", glu=Glu(gate_limit=3.0, up_offset=-1.0))
    up = second_of(asked)
    assert up == 2.0
    clamped = np.minimum(x, 3.0)
    got = clamped / (1 + np.exp(-clamped)) * (up - 1)
    assert nearest_form(asked.at(up), x, got).name == "silu"
    gate = nearest_form(question("float32", glu=Glu()), x, 1 / (1 + np.exp(-x)))
    assert gate.name == "logistic"
    nothing = np.zeros(0)
    assert nearest_form(question("float32"), nothing, nothing).name == "exact"


HINTS = {  # a function of gate and up, what results should be: the hint
    (lambda x, up: up / (1 + np.exp(-1.702 * x)) * x, "sigmoid"): "",
    (lambda x, up: up / (1 + np.exp(-1.702 * x)) * x, "exact"): "add --form sigmoid",
    (
        lambda x, up: round_half(x / (1 + np.exp(-1.702 * x))) * up,
        "sigmoid",
    ): "--intermediate float16",
}


def round_half(y):
    return y.astype(np.float16).astype(np.float64)


def test_hints_say_what_results_are_and_call_a_kernel_once():
    for (function, form), part in HINTS.items():
        calls = []

        def results(x, up, function=function, calls=calls):
            calls.append(len(x))
            return round_half(function(x, up))

        asked = question("float16", glu=Glu())._replace(form=find_form(form))
        found = hints(asked, results)
        assert len(calls) == 1
        assert (len(found), part in "".join(found)) == (bool(part), True), (form, found)
