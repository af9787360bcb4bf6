"""Results at the float32s of a binade judged, for many routines that share its truth."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import copysign

import numpy as np

from gelu_cli.arithmetic.format_arrays import Floats
from gelu_cli.sweeping.judging import Judge
from gelu_cli.sweeping.judging_runs import RunJudge, on_the_line
from gelu_cli.sweeping.polynomials import truth_by_binades, truth_by_runs
from gelu_cli.sweeping.regions import cell_starts
from gelu_cli.sweeping.runs import BINADE, FLOAT32, NO_LINE, RUN, SIGN_BIT, Line, Run
from gelu_cli.sweeping.smoothness import Side
from gelu_cli.sweeping.tally import Tally, bar_of
from gelu_cli.sweeping.truth import Question


class Float32Judge:
    """Judges results at float32s, a binade at a time; it keeps the truth of the latest one.

    >>> from gelu_cli.forms import find_form
    >>> judge = Float32Judge(Question(find_form("relu"), "value", FLOAT32), ftz=False)
    >>> results = BinadeResults(judge.binade(1, 127), keep=1, so_far=Tally())
    >>> results.take(0, np.array([1.0, 1.0 + 2**-23], np.float32), np.array([1, 1], np.float32))
    >>> results.tally().misrounded
    1
    """

    def __init__(self, question: Question, *, ftz: bool) -> None:
        self.question = question
        self.ftz = ftz
        self._sides: dict[int, tuple[Side, Sequence[Run | None]]] = {}
        self._latest: BinadeJudge | None = None

    def binade(self, sign: int, field: int) -> BinadeJudge:
        """Return the judge of the binade of a sign and an exponent field."""
        latest = self._latest
        if latest is None or (latest.side.sign, latest.field) != (sign, field):
            if sign not in self._sides:
                side = Side(self.question, sign)
                self._sides[sign] = side, truth_by_binades(side)
            side, truths = self._sides[sign]
            self._latest = latest = BinadeJudge(side, field, truths[field], self.ftz)
        return latest


class BinadeJudge:
    """Judges results at the float32s of a binade, whose truth is found once.

    `whole` is the truth on all of it, if one polynomial gives it.
    """

    def __init__(self, side: Side, field: int, whole: Run | None, ftz: bool) -> None:
        self.side = side
        self.field = field
        self.ftz = ftz
        self.on_line = whole if whole and whole.settles(slice(0, BINADE), ftz) else None
        """The truth, if it rounds to a line on all of the binade."""

        self._latest: tuple[int, int, Judge] | None = None

    def judge(self, start: int, x: Floats) -> Judge:
        """Return the judge of inputs from a place on, all in one run; the latest is kept."""
        if self._latest is None or self._latest[:2] != (start, len(x)):
            question, truth = self.side.question, self._runs[start // RUN]
            place = slice(start % RUN, start % RUN + len(x))
            if truth is None:
                judge = Judge(question, x.astype(np.float64), self.ftz)
            else:
                judge = RunJudge(question, x, truth, place, self.ftz)
            self._latest = start, len(x), judge
        return self._latest[2]

    @cached_property
    def _runs(self) -> Sequence[Run | None]:
        return truth_by_runs(self.side, self.field)


class BinadeResults:
    """What is found of the results of a routine at the float32s of a binade, in their order.

    Of errors `keep` are kept that are as large as those found so far in the region.
    """

    def __init__(self, judge: BinadeJudge, keep: int, so_far: Tally) -> None:
        self._judge = judge
        self._keep = keep
        self._so_far = so_far
        self._tally = Tally()
        self._held = slice(0, 0)
        """Where the latest results were all on the line."""

        self._line = NO_LINE
        """That line, with the sign that a 0 has."""

        self._latest = 0, np.zeros(0, np.float32)

    @property
    def judge(self) -> Judge:
        """The judge of the inputs that were taken in last."""
        return self._judge.judge(*self._latest)

    def take(self, start: int, x: Floats, got: Floats) -> None:
        """Take in results at consecutive inputs from a place of the binade on, all in one run."""
        on_line, self._latest = self._judge.on_line, (start, x)
        if on_line and (line := on_line.line.met_by(x, got)):
            if self._held.stop != start or _is_minus_0(line) != _is_minus_0(self._line):
                self._add_held()
                self._held = slice(start, start)
            self._held, self._line = slice(self._held.start, start + len(x)), line
        else:
            self._add_held()
            self._add(self.judge.tally(got, self._keep, self._bar()))

    def tally(self) -> Tally:
        """Return the tally of all results that were taken in."""
        self._add_held()
        return self._tally

    def _add_held(self) -> None:
        """Add the results on the line, cell by cell."""
        question, on_line, held = self._judge.side.question, self._judge.on_line, self._held
        if on_line and held.stop > held.start:
            for part in _by_cells(held, on_line):
                self._add(on_the_line(question, on_line, self._line, part, self._keep, self._bar()))
        self._held = slice(held.stop, held.stop)

    def _add(self, tally: Tally) -> None:
        self._tally.add(tally, self._keep)

    def _bar(self) -> float | Fraction:
        return bar_of((self._so_far, self._tally), self._keep)


def _by_cells(place: slice, run: Run) -> list[slice]:
    """Cut a place of a run where cells begin."""
    starts = cell_starts(FLOAT32).astype(np.float32).view(np.uint32).astype(np.int64)
    cuts = starts - run.first % SIGN_BIT
    inside = cuts[(cuts > place.start) & (cuts < place.stop)].tolist()
    return [slice(*ends) for ends in pairwise([place.start, *inside, place.stop])]


def _is_minus_0(line: Line) -> bool:
    return copysign(1, line.level) < 0 and line.is_zero
