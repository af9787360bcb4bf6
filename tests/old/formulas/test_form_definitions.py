"""The forms: what is registered, and that each formula is the one in the literature."""

import math
import random
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.arrays import ARRAYS
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.formulas import OF_GATES, QUANTITIES, all_forms, all_functions, find_form
from gelu_cli.old.formulas.published import published_forms
from gelu_cli.old.values.evaluate import evaluate
from gelu_cli.old.values.evaluate_arrays import approximately
from tests.old.asked import set_to
from tests.old.every import every
from tests.truth import mpmath as reference
from tests.truth.arb import DEFINITIONS, kinks
from tests.truth.mpmath import M, decimal_of, fraction, nearest, truth

ALIASES = {
    "exact": "none gelu gelu_python",
    "tanh": "gelu_new gelu_fast gelu_pytorch_tanh gelu_tanh gelu_accurate",
    "sigmoid": "quick quick_gelu gelu_quick",
    "igelu": "i_gelu",
    "hard": "hard_gelu h_gelu",
    "silu": "swish",
}
POINTS = [-38.5, -20.0, -6.3, -2.6, -0.7517915246935645, -1e-8, 0.11, 1.7, 2.4, 12.0]  # fmt: skip
every_form = every("name", all_forms())


def quantities(form):
    return [each for each in QUANTITIES if form.has_gate or each not in OF_GATES]


def at(name, x, quantity="value"):
    (result,) = evaluate(find_form(name), [quantity], x, FLOAT64)
    return result


def test_every_form_has_a_reference():
    assert set(all_forms()) == set(reference.FORMS) == set(DEFINITIONS)


@every_form
def test_every_quantity_is_that_of_the_definition(name):
    form = find_form(name)
    for x in POINTS:
        want = [nearest(truth(name, quantity, x)) for quantity in quantities(form)]
        got = evaluate(form, quantities(form), x, FLOAT64)
        assert list(map(repr, got)) == list(map(repr, want)), x


@every(
    ("name", "settings"),
    [
        ("tanh", {"c": "0.035677"}), ("tanh", {"c": "-1/9"}), ("tanh", {"c": "0"}),
        ("sigmoid", {"beta": "1.5957691"}), ("sigmoid", {"beta": "-2"}), ("sigmoid", {"beta": "0"}),
        ("elu", {"alpha": "0.1"}), ("elu", {"alpha": "-3/7"}),
        ("noisy_relu", {"sigma": "0.3"}), ("noisy_relu", {"sigma": "5"}),
        ("tanh", {"a": "0.8"}), ("tanh", {"a": "-1/3", "c": "0.05", "d": "-1e-3"}),
        ("tanh", {"a": "0"}), ("hard", {"slope": "3/2"}), ("hard", {"slope": "1e-9"}),
        ("igelu", {"a": "-0.3", "b": "-1.7"}), ("erf_as", {"p": "1/3", "a1": "0.25"}),
        ("erf_as", {"a2": "0", "a5": "0"}),
        ("polynomial", {"A": "3.05", "c15": "1e-8", "c9": "-1e-6"}),
        ("polynomial", {"c1": "0", "c3": "0", "c5": "0"}),
    ],
)  # fmt: skip
@every("x", [-2.9, -0.4, 0.7, 3.1])
def test_a_parameter_counts_as_typed(name, settings, x):
    form, quantities = set_to(name, **settings), ("value", "gradient", "curvature")
    want = [nearest(truth(name, quantity, x, **settings)) for quantity in quantities]
    assert evaluate(form, quantities, x, FLOAT64) == want


def test_a_default_that_is_no_fraction_is_not_the_fraction_next_to_it():
    """√(2/π) and a fraction of 20 digits differ in the 21st."""
    form = find_form("tanh")
    near = set_to("tanh", a=form.settings["a"])
    for each, digits in ((form, 20), (near, 18)):
        (got,) = evaluate(each, ["curvature"], 0.0, Decimals(30))
        want = decimal_of(fraction(M.sqrt(2 / M.pi)), 30)
        assert abs(got - want) < Decimal(10) ** -digits
        assert (got == want) == (each is form)


@every("x", [1e160, -1e160, 1e300])
def test_a_coefficient_of_0_leaves_its_term_out_where_powers_overflow(x):
    with np.errstate(over="ignore"):
        values = find_form("tanh").on_piece(0, ARRAYS, np.array([x]), 0)
    assert values.gate == (x > 0)


@every_form
def test_a_form_is_symmetric_where_it_says_so(name):
    form = find_form(name)
    if not form.has_gate:
        assert not form.symmetric
        return
    sums = {
        sum(evaluate(form, ["gate"], side * Fraction(x), Decimals(30))[0] for side in (1, -1))
        for x in POINTS
    }
    assert form.symmetric == all(abs(each - 1) < 1e-28 for each in sums)


FITTED = [form for form in all_forms().values() if form.parameters]


def drawn(form, free, chance):
    """Return a member with free parameters up to an octave from the usual ones."""
    values = {name: form.settings[name] * Fraction(2 ** chance.uniform(-1, 1)) for name in free}
    return form.with_settings("drawn", {**form.chosen, **values})


@every("form", FITTED, ids=lambda form: form.name)
def test_members_differ_in_as_few_changes_of_sign_as_a_form_says(form):
    """`Fit.ordered`: n − 1 at most for x > 0 where n parameters differ; alternation rests on it."""
    chance, x = random.Random(5), np.geomspace(1e-3, 30, 4000)
    names = [each.name for each in form.parameters if each.name != form.fit.edge]
    for n in range(1, len(names) + 1):
        for free in combinations(names, n):
            if not form.fit.ordered(set(free), form.settings):
                continue
            gates = [approximately(drawn(form, free, chance), "gate", x) for _ in range(2)]
            difference = gates[0] - gates[1]
            signs = np.sign(difference[np.abs(difference) > 1e-13])
            assert np.count_nonzero(np.diff(signs)) <= n - 1, free


@every("form", FITTED, ids=lambda form: form.name)
def test_a_form_is_linear_in_the_parameters_that_it_says(form):
    """`Fit.linear`: averages of its errors are convex then, and one minimum is the least."""
    chance, names = random.Random(6), sorted(form.fit.linear)
    if not names:
        return
    one, other = drawn(form, names, chance), drawn(form, names, chance)
    middle = {name: (one.settings[name] + other.settings[name]) / 2 for name in names}
    between = form.with_settings("between", middle)
    for x in (Fraction(-7, 4), Fraction(1, 3), Fraction(9, 4)):
        a, b, c = (evaluate(each, ["value"], x, Decimals(30))[0] for each in (one, between, other))
        assert abs((a + c) / 2 - b) <= Decimal("1e-27") * max(map(abs, (a, b, c)))


def test_tanh_taylor_and_sigmoid_taylor_match_gelu_at_zero():
    with M.workdps(60):
        series = {name: M.taylor(reference.FORMS[name], 0, 4) for name in reference.FORMS}
        assert M.almosteq(series["tanh_taylor"][4], series["exact"][4], 1e-40)
        assert M.almosteq(series["sigmoid_taylor"][2], series["exact"][2], 1e-40)
    assert at("sigmoid_taylor", 0.0, "curvature") == at("exact", 0.0, "curvature")
    assert at("tanh_taylor", 0.0, "curvature") == at("exact", 0.0, "curvature")


@every(
    ("name", "x", "want"),
    [
        ("relu", 0, (0, 0, 0)),
        ("elu", 0, (0, 1, 1)),
        ("elu:alpha=5/2", 0, (0, 2.5, 2.5)),
        ("hard", Fraction(-1500, 851), (0, 0, 0)),
        ("hard", Fraction(1500, 851), (1500 / 851, 1, 0)),
    ],
)
def test_at_a_kink_the_convention_of_the_frameworks_holds(name, x, want):
    form = find_form(name.partition(":")[0])
    if ":" in name:
        form = form.with_settings(name, {"alpha": Fraction(5, 2)})
    assert evaluate(form, QUANTITIES[:3], Fraction(x), FLOAT64) == list(want)


@every("name", ["igelu", "erf_as"])
def test_at_a_jump_of_the_gate_the_mean_of_both_sides_holds(name):
    f = reference.FORMS[name]
    slope, bend = (
        sum(fraction(M.diff(f, 0, n, direction=side)) for side in (-1, 1)) / 2 for n in (1, 2)
    )
    assert at(name, 0.0) == 0
    assert at(name, 0.0, "gate") == at(name, 0.0, "gradient") == 0.5 == nearest(slope)
    assert at(name, 0.0, "curvature") == nearest(bend)


@every_form
def test_pieces_meet_at_the_kinks(name):
    form, want = find_form(name), kinks(name)
    assert [float(kink.square) for kink in form.kinks] == pytest.approx([x * abs(x) for x in want])
    assert len(form.pieces) == len(want) + 1
    assert [float(kink) for kink in form.kinks] == pytest.approx(want, rel=1e-15)


@every("end", [-1, 1])
@every(("name", "kink"), [("hard", 1500 / 851), ("igelu", 1.769 * math.sqrt(2))])
def test_the_floats_on_either_side_of_a_kink_belong_to_their_pieces(name, kink, end):
    for x in (math.nextafter(kink, 0), kink, math.nextafter(kink, math.inf)):
        for quantity in ("value", "gradient", "curvature"):
            assert at(name, end * x, quantity) == nearest(truth(name, quantity, end * x))


@every_form
def test_a_form_has_a_gate_or_none_to_be_asked_for(name):
    form, x = find_form(name), Fraction(1, 3)
    gate = form.evaluate(ARRAYS, 1 / 3, x).gate
    assert form.has_gate == (gate is not None)
    assert gate is None or gate == pytest.approx(float(3 * truth(name, "value", x)), rel=1e-12)


@every(("name", "aliases"), ALIASES.items())
def test_the_names_that_frameworks_use_find_the_form(name, aliases):
    assert {find_form(alias).name for alias in [name, *aliases.split()]} == {name}


def test_every_name_means_one_form():
    forms = (*all_forms().values(), *all_functions().values())
    names = [name.lower() for form in forms for name in (form.name, *form.aliases)]
    names += published_forms()
    assert len(names) == len(set(names))


@every_form
def test_every_form_says_where_it_comes_from(name):
    form = find_form(name)
    assert form.definition
    assert form.source
    for parameter in form.parameters:
        assert form.settings[parameter.name] == parameter.default


def test_chosen_settings_leave_the_registered_form_alone():
    quick = find_form("sigmoid").with_settings("sigmoid:beta=2", {"beta": Fraction(2)})
    assert (quick.label, quick.settings["beta"]) == ("sigmoid:beta=2", 2)
    assert find_form("sigmoid").settings["beta"] == Fraction("1.702")
    assert find_form("sigmoid").label == "sigmoid"


@every(
    ("name", "settings", "message"),
    [
        ("relu", {"beta": 1}, "the form 'relu' has no parameters"),
        ("sigmoid", {"bta": 1}, "unknown parameter 'bta' of 'sigmoid'; did you mean 'beta'"),
        ("noisy_relu", {"sigma": 0}, "sigma of 'noisy_relu' must be positive, not 0"),
        ("noisy_relu", {"sigma": -1}, "must be positive"),
        ("hard", {"slope": 0}, "slope of 'hard' must be positive, not 0"),
        ("igelu", {"b": 0}, "b of 'igelu' must be negative, not 0"),
        ("erf_as", {"p": -1}, "p of 'erf_as' must be positive"),
        ("polynomial", {"A": -2}, "A of 'polynomial' must be positive"),
    ],
)
def test_a_setting_that_cannot_be_is_a_usage_error(name, settings, message):
    with pytest.raises(UsageError, match=message):
        find_form(name).with_settings(name, settings)


@every(("word", "near"), [("tnah", "tanh"), ("Exac", "exact"), ("swich", "swi")])
def test_an_unknown_form_is_a_usage_error_with_the_nearest_name(word, near):
    with pytest.raises(UsageError, match=f"unknown form '{word}'; did you mean '{near}"):
        find_form(word)
