"""Print the tables of docs/frameworks.md: python tools/frameworks.py [DEVICE]

A library that is not installed has no rows; on a device, cuda, PyTorch and JAX alone have some.
"""

from __future__ import annotations

import importlib.metadata
import sys
from typing import Any

from gelu_cli import sweep
from gelu_cli.api.records import environment_of

HERE = "tools/frameworks.py"
ONNX = "docs/kernels/gelu_onnx.py"

ONE_INPUT = [
    (library, kernel, form, dtype)
    for library, kernel, form in (
        ("torch", "torch.nn.functional:gelu", "exact"),
        ("torch", "torch.nn.functional:gelu:approximate=tanh", "tanh"),
        ("jax", "jax.nn:gelu:approximate=false", "exact"),
        ("jax", "jax.nn:gelu", "tanh"),
        ("onnxruntime", f"{ONNX}:gelu", "exact"),
        ("onnxruntime", f"{ONNX}:gelu_tanh", "tanh"),
    )
    for dtype in ("bfloat16", "float16", "float32")
    if library != "onnxruntime" or dtype == "float32"
]
"""Library, kernel, form and format."""

GLUS = [
    (library, f"{HERE}:{library}_{name}:backend={library}", form)
    for library in ("torch", "jax")
    for name, form in (("geglu", "exact"), ("geglu_tanh", "tanh"), ("swiglu", "silu"))
]


def torch_geglu(gate: Any, up: Any) -> Any:
    """Multiply an exact GELU by the up."""
    import torch

    return torch.nn.functional.gelu(gate) * up


def torch_geglu_tanh(gate: Any, up: Any) -> Any:
    """Multiply the tanh form by the up."""
    import torch

    return torch.nn.functional.gelu(gate, approximate="tanh") * up


def torch_swiglu(gate: Any, up: Any) -> Any:
    """Multiply SiLU by the up."""
    import torch

    return torch.nn.functional.silu(gate) * up


def jax_geglu(gate: Any, up: Any) -> Any:
    """Multiply an exact GELU by the up."""
    import jax

    return jax.nn.gelu(gate, approximate=False) * up


def jax_geglu_tanh(gate: Any, up: Any) -> Any:
    """Multiply the tanh form by the up."""
    import jax

    return jax.nn.gelu(gate) * up


def jax_swiglu(gate: Any, up: Any) -> Any:
    """Multiply SiLU by the up."""
    import jax

    return jax.nn.silu(gate) * up


def main(device: str | None = None) -> None:
    """Measure and print."""
    print(environment_of([])["machine"])
    libraries = ("torch", "jax") if device else ("torch", "jax", "onnxruntime")
    for library in libraries:
        print(library, version(library) or "is not installed", file=sys.stderr)
    print(
        heading(
            "kernel", "format", "max ULP", "at x", "over 1 ULP", "wrong 0", "NaN, ∞", "noise ratio"
        )
    )
    for library, kernel, form, dtype in ONE_INPUT:
        if library in libraries and version(library):
            found = sweep(kernel, form=form, dtype=dtype, device=device)
            noise = "–" if found.noise_ratio is None else f"{found.noise_ratio:.3g}"
            least = "" if found.exhaustive == "yes" else "≥ "
            cells = f"{least}{found.max_ulp:.4g}", f"{found.max_ulp_x:.6g}"
            print(row(f"`{kernel}`", dtype, *cells, *counts(found), noise))
    print(heading("kernel", "over 1 ULP", "wrong 0", "NaN, ∞", "misrounded"))
    for library, kernel, form in GLUS:
        if version(library):
            how = {"dtype": "bfloat16", "intermediate": "bfloat16", "device": device}
            found = sweep(kernel, form=form, glu=True, **how)
            name = kernel.split(":")[1]
            print(row(f"`{name}`", *counts(found), f"{found.misrounded:,}"))


def version(library: str) -> str:
    """Read the version of a library; empty if it is not installed."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return ""


def counts(found: Any) -> list[str]:
    """Count large errors, and results of the wrong kind."""
    failed = found.wrong_nan + found.wrong_inf
    return [f"{each:,}" for each in (found.over_1_ulp, found.wrong_zero, failed)]


def heading(*names: str) -> str:
    """Begin a table."""
    return f"\n{row(*names)}\n|---|{'---:|' * (len(names) - 1)}"


def row(*cells: str) -> str:
    """Make a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(*sys.argv[1:])
