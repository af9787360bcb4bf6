"""How far are results that were computed elsewhere from the truth?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array, to_bits
from gelu_cli.old.formulas import Form
from gelu_cli.old.sweeping.inputs import BLOCK
from gelu_cli.old.sweeping.judging import Judge, by_regions, judge_at_limits
from gelu_cli.old.sweeping.nearest import NO_SAMPLE, Samples, nearest_form
from gelu_cli.old.sweeping.observers import Digests, FarthestByJax, Observer, Sight, look
from gelu_cli.old.sweeping.pairs import PairJudge, rounding_told
from gelu_cli.old.sweeping.regions import Region, region_of_up
from gelu_cli.old.sweeping.sorted_results import SortedResults, SpillFile
from gelu_cli.old.sweeping.tally import Tally
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import SPARE, Verdict

NOTHING: Mapping[str, Any] = MappingProxyType({})
LEAST, MOST, PAIRS = 2.0**-4, 8.0, 4096
"""At gates of these sizes so many pairs tell whether a kernel rounds before the product."""


def check_results(
    name: str,
    question: Question,
    x: Array,
    got: Array,
    *ups: Array,
    exhaustive: bool,
    keep: int = 10,
    ftz: bool = False,
    also: Callable[[Question], Observer] | None = None,
) -> Verdict:
    """Judge results that were computed elsewhere, at any inputs, NaN and infinities included.

    `ups` are the second inputs of pairs.
    """
    results = SortedResults(SpillFile(), held=max(1, len(x)), pairs=bool(ups))
    results.add(x, got, *ups)
    return check_sorted_results(
        name, question, results, exhaustive=exhaustive, keep=keep, ftz=ftz, also=also
    )


def check_sorted_results(
    name: str,
    question: Question,
    results: SortedResults,
    *,
    exhaustive: bool,
    keep: int = 10,
    ftz: bool = False,
    also: Callable[[Question], Observer] | None = None,
    asked: Mapping[str, Any] = NOTHING,
) -> Verdict:
    """Judge results as `check_results` does, a block at a time.

    The observer `also` makes sees those at finite inputs too. `asked` says where they are from, by
    words as JSON has them.
    """
    if question.auto:
        question = question._replace(form=_nearest_form(question, results))
    notes, limits = question.notes, Tally()
    verdict = Verdict(name, question, exhaustive, ftz, asked=dict(asked), notes=notes)
    observers: list[Observer] = []
    if not question.gating:
        observers += [Digests(question.dtype, question.result)] if exhaustive else []
        observers += [Samples(), FarthestByJax([question], ftz)]
    observers += [also(question)] if also else []
    seen: list[Any] = []
    distinct, last, top = 0, np.zeros(0, np.uint64), 2 * question.dtype.top
    pairs = np.zeros((256, 256) if question.gating and question.dtype.width == 8 else 0, bool)
    for block in results.blocks(BLOCK):
        finite = np.isfinite(np.delete(block, 1, axis=0)).all(axis=0)
        if finite.any():
            numbers, computed, *ups = block[:, finite]
            if pairs.size:
                pairs[tuple(to_bits(question.dtype, each) for each in (numbers, *ups))] = True
            bits = np.concatenate([last, numbers.view(np.uint64)])
            distinct += int(np.count_nonzero(bits[1:] != bits[:-1])) + (not len(last))
            last = bits[-1:]
            for region, judge, where in _judges(question, numbers, ups, ftz):
                some = computed[where]
                tally = judge.tally(some, keep + SPARE)
                verdict.regions.setdefault(region, Tally()).add(tally, keep + SPARE)
                sight = Sight(judge.x, {0: some}, {0: judge}.__getitem__, region.up)
                seen = look(observers, seen, sight)
            if ups and not notes:
                notes += _rounding_told(question, numbers, computed, *ups)
        if not finite.all():
            x, got, *ups = block[:, ~finite]
            due = [*map(question.limit_of_pair, x.tolist(), ups[0].tolist())] if ups else None
            more = (np.array(due), *ups) if ups else ()
            limits.add(judge_at_limits(question, x, got, keep + SPARE, *more), keep + SPARE)
    if (np.count_nonzero(pairs) == top**2) if question.gating else (distinct == top):
        verdict.exhaustive = True  # each finite number is there
    for tally in verdict.regions.values():
        verdict.total.add(tally, keep + SPARE)
    verdict.total.add(limits, keep + SPARE)
    for observer, part in zip(observers, seen, strict=False):  # none without finite inputs
        observer.finish([verdict], part)
    return verdict


def _judges(
    question: Question, x: Array, ups: Sequence[Array], ftz: bool
) -> Iterator[tuple[Region, Judge, Any]]:
    """Yield the regions of inputs, each with its judge and where its results are."""
    least = 2.0**question.dtype.emin
    for region, where in by_regions(question.dtype, x):
        if not ups:
            yield region, Judge(question, x[where], ftz), where
            continue
        up = ups[0][where]
        kinds = np.searchsorted([least, 1.0], np.abs(up), "right") + 3 * np.signbit(up)
        for kind in np.unique(kinds):
            some = where.start + np.flatnonzero(kinds == kind)
            pair = x[some], ups[0][some]
            place = region._replace(up=region_of_up(question.dtype, float(pair[1][0])))
            drawn = question.dtype.width <= 16
            yield place, PairJudge(question, *pair, ftz, every_up=drawn, listed=True), some


def _rounding_told(question: Question, x: Array, got: Array, up: Array) -> list[str]:
    """Say whether kernels of two inputs round before the product, by some pairs of a block."""
    near = np.flatnonzero((np.abs(x) >= LEAST) & (np.abs(x) <= MOST))
    some = near[:: len(near) // PAIRS + 1]
    told = rounding_told(question, x[some], up[some], got[some], listed=True)
    return [told] if told else []


def _nearest_form(question: Question, results: SortedResults) -> Form:
    """Return the form that results are nearest to, of a sample of them."""
    samples = Samples()
    found = NO_SAMPLE
    for x, got in results.blocks(BLOCK):
        finite = np.isfinite(x)
        found = samples.joined(found, samples.sample(x[finite], got[finite]))
    return nearest_form(question, found)
