"""Other results for activations, and the change of a network's outputs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module, functional
from torch.utils._pytree import tree_leaves, tree_map

from gelu_cli.errors import ComputationError, GeluError, UsageError, described
from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64
from gelu_cli.kernels import call
from gelu_cli.network.probe import Site, Watch, watching
from gelu_cli.numbers.arrays import evaluate_array
from gelu_cli.numbers.formats import Format


def replaced(swap: Any, layer: str, site: Site, x: Tensor, result: Tensor) -> Tensor:
    """Compute results of an activation by a swap.

    A swap is a form, a format that the own form is rounded to, or a kernel of float32. Results of
    infinities and NaN stay, and those of other layers than `layer`; "" is all.
    """
    same = isinstance(swap, Form) and swap.function == site.form.function
    if same or layer not in ("", site.layer):
        return result
    finite, new = x.isfinite(), result.clone()
    h = x[finite].double().cpu().numpy()
    if isinstance(swap, Form):
        values = float64(swap, "value", h)
    elif isinstance(swap, Format):
        values = evaluate_array(site.form, "value", h, swap)
    else:
        values = call(swap, h.astype("float32"))
    new[finite] = torch.from_numpy(values).to(new)
    return new


def tensors(value: Any) -> Any:
    """Read the tensors of a file; return any other object unchanged."""
    if not isinstance(value, str | Path):
        return value
    try:
        if str(value).endswith(".pt"):
            return torch.load(value, weights_only=True)
        found = np.load(value)
        return tree_map(torch.from_numpy, dict(found) if isinstance(found, Mapping) else found)
    except Exception as error:
        raise UsageError(f"cannot read {value} ({described(error)}); save .pt or .npy") from None


class Run(NamedTuple):
    """Outputs of a call, True if they are logits, the loss, the activations."""

    outputs: Tensor
    logits: bool
    loss: float | None
    watch: Watch


def is_float(value: object) -> bool:
    """Return True for floating-point tensors."""
    return isinstance(value, Tensor) and value.is_floating_point()


def run(module: Module, batch: Any, labels: Any, dtype: torch.dtype, replace: Any = None) -> Run:
    """Call a module once, with other results of its activations.

    Parameters
    ----------
    module, batch
        A torch module, called in evaluation mode; a tensor, a sequence of arguments or a mapping
        of keywords.
    labels
        Integers, one for each row of logits, or None; −100 does not count.
    dtype
        The format of parameters and inputs; a module that has another is copied.
    replace
        Makes other results of an activation, or None.

    Raises
    ------
    ComputationError
        If the module fails, or labels do not fit its outputs.
    """
    inputs = dict(batch) if isinstance(batch, Mapping) else batch
    inputs = inputs if isinstance(inputs, dict | list | tuple) else [inputs]
    inputs = tree_map(lambda value: value.to(dtype) if is_float(value) else value, inputs)
    training = [each for each in module.modules() if each.training]
    try:
        for each in training:
            each.training = False  # eval() is refused by exported modules
        if {each.dtype for each in module.parameters()} - {dtype}:
            module = deepcopy(module).to(dtype)
        with torch.no_grad(), watching(module, replace) as watch:
            returned = module(**inputs) if isinstance(inputs, dict) else module(*inputs)
        # A loss, which models of transformers return first, is of few digits.
        leaves = tree_leaves(getattr(returned, "logits", returned))
        outputs = [each.double() for each in leaves if is_float(each)]
        if not outputs:
            raise ComputationError("the model returned no floating-point tensor")
        loss = getattr(returned, "loss", None)
        if labels is not None:
            rows = torch.as_tensor(labels).flatten().long()
            loss = functional.cross_entropy(outputs[0].flatten(0, -2), rows)
    except GeluError:  # of a kernel
        raise
    except Exception as error:
        raise ComputationError(f"the model failed in {dtype}: {described(error)}") from error
    finally:
        for each in training:
            each.training = True
    logits = loss is not None or hasattr(returned, "logits")
    return Run(outputs[0], logits, None if loss is None else float(loss), watch)


def relative_rms(output: Tensor, reference: Tensor) -> float:
    """Compute √(mean (o − e)²/mean e²), e the reference, in float64."""
    o, e = output.double(), reference.double()
    return float(((o - e).square().mean() / e.square().mean()).sqrt())


def change(run: Run, reference: Run) -> dict[str, float]:
    """Measure how far a run is from a reference; kl and top1 are of logits."""
    o, e, rms = run.outputs, reference.outputs, relative_rms(run.outputs, reference.outputs)
    found = {
        "relative_rms": rms,
        "sqnr_db": -20 * math.log10(rms) if rms else math.inf,
        "max_change": float((o - e).abs().max()),
        "cosine": min(float(functional.cosine_similarity(o.flatten(), e.flatten(), dim=0)), 1.0),
    }
    if reference.logits:
        q, p = (each.flatten(0, -2).log_softmax(-1) for each in (o, e))
        found["kl"] = max(float((p.exp() * (p - q)).sum(-1).mean()), 0.0)
        found["top1"] = float((q.argmax(-1) == p.argmax(-1)).double().mean())
    if run.loss is not None and reference.loss is not None:
        found["loss_change"] = run.loss - reference.loss
    return found


def describe(
    swaps: Mapping[str, Any], rows: list[dict[str, Any]], site: Site, x: Tensor, result: Tensor
) -> Tensor:
    """Add a row: an activation, its finite inputs, its changes by swaps."""
    finite = x[x.isfinite()].double()
    h = finite if len(finite) else x.double()
    row = site._asdict() | {"form": site.form.name}
    row |= {"shape": "×".join(map(str, x.shape)), "dtype": str(x.dtype)[6:]}
    row |= {"mean": float(h.mean()), "sd": float(h.std(correction=0))}
    row |= {"low": float(h.min()), "high": float(h.max()), "finite": len(finite) / x.numel()}
    for name, swap in swaps.items():
        row[name] = relative_rms(replaced(swap, "", site, x, result), result)
    rows.append(row)
    return result
