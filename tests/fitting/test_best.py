"""The best constants: against mpmath's solutions of the conditions, minimisers, and theory."""

import math
from decimal import Context, Decimal
from functools import cache

import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.stats import norm

from gelu_cli.calculus.averages import normal
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.fitting import best_constants, family_of, of_degree
from gelu_cli.formulas import find_form, typed_form
from tests.truth import fitting as truth
from tests.truth.mpmath import FORMS, M, decimal_of, ratio


@cache
def by_sup(form, free="", quantity="value", low=-math.inf, high=math.inf, digits=None):
    names = [name for name in free.split(",") if name]
    family = family_of(typed_form(form), names, quantity, low=low, high=high)
    return best_constants(family, digits)


@cache
def by_rms(form, free="", mean=0, sigma=1, digits=None):
    names = [name for name in free.split(",") if name]
    family = family_of(typed_form(form), names, criterion="rms", of=normal(mean, sigma))
    return best_constants(family, digits)


# Stationary points, solved by mpmath


def test_a_gradient_may_have_one_point_where_its_error_is_largest():
    best = by_sup("sigmoid", quantity="gradient")
    beta, x = truth.flattest(truth.sigmoid, 1.7, 1.41)
    assert [*best.parameters.values()] == [float(beta)]
    assert [at for at, _ in best.points] == [float(x)]
    assert (best.lower_bound, best.proof) == (None, "best of 8 starts")


def test_the_balance_of_a_gradient_with_two_parameters():
    """0 is a weighted mean of the slopes of |error| where it is largest."""
    best = by_sup("tanh", "a,c", "gradient", digits=30)
    a, c = map(ratio, best.parameters.values())

    def size(x, side, a, c):
        return side * M.diff(lambda t: t * truth.tanh(t, a, c) - FORMS["exact"](t), x)

    with M.workdps(50):
        points = [(ratio(x), 1 if error > 0 else -1) for x, error in best.points]
        heights = [size(x, side, a, c) for x, side in points]
        slopes = M.matrix(
            [
                [M.diff(lambda v: size(x, side, v, c), a) for x, side in points],  # noqa: B023
                [M.diff(lambda v: size(x, side, a, v), c) for x, side in points],  # noqa: B023
                [1] * len(points),
            ]
        )
        weights = M.lu_solve(slopes, M.matrix([0, 0, 1]))
        assert M.norm(slopes * weights - M.matrix([0, 0, 1])) < 1e-20
    assert max(heights) - min(heights) < M.mpf("1e-28")
    assert min(weights) > 0


SQUARES = {
    "sigmoid": (truth.sigmoid, 1.7119, {}),
    "sigmoid, mean 1, sigma 1/2": (truth.sigmoid, 1.70, {"mean": 1, "sigma": M.mpf(1) / 2}),
    "tanh": (truth.tanh_of_published_scale, 0.044967, {}),
}
"""The gate in mpmath, a rough value, the distribution."""


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case != "sigmoid")) for case in SQUARES]
)
def test_a_mean_square_has_the_constant_where_its_derivative_is_0(case):
    gate, value, settings = SQUARES[case]
    best = by_rms(case.partition(",")[0], **{k: float(v) for k, v in settings.items()})
    (constant,) = best.parameters.values()
    assert constant == float(truth.least_mean_square(gate, value, **settings))
    assert (best.lower_bound, best.proof) == (None, "best of 8 starts")


def test_a_mean_square_that_is_a_parabola_is_proved():
    """With X uniform on [0, 2] and the error x·(½ + c1·x − Φ) the best c1 is ∫x³(Φ − ½)/∫x⁴."""
    polynomial = typed_form("polynomial:A=3:c3=0:c5=0")
    best = best_constants(family_of(polynomial, ["c1"], criterion="rms", low=0, high=2), 20)
    with M.workdps(40):
        value = M.quad(lambda x: x**3 * (M.ncdf(x) - M.mpf(1) / 2), [0, 2]) / M.mpf("6.4")
        square = M.quad(lambda x: (x * (0.5 + value * x - M.ncdf(x))) ** 2, [0, 2]) / 2
    assert best.parameters == {"c1": decimal_of(value, 20)}
    assert best.proof == "convex"
    assert best.lower_bound <= decimal_of(M.sqrt(square), 20) <= best.error
    assert best.error - best.lower_bound < Decimal("1e-18")


# Nothing better: 10⁴ draws, from 10⁻⁶ to a tenth of the constants away

X, FINE = np.linspace(0.05, 8, 160), np.linspace(0, 8, 40_001)


def gradient(x, gate, slope):
    """Return G + x·G′, less GELU's, of a logistic gate with the slope of its argument."""
    return gate + x * gate * (1 - gate) * slope - ndtr(x) - x * norm.pdf(x)


def gradient_of_tanh(x, a, c):
    return gradient(x, expit(2 * a * (x + c * x**3)), 2 * a * (1 + 3 * c * x**2))


SEARCHED = {
    ("sigmoid", "", "gradient"): lambda x, b: gradient(x, expit(b * x), b),
    ("tanh", "", "gradient"): lambda x, c: gradient_of_tanh(x, math.sqrt(2 / math.pi), c),
    ("tanh", "a,c", "gradient"): gradient_of_tanh,
    ("tanh", "a,c", "value"): lambda x, a, c: x * (expit(2 * a * (x + c * x**3)) - ndtr(x)),
}


def best_draw(values, criterion, count=10_000):
    """Return the constants around some for which a criterion of columns of constants is least."""
    chance, best = np.random.default_rng(0), (math.inf, ())
    for _ in range(count // 5000):
        sizes = 10 ** chance.uniform(-6, -1, (5000, 1))
        drawn = np.array(values) * (1 + sizes * chance.normal(size=(5000, len(values))))
        found = criterion(*drawn.T[..., None])
        best = min(best, (found.min(), tuple(drawn[found.argmin()])))
    return best[1]


@pytest.mark.parametrize("case", SEARCHED)
def test_no_search_finds_a_smaller_largest_error(case):
    best, error = by_sup(*case), SEARCHED[case]
    values = [*best.parameters.values()]
    other = best_draw(values, lambda *each: np.max(np.abs(error(X, *each)), axis=-1))
    assert np.max(np.abs(error(FINE, *values))) == pytest.approx(best.error, rel=1e-7)
    assert np.max(np.abs(error(FINE, *other))) > best.error * (1 - 1e-7)


# What theory says


def test_degrees_7_and_9_are_proved_and_each_is_better():
    errors = []
    for degree in (5, 7, 9):
        form, free = of_degree(find_form("polynomial"), degree)
        best = best_constants(family_of(form, free))
        assert best.proof == "equioscillation"
        assert len(best.points) == len(free) + 1
        errors.append(best.error)
    assert errors == sorted(errors, reverse=True)


def test_a_low_degree_sets_the_higher_coefficients_to_zero():
    for degree, label in ((1, "polynomial:c3=0:c5=0"), (3, "polynomial:c5=0")):
        form, free = of_degree(find_form("polynomial"), degree)
        assert (form.label, form.function) == (label, typed_form(label).function)
        assert free == ["A", "c1", "c3"][: (degree + 3) // 2]


def test_a_range_beyond_the_last_extremum_has_the_optimum_of_the_axis():
    axis = by_sup("sigmoid")
    last = max(x for x, _ in axis.points)
    for end in (last + 1e-7, last + 1e-4, 2.43, 1000.0):
        near = by_sup("sigmoid", low=-end, high=end)
        assert (near.parameters, near.error) == (axis.parameters, axis.error), end
    before = by_sup("sigmoid", low=-math.inf, high=last - 1e-7)  # the other side decides
    assert before.parameters == axis.parameters
    before = by_sup("sigmoid", low=1 - last, high=last - 1e-7)
    assert max(before.points)[0] == last - 1e-7
    assert before.parameters["beta"] < axis.parameters["beta"]


def test_the_constants_of_a_small_sigma_are_taylors():
    best = by_rms("sigmoid", sigma=1e-3)
    assert best.parameters["beta"] == pytest.approx(math.sqrt(8 / math.pi), rel=1e-6)


def test_what_has_no_best_constants_is_refused():
    with pytest.raises(UsageError, match="unknown parameter 'a' to fit in"):
        by_sup("tanh:a=0.8", "a")
    with pytest.raises(UsageError, match="'softplus' has no free parameter"):
        by_sup("softplus")
    for form, free, low in [
        ("elu", "", -math.inf),  # it does not decide the largest error
        ("polynomial:A=2", "c1,c3", -math.inf),  # nor do these: it is beyond A
        ("polynomial:A=2", "c1", 2),
        ("squareplus", "", -math.inf),  # the error falls with b, towards ReLU's
        ("tanh", "a,c,d", -math.inf),  # with d < 0 the argument turns back far out
    ]:
        with pytest.raises(ComputationError, match="no best constants are found"):
            by_sup(form, free, low=low, high=3 if low == 2 else math.inf)
    with pytest.raises(ComputationError, match="no best constants are found"):
        by_rms("squareplus")


def test_kinks_may_leave_the_range_of_a_mean_square():
    """On [1, 2] hard's gate is 1 from x = 3/slope on; E e² is least where its derivative is 0."""
    best = best_constants(family_of(typed_form("hard"), criterion="rms", low=1, high=2))
    x = np.linspace(1, 2, 100_001)

    def square(slope):
        return np.mean((x * (np.minimum(slope * x + 3, 6) / 6 - ndtr(x))) ** 2)

    slope = best.parameters["slope"]
    assert square(slope) < min(square(slope * (1 - 1e-3)), square(slope * (1 + 1e-3)))
    assert best.error == pytest.approx(math.sqrt(square(slope)), rel=1e-5)


def test_an_error_of_few_digits_is_that_of_many_rounded():
    """Rounded up it is above the peaks of the error."""
    family = family_of(find_form("tanh"))
    many = best_constants(family, 17)
    for digits in range(1, 12):
        few = best_constants(family, digits)
        assert few.error == Context(digits).plus(many.error), digits
        assert few.parameters == many.parameters


PROOFS = {
    ("tanh:d=0.001", "a"): "equioscillation",
    ("tanh:d=0.001", "c"): "equioscillation",
    ("tanh:d=0.001", "a,c"): "best of 8 starts",
    ("tanh:c=-0.001:d=0.001", "a"): "best of 8 starts",
    ("tanh", "a,d"): "equioscillation",
}


@pytest.mark.parametrize(("form", "free"), PROOFS, ids=" ".join)
def test_a_fit_is_proved_if_differences_change_sign_seldom_enough(form, free):
    """Descartes' rule for a·(x + c·x³ + d·x⁵); with a and c free, d·a may add a change."""
    family = family_of(typed_form(form), free.split(","), quantity="gate", low=-4, high=4)
    assert best_constants(family).proof == PROOFS[form, free]
