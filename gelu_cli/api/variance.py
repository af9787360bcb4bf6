"""Moments of forms for Gaussian inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gelu_cli.api.results import Answer, Real, Result, one_or_all
from gelu_cli.calculus.averages import closed_form, moments, normal
from gelu_cli.calculus.landmarks import negative_probability
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, to_forms
from gelu_cli.inputs.numbers import distribution, finite, normal_text, to_digits
from gelu_cli.numbers import rounding_to
from gelu_cli.output.tables import Table

FORMS = ("exact", "tanh", "sigmoid", "relu", "elu", "silu", "softplus")
HEADINGS = {
    "gradient_second_moment": "E f′²",
    "gradient_mean": "E f′",
    "gradient_variance": "Var f′",
    "mean": "E f",
    "second_moment": "E f²",
    "variance": "Var f",
    "gain_variance": "1/√Var f",
    "gain_second_moment": "1/√E f²",
    "gain_gradient": "1/√E f′²",
    "closed_form": "closed form of E f′²",
    "negative_probability": "P(f < 0)",
    "momentum_variance": "Var of momentum",
}


@dataclass(frozen=True, kw_only=True)
class Moments(Result):
    """Moments of f(X) and f′(X) for X ~ N(mean, sigma²).

    Attributes
    ----------
    gradient_second_moment, gradient_mean, gradient_variance
        E f′(X)², E f′(X) and Var f′(X).
    mean, second_moment, variance
        E f(X), E f(X)² and Var f(X).
    gain_variance, gain_second_moment, gain_gradient
        1/√Var f, 1/√E f² (He's gain) and 1/√E f′².
    closed_form
        E f′(X)² as a formula; None if no formula is known.
    negative_probability
        P(f(X) < 0).
    momentum_variance
        (1 − B)/(1 + B)·E f′², the variance of a momentum average of independent gradients f′(X)·δ
        with E δ = 0 and E δ² = 1; None without a momentum B.
    """

    form: str
    gradient_second_moment: Real
    gradient_mean: Real
    gradient_variance: Real
    mean: Real
    second_moment: Real
    variance: Real
    gain_variance: Real
    gain_second_moment: Real
    gain_gradient: Real
    closed_form: str | None
    negative_probability: Real
    momentum_variance: Real | None = None


def variance(
    form: FormLike | Sequence[FormLike] = FORMS,
    mean: Any = 0,
    sigma: Any = 1,
    *,
    momentum: Any = None,
    digits: int | None = None,
) -> Any:
    """Compute moments of f(X) and f′(X) for X ~ N(mean, sigma²).

    Parameters
    ----------
    form
        The form f, with parameters as in `"tanh:c=0.044"`; a list gives a list of results.
    mean, sigma
        Mean and standard deviation of X, numbers or strings such as `"1/3"`.
    momentum
        A number B, 0 ≤ B < 1, to add `momentum_variance`.
    digits
        Return decimals of `digits` significant digits instead of float64s.

    Returns
    -------
    Moments or Results[Moments]

    Raises
    ------
    UsageError
        If a name is unknown, sigma is not positive, or the momentum is not in [0, 1).

    Examples
    --------
    >>> found = variance("exact")
    >>> found.gradient_second_moment, found.closed_form
    (0.4558508656492871, '1/3 + 2/(3√3·π)')
    """
    inputs, to = distribution(mean, sigma), rounding_to(to_digits(digits))
    beta = None if momentum is None else finite(momentum, "--momentum")
    if beta is not None and not 0 <= beta < 1:
        raise UsageError(f"--momentum is {momentum}; give a number from 0 to below 1")
    found, of = [], normal(*inputs)
    for each in to_forms(form):
        columns: dict[str, Any] = moments(each, of, to, beta or 0)._asdict()
        columns["closed_form"] = closed_form(each, of)
        columns["negative_probability"] = negative_probability(each, *inputs, to)
        if beta is None:
            columns["momentum_variance"] = None
        found.append(Moments(form=each.label, **columns))
    names = ["form", *HEADINGS][: None if beta is not None else -1]

    def table() -> Table:
        title, said = "Moments of Gaussian inputs", {"inputs": f"X ~ {normal_text(*inputs)}"}
        return Table.of_rows(title, names, map(Result.to_dict, found), 1, HEADINGS, said)

    return one_or_all(form, found, Answer({"summary": table}))
