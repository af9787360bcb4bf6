"""Φ by a logistic: σ(βx)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms import find_form
from gelu_cli.forms.form import Form, Gated
from gelu_cli.forms.published.claims import Measure, PublishedSet, bound, constants, figure
from gelu_cli.forms.sigmoid import gate

SIGMOID = find_form("sigmoid")
SIX = Fraction(6)


def same_variance_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield the gate with β = π/√3."""
    return gate(a, x, a.pi / a.sqrt(a.rational(3)))


SETS = (
    PublishedSet(
        "quick_gelu",
        SIGMOID,
        "Hendrycks & Gimpel, arXiv:1606.08415; CLIP; the bound: MLX, gelu_fast_approx, "
        "since February 2024, left from β = 1.773",
        (bound("0.015", Measure("value", -SIX, SIX)),),
    ),
    PublishedSet(
        "mlx_2023_fast",
        constants(SIGMOID, beta="1.773"),
        "MLX, gelu_fast_approx, until February 2024 (github.com/ml-explore/mlx/pull/744)",
        (bound("0.015", Measure("value", -SIX, SIX)),),
    ),
    PublishedSet(
        "camilli_1994",
        constants(SIGMOID, beta="1.7"),
        "Camilli, J. Educational and Behavioral Statistics 19 (1994); the bound: Rasch "
        "Measurement Transactions 8:2",
        (bound("0.01", Measure("gate")),),
    ),
    PublishedSet(
        "same_variance",
        Form(
            name="same_variance",
            definition="x·σ(πx/√3): the logistic distribution with the variance 1",
            pieces=(Gated(same_variance_gate),),
            symmetric=True,
            source="Balakrishnan, Handbook of the Logistic Distribution, 1992",
        ),
        "Balakrishnan, Handbook of the Logistic Distribution, 1992, as Rasch Measurement "
        "Transactions 8:2 has it",
        (figure("0.023", Measure("gate")),),
    ),
    PublishedSet(
        "tocher_1963",
        find_form("sigmoid_taylor"),
        "Tocher, The Art of Simulation, 1963: Φ(x) ≈ σ(2kx), k = √(2/π)",
        measure=Measure("gate"),
    ),
)
