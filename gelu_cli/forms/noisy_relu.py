"""The mean of a ReLU whose input carries Gaussian noise."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import Direct, Form, Parameter
from gelu_cli.forms.gelu import normal_density, normal_distribution


def jet(a: Arithmetic, x: Real, sigma: Real) -> Iterator[Real]:
    """Yield E max(0, x + ε) = xΦ(x/σ) + σφ(x/σ) for ε ~ N(0, σ²), Φ(x/σ) and φ(x/σ)/σ.

    The two terms cancel in the negative tail, to 1/z² of their size at z = x/σ.
    """
    z = x / sigma
    distribution, density = normal_distribution(a, z), normal_density(a, z)
    yield x * distribution + sigma * density
    yield distribution
    yield density / sigma


FORMS = (
    Form(
        name="noisy_relu",
        definition="E max(0, x + ε) = x·Φ(x/σ) + σ·φ(x/σ), ε ~ N(0, σ²), σ = 1",
        pieces=(Direct(jet),),
        parameters=(Parameter("sigma", Fraction(1), sign=1),),
        source="the mean of a rectified normal variable; its derivative is Φ(x/σ)",
    ),
)
