"""Values next to a number half way between two others: the side that they are on decides.

GELU(x) is less than x to the right, by no more than a part in 10^217000 at x = 1000. Where the true
value is, Arb says, with as many bits as it takes to tell it from the tie.
"""

import random
from decimal import Decimal
from fractions import Fraction

import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.arithmetic.typed import parse_number
from gelu_cli.old.formulas import find_form
from gelu_cli.old.values import evaluate as values_evaluate
from gelu_cli.old.values.evaluate import evaluate
from tests.old.asked import set_to
from tests.old.cli.runner import gelu, run_gelu
from tests.truth.arb import beside

TOWARDS_THE_LINE = ["exact", "tanh", "tanh_taylor", "sigmoid", "sigmoid_taylor", "silu", "mish",
                    "softplus", "noisy_relu"]  # fmt: skip
THROUGH_ZERO = ["exact", "tanh", "tanh_taylor", "sigmoid", "sigmoid_taylor", "silu"]
TENDING_TO_0 = [*THROUGH_ZERO, "mish", "softplus"]


def at(name, quantity, x, rounding, **parameters):
    (result,) = evaluate(set_to(name, **parameters), [quantity], x, rounding)
    return result


def ties(draw):
    """Yield numbers between 8 and 100, each half way between two to round to, and the rounding."""
    while True:
        if draw.random() < 0.5:
            digits = draw.randint(1, 40)
            n = draw.randrange(10 ** (digits - 1), 10**digits)
            yield (n + Fraction(1, 2)) * Fraction(10) ** (2 - digits), Decimals(digits)
        else:
            rounding = FORMATS[draw.choice(list(FORMATS))]
            n = draw.randrange(2 ** (rounding.precision - 1), 2**rounding.precision)
            yield (n + Fraction(1, 2)) * Fraction(2) ** (5 - rounding.precision), rounding


def cases(draw, count):
    """Yield a rounding, a tie, and a form, quantity, x and parameter that come next to it."""
    for _, (tie, rounding) in zip(range(count), ties(draw), strict=False):
        sign = draw.choice([-1, 1])
        tiny = Fraction(1, 2 ** draw.choice([40, 300, 900, 1900]))
        yield rounding, *draw.choice([
            (tie, draw.choice(TOWARDS_THE_LINE), "value", tie),
            (-tie, draw.choice(TENDING_TO_0), "complement", -tie),
            (sign * tie, "elu", "value", -tie - 50, str(-sign * tie)),
            (sign * tie * tiny, draw.choice(THROUGH_ZERO), "value", sign * 2 * tie * tiny),
            (tie, "sigmoid", "curvature", sign * tiny, str(2 * tie)),
            (tie, "elu", "gradient", -tiny, str(tie)),
        ])  # fmt: skip


PARAMETER = {"elu": "alpha", "sigmoid": "beta"}


def test_random_ties_go_to_the_side_that_arb_sees():
    seen = set()
    for rounding, tie, name, quantity, x, *setting in cases(random.Random(28), 200):
        parameters = dict(zip([PARAMETER.get(name)], setting, strict=False))
        want = rounding.exactly(beside(tie, name, quantity, x, **parameters))
        got = at(name, quantity, x, rounding, **parameters)
        assert got == want, (name, parameters, quantity, str(x), rounding)
        seen.add((name, quantity))
    assert len(seen) >= 20


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("table 128.1875 1000.375 --quantity value --form exact -f md", ["128.187", "1000.37"]),
        ("table -1e30 --form elu:alpha=1.01171875 --dtype bf16 --quantity value", ["-1.0078125"]),
        ("table -16777218 --form elu --quantity complement --dtype float32", ["-16777218.0"]),
        ("error -10000 --form elu:alpha=1.5 --target relu -d 1", ["-1", "1", "inf"]),
        ("error -10000 --form elu:alpha=2.5 --target elu -d 1", ["-1", "-2", "1", "2"]),
        ("table -0.0 --form noisy_relu:sigma=1e-3 --quantity complement --dtype float8_e4m3fn",
         ["-0.0"]),
    ],
)  # fmt: skip
def test_commands_print_the_right_side_of_a_tie(line, want):
    words = gelu(*line.split()).out.replace("|", ",").split("\n")
    rows = [[cell.strip() for cell in row.split(",")] for row in words if row]
    for number in want:
        assert any(number in row for row in rows[1:]), rows


def test_of_two_neighbours_of_a_tie_one_is_right():
    rows = run_gelu("check", "1000.375=1000.37", "1000.375=1000.38").out.splitlines()
    assert [row.split(",")[-1] for row in rows[1:]] == ["right", "wrong"]


@pytest.mark.parametrize("x", ["-1e1000", "1e1000", "1e-1000", "-5e-1000/7", "2^-4000"])
@pytest.mark.parametrize("name", TENDING_TO_0)
def test_however_far_out_or_near_zero_there_is_an_answer(x, name):
    point = parse_number(x)
    for digits in (1, 40):
        evaluate(find_form(name), ["value", "gradient", "curvature"], point, Decimals(digits))


@pytest.mark.parametrize("x", ["1e1000", "1e300"])
def test_next_to_a_tie_far_out_the_value_is_less(x):
    tie = parse_number(x) + Fraction(1, 2)
    digits = len(str(tie // 1))
    assert at("exact", "value", tie, Decimals(digits)) == Decimal(int(tie))
    assert at("softplus", "value", tie, Decimals(digits)) == Decimal(int(tie) + 1)


@pytest.mark.parametrize(("x", "want"), [("-inf", "-2"), ("-1e6", "-1"), ("inf", "inf")])
def test_a_limit_that_is_a_tie_goes_to_the_even_number(x, want):
    """At −∞ ELU is −1.5 itself, to the right of it a little more."""
    result = at("elu", "value", parse_number(x), Decimals(1), alpha="1.5")
    assert str(result) == want


def test_equal_multiples_of_one_number_have_an_exact_ratio():
    """(αE − βE)/(βE) is half way between two numbers though nothing is known of E = eˣ."""
    form, target = (f"elu:alpha={alpha}" for alpha in ("3.75", "1.5"))
    for quantity in ("value", "gradient", "curvature"):
        line = f"error -1.5 --form {form} --target {target} --quantity {quantity} -d 1".split()
        assert gelu(*line).out.splitlines()[1].endswith(",2")  # of 1.5 and, even, 2


def test_what_cannot_be_told_from_a_tie_is_refused(monkeypatch):
    """With few bits: x/2 + x²/√(2π) at 2⁻⁴⁰⁰⁰, where nothing cancels but is not anchored."""
    monkeypatch.setattr(values_evaluate, "LAST", 0)
    with pytest.raises(ComputationError, match=r"^curvature at .* is too near"):
        at("sigmoid", "curvature", Fraction(1, 10**1000), Decimals(2), beta="5/2")
