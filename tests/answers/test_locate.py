"""The report about minima and inflection points: its rows, and what its notes say."""

from decimal import Decimal

import pytest

from gelu_cli.answers.locate import locate
from gelu_cli.forms import find_form
from gelu_cli.report import read


@pytest.mark.parametrize("name", ["relu", "elu", "softplus", "noisy_relu"])
def test_what_a_form_lacks_is_said_and_not_invented(name):
    report = locate([find_form(name)])
    rows, ending = read(report)
    assert rows == []
    assert [note.partition(":")[0] for note in ending.notes] == [
        f"{name} has no minimum", f"{name} has no inflection point"]  # fmt: skip


def test_the_report_says_that_the_root_of_2_is_exact():
    report = locate([find_form("exact")], digits=30)
    assert [column.name for column in report.columns] == [
        "form", "point", "x", "value", "gradient", "curvature", "residual"]  # fmt: skip
    rows, ending = read(report)
    assert [row[:2] for row in rows] == [("exact", "minimum"), *[("exact", "inflection")] * 2]
    assert all(isinstance(row[2], Decimal) for row in rows)
    assert ending.notes == [
        "exact: the inflection points are ±√2 exactly, since f″ = φ(x)·(2 − x²)"
    ]
