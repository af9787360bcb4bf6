"""What a sweep finds of a function in other surroundings: inputs whose results change, judged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, held, ordinals, to_bits
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.environment import standard_environment
from gelu_cli.old.guests.conduct import bits_differ
from gelu_cli.old.guests.surroundings import Places, Results, Seen
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.inputs import (
    Inputs,
    Stretch,
    Unit,
    numbers_at,
    sample,
    some_pairs,
    unit_size,
)
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.unit_judge import Around
from gelu_cli.old.sweeping.verdict import Changed

MOST = 1 << 21
"""So many inputs are seen again in blocks; of more than that, a sample of half as many."""

FEW = 1 << 16
"""So many of them are seen again in calls of each length."""

BESIDE = 2
"""So many neighbours of the worst inputs, on either side, are among them."""

SAID = 3
"""So many different failures are told."""


class Changes:
    """The inputs whose results depend on the surroundings, and how far off these results are."""

    @standard_environment()
    @np.errstate(all="ignore")  # a signalling NaN is a NaN
    def __init__(
        self, name: str, question: Question, x: Floats, seen: Seen, *, keep: int, ftz: bool
    ) -> None:
        self._x, *ups = x.reshape(-1, x.shape[-1])[:, seen.places].astype(np.float64)
        self._up = ups[0] if ups else np.ones_like(self._x)
        self._seen = seen
        self._order = _largest_first(question.result, seen)
        # Of several results at an input the lowest or the highest has the largest error.
        extremes = (seen.low, seen.high, _nans(seen))
        at, got, *seconds = (
            np.concatenate([part[each.tried >= 0].astype(np.float64) for each, part in parts])
            for parts in (
                [(each, self._x) for each in extremes],
                [(each, each.got) for each in extremes],
                *([(each, up) for each in extremes] for up in ups),
            )
        )
        self.judged = check_results(
            name, question, at, got, *seconds, exhaustive=False, keep=keep, ftz=ftz
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self._x)

    def largest(self, most: int | None) -> list[Changed]:
        """Return so many of the changes, or all, the largest first."""
        seen, order = self._seen, self._order[:most]
        columns = (
            self._x[order].tolist(),
            [seen.tried[number] for number in seen.first.tried[order].tolist()],
            seen.first.got[order].tolist(),
            seen.usual[order].tolist(),
            self._up[order].tolist(),
        )
        return [Changed(*row) for row in zip(*columns, strict=True)]

    def shape_of(self, x: float, got: float, up: float = 1.0) -> str:
        """Return the surrounding in which the function has returned a result that was judged."""
        pairs = (self._x, x), (self._up, up)
        others = [bits_differ(column, np.full_like(column, one)) for column, one in pairs]
        at = np.flatnonzero(~(others[0] | others[1]))
        for each in (self._seen.low, self._seen.high, _nans(self._seen)):
            gave = each.got[at].astype(np.float64)
            same = (each.tried[at] >= 0) & ~bits_differ(gave, np.full_like(gave, got))
            if same.any():
                return self._seen.tried[int(each.tried[at][same][0])]
        raise LookupError(f"no surrounding gave {got!r} at {x!r}")


def _nans(seen: Seen) -> Results:
    return Results(np.full_like(seen.usual, np.nan), seen.nan)


def _largest_first(number_format: Format, seen: Seen) -> Places:
    """Return the order of changes by how many numbers they skip; infinite ones and NaN first."""
    one, other = (
        ordinals(number_format, np.nan_to_num(each.astype(np.float64))).astype(np.float64)
        for each in (seen.first.got, seen.usual)
    )
    size = np.abs(one - other)
    size[~np.isfinite(seen.first.got) | ~np.isfinite(seen.usual)] = np.inf
    order: Places = np.argsort(-size, kind="stable")
    return order


def inputs_around(
    place: int, number_format: Format, units: Sequence[Unit], inputs: Inputs, worst: Array
) -> Around:
    """Return what is seen again of a sweep: all of its inputs, or some, the worst among them.

    These are rows: x and the second input of each.
    """
    total = sum(map(unit_size, units))
    if inputs.ups:
        x = some_pairs(units, total if total <= MOST else MOST // 2, inputs.seed)
    elif total <= MOST and not isinstance(units[0], Stretch):
        x = np.concatenate([unit for unit in units if not isinstance(unit, Stretch)])
    else:
        x = sample(number_format, MOST // 2, inputs.seed, inputs.low, inputs.high)
    bad = _with_neighbours(number_format, worst, inputs)
    bad = bad if inputs.ups else bad[0]
    x = np.concatenate([x, bad[..., ~np.isin(_keys(bad), _keys(x))]], axis=-1)
    count = x.shape[-1]
    few = np.arange(count)
    if count > FEW:
        spread = np.linspace(0, count - 1, FEW).astype(np.int64)
        few = np.union1d(spread, np.flatnonzero(np.isin(_keys(x), _keys(bad))))
    return Around(place, held(number_format, x), few)


def _keys(x: Array) -> Any:
    """Return one number for each input, of pairs a complex one."""
    return x if x.ndim == 1 else x[0] + 1j * x[1]


def _with_neighbours(number_format: Format, worst: Array, inputs: Inputs) -> Array:
    """Return inputs and those beside them, in the range, each with its second one."""
    x, ups = to_bits(number_format, worst.reshape(-1, 2).T).astype(np.int64)
    steps = np.arange(-BESIDE, BESIDE + 1)
    near = np.unique([np.add.outer(x, steps).ravel(), np.repeat(ups, len(steps))], axis=1)
    mask = (1 << number_format.width) - 1 if number_format.width < 64 else -1
    pairs = numbers_at(number_format, (near & mask).astype(np.uint64))
    inside = (inputs.low <= pairs[0]) & (pairs[0] <= inputs.high)
    return pairs[:, inside & np.isfinite(pairs).all(axis=0)]


def notes_of(changes: Changes, asked: Around, seen: Seen) -> list[str]:
    """Return what there is to say, a sentence each."""
    return [*filter(None, (_found(changes, asked, seen), _refused(seen)))]


def _found(changes: Changes, asked: Around, seen: Seen) -> str:
    total, judged = asked.x.shape[-1], changes.judged
    failed = "with a wrong NaN or infinity"
    off = failed if judged.failures else f"up to {judged.max_ulp:.6g} ULP"
    if seen.changing:
        return (
            f"its results change from call to call, at {seen.changing:,} of {total:,} inputs in "
            f"full blocks, {off}: see --view shapes; whether they depend on the surroundings "
            "cannot be told"
        )
    lengths = sum(name.startswith("length ") for name in seen.tried)
    others = len(seen.tried) - lengths
    asked_in = f"{total:,} inputs were seen in {others} other surrounding{'s' * (others != 1)}"
    if lengths:
        asked_in += f", {len(asked.few):,} of them in calls of {lengths} lengths"
    if not len(changes):
        where = " in which it runs" if seen.refused else ""
        return f"its results do not depend on the surroundings{where}: {asked_in}"
    return (
        f"its results depend on the surroundings at {len(changes):,} of {total:,} inputs, "
        f"{off}: see --view shapes; {asked_in}"
    )


def _refused(seen: Seen) -> str:
    """Say in which surroundings the function fails, those with one reason at once."""
    reasons: dict[str, list[str]] = {}
    for name, reason in seen.refused.items():
        reasons.setdefault(reason, []).append(name)
    said = [f"{_listed(names)}: {reason}" for reason, names in list(reasons.items())[:SAID]]
    if not said:
        return ""
    more = len(reasons) - len(said)
    return f"it fails in other surroundings: {'; '.join(said)}{f'; {more} more' if more else ''}"


def _listed(names: Sequence[str]) -> str:
    """Return names of surroundings, lengths in ranges."""
    lengths = [int(name.removeprefix("length ")) for name in names if name.startswith("length ")]
    others = [name for name in names if not name.startswith("length ")]
    runs = [
        [length for _, length in run]
        for _, run in groupby(enumerate(lengths), lambda pair: pair[1] - pair[0])
    ]
    words = [f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    shown = [*words[:4], "…"] if len(words) > 5 else words
    if shown:
        others.insert(0, f"length{'s' if len(lengths) > 1 else ''} {', '.join(shown)}")
    return ", ".join(others)
