"""`gelu variance`: what a form makes of Gaussian inputs."""

from __future__ import annotations

from typing import Annotated

import typer

from gelu_cli.cli import options
from gelu_cli.cli.parser import SETTINGS, NumberCommand

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def variance(
    form: options.FormsOption = None,
    mean: Annotated[str, typer.Option(metavar="M", help="Mean of the inputs.")] = "0",
    sigma: Annotated[str, typer.Option(metavar="S", help="Standard deviation of them.")] = "1",
    momentum: Annotated[
        str | None,
        typer.Option(metavar="B", help="Add (1 − B)/(1 + B)·E f′², for a momentum average."),
    ] = None,
    samples: Annotated[
        str | None,
        typer.Option(metavar="N", help="Add a Monte-Carlo estimate of E f′² from N draws."),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="K", help="Seed of the draws. Default: 0.")
    ] = None,
    format_name: options.FormatOption = "auto",
    output: options.OutputOption = None,
    no_header: options.NoHeaderOption = False,
    digits: options.DigitsOption = None,
    quiet: options.QuietOption = False,
) -> None:
    """Moments for Gaussian inputs: E f′(X)², means, variances, gains.

    X ~ N(M, S²). Default forms: exact, tanh, sigmoid, relu, elu, silu, softplus. Three gains are
    in use and are not the same: 1/√Var f keeps the variance, 1/√E f² is He's, 1/√E f′² keeps the
    gradient's size.

    Examples:

      gelu variance

      gelu variance --form exact --sigma 2 --digits 30

      gelu variance --form exact --samples 1000000 --seed 1
    """
    from gelu_cli.answers.variance import DEFAULT_FORMS, moments
    from gelu_cli.cli.output.output import choose_output
    from gelu_cli.errors import UsageError

    target = choose_output(format_name, output, digits, no_header, quiet)
    if seed is not None and samples is None:
        raise UsageError("--seed is for --samples N; add it, or leave --seed out")
    target.write(
        moments(
            options.parse_forms(form or DEFAULT_FORMS),
            options.parse_finite(mean, "--mean"),
            options.parse_finite(sigma, "--sigma"),
            momentum=None if momentum is None else options.parse_finite(momentum, "--momentum"),
            samples=None
            if samples is None
            else options.parse_whole(samples, "--samples", 2, 10**9),
            seed=options.parse_whole("0" if seed is None else seed, "--seed", 0, 10**18),
            digits=target.digits,
        )
    )
