"""Values next to a number half way between two others: the side that they are on decides.

GELU(x) is less than x to the right, by no more than a part in 10^217000 at x = 1000. Where the true
value is, Arb says, with as many bits as it takes to tell it from the tie.
"""

import random
from decimal import Decimal
from fractions import Fraction

import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.inputs.numbers import parse_number
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.values import evaluate as values_evaluate
from gelu_cli.old.values.evaluate import evaluate
from tests.old.asked import set_to
from tests.old.every import every
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


@every("x", ["-1e1000", "1e1000", "1e-1000", "-5e-1000", "2^-4000"])
@every("name", TENDING_TO_0)
def test_however_far_out_or_near_zero_there_is_an_answer(x, name):
    point = parse_number(x)
    for digits in (1, 40):
        evaluate(find_form(name), ["value", "gradient", "curvature"], point, Decimals(digits))


@every("x", ["1e1000", "1e300"])
def test_next_to_a_tie_far_out_the_value_is_less(x):
    tie = parse_number(x) + Fraction(1, 2)
    digits = len(str(tie // 1))
    assert at("exact", "value", tie, Decimals(digits)) == Decimal(int(tie))
    assert at("softplus", "value", tie, Decimals(digits)) == Decimal(int(tie) + 1)


@every(("x", "want"), [("-inf", "-2"), ("-1e6", "-1"), ("inf", "inf")])
def test_a_limit_that_is_a_tie_goes_to_the_even_number(x, want):
    """At −∞ ELU is −1.5 itself, to the right of it a little more."""
    result = at("elu", "value", parse_number(x), Decimals(1), alpha="1.5")
    assert str(result) == want


def test_what_cannot_be_told_from_a_tie_is_refused(monkeypatch):
    """With few bits: x/2 + x²/√(2π) at 2⁻⁴⁰⁰⁰, where nothing cancels but is not anchored."""
    monkeypatch.setattr(values_evaluate, "LAST", 0)
    with pytest.raises(ComputationError, match=r"^curvature at .* is too near"):
        at("sigmoid", "curvature", Fraction(1, 10**1000), Decimals(2), beta="5/2")
