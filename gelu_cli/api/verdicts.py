"""Errors of kernels as results: a row each, bounds, records, tables."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, fields, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

from gelu_cli.api.bounds import WRONG, Bounds, Errors, Judging
from gelu_cli.api.error_pictures import picture_of
from gelu_cli.api.questions import Asked, question_of
from gelu_cli.api.records import environment_of, no_worse, record_of
from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.api.verdict_views import VIEWS, on_screen, rows_of, table_of, worst_of
from gelu_cli.api.verdict_words import words_on
from gelu_cli.errors import UsageError
from gelu_cli.old.sweeping.exact_errors import ExactError, JudgedResult
from gelu_cli.old.sweeping.rows import shown
from gelu_cli.old.sweeping.verdict import Verdict as Found
from gelu_cli.output.tables import Table
from gelu_cli.output.writer import DIGITS_FOR_PEOPLE

Real: TypeAlias = float | Decimal


class Measured(NamedTuple):
    """What was found of a kernel, and what shapes inputs and exact values."""

    found: Found
    question: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Verdict(Result):
    """Errors of a kernel in ULP, |got − y|/ulp(y), and counts of failures.

    Attributes
    ----------
    kernel, dtype, form, quantity
        What was measured: `quantity` of `form` in `dtype`.
    inputs
        Number of inputs.
    exhaustive
        `yes`, `no` for a sample, `partial` after an interrupt.
    max_ulp, max_ulp_x, max_ulp_x_bits, mean_ulp
        The largest error, its input, and the mean error.
    over_half_ulp, over_1_ulp, misrounded
        Numbers of results with larger errors, or not correctly rounded.
    wrong_nan, wrong_inf, wrong_sign, wrong_zero, wrong_special
        Numbers of results with a wrong NaN, infinity, sign or zero, and at inputs ±∞ and NaN.
    non_monotone
        Steps from one input to the next in the wrong direction.
    max_ordinal, max_ordinal_x
        The largest distance in numbers of the format.
    max_abs_error, max_abs_x, max_rel_error
        The largest |got − y|, its input, and the largest |got − y|/|y| of a normal y.
    rms_error, noise_ratio
        √E(got − y)² for draws of N(M, S²), and that over the same of correct rounding.
    unrepeatable
        Number of inputs whose results change from call to call.
    """

    kernel: str
    dtype: str
    form: str
    quantity: str
    inputs: int
    exhaustive: str
    max_ulp: Real | None
    max_ulp_x: Real | None
    max_ulp_x_bits: str | None
    mean_ulp: Real | None
    over_half_ulp: int
    over_1_ulp: int
    misrounded: int
    wrong_nan: int
    wrong_inf: int
    wrong_sign: int
    wrong_zero: int
    wrong_special: int | None
    non_monotone: int | None
    max_ordinal: int | None
    max_ordinal_x: Real | None
    max_abs_error: Real | None
    max_abs_x: Real | None
    max_rel_error: Real | None
    rms_error: Real | None
    noise_ratio: Real | None
    unrepeatable: int | None
    measured: InitVar[Measured | None] = None
    measured_as: ClassVar[Measured]  # set for each result, but not a column

    def __post_init__(self, answer: Any, measured: Any) -> None:
        """Keep what fields and views are made of beside the fields."""
        super().__post_init__(answer)
        object.__setattr__(self, "measured_as", measured)

    def assert_within(
        self, *, max_ulp: Any = None, max_abs: Any = None, max_rel: Any = None
    ) -> None:
        """Raise AssertionError, which names x, if a bound is broken.

        A wrong NaN, infinity or sign breaks every bound.

        Raises
        ------
        AssertionError
            If a bound is broken.
        UsageError
            If no bound is given, or no result has such an error.
        """
        __tracebackhide__ = True  # from pytest
        bounds = Bounds.of(max_ulp, max_abs, max_rel)
        if not bounds.limits:
            raise UsageError("no bound; give max_ulp, max_abs or max_rel")
        if failures := bounds.broken_by(errors_of(self.measured_as.found)):
            raise AssertionError("\n".join(failures))

    def assert_no_worse(self, baseline: Any) -> None:
        """Raise AssertionError if an error or a count exceeds that of a record.

        Parameters
        ----------
        baseline
            A record, or the name of its file.

        Raises
        ------
        AssertionError
            If one does; each has a line.
        UsageError
            If the record answers another question.
        """
        __tracebackhide__ = True
        summary = table_of("summary", [self.measured_as.found]).dicts()
        if failures := no_worse(self.measured_as.question, summary, baseline, "the baseline"):
            raise AssertionError("\n".join(failures))


@dataclass(frozen=True, kw_only=True)
class PairVerdict(Verdict):
    """Errors of a kernel of two inputs.

    Attributes
    ----------
    max_ulp_up, max_ulp_up_bits, max_ordinal_up, max_abs_up
        The second inputs: ups, or upstream gradients.
    """

    max_ulp_up: Real | None
    max_ulp_up_bits: str | None
    max_ordinal_up: Real | None
    max_abs_up: Real | None


def answer_of(
    found: Sequence[Found],
    asked: Asked,
    judging: Judging,
    command: str,
    digits: int | None = None,
) -> Results[Verdict]:
    """Make the answer of a sweep or a check from the tallies."""
    answer = _answer(found, asked, judging, command, digits)
    bounds, baseline = judging.bounds, judging.baseline
    if answer.complete:
        failures = [line for each in found for line in bounds.broken_by(errors_of(each))]
        if baseline is not None:
            summary = table_of("summary", found).dicts()
            failures += no_worse(question_of(asked, found), summary, baseline)
        kept = not failures and (bounds.limits or baseline is not None)
        notes = [*answer.notes, *asked.notes, *_cautions(found, bounded=bool(kept))]
        answer = replace(answer, failures=failures, notes=notes)
    results = []
    for each in found:
        own = answer if len(found) == 1 else _answer([each], asked, judging, command, digits)
        kind = PairVerdict if each.question.gating else Verdict
        (row,) = rows_of("summary", each, digits)
        cells: dict[str, Any] = {field.name: row[field.name] for field in fields(kind)}
        measured = Measured(each, question_of(asked, [each]))
        results.append(kind(**cells, answer=own, measured=measured))
    return Results(results, answer)


def _answer(
    found: Sequence[Found], asked: Asked, judging: Judging, command: str, digits: int | None
) -> Answer:
    views: dict[str, Callable[[], Table]] = {
        name: partial(table_of, name, found, digits, judging.worst)
        for name in VIEWS
        if name != "criteria" or found[0].criteria
    }
    words = partial(words_on, found, digits or DIGITS_FOR_PEOPLE)
    return Answer(
        views,
        words=words,
        screen=partial(on_screen, found, digits),
        notes=[f"{each.name}: {note}" for each in found for note in each.notes],
        found="; ".join(map(_in_one_line, found)),
        record=partial(record_on, found, question_of(asked, found), command, words, views),
        picture=partial(picture_of, found, judging.bounds.limits.get("max_ulp")),
        complete=all(each.complete for each in found),
    )


def record_on(
    found: Sequence[Found],
    question: Mapping[str, Any],
    command: str,
    words: Callable[[], Sequence[str]],
    views: Mapping[str, Callable[[], Table]],
) -> dict[str, Any]:
    """Make the record of a command."""
    kernels = [
        {"name": e.name, **e.asked, "provenance": e.provenance, "versions": e.versions}
        for e in found
    ]
    tables = {name: make() for name, make in views.items()}
    return record_of(typed(command), question, environment_of(kernels), words(), tables)


def _cautions(found: Sequence[Found], *, bounded: bool) -> list[str]:
    """Note saturated results, and the inputs that bounds leave open."""
    notes = [
        f"{each.name}: {each.total.saturated:,} results are the largest "
        f"{each.question.result.name} where the exact value is beyond; they break no bound"
        for each in found
        if each.total.saturated
    ]
    if bounded and not all(each.exhaustive for each in found):
        measured = f"the {found[0].total.inputs:,} inputs that were measured"
        notes.append(f"bounds hold for {measured}; others may have larger errors")
    return notes


def typed(command: str) -> str:
    """Spell the command line, or the function of the Python API.

    >>> typed("sweep")
    'gelu_cli.sweep'
    """
    program, *words = sys.argv
    ours = Path(program).name == "gelu" or Path(program).parent.name == "gelu_cli"
    return shlex.join(["gelu", *words]) if ours else f"gelu_cli.{command}"


def errors_of(found: Found) -> Errors:
    """List the largest errors of a kernel, exactly, and where they are."""

    def at(each: ExactError | JudgedResult) -> str:
        return f"x = {each.x!r}{found.question.second_of(each.up)}"

    largest = {}
    if worst := found.largest(found.total):
        largest["max_ulp"] = worst.ulp, at(worst)
    for name in ("abs", "rel"):
        size, error = found.farthest(name), found.farthest_error(name)
        if size and error:
            largest[f"max_{name}_error"] = size[0], at(error)
    failed = [each for each in worst_of(found) if each.ulp is None]
    first = [f"{each.got} at {at(each)}, where {each.want} is right" for each in failed[:1]]
    return Errors(found.name, largest, found.total.counts, "".join(first))


def _in_one_line(found: Found) -> str:
    worst = found.largest(found.total)
    largest = f"{shown(worst.ulp, 6)} ULP" if worst else "unknown"
    wrong = sum(found.total.counts[name] for name in WRONG)
    failed = f", {wrong:,} wrong NaN, infinity or sign" * bool(wrong)
    return f"{found.name}: largest error {largest}{failed}, {found.total.inputs:,} results"
