"""The columns that name a row: every panel of a table too wide begins with them."""

from fractions import Fraction

import pytest

from gelu_cli.answers.check import check
from gelu_cli.answers.error.line import regions, summary
from gelu_cli.answers.error.points import at_points
from gelu_cli.answers.forms.figures import figures
from gelu_cli.answers.locate import locate
from gelu_cli.answers.sweep import sweep_views
from gelu_cli.answers.table import table
from gelu_cli.answers.variance import variance
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.calculus.comparison import compare
from gelu_cli.forms import find_form
from gelu_cli.kernels.implementations import routine_implementation
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.routines import ROUTINES
from gelu_cli.kernels.sweep import sweep
from gelu_cli.kernels.truth import Question
from gelu_cli.values.figures import Figure
from gelu_cli.values.points import points_of

EXACT, RELU = find_form("exact"), find_form("relu")
PAIR = [compare(RELU, EXACT, "value"), compare(RELU, EXACT, "gradient")]
SMALL = FORMATS["float8_e5m2"]
IMPLEMENTATION = routine_implementation(ROUTINES["erfc"], "value", SMALL)
VIEWS = sweep_views([sweep(IMPLEMENTATION, Question(EXACT, "value", SMALL), Inputs())], None, 3)
FIGURE = Figure(2, Fraction(1), "exact", EXACT, "value", Fraction(1))


@pytest.mark.parametrize(
    ("make", "keys"),
    [
        (lambda: table([points_of([1.0])], [EXACT], ["value"]), "x"),
        (lambda: summary(PAIR), "form quantity metric"),
        (lambda: regions(PAIR), "form quantity low high"),
        (lambda: at_points([points_of([1.0, 2.0])], PAIR), "form quantity x"),
        (lambda: locate([EXACT]), "form point"),
        (lambda: variance([EXACT]), "form"),
        (lambda: figures(EXACT), "figure x"),
        (lambda: check([[FIGURE]]), "line x column"),
        (VIEWS["summary"], "routine"),
        (VIEWS["regions"], "routine low"),
        (VIEWS["histogram"], "routine low"),
        (VIEWS["worst"], "routine x"),
    ],
)
def test_a_row_is_named_by_its_first_columns(make, keys):
    report = make()
    assert " ".join(column.name for column in report.columns[: report.keys]) == keys
