"""Changes of a torch model's outputs if its activations are replaced."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gelu_cli.api.questions import to_asked, to_kernels
from gelu_cli.api.results import Answer, Real, Result, Results
from gelu_cli.api.sweep import USUAL
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.inputs.names import FormLike, each_of, to_form, to_format, to_forms
from gelu_cli.kernels import Kernel
from gelu_cli.kernels.python_functions import attempted, look_up
from gelu_cli.numbers import Decimals
from gelu_cli.output.tables import Table

if TYPE_CHECKING:
    import torch

    from gelu_cli.network.activations import Site, Watch


@dataclass(frozen=True, kw_only=True)
class Effect(Result):
    """The change of a model's outputs by a swap of its activations.

    Attributes
    ----------
    swap
        Form or kernel in place of activations; or `model in FORMAT`, `activations in FORMAT`.
    relative_rms, sqnr_db
        r = √(mean (o − e)²/mean e²), −20·log₁₀ r; o are outputs with the swap, e without it.
    max_change, cosine
        Largest |o − e|; cosine similarity of o and e.
    kl, top1
        Mean KL divergence of the softmax; share of rows with the same largest logit. None if the
        outputs are not logits.
    loss_change
        Change of the loss; None without a loss.
    times_noise
        r/n, where n is the r of the whole model in `dtype`; NaN if n is 0 or NaN.
    verdict
        `below` if r/n ≤ ½, `at` if r/n ≤ 2, else `above`; None if r/n is NaN.
    """

    swap: str
    relative_rms: Real
    sqnr_db: Real
    max_change: Real
    cosine: Real
    kl: Real | None = None
    top1: Real | None = None
    loss_change: Real | None = None
    times_noise: Real | None = None
    verdict: str | None = None


def model(
    module: torch.nn.Module | str,
    batch: Any = None,
    *,
    labels: Any = None,
    form: FormLike | Sequence[FormLike] = ("tanh", "sigmoid"),
    kernel: Any = (),
    dtype: Any = "bfloat16",
    each: bool = False,
    digits: int | None = None,
) -> Results[Effect]:
    """Measure changes of a model's outputs by swaps of its activations.

    Activations are found by what they compute. The model runs in float32, eagerly, in evaluation
    mode, without gradients. The noise is the change if the model runs in `dtype`.

    Parameters
    ----------
    module
        A torch module, or `"FILE.py:LOADER"`, a function that returns the module alone or the pair
        (module, batch).
    batch
        Inputs of the module: a tensor or array, a sequence of arguments, a mapping of keywords, or
        a file with such inputs (.pt, .npy, .npz).
    labels
        Integers, one for each row of logits, or a file of integers. Without `labels` the loss is
        the `loss` that the model returns.
    form
        Forms that replace the activations in all layers.
    kernel
        Kernels that replace activations: functions of an array of x, or words as in `sweep`.
    dtype
        Format of the noise: the whole model runs in `dtype`; another run rounds only activations.
    each
        True to add a result for each swap in each single layer.
    digits
        Return decimals of `digits` significant digits instead of float64s.

    Raises
    ------
    UsageError
        If a name is unknown, a file cannot be read, or two swaps have one name.
    ComputationError
        If the model or its loss fails, no activation is found, or outputs are all 0 or not finite.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.GELU(), torch.nn.Linear(32, 8))
    >>> [(effect.swap, effect.verdict) for effect in model(net, torch.randn(64, 8))][2:]
    [('tanh', 'below'), ('sigmoid', 'above')]
    """
    if isinstance(module, str):
        loaded = attempted(look_up(module), f"'{module}'")
        pair = loaded if isinstance(loaded, tuple) and len(loaded) == 2 else (loaded, None)
        module, batch = pair[0], pair[1] if batch is None else batch
    from gelu_cli.network.activations import as_module, change, describe, replaced, run, tensors

    module, to = as_module(module), to_format(dtype)
    if batch is None:
        raise UsageError("there is no batch; return (module, batch), or add --batch FILE")
    swaps: list[Any] = [*to_forms(form), *_kernels([*each_of(kernel)])]
    named: dict[str, Any] = {f"activations in {to.name}": to} | {s.label: s for s in swaps}
    if len(named) <= len(swaps):
        raise UsageError("two swaps have one name; give kernels names of their own")
    rows: list[dict[str, Any]] = []
    run_in = partial(run, module, tensors(batch), tensors(labels))
    original = run_in("float32", partial(describe, named, rows))
    found, watch = _found(original.watch), original.watch
    outside = f"operations outside ATen were not looked into: {', '.join(sorted(watch.opaque))}"
    notes = [outside] * bool(watch.opaque)
    if broken := [row["layer"] for row in rows if row["finite"] < 1]:
        notes.append(f"pre-activations are not finite, first in layer {broken[0]}")
    if not 0 < original.outputs.square().mean() < math.inf:
        raise ComputationError("; ".join(["outputs are all 0, or not all finite", *notes]))
    asked = [(name, swap, "") for name, swap in named.items()]
    asked += [(f"{s.label} in {layer}", s, layer) for s in swaps for layer in watch.sites if each]
    changes = {f"model in {to.name}": change(run_in(to.name), original)}
    for name, swap, layer in asked:
        changes[name] = change(run_in("float32", partial(replaced, swap, layer)), original)
    noise = changes[f"model in {to.name}"]["relative_rms"]
    most, effects = {"below": 0.5, "at": 2.0, "above": math.inf}, list[Effect]()
    for name, numbers in changes.items():
        times = numbers["relative_rms"] / noise if noise else math.nan
        verdict = next((word for word in most if times <= most[word]), None)
        row = _rounded({**numbers, "times_noise": times}, digits)
        effects.append(Effect(swap=name, verdict=verdict, **row))
    summary = [*map(Result.to_dict, effects)]
    layers = [_rounded(row, digits) for row in rows]
    views = {
        "summary": partial(Table.of_rows, "Changes of the outputs", summary[0], summary),
        "layers": partial(Table.of_rows, "Activations, changed by swaps", layers[0], layers),
    }
    return Results(effects, Answer(views, words=[f"{found}."], notes=notes, found=found))


@contextmanager
def swapped(module: torch.nn.Module, form: Any) -> Iterator[Mapping[str, Site]]:
    """Replace the activations of a module by another form, within a block.

    Parameters
    ----------
    module
        A torch module. The module itself and calls of other modules are not changed.
    form
        The form, or a function of an array of pre-activations.

    Yields
    ------
    dict
        The activations found in all calls of the module so far, by layer.

    Raises
    ------
    UsageError
        If autograd is enabled in a call: gradients of replaced activations would be wrong.
    ComputationError
        If the module is called in another thread, or at the end no activation has been found.

    Examples
    --------
    >>> import torch
    >>> net, x = torch.nn.GELU(), torch.tensor([1.0, 2.0])
    >>> with torch.no_grad(), swapped(net, "sigmoid"):
    ...     net(x)
    tensor([0.8458, 1.9357])
    """
    from gelu_cli.network.activations import as_module, replaced, watching

    swap = _kernels([form])[0] if callable(form) else to_form(form)
    with watching(as_module(module), partial(replaced, swap, "")) as watch:
        yield watch.sites
    _found(watch)


def _found(watch: Watch) -> str:
    """Count activations by form and operation; raise if there is none."""
    if not watch.sites:
        hidden = ", ".join(sorted(watch.opaque))
        what = f"{hidden} may hide one" if hidden else "no torch operations compute a known form"
        raise ComputationError(f"no activation was found; {what}")
    counts = Counter(f"{each.form.name} ({each.op})" for each in watch.sites.values())
    return "Activations: " + ", ".join(f"{count} × {name}" for name, count in counts.items())


def _kernels(kernels: list[Any]) -> list[Kernel]:
    """Describe float32 kernels: functions, or words as in `sweep`."""
    return to_kernels(kernels, None, USUAL, to_asked(USUAL)) if kernels else []


def _rounded(row: Mapping[str, Any], digits: int | None) -> dict[str, Any]:
    """Round the floats of a row to `digits`; None keeps float64s."""
    to = Decimals(digits).from_float if digits else float
    return {name: to(cell) if isinstance(cell, float) else cell for name, cell in row.items()}
