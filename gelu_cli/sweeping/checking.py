"""How far are results that were computed elsewhere from the truth?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.formulas import Form
from gelu_cli.sweeping.inputs import BLOCK
from gelu_cli.sweeping.judging import Judge, by_regions, judge_at_limits
from gelu_cli.sweeping.nearest import NO_SAMPLE, Samples, nearest_form
from gelu_cli.sweeping.observers import Digests, FarthestByJax, Observer, Sight, look
from gelu_cli.sweeping.sorted_results import SortedResults, SpillFile
from gelu_cli.sweeping.tally import Tally
from gelu_cli.sweeping.truth import Question
from gelu_cli.sweeping.verdict import SPARE, Verdict

NOTHING: Mapping[str, Any] = MappingProxyType({})


def check_results(
    name: str,
    question: Question,
    x: Array,
    got: Array,
    *,
    exhaustive: bool,
    keep: int = 10,
    ftz: bool = False,
    also: Callable[[Question], Observer] | None = None,
) -> Verdict:
    """Judge results that were computed elsewhere, at any inputs, NaN and infinities included."""
    results = SortedResults(SpillFile(), held=max(1, len(x)))
    results.add(x, got)
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
    observers: list[Observer] = [Digests(question.dtype, question.result)] if exhaustive else []
    observers += [Samples(), FarthestByJax([question], ftz)]
    observers += [also(question)] if also else []
    seen: list[Any] = []
    distinct, last = 0, np.zeros(0, np.uint64)
    for x, got in results.blocks(BLOCK):
        finite = np.isfinite(x)
        if finite.any():
            numbers, computed = x[finite], got[finite]
            bits = np.concatenate([last, numbers.view(np.uint64)])
            distinct += int(np.count_nonzero(bits[1:] != bits[:-1])) + (not len(last))
            last = bits[-1:]
            for region, where in by_regions(question.dtype, numbers):
                judge, some = Judge(question, numbers[where], ftz), computed[where]
                tally = judge.tally(some, keep + SPARE)
                verdict.regions.setdefault(region, Tally()).add(tally, keep + SPARE)
                sight = Sight(judge.x, {0: some}, {0: judge}.__getitem__)
                seen = look(observers, seen, sight)
        if not finite.all():
            found = judge_at_limits(question, x[~finite], got[~finite], keep + SPARE)
            limits.add(found, keep + SPARE)
    if distinct == 2 * question.dtype.top:  # each finite number is there
        verdict.exhaustive = True
    for tally in verdict.regions.values():
        verdict.total.add(tally, keep + SPARE)
    verdict.total.add(limits, keep + SPARE)
    for observer, part in zip(observers, seen, strict=False):  # none without finite inputs
        observer.finish([verdict], part)
    return verdict


def _nearest_form(question: Question, results: SortedResults) -> Form:
    """Return the form that results are nearest to, of a sample of them."""
    samples = Samples()
    found = NO_SAMPLE
    for x, got in results.blocks(BLOCK):
        finite = np.isfinite(x)
        found = samples.joined(found, samples.sample(x[finite], got[finite]))
    return nearest_form(question, found)
