"""GELU with erf, or Φ, by the approximations of Hastings in the handbook of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms import find_form
from gelu_cli.forms.erf_as import left_gate
from gelu_cli.forms.form import Form, Gated, Jet, one_minus
from gelu_cli.forms.published.claims import Measure, PublishedSet, bound, constants
from gelu_cli.forms.published.curves import decimals, kinks, polynomial

ERF_AS = find_form("erf_as")

QUARTIC = decimals("1 .278393 .230389 .000972 .078108")
SEXTIC = decimals("1 .0705230784 .0422820123 .0092705272 .0001520143 .0002765672 .0000430638")

FIVE = decimals(".319381530 -.356563782 1.781477937 -1.821255978 1.330274429")
THREE = decimals(".4361836 -.1201676 .9372980 0 0")


def mirrored(left: Jet) -> tuple[Gated, Gated]:
    """Return the pieces of a gate with G(x) + G(−x) = 1, from its left half."""
    return Gated(left), Gated(lambda a, x: one_minus(left(a, -x)))


def power_gate(below: tuple[Fraction, ...], n: int, a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield ½(1 − erf z) ≈ ½d(z)⁻ⁿ, z = −x/√2 ≥ 0, d a polynomial, with two derivatives."""
    slope = -1 / a.sqrt(a.rational(2))
    jet = polynomial(below)(a, slope * x)
    d = next(jet)
    power = (1 / d) ** n / 2
    yield power
    ratio = next(jet) / d
    yield -n * slope * power * ratio
    yield n * power * ((n + 1) * ratio**2 - next(jet) / d) / 2


def density_gate(
    p: Fraction, coefficients: tuple[Fraction, ...], a: Arithmetic, x: Real
) -> Iterator[Real]:
    """Yield φ(x)·(b₁t + … + b₅t⁵), t = 1/(1 − px), x ≤ 0: as `erf_as`, p·√2 and b·√(2/π)."""
    scale = a.sqrt(2 / a.pi)
    b = {f"a{n}": scale * a.rational(each) for n, each in enumerate(coefficients, 1)}
    return left_gate(a, x, a.sqrt(a.rational(2)) * a.rational(p), **b)


def own_form(name: str, definition: str, left: Callable[..., Iterator[Real]], source: str) -> Form:
    """Return a form of two halves that are mirror images, with a kink at 0."""
    return Form(
        name=name,
        definition=definition,
        pieces=mirrored(left),
        kinks_at=kinks(("0", "mean")),
        symmetric=True,
        source=source,
    )


def abramowitz_stegun(number: str) -> str:
    """Return the source of a formula of the handbook."""
    return f"Abramowitz & Stegun, Handbook of Mathematical Functions, 1964, {number}"


SEVERO = "Zelen & Severo, 1964: " + abramowitz_stegun("26.2.16")

SETS = (
    PublishedSet(
        "as_7_1_25",
        constants(
            ERF_AS, p="0.47047", a1="0.3480242", a2="-0.0958798", a3="0.7478556", a4="0", a5="0"
        ),
        abramowitz_stegun("7.1.25"),
        (bound("2.5e-5", Measure("erf")),),
    ),
    PublishedSet(
        "as_7_1_26", ERF_AS, abramowitz_stegun("7.1.26"), (bound("1.5e-7", Measure("erf")),)
    ),
    PublishedSet(
        "as_7_1_27",
        own_form(
            "as_7_1_27",
            "exact with erf z ≈ 1 − (1 + a₁z + … + a₄z⁴)⁻⁴",
            partial(power_gate, QUARTIC, 4),
            abramowitz_stegun("7.1.27"),
        ),
        abramowitz_stegun("7.1.27"),
        (bound("5e-4", Measure("erf")),),
    ),
    PublishedSet(
        "as_7_1_28",
        own_form(
            "as_7_1_28",
            "exact with erf z ≈ 1 − (1 + a₁z + … + a₆z⁶)⁻¹⁶",
            partial(power_gate, SEXTIC, 16),
            abramowitz_stegun("7.1.28"),
        ),
        abramowitz_stegun("7.1.28") + "; tract has it too",
        (bound("3e-7", Measure("erf")),),
    ),
    PublishedSet(
        "as_26_2_16",
        own_form(
            "as_26_2_16",
            "x·(1 − φ(x)·(b₁t + b₂t² + b₃t³)), t = 1/(1 + 0.33267x), for x ≥ 0",
            partial(density_gate, Fraction("0.33267"), THREE),
            SEVERO,
        ),
        SEVERO,
        measure=Measure("gate"),
    ),
    PublishedSet(
        "as_26_2_17",
        own_form(
            "as_26_2_17",
            "x·(1 − φ(x)·(b₁t + … + b₅t⁵)), t = 1/(1 + 0.2316419x), for x ≥ 0",
            partial(density_gate, Fraction("0.2316419"), FIVE),
            abramowitz_stegun("26.2.17"),
        ),
        abramowitz_stegun("26.2.17"),
        (bound("7.5e-8", Measure("gate")),),
    ),
)
