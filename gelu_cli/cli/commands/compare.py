"""`gelu compare`: two kernels, input by input, or two records."""

from functools import partial
from typing import Annotated

from typer import Argument

from gelu_cli.cli import options
from gelu_cli.output.writer import Output

VIEWS = ("summary", "regions", "worst", "plot")

argument = partial(Argument, show_default=False, autocompletion=options.routine_names)
FIRST = "A kernel, as gelu sweep takes it, or a record (.json)."


def compare(
    a: Annotated[str | None, argument(metavar="A", help=FIRST)] = None,
    b: Annotated[str | None, argument(metavar="B", help="The other kernel or record.")] = None,
    exec: options.Exec = None,
    dtype: options.Dtype = "float32",
    result: options.Result = None,
    form: options.Form = "exact",
    quantity: options.Quantity = None,
    compute: options.Compute = None,
    backend: options.Backend = None,
    device: options.Device = None,
    kwarg: options.Kwarg = None,
    signature: options.Signature = None,
    timeout: options.Timeout = None,
    jobs: options.Jobs = None,
    range: options.Range = "-inf:inf",
    all: options.All = False,
    samples: options.Samples = None,
    seed: options.Seed = None,
    mean: options.Mean = "0",
    sigma: options.Sigma = "1",
    glu: options.Glu = False,
    packed: options.Packed = None,
    up_first: options.UpFirst = False,
    backward: options.Backward = False,
    up: options.Up = None,
    gate_limit: options.GateLimit = None,
    up_limit: options.UpLimit = None,
    up_offset: options.UpOffset = None,
    intermediate: options.Intermediate = None,
    ftz: options.Ftz = False,
    worst: options.Worst = "10",
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.PictureFile = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Two kernels: inputs at which results differ, and the nearer kernel.

    Both kernels are swept as by gelu sweep. Results differ if their bits differ; the kernel whose
    result is less far from the exact value is nearer. Two records are compared number by number.

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
