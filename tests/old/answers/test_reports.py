"""Short reports: the columns that name a row, the rows and the notes, and what is refused."""

import math
from decimal import Decimal
from fractions import Fraction
from math import nextafter

import pytest
from ml_dtypes import float8_e5m2

from gelu_cli.errors import UsageError
from gelu_cli.old.answers.check import check
from gelu_cli.old.answers.error import at_points, regions, summary
from gelu_cli.old.answers.fit.best import rounded
from gelu_cli.old.answers.forms.figures import figures
from gelu_cli.old.answers.locate import locate
from gelu_cli.old.answers.sweep import sweep_views
from gelu_cli.old.answers.table import table
from gelu_cli.old.answers.variance import variance
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.calculus.comparison import compare
from gelu_cli.old.calculus.moments import gaussian_moments
from gelu_cli.old.fitting.families import Best, Criterion, Family
from gelu_cli.old.formulas import find_form
from gelu_cli.old.report import read
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.routines import ROUTINES
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.values.figures import Figure
from gelu_cli.old.values.points import points_of
from tests.truth.mpmath import M, decimal_of

EXACT, TANH, RELU, SILU = map(find_form, ("exact", "tanh", "relu", "silu"))
PAIR = [compare(RELU, EXACT, "value"), compare(RELU, EXACT, "gradient")]
SMALL = FORMATS["float8_e5m2"]


def names(report):
    return [column.name for column in report.columns]


def figure(line, published, x=1):
    return Figure(line, Decimal(x), "exact", EXACT, "value", Decimal(published))


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
        (lambda: check([[figure(2, 1)]]), "line x column"),
    ],
)
def test_a_row_is_named_by_its_first_columns(make, keys):
    report = make()
    assert " ".join(names(report)[: report.keys]) == keys


def test_a_row_of_each_view_of_a_sweep_is_named_by_its_first_columns():
    kernel = routine_implementation(ROUTINES["erfc"], "value", SMALL)
    verdict = sweep(kernel, Question(EXACT, "value", SMALL), Inputs(1.0, 2.0))
    views = sweep_views([verdict], None, 3)
    for name, key in {"summary": "", "regions": " low", "histogram": " low", "worst": " x"}.items():
        view = views[name]()
        assert " ".join(names(view)[: view.keys]) == f"routine{key}"


# Printed figures


def test_the_answer_says_where_and_how_many_are_wrong():
    blocks = [[figure(2, "0.8413"), figure(3, "0.8")], [figure(4, "0.7")]]
    *found, ending = check(blocks).stream
    assert [[(row[0], row[6]) for row in block] for block in found] == [
        [(2, "right"), (3, "right")],
        [(4, "wrong")],
    ]
    assert (*ending.notes, *ending.failures) == ("1 of 3 figures is wrong; it is that of silu",)
    assert ending.failures
    only, _ = read(check(blocks, wrong_only=True))
    assert [row[0] for row in only] == [4]
    _, ending = read(check(blocks[:1]))
    assert (*ending.notes, *ending.failures) == ("2 figures, none of them wrong",)
    assert not ending.failures


def test_what_has_been_called_wrong_is_not_taken_back():
    """Results in float8_e5m2 that arrive one by one: none alone is beyond doubt."""
    points = [-3.0, -2.5, -2.0, -1.5, -1.25, -1.0, -0.5, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 1.75]
    results = [float(float8_e5m2(x * math.erfc(-x / math.sqrt(2)) / 2)) for x in points]
    found = [
        figure(line, repr(y), x) for line, (x, y) in enumerate(zip(points, results, strict=True))
    ]
    rows, ending = read(check([each] for each in found))
    assert len(rows) == len(points)
    (said,) = ending.failures
    assert said.endswith("they are right as results in float8_e5m2: see --dtype")
    with pytest.raises(UsageError, match=r"numbers of float8_e5m2, .*add --dtype float8_e5m2"):
        read(check([found]))


def test_results_that_come_after_figures_that_are_right_both_ways_are_told():
    zero, float32 = figure(2, "0.0", 0), figure(3, "0.8413447737693787")
    with pytest.raises(UsageError, match=r"line 3: exact at x = 1 is 0\.84134477.*float32"):
        read(check([[zero], [float32]]))


# Minima and inflection points


@pytest.mark.parametrize("name", ["relu", "elu", "softplus", "noisy_relu"])
def test_what_a_form_lacks_is_said_and_not_invented(name):
    rows, ending = read(locate([find_form(name)]))
    assert rows == []
    assert [note.partition(":")[0] for note in ending.notes] == [
        f"{name} has no minimum", f"{name} has no inflection point"]  # fmt: skip


def test_the_report_says_that_the_root_of_2_is_exact():
    report = locate([EXACT], digits=30)
    assert names(report) == ["form", "point", "x", "value", "gradient", "curvature", "residual"]
    rows, ending = read(report)
    assert [row[:2] for row in rows] == [("exact", "minimum"), *[("exact", "inflection")] * 2]
    assert all(isinstance(row[2], Decimal) for row in rows)
    assert ending.notes == [
        "exact: the inflection points are ±√2 exactly, since f″ = φ(x)·(2 − x²)"
    ]


# Gaussian inputs

STANDARD = Fraction(0), Fraction(1)


def test_moments_have_a_row_for_each_form_in_the_columns_of_the_contract():
    report = variance([EXACT, SILU])
    assert names(report) == [
        "form", "gradient_second_moment", "gradient_mean", "gradient_variance", "mean",
        "second_moment", "variance", "gain_variance", "gain_second_moment", "gain_gradient",
        "closed_form", "negative_probability",
    ]  # fmt: skip
    rows, _ = read(report)
    assert rows[0][1] == float(M.mpf(1) / 3 + 2 / (3 * M.sqrt(3) * M.pi))
    assert rows == [
        ("exact", *gaussian_moments(EXACT, *STANDARD), "1/3 + 2/(3√3·π)", 0.5),
        ("silu", *gaussian_moments(SILU, *STANDARD), None, 0.5),
    ]


@pytest.mark.parametrize("momentum", ["0", "0.9", "1/3"])
def test_momentum_and_samples_add_columns(momentum):
    b = Fraction(momentum)
    report = variance([RELU], momentum=b, digits=30)
    [row], _ = read(report)
    assert names(report)[-2] == "momentum_variance"
    assert row[-2] == decimal_of((1 - b) / (1 + b) / 2, 30)  # E ReLU′² is ½
    [row], _ = read(variance([EXACT], samples=2))
    assert row[-2] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sigma": Fraction(0)}, "sigma must be positive, not 0"),
        ({"sigma": Fraction(-1)}, "sigma must be positive, not -1"),
        ({"momentum": Fraction(1)}, r"momentum must be in \[0, 1\), not 1"),
        ({"momentum": Fraction(-1, 2)}, r"momentum must be in \[0, 1\), not -0.5"),
        ({"samples": 1}, "samples must be 2 or more, not 1"),
    ],
)
def test_inputs_that_cannot_be_meant_are_a_usage_error(options, message):
    with pytest.raises(UsageError, match=message):
        variance([EXACT], **options)


# Constants in a format


def test_naive_and_best_constants_stand_beside_the_published_ones():
    family = Family(TANH, ("c",), EXACT, "value")
    best = Best(family, Criterion("sup"), [0.04438294381673409], 3.874e-4, 3.874e-4, "alternation")
    report = rounded(lambda: best, FORMATS["bfloat16"])
    rows, ending = read(report)
    found = [dict(zip(names(report), row, strict=True)) for row in rows]
    assert [(row["written"], row["constants"]) for row in found] == [
        ("a, c", "naive"), ("a, c", "best"), ("a, a·c", "naive"), ("a, a·c", "best"),
    ]  # fmt: skip
    naive, chosen, *_ = found
    assert (naive["fitted"], chosen["fitted"]) == (0.04443359375, 0.044921875)
    assert {row["published"] for row in found} == {0.044677734375, 0.03564453125}
    assert chosen["lower_bound"] == nextafter(chosen["error_fitted"], 0) < naive["error_fitted"]
    assert (naive["proof"], chosen["proof"]) == (None, "bound")
    assert "a = 0.796875, rounded and not fitted" in ending.facts["a, c"]
