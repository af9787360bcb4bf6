"""Closed forms of E f′(X)² for X ~ N(m, s²)."""

from __future__ import annotations

from fractions import Fraction

from gelu_cli.formulas import Form

KNOWN = {
    "relu": "1/2",
    "exact": "1/3 + 2/(3√3·π)",
    "elu": "1/2 + e^2·Φ(−2)",
    "noisy_relu": "1/3",
}
"""E f′(X)² for N(0, 1): P(X > 0); E(Φ + Xφ)² by E Φ² = 1/3 (Sheppard 1899) and Stein's lemma;
P(X > 0) + E[e^(2X); X < 0]; E Φ²."""


def closed_form(form: Form, mean: Fraction, sigma: Fraction) -> str | None:
    """Return the closed form of E f′(X)², X ~ N(mean, sigma²), if known.

    >>> from gelu_cli.formulas import find_form
    >>> closed_form(find_form("relu"), Fraction(1), Fraction(3))
    'Φ(1/3)'
    """
    if form.name == "relu" and mean:
        return f"Φ({mean / sigma})".replace("-", "−")
    known = form.name == "relu" or (mean == 0 and sigma == 1 and not form.chosen)
    return KNOWN.get(form.name) if known else None
