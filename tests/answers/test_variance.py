"""The report about Gaussian inputs: its rows and columns, and what it refuses."""

from fractions import Fraction

import pytest

from gelu_cli.answers.variance import DEFAULT_FORMS, variance
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.calculus.moments import gaussian_moments, momentum_variance
from gelu_cli.errors import UsageError
from gelu_cli.forms import find_form
from gelu_cli.report import read

STANDARD = Fraction(0), Fraction(1)


def test_the_report_has_a_row_for_each_form_in_the_columns_of_the_contract():
    exact, silu = find_form("exact"), find_form("silu")
    report = variance([exact, silu])
    assert [column.name for column in report.columns] == [
        "form", "gradient_second_moment", "gradient_mean", "gradient_variance", "mean",
        "second_moment", "variance", "gain_variance", "gain_second_moment", "gain_gradient",
        "closed_form", "negative_probability",
    ]  # fmt: skip
    rows, _ = read(report)
    assert rows == [
        ("exact", *gaussian_moments(exact, *STANDARD), "1/3 + 2/(3√3·π)", 0.5),
        ("silu", *gaussian_moments(silu, *STANDARD), None, 0.5),
    ]
    assert DEFAULT_FORMS == ("exact", "tanh", "sigmoid", "relu", "elu", "silu", "softplus")


@pytest.mark.parametrize("momentum", ["0", "0.9", "1/3"])
def test_momentum_adds_a_column(momentum):
    b, relu = Fraction(momentum), find_form("relu")
    report = variance([relu], momentum=b, digits=30)
    [row], _ = read(report)
    assert report.columns[-2].name == "momentum_variance"
    assert row[-2] == momentum_variance(relu, *STANDARD, b, Decimals(30))


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
def test_what_cannot_be_meant_is_a_usage_error(options, message):
    with pytest.raises(UsageError, match=message):
        variance([find_form("exact")], **options)


def test_two_samples_have_a_spread():
    [row], _ = read(variance([find_form("exact")], samples=2))
    assert row[-2] > 0
