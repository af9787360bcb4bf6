"""The report about printed figures: its rows, and how many are said to be wrong."""

from decimal import Decimal

from gelu_cli.answers.check import check
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
