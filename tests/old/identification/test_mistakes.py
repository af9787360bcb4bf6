"""Known mistakes: each formula is the one that its definition says, written independently."""

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.old.formulas import all_forms
from gelu_cli.old.identification import mistakes
from gelu_cli.old.identification.candidates import MISTAKE, forms_for, numbers_of
from gelu_cli.old.identification.explanations import explained
from gelu_cli.old.identification.figures import Figures
from gelu_cli.old.identification.mistakes import SCALED
from gelu_cli.old.values.evaluate import evaluate
from tests.old.every import every
from tests.old.identification.test_estimation import printed_by
from tests.truth.mpmath import M, fraction, nearest, ratio

FORMS = (*mistakes.VALUES, *mistakes.PARAMETERS, *mistakes.GRADIENTS)
MISTAKES = {form.label: form for form in FORMS}
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


def tanh_gradient(factor, scale):
    def gradient(x):
        t = M.tanh(cubic(x))
        return (1 + t) / 2 + x * (1 - t * t) / 2 * scale * (1 + factor * C * x**2)

    return gradient


DEFINITIONS = {
    "swapped_constants": half_tanh(lambda x: C * (x + ROOT * x**3)),
    "square_for_cube": half_tanh(lambda x: ROOT * (x + C * x**2)),
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
    "leaky_relu": lambda x: x if x > 0 else x / 100,
    "sigmoid:beta=1.773": lambda x: x / (1 + M.exp(-ratio("1.773") * x)),
    "sigmoid:beta=1.7": lambda x: x / (1 + M.exp(-ratio("1.7") * x)),
    **{
        f"tanh:c={c}": with_cubic(c)
        for c in ("0.0447", "0.04471", "0.045", "0.44715", "0.0044715", "0.047715", "0.044175")
    },
    **{f"tanh_scaled:s={s}": with_root(ratio(s)) for s in ("0.8", "0.798", "0.797")},
}
GRADIENTS = {
    "minus_density": lambda x: phi(x) - x * density(x),
    "density_without_x": lambda x: phi(x) + density(x),
    "density_without_root": lambda x: phi(x) + x * M.exp(-x * x / 2),
    "three_left_out": tanh_gradient(1, ROOT),
    "inner_root_left_out": tanh_gradient(3, 1),
}
POINTS = [-5.5, -2.0, -0.25, 0.75, 1.0, 3.5]


def test_every_mistake_has_a_definition_here_and_is_no_form():
    assert set(MISTAKES) == {*DEFINITIONS, *GRADIENTS}
    assert not set(MISTAKES) & set(all_forms())


def assert_correctly_rounded(form, quantity, function):
    for x in POINTS:
        want = nearest(fraction(function(M.mpf(x))))
        assert evaluate(form, [quantity], x, FLOAT64) == [want], x


@every("name", DEFINITIONS)
def test_value_and_gradient_are_those_of_the_definition(name):
    form, definition = MISTAKES[name], DEFINITIONS[name]
    assert_correctly_rounded(form, "value", definition)
    assert_correctly_rounded(form, "gradient", lambda x: M.diff(definition, x))


@every("name", GRADIENTS)
def test_mistaken_gradients_are_those_of_the_definition(name):
    assert_correctly_rounded(MISTAKES[name], "value", GRADIENTS[name])


def test_the_scaled_form_is_the_tanh_form_with_another_factor():
    assert_correctly_rounded(SCALED.with_settings("s", {"s": 1}), "value", with_root(1))


@every("quantity", ["value", "gradient"])
def test_what_is_computed_on_arrays_is_the_correctly_rounded_value(quantity):
    """Tiny inputs, kinks and zeros among them."""
    x = np.array([-3.0, -1.0, -1e-40, 0.0, 1e-40, 0.5, 3.0])
    figures = Figures("", quantity, x, x, (FORMATS["float64"], FORMATS["float32"]))
    for candidate in forms_for(quantity):
        if candidate.kind == MISTAKE:
            got = numbers_of(candidate, figures).tolist()
            want = [
                evaluate(candidate.form, [candidate.quantity], each, FORMATS["float32"])[0]
                for each in x.tolist()
            ]
            assert got == want, candidate.label


def assert_explained(name):
    quantity = "gradient" if name in GRADIENTS else "value"
    function = {**DEFINITIONS, **GRADIENTS}[name]
    points = ["-2", "-0.5", "1", "2.5"]
    figures = printed_by(lambda x: function(ratio(x)), points, 9, quantity)
    best, *others = explained(figures).explanations
    assert (best.candidate.label, best.verdict) == (name, "explains all")
    assert not [each for each in others if each.agrees.all()]


@every("name", ["tanh:c=0.0447", "three_left_out"])
def test_figures_of_a_mistake_are_explained_by_it_and_by_no_form(name):
    assert_explained(name)


@pytest.mark.slow
@every("name", [*DEFINITIONS, *GRADIENTS])
def test_figures_of_every_mistake_are_explained_by_it(name):
    assert_explained(name)
