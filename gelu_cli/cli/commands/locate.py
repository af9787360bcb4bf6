"""`gelu locate`: minima and inflection points."""

from gelu_cli.cli import options
from gelu_cli.output.writer import Output


def locate(
    form: options.Forms = ["exact"],
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Minima and inflection points of forms, each digit proved.

    ```
    gelu locate
    gelu locate --form exact,tanh,sigmoid --digits 30
    ```
    """
    out = Output(format, output, digits, quiet)

    from gelu_cli.api.locate import locate

    out.write(locate(form, digits=out.digits))
