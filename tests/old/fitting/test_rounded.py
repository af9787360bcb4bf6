"""The best constants among the numbers of a format."""

from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from scipy import special

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.fitting.families import Best, Criterion, Family
from gelu_cli.old.fitting.rounded import constants_in, step_from
from gelu_cli.old.formulas import find_form

BFLOAT16 = FORMATS["bfloat16"]
X = np.linspace(0, 8, 4001)
GATE = special.ndtr(X)


def tanh_error(a, b, quantity):
    """Largest error of ½(1 + tanh(ax + bx³)), of the value or the gate: a second writing."""
    error = special.expit(2 * (a * X + b * X**3)) - GATE
    return np.max(np.abs(error * X if quantity == "value" else error))


def neighbours(value, far):
    """The bfloat16 numbers around one, by the integers of their bits."""
    bits = int(np.array(value, ml_dtypes.bfloat16).view(np.uint16))
    near = np.arange(bits - far, bits + far + 1, dtype=np.uint16)
    return near.view(ml_dtypes.bfloat16).astype(float)


SUP, RMS = Criterion("sup"), Criterion("rms")
REAL = {
    ("tanh", ("a", "c"), "gate"): (0.798801437120392, 0.04416873410997134),
    ("tanh", ("a", "c"), "value"): (0.8001570785481036, 0.04336760164053828),
    ("tanh", ("c",), "value"): (0.04438294381673409,),
    ("sigmoid", ("beta",), "value"): (1.7729339656167546,),
}
"""The best real constants."""


def solved(name, free, quantity, criterion=SUP, values=None):
    family = Family(find_form(name), free, find_form("exact"), quantity)
    return Best(family, criterion, values or REAL[name, free, quantity], 2.7e-4, None, "")


@pytest.fixture(scope="module")
def of_gate():
    best = solved("tanh", ("a", "c"), "gate")
    return {each.names: each for each in constants_in(best, BFLOAT16)}


@pytest.mark.parametrize("names", [("a", "c"), ("a", "a·c")])
def test_no_bfloat16_constants_in_a_wide_box_are_better(of_gate, names):
    found = of_gate[names]
    cubic = (lambda a, c: a * c) if names == ("a", "c") else (lambda a, b: b)
    around = [neighbours(value, 24) for value in found.naive]
    errors = {pair: tanh_error(pair[0], cubic(*pair), "gate") for pair in product(*around)}
    assert found.proof == "bound"
    assert found.best == min(errors, key=errors.get)
    assert float(found.error) == pytest.approx(errors[found.best], rel=1e-5)
    assert float(found.error_naive) == pytest.approx(errors[found.naive], rel=1e-5)


def test_rounding_the_best_constants_costs_a_factor_of_two(of_gate):
    found = of_gate["a", "c"]
    assert 2 < float(found.error_naive) / float(found.error) < 2.2


def test_the_better_way_to_write_the_form_comes_first():
    best = solved("tanh", ("a", "c"), "value")
    one, other = constants_in(best, BFLOAT16)
    assert float(best.error) < float(one.error) <= float(other.error)
    assert {one.names, other.names} == {("a", "c"), ("a", "a·c")}


def test_what_is_not_fitted_is_a_number_of_the_format_too():
    for found in constants_in(solved("tanh", ("c",), "value"), BFLOAT16):
        assert found.fixed == {"a": 0.796875}
        assert all(BFLOAT16.from_float(value) == value
                   for value in found.constants(found.best).values())  # fmt: skip
        assert found.form.label.startswith("tanh:a=0.796875:")


def test_one_parameter_agrees_with_every_float16_near_it():
    best = solved("sigmoid", ("beta",), "value")
    (found,) = constants_in(best, FORMATS["float16"])
    near = [step_from(FORMATS["float16"], found.best[0], by) for by in range(-30, 31)]
    errors = [np.max(np.abs(X * (special.expit(beta * X) - GATE))) for beta in near]
    assert near[int(np.argmin(errors))] == found.best[0]


def test_an_average_is_searched_among_neighbours():
    best = solved("sigmoid", ("beta",), "value", RMS, [1.7119130489927412])
    (found,) = constants_in(best, BFLOAT16)
    assert found.proof == "best of 5 neighbours"
    near = [step_from(BFLOAT16, found.naive[0], by) for by in (-2, -1, 0, 1, 2)]
    weight = np.exp(-X * X / 2)
    errors = [np.sum(weight * (X * (special.expit(beta * X) - GATE)) ** 2) for beta in near]
    assert near[int(np.argmin(errors))] == found.best[0]


def test_numbers_beside_a_power_of_two_and_below_normal_ones():
    assert step_from(BFLOAT16, 2.0, -1) == 2 - 2**-7
    assert step_from(BFLOAT16, 2.0**-133, -1) == 0
    assert step_from(BFLOAT16, -(2.0**-133), 2) == 2.0**-133
    assert Fraction(step_from(FORMATS["float16"], 2.0**-14, -1)) == Fraction(1023, 1 << 24)
