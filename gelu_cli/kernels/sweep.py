"""How far are the results of a floating-point routine from the truth, over every input?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import copysign
from threading import Event
from typing import NamedTuple, TypeAlias

import numpy as np

from gelu_cli.arithmetic.patterns import every_number, pattern_range
from gelu_cli.arithmetic.rounding import Array, Floats
from gelu_cli.environment import make_standard
from gelu_cli.errors import UsageError
from gelu_cli.kernels.conduct import Watched
from gelu_cli.kernels.functions import UsersFunction
from gelu_cli.kernels.implementations import Implementation
from gelu_cli.kernels.inputs import Inputs, sample, takes_every
from gelu_cli.kernels.judging import judge
from gelu_cli.kernels.judging_binades import Float32Judge
from gelu_cli.kernels.neighbours import Neighbours
from gelu_cli.kernels.regions import Region, region_numbers, regions
from gelu_cli.kernels.runs import BINADE, FLOAT32, RUN
from gelu_cli.kernels.tally import Tally
from gelu_cli.kernels.truth import Question
from gelu_cli.kernels.verdict import Verdict
from gelu_cli.parallel import in_order

SPARE = 16
"""Candidates for the worst inputs beyond those asked for; exact evaluation decides among them."""

BLOCK = 1 << 16

AT_ONCE = 8
"""Runs of float32s that a user's function gets in a call: its process has to wake up for each."""


def sweep(
    implementation: Implementation,
    question: Question,
    inputs: Inputs,
    *,
    jobs: int = 1,
    keep: int = 10,
    ftz: bool = False,
    covered: Callable[[int, int], None] = lambda done, total: None,
) -> Verdict:
    """Judge the results of an implementation; Ctrl-C ends it early, with what was covered.

    Every float32 in the range is taken binade by binade, by `jobs` threads; the other formats as
    arrays. After a sample, neighbours of the worst inputs are judged as well: they may be the
    largest errors or fail, but are not counted. `covered` is told how many inputs of how many have
    been judged. Raises `UsageError` where the range holds no number of the format.
    """
    inputs = inputs._replace(every=takes_every(question.number_format, inputs))
    verdict = Verdict(implementation.name, question, inputs.every, ftz)
    watched = Watched(implementation, question, inputs)
    at_once = AT_ONCE if isinstance(implementation, UsersFunction) else 1
    judge = Float32Judge(question, ftz=ftz)
    judging = _Judging(
        watched, question, keep + SPARE, ftz, judge, verdict.regions, Event(), at_once
    )
    units = judging.units(inputs)
    total = sum(map(_size, units))
    try:
        for parts in in_order(judging.parts, units, jobs, is_large=lambda unit: True):
            for region, tally in parts:
                verdict.regions.setdefault(region, Tally()).add(tally, judging.keep)
            covered(sum(tally.inputs for tally in verdict.regions.values()), total)
        if not inputs.every:
            _climb(judging, inputs, np.concatenate(units))
        verdict.notes += watched.remarks()
    except KeyboardInterrupt:
        verdict.complete = False
        judging.stop.set()
        make_standard()  # it may have come while a function's environment was left
    for tally in verdict.regions.values():
        verdict.total.add(tally, judging.keep)
    verdict.environments = dict(implementation.environments)
    verdict.notes += implementation.notes
    return verdict


def _climb(judging: _Judging, inputs: Inputs, sampled: Array) -> None:
    """Judge neighbours of the worst inputs of each region until these are no longer exceeded."""
    neighbours = Neighbours(judging.question.number_format, inputs, sampled)
    while len(x := neighbours.next(judging.so_far)):
        for region, tally in judging.block(x):
            found = judging.so_far.setdefault(region, Tally())
            found.add(_without_counts(tally), judging.keep)


def _without_counts(tally: Tally) -> Tally:
    """Return what a tally has of single inputs: those chosen as they are bad have no fair share."""
    return Tally(
        worst=tally.worst, failures=tally.failures, furthest=tally.furthest, peaks=tally.peaks
    )


def by_region(question: Question, x: Array, got: Array, keep: int, ftz: bool) -> list[Part]:
    """Judge results at finite inputs, each stretch of them in one region by itself."""
    numbers = region_numbers(question.number_format, x)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    parts = zip(np.split(x, starts[1:]), np.split(got, starts[1:]), strict=True)
    return [
        (regions(question.number_format)[number], judge(question, *part, keep=keep, ftz=ftz))
        for number, part in zip(numbers[starts].tolist(), parts, strict=True)
    ]


class Binade(NamedTuple):
    """Float32s of one sign and exponent field: the bit patterns from `first` to before `end`."""

    sign: int
    field: int
    first: int
    end: int


Unit: TypeAlias = Binade | Array
Part: TypeAlias = tuple[Region, Tally]


def _size(unit: Unit) -> int:
    return unit.end - unit.first if isinstance(unit, Binade) else len(unit)


class _Judging(NamedTuple):
    kernel: Callable[[Floats], Floats]
    question: Question
    keep: int
    ftz: bool
    judge: Float32Judge
    so_far: dict[Region, Tally]
    stop: Event
    at_once: int
    """Runs of float32s in a call."""

    def units(self, inputs: Inputs) -> Sequence[Unit]:
        """Return the inputs in portions."""
        number_format = self.question.number_format
        if inputs.every and number_format is FLOAT32:
            return _binades(inputs)
        if inputs.every:
            x = every_number(number_format, inputs.low, inputs.high)
        else:
            x = sample(number_format, inputs.samples, inputs.seed, inputs.low, inputs.high)
        if not len(x):
            raise _nothing_in_range(inputs, number_format.name)
        return [x[i : i + BLOCK] for i in range(0, len(x), BLOCK)]

    def parts(self, unit: Unit) -> list[Part]:
        """Judge the results at a portion of the inputs, region by region."""
        return self.binade(unit) if isinstance(unit, Binade) else self.block(unit)

    def block(self, x: Array) -> list[Part]:
        """Judge the results at any numbers of the format, in the order of their bits."""
        return by_region(self.question, x, self._results(x), self.keep, self.ftz)

    def _results(self, x: Array) -> Array:
        carrier = np.float64 if self.question.number_format.width == 64 else np.float32
        return self.kernel(x.astype(carrier)).astype(np.float64)

    def binade(self, binade: Binade) -> list[Part]:
        """Judge the results at the float32s of a binade."""
        region = _region_of(binade)
        judge = self.judge.binade(binade.sign, binade.field)
        results = judge.results(self.keep, self.so_far.get(region, Tally()))
        step = self.at_once * RUN
        for number in range(binade.first // step, -(-binade.end // step)):
            if self.stop.is_set():
                break
            first, end = max(binade.first, number * step), min(binade.end, (number + 1) * step)
            sign = 0x8000_0000 if binade.sign < 0 else 0
            x = np.arange(first | sign, end | sign, dtype=np.uint32).view(np.float32)
            results.take(first % BINADE, x, self.kernel(x))
        return [(region, results.tally())]


def _binades(inputs: Inputs) -> list[Binade]:
    """Return the binades, or the parts of them, that the range reaches."""
    found = []
    for sign in (1, -1):
        least, most = pattern_range(FLOAT32, sign, inputs.low, inputs.high)
        for exponent in range(255):
            first, end = max(exponent << 23, least), min((exponent + 1) << 23, most)
            if first < end:
                found.append(Binade(sign, exponent, first, end))
    if not found:
        raise _nothing_in_range(inputs, FLOAT32.name)
    return found


def _region_of(binade: Binade) -> Region:
    middle = np.array([copysign(FLOAT32.number(binade.field << 23), binade.sign)])
    return regions(FLOAT32)[int(region_numbers(FLOAT32, middle)[0])]


def _nothing_in_range(inputs: Inputs, name: str) -> UsageError:
    return UsageError(f"--range {inputs.low:g}:{inputs.high:g} holds no number of {name}")
