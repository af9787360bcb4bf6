"""`gelu block`: changes of a feed-forward block by another form."""

from typing import Annotated

from typer import Option

from gelu_cli.cli import options
from gelu_cli.output.writer import Output

DTYPE = "Formats. r is divided by the rounding noise of each; the first decides the verdict."
SHAPE = "Widths of the block D → FF → D; adds the columns parameters and flops."


def block(
    form: options.Forms = ["tanh", "sigmoid", "silu", "relu"],
    target: options.Target = "exact",
    dtype: Annotated[
        list[str], options.option("--dtype", "FORMAT,...", DTYPE, options.format_names)
    ] = ["bfloat16", "float16", "float32"],
    mean: options.Mean = "0",
    sigma: options.Sigma = "1",
    shape: Annotated[options.Text, options.option("--shape", "D,FF", SHAPE)] = None,
    glu: Annotated[
        bool, Option("--glu", help="The block is gated, W₂·(F(W₁x)·Vx), Vx ~ N(0, S²).")
    ] = False,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Changes of a block by another form, relative to rounding noise.

    The block is W₂·f(h) + b₂, h = W₁x + b₁. If g replaces f, the output changes by
    r = √(E(g − f)²/E f²) of its RMS, for h ~ N(M, S²), weights W₂ of mean 0 and any widths.

    ```
    gelu block
    gelu block --form tanh --sigma 2 --dtype float16,bfloat16 --digits 12
    gelu block --glu --form tanh --shape 4096,11008
    ```
    """
    asked = options.asked(locals())
    out = Output(format, output, digits, quiet)

    from gelu_cli.api.block import block

    out.write(block(**asked, digits=out.digits))
