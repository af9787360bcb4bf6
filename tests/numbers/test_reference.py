"""mpmath's definitions confirm what is right, and nothing else."""

from decimal import Decimal
from fractions import Fraction

from gelu_cli.calculus.curves import COMPARED, compare
from gelu_cli.calculus.point_errors import errors_at
from gelu_cli.errors import ComputationError
from gelu_cli.formulas import OF_GATES, all_forms, all_functions, find_form, typed_form
from gelu_cli.numbers import FLOAT64, Decimals, evaluate
from gelu_cli.numbers.reference import confirm
from tests.truth.mpmath import nearest, truth

POINTS = [-300.0, -2.0, Fraction(1, 3), 25.0]
CHANGED = [
    *("tanh:a=0.8:c=0.04:d=0.001", "sigmoid:beta=1.6", "squareplus:b=3", "leaky_relu:slope=0.1"),
    *("erf_as:p=0.3:a1=0.2:a5=1.1", "igelu:a=-0.3:b=-1.7", "elu:alpha=0.7", "hard:slope=2"),
    *("noisy_relu:sigma=2", "polynomial:A=2:c1=0.4:c3=-0.03:c5=0:c7=0.001"),
]


def test_every_form_and_quantity_is_confirmed():
    for name in [*all_forms(), *all_functions(), *CHANGED]:
        form = typed_form(name)
        for quantity in COMPARED:
            if form.has_gate or quantity not in OF_GATES:
                for x in POINTS:
                    for to in (FLOAT64, Decimals(60))[x == 25 :]:
                        (y,) = evaluate(form, [quantity], x, to)
                        if y and abs(y) > 1e-300:
                            confirm(y, form, quantity, x)


def refused(*asked):
    """Return True if mpmath does not confirm a number."""
    try:
        confirm(*asked)
    except ComputationError:
        return True
    return False


def test_one_digit_that_is_wrong_is_refused():
    gelu = find_form("exact")
    right = nearest(truth("exact", "value", Fraction(1)))
    assert not refused(right, gelu, "value", 1)
    for wrong in (right + 2.0**-53, -right, Decimal("0.841346"), Decimal("0.84134474606854296")):
        assert refused(wrong, gelu, "value", 1), wrong


def test_errors_are_confirmed_where_all_but_their_last_digits_cancel():
    for name, quantity in (("tanh", "value"), ("sigmoid", "gradient"), ("erf_as", "gate")):
        pair = compare(find_form(name), find_form("exact"), quantity)
        for x in (-30.0, -1.5, 1e-5, 3.0, 25.0):
            found = errors_at(pair, x)
            for relative, y in ((False, found.difference), (True, found.ratio)):
                asked = pair.form, quantity, x, pair.target, relative
                assert not refused(y, *asked), (name, x)
                assert refused(y * (1 + 1e-12), *asked), (name, x)
