"""`gelu variance`: what a form makes of Gaussian inputs."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from gelu_cli.old.cli import options
from gelu_cli.old.cli.parameters import GIVEN, Given, number

if TYPE_CHECKING:
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.writing.destinations import Output


def variance(
    forms: list[Form] = options.forms(
        "exact", "tanh", "sigmoid", "relu", "elu", "silu", "softplus"
    ),
    mean: Fraction = options.mean("Mean of the inputs."),
    sigma: Fraction = options.sigma("Standard deviation of them."),
    momentum: Fraction | None = number(
        "--momentum", "B", "Add (1 − B)/(1 + B)·E f′², for a momentum average."
    ),
    samples: int | None = options.samples(2, "Add a Monte-Carlo estimate of E f′² from N draws."),
    seed: int | None = options.seed("Seed of the draws. Default: 0."),
    output: Output = options.output(),
    given: Given = GIVEN,
) -> None:
    """Moments for Gaussian inputs: E f′(X)², means, variances, gains.

    X ~ N(M, S²). Three gains are
    in use and are not the same: 1/√Var f keeps the variance, 1/√E f² is He's, 1/√E f′² keeps the
    gradient's size.

    Examples:

      gelu variance

      gelu variance --form exact --sigma 2 --digits 30

      gelu variance --form exact --samples 1000000 --seed 1
    """
    from gelu_cli.old.answers import variance as answer

    if samples is None:
        given.refuse("--seed", purpose="--samples N", remedy="add it")
    output.write(
        answer.variance(
            forms,
            mean,
            sigma,
            momentum=momentum,
            samples=samples,
            seed=seed or 0,
            digits=output.digits,
        )
    )
