"""`gelu fit`: the best constants of a form."""

from typing import Annotated

from typer import Argument

from gelu_cli.cli import options
from gelu_cli.cli.options import Text, Texts, option, words
from gelu_cli.output.streams import progress
from gelu_cli.output.writer import Output

VIEWS = ("summary", "points", "c", "python")
CRITERION = "sup: the largest |error|. rms: √E error(X)², X uniform on --range, else X ~ N(M, S²)."
FREE = "Parameters to fit. Default: c of tanh; A,c1,c3,c5 of polynomial; else all."


def fit(
    form: Annotated[
        str,
        Argument(
            metavar="FORM",
            autocompletion=options.form_names,
            help="A form with parameters; a parameter that is set (tanh:a=0.8) keeps its value.",
        ),
    ],
    free: Annotated[Texts, option("--free", "P,...", FREE)] = None,
    degree: Annotated[
        Text, option("--degree", "N", "For polynomial: fit A and coefficients up to x^N.")
    ] = None,
    criterion: Annotated[
        str, option("--criterion", "CRITERION", CRITERION, words("sup", "rms"))
    ] = "sup",
    quantity: Annotated[
        str,
        option("--quantity", "Q", "value, gradient or gate.", words("value", "gradient", "gate")),
    ] = "value",
    range: options.Interval = "-inf:inf",
    mean: options.Mean = "0",
    sigma: options.Sigma = "1",
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """The best constants of a form, with a proof if there is one.

    error_fitted is the error with the constants as printed. If there is a lower_bound, no constants
    have an error below it.

    ```
    gelu fit sigmoid --quantity gate
    gelu fit tanh --free a,c --digits 30
    gelu fit tanh --free a,c,d --range -4:4 --view points
    gelu fit polynomial --degree 7 --view c -o gelu.c
    gelu fit tanh --criterion rms --sigma 2
    gelu fit tanh --criterion rms --range -4:4
    ```
    """
    asked = options.asked(locals())
    out = Output(format, output, digits, quiet, view, VIEWS)

    from gelu_cli.api.fit import fit

    with progress(quiet):
        best = fit(**asked, digits=out.digits)
    out.write(best)
