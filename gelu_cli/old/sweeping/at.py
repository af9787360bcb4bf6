"""Results at single inputs, each inside a full block as a sweep would have it.

A kernel may compute one number by itself on another path than a block of them. So the inputs are
repeated until a call is as long as those of a sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import copysign, isfinite, isnan
from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, held
from gelu_cli.old.environment import standard_environment
from gelu_cli.old.guests.calling import UsersFunction
from gelu_cli.old.guests.conduct import bits_differ, full
from gelu_cli.old.sweeping.exact_errors import JudgedResult, judged_result
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import BLOCK
from gelu_cli.old.sweeping.tally import saturates
from gelu_cli.old.sweeping.verdict import Verdict


class At(NamedTuple):
    """The results of one kernel, in the order of the inputs asked for."""

    verdict: Verdict
    """What is asked, and what else was seen."""

    results: list[JudgedResult]

    @property
    def worst(self) -> JudgedResult | None:
        """The first result that failed, or else the one with the largest error, if it has any."""
        errors = [each for each in self.results if each.ulp is not None]
        largest = max(errors, key=lambda each: each.ulp or 0, default=None)
        return next(filter(self.failed, self.results), largest)

    @standard_environment()
    def failed(self, result: JudgedResult) -> bool:
        """Return whether it is NaN or infinite and should not be, or the other way round."""
        x, got, want, _, ulp, _, up = result
        if ulp is not None or got == want or (isnan(got) and isnan(want)):
            return False
        if isnan(x) or isnan(up):
            return True
        question, finite = self.verdict.question, isfinite(x) and isfinite(up)
        y = copysign(1.0, question.at(up).exactly(x)) if finite else question.limit_of_pair(x, up)
        return not saturates(question, *(np.array([each]) for each in (got, y, want)))[0]


@standard_environment()
def results_at(
    kernel: Kernel, points: Sequence[float] | Sequence[Sequence[float]], *, ftz: bool = False
) -> At:
    """Return the results of a kernel at numbers of the format of x, NaN and infinities among them.

    Of a kernel of two inputs these are pairs.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.sweeping.implementations import routine_implementation
    >>> from gelu_cli.old.sweeping.routines import find_routine
    >>> from gelu_cli.old.sweeping.truth import Question
    >>> half = FORMATS["float16"]
    >>> erfc = routine_implementation(find_routine("erfc"), "value", half)
    >>> found = results_at(Kernel(erfc, Question(find_form("exact"), "value", half)), [1.0])
    >>> found.results[0].got, float(found.results[0].ulp) < 1
    (0.84130859375, True)
    """
    implementation, question = kernel
    name, notes = implementation.name, question.notes
    verdict = Verdict(name, question, exhaustive=False, ftz=ftz, notes=notes)
    x, size = held(question.dtype, np.array(points).T), _block_size(kernel)
    if isinstance(implementation, UsersFunction):
        implementation.load(full(x, size))
    got, differing = _in_full_blocks(implementation, x, size)
    verdict.notes += implementation.notes
    if differing:
        verdict.notes.append(
            f"at {differing:,} of {len(points):,} inputs the results differ from place to place in "
            "a full block: shown are those at the first place"
        )
    if isinstance(implementation, UsersFunction):
        verdict.provenance = implementation.provenance
    inputs = x if x.ndim > 1 else (x, np.ones_like(x))
    rows = np.array([*inputs, got], np.float64).T.tolist()
    return At(verdict, [judged_result(question, x, got, verdict.error_at(x, got, up), up)
                        for x, up, got in rows])  # fmt: skip


class Called(NamedTuple):
    """What a kernel returns, by quantity, at inputs in full blocks, and what else was seen."""

    results: Mapping[str, Floats]
    notes: Sequence[str]
    provenance: Mapping[str, str]


@standard_environment()
def called_at(kernel: Kernel, x: Array, *, values_too: bool = False) -> Called:
    """Return the results of a kernel at numbers of the format of x, or pairs of them, not judged.

    With `values_too` a function whose question is the gradient is asked for its values, and for
    gradients only if its library differentiates it.
    """
    implementation, question = kernel
    inputs, size = held(question.dtype, x), _block_size(kernel)
    calls: dict[str, Callable[[Floats], Floats]] = {question.quantity: implementation}
    provenance: Mapping[str, str] = {}
    if isinstance(implementation, UsersFunction):
        implementation.load(full(inputs, size))
        provenance = implementation.provenance
        if values_too:
            calls = {"value": implementation.values}
            if implementation.differentiated:
                calls["gradient"] = implementation
    results = {name: _in_full_blocks(call, inputs, size)[0] for name, call in calls.items()}
    return Called(results, implementation.notes, provenance)


FAR, POINTS, ROUNDS = 256.0, 1024, 4
"""Clamps up to half as far are looked for, each round at so many points between two neighbours."""


def _block_size(kernel: Kernel) -> int:
    """Return how many inputs a call of a sweep has."""
    implementation, question = kernel
    largest = question.dtype.bits(question.dtype.largest)
    size = min(BLOCK, 2 * (largest + 1))
    if isinstance(implementation, UsersFunction):
        return implementation.calling.batch or size
    return size


def _in_full_blocks(call: Callable[[Floats], Floats], x: Floats, size: int) -> tuple[Floats, int]:
    """Return the results at x, and at how many inputs they differ within a block."""
    found, differing = [], 0
    for start in range(0, x.shape[-1], size):
        part = x[..., start : start + size]
        # An odd number of inputs is repeated: each is then in every place of a vector.
        count = part.shape[-1]
        period = min(count + (count % 2 == 0), size)
        got = call(full(full(part, period), size))
        first = got[:count].copy()
        elsewhere = bits_differ(got, full(full(first, period), size))
        differing += len(np.unique(np.flatnonzero(elsewhere) % period % count))
        found.append(first)
    return np.concatenate(found), differing
