"""How far are results that were computed elsewhere from the truth?"""

from __future__ import annotations

import numpy as np

from gelu_cli.arithmetic.rounding import Array
from gelu_cli.arithmetic.ulp import ordinals
from gelu_cli.kernels.judging import judge_at_limits
from gelu_cli.kernels.sweep import BLOCK, SPARE, by_region
from gelu_cli.kernels.tally import Tally
from gelu_cli.kernels.truth import Question
from gelu_cli.kernels.verdict import Verdict


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
    verdict = Verdict(name, question, exhaustive, ftz)
    finite = np.isfinite(x)
    places = ordinals(question.number_format, x[finite])
    order = np.lexsort((np.abs(places), np.signbit(x[finite])))  # that of the bit patterns
    for i in range(0, len(order), BLOCK):
        some = order[i : i + BLOCK]
        for region, tally in by_region(
            question, x[finite][some], got[finite][some], keep + SPARE, ftz
        ):
            verdict.regions.setdefault(region, Tally()).add(tally, keep + SPARE)
    for tally in verdict.regions.values():
        verdict.total.add(tally, keep + SPARE)
    if not finite.all():
        limits = judge_at_limits(question, x[~finite], got[~finite], keep + SPARE)
        verdict.total.add(limits, keep + SPARE)
    return verdict
