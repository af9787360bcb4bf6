"""What swaps of activations change in the outputs of a torch model."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_cli.api.results import Answer, Real, Result, Results
from gelu_cli.errors import ComputationError, GeluError, UsageError, described
from gelu_cli.inputs.names import FormLike, each_of, to_format, to_forms
from gelu_cli.numbers.rounding import Decimals
from gelu_cli.output.renderers import to_short_text
from gelu_cli.output.tables import Cell, Table

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

    from gelu_cli.torch_models.changes import Swap
    from gelu_cli.torch_models.probe import Replace, Site, Watch

BELOW, ABOVE = 0.5, 2.0
"""Times the noise below and above which a verdict is `below` and `above`, not `at`."""

UNTRAINED = 0.9
"""Share of a constant's loss from which on a model counts as untrained."""

HEADINGS = {
    "relative_rms": "r", "sqnr_db": "dB", "max_change": "largest", "loss_change": "loss +",
    "times_noise": "r/noise",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Effect(Result):
    """The change of a model's outputs by a swap of its activations.

    Attributes
    ----------
    swap
        A form, a kernel, or a format that the model or its activations are rounded to.
    relative_rms
        r = √(mean (o − r)²/mean r²) of outputs o and those of the model as it is.
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
        `below` half the noise, `above` twice the noise, or `at` it.
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
    module: Module | str,
    batch: Any = None,
    *,
    labels: Any = None,
    form: FormLike | Sequence[FormLike] = ("tanh", "sigmoid"),
    kernel: Any = None,
    dtype: Any = "bfloat16",
    each: bool = False,
    digits: int | None = None,
) -> Results[Effect]:
    """Measure what swaps of activations change in the outputs of a model.

    Activations are found by what they compute, in eager mode. The model runs in float32, in
    evaluation mode, without gradients. The noise is the change by the whole model in `dtype`.

    Parameters
    ----------
    module
        A torch module, or FILE.py:LOADER, a function that returns a module, or one and a batch.
    batch
        What the module is called with: a tensor, a sequence, a mapping of keywords; or a file
        (.pt, .npy, .npz).
    labels
        Integers, one for each row of logits, or a file of them. A batch may have `labels` instead,
        of which the model computes its loss.
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
    >>> found = model(net, torch.randn(64, 8), form="tanh")
    >>> [(each.swap, each.verdict) for each in found][2:]
    [('tanh', 'below')]
    """
    from gelu_cli.torch_models import changes

    to = to_format(dtype)
    network = _network(module, batch, labels)
    named = [*map(_swap, to_forms(form)), *map(_swap, [] if kernel is None else each_of(kernel))]
    rounded = changes.by_rounding(f"activations in {to.name}", to)
    rows: list[dict[str, Any]] = []
    with changes.evaluating(network.module):
        survey = Survey([rounded, *named])
        reference, watch = network.run(survey)
        again, _ = network.run()
        if noise := network.noise(to.name, reference):
            rows.append({"swap": f"model in {to.name}", **noise})
        for swap in [rounded, *named]:
            rows.append({"swap": swap.name, **network.change(reference, swap)})
        for swap, layer in [(s, layer) for s in named for layer in watch.sites if each]:
            found = network.change(reference, swap, layer)
            rows.append({"swap": f"{swap.name} in {layer}", **found})
    for row in rows if noise else []:
        times = row["times_noise"] = row["relative_rms"] / (noise["relative_rms"] or float("nan"))
        row["verdict"] = "below" if times < BELOW else "above" if times > ABOVE else "at"
    effects = [Effect(**_rounded(row, digits)) for row in rows]
    ...
