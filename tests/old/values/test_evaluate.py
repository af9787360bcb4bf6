"""Every result is the correctly rounded one, by references that know nothing of gelu_cli."""

import math
import signal
from decimal import Decimal
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.old.formulas import QUANTITIES, all_forms, find_form
from gelu_cli.old.values import evaluate as values_evaluate
from gelu_cli.old.values.evaluate import evaluate
from tests.old.asked import set_to
from tests.old.every import every
from tests.old.values.points import masks_of
from tests.truth.arb import at as arb_at
from tests.truth.mpmath import M, decimal_of, identical, nearest, truth

every_form = every("name", all_forms())
every_format = every("dtype", FORMATS)
THREE = QUANTITIES[:3]
NUMBERS = st.floats(-45, 20).filter(lambda x: abs(x) > 1e-30)
GRADIENT_ZERO = -0.7517915246935645  # the float64 nearest to where GELU′ is 0
TINY, HUGE = 5e-324, 1e308


def at(name, x, quantity="value", rounding=FLOAT64, **parameters):
    (result,) = evaluate(set_to(name, **parameters), [quantity], x, rounding)
    return result


@pytest.fixture
def impatient():
    """Let a test fail where Ziv's loop would go on for ever."""

    def give_up(*_):
        raise TimeoutError("no precision settles a tie")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def at_all(name, x, rounding):
    """Yield the quantities, those that are computed beside anchors apart."""
    form = find_form(name)
    for quantities in (THREE, masks_of(form)):
        yield from zip(quantities, evaluate(form, quantities, x, rounding), strict=True)


@every_format
@every_form
@settings(max_examples=1)
@example(x=19.0)  # GELU(19) is 19 less 4·10⁻⁸⁰: no tie of 8 bits, though nearly one
@given(x=NUMBERS)
def test_in_every_format_every_form_is_rounded_once(name, dtype, x):
    for quantity, got in at_all(name, x, FORMATS[dtype]):
        assert identical(got, nearest(truth(name, quantity, x), dtype)), quantity


@every_form
@settings(max_examples=2)
@example(x=-15.20673040317902, digits=49)  # a tie, and the complement is 4.7·10⁻¹¹⁹ beside it
@given(x=NUMBERS | st.fractions(-45, 20).filter(bool), digits=st.integers(1, 60))
def test_in_decimals_every_digit_is_right(name, x, digits):
    with M.workdps(500):  # next to a tie far out, e^(−x²/2) decides
        for quantity, got in at_all(name, x, Decimals(digits)):
            assert got == decimal_of(truth(name, quantity, x), digits), quantity


def gelu_by_arb(x, quantity):
    """Return the ends of a ball that holds GELU, or its derivative, at x."""
    with ctx.workprec(500):
        x = arb(x)
        phi = (-x / arb(2).sqrt()).erfc() / 2
        density = (-x * x / 2).exp() / (2 * arb.pi()).sqrt()
        y = x * phi if quantity == "value" else phi + x * density
        ends = [end.man_exp() for end in (y.lower(), y.upper())]
    return [Fraction(int(man)) * Fraction(2) ** int(exp) for man, exp in ends]


@every("quantity", ["value", "gradient"])
@settings(max_examples=150)
@given(x=st.floats(-40, 40).filter(lambda x: abs(x) > 1e-80))
def test_gelu_is_arbs_for_certain(quantity, x):
    low, high = map(nearest, gelu_by_arb(x, quantity))
    assert identical(low, high)
    assert identical(at("exact", x, quantity), low)


@every("x", [-37.0, -37.5, -38.0, -38.3, -38.45, -38.5, -38.6, -39.0])
def test_the_tail_is_right_down_to_the_last_subnormal_and_its_zero_is_negative(x):
    for quantity in ("value", "gradient"):
        assert identical(at("exact", x, quantity), nearest(gelu_by_arb(x, quantity)[0]))
    assert (at("exact", x) == 0) == (x < -38.5)


@every_form
@every("x", [TINY, -TINY, 3 * TINY, -3 * TINY, 1.5e-310, -2.3e-308, 1e-200])
def test_next_to_zero_the_value_is_on_the_right_side_of_a_tie(name, x):
    with M.workdps(800):
        assert identical(at(name, x), nearest(truth(name, "value", x)))


@every_form
@every("side", [-1, 1])
def test_far_out_every_form_is_at_its_limit(name, side):
    """What a form tends to, and from which side, is seen at ±16; ±∞ and ±1e308 are beyond."""
    form = find_form(name)
    quantities = [*THREE, *masks_of(form), *(["gate"] if form.has_gate else [])]
    for x in (math.inf, HUGE):
        for quantity, got in zip(
            quantities, evaluate(form, quantities, side * x, FLOAT64), strict=True
        ):
            near = truth(name, quantity, side * 16)
            # A complement may tend to any number, as that of a ReLU that starts later does.
            any_number = quantity == "complement" and abs(near) > 1e-3
            limit = math.copysign(float(near) if any_number else round(near), near)
            rising = quantity == ("value" if side > 0 else "complement")
            assert identical(got, side * x if rising else limit), quantity


SET = [("sigmoid", {"beta": -3}), ("sigmoid", {"beta": 0}), ("sigmoid", {"beta": "1e-320"}),
       ("elu", {"alpha": "1e-400"}), ("elu", {"alpha": "-1"}), ("tanh", {"c": "-1e200"}),
       ("noisy_relu", {"sigma": "1e90"})]  # fmt: skip


@every("side", [-1, 1])
@every(
    ("name", "parameters"),
    [*((name, {}) for name in all_forms()), *SET],
    ids=lambda part: part if isinstance(part, str) else str(part),
)
def test_far_out_a_bound_tells_what_enclosures_tell(name, parameters, side):
    """Within 2ⁿ these are asked; beyond, what they say at 2ⁿ holds."""
    form = set_to(name, **parameters)
    quantities = [*THREE, *masks_of(form), *(["gate"] if form.has_gate else [])]
    for times in (Fraction(7, 8), Fraction(9, 8), Fraction(10) ** 60):
        x = side * times * 2**form.limit_exponent
        for rounding in (FLOAT64, FORMATS["bfloat16"], Decimals(30)):
            got = evaluate(form, quantities, x, rounding)
            compute = values_evaluate.computing(form, quantities)
            want = values_evaluate.evaluate_computed(form, quantities, x, compute, rounding)
            assert list(map(identical_or_same, got, want)) == [True] * len(quantities)


def identical_or_same(got, want):
    return str(got) == str(want) if isinstance(got, Decimal) else identical(got, want)


@every_form
@every("x", [side * t * 2**98 for side in (-1, 1) for t in (3, 5, 9)])
def test_far_out_arb_sees_the_same_limits(name, x):
    """From 2¹⁰⁰ on a bound tells them."""
    nothing = arb((1, -(10**20)))
    for quantity, got in zip(THREE, evaluate(find_form(name), THREE, x, FLOAT64), strict=True):
        away = arb_at(name, quantity, Fraction(x)) - arb(got)
        # Half a unit in the last place, and what Arb leaves of 400 bits.
        error = abs(arb(got)) / 2**53 + arb(abs(x)) / 2**200
        assert abs(away) < (nothing if got == 0 and arb_is_sharp(away) else error)
        if got == 0 and not away.contains(0):
            assert math.copysign(1, got) == (1 if away > 0 else -1)


def arb_is_sharp(ball):
    return ball.rad() < abs(ball.mid()) / 2


@every_form
def test_nan_gives_nan_in_every_set_of_numbers(name):
    for rounding in (FLOAT64, FORMATS["float8_e4m3fn"], Decimals(30)):
        assert all(map(math.isnan, evaluate(find_form(name), THREE, math.nan, rounding)))


@every("side", [-1, 1])
def test_limits_in_decimals(side):
    got = evaluate(find_form("exact"), QUANTITIES, side * math.inf, Decimals(20))
    one = "1.0000000000000000000"
    right = ["inf", one, "-0", one, "0", "0", "0"]
    left = ["-0", "-0", "-0", "0", "-inf", "0", "0"]
    assert list(map(str, got)) == (right if side > 0 else left)
    assert str(at("exact", -HUGE, rounding=Decimals(5))) == "-0"
    assert math.isnan(at("exact", 500.0, rounding=FORMATS["float8_e4m3fn"]))


def test_at_minus_zero_what_only_rounds_to_zero_has_its_own_sign():
    """0.0004 is less than half of the least number of E4M3."""
    for rounding, zero in ((FORMATS["float8_e4m3fn"], True), (FORMATS["float16"], False)):
        got = at("noisy_relu", -0.0, rounding=rounding, sigma="1/1000")
        assert (got == 0, math.copysign(1, got)) == (zero, 1)


@every_form
@every("rounding", [FLOAT64, FORMATS["bfloat16"], Decimals(20)])
def test_at_minus_0_only_a_value_of_0_has_another_sign(name, rounding):
    quantities = [*THREE, *masks_of(find_form(name))]
    below, at_zero = (evaluate(find_form(name), quantities, x, rounding) for x in (-0.0, 0.0))
    assert below == at_zero
    for quantity, *pair in zip(quantities, below, at_zero, strict=True):
        signs = [math.copysign(1, number) for number in pair]
        if quantity in ("value", "complement") and pair[0] == 0:
            assert signs[0] == math.copysign(1, truth(name, quantity, -1e-30))
        else:
            assert signs[0] == signs[1]


@pytest.mark.usefixtures("impatient")
@every(
    ("name", "parameters", "x", "quantity", "rounding", "want"),
    [
        ("sigmoid", {"beta": "1.25"}, 0, "curvature", Decimals(2), Decimal("0.62")),
        ("sigmoid", {"beta": "1.35"}, 0, "curvature", Decimals(2), Decimal("0.68")),
        ("elu", {"alpha": "0.15"}, 0, "gradient", Decimals(1), Decimal("0.2")),
        ("elu", {"alpha": "0.45"}, 0, "curvature", Decimals(1), Decimal("0.4")),
        ("softplus", {}, 0, "curvature", Decimals(1), Decimal("0.2")),
        ("relu", {}, "0.35", "value", Decimals(1), Decimal("0.4")),
        ("relu", {}, "0.45", "value", Decimals(1), Decimal("0.4")),
        ("tanh", {"c": "-1/9"}, 3, "value", Decimals(1), 2),  # where the cubic vanishes: 3/2
        ("hard", {}, 2 + 1 / 128, "value", FORMATS["bfloat16"], 2.0),
        ("hard", {}, 2 + 3 / 128, "value", FORMATS["bfloat16"], 2.03125),
    ],
)
def test_a_value_half_way_goes_to_the_even_neighbour(name, parameters, x, quantity, rounding, want):
    assert at(name, Fraction(x), quantity, rounding, **parameters) == want


@every_format
@given(n=st.integers(0, 2**53))
def test_hard_gelu_at_fractions_where_its_gate_or_gradient_is_a_tie(dtype, n):
    p = FORMATS[dtype].precision
    tie = Fraction(1, 2) + Fraction(2 * (n % 2 ** (p - 2)) + 1, 2 ** (p + 1))
    for quantity, slope in (("gate", Fraction("1.702")), ("gradient", Fraction("3.404"))):
        x = (6 * tie - 3) / slope
        assert at("hard", x, quantity, FORMATS[dtype]) == nearest(tie, dtype)


def test_quantities_come_in_the_order_asked_for():
    form = find_form("exact")
    forth = evaluate(form, QUANTITIES, 0.3, FLOAT64)
    assert evaluate(form, QUANTITIES[::-1], 0.3, FLOAT64) == forth[::-1]
    assert evaluate(form, ["gate", "gate"], 0.3, FLOAT64) == [forth[3], forth[3]]
