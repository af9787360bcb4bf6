"""Operations that are none of torch's own, and the forms that explain their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils._pytree import tree_leaves

from gelu_cli.formulas import all_forms
from gelu_cli.formulas.doubles import float64

FEWEST = 64
"""Fewer numbers name no form."""

SPREAD = 0.05
"""Least standard deviation of inputs that distinguish two forms: near 0 all are x/2."""

ULPS = 16
"""Largest error of a kernel that is taken for a form."""


class Opaque(dict[str, str]):
    """Names of operations, each with the form that its data show, or ""."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()

    def run(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Run an operation; at its first call compare results with forms."""
        name = str(func)
        self.calls[name] += 1
        if name in self:
            return func(*args, **kwargs)
        inputs = [each.clone() for each in floats((args, kwargs))]
        result = func(*args, **kwargs)
        outputs = [*floats(result), *floats((args, kwargs))]  # it may write into an argument
        named = (form_of(x, y) for x in inputs for y in outputs)
        self[name] = next(filter(None, named), "")
        return result

    def listed(self) -> str:
        """List the operations, how often they were called, and their forms."""
        return ", ".join(
            f"{name} × {self.calls[name]}" + (f" ({form} by its data)" if form else "")
            for name, form in self.items()
        )


def floats(values: Any) -> list[Tensor]:
    """List the tensors of numbers in arguments or results."""
    leaves = (each for each in tree_leaves(values) if isinstance(each, Tensor))
    return [each for each in leaves if each.is_floating_point()]


def form_of(x: Tensor, y: Tensor) -> str:
    """Name the form f with y = f(x), or y = f(gate)·up of a packed x; else ""."""
    if x.numel() < FEWEST:
        return ""
    results = y.double().cpu().numpy()
    ulp = torch.finfo(y.dtype).eps
    for packing, gate, up in parts(x.double().cpu().numpy(), results.shape):
        if not gate.std() >= SPREAD:
            continue
        for form in all_forms().values():
            expected = float64(form, "value", gate.ravel()).reshape(gate.shape) * up
            # The second term: sums such as 1 + erf lose the left tail.
            tolerance = ULPS * ulp * (np.abs(expected) + SPREAD * np.abs(up))
            if form.has_gate and (np.abs(results - expected) <= tolerance).all():
                return f"{form.name}{packing}"
    return ""


Array = NDArray[np.float64]


def parts(x: Array, shape: tuple[int, ...]) -> Iterator[tuple[str, Array, Array | float]]:
    """Yield the ways in which x may hold gates and ups of results of a shape."""
    half = x.shape[-1] // 2
    if x.shape == shape:
        yield "", x, 1.0
    elif x.shape == (*shape[:-1], 2 * shape[-1]):
        yield " × up", x[..., :half], x[..., half:]
        yield " × up, up first", x[..., half:], x[..., :half]
        yield " × up, interleaved", x[..., ::2], x[..., 1::2]
