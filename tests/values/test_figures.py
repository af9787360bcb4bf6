"""A value is computed once, however many roundings a figure is compared with."""

from decimal import Decimal
from fractions import Fraction

import pytest

from gelu_cli.arithmetic.decimals import Decimals, Places
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.rational import RATIONAL
from gelu_cli.forms import all_forms, find_form
from gelu_cli.values.evaluate import evaluate
from gelu_cli.values.figures import Figure, Value, correct

ROUNDINGS = [Decimals(40), FLOAT64, Places(5, 5), Decimals(17), Decimals(3)]


@pytest.fixture
def precisions(monkeypatch):
    """The precisions of the enclosures that are computed meanwhile."""
    found, form = [], type(find_form("exact"))
    computed = form.evaluate

    def counted(self, a, *arguments):
        if a is not RATIONAL:
            found.append(a.precision)
        return computed(self, a, *arguments)

    monkeypatch.setattr(form, "evaluate", counted)
    return found


def figure(name, x, published):
    return Figure(1, Decimal(x), name, find_form(name), "value", Decimal(published))


@pytest.mark.parametrize("name", all_forms())
@pytest.mark.parametrize("x", [Fraction(-17, 10), Fraction(0), 0.3, -0.0, float("-inf")])
def test_a_remembered_value_rounds_like_a_new_one(name, x):
    value = Value(figure(name, "1", "1"), x)
    for rounding in ROUNDINGS:
        assert repr(value.rounded(rounding)) == repr(
            *evaluate(find_form(name), ["value"], x, rounding)
        )


@pytest.mark.parametrize(
    ("x", "published", "times"), [("1.5", "1.39979", 1), ("1.5", "1.4000", 1), ("0.1", "0.0541", 2)]
)
def test_a_figure_costs_one_enclosure_for_each_x_it_may_mean(x, published, times, precisions):
    correct(figure("exact", x, published))
    assert len(precisions) == times


def test_what_is_not_settled_is_computed_to_more_bits_once(precisions):
    value = Value(figure("exact", "1", "1"), Fraction(1))
    value.rounded(Decimals(10))
    value.rounded(Decimals(60))
    value.rounded(Decimals(20))
    assert len(precisions) == 2
    assert precisions == sorted(precisions)
