"""Real pre-activations: their moments, and what another form changes in a block that has them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import Array, ulps
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.formulas import Form
from gelu_cli.old.network.gated import Ups, gated
from gelu_cli.old.network.noise import FINEST, Noise, nearest, rounded
from gelu_cli.old.network.sums import LEAST, Powers, Projection, root_ratio
from gelu_cli.old.stages import tell
from gelu_cli.old.values.evaluate_arrays import quick_values

DIGITS = 12
"""Significant digits that are returned: float64 sums lose three or four of their sixteen."""

MEAN_DIGITS = 15
"""Those of a mean, which is held as a difference from a number near it."""

HUNDREDTH = 100
"""Units for each one that is among the top 1%; at least one is."""

FAINTEST = 1e-12
"""What is sure of a norm, relative to that of the target: forms are computed so accurately."""

LARGEST, SMALLEST = 2.0**200, 2.0**-200
"""Fourth powers of larger numbers overflow, and those of smaller ones underflow."""


class Block(NamedTuple):
    """Some rows of pre-activations, `values` (rows × columns), and where they come from."""

    values: Array
    first: int
    """The number of the first of them among all rows, from 0."""

    shape: tuple[int, ...]
    """The array that they are part of, (…, columns), or (n,) of a single one; −1 is not known."""

    name: str
    """What the array is called."""

    def place(self, row: int, column: int) -> str:
        """Return where a number is, as Python writes it.

        >>> Block(np.zeros((2, 8)), 12, (4, 5, 8), "'h.npy'").place(1, 7)
        'h[2, 3, 7]'
        """
        if len(self.shape) < 2:
            index = [self.first + row] * len(self.shape)
        else:
            at = (self.first + row) * self.values.shape[1] + column
            index = [*map(int, np.unravel_index(at, self.shape))]
        return f"h[{', '.join(map(str, index))}]" if index else "h"


class Moments(NamedTuple):
    """Moments of numbers, each divided by n, not n − 1; kurtosis is 3 for a normal distribution.

    Skewness E(h − μ)³/σ³ and kurtosis E(h − μ)⁴/σ⁴ are NaN where the deviation σ is 0.
    """

    n: int
    mean: float
    deviation: float
    skewness: float
    kurtosis: float
    negative_share: float
    """The share below 0."""


class Unit(NamedTuple):
    """A hidden unit: its pre-activations, what a form changes there, and its share of all."""

    unit: int
    mean: float
    deviation: float
    negative_share: float
    relative_rms: float
    """√(Σd²/Σf²), both over the unit's own; ∞ where its f is 0 and d is not."""

    share: float
    """Its part of Σd² over all units; NaN where that is 0."""


class Change(NamedTuple):
    """What a form g changes, d = g − f, in the sample of pre-activations and in its units.

    The sample's ratios are those of sums over all numbers: relative_rms √(Σd²/Σf²), gain √(Σg²/Σf²)
    and 1 − cosine, 1 − Σgf/√(Σg²·Σf²), which is 0 where d is 0, and 1 where only one of f and g is.
    """

    relative_rms: float
    relative_rms_centred: float
    """√(Σ(d − m)²/Σf²), m the mean of d in its unit: b₂ can absorb W₂m."""

    gain: float
    one_minus_cosine: float
    gradient_relative_rms: float
    top_share: float
    """The part of Σd² in the 1% of the units, at least one, that have most; NaN where it is 0."""

    units: Sequence[Unit]
    """Those with the largest relative_rms, largest first."""


class Preactivations(NamedTuple):
    """The figures of pre-activations: their moments, and what forms and formats change there."""

    units: int
    moments: Moments
    changes: Sequence[Change]
    """What each form changes."""

    noises: Mapping[Format, Noise]
    """The rounding noise of each format in f, √(Σ(round(f) − f)²/Σf²)."""

    is_0: bool
    """Whether Σf² counts as 0, so that nothing is relative to it."""


def measured(
    blocks: Iterable[Block],
    forms: Sequence[Form],
    target: Form,
    formats: Sequence[Format] = (),
    largest: int = 10,
    ups: Ups | None = None,
) -> Preactivations:
    """Return moments of pre-activations, and what forms in place of `target`, and formats, change.

    `largest` is how many units are listed; with `ups` columns are gates and ups, and moments those
    of the gates. Returned are 12 significant digits, 15 of means, and none that is below 1e-12 of
    the target's norm: √Σd² is not better known. Squares whose sum is below 1e-280 count as 0.
    Raises `UsageError` for no numbers, for one that is not finite or beyond 2**200, and where all
    of them are within 2**-200 of 0.

    >>> from gelu_cli.old.formulas import find_form
    >>> h = np.array([[-1.0, 2.0], [0.0, -3.0]])
    >>> found = measured([Block(h, 0, (2, 2), "h")], [find_form("relu")], find_form("exact"))
    >>> found.moments.mean, found.moments.negative_share, found.changes[0].relative_rms
    (-0.5, 0.5, 0.084194865087)
    """
    origin, size = np.empty(0), 0.0
    halves: list[_Sums] = []  # of … 4, 2, 1 blocks: rounding errors grow with the logarithm alone
    for block in blocks:
        tell(f"{block.first:,} rows")
        size = max(size, _checked_size(block))
        h, u = ups.split(block.values) if ups else (block.values, None)
        origin = origin if halves else h[0].copy()
        sums = _Sums.of(h, u, origin, forms, target, formats, ups)
        while halves and halves[-1].blocks == sums.blocks:
            sums = halves.pop().merged(sums)
        halves.append(sums)
    if not halves:
        raise UsageError("there are no pre-activations")
    if 0 < size < SMALLEST:
        raise UsageError(
            f"all pre-activations are within {size!r} of 0: multiply them, e.g. by 2^200"
        )
    sums = reduce(lambda late, early: early.merged(late), reversed(halves))
    n, square = sums.powers.length * len(origin), np.array(sums.square)
    return Preactivations(
        len(origin),
        _moments(sums.powers.pooled(origin), int(np.sum(sums.negative))),
        [_change(three, sums, origin, largest) for three in sums.changes],
        {
            each: Noise(rounded(float(root_ratio(np.array(part), square))), beyond / n)
            for each, (part, beyond) in zip(formats, sums.rounding.tolist(), strict=True)
        },
        sums.square < LEAST,
    )


def _checked_size(block: Block) -> float:
    """Return the largest absolute value; raises `UsageError` for one that cannot be."""
    size = np.abs(block.values)
    if size.max() <= LARGEST:
        return float(size.max())
    row, column = np.argwhere(~(size <= LARGEST))[0].tolist()
    number = float(block.values[row, column])
    due = "within ±2^200" if math.isfinite(number) else "finite"
    raise UsageError(
        f"{block.name}: {block.place(row, column)} is {number!r}; pre-activations must be {due}"
    )


class _Sums(NamedTuple):
    """Sums over rows in every unit; powers are those of differences from a common origin."""

    blocks: int
    powers: Powers
    negative: NDArray[np.int64]
    changes: Sequence[Sequence[Projection]]
    """Three for each form g, d = g − f: d beside f, d beside 1, and g′ − f′ beside f′.

    In a gated block f stands for f·c(u), and f′ for both of its derivatives.
    """

    square: float
    """Σf²."""

    rounding: Array
    """For each format Σ(round(f) − f)², and how many f are beyond its largest number."""

    @classmethod
    def of(
        cls, rows: Array, second: Array | None, origin: Array, forms: Sequence[Form], target: Form,
        formats: Sequence[Format], ups: Ups | None,
    ) -> _Sums:  # fmt: skip
        """Return the sums over a block of rows of gates, and of ups."""
        h = np.ascontiguousarray(rows.T)  # so that each unit's numbers are added in pairs
        u = None if second is None else np.ascontiguousarray(second.T)
        values = quick_values(target, h)
        f, slope = gated(values, u, ups)
        stored = f
        if ups and ups.inner:
            once = nearest(ups.inner, values.value)
            stored, _ = gated(values._replace(value=once), u, ups)
        changes = []
        for form in forms:
            g, its_slope = gated(quick_values(form, h), u, ups)
            d = g - f
            pairs = (d, f), (d, np.ones_like(d)), (its_slope - slope, slope)
            changes.append([Projection.of(*pair) for pair in pairs])
        return cls(
            1,
            Powers.of(h - origin[:, None]),
            np.sum(h < 0, axis=1),
            changes,
            float(np.sum(f * f)),
            np.array([_rounded_off(each, f, stored) for each in formats]),
        )

    def merged(self, other: _Sums) -> _Sums:
        """Return the sums over the rows of both."""
        return _Sums(
            self.blocks + other.blocks,
            self.powers.merged(other.powers),
            self.negative + other.negative,
            [
                [*map(Projection.merged, *both)]
                for both in zip(self.changes, other.changes, strict=True)
            ],
            self.square + other.square,
            self.rounding + other.rounding,
        )


def _rounded_off(number_format: Format, f: Array, stored: Array) -> tuple[float, float]:
    """Return Σ(round(stored) − f)², and how many are rounded to more than the largest number.

    What is `stored` is f, or the product of a rounded factor. Of a format whose errors float64s
    cannot hold the sum is that which equally likely ones have.
    """
    number = nearest(number_format, stored)
    beyond = float(np.sum(np.abs(number) > number_format.largest))
    squares = (number - f) ** 2
    if number_format.precision > FINEST:
        squares = ulps(number_format, f) ** 2 / 12 + (stored - f) ** 2
    return float(np.sum(squares)), beyond


def _moments(powers: Powers, negative: int) -> Moments:
    """Return the moments of all numbers, from sums with one entry."""
    n = powers.length
    mean, second, third, fourth = (float(each[0]) for each in powers[1:])
    deviation = math.sqrt(second / n)
    skewness = third / n / deviation**3 if deviation else math.nan
    kurtosis = fourth / n / deviation**4 if deviation else math.nan
    two = _mean_and_deviation(mean, deviation)
    return Moments(n, *two, _kept(skewness, FAINTEST), _kept(kurtosis), _kept(negative / n))


def _change(three: Sequence[Projection], sums: _Sums, origin: Array, largest: int) -> Change:
    change, centred, slopes = three
    output, gradient = change.pooled(), slopes.pooled()
    whole, total = change.whole, output.whole
    n, relative = sums.powers.length, root_ratio(whole, change.square)
    share = whole / total if total[0] >= LEAST else np.full(len(whole), np.nan)
    highest = np.sort(share)[::-1][: max(1, len(share) // HUNDREDTH)]
    means, deviations = origin + sums.powers.mean, np.sqrt(sums.powers.second / n)
    parts = (total, output.square), (centred.rest.sum(keepdims=True), output.square)
    r, r_centred, slope = (
        _kept(float(root_ratio(*each)[0]), FAINTEST)
        for each in (*parts, (gradient.whole, gradient.square))
    )
    return Change(
        r,
        r_centred,
        *_gain_and_angle(output),
        slope,
        _kept(float(np.sum(highest))),
        [
            Unit(
                i,
                *_mean_and_deviation(float(means[i]), float(deviations[i])),
                _kept(int(sums.negative[i]) / n),
                _kept(float(relative[i]), FAINTEST),
                _kept(float(share[i])),
            )
            for i in np.argsort(-relative, kind="stable")[:largest].tolist()
        ],
    )


def _gain_and_angle(output: Projection) -> tuple[float, float]:
    """Return √(Σg²/Σf²) and 1 − cosine, g = (1 + slope)·f + e with Σf·e = 0.

    1 − cos = |e|²/(|g|·(|g| + (1 + slope)·|f|)), in which nothing cancels.
    """
    square, slope, rest = (float(each[0]) for each in output)
    if output.whole[0] < LEAST:
        return 1.0, 0.0
    if square < LEAST:
        return math.inf, 1.0
    along, across = 1 + slope, rest / square
    gain = math.hypot(along, math.sqrt(across))
    if gain < FAINTEST:
        return 0.0, 1.0
    angle = across / (gain * (gain + along)) if along > 0 else 1 - along / gain
    return _kept(gain, FAINTEST), _kept(angle, max(math.sqrt(angle), FAINTEST) * FAINTEST)


def _mean_and_deviation(mean: float, deviation: float) -> tuple[float, float]:
    return _kept(mean, deviation * FAINTEST, MEAN_DIGITS), _kept(deviation)


def _kept(x: float, least: float = 0.0, digits: int = DIGITS) -> float:
    """Return a number rounded to so many significant digits, and to a power of 10 over `least`."""
    kept = float(f"{x:.{digits - 1}e}")
    if not least or not math.isfinite(x):
        return kept
    return round(kept, math.floor(-math.log10(least)))
