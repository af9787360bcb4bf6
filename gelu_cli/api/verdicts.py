"""Results on kernels: a row each, and the answer on the command line."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from gelu_cli.api.bounds import Base, Limits, broken, no_worse, to_base, to_limits
from gelu_cli.api.error_pictures import picture_of
from gelu_cli.api.records import Record, read_record
from gelu_cli.api.results import Answer, Real, Result, Results
from gelu_cli.api.verdict_cells import Row
from gelu_cli.api.verdict_tables import on_screen, table_of
from gelu_cli.errors import UsageError


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
        Numbers of results that are off by more than ½ ULP, by more than 1 ULP, and that are not
        correctly rounded.
    wrong_nan, wrong_inf, wrong_sign, wrong_zero, wrong_special
        Numbers of results with a wrong NaN, infinity, sign or zero, and of wrong results at inputs
        ±∞ and NaN.
    non_monotone
        Steps from one input to the next in the wrong direction.
    max_ordinal, max_ordinal_x
        The largest distance in numbers of the format.
    max_abs_error, max_abs_x, max_rel_error
        The largest |got − y|, its input, and the largest |got − y|/|y| of a normal y.
    rms_error, noise_ratio
        √E(got − y)² for draws of N(M, S²), and its ratio to that of correctly rounded results.
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

    @property
    def record(self) -> Record:
        """Plain data with the fields of a record file."""
        assert self.answer.record is not None
        return self.answer.record

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
        limits = to_limits({"max_ulp": max_ulp, "max_abs": max_abs, "max_rel": max_rel})
        if not limits:
            raise UsageError("no bound; give max_ulp, max_abs or max_rel")
        if failures := broken(limits, self.record):
            raise AssertionError("\n".join(failures))

    def assert_no_worse(self, baseline: Any) -> None:
        """Raise AssertionError if an error or a count exceeds that of a record.

        Parameters
        ----------
        baseline
            A result, or the name of its record.

        Raises
        ------
        AssertionError
            If one exceeds it; the message has a line for each.
        UsageError
            If the record answers another question.
        """
        __tracebackhide__ = True
        if failures := no_worse(self.record, to_base(baseline, "the baseline")):
            raise AssertionError("\n".join(failures))


@dataclass(frozen=True, kw_only=True)
class PairVerdict(Verdict):
    """Errors of a kernel of two inputs.

    Attributes
    ----------
    max_ulp_up, max_ulp_up_bits, max_ordinal_up, max_abs_up
        The second inputs, ups or upstream gradients, at which these errors are.
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
        Number of results with different bits; NaNs do not differ.
    differ_share
        Probability that the results at a draw of N(M, S²) differ; of pairs with all ups alone.
    nearer
        Number of inputs at which results differ and this kernel is nearer to the exact value.
    """

    differ: int
    differ_share: Real | None
    nearer: int


@dataclass(frozen=True, kw_only=True)
class ComparedPair(PairVerdict, Compared):
    """Errors of one of two kernels of two inputs, and their differences."""


def results_on(record: Record, limits: Limits | None = None, baseline: Base | None = None) -> Any:
    """Make the result of a record; a list if it has several kernels.

    Parameters
    ----------
    record
        The record, from a measurement or a file.
    limits, baseline
        Bounds, and a record whose numbers are bounds; `answer.failures` lists the broken ones.
    """
    answer = _answer(record, limits or {}, baseline)
    if len(record.kernels) == 1:
        return _verdict(record, answer)
    return Results([_verdict(each, _answer(each, {})) for each in record.each()], answer)


def _verdict(record: Record, answer: Answer) -> Verdict:
    """Make the result of one kernel."""
    (row,) = record.kernels
    alone, compared = (PairVerdict, ComparedPair) if record.pairs else (Verdict, Compared)
    make: Any = compared if "differ" in row else alone
    cells, names = record.cells.row(row), [each.name for each in fields(make)]
    result: Verdict = make(**{name: cells.get(name) for name in names}, answer=answer)
    return result


def _answer(record: Record, limits: Limits, baseline: Base | None = None) -> Answer:
    """Make the answer of a record, and compare it with bounds."""
    failures: list[str] = []
    notes = [f"{row['kernel']}: {note}" for row in record.kernels for note in row.get("_notes", ())]
    if record.complete:
        failures = broken(limits, record)
        failures += [] if baseline is None else no_worse(record, baseline)
        notes += record.notes
        if (limits or baseline is not None) and not (failures or record.exhaustive):
            notes.append(_caution(record.kernels[0]))
    picture = partial(picture_of, record, limits.get("max_ulp"))
    return Answer(
        {view: partial(table_of, record, view) for view in record.views},
        words=lambda: record.verdict,
        screen=partial(on_screen, record),
        notes=notes,
        failures=failures,
        found=record.in_one_line(),
        record=record,
        picture=picture if "plot" in record.views else None,
        complete=record.complete,
    )


def _caution(row: Row) -> str:
    """Warn that bounds hold for the measured inputs alone."""
    count = row["inputs"]
    measured = f"the {count:,} inputs that were measured" if count > 1 else "one input"
    return f"bounds hold for {measured}; others may have larger errors"


def load(path: str | Path) -> Verdict | Results[Verdict]:
    """Read a record, which `sweep`, `check` and `compare` write.

    Parameters
    ----------
    path
        Name of the file.

    Returns
    -------
    Verdict or Results[Verdict]
        The result that was saved; `record` has the other fields of the file.

    Raises
    ------
    UsageError
        If the file is not a record, or a field is missing or wrong.

    Examples
    --------
    >>> load("record.json")
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: cannot read 'record.json': No such file or directory; name another
    """
    results: Verdict | Results[Verdict] = results_on(read_record(str(path)))
    return results
