"""Published constants and approximations: that each is what its source has, and is found."""

import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.formulas import all_forms, find_form
from gelu_cli.old.formulas.published import all_sets, published_forms
from gelu_cli.old.values.evaluate import evaluate
from gelu_cli.old.values.evaluate_arrays import evaluate_array
from tests.old.every import every
from tests.truth.mpmath import M, fraction, nearest, ratio
from tests.truth.published import SETS

every_set = every("name", all_sets())


def points(name):
    """Return 200 points, most of them in the middle, a tiny one, and what is beside the kinks."""
    rng = random.Random(name)
    beside = [float(Fraction(kink)) + step for kink in SETS[name][1] for step in (-0.001, 0.001)]
    near, far = ([rng.uniform(-size, size) for _ in range(90)] for size in (4, 12))
    return np.array([*near, *far, *beside, 1e-30, -1e-30])


def test_every_set_has_a_second_writing():
    assert set(all_sets()) == set(SETS)


@every_set
def test_the_formula_is_the_one_in_the_source(name):
    x = points(name)
    (got,) = evaluate_array(all_sets()[name].form, ["value"], x, FLOAT64)
    want = [nearest(fraction(SETS[name][0](ratio(point)))) for point in x.tolist()]
    assert got.tolist() == want


@every_set
def test_derivatives_are_those_of_the_value(name):
    form, (f, _) = all_sets()[name].form, SETS[name]
    for x in (-5.2, -3.05, -0.3, 0.7, 2.6):
        got = evaluate(form, ["gradient", "curvature"], x, FLOAT64)
        with M.workdps(80):
            want = [nearest(fraction(M.diff(f, ratio(x), order))) for order in (1, 2)]
        assert got == want, x


@every("name", [name for name, (_, kinks) in SETS.items() if any(map(Fraction, kinks))])
def test_at_a_kink_the_side_of_the_source_holds(name):
    form, (f, _) = all_sets()[name].form, SETS[name]
    for kink in form.kinks:
        size = Fraction(abs(kink.square))
        root = Fraction(size.numerator**0.5) / Fraction(size.denominator**0.5)
        if root * root != size:
            continue  # at no number that anyone types
        x = root if kink.square > 0 else -root
        (got,) = evaluate(form, ["value"], x, FLOAT64)
        assert got == nearest(fraction(f(ratio(x)))), x


def test_a_form_of_its_own_is_found_by_name_and_not_listed():
    assert len(published_forms()) > 20
    for name, form in published_forms().items():
        assert find_form(name) is form
        assert name not in all_forms()
        assert pickle.loads(pickle.dumps(form)) is form
        assert form.definition
        assert form.source


def test_a_set_of_the_name_of_a_form_is_that_form():
    taken = {name for form in all_forms().values() for name in (form.name, *form.aliases)}
    shared = taken & set(all_sets())
    assert shared == {"quick_gelu", "h_gelu"}
    for name in shared:
        assert all_sets()[name].form.function == find_form(name).function


def test_a_form_of_its_own_has_no_parameters():
    with pytest.raises(UsageError, match="the form 'puma' has no parameters"):
        find_form("puma").with_settings("puma:c=1", {"c": Fraction(1)})


def test_an_unknown_form_may_be_meant_for_a_published_one():
    with pytest.raises(UsageError, match="unknown form 'onednn_er'; did you mean 'onednn_erf'"):
        find_form("onednn_er")
