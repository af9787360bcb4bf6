"""`gelu sweep`: how accurate kernels are, over every input."""

from typing import Annotated

from gelu_cli.cli import kernel_options as kernels
from gelu_cli.cli import options
from gelu_cli.output.writer import Output

VIEWS = kernels.VIEWS


def sweep(
    kernel: kernels.Kernels = None,
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
    max_ulp: kernels.MaxUlp = None,
    max_abs: kernels.MaxAbs = None,
    max_rel: kernels.MaxRel = None,
    baseline: kernels.Baseline = None,
    rtol: kernels.Rtol = None,
    atol: kernels.Atol = None,
    worst: kernels.Worst = "10",
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.PictureFile = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Errors of a kernel in ULP, over every input of a format.

    Each result is compared with the exact value y of the form: |got − y|/ulp(y), in units in the
    last place; a correctly rounded result has at most 0.5. Formats of 8 and 16 bits are swept
    whole, float32 with --all; otherwise errors are those of a sample.

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
