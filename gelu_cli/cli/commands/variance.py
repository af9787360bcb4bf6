"""`gelu variance`: moments for Gaussian inputs."""

from typing import Annotated

from gelu_cli.cli import options
from gelu_cli.output.writer import Output

MOMENTUM = "Add (1 − B)/(1 + B)·E f′², the variance of a momentum average of gradients."


def variance(
    form: options.Forms = ["exact", "tanh", "sigmoid", "relu", "elu", "silu", "softplus"],
    mean: options.Mean = "0",
    sigma: options.Sigma = "1",
    momentum: Annotated[options.Text, options.option("--momentum", "B", MOMENTUM)] = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Moments of forms for Gaussian inputs: E f′(X)², means, variances, gains.

    Gains of weights: 1/√Var f keeps the variance of a signal, 1/√E f² (He's gain) keeps the
    second moment of a signal, 1/√E f′² keeps the second moment of a gradient.

    ```
    gelu variance
    gelu variance --form exact --sigma 2 --digits 30
    gelu variance --form relu,exact --mean 0.5 --momentum 0.9
    ```
    """
    out = Output(format, output, digits, quiet)

    from gelu_cli.api.variance import variance

    out.write(variance(form, mean, sigma, momentum=momentum, digits=out.digits))
