"""The functions that GELUs are made of, which people judge beside them: no forms of GELU."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.formulas.form import Direct, Form
from gelu_cli.old.formulas.gelu import gate, normal_density


def logistic(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield σ, σ′ = 1/(2 + eˣ + e⁻ˣ) and σ″ = σ′·(σ(−x) − σ(x)).

    With eˣ − 1 for eˣ, what σ′ is less than ¼ next to 0 has digits.
    """
    s, t = a.logistics(x)
    yield s
    slope = 1 / (4 + a.expm1(x) + a.expm1(-x))
    yield slope
    yield slope * (t - s)


def tanh(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield tanh x = 2σ(2x) − 1 with two derivatives."""
    jet = logistic(a, 2 * x)
    yield 2 * next(jet) - 1
    yield 4 * next(jet)
    yield 8 * next(jet)


def erf(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield erf x = 1 − erfc x with two derivatives."""
    yield 1 - a.erfc(x)
    slope = 2 * a.exp(-x * x) / a.sqrt(a.pi)
    yield slope
    yield -2 * x * slope


def normal_pdf(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield φ, φ′ = −xφ and φ″ = (x² − 1)·φ."""
    density = normal_density(a, x)
    yield density
    yield -x * density
    yield (x * x - 1) * density


FUNCTIONS = (
    Form("logistic", "σ(x) = 1/(1 + e⁻ˣ)", (Direct(logistic),), aliases=("expit",),
         used_by="PyTorch, JAX, Keras (sigmoid), SciPy (expit)"),
    Form("tanh_fn", "tanh x = (eˣ − e⁻ˣ)/(eˣ + e⁻ˣ)", (Direct(tanh),),
         used_by="every framework (tanh)"),
    Form("erf", "erf x = 2/√π·∫₀ˣ e^(−t²) dt; the GELU with it is exact", (Direct(erf),),
         used_by="every framework (erf)"),
    Form("Phi", "Φ(x) = ½·(1 + erf(x/√2)), the normal distribution function", (Direct(gate),),
         aliases=("ndtr", "normal_cdf"), used_by="PyTorch, JAX and SciPy (ndtr)"),
    Form("normal_pdf", "φ(x) = e^(−x²/2)/√(2π), the normal density", (Direct(normal_pdf),),
         used_by="JAX and SciPy (norm.pdf)"),
)  # fmt: skip
