"""A feed-forward block with random weights, whose output is computed with one form and another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.formulas import Form
from gelu_cli.old.network.gated import Ups, gated
from gelu_cli.old.network.sums import root_ratio
from gelu_cli.old.stages import tell
from gelu_cli.old.values.evaluate_arrays import quick_values

BLOCKS = 32
"""The least number of blocks, if the inputs allow, so that their spread is known."""

INPUTS = 512
"""Inputs of a block at most: weights, inputs and outputs stay in memory, however many there are."""

AT_ONCE = 1 << 18
"""Weights and pre-activations that are held at once, about: they fit a processor's caches."""

DIGITS, DIGITS_OF_ERROR = 10, 4
"""Digits that are returned: the last ones depend on how a machine adds up products."""


class Sampled(NamedTuple):
    """What a form changes in a random block, forward and backward, with standard errors."""

    relative_rms: float
    standard_error: float
    gradient_relative_rms: float
    gradient_standard_error: float


def sampled_change(
    forms: Sequence[Form],
    target: Form,
    mean: float,
    sigma: float,
    shape: tuple[int, int],
    samples: int,
    seed: int,
    ups: Ups | None = None,
) -> list[Sampled]:
    """Return the relative RMS change of a random block by each form g in place of `target`, f.

    The block is W₂·f(h) + b₂, h = W₁x + b₁, with `shape` (d, d_ff). Inputs have |x|² = d, as
    RMSNorm leaves them; W₁ has entries from N(0, sigma²/d) and b₁ is `mean`, so that
    h ~ N(mean, sigma²) over the weights; W₂ has entries from N(0, 1/d_ff). Forward it is
    √(Σ|W₂(g − f)|²/Σ|W₂f|²) at the output. Backward it is √(Σ|(g′ − f′)⊙u|²/Σ|f′⊙u|²), u = W₂ᵀδ, at
    the pre-activations, with δ from N(0, 1) at the output: there its expectation is that of
    √(E(g′ − f′)²/E f′²) for every shape. In a gated block f(h) is multiplied by c(Vx), V as W₁ and
    independent of it, and the gradient is that at both h and Vx.

    `samples` inputs, 2 or more, are shared by independent blocks, each with weights of its own, all
    the same for every form. The standard errors are the jackknife's over the blocks, so they
    include the weights' randomness. It is 0 ± 0 where no output differs; ∞, its error NaN, where no
    output of the target is left in float64. The draws are numpy's (PCG64, seeds spawned from
    `seed`).

    >>> from gelu_cli.old.formulas import find_form
    >>> pair = [find_form("sigmoid"), find_form("exact")]
    >>> sigmoid, same = sampled_change(pair, find_form("exact"), 0.0, 1.0, (16, 64), 2000, seed=1)
    >>> abs(sigmoid.relative_rms - 0.01058) < 4 * sigmoid.standard_error
    True
    >>> same
    Sampled(relative_rms=0.0, standard_error=0.0, gradient_relative_rms=0.0, \
gradient_standard_error=0.0)
    """
    count = max(min(BLOCKS, samples), -(-samples // INPUTS))
    root = np.random.SeedSequence(seed)
    squares = np.empty((count, 2, len(forms) + 1))
    for i in range(count):
        first, end = (samples * each // count for each in (i, i + 1))
        tell(f"{first:,} of {samples:,} inputs, random block {i + 1:,} of {count:,}")
        draws = np.random.default_rng(root.spawn(1)[0])
        squares[i] = _block(forms, target, mean, sigma, shape, end - first, draws, ups)
    forward, backward = (_ratios(squares[:, way]) for way in (0, 1))
    return [Sampled(*output, *gradient) for output, gradient in zip(forward, backward, strict=True)]


def _block(
    forms: Sequence[Form],
    target: Form,
    mean: float,
    sigma: float,
    shape: tuple[int, int],
    inputs: int,
    draws: np.random.Generator,
    ups: Ups | None = None,
) -> Array:
    """Return sums of squares, forward and backward: of the change by each form, of the target."""
    width, hidden = shape
    x = draws.standard_normal((inputs, width))
    x *= math.sqrt(width) / np.linalg.norm(x, axis=1, keepdims=True)
    upstream = draws.standard_normal((inputs, width))
    outputs = np.zeros((len(forms) + 1, inputs, width))
    backward = np.zeros(len(forms) + 1)
    most = max(1, AT_ONCE // (width + inputs))
    for start in range(0, hidden, most):
        units = min(most, hidden - start)
        first = draws.standard_normal((width, units)) / math.sqrt(width)  # W₁ᵀ for a sigma of 1
        second = draws.standard_normal((units, width)) / math.sqrt(hidden)  # W₂ᵀ
        h = mean + sigma * (x @ first)
        u = sigma * (x @ draws.standard_normal((width, units))) / math.sqrt(width) if ups else None
        back = np.tile(upstream @ second.T, 2 if ups else 1)
        f, slope = gated(quick_values(target, h), u, ups)
        outputs[-1] += f @ second
        backward[-1] += np.sum((slope * back) ** 2)
        for i, form in enumerate(forms):
            g, its_slope = gated(quick_values(form, h), u, ups)
            outputs[i] += (g - f) @ second
            backward[i] += np.sum(((its_slope - slope) * back) ** 2)
    return np.stack([np.sum(outputs**2, axis=(1, 2)), backward])


def _ratios(squares: Array) -> Iterator[tuple[float, float]]:
    """Yield the root of the ratio to the last column of each other one, and its standard error."""
    total = squares.sum(axis=0)
    without = total - squares
    count = len(squares)
    for i in range(squares.shape[1] - 1):
        ratio = root_ratio(total[i], total[-1])
        left_out = root_ratio(without[:, i], without[:, -1])
        error = math.nan
        if np.isfinite(left_out).all():
            error = math.sqrt((count - 1) / count * np.sum((left_out - left_out.mean()) ** 2))
        yield float(f"{ratio:.{DIGITS}g}"), float(f"{error:.{DIGITS_OF_ERROR}g}")
