"""A form in words and in numbers, and the models that compute it."""

import math
import re
from decimal import Decimal

import pytest

from gelu_cli.old.answers.forms.figures import figures
from gelu_cli.old.answers.forms.listing import about, models
from gelu_cli.old.formulas import all_forms, find_form
from gelu_cli.old.formulas.models import all_models
from gelu_cli.old.formulas.published import published_forms
from gelu_cli.old.reading.names import parse_form
from gelu_cli.old.report import read
from tests.truth.mpmath import FORMS, M, decimal_of, ratio

# One form in words


def properties(word):
    report = about(parse_form(word))
    return report.title, dict(read(report)[0])


def test_an_alias_is_told_as_one():
    title, known = properties("gelu_new")
    assert title == "gelu_new, another name of tanh"
    others = known.pop("aliases").split()
    assert (known.pop("name"), others[0]) == ("gelu_new", "tanh")
    of_tanh = properties("tanh")[1]
    assert sorted(["gelu_new", *others]) == sorted(
        [of_tanh.pop("name"), *of_tanh.pop("aliases").split()]
    )
    assert known == of_tanh


def test_a_parameter_that_is_set_is_told_beside_its_default():
    _, known = properties("tanh:a=0.8")
    assert known["parameters"] == "c = 0.044715, a = 0.8 (by default √(2/π)), d = 0"
    assert "models" not in known
    assert properties("tanh")[1]["parameters"] == "c = 0.044715, a = √(2/π), d = 0"
    assert properties("hard:slope=1")[1]["models"] == "MobileNetV3"


@pytest.mark.parametrize(
    ("name", "gate"),
    [
        ("mish", "f(x) = x·G(x)"),
        ("silu", "f(x) = x·G(x), G(x) + G(−x) = 1"),
        ("elu", "none: it is not written as x·G(x)"),
    ],
)
def test_a_gate_is_told_and_whether_it_is_symmetric(name, gate):
    assert properties(name)[1]["gate"] == gate


@pytest.mark.parametrize("name", all_forms())
def test_what_a_form_has_is_told_and_nothing_else(name):
    form = find_form(name)
    _, known = properties(name)
    assert all(known.values())
    assert ("since" in known) == (form.since is not None)
    assert known["source"] == form.source
    # The year of an arXiv number is its first two digits: a first version is not later.
    for number in re.findall(r"arXiv:(\d\d)\d\d\.\d{5}", form.source):
        assert form.since in (None, 2000 + int(number))


# One form in numbers


def found(word, digits=30):
    """Return the figures of a form: by name and place where this is 0 or infinite, else a list."""
    rows, _ = read(figures(parse_form(word), digits=digits))
    places = rows[:7]
    others = {}
    for name, x, value in rows[len(places) :]:
        others.setdefault(name, []).append((x, value))
    return {(name, float(x)): value for name, x, value in places}, others


def zero(derivative, near):
    return M.findroot(derivative, (near - 1e-3, near + 1e-3), tol=M.mpf(10) ** -100)


def rounded(value):
    return decimal_of(value, 30)


SMOOTH = {
    "exact": (-0.7517, [-1.414, 1.414], None),
    "tanh": (-0.7524, [-1.4185, 1.4185], 2.699),
    "tanh:a=0.8": (-0.7509, [-1.4157, 1.4157], None),
    "sigmoid": (-0.7511, [-1.4097, 1.4097], 2.2704),
    "silu": (-1.2784, [-2.3993, 2.3993], None),
    "mish": (-1.1924, [-2.2564, 1.4906], None),
}
"""Near which places the minimum, the inflection points and the largest error are."""


@pytest.mark.parametrize("word", SMOOTH)
def test_the_figures_of_a_smooth_form_are_those_of_mpmath(word):
    name, *settings = word.split(":")
    chosen = dict(setting.split("=") for setting in settings)
    near, inflections, largest = SMOOTH[word]

    def f(x):
        return FORMS[name](x, **chosen)

    def f1(x):
        return M.diff(f, x)

    def f2(x):
        return M.diff(f, x, 2)

    at, others = found(word)
    for order, quantity in enumerate(("value", "gradient", "curvature")):
        assert at[quantity, 0] == rounded(M.diff(f, 0, order))
    assert (at["left_limit", -math.inf], at["left_slope", -math.inf]) == (0, 0)
    assert (at["right_limit", math.inf], at["right_slope", math.inf]) == (math.inf, 1)
    places = {"minimum": [zero(f1, near)], "inflection": [zero(f2, x) for x in inflections]}
    for point, expected in places.items():
        assert others[point] == [(rounded(x), rounded(f(x))) for x in expected]
    if largest:
        x = zero(lambda x: M.diff(lambda y: f(y) - FORMS["exact"](y), x), largest)
        error = abs(f(x) - FORMS["exact"](x))
        assert others["max_abs_error"] == [(rounded(x), rounded(error))]
    assert ("max_abs_error" in others) == (word != "exact")
    with M.workdps(40):
        square = M.quad(lambda x: f(x) ** 2 * M.npdf(x), [-20, -4, -1, 0, 1, 4, 20])
    assert others["second_moment"] == [(None, rounded(square))]
    assert "kink" not in others


def test_the_second_moment_of_gelu_is_its_closed_form():
    # Of x²Φ(x)², by Stein's lemma twice: E Φ² + 2E Φφx + …, which is 1/3 + 1/(2√3·π).
    _, others = found("exact")
    assert others["second_moment"] == [(None, rounded(M.mpf(1) / 3 + 1 / (2 * M.sqrt(3) * M.pi)))]


def test_kinks_are_told_rational_or_not():
    _, others = found("igelu")
    end = ratio("1.769") * M.sqrt(2)
    assert others["kink"] == [(rounded(-end), 0), (0, 0), (rounded(end), rounded(end))]
    assert found("hard:slope=1.5")[1]["kink"] == [(-2, 0), (2, 2)]
    assert found("elu")[1]["kink"] == [(0, 0)]
    assert "minimum" not in found("elu")[1]


def test_a_kink_half_way_between_two_decimals_is_rounded_to_even():
    _, others = found("polynomial:A=2.7750235:c1=0", digits=7)
    assert [x for x, _ in others["kink"]] == [Decimal("-2.775024"), Decimal("2.775024")]


def test_limits_that_are_not_gelus():
    at, others = found("elu:alpha=3")
    assert (at["left_limit", -math.inf], at["left_slope", -math.inf]) == (-3, 0)
    assert others["max_abs_error"] == [(-math.inf, 3)]
    at, others = found("tanh:a=0")  # which is x/2
    assert (at["left_limit", -math.inf], at["right_slope", math.inf]) == (-math.inf, Decimal("0.5"))
    assert others["max_abs_error"][0][1] == math.inf


def test_facts_are_of_figures_that_are_there():
    assert "kink" not in read(figures(find_form("silu")))[1].facts
    assert "kink" in read(figures(find_form("relu")))[1].facts
    assert "max_abs_error" not in read(figures(find_form("exact")))[1].facts


@pytest.mark.slow
@pytest.mark.parametrize("name", [*all_forms(), *published_forms()])
def test_every_form_has_figures(name):
    at, others = found(name, digits=6)
    assert len(at) == 7
    assert len(others["second_moment"]) == 1


# Models


def test_models_have_a_row_each():
    report = models()
    assert [column.name for column in report.columns] == ["name", "form", "since", "source"]
    assert read(report)[0] == list(all_models())
    rows, ending = read(models(find_form("quick_gelu")))
    assert [row[0] for row in rows] == ["CLIP"]
    assert ending.notes == []


def test_that_no_model_is_listed_is_said():
    rows, ending = read(models(find_form("puma")))
    assert (list(rows), ending.notes) == ([], ["no model that is listed here computes puma"])
