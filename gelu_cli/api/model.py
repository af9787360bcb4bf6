"""Changes of a torch model's outputs by swaps of activations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_cli.api.kernels import Named, parse_kernel
from gelu_cli.api.results import Answer, Real, Result, Results
from gelu_cli.errors import ComputationError, UsageError, described
from gelu_cli.inputs.names import FormLike, each_of, to_form, to_format, to_forms
from gelu_cli.kernels import FUNCTION, Kernel, call
from gelu_cli.kernels.finding import attempted, libraries_in, libraries_of, look_up
from gelu_cli.numbers import Decimals
from gelu_cli.output.tables import Table

if TYPE_CHECKING:
    import torch

    from gelu_cli.torch_models.effects import Swap
    from gelu_cli.torch_models.probe import Replace, Site, Watch

BELOW, ABOVE = 0.5, 2.0
"""Times the noise below and above which a verdict is `below` and `above`, not `at`."""

HEADINGS = {"relative_rms": "r", "times_noise": "r/noise", "loss_change": "loss change"}
MEANINGS = {
    "r": "√(mean (o − e)²/mean e²) of outputs o, and e of the model as it is, in float32",
    "r/noise": "r over that of the whole model in the format; below 0.5, above 2, else at it",
}
SCREEN = ("swap", "relative_rms", "times_noise", "kl", "top1", "loss_change", "verdict")


@dataclass(frozen=True, kw_only=True)
class Effect(Result):
    """The change of a model's outputs by a swap of its activations.

    Attributes
    ----------
    swap
        A form, a kernel, or a format that the model or its activations are rounded to.
    relative_rms
        r = √(mean (o − e)²/mean e²) of outputs o, and e of the model as it is.
    sqnr_db
        −20·log₁₀ r.
    max_change
        Largest change of an output.
    cosine
        Cosine similarity of all outputs.
    kl, top1
        Of logits: mean divergence of their softmax, and share of rows whose largest logit stays.
    loss_change
        Change of the loss; None without labels.
    times_noise
        r over that of the whole model in the format; None if that is not known.
    verdict
        `below` half the noise, `above` twice the noise, else `at`.
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
    """Measure what swaps of activations change in the outputs of a model.

    Activations are found by what they compute. The model runs in float32, eagerly, in evaluation
    mode, without gradients. The noise is what the whole model in `dtype` changes.

    Parameters
    ----------
    module
        A torch module, or FILE.py:LOADER, a function that returns a module, or one and a batch.
    batch
        What the module is called with: a tensor, a sequence of arguments, a mapping of keywords;
        or a file with them (.pt, .npy, .npz).
    labels
        Integers, one for each row of logits, or a file of them. Without them the loss is that
        which the model returns, if its batch has labels.
    form
        Forms that replace those of all activations.
    kernel
        Functions of an array of pre-activations, or words as for `sweep`.
    dtype
        Format of the noise, and of a row for activations that are correctly rounded to it.
    each
        Add each swap in each layer alone.
    digits
        Return decimals of `digits` significant digits instead of float64s.

    Raises
    ------
    UsageError
        If a name is unknown, or labels do not fit the outputs.
    ComputationError
        If the model fails, or no activation is found.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.GELU(), torch.nn.Linear(32, 8))
    >>> [(effect.swap, effect.verdict) for effect in model(net, torch.randn(64, 8))][2:]
    [('tanh', 'below'), ('sigmoid', 'above')]
    """
    if find_spec("torch") is None:
        raise UsageError("torch is not installed; python -m pip install torch")
    import torch

    from gelu_cli.torch_models.effects import Network, by_rounding, change, describe, relative_rms

    to = to_format(dtype)
    if isinstance(module, str):
        module, batch = _loaded(module, batch)
    inputs, marks = _read(batch), _read(labels)
    if not isinstance(module, torch.nn.Module) or not isinstance(marks, torch.Tensor | None):
        raise UsageError("give a torch module, and labels as one tensor or array of integers")
    network = Network(module, inputs, marks, torch.float32)
    swaps = [by_rounding(to), *map(_swap, to_forms(form)), *map(_swap_of_kernel, each_of(kernel))]
    layers: list[dict[str, Any]] = []
    reference = network.run(lambda site, x, result: layers.append(describe(site, x, result, swaps)))
    watch = reference.watch
    if not watch.sites:
        raise _nothing_found(watch)
    runs = {swap.name: network.run(swap) for swap in swaps}
    for swap, layer in product(swaps[1:], watch.sites if each else ()):
        runs[f"{swap.name} in {layer}"] = network.run(_within(layer, swap))
    notes, noise = [], None
    if watch.opaque:
        notes.append(f"operations outside ATen were not looked into: {_listed(watch.opaque)}")
    if broken := [row["layer"] for row in layers if row["finite"] < 1]:
        notes.append(f"pre-activations are not finite, first in {broken[0]}")
    if differ := relative_rms(network.run().outputs, reference.outputs):
        notes.append(f"two runs of the model differ by r = {differ:.2g}")
    try:
        rounded = Network(network.module, inputs, marks, getattr(torch, to.name)).run()
        runs = {f"model in {to.name}": rounded, **runs}
        noise = change(rounded, reference)["relative_rms"]
    except ComputationError as error:
        notes.append(f"the noise of {to.name} is unknown: {error}")
    effects = [_effect(name, change(run, reference), noise, digits) for name, run in runs.items()]
    return Results(effects, _answer(effects, layers, watch, notes, digits))


@contextmanager
def swapped(module: torch.nn.Module, form: Any) -> Iterator[Mapping[str, Site]]:
    """Replace the activations of a module within a block by another form.

    Parameters
    ----------
    module
        A torch module; it is not changed, and neither are calls of others.
    form
        The form, or a function of an array of pre-activations.

    Yields
    ------
    dict
        The activations that were found, by layer, once the module has been called.

    Raises
    ------
    UsageError
        If gradients are enabled: those through a replaced activation would be wrong.
    ComputationError
        At the end of the block, if no activation was found.

    Examples
    --------
    >>> import torch
    >>> net, x = torch.nn.GELU(), torch.tensor([1.0, 2.0])
    >>> with torch.no_grad(), swapped(net, "sigmoid"):
    ...     net(x)
    tensor([0.8458, 1.9357])
    """
    from gelu_cli.torch_models.probe import Watch

    with Watch(module, _swap_of_kernel(form) if callable(form) else _swap(form)) as watch:
        yield watch.sites
    if not watch.sites:
        raise _nothing_found(watch)


def _swap(form: FormLike) -> Swap:
    """Make the swap for a form."""
    from gelu_cli.torch_models.effects import by_form

    return by_form(to_form(form))


def _swap_of_kernel(kernel: Any) -> Swap:
    """Make the swap for a kernel of float32, as `sweep` takes them."""
    from gelu_cli.torch_models.effects import Swap

    label = getattr(kernel, "__name__", str(kernel))
    named = Named(label, kernel, FUNCTION) if callable(kernel) else parse_kernel(kernel)
    parts: Any = {"arguments": tuple(named.arguments.items()), **named.settings}
    loaded = Kernel(named.label, named.target, named.kind, "float32", "float32", **parts)
    if callable(kernel) and not libraries_of([kernel]) and len(libraries_in(kernel)) > 1:
        loaded = replace(loaded, backend="torch")  # of several the network's
    return Swap(named.label, lambda own, h: call(loaded, h.astype("float32")).astype("float64"))


def _within(layer: str, swap: Swap) -> Replace:
    """Restrict a swap to one layer."""
    return lambda site, x, result: swap(site, x, result) if site.layer == layer else None


def _loaded(word: str, batch: Any) -> tuple[torch.nn.Module, Any]:
    """Call FILE.py:LOADER; a batch of its own gives way to another."""
    found = attempted(look_up(word), f"'{word}'")
    module, *own = found if isinstance(found, tuple) else (found,)
    if batch is None and not own:
        raise UsageError(f"'{word}' returns no batch; add --batch FILE")
    return module, own[0] if batch is None else batch


def _read(value: Any) -> Any:
    """Read the tensors of a file; return any other object unchanged."""
    if not isinstance(value, str | Path):
        return value
    import numpy as np
    import torch

    try:
        if str(value).endswith(".pt"):
            return torch.load(value, weights_only=True)
        found = np.load(value)
        if isinstance(found, np.ndarray):
            return torch.from_numpy(found)
        return {name: torch.from_numpy(array) for name, array in found.items()}
    except Exception as error:
        raise UsageError(f"cannot read {value} ({described(error)}); save .pt or .npy") from None


def _nothing_found(watch: Watch) -> ComputationError:
    hidden = _listed(watch.opaque) or "none outside ATen; numpy may compute it"
    return ComputationError(f"no activation was found; operations that could hide one: {hidden}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _effect(
    name: str, found: Mapping[str, float], noise: float | None, digits: int | None
) -> Effect:
    """Compare a change with the noise."""
    times = verdict = None
    if noise and noise == noise:
        times = found["relative_rms"] / noise
        verdict = "below" if times < BELOW else "at" if times <= ABOVE else "above"  # or NaN
    numbers = {name: _rounded(cell, digits) for name, cell in found.items()}
    return Effect(swap=name, times_noise=_rounded(times, digits), verdict=verdict, **numbers)


def _rounded(cell: Any, digits: int | None) -> Any:
    """Round a number to digits; words stay."""
    return Decimals(digits).from_float(cell) if digits and isinstance(cell, float) else cell


def _answer(
    effects: Sequence[Effect],
    layers: Sequence[Mapping[str, Any]],
    watch: Watch,
    notes: Sequence[str],
    digits: int | None,
) -> Answer:
    """Make the views of effects, and count activations by form and operation."""
    counts = Counter((each.form.name, each.operation) for each in watch.sites.values())
    off = max(each.off for each in watch.sites.values())
    listed = ", ".join(f"{n} × {form} ({operation})" for (form, operation), n in counts.items())
    said = f"Activations: {listed}, at most {off:.1g} off the form"
    seen = [name for name in SCREEN if any(getattr(each, name) is not None for each in effects)]

    def summary(names: Sequence[str]) -> Table:
        rows = map(Result.to_dict, effects)
        return Table.of_rows("Changes of the outputs", names, rows, 1, HEADINGS, MEANINGS)

    def activations() -> Table:
        rows = [{name: _rounded(cell, digits) for name, cell in row.items()} for row in layers]
        return Table.of_rows("Activations, changed by swaps", rows[0], rows)

    views: dict[str, Callable[[], Table]] = {
        "summary": partial(summary, [each.name for each in fields(Effect)]),
        "layers": activations,
    }
    return Answer(
        views, words=[f"{said}."], screen=lambda: [summary(seen)], notes=notes, found=said
    )
