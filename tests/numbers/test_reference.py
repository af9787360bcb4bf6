"""mpmath's definitions confirm what is right, and nothing else."""

from decimal import Decimal
from fractions import Fraction

import pytest

from gelu_cli.calculus.curves import COMPARED, compare
from gelu_cli.calculus.point_errors import errors_at
from gelu_cli.errors import ComputationError
from gelu_cli.formulas import OF_GATES, all_forms, all_functions, find_form
from gelu_cli.numbers import FLOAT64, Decimals, evaluate
from gelu_cli.numbers.reference import confirm, confirms, defines
from tests.truth.mpmath import nearest, truth

POINTS = [-300.0, -2.0, Fraction(1, 3), 25.0]


def test_every_form_and_quantity_is_confirmed():
    for name in [*all_forms(), *all_functions()]:
        form = find_form(name)
        assert defines(form), name
        for quantity in COMPARED:
            if form.has_gate or quantity not in OF_GATES:
                for x in POINTS:
                    for to in (FLOAT64, Decimals(60))[x == 25 :]:
                        (y,) = evaluate(form, [quantity], x, to)
                        if y and abs(y) > 1e-300:
                            assert confirms(y, form, quantity, x), (name, quantity, x, y)


def test_one_digit_that_is_wrong_is_refused():
    gelu = find_form("exact")
    right = nearest(truth("exact", "value", Fraction(1)))
    assert confirms(right, gelu, "value", 1)
    for wrong in (right + 2.0**-53, -right, Decimal("0.841346"), Decimal("0.84134474606854296")):
        assert not confirms(wrong, gelu, "value", 1), wrong
    with pytest.raises(ComputationError, match="does not confirm"):
        confirm(0.5, gelu, "value", 1)


def test_errors_are_confirmed_where_all_but_their_last_digits_cancel():
    for name, quantity in (("tanh", "value"), ("sigmoid", "gradient"), ("erf_as", "gate")):
        pair = compare(find_form(name), find_form("exact"), quantity)
        for x in (-30.0, -1.5, 1e-5, 3.0, 25.0):
            found = errors_at(pair, x)
            for relative, y in ((False, found.difference), (True, found.ratio)):
                assert confirms(y, pair.form, quantity, x, pair.target, relative), (name, x)
                assert not confirms(y * (1 + 1e-12), pair.form, quantity, x, pair.target, relative)
