"""Find activations of a torch module by what they compute, not by names.

Below the dispatcher a probe of numbers accompanies each tensor through elementwise operations.
Where the probe has become the values of a form x·G(x), the tensor that it began at is a
pre-activation, and the result may be replaced.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
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
NEAR = 0.02
"""Largest distance of an activation from its form; 1.7 in place of 1.702 makes 0.001."""

MOST_ROOTS = 12
"""Tensors of one chain of elementwise operations that may be pre-activations."""

CASTS = {"_to_copy", "to", "clone", "detach", "alias", "lift_fresh"}
UNTAGGED = {"special_ndtr", "special_erfcx", "special_log_ndtr"}
"""Elementwise operations of torch 2.13 without `torch.Tag.pointwise`."""

TORCHS_OWN = {"aten", "prim", "prims"}
NOT_OF_PROBES = {"out", "dtype"}

GRADIENTS = (
    "gradients through a replaced activation would be those of the old one; write "
    "with torch.no_grad(), swapped(module, form): …"
)


class Site(NamedTuple):
    """An activation: its layer, its form, and its distance from the form."""

    layer: str
    form: Form
    off: float
    operation: str
    shape: tuple[int, ...]
    dtype: str


Replace = Callable[[Site, Tensor, Tensor], Tensor | None]
"""Makes another result from a pre-activation and the result, or None to keep this one."""


def writes(tensor: Tensor) -> int:
    """Count the writes into a tensor, also through its views."""
    return 0 if tensor.is_inference() else tensor._version


@dataclass(eq=False)
class Root:
    """A tensor at which a probe begins, and the writes into it so far."""

    tensor: Tensor
    version: int

    @property
    def intact(self) -> bool:
        """True if nothing has been written into the tensor since."""
        return writes(self.tensor) == self.version


Rows = dict[Root, Tensor]
"""A tensor as a function of earlier ones: of each its values where that one is the probe."""


@dataclass(eq=False)
class Trace:
    """Facts about a tensor, valid until the tensor is written again."""

    version: int
    rows: Rows
    own: Callable[[], Root | None] = lambda: None


@cache
def known() -> tuple[list[Form], Tensor]:
    """Tabulate the forms x·G(x) at the probe."""
    forms = [form for form in all_forms().values() if form.has_gate]
    values = [float64(form, "value", PROBE.numpy()) for form in forms]
    return forms, torch.from_numpy(np.array(values))


def nearest(rows: Rows) -> tuple[Root, Form, float] | None:
    """Find the row that is nearest to a form, the form and their distance.

    Of equals the last, which has gone through all clamps of the input.
    """
    if not rows or torch.bool in {row.dtype for row in rows.values()}:
        return None
    forms, table = known()
    off = (torch.stack([*rows.values()])[:, None] - table).abs().amax(-1)
    least, which = (each.tolist() for each in off.nan_to_num(nan=torch.inf).min(-1))
    row = min(reversed(range(len(least))), key=least.__getitem__)
    form = forms[which[row]]
    # relu is exact however it is written; clamp(min=1e-12) of a norm is not an activation.
    near = least[row] <= (0 if form.name == "relu" else NEAR)
    return ([*rows][row], form, least[row]) if near else None


@cache
def on_probes(operation: Any) -> Callable[..., Any] | None:
    """Look up an operation on probes; None if it is not elementwise."""
    name = operation._schema.name.partition("::")[2]
    if name in CASTS:
        return lambda tensor, *_, **__: tensor
    base = getattr(torch.ops.aten, name.removesuffix("_"), None)
    if base is None:
        return None
    overloads = [operation, *(getattr(base, each) for each in base.overloads())]
    if name not in UNTAGGED and all(torch.Tag.pointwise not in each.tags for each in overloads):
        return None
    return base if operation._schema.is_mutable else operation


class Watch(TorchDispatchMode):
    """A mode in which the activations of a module are found and replaced.

    Attributes
    ----------
    sites
        The activations that were found, by the name of their layer.
    opaque
        Names of operations outside ATen, which are not looked into.
    """

    def __init__(self, module: torch.nn.Module, replace: Replace | None = None) -> None:
        super().__init__()
        self.module, self.replace = module, replace
        self.sites: dict[str, Site] = {}
        self.opaque: set[str] = set()
        self.traces: Any = WeakIdKeyDictionary()
        self.inside: list[str] = []
        self.ordinals: Counter[str] = Counter()
        self.exits = ExitStack()

    def __enter__(self) -> Watch:
        """Name layers by hooks, let compiled code run eagerly, and watch."""
        if torch.is_grad_enabled():
            raise UsageError(GRADIENTS)
        self.exits.enter_context(torch.compiler.set_stance("force_eager"))
        for name, layer in self.module.named_modules():
            if not isinstance(layer, torch.jit.ScriptModule):  # takes no hooks once it is compiled
                begin = layer.register_forward_pre_hook(lambda *_, name=name: self._begin(name))
                end = layer.register_forward_hook(lambda *_: self._end(), always_call=True)
                self.exits.callback(begin.remove)
                self.exits.callback(end.remove)
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        """Remove the hooks."""
        super().__exit__(*error)
        self.exits.close()

    def _begin(self, name: str) -> None:
        if not self.inside:
            self.ordinals.clear()
        self.inside.append(name)

    def _end(self) -> None:
        self.inside.pop()

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run an operation; of an elementwise one follow the probes too."""
        kwargs = kwargs or {}
        if not (self.inside or isinstance(self.module, torch.jit.ScriptModule)):
            return func(*args, **kwargs)
        if func.namespace not in TORCHS_OWN:
            self.opaque.add(str(func))
            return func(*args, **kwargs)
        written: Any = None
        if func._schema.is_mutable:
            written = kwargs["out"] if "out" in kwargs else args[0]
        operation, call = on_probes(func), partial(func, *args, **kwargs)
        rows = self._follow(operation, args, kwargs) if operation else {}
        if found := nearest(rows):
            return self._activation(func, call, *found)
        for root in rows:
            if root.tensor is written:
                root.tensor = written.clone()
                root.version = writes(root.tensor)
        result = call()
        if isinstance(written, Tensor):
            self.traces.pop(written, None)
        if rows and (result is written or result is not args[0]):
            # A write is counted after this function has returned, in inference mode never.
            version = writes(result) + (result is written and not result.is_inference())
            if result.is_floating_point() or result.dtype == torch.bool:
                self.traces[result] = Trace(version, rows)
        return result

    def _activation(
        self, func: Any, call: Callable[[], Any], root: Root, form: Form, off: float
    ) -> Any:
        """Call the last operation of an activation, and replace its result."""
        if torch.is_grad_enabled():
            raise UsageError(GRADIENTS)
        layer = self.inside[-1] if self.inside else ""
        self.ordinals[layer] += 1
        ordinal = self.ordinals[layer]
        name = (layer or "(root)") + (f":{ordinal}" if ordinal > 1 else "")
        x = root.tensor
        site = Site(name, form, off, func._schema.name, tuple(x.shape), str(x.dtype)[6:])
        self.sites[name] = site
        if func._schema.is_mutable:
            x = x.clone()
        result = call()
        if self.replace and (new := self.replace(site, x, result)) is not None:
            result.copy_(new.reshape(result.shape))
        self.traces.pop(result, None)
        return result

    def _rows(self, tensor: Tensor) -> Rows:
        """Look up the probes of a tensor, with one that begins at it."""
        trace = self.traces.get(tensor)
        if trace is None or trace.version != writes(tensor):
            trace = self.traces[tensor] = Trace(writes(tensor), {})
        if not tensor.is_floating_point():
            return trace.rows
        if (own := trace.own()) is None:
            own = Root(tensor, writes(tensor))
            trace.own = weakref.ref(own)  # not to keep the tensor alive
        return {**trace.rows, own: PROBE}

    def _follow(
        self, operation: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Rows:
        """Apply an elementwise operation to the probes that all its tensors share."""
        inputs = [*args, *(value for key, value in kwargs.items() if key != "out")]
        known = {id(t): self._rows(t) for t in inputs if isinstance(t, Tensor) and t.numel() > 1}
        first, *others = known.values() or [{}]
        shared = [each for each in first if all(each in other for other in others)]
        roots = [each for each in shared if each.intact][-MOST_ROOTS:]
        if not roots:
            return {}

        def probe(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            if id(value) in known:
                return torch.stack([known[id(value)][each] for each in roots])
            constant = value.reshape(()).cpu()
            return constant.double() if constant.is_floating_point() else constant

        keywords = {key: probe(each) for key, each in kwargs.items() if key not in NOT_OF_PROBES}
        values = operation(*map(probe, args), **keywords)
        traced = isinstance(values, Tensor) and values.dtype in (torch.float64, torch.bool)
        return dict(zip(roots, values, strict=True)) if traced else {}
