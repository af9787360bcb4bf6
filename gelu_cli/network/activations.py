"""Find, replace and compare the activations of a torch module.

A dispatch mode sees each operation of torch. Every tensor of floats is a root: the mode puts a
probe, a fixed vector of numbers, in the root's place, and applies elementwise operations also to
the probe. If the probe becomes the values of a form x·G(x), the root is a pre-activation, and the
result of the last operation is an activation, which may be replaced.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import is_dataclass
from functools import cache, partial
from pathlib import Path
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module, functional
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.weak import WeakIdKeyDictionary

from gelu_cli.errors import ComputationError, GeluError, UsageError, described
from gelu_cli.formulas import Form, all_forms
from gelu_cli.formulas.doubles import float64
from gelu_cli.kernels import call
from gelu_cli.numbers.arrays import evaluate_array
from gelu_cli.numbers.formats import Format

PROBE = torch.from_numpy(np.r_[-7:7:57j, -0.3, -0.011, 0.013, 0.37, 1.23, 2.71])  # on the CPU
GATED = [form for form in all_forms().values() if form.has_gate]
TABLE = torch.from_numpy(np.array([float64(form, "value", PROBE.numpy()) for form in GATED]))
"""GATED has the forms x·G(x); TABLE has for each of these forms a row of values at the probe."""

NEAR = 0.02  # an activation differs from its form by at most NEAR; sigmoid:beta=1.7 by 0.0003


class Site(NamedTuple):
    """An activation: layer, form, largest distance from the form, operation."""

    layer: str
    form: Form
    off: float
    op: str


Rows = dict[int, tuple[Tensor, Tensor]]
"""For a tensor, by the id of each root: the root, and the tensor's values if PROBE is the root."""


def nearest(rows: Rows) -> tuple[Tensor, Form, float] | None:
    """Find the root whose values are nearest to a form; None if all are far.

    Also return the form and the distance. If several roots are equally near, take the last, which
    is the activation's input after all clamps. Values of booleans are far from every form.
    """
    roots, values = zip(*reversed(rows.values()), strict=True)
    away = torch.stack(values)[:, None].add(TABLE, alpha=-1)  # sub() refuses booleans
    off = away.abs().amax(-1).nan_to_num(nan=torch.inf)
    row, which = divmod(int(off.argmin()), len(GATED))
    form, least = GATED[which], float(off[row, which])
    # Every way to write ReLU is exact; clamp(min=1e-12) of a norm is near ReLU, not an activation.
    return (roots[row], form, least) if least <= (0 if form.name == "relu" else NEAR) else None


@cache
def on_probes(operation: Any) -> Callable[..., Any] | None:
    """Look up the operation to apply to probes; None if it is not elementwise."""
    namespace, _, name = operation._schema.name.removesuffix("_").partition("::")
    if name in ("_to_copy", "to", "clone", "detach", "alias"):
        return lambda tensor, *_, **__: tensor
    packet = getattr(getattr(torch.ops, namespace), name, None)
    overloads = [getattr(packet, each) for each in packet.overloads()] if packet else []
    tagged = any(torch.Tag.pointwise in each.tags for each in overloads)
    return packet if tagged or name in ("special_ndtr", "leaky_relu") else None  # old torch: no tag


class Watch(TorchDispatchMode):
    """A mode in which the activations of a module are found and replaced.

    `replace` is a function of (site, pre-activation, result) that returns another result; None
    changes nothing. `sites` has the activations by name: the layer's name and, from the layer's
    second activation on, a number. `opaque` names operations outside ATen: activations inside such
    an operation are not found.
    """

    def __init__(self, replace: Callable[..., Tensor] | None) -> None:
        super().__init__()
        self.replace = replace
        self.sites: dict[str, Site] = {}
        self.opaque: set[str] = set()
        self.thread = get_ident()  # modes act in one thread, hooks in all
        self.counts = Counter[str]()  # activations by layer in a call
        self.inside: list[str] = []  # names of the layers that are being called
        self.traces: Any = WeakIdKeyDictionary()  # `Rows` by tensor

    def begin(self, layer: str, *_: Any) -> None:
        """Note that a layer is called."""
        if get_ident() != self.thread:
            raise ComputationError("layers called in other threads are not seen; use one thread")
        if not (self.inside or layer):  # a new call of the whole module
            self.counts.clear()
        self.inside.append(layer)

    def end(self, *_: Any) -> None:
        """Note that a layer has returned."""
        if get_ident() == self.thread:
            self.inside.pop()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation; if it is elementwise, apply it to the probes, too."""
        kwargs = kwargs or {}
        if not self.inside:
            return func(*args, **kwargs)
        if func.namespace not in ("aten", "prim", "prims"):
            self.opaque.add(str(func))
        rows, found = Rows(), None
        if operation := on_probes(func):
            with _disable_current_modes():  # an outer watch sees only the operation
                rows = self._follow(operation, args, kwargs)
                found = nearest(rows) if rows else None
        if func._schema.is_mutable:  # any tensor may have changed
            self.traces.clear()
            found = found and (found[0].clone(), *found[1:])
        result = func(*args, **kwargs)
        if found:
            with _disable_current_modes():
                self._replace(func._schema.name, *found, result)
        elif rows and (result.is_floating_point() or result.dtype == torch.bool):
            self.traces[result] = rows
        return result

    def _replace(self, op: str, x: Tensor, form: Form, off: float, result: Tensor) -> None:
        """Name an activation, and replace its result."""
        if torch.is_grad_enabled():
            raise UsageError("gradients would remain those of the old form; add torch.no_grad()")
        layer = self.inside[-1] or "(root)"
        self.counts[layer] += 1
        name = f"{layer}:{self.counts[layer]}".removesuffix(":1")
        site = self.sites[name] = Site(name, form, off, op)
        if self.replace:
            result.copy_(self.replace(site, x.reshape(result.shape), result))

    def _follow(self, operation: Any, args: Any, kwargs: Mapping[str, Any]) -> Rows:
        """Compute a result's rows, for the roots that all tensor operands share."""
        named = {key: each for key, each in kwargs.items() if key not in ("out", "dtype")}
        tensors = [each for each in (*args, *named.values()) if isinstance(each, Tensor)]
        rows = {id(each): self._rows(each) for each in tensors if each.numel() > 1}
        first, *others = rows.values() or [{}]
        roots = [key for key in first if all(key in each for each in others)][-12:]
        if not roots:
            return {}

        def probe(value: Any) -> Any:
            if id(value) in rows:
                return torch.stack([rows[id(value)][key][1] for key in roots])
            return value.reshape(()).cpu() if isinstance(value, Tensor) else value

        try:
            values = operation(*map(probe, args), **{k: probe(each) for k, each in named.items()})
            return {k: (first[k][0], y) for k, y in zip(roots, values.unbind(), strict=True)}
        except Exception:  # undefined in float64, or not elementwise
            return {}

    def _rows(self, tensor: Tensor) -> Rows:
        """Look up a tensor's rows; a tensor of floats is also its own root."""
        own = {id(tensor): (tensor, PROBE)} if tensor.is_floating_point() else {}
        return {**self.traces.get(tensor, {}), **own}


@contextmanager
def watching(module: Module, replace: Callable[..., Tensor] | None) -> Iterator[Watch]:
    """Watch the calls of a module in a with block; run compiled code eagerly."""
    watch, fused = Watch(replace), torch.backends.mha.get_fastpath_enabled()
    with ExitStack() as stack:
        torch.backends.mha.set_fastpath_enabled(False)  # nested tensors lack a shape
        stack.callback(torch.backends.mha.set_fastpath_enabled, fused)
        watch.inside += [""] * isinstance(module, torch.jit.ScriptModule)
        for name, layer in module.named_modules():
            if not isinstance(layer, torch.jit.ScriptModule):  # a compiled layer takes no hooks
                stack.enter_context(layer.register_forward_pre_hook(partial(watch.begin, name)))
                stack.enter_context(layer.register_forward_hook(watch.end, always_call=True))
        stack.enter_context(torch.compiler.set_stance("force_eager"))
        yield stack.enter_context(watch)


def replaced(swap: Any, layer: str, site: Site, x: Tensor, result: Tensor) -> Tensor:
    """Compute results of an activation by a swap.

    A swap is a form, a format to which the activation's form is rounded, or a float32 kernel.
    Results stay as they are at infinite and NaN inputs, in layers other than `layer` (unless
    `layer` is ""), and if the swap is the activation's own form.
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
    """Read tensors, given the path of a file; return other objects unchanged."""
    if not isinstance(value, str | Path):
        return value
    try:
        is_torch = str(value).endswith(".pt")
        return torch.load(value, weights_only=True) if is_torch else np.load(value)
    except Exception as error:
        fault, remedy = described(error).partition(". ")[0], "save tensors as .pt, .npy or .npz"
        raise UsageError(f"cannot read {value} ({fault}); {remedy}") from None


class Run(NamedTuple):
    """A call: the outputs, True if these are logits, the loss, the `Watch`."""

    outputs: Tensor
    logits: bool
    loss: float | None
    watch: Watch


def own(dtype: torch.dtype, value: Any) -> Any:
    """Copy a tensor, since a module may change it; convert floats to `dtype`."""
    if not isinstance(value, Tensor | np.ndarray):
        return value
    tensor = torch.as_tensor(value)
    return tensor.to(dtype=dtype if tensor.is_floating_point() else None, copy=True)


def as_module(value: Any) -> Module:
    """Return a torch module; raise UsageError for another object."""
    if not isinstance(value, Module):
        raise UsageError(f"{type(value).__name__} is not a torch module; give or return one")
    return value


def run(module: Module, batch: Any, labels: Any, dtype: str, replace: Any = None) -> Run:
    """Call a module once; `replace`, as in `Watch`, may change results.

    The module is called in evaluation mode, with parameters and inputs in the format `dtype`; a
    module in another format is copied. A batch is a tensor, a sequence of arguments or a mapping of
    keywords; arrays may take the place of tensors. Labels are integers, one for each row of logits,
    or None; rows with the label −100 are ignored.

    Raises ComputationError if the module fails or returns no numbers, or labels do not fit the
    outputs.
    """
    args, kwargs = ((), dict(batch)) if isinstance(batch, Mapping) else (batch, {})
    args, to = args if isinstance(args, list | tuple) else [args], getattr(torch, dtype)
    training = [each for each in module.modules() if getattr(each, "training", False)]
    try:
        args, kwargs = tree_map(partial(own, to), (args, kwargs))
        for each in training:
            each.training = False  # eval() is refused by exported modules
        if {each.dtype for each in module.parameters()} - {to}:
            module = deepcopy(module).to(to)
        cards = {each.device for each in module.parameters() if each.is_cuda}
        with torch.random.fork_rng(cards), torch.no_grad(), watching(module, replace) as watch:
            torch.manual_seed(0)  # the same draws for each swap
            returned = module(*args, **kwargs)
        get = returned.get if isinstance(returned, Mapping) else partial(getattr, returned)
        logits, loss = get("logits", None), get("loss", None)
        leaves = tree_leaves([logits, vars(returned) if is_dataclass(returned) else returned])
        found = [e for e in leaves if torch.is_tensor(e) and e.is_floating_point() and e.numel()]
        if not found:
            raise ComputationError("the model returned no floating-point numbers for this batch")
        # Scalars are skipped: the first output may be the loss.
        outputs = torch.atleast_2d(next((each for each in found if each.dim()), found[0])).double()
        if labels is not None:
            rows = torch.as_tensor(labels, device=outputs.device).flatten()
            rows = rows if rows.is_floating_point() else rows.long()  # torch refuses float labels
            loss = functional.cross_entropy(outputs.flatten(0, -2), rows)
        loss = None if loss is None else float(loss)
    except GeluError:  # the error of a kernel
        raise
    except Exception as error:
        raise ComputationError(f"model or loss failed in {dtype}: {described(error)}") from error
    finally:
        for each in training:
            each.training = True
    return Run(outputs, logits is not None or loss is not None, loss, watch)


def relative_rms(output: Tensor, reference: Tensor) -> float:
    """Compute √(mean (o − e)²/mean e²), o the output and e the reference."""
    return float((output.double() - reference).norm() / reference.double().norm())


def change(run: Run, reference: Run) -> dict[str, float]:
    """Measure how far a run is from a reference; kl and top1 need logits.

    Raises ComputationError if the outputs have different shapes.
    """
    o, e = run.outputs, reference.outputs
    if o.shape != e.shape:
        raise ComputationError(f"shapes of outputs differ: {[*e.shape]}, then {[*o.shape]}")
    rms = relative_rms(o, e)
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
    """Add a row: an activation, moments of its inputs, changes by the swaps."""
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
