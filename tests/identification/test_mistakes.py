"""Known mistakes: each formula is the one that its definition says, written independently."""

import numpy as np

from gelu_cli.formulas import all_forms
from gelu_cli.identification.candidates import mistakes
from gelu_cli.numbers import FLOAT64, FORMATS, evaluate
from gelu_cli.numbers.arrays import evaluate_array
from tests.truth.mpmath import M, fraction, nearest, ratio

C, ROOT = ratio("0.044715"), M.sqrt(2 / M.pi)


def half_tanh(argument):
    return lambda x: x * (1 + M.tanh(argument(x))) / 2


def phi(x):
    return M.erfc(-x / M.sqrt(2)) / 2


def density(x):
    return M.exp(-x * x / 2) / M.sqrt(2 * M.pi)


def cubic(x):
    return ROOT * (x + C * x**3)


def with_cubic(c):
    return half_tanh(lambda x: ROOT * (x + ratio(c) * x**3))


def with_root(s):
    return half_tanh(lambda x: s * (x + C * x**3))


DEFINITIONS = {
    "swapped_constants": half_tanh(lambda x: C * (x + ROOT * x**3)),
    "root_left_out": half_tanh(lambda x: x + C * x**3),
    "root_of_x_alone": half_tanh(lambda x: ROOT * x + C * x**3),
    "root_upside_down": with_root(M.sqrt(M.pi / 2)),
    "no_root": with_root(2 / M.pi),
    "root_of_2_over_5": with_root(M.sqrt(ratio("0.4"))),
    "tanh_0.8x": half_tanh(lambda x: ratio("0.8") * x),
    "fast_gelu": half_tanh(lambda x: ratio("0.797885") * x + ratio("0.035677") * x**3),
    "mlx_approximate": lambda x: (
        x / (1 + M.exp(-ratio("1.60033") * x * (1 + ratio("0.0433603") * x * x)))
    ),
    "unscaled_erf": lambda x: x * (1 + M.erf(x)) / 2,
    "gate_of_unscaled_erf": lambda x: (1 + M.erf(x)) / 2,
    "half_left_out": lambda x: x * (1 + M.erf(x / M.sqrt(2))),
    "one_left_out": lambda x: x * M.erf(x / M.sqrt(2)) / 2,
    "x_times_erf": lambda x: x * M.erf(x / M.sqrt(2)),
    "half_of_one_term": lambda x: x * (ratio("0.5") + M.erf(x / M.sqrt(2))),
    "complement": lambda x: x * (1 - phi(x)),
    "hard_swish": lambda x: x * min(max(x + 3, 0), 6) / 6,
    "sigmoid:beta=1.773": lambda x: x / (1 + M.exp(-ratio("1.773") * x)),
    "sigmoid:beta=1.7": lambda x: x / (1 + M.exp(-ratio("1.7") * x)),
    **{
        f"tanh:c={c}": with_cubic(c)
        for c in ("0.0447", "0.04471", "0.045", "0.44715", "0.0044715", "0.047715", "0.044175")
    },
    **{f"tanh:a={s}": with_root(ratio(s)) for s in ("0.8", "0.798", "0.797")},
}
POINTS = [-5.5, -2.0, -0.25, 0.0, 0.75, 1.0, 3.5, 1e5]


def test_every_mistake_has_a_definition_here_and_is_no_form():
    assert {*mistakes()} == {*DEFINITIONS}
    assert not {*mistakes()} & {*all_forms()}


def assert_correctly_rounded(form, quantity, function):
    for x in POINTS:
        want = nearest(fraction(function(M.mpf(x))))
        assert evaluate(form, [quantity], x, FLOAT64) == [want], (form.label, x)


def test_values_and_gradients_are_those_of_the_definitions():
    for name, definition in DEFINITIONS.items():
        form = mistakes()[name]
        assert form.label == name
        assert_correctly_rounded(form, "value", definition)
        assert_correctly_rounded(form, "gradient", lambda x, f=definition: M.diff(f, x))


def test_arrays_of_mistakes_are_their_points():
    """Tiny inputs, kinks, large ones and zeros among them."""
    x = np.array([-1e3, -30.0, -3.0, -1.0, -1e-40, 0.0, 1e-40, 0.5, 3.0, 30.0, 1e9])
    for to in (FLOAT64, FORMATS["float16"]):
        for form in mistakes().values():
            for quantity in ("value", "gradient"):
                got = evaluate_array(form, quantity, x, to).tolist()
                want = [evaluate(form, [quantity], each, to)[0] for each in x.tolist()]
                assert got == want, (form.label, quantity)
