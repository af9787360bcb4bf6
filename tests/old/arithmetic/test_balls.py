"""Balls hold the truth: at points, on long intervals, by Taylor's theorem, and under integrals."""

from fractions import Fraction

from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.balls import BALLS, RestsAt, on_ball, real, working
from gelu_cli.old.calculus.stretches import curves_on_line
from tests.old.every import every
from tests.old.values.points import CASES, form_of

middles = st.fractions(-12, 12, max_denominator=1000)
radii = st.fractions(0, 4, max_denominator=1000)
shares = st.fractions(-1, 1, max_denominator=100)
QUANTITIES = ("value", "gradient", "curvature")
FUNCTIONS = {
    "exp": arb.exp, "expm1": arb.expm1, "erf": arb.erf, "erfc": arb.erfc,
    "softplus": lambda x: x.exp().log1p(), "logistics": lambda x: 1 / (1 + (-x).exp()),
}  # fmt: skip


def first(y):
    return y[0] if isinstance(y, tuple) else y


@every("name", FUNCTIONS)
@given(middle=middles, radius=radii, share=shares)
def test_a_function_on_an_interval_holds_its_values_there(name, middle, radius, share):
    with working(80):
        y = first(getattr(BALLS, name)(acb(arb(real(middle).mid(), real(radius).upper()))))
        value = FUNCTIONS[name](real(middle + share * radius))
        assert y.real.overlaps(value)


@every("name", FUNCTIONS)
def test_on_a_long_interval_a_function_is_as_tight_as_at_its_ends(name):
    with working(80):
        y = first(getattr(BALLS, name)(acb(arb(2, 1)))).real
        ends = [FUNCTIONS[name](arb(end)) for end in (1, 3)]
        assert y > 0
        assert y.rad() <= abs(ends[1] - ends[0]) * (0.5 + 1e-8)


@every("case", CASES)
@given(middle=middles, radius=radii, share=shares, quantity=st.sampled_from(QUANTITIES))
def test_taylors_theorem_holds_the_values_of_every_form(case, middle, radius, share, quantity):
    for stretch, curve in curves_on_line(form_of(case), quantity):
        if float(stretch.low) <= middle - radius and middle + radius <= float(stretch.high):
            with working(80):
                ball = on_ball(curve, acb(arb(real(middle).mid(), real(radius).upper())))
                value = acb(curve(BALLS, BALLS.rational(middle + share * radius)))
                assert not ball.is_finite() or ball.real.overlaps(value.real)


def test_taylors_theorem_is_narrow_where_a_difference_is():
    """eˣ − 1 − x − x²/2 is x³/6 and more, though each term has a radius of 1/100."""
    with working(80):
        x = acb(arb(0.1, 0.01))
        curve = lambda a, x: a.exp(x) - 1 - x - x * x / 2  # noqa: E731
        assert curve(BALLS, x).real.contains(-0.01)
        assert on_ball(curve, x).real > 0
        assert on_ball(curve, x).real < 0.0003


@every("x", [1e-9, -0.125, 0.24])
def test_what_cancels_in_an_exponential_has_all_its_digits(x):
    with working(400):
        truth = arb(x).exp() - 1 - arb(x)
    with working(80):
        y = RestsAt(acb(x)).expm1_less_x(acb(x)).real
    assert y.overlaps(truth)
    assert y.rel_accuracy_bits() > 70


@every("wide", [0.01, 1, 30])
def test_the_last_term_bounds_what_is_left(wide):
    """Of e⁻ˣ² the last coefficient is needed: without it the ball around 0 would be too small."""
    with working(80):
        ball = on_ball(lambda a, x: a.exp(-x * x), acb(arb(0, wide))).real
        assert ball.contains(arb(0.7 * wide).__pow__(2).__neg__().exp())


EXTREME = ("tanh", {"c": "1e9", "d": "-1e-9"}), ("polynomial", {"A": "1e6", "c15": "1e9"}), \
    ("erf_as", {"p": "1e-9", "a5": "1e9"}), ("sigmoid", {"beta": "1e9"})  # fmt: skip


@every("size", [Fraction(1, 10**9), Fraction(3), Fraction(10**40), 2**150, 2**400])
@every("case", [*CASES, *EXTREME], ids=str)
def test_no_quantity_exceeds_the_bound_of_averages(case, size):
    from gelu_cli.old.formulas import find_form

    form = form_of(case) if isinstance(case, str) else find_form(case[0]).with_settings(
        "extreme", {name: Fraction(value) for name, value in case[1].items()})  # fmt: skip
    for x in (-Fraction(size), Fraction(size)):
        bound = real(max(abs(x), Fraction(1 << form.limit_exponent))) ** 16
        for quantity in QUANTITIES:
            for stretch, curve in curves_on_line(form, quantity):
                if (stretch.low.infinite or stretch.low.exact < x) and (
                    stretch.high.infinite or stretch.high.exact > x
                ):
                    with working(4000):
                        y = acb(curve(BALLS, BALLS.rational(x)))
                        assert y.is_finite()
                        assert y.abs_upper() <= bound
