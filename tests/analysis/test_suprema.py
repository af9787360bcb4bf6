"""Suprema of errors: Arb bounds them over the whole range, mpmath finds the critical point."""

import math
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.activations import all_forms, find_form
from gelu_cli.analysis.error import compare, summarise
from gelu_cli.analysis.extremes import supremum
from gelu_cli.analysis.stretches import Place, stretches
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from tests.reference import FORMS, M, fraction, nearest, ratio, truth

TEN = Fraction(10)


def comparison(form, target="exact", quantity="value"):
    return compare(find_form(form), find_form(target), quantity)


# Arb's balls: d = x·(G − Φ) and its derivative, written for balls alone


def ball_exact(x):
    return (-x / arb(2).sqrt()).erfc() / 2, (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def ball_logistic(w, w1):
    s = 1 / (1 + (-w).exp())
    return s, w1 * s / (1 + w.exp())


def ball_sigmoid(x):
    return ball_logistic(x * arb("1.702"), arb("1.702"))


def ball_tanh(x):
    scale = 2 * (2 / arb.pi()).sqrt()
    c = arb("0.044715")
    return ball_logistic(scale * (x + c * x**3), scale * (1 + 3 * c * x * x))


def ball_relu(x):
    return arb(1 if x.mid() > 0 else 0), arb(0)


def bounded(gate, bound, low, high):
    """Prove |x·(G − Φ)| ≤ bound on [low, high] by halving, with the mean value form."""
    boxes = [(low, high)]
    while boxes:
        low, high = boxes.pop()
        centre = arb((low + high) / 2)
        x = arb((low + high) / 2, (high - low) / 2)
        (g, g1), (p, p1) = gate(x), ball_exact(x)
        slope = (g - p) + x * (g1 - p1)
        (gc, _), (pc, _) = gate(centre), ball_exact(centre)
        radius = arb((high - low) / 2)
        if abs(centre * (gc - pc)) + abs(slope) * radius <= bound:
            continue
        assert high - low > 1e-12, f"the error exceeds {bound} near {low}"
        boxes += [(low, (low + high) / 2), ((low + high) / 2, high)]


@pytest.mark.parametrize(
    ("form", "gate"), [("tanh", ball_tanh), ("sigmoid", ball_sigmoid), ("relu", ball_relu)]
)
def test_no_point_of_the_range_is_above_the_supremum(form, gate):
    ctx.prec = 120
    found = comparison(form).largest_difference(-TEN, TEN, FLOAT64).value
    for low, high in ((-10.0, 0.0), (0.0, 10.0)):
        bounded(gate, arb(found) * arb("1.000000001"), low, high)
    with pytest.raises(AssertionError):  # the proof can fail: it does for a smaller bound
        bounded(gate, arb(found) * arb("0.99999"), -10.0, 10.0)


# The critical point itself, from mpmath


def difference(form, quantity="value"):
    order = ("value", "gradient", "curvature").index(quantity)
    return lambda x: M.diff(lambda t: FORMS[form](t) - FORMS["exact"](t), x, order)


@pytest.mark.parametrize("form", ["tanh", "sigmoid", "silu", "mish"])
@pytest.mark.parametrize("quantity", ["value", "gradient", "curvature"])
def test_thirty_digits_of_a_supremum_and_its_place(form, quantity):
    found = comparison(form, quantity=quantity).largest_difference(-TEN, TEN, Decimals(30))
    order = ("value", "gradient", "curvature").index(quantity) + 1
    near = M.mpf(str(found.x))
    with M.workdps(60):
        x = M.findroot(
            lambda t: M.diff(lambda s: FORMS[form](s) - FORMS["exact"](s), t, order),
            (near - M.mpf("1e-6"), near + M.mpf("1e-6")),
            solver="anderson",
            tol=1e-90,
        )
        value = abs(difference(form, quantity)(x))
    assert found.x == Decimals(30).exactly(fraction(x))
    assert found.value == Decimals(30).exactly(fraction(value))


def test_the_known_figures_of_the_tanh_form():
    found = summarise(comparison("tanh"), -TEN, TEN, Fraction(1), FLOAT64)
    assert 4.7323e-4 < found.max_abs_error < 4.7324e-4
    assert abs(found.max_abs_error_x) == pytest.approx(2.699, abs=5e-4)


@pytest.mark.parametrize("form", sorted(set(all_forms()) - {"exact"}))
@pytest.mark.parametrize("quantity", ["value", "gradient", "curvature"])
def test_no_sampled_point_is_above_the_supremum(form, quantity):
    found = comparison(form, quantity=quantity).largest_difference(-TEN, TEN, FLOAT64)
    for k in range(-25, 25):
        x = Fraction(2 * k + 1, 5) + Fraction(1, 10007)
        error = abs(truth(form, quantity, x) - truth("exact", quantity, x))
        assert error <= Fraction(found.value) * (1 + Fraction(1, 2**52))


# Ends, kinks, infinity


def test_a_jump_of_the_gradient_counts_from_both_sides():
    found = comparison("relu", quantity="gradient").largest_difference(-TEN, TEN, FLOAT64)
    assert found == (0.5, 0.0)


def test_an_error_at_a_kink_is_found_there():
    kink = 3 / ratio("1.702")
    found = comparison("hard").largest_difference(-TEN, TEN, FLOAT64)
    assert found.x == nearest(fraction(kink))
    assert found.value == nearest(fraction(kink - FORMS["exact"](kink)))


def test_the_end_of_the_range_counts():
    found = comparison("tanh").largest_difference(Fraction(0), Fraction(1, 3), Decimals(20))
    assert found.x == Decimals(20).exactly(Fraction(1, 3))
    third = abs(truth("tanh", "value", Fraction(1, 3)) - truth("exact", "value", Fraction(1, 3)))
    assert found.value == Decimals(20).exactly(third)


def test_an_infinite_range_has_the_same_supremum_where_it_is_inside():
    finite = comparison("tanh").largest_difference(-TEN, TEN, FLOAT64)
    assert comparison("tanh").largest_difference(-math.inf, math.inf, FLOAT64) == finite


def test_a_supremum_may_be_approached_at_infinity_alone():
    found = comparison("elu").largest_difference(-math.inf, math.inf, FLOAT64)
    assert found == (1.0, -math.inf)


# Relative errors


def test_the_relative_error_in_the_tail_is_at_the_end_of_the_range():
    for form in ("tanh", "sigmoid"):
        found = comparison(form).largest_ratio(-TEN, TEN, FLOAT64)
        f, g = (truth(name, "value", -TEN) for name in (form, "exact"))
        assert found == (nearest(abs((f - g) / g)), -10.0)


@pytest.mark.parametrize(
    ("form", "expected"),
    [("tanh", (1.0, -math.inf)), ("sigmoid", (math.inf, -math.inf)), ("relu", (1.0, 0.0))],
)
def test_relative_errors_on_the_whole_line(form, expected):
    assert comparison(form).largest_ratio(-math.inf, math.inf, FLOAT64) == expected


def test_a_relative_error_may_have_a_finite_limit():
    """erf_as: ½(a₁t)e^(−z²) over e^(−z²)/(2z√π) tends to a₁√π/p, the error to 1 less."""
    limit = ratio("0.254829592") * M.sqrt(M.pi) / ratio("0.3275911") - 1
    found = comparison("erf_as").largest_ratio(-math.inf, math.inf, FLOAT64)
    assert found == (nearest(fraction(limit)), -math.inf)


def test_a_zero_of_the_target_makes_the_relative_error_unbounded():
    found = comparison("tanh", quantity="gradient").largest_ratio(-TEN, TEN, FLOAT64)
    assert found == (math.inf, -0.7517915246935645)
    found = comparison("tanh", quantity="curvature").largest_ratio(-TEN, TEN, FLOAT64)
    assert found == (math.inf, nearest(fraction(M.sqrt(2))))
    assert comparison("exact", "relu").largest_ratio(-TEN, TEN, FLOAT64).value == math.inf


def test_where_both_are_zero_the_slopes_tell():
    """ELU and GELU at 0 have the slopes 1 and ½."""
    found = comparison("elu").largest_ratio(Fraction(0), Fraction(1), FLOAT64)
    assert found == (1.0, 0.0)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=5), st.integers(-5, 4))
def test_polynomials_are_bounded_exactly(coefficients, low):
    """The supremum of |p| on [low, low + 2] is at an end or where p′ = 0."""

    def value(x, zero, number):
        y = zero
        for c in coefficients:
            y = y * x + number(c)
        return y

    def curve(a, x):
        return value(x, a.rational(0), a.rational)

    ends = Place.of(Fraction(low)), Place.of(Fraction(low + 2))
    found = supremum([(cut, curve) for cut in stretches(*ends, [])], FLOAT64)
    dense = [value(low + Fraction(k, 256), Fraction(0), Fraction) for k in range(513)]
    assert found.value >= max(map(abs, dense)) * (1 - Fraction(1, 2**52))
    there = abs(value(Fraction(found.x), Fraction(0), Fraction))
    assert found.value == pytest.approx(float(there), rel=1e-12, abs=1e-12)
