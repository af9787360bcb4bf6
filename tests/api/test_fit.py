"""`fit`, the command and the function: constants against the equations of the optimum."""

import re
from decimal import Decimal
from functools import cache

import numpy as np
import pytest
from scipy.special import expit, ndtr

from gelu_cli import error, fit
from tests.runner import gelu
from tests.truth import fitting as truth
from tests.truth.mpmath import M, decimal_of, ratio

COLUMNS = [
    "form",
    "quantity",
    "criterion",
    "range",
    "parameter",
    "fitted",
    "published",
    "error_fitted",
    "error_published",
    "gain",
    "lower_bound",
    "proof",
]

# Form, free parameters; then the gate in mpmath, rough values and extrema of the error.
ALTERNATING = {
    ("sigmoid", "", "value"): (truth.sigmoid, [1.77], [0.9, 2.43]),
    ("tanh", "a,c", "value"): (truth.tanh, [0.8, 0.0434], [0.75, 1.74, 2.92]),
    ("igelu", "", "value"): (truth.igelu, [-0.2575, -1.83], [0.41, 1.446, 2.456]),
    ("tanh", "", "gate"): (truth.tanh_of_published_scale, [0.0447], [1.2, 2.57]),
    ("hard", "", "value"): (truth.hard, [1.667], [1.08]),
    ("polynomial", "c1,c3,c5,A", "value"): (
        truth.polynomial,
        [0.375, -0.0427, 0.00226, 2.775],
        [0.857, 1.833, 2.52],
    ),
    ("erf_as", "a1,a2,a3,a4,a5", "value"): (
        truth.tail_of_erf,
        [0.2511, -0.26575, 1.38627, -1.42402, 1.0524],
        [0.095, 0.42, 0.88, 1.47, 2.2, 3.24],
    ),
}
CASES = [
    pytest.param(each, marks=[pytest.mark.slow] * (each[0] == "erf_as")) for each in ALTERNATING
]
ENDS = {
    # Where hard becomes 1, its error is the other one of two.
    "hard": lambda error, values: [(error(3 / values[0], values), 1)],
    # At the edge of a polynomial from inside, and from outside, where it is x·(1 − Φ(x)).
    "polynomial": lambda error, values: [
        (error(values[-1], values), 3),
        (values[-1] * (1 - truth.normal_gate(values[-1])), 3),
    ],
}


@cache
def fitted(form, free="", quantity="value", digits=None):
    return fit(form, free, quantity=quantity, digits=digits)


@pytest.mark.parametrize("case", CASES)
def test_constants_and_errors_solve_the_equations_of_equioscillation(case):
    gate, values, extrema = ALTERNATING[case]
    power, more = int(case[2] == "value"), ENDS.get(case[0])
    values, extrema, height = truth.levelled(gate, values, extrema, power=power, more=more)
    found = fitted(*case, digits=25)
    assert [*found.parameters.values()] == [decimal_of(value, 25) for value in values]
    assert found.proof == "equioscillation"
    assert found.lower_bound <= decimal_of(height, 25) <= found.error_fitted
    assert found.error_fitted - found.lower_bound < Decimal("1e-22")
    points = found.view("points")[: len(extrema)]
    assert [each["x"] for each in points] == [decimal_of(x, 25) for x in extrema]
    assert {abs(each["error"]) for each in found.view("points")} == {decimal_of(height, 25)}
    assert len({each["error"] > 0 for each in points[::2]}) == 1


def test_an_rms_that_is_convex_has_the_constant_of_the_normal_equation():
    """With X ~ N(0, 1) the best c1 is E x³(Φ − ½)/E x⁴ over |x| ≤ 3."""
    found = fit("polynomial:A=3:c3=0:c5=0", "c1", criterion="rms", digits=20)

    def mean(f):
        return M.quad(lambda x: f(x) * M.npdf(x), [-3, 0, 3])

    with M.workdps(40):
        best = mean(lambda x: x**3 * (M.ncdf(x) - M.mpf(1) / 2)) / mean(lambda x: x**4)
    assert found.parameters == {"c1": decimal_of(best, 20)}
    assert (found.range, found.proof) == ("N(0, 1)", "convex")
    assert found.lower_bound <= found.error_fitted < found.lower_bound * (1 + Decimal("1e-17"))
    assert found.published is None


def test_an_rms_over_a_range_is_that_of_a_uniform_x():
    run = gelu("fit", "tanh", "--criterion", "rms", "--range", "-4:4")
    (row,) = run.rows
    assert (row["range"], row["lower_bound"]) == ("-4:4", "")
    assert row["proof"] == "best of 8 starts"
    assert fit("sigmoid", criterion="rms", mean="-1/2", sigma=2).range == "N(-0.5, 2²)"
    x = np.linspace(-4, 4, 4001)

    def square(c):
        return np.mean((x * (expit(2 * np.sqrt(2 / np.pi) * (x + c * x**3)) - ndtr(x))) ** 2)

    c = float(row["fitted"])
    assert float(row["error_fitted"]) == pytest.approx(square(c) ** 0.5, rel=1e-3)
    assert square(c) < min(square(c * (1 - 1e-3)), square(c * (1 + 1e-3)))


def test_a_quintic_is_fitted_on_a_range_and_written():
    run = gelu("fit", "tanh", "--free", "a,c,d", "--range", "-4:4", "--view", "python")
    module = {}
    exec(run.out, module)
    x = np.linspace(-4, 4, 4001)
    assert np.max(np.abs(module["gelu"](x) - x * ndtr(x))) == pytest.approx(2.5187e-5, abs=3e-7)
    assert "--form tanh:a=0.79750788428539" in run.out


def test_published_constants_and_the_gain():
    assert str(fitted("tanh", "a,c", digits=20).published["a"]) == "0.79788456080286535588"
    found = fitted("sigmoid")

    def off(x):
        return x * (truth.normal_gate(x) - truth.sigmoid(x, ratio("1.702")))

    most = abs(off(M.findroot(lambda x: M.diff(off, x), 2.3)))
    assert found.published == {"beta": 1.702}
    assert found.error_published == float(most)
    assert found.gain == float(f"{float(most) / found.error_fitted:.4g}")
    assert found.error_fitted == error(f"sigmoid:beta={found.parameters['beta']}").max_abs_error


def test_a_range_and_a_set_parameter():
    """On a range that holds the last extremum the best constant is that of the line."""
    assert fit("sigmoid", range="-3:3").parameters == fitted("sigmoid").parameters
    near = fit("sigmoid", range=(-2, 2))
    assert near.error_fitted < fitted("sigmoid").error_fitted
    assert near.range == "-2:2"
    assert [*fit("tanh:a=0.8", range="-4:4").parameters] == ["c"]


def test_programs_are_text_and_compute_the_form(folder):
    run = gelu("fit", "sigmoid", "--view", "python")
    assert (run.code, run.err) == (0, "")
    said = " ".join(run.out.split())
    assert "no constants have less than 0.0139222 (proof: equioscillation)." in said
    module = {}
    exec(run.out, module)
    x = np.linspace(-6, 6, 25, dtype=np.float32)
    beta = fitted("sigmoid").parameters["beta"]
    assert module["gelu"](x) == pytest.approx(x / (1 + np.exp(-beta * x.astype(float))), rel=1e-6)
    run = gelu("fit", "sigmoid", "--view", "c", "-o", "gelu.anything")
    assert run.err.endswith("; written to gelu.anything\n")
    text = (folder / "gelu.anything").read_text()
    assert text.startswith("/* GELU as x*sigma(beta*x), in float32.")
    assert "void gelu(const float *x, float *y, size_t n)\n" in text
    assert f"const float beta = {np.float32(beta)!s}f;" in text


def test_a_terminal_has_sentences_and_small_tables():
    run = gelu("fit", "sigmoid", terminal=True)
    assert run.code == 0
    said = " ".join(run.out.split())
    assert "no constants have less than 0.0139222 (proof: equioscillation)." in said
    assert re.search(r"beta +1\.7729339656167546 +1\.702", run.out)
    assert "Where the error is largest" in run.out
    assert max(map(len, run.out.splitlines())) <= 80
