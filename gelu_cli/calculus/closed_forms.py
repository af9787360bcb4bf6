"""Closed forms of E f′(X)² for X ~ N(m, s²).

With Φ, φ the normal distribution and density, E Φ(X)² = 1/4 + arcsin(s²/(1 + s²))/2π for m = 0
(Sheppard 1899), and Stein's lemma gives the terms with xφ(x).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from fractions import Fraction

from gelu_cli.formulas import Form

MOST_DIGITS = 60
"""Of a decimal in a formula; a longer one stays a fraction."""


def closed_form(form: Form, mean: Fraction, sigma: Fraction) -> str | None:
    """Return the closed form of E f′(X)², X ~ N(mean, sigma²), if known.

    >>> from gelu_cli.formulas import find_form
    >>> closed_form(find_form("relu"), Fraction(0), Fraction(3))
    '1/2'
    """
    if form.name not in KNOWN or (mean and form.name != "relu"):
        return None
    return KNOWN[form.name](form, mean, sigma)


def _gelu(form: Form, mean: Fraction, sigma: Fraction) -> str:
    """E(Φ + Xφ)² = E Φ² + 2E XΦφ + E X²φ², term by term."""
    if sigma == 1:
        return "1/3 + 2/(3√3·π)"
    return (
        "1/4 + asin(s²/(1+s²))/(2π) + s²/((1+s²)·√(1+2s²)·π) + s²/(2·(1+2s²)^(3/2)·π); "
        f"s = {_text(sigma)}"
    )


def _elu(form: Form, mean: Fraction, sigma: Fraction) -> str:
    """P(X > 0) + α²E[e^(2X); X < 0] = 1/2 + α²e^(2s²)Φ(−2s)."""
    alpha, power = form.settings["alpha"], _text(2 * sigma**2)
    factor = "" if alpha == 1 else f"{_text(alpha**2)}·"
    return f"1/2 + {factor}e^{power if power.isdecimal() else f'({power})'}·Φ(−{_text(2 * sigma)})"


def _noisy_relu(form: Form, mean: Fraction, sigma: Fraction) -> str:
    """E Φ(X/σ)²."""
    own = form.settings["sigma"]
    v = (sigma / own) ** 2
    ratio = v / (1 + v)
    if v == 1:
        return "1/3"
    if _is_short(ratio):
        return f"1/4 + asin({ratio})/(2π)"
    return f"1/4 + asin(s²/(s²+σ²))/(2π); s = {_text(sigma)}, σ = {_text(own)}"


def _text(number: Fraction) -> str:
    """Return a number exactly.

    As a short fraction, a decimal, or else as the fraction it is.
    """
    decimal = Context(prec=MOST_DIGITS).divide(number.numerator, Decimal(number.denominator))
    if _is_short(number) or Fraction(decimal) != number:
        return str(number)
    return f"{decimal.normalize():g}"


def _is_short(number: Fraction) -> bool:
    return number.denominator < 10_000 and abs(number) < 10**6


KNOWN: Mapping[str, Callable[[Form, Fraction, Fraction], str]] = {
    "relu": lambda form, mean, sigma: f"Φ({_text(mean / sigma)})" if mean else "1/2",  # P(X > 0)
    "exact": _gelu,
    "elu": _elu,
    "noisy_relu": _noisy_relu,
}
"""Forms with a closed form of E f′²: relu for every mean, the others for m = 0."""
