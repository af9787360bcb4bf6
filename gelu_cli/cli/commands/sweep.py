"""`gelu sweep`: errors of kernels, over every input."""

from typing import Annotated

from gelu_cli.cli import options
from gelu_cli.output.writer import Output

VIEWS = ("summary", "regions", "worst", "profile", "criteria", "plot")


def sweep(
    kernel: options.Kernels = None,
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
    max_ulp: options.MaxUlp = None,
    max_abs: options.MaxAbs = None,
    max_rel: options.MaxRel = None,
    baseline: options.Baseline = None,
    rtol: options.Rtol = None,
    atol: options.Atol = None,
    worst: options.Worst = "10",
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.PictureFile = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Errors of a kernel in ULP, over every input of a format.

    The error of a result is |got − y|/ulp(y), where y is the exact value of the form; the error of
    a correctly rounded result is at most 0.5 ULP. Formats of 8 and 16 bits are swept whole, float32
    only with --all; else a sample is measured.

    ```
    gelu sweep erf_sum --dtype bfloat16
    gelu sweep torch.nn.functional:gelu:approximate=tanh --form tanh --dtype bfloat16
    gelu sweep mykernel.py:gelu --dtype bfloat16 --max-ulp 2
    gelu sweep ./libkernel.so:gelu --all -o record.json
    gelu sweep mykernel.py:swiglu --glu --form silu --dtype bfloat16
    ```
    """
    asked = options.asked(locals())
    out = Output(format, output, digits, quiet, view, VIEWS, draws=True)
    criteria = True if view in ("criteria", "all") else None

    from gelu_cli.api.sweep import sweep
    from gelu_cli.output.streams import progress

    with progress(quiet) as covered:
        found = sweep(**asked, criteria=criteria, digits=out.digits, progress=covered)
    out.write(found)
