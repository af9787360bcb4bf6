"""Arrays, tensors and series: their numbers as float64s, and results in what held them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.arithmetic.formats import FORMATS, Format

TakenApart: TypeAlias = tuple[Array, Format, Callable[[Array], Any]]
"""Numbers as float64s in an array of any shape, their format, and what puts results back."""

REFUSED = ("cupy", "dask", "polars", "pyarrow", "tensorflow")


def taken_apart(x: Any) -> TakenApart:
    """Return the numbers that x holds, and what makes an x of results; integers are float64s.

    Raises TypeError for what holds no numbers of a known format.

    >>> points, number_format, put_back = taken_apart(np.float32([[1.5]]))
    >>> points.tolist(), number_format.name, put_back(2 * points)
    ([[1.5]], 'float32', array([[3.]], dtype=float32))
    """
    library = type(x).__module__.partition(".")[0]
    if library == "torch":
        return _tensor(x)
    if library in REFUSED:
        raise TypeError(f"gelu takes no {type(x).__name__} of {library}: convert it to numpy first")
    array = np.asarray(x)
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    number_format = _format(array.dtype.name)
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        points = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)

    def put_back(results: Array) -> Any:
        found = results.astype(array.dtype)
        if library == "pandas":
            labels = {"columns": x.columns} if x.ndim == 2 else {"name": x.name}
            return type(x)(found, index=x.index, **labels)
        if library in ("jax", "jaxlib"):
            import jax

            return jax.device_put(found, x.sharding)
        return found[()]

    return points, number_format, put_back


def _tensor(x: Any) -> TakenApart:
    """Take apart a tensor of PyTorch; no gradient flows through the result."""
    import torch

    whole = not (x.dtype.is_floating_point or x.dtype.is_complex)  # an integer or a boolean
    kept = torch.float64 if whole else x.dtype
    number_format = _format(str(kept).removeprefix("torch."))
    # numpy has no bfloat16 for PyTorch; every number of these formats is a float64.
    points = x.detach().cpu().to(torch.float64).contiguous().numpy()
    return points, number_format, lambda results: torch.from_numpy(results).to(kept).to(x.device)


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise TypeError(f"gelu takes {', '.join(FORMATS)} or integers, not {name}")
    return FORMATS[name]
