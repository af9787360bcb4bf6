"""Find activations of a torch module by what they compute, not by names.

Below the dispatcher a probe of numbers accompanies each tensor through elementwise operations.
Where the probe has become the values of a form x·G(x), the tensor that it began at is a
pre-activation, and the result may be replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakIdKeyDictionary

from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form, all_forms
from gelu_cli.formulas.doubles import float64

PROBE = torch.tensor([*np.linspace(-7, 7, 57), -0.3, -0.011, 0.013, 0.37, 1.23, 2.71]).double()
GATED = [form for form in all_forms().values() if form.has_gate]
TABLE = torch.tensor(np.array([float64(form, "value", PROBE.numpy()) for form in GATED]))
"""The forms x·G(x), and their values at the probe."""

NEAR = 0.02
"""Largest distance of an activation from its form; 1.7 in place of 1.702 makes 0.001."""

CASTS = {"_to_copy", "to", "clone", "detach", "alias"}


class Site(NamedTuple):
    """An activation: its layer, its form, and its distance from the form."""

    layer: str
    form: Form
    off: float
    op: str


Rows = dict[int, tuple[Tensor, Tensor]]
"""A tensor as a function of roots, by their ids: the root, the values where it is the probe."""


def nearest(rows: Rows) -> tuple[Tensor, Form, float] | None:
    """Find the root that is nearest to a form, the form, the distance.

    Of equals the last, which has gone through all clamps of the input.
    """
    roots, values = zip(*reversed(rows.values()), strict=True) if rows else ((), ())
    if not rows or values[0].dtype == torch.bool:
        return None
    off = (torch.stack(values)[:, None] - TABLE).abs().amax(-1).nan_to_num(nan=torch.inf)
    row, which = divmod(int(off.argmin()), len(GATED))
    form, least = GATED[which], float(off[row, which])
    # relu is exact however it is written; clamp(min=1e-12) of a norm is not an activation.
    return (roots[row], form, least) if least <= (0 if form.name == "relu" else NEAR) else None


@cache
def on_probes(operation: Any) -> Callable[..., Any] | None:
    """Look up an operation on probes; None if it is not elementwise."""
    name = operation._schema.name.partition("::")[2].removesuffix("_")
    if name in CASTS:
        return lambda tensor, *_, **__: tensor
    packet = getattr(torch.ops.aten, name, None)
    overloads = [getattr(packet, each) for each in packet.overloads()] if packet else []
    tagged = any(torch.Tag.pointwise in each.tags for each in overloads)
    return packet if tagged or name == "special_ndtr" else None  # untagged in torch 2.13


class Watch(TorchDispatchMode):
    """A mode in which the activations of a module are found and replaced.

    Attributes
    ----------
    replace
        Makes another result from a site, its pre-activation and its result, or None.
    sites
        The activations that were found, by the name of their layer.
    opaque
        Names of operations outside ATen, which are not looked into.
    """

    def __init__(self, replace: Callable[..., Tensor] | None) -> None:
        super().__init__()
        self.replace = replace
        self.sites: dict[str, Site] = {}
        self.opaque: set[str] = set()
        self.inside: list[str] = []  # names of the layers that are being called
        self.traces: Any = WeakIdKeyDictionary()  # rows by tensor

    def begin(self, layer: str, *_: Any) -> None:
        """Note that a layer is called."""
        if not self.inside:
            self.sites.clear()
        self.inside.append(layer)

    def end(self, *_: Any) -> None:
        """Note that a layer has returned."""
        self.inside.pop()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation; of an elementwise one follow the probes too."""
        kwargs = kwargs or {}
        if not self.inside:
            return func(*args, **kwargs)
        if func.namespace not in ("aten", "prim", "prims"):
            self.opaque.add(str(func))
        rows = self._follow(func, args, kwargs)
        found = nearest(rows)
        if func._schema.is_mutable:  # what was known of any tensor may be no longer true
            self.traces.clear()
            found = found and (found[0].clone(), *found[1:])
        result = func(*args, **kwargs)
        if found:
            self._replace(func._schema.name, *found, result)
        elif rows and (result.is_floating_point() or result.dtype == torch.bool):
            self.traces[result] = rows
        return result

    def _replace(self, op: str, x: Tensor, form: Form, off: float, result: Tensor) -> None:
        """Name an activation, and replace its result."""
        if torch.is_grad_enabled():
            raise UsageError("gradients would be those of the old form; add torch.no_grad()")
        layer = self.inside[-1] or "(root)"
        ordinal = 1 + sum(each.partition(":")[0] == layer for each in self.sites)
        name = f"{layer}:{ordinal}".removesuffix(":1")
        site = self.sites[name] = Site(name, form, off, op)
        if self.replace:
            result.copy_(self.replace(site, x.reshape(result.shape), result))

    def _follow(self, func: Any, args: Any, kwargs: Mapping[str, Any]) -> Rows:
        """Apply an elementwise operation to the probes that all its tensors share."""
        operation = on_probes(func)
        named = {key: each for key, each in kwargs.items() if key not in ("out", "dtype")}
        tensors = [each for each in (*args, *named.values()) if isinstance(each, Tensor)]
        rows = {id(each): self._rows(each) for each in tensors if operation and each.numel() > 1}
        first, *others = rows.values() or [{}]
        roots = [key for key in first if all(key in each for each in others)][-12:]
        if not operation or not roots:
            return {}

        def probe(value: Any) -> Any:
            if id(value) in rows:
                return torch.stack([rows[id(value)][key][1] for key in roots])
            return value.reshape(()).cpu() if isinstance(value, Tensor) else value

        try:
            values = operation(*map(probe, args), **{k: probe(each) for k, each in named.items()})
            pairs = zip(roots, values.unbind(), strict=True)
            return {key: (first[key][0], value) for key, value in pairs}
        except Exception:  # of an operation that doubles lack, or that is not elementwise
            return {}

    def _rows(self, tensor: Tensor) -> Rows:
        """Look up the rows of a tensor, with one that begins at it."""
        own = {id(tensor): (tensor, PROBE)} if tensor.is_floating_point() else {}
        return {**self.traces.get(tensor, {}), **own}


@contextmanager
def watching(module: torch.nn.Module, replace: Callable[..., Tensor] | None) -> Iterator[Watch]:
    """Watch the calls of a module in a block; compiled code runs eagerly."""
    watch = Watch(replace)
    with ExitStack() as stack:
        watch.inside += [""] * isinstance(module, torch.jit.ScriptModule)
        for name, layer in module.named_modules():
            if not isinstance(layer, torch.jit.ScriptModule):  # takes no hooks once it is compiled
                stack.enter_context(layer.register_forward_pre_hook(partial(watch.begin, name)))
                stack.enter_context(layer.register_forward_hook(watch.end, always_call=True))
        stack.enter_context(torch.compiler.set_stance("force_eager"))
        yield stack.enter_context(watch)
