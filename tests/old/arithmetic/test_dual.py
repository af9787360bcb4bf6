"""Duals differentiate: what they carry is what mpmath finds by differences."""

from fractions import Fraction

from hypothesis import assume, given, settings

from gelu_cli.old.arithmetic.dual import DualArithmetic
from gelu_cli.old.arithmetic.exact import RATIONAL
from gelu_cli.old.arithmetic.interval import IntervalArithmetic
from gelu_cli.old.formulas import all_forms, find_form
from tests.old.arithmetic.expressions import FUNCTIONS, NUMBERS, STEPS, Truth, expressions
from tests.old.every import every
from tests.truth.mpmath import M, ratio

NOISE = M.mpf(10) ** -60  # far above what mpmath's differences are off by at 120 digits


def holds(interval, number):
    low, high = M.make_mpf(interval.low), M.make_mpf(interval.high)
    return low - NOISE * (1 + abs(number)) <= number <= high + NOISE * (1 + abs(number))


@settings(max_examples=18)
@given(NUMBERS, expressions)
def test_the_derivative_of_whatever_is_computed_is_enclosed(x, steps):
    a, truth = DualArithmetic(IntervalArithmetic(85)), Truth()
    dual = a.variable(a.base.rational(x))

    def compute(number, steps):
        for step, y in steps:
            number = STEPS[step](truth, number, ratio(y))
        return number

    for n, (step, y) in enumerate(steps, 1):
        assume(y != 0)
        dual = STEPS[step](a, dual, a.rational(y))
        value = compute(ratio(x), steps[:n])
        assume(abs(value) < 1000)
        assert holds(dual.value, value), step
        slope = M.diff(lambda t, n=n: compute(t, steps[:n]), ratio(x))
        assert holds(dual.derivative, slope), step


@every("name", FUNCTIONS)
@every("x", [-30, Fraction(-7, 3), 0, Fraction(1, 9), 6])
def test_the_derivative_of_a_function_is_sharp(name, x):
    a = DualArithmetic(Truth())
    got = FUNCTIONS[name](a, 3 * a.variable(a.base.rational(Fraction(x)))).derivative
    want = M.diff(lambda t: FUNCTIONS[name](Truth(), 3 * t), ratio(x))
    assert M.almosteq(M.mpf(got), want, rel_eps=1e-55)


@every("name", all_forms())
@every("x", ["-3.1", "-1.7", "-0.2", "0.3", "1.1", "4"])
def test_derivatives_of_every_piece_are_those_written_by_hand(name, x):
    base = Truth()
    a, form = DualArithmetic(base), find_form(name)
    x = base.rational(Fraction(x))
    for piece in range(len(form.pieces)):
        by_hand = form.on_piece(piece, base, x, 2)
        dual = form.on_piece(piece, a, a.variable(x), 2)
        assert M.almosteq(dual.value.derivative, by_hand.gradient, 1e-50, 1e-50)
        assert M.almosteq(dual.gradient.derivative, by_hand.curvature, 1e-50, 1e-50)


def test_fractions_are_differentiated_exactly():
    a = DualArithmetic(RATIONAL)
    x = a.variable(Fraction(3, 2))
    y = (5 - x**3) / (x * x + 1) - 2 / x + x / 4
    # (−3x²(x² + 1) − 2x(5 − x³))/(x² + 1)² + 2/x² + 1/4
    assert y.derivative == Fraction(-27, 4) / Fraction(13, 4) - Fraction(39, 8) / Fraction(
        169, 16
    ) + Fraction(8, 9) + Fraction(1, 4)
    assert y.value == Fraction(13, 8) / Fraction(13, 4) - Fraction(4, 3) + Fraction(3, 8)
