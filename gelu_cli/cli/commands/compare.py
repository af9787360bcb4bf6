"""`gelu compare`: two kernels, input by input, or two records."""

from functools import partial
from typing import Annotated

from typer import Argument

from gelu_cli.cli import kernel_options as kernels
from gelu_cli.cli import options
from gelu_cli.output.writer import Output

VIEWS = ("summary", "regions", "worst", "plot")


argument = partial(Argument, show_default=False, autocompletion=options.routine_names)
FIRST = "A kernel, as gelu sweep takes it, or a record (.json)."


def compare(
    a: Annotated[str | None, argument(metavar="A", help=FIRST)] = None,
    b: Annotated[str | None, argument(metavar="B", help="The other kernel or record.")] = None,
    exec: kernels.Exec = None,
    dtype: kernels.Dtype = "float32",
    result: kernels.Result = None,
    form: kernels.Form = "exact",
    quantity: kernels.Quantity = None,
    compute: kernels.Compute = None,
    backend: kernels.Backend = None,
    device: kernels.Device = None,
    kwarg: kernels.Kwarg = None,
    signature: kernels.Signature = None,
    timeout: kernels.Timeout = None,
    jobs: kernels.Jobs = None,
    range: kernels.Range = "-inf:inf",
    all: kernels.All = False,
    samples: kernels.Samples = None,
    seed: kernels.Seed = None,
    mean: options.Mean = "0",
    sigma: options.Sigma = "1",
    glu: kernels.Glu = False,
    packed: kernels.Packed = None,
    up_first: kernels.UpFirst = False,
    backward: kernels.Backward = False,
    up: kernels.Up = None,
    gate_limit: kernels.GateLimit = None,
    up_limit: kernels.UpLimit = None,
    up_offset: kernels.UpOffset = None,
    intermediate: kernels.Intermediate = None,
    ftz: kernels.Ftz = False,
    worst: kernels.Worst = "10",
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.PictureFile = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Two kernels: inputs that differ, and the nearer kernel.

    Both are swept as by gelu sweep. Results differ if their bits do; of two that differ, the one
    whose distance from the exact value is smaller is nearer. Two records are compared number by
    number.

    ```
    gelu compare erf_sum erfc --dtype bfloat16
    gelu compare erf_sum erf_sum:compute=float32 --dtype bfloat16
    gelu compare erfc mykernel.py:gelu --dtype bfloat16 --view plot
    gelu compare --exec ./old --exec ./new --dtype bfloat16
    gelu compare old.json new.json
    ```
    """
    asked = options.asked(locals())
    out = Output(format, output, digits, quiet, view, VIEWS, draws=True)

    from gelu_cli.api.compare import compare
    from gelu_cli.output.streams import progress

    with progress(quiet) as covered:
        found = compare(**asked, digits=out.digits, progress=covered)
    out.write(found)
