"""Other results for activations, and the change of a network's outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.utils._pytree import tree_leaves, tree_map

from gelu_cli.errors import ComputationError, GeluError, UsageError, described
from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64
from gelu_cli.numbers.arrays import evaluate_array
from gelu_cli.numbers.formats import Format
from gelu_cli.torch_models.probe import Replace, Site, Watch

ROWS = 256
"""Rows of logits at a time: 100 MB of a vocabulary of 50,000."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Swap:
    """Other results for activations.

    Attributes
    ----------
    name
        Its name in answers.
    compute
        Makes results from the form of an activation and its finite pre-activations; None keeps
        those that are there.
    """

    name: str
    compute: Callable[[Form, Floats], Floats | None]

    def __call__(self, site: Site, x: Tensor, result: Tensor) -> Tensor | None:
        """Compute other results of a site; those of infinities and NaN stay."""
        h, new = (each.double().cpu().flatten().numpy() for each in (x, result))
        finite = np.isfinite(h)
        values = self.compute(site.form, h[finite])
        if values is None:
            return None
        new = new.copy()
        new[finite] = values
        return torch.from_numpy(new).to(result)


def by_form(form: Form) -> Swap:
    """Make the swap for a form; activations that compute it stay as they are."""

    def compute(own: Form, h: Floats) -> Floats | None:
        return None if form.function == own.function else float64(form, "value", h)

    return Swap(form.label, compute)


def by_rounding(to: Format) -> Swap:
    """Make the swap that rounds each activation's own form, correctly."""
    name = f"activations in {to.name}"
    return Swap(name, lambda own, h: evaluate_array(own, "value", h, to))


class Run(NamedTuple):
    """Outputs of a pass, True if they are logits, the loss, the watch."""

    outputs: Tensor
    logits: bool
    loss: float | None
    watch: Watch


class Network:
    """A module, and the arguments of its calls.

    Parameters
    ----------
    module, batch
        A torch module; a tensor, a sequence of arguments or a mapping of keywords.
    labels
        Integers, one for each row of logits, or None.
    dtype
        The format of parameters and inputs; a module that has another is copied.
    """

    def __init__(
        self, module: torch.nn.Module, batch: Any, labels: Tensor | None, dtype: torch.dtype
    ) -> None:
        held = [*module.parameters(), *module.buffers()]
        other = any(is_float(each) and each.dtype != dtype for each in held)
        try:
            self.module = deepcopy(module).to(dtype) if other else module
        except Exception as error:
            raise ComputationError(f"the model cannot be copied: {described(error)}") from error
        self.labels = labels
        named = isinstance(batch, Mapping)
        arguments = batch if isinstance(batch, list | tuple) else [batch] * (not named)
        self.inputs = tree_map(
            lambda value: value.to(dtype) if is_float(value) else value,
            (list(arguments), dict(batch) if named else {}),
        )

    def run(self, replace: Replace | None = None) -> Run:
        """Call the module once, with other results of its activations.

        Raises
        ------
        UsageError
            If labels do not fit the outputs.
        ComputationError
            If the module fails, or returns no floating-point tensor.
        """
        arguments, keywords = self.inputs
        with evaluating(self.module), Watch(self.module, replace) as watch:
            try:
                returned = self.module(*arguments, **keywords)
            except GeluError:  # of a kernel
                raise
            except Exception as error:
                raise ComputationError(f"the model failed: {described(error)}") from error
        # A loss, which models of transformers return first, is of few digits.
        outputs = next(filter(is_float, tree_leaves(getattr(returned, "logits", returned))), None)
        if outputs is None:
            raise ComputationError("the model returned no floating-point tensor")
        own = getattr(returned, "loss", None)
        loss = None if own is None else float(own)
        if self.labels is not None:
            loss = cross_entropy(outputs, self.labels)
        return Run(outputs, loss is not None or hasattr(returned, "logits"), loss, watch)


def is_float(value: object) -> bool:
    """Return True for floating-point tensors."""
    return isinstance(value, Tensor) and value.is_floating_point()


@contextmanager
def evaluating(module: torch.nn.Module) -> Iterator[None]:
    """Set a module to evaluation without gradients for a block."""
    training = [each for each in module.modules() if each.training]
    for each in training:
        each.training = False  # eval() is refused by exported modules
    try:
        with torch.no_grad():
            yield
    finally:
        for each in training:
            each.training = True


def cross_entropy(logits: Tensor, labels: Tensor) -> float:
    """Compute the mean loss of logits; negative labels do not count."""
    classes, shape = logits.shape[-1], tuple(logits.shape[:-1])
    if labels.shape != shape or labels.is_floating_point() or labels.max() >= classes:
        found = f"{str(labels.dtype)[6:]} of the shape {tuple(labels.shape)}"
        raise UsageError(f"labels are {found}; give integers below {classes} of the shape {shape}")
    rows = labels.flatten().long().clamp(min=-1).to(logits.device)
    return float(functional.cross_entropy(logits.double().flatten(0, -2), rows, ignore_index=-1))


def relative_rms(output: Tensor, reference: Tensor) -> float:
    """Compute √(mean (o − e)²/mean e²), e the reference, in float64."""
    o, e = output.double(), reference.double()
    return float(((o - e).square().mean() / e.square().mean()).sqrt())


def change(run: Run, reference: Run) -> dict[str, float]:
    """Measure how far a run is from a reference; kl and top1 are of logits."""
    o, e = (each.outputs.double().flatten() for each in (run, reference))
    rms = relative_rms(o, e)
    found = {
        "relative_rms": rms,
        "sqnr_db": -20 * math.log10(rms) if rms else math.inf,
        "max_change": float((o - e).abs().max()),
        "cosine": min(float(functional.cosine_similarity(o, e, dim=0)), 1.0),  # or NaN
    }
    if reference.logits:
        found |= change_of_logits(run.outputs.flatten(0, -2), reference.outputs.flatten(0, -2))
    if run.loss is not None and reference.loss is not None:
        found["loss_change"] = run.loss - reference.loss
    return found


def change_of_logits(output: Tensor, reference: Tensor) -> dict[str, float]:
    """Measure the mean divergence, and how often the largest logit stays."""
    divergence = same = 0.0
    for o, e in zip(output.split(ROWS), reference.split(ROWS), strict=True):
        log_q, log_p = o.double().log_softmax(-1), e.double().log_softmax(-1)
        divergence += float((log_p.exp() * (log_p - log_q)).sum())
        same += int((o.argmax(-1) == e.argmax(-1)).sum())
    return {"kl": max(divergence / len(output), 0.0), "top1": same / len(output)}


def describe(site: Site, x: Tensor, result: Tensor, swaps: Sequence[Swap]) -> dict[str, Any]:
    """Describe an activation, its inputs, and its changes by swaps."""
    finite = x[x.isfinite()].double()
    h = finite if len(finite) else x.double()
    row = {
        "layer": site.layer,
        "form": site.form.name,
        "off": site.off,
        "op": site.operation,
        "shape": "×".join(map(str, site.shape)),
        "dtype": site.dtype,
        "mean": float(h.mean()),
        "sd": float(h.std(correction=0)),
        "low": float(h.min()),
        "high": float(h.max()),
        "finite": len(finite) / x.numel(),
    }
    for swap in swaps:
        new = swap(site, x, result)
        row[swap.name] = 0.0 if new is None else relative_rms(new, result.flatten())
    return row
