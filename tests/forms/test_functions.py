"""Functions that are taken for GELU: what they are, and that they are no forms."""

import pytest

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.forms import all_forms, find_form
from gelu_cli.forms.functions import FUNCTIONS
from gelu_cli.forms.published import published_forms
from gelu_cli.values.evaluate import evaluate
from tests.truth.mpmath import M, decimal_of, fraction, ratio

DEFINITIONS = {
    "logistic": lambda x: 1 / (1 + M.exp(-x)),
    "tanh_fn": lambda x: M.sinh(x) / M.cosh(x),
    "erf": lambda x: 2 / M.sqrt(M.pi) * M.quad(lambda t: M.exp(-t * t), [0, x]),
    "Phi": lambda x: M.mpf(1) / 2 + M.erf(x / M.sqrt(2)) / 2,
}


@pytest.mark.parametrize("x", ["-4.5", "-1", "0.25", "3"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_values_and_derivatives_are_those_of_the_definition(function, x):
    names = ["value", "gradient", "curvature"]
    found = evaluate(function, names, float(x), Decimals(20))
    f = DEFINITIONS[function.name]
    due = [f(ratio(x)), M.diff(f, ratio(x)), M.diff(f, ratio(x), 2)]
    assert [*found] == [decimal_of(fraction(y), 20) for y in due]


def test_they_are_no_forms():
    assert not {each.name for each in FUNCTIONS} & {*all_forms(), *published_forms()}
    assert find_form("erf").name == "exact"
