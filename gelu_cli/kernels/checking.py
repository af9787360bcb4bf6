"""How far are results that were computed elsewhere from the truth?"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from gelu_cli.arithmetic.rounding import Array
from gelu_cli.kernels.judging import RegionJudge, judge_at_limits
from gelu_cli.kernels.observers.digests import Digests
from gelu_cli.kernels.sorted_results import SortedResults, SpillFile
from gelu_cli.kernels.tally import Tally
from gelu_cli.kernels.truth import Question
from gelu_cli.kernels.units import BLOCK
from gelu_cli.kernels.verdict import SPARE, Verdict

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
) -> Verdict:
    """Judge results that were computed elsewhere, at any inputs, NaN and infinities included."""
    results = SortedResults(SpillFile(), held=max(1, len(x)))
    results.add(x, got)
    return check_sorted_results(
        name, question, results, exhaustive=exhaustive, keep=keep, ftz=ftz
    )  # fmt: skip


def check_sorted_results(
    name: str,
    question: Question,
    results: SortedResults,
    *,
    exhaustive: bool,
    keep: int = 10,
    ftz: bool = False,
    asked: Mapping[str, Any] = NOTHING,
) -> Verdict:
    """Judge results as `check_results` does, a block at a time.

    `asked` says where they are from, by words as JSON has them.
    """
    verdict, limits = Verdict(name, question, exhaustive, ftz, asked=dict(asked)), Tally()
    digests = Digests(question.dtype, question.result)
    pieces: list[bytes] = []
    for x, got in results.blocks(BLOCK):
        finite = np.isfinite(x)
        if finite.any():
            if exhaustive:
                pieces += digests.pieces(x[finite], got[finite])
            judge = RegionJudge(question, x[finite], ftz)
            for region, tally in judge.parts(got[finite], keep + SPARE):
                verdict.regions.setdefault(region, Tally()).add(tally, keep + SPARE)
        if not finite.all():
            found = judge_at_limits(question, x[~finite], got[~finite], keep + SPARE)
            limits.add(found, keep + SPARE)
    for tally in verdict.regions.values():
        verdict.total.add(tally, keep + SPARE)
    verdict.total.add(limits, keep + SPARE)
    if exhaustive:
        verdict.digest = digests.digest(pieces)
    return verdict
