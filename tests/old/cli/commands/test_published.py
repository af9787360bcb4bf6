"""Which printed figures do not hold, by mpmath: what `gelu check` has to find (test_check.py)."""

import csv
from decimal import Decimal

import mpmath
import pytest

from gelu_cli.old.formulas import QUANTITIES, all_forms
from tests.old.published import FILES, REFUTED

VALUES = {
    "exact": lambda x: x * mpmath.ncdf(x),
    "tanh": lambda x: x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + 0.044715 * x**3))),
    "relu": lambda x: max(x, mpmath.mpf(0)),
    "elu": lambda x: x if x > 0 else mpmath.expm1(x),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
}
ORDERS = {"value": 0, "gradient": 1, "curvature": 2}


def form_and_quantity(column):
    names = {f if q == "value" else f"{f}_{q}": (f, q) for f in all_forms() for q in QUANTITIES}
    return names[column]


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def published(path):
    """Every printed figure of a file: x, column, figure."""
    for row in read(path):
        x = row.pop("x")
        for column, figure in row.items():
            yield x, column, figure


def confirms(figure, value):
    """Whether the value is the figure to the figure's last printed decimal."""
    last_place = Decimal(1).scaleb(Decimal(figure).as_tuple().exponent)
    return abs(Decimal(value) - Decimal(figure)) <= last_place / 2


def independently(x, column):
    form, quantity = form_and_quantity(column)
    x = mpmath.mpf(x)
    with mpmath.workdps(30):
        if quantity == "gate":
            value = mpmath.ncdf(x)
            assert form == "exact"
        elif form == "relu" and quantity == "gradient":
            value = mpmath.mpf(x > 0)
        else:
            value = mpmath.diff(VALUES[form], x, ORDERS[quantity])
        return mpmath.nstr(value, 15)


def test_every_file_is_here():
    assert len(FILES) == 6


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mpmath_finds_the_same_figures_wrong(path):
    judged = {
        (path.name, x, column)
        for x, column, figure in published(path)
        if not confirms(figure, independently(x, column))
    }
    assert judged == {case for case in REFUTED if case[0] == path.name}
