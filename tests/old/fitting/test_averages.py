"""The least averages, beside integrals and a minimiser of scipy's."""

import math
from fractions import Fraction

import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import expit, ndtr
from scipy.stats import norm

from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.calculus.integrals import Normal
from gelu_cli.old.fitting.averages import Average, stationary
from gelu_cli.old.fitting.families import Criterion, Family
from gelu_cli.old.fitting.search import nearest_on_average
from gelu_cli.old.formulas import find_form
from tests.old.asked import fit
from tests.old.every import every


def average(form, value, normal, absolute):
    """Return E|e| or E e², with the kinks of hard told to the quadrature."""
    mean, sigma = map(float, normal)

    def integrand(x):
        gate = expit(value * x) if form == "sigmoid" else min(max(value * x + 3, 0), 6) / 6
        error = x * (gate - ndtr(x))
        return (abs(error) if absolute else error**2) * norm.pdf(x, mean, sigma)

    ends = mean - 10 * sigma, mean + 10 * sigma
    kinks = [0.0, 3 / value, -3 / value, 1.35, -1.35]
    return quad(integrand, *ends, points=kinks, limit=400, epsabs=1e-15, epsrel=1e-11)[0]


CASES = [
    pytest.param("sigmoid", 1, "0.5", False, marks=pytest.mark.slow),
    ("hard", 0, "1", False),
    pytest.param("sigmoid", 0, "1", True, marks=pytest.mark.slow),
    pytest.param("hard", 0, "1", True, marks=pytest.mark.slow),
    pytest.param("hard", -1, "2", False, marks=pytest.mark.slow),
    pytest.param("sigmoid", 0, "10", False, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("form", "mean", "sigma", "absolute"), CASES)
def test_no_constant_has_a_smaller_average_also_where_kinks_move(form, mean, sigma, absolute):
    normal = Normal(Fraction(mean), Fraction(sigma))
    family = Family(find_form(form), (find_form(form).parameters[0].name,), find_form("exact"),
                    "value")  # fmt: skip
    nearest = nearest_on_average(family, [1.7], normal, absolute)
    average_of = Average(family, normal, absolute, [Fraction(1)], Fraction(nearest.error))
    (value,) = stationary(average_of, nearest.values, 40).values
    near = (float(value) * 0.9, float(value) * 1.1)
    found = minimize_scalar(lambda value: average(form, value, normal, absolute), bounds=near,
                            options={"xatol": 1e-9})  # fmt: skip
    assert float(value) == pytest.approx(found.x, rel=2e-6)
    least = average(form, float(value), normal, absolute)
    assert least <= found.fun * (1 + 1e-9)


@pytest.mark.slow
@every("criterion", ["rms", "mean"])
def test_digits_of_an_average_are_the_same_digits(criterion):
    in_float64 = fit("sigmoid", criterion=criterion)
    more = fit("sigmoid", criterion=criterion, digits=25)
    assert in_float64.constants == list(map(float, more.constants))
    assert in_float64.error == pytest.approx(float(more.error), rel=1e-14)
    assert (more.lower_bound, more.proof) == (None, "best of 8 starts")


@every("criterion", ["rms", "mean"])
def test_where_sigma_is_small_taylors_constant_is_best(criterion):
    """GELU's curvature at 0 gives √(8/π); errors are then below 10⁻¹², and no noise."""
    best = fit("sigmoid", criterion=criterion, sigma=1e-3)
    (beta,) = best.constants
    assert beta == pytest.approx(math.sqrt(8 / math.pi), rel=1e-6)
    for other in (beta * (1 - 1e-6), beta * (1 + 1e-6), math.sqrt(8 / math.pi)):
        form = find_form("sigmoid").with_settings("other", {"beta": Fraction(other)})
        comparison = Comparison(form, find_form("exact"), "value")
        asked = Criterion(criterion, normal=Normal(Fraction(0), Fraction(1e-3)))
        assert asked.error(comparison, FLOAT64) > best.error


@pytest.mark.parametrize(
    ("criterion", "power"), [("rms", 2), pytest.param("mean", 1, marks=pytest.mark.slow)]
)
def test_a_clamp_that_is_free_is_best_on_average(criterion, power):
    """No neighbour of the four constants has a smaller average, by scipy's integrals."""
    best = fit("polynomial", criterion=criterion)

    def average(values):
        a, *coefficients = values

        def integrand(x):
            inner = 0.5 + sum(c * x ** (2 * k + 1) for k, c in enumerate(coefficients))
            gate = inner if abs(x) <= a else float(x > 0)
            return abs(x * (gate - ndtr(x))) ** power * norm.pdf(x)

        return 2 * quad(integrand, 0, 12, points=[a, 0.9, 1.7, 2.3], limit=200, epsabs=1e-14)[0]

    least = average(best.constants)
    assert least ** (1 / power) == pytest.approx(best.error, rel=1e-7)
    for i in range(4):
        for share in (-1e-3, 1e-3):
            moved = [value * (1 + share * (i == j)) for j, value in enumerate(best.constants)]
            assert average(moved) > least * (1 - 1e-10)
