"""The best constants of suprema: beside mpmath, Arb and scipy, and as theory has them."""

from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from flint import ctx
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.special import expit, ndtr

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.fitting.families import Criterion
from gelu_cli.old.formulas import find_form
from tests.old.asked import fit
from tests.old.every import every
from tests.truth import arb as in_arb
from tests.truth import fitting as truth
from tests.truth.mpmath import FORMS, M, decimal_of, ratio

DIGITS = 40

# Form, free parameters, quantity; then the gate in mpmath, rough values and extrema of the error.
ALTERNATIONS = {
    "sigmoid": ("sigmoid", "beta", "value", truth.sigmoid, [1.77], [0.9, 2.43]),
    "sigmoid_gate": ("sigmoid", "beta", "gate", truth.sigmoid, [1.7], [0.57, 2.04]),
    "tanh": ("tanh", "c", "value", truth.tanh_of_published_scale, [0.0444], [1.46, 2.8]),
    "tanh_gate": ("tanh", "c", "gate", truth.tanh_of_published_scale, [0.0447], [1.2, 2.57]),
    "tanh_scaled": ("tanh", "a,c", "value", truth.tanh, [0.8, 0.0434], [0.75, 1.74, 2.92]),
    "hard": ("hard", "slope", "value", truth.hard, [1.667], [1.08]),
    "igelu": ("igelu", "a,b", "value", truth.igelu, [-0.2575, -1.83], [0.41, 1.446, 2.456]),
    "erf_as": (
        "erf_as", "a1,a2,a3,a4,a5", "value", truth.tail_of_erf,
        [0.2511, -0.26575, 1.38627, -1.42402, 1.0524], [0.095, 0.42, 0.88, 1.47, 2.2, 3.24],
    ),
    "polynomial": (
        "polynomial", "c1,c3,c5,A", "value", truth.polynomial,
        [0.375, -0.0427, 0.00226, 2.775], [0.857, 1.833, 2.52],
    ),
}  # fmt: skip
ENDS = {
    # Where hard becomes 1, its error is the other one of two.
    "hard": lambda error, values: [(error(3 / values[0], values), 1)],
    # At the edge of a polynomial from inside, and from outside, where it is x·(1 − Φ(x)).
    "polynomial": lambda error, values: [
        (error(values[-1], values), 3),
        (values[-1] * (1 - truth.normal_gate(values[-1])), 3),
    ],
}
SLOW = {"erf_as", "sigmoid_gate", "tanh_gate", "tanh", "polynomial"}
"""Which take a second or more, or are much like another one."""
every_alternation = pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case in SLOW)) for case in ALTERNATIONS]
)


@cache
def fitted(case, digits=DIGITS):
    form, free, quantity, *_ = ALTERNATIONS[case]
    return fit(form, free.split(","), quantity=quantity, digits=digits)


@every_alternation
def test_constants_points_and_errors_are_mpmaths_to_forty_digits(case):
    _, _, quantity, gate, values, extrema = ALTERNATIONS[case]
    best = fitted(case)
    values, extrema, error = truth.levelled(
        gate, values, extrema, power=0 if quantity == "gate" else 1, more=ENDS.get(case)
    )
    assert best.constants == [decimal_of(value, DIGITS) for value in values]
    places = [point.x for point in best.points][: len(extrema)]
    assert places == [decimal_of(x, DIGITS) for x in extrema]
    assert {point.error.copy_abs() for point in best.points} == {decimal_of(error, DIGITS)}
    assert best.proof == "alternation"
    # The constants printed are rounded: their error is a little more than the least one.
    assert best.lower_bound <= decimal_of(error, DIGITS) <= best.error
    assert best.error - best.lower_bound < Decimal("1e-36")
    assert sum(point.weight for point in best.points) == pytest.approx(1)


@every_alternation
def test_the_lower_bound_is_below_the_error_at_alternating_points_in_arb(case):
    """De La Vallée Poussin: no member has a smaller error at all of them."""
    form, _, quantity, *_ = ALTERNATIONS[case]
    best = fitted(case)
    settings = {name: str(value) for name, value in best.parameters.items()}
    signs = []
    for point in best.points[: len(best.constants) + (form != "polynomial")]:
        x = Fraction(point.x)
        with ctx.workprec(400):
            error = in_arb.at(form, "value", x, **settings) - in_arb.at("exact", "value", x)
            error /= in_arb.number(x) if quantity == "gate" else 1
            # Each constant is half a unit off at most, and the slope in it below 2.8⁸.
            off = len(settings) * Fraction(10) ** (4 - DIGITS)
            assert abs(error) > in_arb.number(Fraction(best.lower_bound) - off)
            signs.append(bool(error > 0))
    assert all(sign != other for sign, other in pairwise(signs))


# What theory says


def test_a_range_beyond_the_last_alternation_point_has_the_optimum_of_the_line():
    line = fit("sigmoid")
    for end in (2.43, 1000.0):
        near = fit("sigmoid", low=-end, high=end)
        assert (near.constants, near.error) == (line.constants, line.error)
    assert fit("sigmoid", low=-2.42, high=2.42).error < line.error


@every(("low", "high"), [(-3.0, 0.0), (-1.0, 3.0)])
def test_both_sides_of_0_have_the_same_errors(low, high):
    one = fit("tanh", low=0.0, high=3.0)
    best = fit("tanh", low=low, high=high)
    assert (best.constants, best.error, best.points) == (one.constants, one.error, one.points)


@pytest.mark.parametrize(
    ("form", "free", "target", "constants", "quantity"),
    [
        ("sigmoid", ["beta"], "silu", ["1"], "value"),
        pytest.param("sigmoid", ["beta"], "silu", ["1"], "gradient", marks=pytest.mark.slow),
        pytest.param("sigmoid", ["beta"], "sigmoid", ["1.702"], "gate", marks=pytest.mark.slow),
        ("sigmoid", ["beta"], "sigmoid_taylor", [M.sqrt(8 / M.pi)], "value"),
        pytest.param(
            "tanh", ["c"], "tanh_taylor", [(4 - M.pi) / (6 * M.pi)], "value", marks=pytest.mark.slow
        ),
        ("tanh", ["a", "c"], "sigmoid", ["0.851", "0"], "value"),
        pytest.param(
            "igelu", ["a", "b"], "igelu", ["-0.2888", "-1.769"], "value", marks=pytest.mark.slow
        ),
        pytest.param("hard", ["slope"], "hard", ["1.702"], "value", marks=pytest.mark.slow),
    ],
)
def test_a_member_is_found_and_has_no_error(form, free, target, constants, quantity):
    best = fit(form, free, target=target, quantity=quantity, digits=20)
    wanted = [each if isinstance(each, M.mpf) else ratio(each) for each in constants]
    assert best.constants == [decimal_of(each, 20) for each in wanted]
    assert best.error < Decimal("1e-18")
    assert (best.lower_bound, best.proof) == (0, "bound")


# Nothing better, by minimisers that know nothing of Newton's method

X = np.linspace(0, 8, 4001)[1:]
PHI = np.exp(-X * X / 2) / np.sqrt(2 * np.pi)


def sigmoid_gradient(beta):
    gate = expit(beta * X)
    return gate + X * beta * gate * (1 - gate) - (ndtr(X) + X * PHI)


def tanh_gradient(a, c):
    gate = expit(2 * a * (X + c * X**3))
    return gate + X * 2 * a * (1 + 3 * c * X**2) * gate * (1 - gate) - (ndtr(X) + X * PHI)


def largest(error):
    return np.max(np.abs(error))


def test_a_gradient_may_have_one_point_where_its_error_is_largest():
    best = fit("sigmoid", quantity="gradient")
    found = minimize_scalar(lambda beta: largest(sigmoid_gradient(beta)), bounds=(1, 3))
    assert best.error == pytest.approx(found.fun, rel=1e-6)

    def slope(beta):
        return M.diff(lambda x: x * truth.sigmoid(x, beta), M.sqrt(2))

    beta = M.findroot(lambda beta: M.diff(slope, beta), found.x)
    assert best.constants == [float(beta)]
    (point,) = best.points
    assert point.x == pytest.approx(2**0.5, rel=1e-15)


@every(
    ("form", "free", "quantity", "share"),
    [
        ("sigmoid", ["beta"], "gradient", 1 - 1e-12), ("tanh", ["c"], "gradient", 1 - 1e-12),
        ("tanh", ["a", "c"], "value", 1 - 1e-12),
        ("hard", ["slope"], "gradient", 0.98),  # a kink that moves leaves a bound a little lower
    ],
)  # fmt: skip
def test_the_bound_is_next_to_the_least_error_and_never_above_it(form, free, quantity, share):
    best = fit(form, free, quantity=quantity)
    assert share * best.error < best.lower_bound <= best.error
    assert best.proof == ("alternation" if quantity == "value" else "bound")


@pytest.mark.parametrize(
    ("form", "error", "bracket", "worse"),
    [pytest.param("sigmoid", sigmoid_gradient, (1.7, 2), 1.09, marks=pytest.mark.slow),
     ("tanh", lambda c: tanh_gradient(np.sqrt(2 / np.pi), c), (0.0425, 0.045), 1.88)],
)  # fmt: skip
def test_errors_of_a_gradient_that_alternate_with_one_size_are_not_the_least(
    form, error, bracket, worse
):
    levelled = brentq(lambda value: np.max(error(value)) + np.min(error(value)), *bracket)
    best = fit(form, quantity="gradient")
    assert largest(error(levelled)) > worse * best.error


def test_the_balance_of_a_gradient_with_two_parameters_is_mpmaths():
    """0 is a weighted mean of the slopes of |error| where it is largest; nothing near is better."""
    best = fit("tanh", ["a", "c"], quantity="gradient", digits=30)
    a, c = map(ratio, best.constants)

    def size(x, side, a, c):
        return side * M.diff(lambda t: t * truth.tanh(t, a, c) - FORMS["exact"](t), x)

    def slopes_at(x, side):
        return M.diff(lambda v: size(x, side, v, c), a), M.diff(lambda v: size(x, side, a, v), c)

    with M.workdps(50):
        points = [(ratio(point.x), 1 if point.error > 0 else -1) for point in best.points]
        heights = [size(x, side, a, c) for x, side in points]
        slopes = [slopes_at(x, side) for x, side in points]
    assert max(heights) - min(heights) < M.mpf("1e-28")
    weights = [point.weight for point in best.points]
    assert min(weights) > 0
    for column in zip(*slopes, strict=True):
        assert abs(sum(w * s for w, s in zip(weights, column, strict=True))) < 1e-14
    found = minimize(lambda v: largest(tanh_gradient(*v)), [0.8, 0.0445], method="Nelder-Mead",
                     options={"xatol": 1e-10, "fatol": 1e-13, "maxfev": 400})  # fmt: skip
    assert found.fun > float(best.error) * (1 - 1e-5)


def test_the_gradient_of_igelu_is_balanced_at_the_kink_that_moves():
    """Found by scipy with the kink and 0 on the grid: 0.04123225."""
    best = fit("igelu", quantity="gradient")
    assert best.error == pytest.approx(0.0412322482288505, rel=1e-14)
    assert [point.x for point in best.points][::2] == [
        0,
        pytest.approx(-best.constants[1] * 2**0.5),
    ]


# Other targets and ranges


@every(
    ("target", "low", "high"),
    [("mish", -inf, inf), ("mish", -1, 3), ("elu", -1, 3),
     ("exact", -3, -1), ("exact", 0.9, 2), ("exact", 1, inf), ("exact", -inf, 0)],
)  # fmt: skip
def test_one_parameter_is_best_for_any_target_on_any_range(target, low, high):
    best = fit("sigmoid", target=target, low=low, high=high)
    x = np.linspace(max(low, -12), min(high, 12), 6001)
    wanted = {
        "mish": lambda: x * np.tanh(np.logaddexp(0, x)),
        "elu": lambda: np.where(x > 0, x, np.expm1(x)), "exact": lambda: x * ndtr(x),
    }[target]()  # fmt: skip

    def objective(beta):
        return np.max(np.abs(x * expit(beta * x) - wanted))

    found = minimize_scalar(objective, bounds=(0.05, 8), options={"xatol": 1e-9})
    assert best.error == pytest.approx(objective(best.constants[0]), rel=1e-5)
    assert best.error < found.fun * (1 + 1e-5)
    assert best.lower_bound is None or float(best.lower_bound) <= found.fun * (1 + 1e-5)


def test_what_is_set_stays_and_the_others_are_fitted():
    best = fit("tanh", settings={"a": "0.8"})
    assert best.form.label == f"tanh:c={best.parameters['c']}"
    assert best.error > fit("tanh", ["a", "c"]).error


def test_an_edge_may_be_all_that_is_free():
    best = fit("polynomial", ["A"])
    (edge,) = best.constants
    for other in (edge * (1 - 1e-6), edge * (1 + 1e-6)):
        form = find_form("polynomial").with_settings("other", {"A": Fraction(other)})
        comparison = Comparison(form, find_form("exact"), "value")
        assert Criterion("sup").error(comparison, FLOAT64) > best.error


def test_a_relative_error_is_divided_by_the_target():
    best = fit("sigmoid", criterion="relative", low=-3, high=3)
    x = np.linspace(-3, 3, 6001)
    found = minimize_scalar(lambda beta: largest(expit(beta * x) / ndtr(x) - 1), bounds=(1, 3),
                            options={"xatol": 1e-9})  # fmt: skip
    assert best.error == pytest.approx(found.fun, rel=1e-5)
    worst = largest(expit(1.702 * x) / ndtr(x) - 1)
    assert best.error < worst


# What has no best constants

WHOLE = {"low": -inf, "high": inf}
REFUSED = [
    ("silu", [], {}, "'silu' has no parameters: it is a member of sigmoid; fit sigmoid"),
    ("tanh_taylor", [], {}, "it is a member of tanh; fit tanh"),
    ("relu", [], {}, "'relu' has no parameters to fit; these have: tanh, sigmoid"),
    ("exact", [], {}, "'exact' has no parameters to fit"),
    ("tahn", [], {}, "unknown form 'tahn'; did you mean 'tanh'?"),
    ("tanh", ["beta"], {}, "unknown parameter 'beta' of 'tanh'; choose from c, a, d"),
    ("tanh", ["a"], {"settings": {"a": "0.8"}}, "a is set in 'tanh' and free by --free"),
    ("tanh", ["c", "c"], {}, "free names c more than once"),
    ("tanh", ["c", "c"], {"criterion": "rms"}, "free names c more than once"),
    ("tanh", [], {"criterion": "maximum"}, "unknown criterion 'maximum'"),
    ("tanh", [], {"quantity": "gradeint"}, "unknown quantity 'gradeint'; did you mean 'gradient'?"),
    ("tanh", [], {"quantity": "curvature"}, "unknown quantity 'curvature'; choose from value, "),
    ("sigmoid", [], {"quantity": "gate", "target": "softplus"}, "'softplus' has no gate"),
    ("tanh", ["c"], {"low": 1.0, "high": 1.0}, "the range 1:1 is empty"),
    ("tanh", ["c"], {"low": 2.0, "high": -2.0}, "the range 2:-2 is empty"),
    ("tanh", ["c"], {"sigma": 0.0}, "sigma must be positive"),
    ("tanh", ["d"], WHOLE, "d of 'tanh' has no best value on the whole line"),
    ("tanh", ["a", "c", "d"], {"low": 0.0, "high": inf}, "take a range, like --range -4:4"),
    ("tanh", ["c"], {"criterion": "relative"}, "the relative error is 1 or has no bound"),
    ("sigmoid", [], {"criterion": "relative"}, "is infinite whatever beta is; take a range"),
    ("tanh", ["a", "c"], {"low": -1e-3, "high": 1e-3}, "too small to tell a and c apart"),
    ("sigmoid", [], {"low": 0.0, "high": 1e-12}, "too small to tell beta apart; take a wider one"),
    ("elu", [], {}, "the largest error, 0.16997, does not depend on alpha"),
    ("sigmoid", [], {"target": "elu"}, "does not depend on beta: no constants are best"),
    ("sigmoid", [], {"target": "softplus"}, "the largest error, 0.693147, does not depend on beta"),
    ("sigmoid", [], {"target": "softplus", "low": -3.0, "high": -1.0}, "does not depend on beta"),
    pytest.param("hard", [], {"quantity": "gradient", "low": 1.0}, "does not depend on slope",
                 marks=pytest.mark.slow),
    ("sigmoid", [], {"target": "relu"}, "beta has no best value: the error falls as it goes to ∞"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "free", "settings", "message"), REFUSED)
def test_what_has_no_best_constants_is_refused(form, free, settings, message):
    with pytest.raises(UsageError) as refusal:
        fit(form, free, **settings)
    said = str(refusal.value)
    assert message in said
    assert "\n" not in said
