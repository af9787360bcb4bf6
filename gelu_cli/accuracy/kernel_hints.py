"""Hints on a kernel, and its nearest form, from one call at few inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

import numpy as np

from gelu_cli.accuracy.hints import hints
from gelu_cli.accuracy.nearest import Results, form_of
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.selection import Inputs
from gelu_cli.accuracy.verdict import Verdict
from gelu_cli.kernels import Kernel, call, workers
from gelu_cli.numbers.cells import Floats

SMALL_ERROR = 3
"""Largest error in ULP at which a kernel cannot compute another function."""


def with_nearest_form(question: Question, inputs: Inputs, kernel: Kernel) -> Question:
    """Replace the form of a question by the one nearest to a kernel's results."""
    form = form_of(question, results_of(kernel, inputs), inputs.low, inputs.high)
    return question._replace(form=form)


def with_hints(
    verdict: Verdict, inputs: Inputs, kernel: Kernel, *, auto: bool, up_first: bool
) -> Verdict:
    """Add notes on the function that a kernel seems to compute, if another.

    Parameters
    ----------
    verdict, inputs, kernel
        The verdict on the kernel at these inputs.
    auto
        True if the form of the question is the nearest one.
    up_first
        True if the kernel is called with its up first.
    """
    question, largest = verdict.question, verdict.largest()
    is_off = largest and largest.ulp and largest.ulp > SMALL_ERROR
    if not verdict.complete or not (question.glu or auto or is_off):
        return verdict
    notes = [*verdict.notes, *([_note_on_form(verdict)] if auto else [])]
    results = results_of(kernel, inputs)
    notes += hints(question, results, inputs.low, inputs.high, up_first=up_first)
    return replace(verdict, notes=notes)


def _note_on_form(verdict: Verdict) -> str:
    """Name the form that was found for a kernel, and the reason."""
    why = "the form that its results are nearest to"
    if not verdict.total["judged"]:
        why = "as no result is a number: no form is near"
    return f"judged against {verdict.question.form.label}, {why}"


@lru_cache(maxsize=1)
def results_of(kernel: Kernel, inputs: Inputs) -> Results:
    """Make a function that calls a kernel once, in a worker if it needs one."""

    @cache
    def called(*columns: bytes) -> Floats:
        arrays = [np.frombuffer(each).astype(kernel.formats[0].dtype) for each in columns]
        ((_, got),) = workers.run(partial(_called, kernel), [arrays], isolated=kernel.isolated)
        found: Floats = got
        return found

    return lambda *both: called(*(each.tobytes() for each in both[: 1 + bool(inputs.ups)]))


def _called(kernel: Kernel, arrays: Sequence[Floats]) -> Floats:
    return np.asarray(call(kernel, *arrays), np.float64)
