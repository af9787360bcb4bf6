"""Closed forms: what they are worth is what the quadrature finds, to forty digits."""

import re
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.calculus.moments import KNOWN, closed_form, gaussian_moments
from gelu_cli.old.formulas import all_forms, find_form, typed_form
from tests.old.asked import set_to
from tests.old.every import every
from tests.truth.mpmath import M, decimal_of


def assert_equal_to_forty_digits(form, mean, sigma):
    formula = closed_form(form, mean, sigma)
    quadrature = gaussian_moments(form, mean, sigma, Decimals(40)).gradient_second_moment
    assert decimal_of(worth(formula), 40) == quadrature


@every(
    ("name", "settings", "sigma"),
    [("exact", {}, "1/1000"), ("exact", {}, "5/3"), ("exact", {}, 20), ("relu", {}, "5/3"),
     ("elu", {}, 1), ("elu", {"alpha": "-1/3"}, 20), ("elu", {"alpha": 2}, "1/1000"),
     ("noisy_relu", {}, 20), ("noisy_relu", {"sigma": "1/4"}, "5/3"),
     ("noisy_relu", {"sigma": 9}, 1)],
)  # fmt: skip
def test_the_formula_and_the_quadrature_agree(name, settings, sigma):
    assert_equal_to_forty_digits(set_to(name, **settings), Fraction(0), Fraction(sigma))


@settings(max_examples=3)
@given(
    mean=st.fractions(-5, 5, max_denominator=100),
    sigma=st.fractions(Fraction(1, 10), 10, max_denominator=100),
)
def test_relus_holds_for_every_mean(mean, sigma):
    assume(mean > -40 * sigma)  # what is below 2⁻¹²⁰⁰ is 0
    assert_equal_to_forty_digits(find_form("relu"), mean, sigma)


@every(
    ("name", "settings", "mean", "sigma", "text"),
    [
        ("exact", {}, 0, 1, "1/3 + 2/(3√3·π)"),
        ("relu", {}, 0, 5, "1/2"),
        ("relu", {}, 1, 2, "Φ(1/2)"),
        ("elu", {}, 0, 1, "1/2 + e^2·Φ(−2)"),
        ("elu", {"alpha": 3}, 0, 1, "1/2 + 9·e^2·Φ(−2)"),
        ("elu", {"alpha": "1/2"}, 0, 2, "1/2 + 1/4·e^8·Φ(−4)"),
        ("noisy_relu", {}, 0, 1, "1/3"),
        ("noisy_relu", {"sigma": 2}, 0, 1, "1/4 + asin(1/5)/(2π)"),
    ],
)
def test_the_text_is_the_formula(name, settings, mean, sigma, text):
    form, mean, sigma = set_to(name, **settings), Fraction(mean), Fraction(sigma)
    assert closed_form(form, mean, sigma) == text
    assert_equal_to_forty_digits(form, mean, sigma)


@every("sigma", [2, "1/3", "0.7", "3/2"])
@every("name", ["exact", "noisy_relu"])
def test_a_text_with_s_is_the_formula_too(name, sigma):
    assert_equal_to_forty_digits(find_form(name), Fraction(0), Fraction(sigma))


def worth(text):
    """Evaluate a formula with what is given behind it, s = 2 say."""
    formula, _, given = text.partition("; ")
    for each in filter(None, given.split(", ")):
        symbol, _, value = each.partition(" = ")
        formula = re.sub(rf"(?<![a-z]){symbol}(?![a-z])", f"({value})", formula)
    return read(formula)


def read(text):
    """Evaluate what stands in a column for people."""
    for sign, meaning in {"·": "*", "−": "-", "^": "**", "²": "**2", "Φ": "M.ncdf", "π": "M.pi",
                          "asin": "M.asin", "e**": "M.e**"}.items():  # fmt: skip
        text = text.replace(sign, meaning)
    text = re.sub(r"√(\d+|\([^()]*\([^()]*\)[^()]*\))", r"M.sqrt(\1)", text)
    text = re.sub(r"(?<![\w.])(\d+)(?=M|\()", r"\1*", text)
    text = re.sub(r"(?<![\w.*])(\d+(?:\.\d+)?)", r"M.mpf('\1')", text)
    return eval(text, {"M": M})


@every("name", sorted(set(all_forms()) - set(KNOWN)))
def test_where_none_is_known_none_is_given(name):
    assert closed_form(find_form(name), Fraction(0), Fraction(1)) is None


@every("name", sorted(set(KNOWN) - {"relu"}))
def test_off_the_centre_relus_alone_is_known(name):
    assert closed_form(find_form(name), Fraction(1), Fraction(1)) is None


@every(
    ("form", "sigma", "text"),
    [
        ("noisy_relu:sigma=2", "1", "1/4 + asin(1/5)/(2π)"),
        ("noisy_relu:sigma=1e-8", "1", "1/4 + asin(s²/(s²+σ²))/(2π); s = 1, σ = 1e-8"),
        ("elu", "0.123456789", "1/2 + e^(0.030483157500381042)·Φ(−0.246913578)"),
        ("elu", "0.1", "1/2 + e^(1/50)·Φ(−1/5)"),
    ],
)
def test_no_number_in_a_formula_is_rounded(form, sigma, text):
    assert closed_form(typed_form(form), Fraction(0), Fraction(sigma)) == text
