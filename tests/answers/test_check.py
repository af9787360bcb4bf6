"""The report about printed figures: its rows, and how many are said to be wrong."""

import math
from decimal import Decimal

import pytest
from ml_dtypes import float8_e5m2

from gelu_cli.answers.check import check
from gelu_cli.errors import UsageError
from gelu_cli.forms import find_form
from gelu_cli.report import read
from gelu_cli.values.figures import Figure


def test_the_answer_says_where_and_how_many():
    def figure(line, published):
        return Figure(line, Decimal(1), "exact", find_form("exact"), "value", Decimal(published))

    blocks = [[figure(2, "0.8413"), figure(3, "0.8")], [figure(4, "0.7")]]
    *found, ending = check(blocks).stream
    assert [[(row[0], row[6]) for row in block] for block in found] == [
        [(2, "right"), (3, "right")],
        [(4, "wrong")],
    ]
    assert (*ending.notes, *ending.failures) == ("1 of 3 figures is wrong",)
    assert ending.failures
    only, _ = read(check(blocks, wrong_only=True))
    assert [row[0] for row in only] == [4]
    _, ending = read(check(blocks[:1]))
    assert (*ending.notes, *ending.failures) == ("2 figures, none of them wrong",)
    assert not ending.failures


def test_what_has_been_called_wrong_is_not_taken_back():
    """Results in float8_e5m2 that arrive one by one: none alone is beyond doubt."""
    points = [-3.0, -2.5, -2.0, -1.5, -1.25, -1.0, -0.5, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 1.75]

    def figures():
        for line, x in enumerate(points, 2):
            value = float8_e5m2(x * math.erfc(-x / math.sqrt(2)) / 2)
            published = Decimal(repr(float(value)))
            yield Figure(line, Decimal(x), "exact", find_form("exact"), "value", published)

    rows, ending = read(check([each] for each in figures()))
    assert len(rows) == len(points)
    (said,) = ending.failures
    assert said.endswith("they are right as results in float8_e5m2: see --dtype")
    with pytest.raises(UsageError, match=r"numbers of float8_e5m2, .*add --dtype float8_e5m2"):
        read(check([[*figures()]]))


def test_results_that_come_after_figures_that_are_right_both_ways_are_told():
    form = find_form("exact")
    zero = Figure(2, Decimal(0), "exact", form, "value", Decimal("0.0"))
    float32 = Figure(3, Decimal(1), "exact", form, "value", Decimal("0.8413447737693787"))
    with pytest.raises(UsageError, match=r"line 3: exact at x = 1 is 0\.84134477.*float32"):
        read(check([[zero], [float32]]))
