"""Each form against its definition in a line of mathematics."""

from fractions import Fraction

import numpy as np
from flint import arb

from gelu_cli.formulas import OF_GATES, QUANTITIES, all_forms, all_functions, find_form, typed_form
from gelu_cli.formulas.doubles import float64
from gelu_cli.numbers import FLOAT64, evaluate
from gelu_cli.numbers.arrays import evaluate_array
from gelu_cli.numbers.rays import far_out
from tests.truth.mpmath import nearest, truth

NAMES = [*all_forms(), *all_functions()]
POINTS = [-7.25, -1.3, -0.1, 0.7, 2.6]
NOISE = 1e-60
"""Below it mpmath's derivatives have too few digits."""

PARAMETERS = {
    "tanh": [{"c": "0.05"}, {"a": "0.7", "c": "0.01", "d": "0.001"}],
    "sigmoid": [{"beta": "1.1"}, {"beta": "3"}],
    "hard": [{"slope": "0.9"}],
    "igelu": [{"a": "-0.3", "b": "-1.5"}],
    "elu": [{"alpha": "0.7"}, {"alpha": "-2"}],
    "erf_as": [{"p": "0.47047", "a1": "0.3480242", "a2": "-0.0958798"}],
    "noisy_relu": [{"sigma": "0.3"}],
    "polynomial": [{"A": "2", "c1": "0.3", "c7": "0.001"}],
    "squareplus": [{"b": "1"}, {"b": "0.3"}],
    "leaky_relu": [{"slope": "0.3"}],
}


def quantities(form):
    """Return the quantities that a form has."""
    return [name for name in QUANTITIES if form.has_gate or name not in OF_GATES]


def labels():
    """Yield each form as it is and with other parameters."""
    for name in NAMES:
        yield name, {}
        for settings in PARAMETERS.get(name, ()):
            yield name, settings


def test_every_quantity_of_every_form_is_its_definition_rounded():
    wrong = []
    for name, settings in labels():
        label = ":".join([name, *(f"{k}={v}" for k, v in settings.items())])
        form = typed_form(label)
        for quantity in quantities(form):
            for x in POINTS:
                want = nearest(truth(name, quantity, Fraction(x), **settings))
                (got,) = evaluate(form, [quantity], x, FLOAT64)
                if got != want and abs(want) > NOISE:
                    wrong.append((label, quantity, x, got, want))
    assert not wrong[:5]


def test_float64s_for_searches_are_right_to_twelve_digits():
    x = np.array(POINTS)
    for name in NAMES:
        for quantity in ("value", "gradient"):
            want = evaluate_array(find_form(name), quantity, x)
            got = float64(find_form(name), quantity, x)
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13, err_msg=name)


def test_tails_vanish_far_out():
    for name in NAMES:
        form = find_form(name)
        for right in (False, True):
            i = form.outer(right)
            if form.has_tail(i):
                assert abs(form.tail(i, arb(10) ** 30 * (1 if right else -1))) < 1e-6, name


def test_forms_keep_their_side_of_a_limit_far_out():
    # GELU(x) < x and GELU′(x) > 1 to the right; both are negative to the left.
    assert far_out(find_form("exact"), "value", True)[:3] == (0, 1, -1)
    assert far_out(find_form("exact"), "gradient", True)[:3] == (1, 0, 1)
    assert far_out(find_form("exact"), "value", False).sign == -1
    assert far_out(find_form("softplus"), "value", True).sign == 1
    assert far_out(find_form("squareplus"), "gradient", True).sign == -1
    assert far_out(find_form("elu"), "value", False)[:3] == (-1, 0, 1)
