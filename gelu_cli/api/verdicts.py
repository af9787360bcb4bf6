"""Errors of kernels as results: a row each, bounds, records, tables."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, fields, replace
from decimal import Decimal
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

from gelu_cli.accuracy.exact_errors import Result as Single
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.verdict import Verdict as Found
from gelu_cli.api.bounds import WRONG, Bounds, Errors, Judging
from gelu_cli.api.error_pictures import picture_of
from gelu_cli.api.questions import Asked, input_names, question_of
from gelu_cli.api.records import environment_of, no_worse, record_of
from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.api.verdict_cells import plain
from gelu_cli.api.verdict_views import SHOWN, VIEWS, on_screen, rows_of, table_of
from gelu_cli.api.verdict_words import words_on
from gelu_cli.errors import UsageError
from gelu_cli.kernels import Kernel
from gelu_cli.output.tables import Table
from gelu_cli.output.writer import DIGITS_FOR_PEOPLE

Real: TypeAlias = float | Decimal


class Measured(NamedTuple):
    """What was found of a kernel, and what shapes inputs and exact values."""

    found: Found
    question: Mapping[str, Any]


@dataclass(frozen=True)
class Measurement:
    """The command, its question and kernels, and how results are judged.

    Attributes
    ----------
    command
        `sweep`, `check` or `compare`.
    asked, judging
        The options.
    kernels
        Descriptions of the kernels, for records; empty for results of a file.
    of_files
        Digest of the inputs of results that were read.
    digits
        Significant digits of decimals; None for float64s.
    """

    command: str
    asked: Asked
    judging: Judging
    kernels: Sequence[Kernel] = ()
    of_files: str | None = None
    digits: int | None = None

    def question(self, found: Sequence[Found]) -> dict[str, Any]:
        """List all that shapes inputs and exact values."""
        forms = [each.question.form.label for each in found]
        first = found[0]
        return question_of(self.asked, forms, first.inputs, ftz=first.ftz, of_files=self.of_files)


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


def answer_of(found: Sequence[Found], of: Measurement) -> Results[Verdict]:
    """Make the answer of a sweep or a check."""
    answer = _answer(found, of)
    bounds, baseline = of.judging.bounds, of.judging.baseline
    if answer.complete:
        failures = [line for each in found for line in bounds.broken_by(errors_of(each))]
        if baseline is not None:
            summary = table_of("summary", found).dicts()
            failures += no_worse(of.question(found), summary, baseline)
        kept = not failures and (bounds.limits or baseline is not None)
        notes = [*answer.notes, *of.asked.notes, *_cautions(found, bounded=bool(kept))]
        answer = replace(answer, failures=failures, notes=notes)
    results = []
    for each in found:
        own = answer if len(found) == 1 else _answer([each], of)
        kind = PairVerdict if each.question.glu else Verdict
        (row,) = rows_of("summary", each, of.digits)
        cells: dict[str, Any] = {field.name: row[field.name] for field in fields(kind)}
        results.append(kind(**cells, answer=own, measured=Measured(each, of.question([each]))))
    return Results(results, answer)


def _answer(found: Sequence[Found], of: Measurement) -> Answer:
    views: dict[str, Callable[[], Table]] = {
        name: partial(table_of, name, found, of.digits, of.judging.worst)
        for name in VIEWS
        if name != "criteria" or found[0].seen
    }
    words = partial(words_on, found, of.digits or DIGITS_FOR_PEOPLE)
    return Answer(
        views,
        words=words,
        screen=partial(on_screen, found, of.digits),
        notes=[f"{each.label}: {note}" for each in found for note in _notes(each)],
        found="; ".join(map(_in_one_line, found)),
        record=partial(record_on, found, of, words, views),
        picture=partial(picture_of, found, of.judging.bounds.limits.get("max_ulp")),
        complete=all(each.complete for each in found),
    )


def record_on(
    found: Sequence[Found],
    of: Measurement,
    words: Callable[[], Sequence[str]],
    views: Mapping[str, Callable[[], Table]],
) -> dict[str, Any]:
    """Make the record of a command."""
    tables = {name: make() for name, make in views.items()}
    environment = environment_of(found, of.kernels)
    return record_of(typed(of.command), of.question(found), environment, words(), tables)


def _notes(found: Found) -> Iterator[str]:
    """Yield notes on a kernel, and the inputs whose results change."""
    yield from found.notes
    if found.unrepeatable is not None and len(found.unrepeatable):
        rows = found.unrepeatable
        first = ", ".join(at(found.question, row["x"], row["up"]) for row in rows[:SHOWN])
        yield f"results change from call to call at {len(rows):,} inputs: {first}"


def at(question: Question, x: float, up: float) -> str:
    """Print an input.

    >>> from gelu_cli.api.questions import to_question
    >>> at(to_question(dtype="bfloat16", glu=True).question, 1.0, -0.5)
    'gate = 1.0, up = -0.5'
    """
    pairs = zip(input_names(question), (x, up), strict=False)
    return ", ".join(f"{name} = {float(value)!r}" for name, value in pairs)


def _cautions(found: Sequence[Found], *, bounded: bool) -> list[str]:
    """Note saturated results, and the inputs that bounds leave open."""
    notes = [
        f"{each.label}: {each.total['saturated']:,} results are the largest "
        f"{each.question.result.name} where the exact value is beyond; they break no bound"
        for each in found
        if each.total["saturated"]
    ]
    if bounded and not all(each.exhaustive for each in found):
        measured = f"the {found[0].total['inputs']:,} inputs that were measured"
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
    largest = {}
    worst, absolute, relative = found.largest(), found.extreme("abs"), found.extreme("rel")
    sizes = {
        "max_ulp": (worst, worst and worst.ulp),
        "max_abs_error": (absolute, absolute and absolute.absolute),
        "max_rel_error": (relative, relative and relative.relative),
    }
    for name, (single, size) in sizes.items():
        if single is not None and size is not None:
            largest[name] = size, at(found.question, single.x, single.up)
    failed = next((each for each in found.worst() if _fails(each)), None)
    first = ""
    if failed is not None:
        place = at(found.question, failed.x, failed.up)
        first = f"{failed.got} at {place}, where {failed.want} is right"
    return Errors(found.label, largest, found.counts, first)


def _fails(single: Single) -> bool:
    """Return True for a wrong NaN, infinity or sign at finite inputs."""
    if not (isfinite(single.x) and isfinite(single.up)):
        return False
    wrong_sign = single.got * single.want < 0
    return single.ulp is None or wrong_sign


def _in_one_line(found: Found) -> str:
    worst = found.largest()
    largest = f"{plain(worst.ulp, 6)} ULP" if worst and worst.ulp is not None else "unknown"
    wrong = sum(found.total[name] for name in WRONG)
    failed = f", {wrong:,} wrong NaN, infinity or sign" * bool(wrong)
    return f"{found.label}: largest error {largest}{failed}, {found.total['inputs']:,} results"
