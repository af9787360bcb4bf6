"""`gelu fit`: the best constants of a form."""

from typing import Annotated

from typer import Argument, Option

from gelu_cli.cli import options
from gelu_cli.output.progress import progress
from gelu_cli.output.writer import Output

VIEWS = ("summary", "points", "c", "python")


def fit(
    form: Annotated[
        str,
        Argument(
            metavar="FORM",
            autocompletion=options.form_names,
            help="A form with parameters; one that is set, as in tanh:a=0.8, keeps its value.",
        ),
    ],
    free: Annotated[
        list[str] | None,
        Option("--free", metavar="P,...", help="Parameters to fit. Default: c of tanh, else all."),
    ] = None,
    degree: Annotated[
        str | None,
        Option("--degree", metavar="N", help="Of polynomial: A and coefficients up to x^N."),
    ] = None,
    criterion: Annotated[
        str,
        Option(
            "--criterion",
            metavar="CRITERION",
            autocompletion=options.words("sup", "rms"),
            help="Make least: sup, the largest |error| on --range, or rms, √E error(X)².",
        ),
    ] = "sup",
    quantity: Annotated[
        str,
        Option(
            "--quantity",
            metavar="Q",
            autocompletion=options.words("value", "gradient", "gate"),
            help="What is fitted: value, gradient or gate.",
        ),
    ] = "value",
    range: options.Range = "-inf:inf",
    mean: options.Mean = "0",
    sigma: options.Sigma = "1",
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """The best constants of a form, with proof.

    Errors are those of the constants as printed. No constants have an error below lower_bound.

    ```
    gelu fit sigmoid --quantity gate
    gelu fit tanh --free a,c --digits 30
    gelu fit tanh --free a,c,d --range -4:4 --view points
    gelu fit polynomial --degree 7 --view c -o gelu.c
    gelu fit tanh --criterion rms --sigma 2
    gelu fit tanh --criterion rms --range -4:4
    ```
    """
    out = Output(format, output, digits, quiet, view, VIEWS)

    from gelu_cli.api.fit import fit

    with progress(quiet):
        best = fit(
            form,
            free or (),
            criterion=criterion,
            quantity=quantity,
            range=range,
            mean=mean,
            sigma=sigma,
            degree=degree,
            digits=out.digits,
        )
    out.write(best)
