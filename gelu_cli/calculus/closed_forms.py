"""Where E f′(X)² has a closed form, for X ~ N(m, s²).

With Φ, φ the normal distribution and density, E Φ(X)² = 1/4 + arcsin(s²/(1 + s²))/2π for m = 0
(Sheppard 1899), and Stein's lemma gives the terms with xφ(x).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from gelu_cli.arithmetic.multiprecision import Multiprecision
from gelu_cli.forms import Form

MOST_DIGITS = 60
"""Of a decimal in a formula; what has more stays a fraction."""


class ClosedForm(NamedTuple):
    """A formula as text, and its value."""

    text: str
    value: Callable[[Multiprecision], Any]


def closed_form(form: Form, mean: Fraction, sigma: Fraction) -> ClosedForm | None:
    """Return the closed form of E f′(X)² where one is known.

    >>> from gelu_cli.forms import find_form
    >>> closed_form(find_form("relu"), Fraction(0), Fraction(3)).text
    '1/2'
    """
    known = KNOWN.get(form.name)
    return known(form, mean, sigma) if known else None


def _relu(form: Form, mean: Fraction, sigma: Fraction) -> ClosedForm:
    """P(X > 0) = Φ(m/s)."""

    def value(a: Multiprecision) -> Any:
        return a.erfc(a.rational(-mean / sigma) / a.sqrt(a.rational(2))) / 2

    return ClosedForm("1/2" if mean == 0 else f"Φ({_text(mean / sigma)})", value)


def _gelu(form: Form, mean: Fraction, sigma: Fraction) -> ClosedForm | None:
    """E(Φ + Xφ)² = E Φ² + 2E XΦφ + E X²φ², term by term, for m = 0."""
    if mean:
        return None
    v = sigma * sigma

    def value(a: Multiprecision) -> Any:
        root = a.sqrt(a.rational(1 + 2 * v))
        mixed = a.rational(v / (1 + v)) / root
        square = a.rational(v / (1 + 2 * v)) / root / 2
        return _distribution_squared(a, v) + (mixed + square) / a.pi

    s = _text(sigma)
    general = "1/4 + asin(s²/(1+s²))/(2π) + s²/((1+s²)·√(1+2s²)·π) + s²/(2·(1+2s²)^(3/2)·π)"
    return ClosedForm("1/3 + 2/(3√3·π)" if v == 1 else f"{general}; s = {s}", value)


def _elu(form: Form, mean: Fraction, sigma: Fraction) -> ClosedForm | None:
    """P(X > 0) + α²E[e^(2X); X < 0] = 1/2 + α²e^(2s²)Φ(−2s), for m = 0."""
    if mean:
        return None
    alpha = form.settings["alpha"]

    def value(a: Multiprecision) -> Any:
        tail = a.erfc(a.rational(sigma) * a.sqrt(a.rational(2))) / 2
        return (1 + 2 * a.rational(alpha**2) * a.exp(a.rational(2 * sigma**2)) * tail) / 2

    factor = "" if alpha == 1 else f"{_text(alpha**2)}·"
    return ClosedForm(f"1/2 + {factor}e^{_power(2 * sigma**2)}·Φ(−{_text(2 * sigma)})", value)


def _noisy_relu(form: Form, mean: Fraction, sigma: Fraction) -> ClosedForm | None:
    """E Φ(X/σ)², for m = 0."""
    if mean:
        return None
    v = (sigma / form.settings["sigma"]) ** 2
    ratio = v / (1 + v)
    if v == 1:
        text = "1/3"
    elif _is_short(ratio):
        text = f"1/4 + asin({ratio})/(2π)"
    else:
        own = _text(form.settings["sigma"])
        text = f"1/4 + asin(s²/(s²+σ²))/(2π); s = {_text(sigma)}, σ = {own}"
    return ClosedForm(text, lambda a: _distribution_squared(a, v))


def _distribution_squared(a: Multiprecision, v: Fraction) -> Any:
    """Return E Φ(X)² for X ~ N(0, v)."""
    return (1 + 2 * a.context.asin(a.rational(v / (1 + v))) / a.pi) / 4


def _text(number: Fraction) -> str:
    """Return a number exactly: as a short fraction, a decimal, or else as the fraction it is."""
    if _is_short(number):
        return str(number)
    decimal = Context(prec=MOST_DIGITS).divide(number.numerator, Decimal(number.denominator))
    if Fraction(decimal) == number:
        return f"{decimal.normalize():g}"
    return str(number)


def _power(number: Fraction) -> str:
    text = _text(number)
    return text if text.isdecimal() else f"({text})"


def _is_short(number: Fraction) -> bool:
    return number.denominator < 10_000 and abs(number) < 10**6


KNOWN: Mapping[str, Callable[[Form, Fraction, Fraction], ClosedForm | None]] = {
    "relu": _relu,
    "exact": _gelu,
    "elu": _elu,
    "noisy_relu": _noisy_relu,
}
