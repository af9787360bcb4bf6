"""Results of measuring kernels, and bounds on errors of kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from math import inf, isfinite
from pathlib import Path
from typing import Any, TypeAlias

from gelu_cli.api.questions import option, size
from gelu_cli.api.records import COMPARED, WRONG, Record, lines_on, read_record
from gelu_cli.api.results import Answer, Real, Result, Results, Shown
from gelu_cli.api.verdict_views import Row, cell_of, exactly, on_screen, picture_of, table_of
from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.numbers import to_float
from gelu_cli.output.tables import to_short_text

BOUNDS = {"max_ulp": "max_ulp", "max_abs": "max_abs_error", "max_rel": "max_rel_error"}
"""Column of `summary` by the option that bounds it; the columns `max_…_x` have the inputs."""

Limits: TypeAlias = Mapping[str, Fraction]
Base: TypeAlias = tuple[Record, str]
"""A baseline, and its name in messages."""

NOTED = {
    "unrepeatable": "inputs whose results change from call to call",
    "saturated": "results that are the largest number in place of an exact value beyond",
}
"""Columns of counts that become notes, with the words of the note."""


@dataclass(frozen=True, kw_only=True)
class Verdict(Result):
    """Errors of a kernel in ULP, |got − y|/ulp(y), and counts of failures.

    Attributes
    ----------
    kernel, dtype, form, quantity
        Name of the kernel, which should compute `quantity` of `form` in `dtype`.
    inputs, exhaustive
        Number of inputs; `yes`, `no` for a sample, or `partial` after an interrupt.
    max_ulp, max_ulp_x, max_ulp_x_bits, mean_ulp
        The largest error, its input, the bit pattern of this input; the mean error.
    over_half_ulp, over_1_ulp, misrounded
        Number of errors above ½ ULP; number of errors above 1 ULP; number of results that are
        numbers, not NaN or ∞, but not correctly rounded.
    wrong_nan, wrong_inf, wrong_sign, wrong_zero, wrong_special
        Numbers of wrong NaNs, infinities, signs, zeros; number of wrong results at ±∞ and NaN.
    non_monotone
        Number of steps, from an input to the next, on which results go in the wrong direction.
    max_ordinal, max_ordinal_x
        The largest ordinal distance of a result from the exact value, and its input.
    max_abs_error, max_abs_x, max_rel_error
        The largest |got − y| and its input; the largest |got − y|/|y| for a normal number y.
    rms_error, noise_ratio
        √E(got − y)² for x ~ N(mean, sigma²), and its ratio to the RMS error of correct rounding.
    unrepeatable
        Number of inputs whose results change from call to call; None if not measured.
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

    @property
    def record(self) -> Record:
        """The record of this answer, with the fields of a record file."""
        assert self.answer.record is not None
        return self.answer.record

    def assert_within(
        self, *, max_ulp: Any = None, max_abs: Any = None, max_rel: Any = None
    ) -> None:
        """Check errors against bounds: in ULP, absolute and relative.

        Raise AssertionError if an error exceeds its bound; the message names x. A wrong NaN,
        infinity or sign breaks every bound. Raise UsageError if no bound is given, or if the kernel
        has no error of the bounded type.
        """
        __tracebackhide__ = True  # pytest hides this frame
        limits = to_limits({"max_ulp": max_ulp, "max_abs": max_abs, "max_rel": max_rel})
        if not limits:
            raise UsageError("no bound; give max_ulp, max_abs or max_rel")
        if failures := "\n".join(broken(limits, self.record)):
            raise AssertionError(failures)

    def assert_no_worse(self, baseline: Any) -> None:
        """Compare errors and counts with `baseline`, a result or a record's name.

        Raise AssertionError if a number is larger than in the baseline; the message has a line for
        each such number. Raise UsageError if the baseline answers another question.
        """
        __tracebackhide__ = True
        if failures := "\n".join(no_worse(self.record, to_base(baseline, "the baseline"))):
            raise AssertionError(failures)


@dataclass(frozen=True, kw_only=True)
class PairVerdict(Verdict):
    """Errors of a kernel of two inputs.

    Each field `…_up` is the second input, an up or upstream gradient, at which an error occurs.
    """

    max_ulp_up: Real | None
    max_ulp_up_bits: str | None
    max_ordinal_up: Real | None
    max_abs_up: Real | None


@dataclass(frozen=True, kw_only=True)
class Compared(Verdict):
    """Errors of one of two kernels, and counts of their differences.

    Attributes
    ----------
    differ
        Number of inputs at which the bits of the results differ; two NaNs do not differ.
    differ_share
        Probability that results differ for x ~ N(mean, sigma²); None for pairs unless `up="all"`.
    nearer
        Number of inputs at which results differ and this kernel is nearer to the exact value.
    """

    differ: int
    differ_share: Real | None
    nearer: int


@dataclass(frozen=True, kw_only=True)
class ComparedPair(PairVerdict, Compared):
    """Errors of one of two kernels of two inputs, and counts of differences."""


def results_on(
    record: Record, limits: Limits | None = None, base: Base | None = None, *, several: bool = False
) -> Any:
    """Make the result of a record; a list for several kernels or if `several`.

    `answer.failures` names the limits, and the numbers of `base`, that are exceeded.
    """
    answer = _answer(record, limits or {}, base)
    if len(record.kernels) == 1 and not several:
        return _verdict(record, answer)
    return Results([_verdict(each, _answer(each, {})) for each in record.each()], answer)


def _verdict(record: Record, answer: Answer) -> Any:
    (row,) = record.kernels
    alone, compared = (PairVerdict, ComparedPair) if record.pairs else (Verdict, Compared)
    make: Any = compared if "differ" in row else alone
    cells = {each.name: cell_of(record, each.name, row.get(each.name)) for each in fields(make)}
    return make(**cells, answer=answer)


def _answer(record: Record, limits: Limits, base: Base | None = None) -> Answer:
    """Make the answer of a record; compare its errors with the bounds."""
    failures: list[str] = []
    complete, notes = True, []
    for row in record.kernels:
        complete &= row["exhaustive"] != "partial"
        counts = [f"{words}: {row[name]:,}" for name, words in NOTED.items() if row.get(name)]
        notes += [f"{row['kernel']}: {note}" for note in [*row.get("notes", ()), *counts]]
    if complete:
        failures += broken(limits, record)
        failures += no_worse(record, base) if base else ()
        if (limits or base) and not (failures or record.exhaustive):
            count = f"{record.kernels[0]['inputs']:,}"
            notes.append(f"bounds hold for {count} measured inputs; others may have larger errors")
    picture = partial(picture_of, record, limits.get("max_ulp"))
    return Answer(
        {view: partial(table_of, record, view) for view in record.views},
        words=lambda: record.verdict,
        screen=partial(on_screen, record),
        notes=notes,
        failures=failures,
        found="; ".join(lines_on(record)),
        record=record,
        picture=picture if "plot" in record.views else None,
        complete=complete,
    )


def load(path: str | Path) -> Verdict | Results[Verdict]:
    """Read a record: a JSON file that `sweep`, `check` or `compare` wrote.

    Parameters
    ----------
    path
        Name of the file.

    Returns
    -------
    Verdict or Results[Verdict]
        The saved result; the `record` of a verdict has the other fields of the file.

    Raises
    ------
    UsageError
        If the file is not a record, or a field is missing or wrong.

    Examples
    --------
    >>> load("a.json")
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: cannot read 'a.json': No such file or directory; name another file
    """
    results: Verdict | Results[Verdict] = results_on(read_record(str(path)))
    return results


# Bounds


def to_limits(options: Mapping[str, Any]) -> Limits:
    """Parse the bounds among the options, by the name of the option."""
    given = {name: options.get(name) for name in BOUNDS}
    return {name: size(value, option(name)) for name, value in given.items() if value is not None}


def broken(limits: Limits, record: Record) -> Iterator[str]:
    """Yield a sentence for each limit that an error exceeds.

    Raise UsageError if a kernel has no error of the bounded type, and no wrong NaN, ∞ or sign.
    """
    for row in record.kernels if limits else ():
        name = row["kernel"]
        if wrong := [f"{words}: {row[each]:,}" for each, words in WRONG.items() if row[each]]:
            worst = [each for each in record.rows("worst") if each.get("kernel") == name]
            finite = [e for e in worst if isfinite(float(e["x"]) + float(e.get("up", 0)))]
            failed = [each for each in finite if each.get("ulp") is None]
            wrong += [record.text(e, "got") + record.place(e) for e in failed[:1]]
            yield f"{name}: {', '.join(wrong)}; a wrong NaN, infinity or sign breaks each bound"
        for bound, limit in limits.items():
            column, spelt = BOUNDS[bound], option(bound)
            error = exactly(row.get(column))
            if error is None and not wrong:
                raise UsageError(f"{spelt} cannot be checked: {name} has no {column}; remove it")
            if error is not None and error > limit:
                found = f"{column} {record.text(row, column)}{record.place(row, f'{bound}_')}"
                yield f"{name}: {found} exceeds {spelt} {to_float(limit):g}"


def to_base(baseline: Any, option: str = "--baseline") -> Base:
    """Read a baseline from a file, or take it from a result."""
    if isinstance(baseline, Shown) and baseline.answer.record:
        return baseline.answer.record, option
    return read_record(str(baseline)), f"{option} {baseline}"


def no_worse(record: Record, baseline: Base) -> Iterator[str]:
    """Yield a sentence for each number that is worse than in a baseline.

    Raise UsageError if the baseline answers another question, or lacks a kernel or a number.
    """
    base, option = baseline
    for row, other in matched(record, base, option):
        if row["inputs"] != other["inputs"]:
            raise UsageError(f"{option} has other inputs of {row['kernel']}; sweep the same inputs")
        for name in COMPARED:
            here, there = row[name], other[name]
            if there is None and (name == "max_ulp" or here is not None):
                fault = f"{option} has no {name} of {other['kernel']} as a bound"
                raise UsageError(f"{fault}; take another baseline")
            if there is not None and (here is None or _is_larger(here, there)):
                found, least = (to_short_text(each) or "missing" for each in (here, there))
                yield f"{row['kernel']}: {name} is {found}; {option} has {least}"


def _is_larger(here: Any, there: Any) -> bool:
    """Return True if `here` > `there`, even beyond float64, or a NaN."""
    a, b = float(here), float(there)
    return not a <= b or (a == b == inf and bool(here > there))


def matched(record: Record, base: Record, name: str) -> list[tuple[Row, Row]]:
    """Pair rows of equal kernels; two records of one kernel each are a pair."""
    require_same(base.question, record.question, name)
    both = (replace(each, digits=None) for each in (record, base))
    rows, others = (table_of(each, "summary").dicts() for each in both)
    found = {other["kernel"]: other for other in others}
    if len(rows) == len(others) == 1:
        found = {rows[0]["kernel"]: others[0]}
    for row in rows:
        if row["kernel"] not in found:
            raise UsageError(f"{name} lacks a kernel '{row['kernel']}'; sweep the same kernels")
    return [(row, found[row["kernel"]]) for row in rows]


def require_same(a: Mapping[str, Any], b: Mapping[str, Any], name: str) -> None:
    """Raise UsageError, with the differing fields, if two questions differ."""
    different = [field for field in dict.fromkeys([*a, *b]) if a.get(field) != b.get(field)]
    if different:
        fields = [f"{e} is {briefly(a.get(e))}, not {briefly(b.get(e))}" for e in different]
        fault = f"{name} answers another question: {'; '.join(fields)}"
        raise UsageError(f"{fault}; sweep with the same options")
