"""Results on kernels: a row each, and what the command line prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from gelu_cli.api.bounds import broken, no_worse, to_limits
from gelu_cli.api.error_pictures import picture_of
from gelu_cli.api.records import Record, read_record
from gelu_cli.api.results import Answer, Real, Result, Results, Shown
from gelu_cli.api.verdict_cells import Row
from gelu_cli.api.verdict_tables import on_screen, table_of
from gelu_cli.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Judged(Result):
    """A result that has a record."""

    @property
    def record(self) -> Record:
        """Plain data with the fields of a record file."""
        assert self.answer.record is not None
        return self.answer.record


@dataclass(frozen=True, kw_only=True)
class Verdict(Judged):
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
            If one does; each has a line.
        UsageError
            If the record answers another question.
        """
        __tracebackhide__ = True
        if failures := no_worse(self.record, baseline, "the baseline"):
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


@dataclass(frozen=True, kw_only=True)
class Comparison(Judged):
    """Where two kernels differ, and which is nearer to the exact value.

    Attributes
    ----------
    a, b
        Errors of each kernel, as of `sweep`.
    inputs
        Number of inputs.
    differ
        Number of results with different bits; each NaN is the same.
    differ_share
        Share of draws of N(M, S²) at which they differ: of pairs an estimate from 10⁶ draws.
    nearer_a, nearer_b
        Number of these inputs at which each is nearer to the exact value.
    """

    a: Verdict
    b: Verdict
    inputs: int
    differ: int
    differ_share: Real | None
    nearer_a: int
    nearer_b: int

    to_dict = Shown.to_dict


def results_on(
    record: Record, limits: Mapping[str, Fraction] | None = None, baseline: Any = None
) -> Any:
    """Make a Verdict of a record, a list of several, or a Comparison.

    Parameters
    ----------
    record
        What was measured, or read.
    limits, baseline
        Bounds, and a record that no number may exceed; failures are in `answer`.
    """
    answer = _answer(record, limits or {}, baseline)
    if record.two:
        a, b = record.kernels
        verdicts = [_verdict(each, _answer(each)) for each in record.each()]
        share: Any = record.cells.cell("differ_share", a["differ_share"])
        return Comparison(
            a=verdicts[0],
            b=verdicts[1],
            inputs=a["inputs"],
            differ=a["differ"],
            differ_share=share,
            nearer_a=a["nearer"],
            nearer_b=b["nearer"],
            answer=answer,
        )
    if len(record.kernels) == 1:
        return _verdict(record, answer)
    return Results([_verdict(each, _answer(each)) for each in record.each()], answer)


def _verdict(record: Record, answer: Answer) -> Verdict:
    """Make the result of one kernel."""
    (row,) = record.kernels
    kind = PairVerdict if record.pairs else Verdict
    cells: Any = record.cells.row(row)
    return kind(**{each.name: cells.get(each.name) for each in fields(kind)}, answer=answer)


def _answer(
    record: Record, limits: Mapping[str, Fraction] | None = None, baseline: Any = None
) -> Answer:
    """Make what is printed of a record, and compare it with bounds."""
    failures: list[str] = []
    notes = [f"{row['kernel']}: {note}" for row in record.kernels for note in row.get("_notes", ())]
    if record.complete:
        failures = broken(limits or {}, record)
        failures += [] if baseline is None else no_worse(record, baseline)
        notes += record.notes
        if (limits or baseline is not None) and not (failures or record.exhaustive):
            notes.append(_caution(record.kernels[0]))
    limit = (limits or {}).get("max_ulp")
    return Answer(
        {view: partial(table_of, record, view) for view in record.views},
        words=lambda: record.verdict,
        screen=partial(on_screen, record),
        notes=notes,
        failures=failures,
        found=record.in_one_line(),
        record=record,
        picture=partial(picture_of, record, limit) if "plot" in record.views else None,
        complete=record.complete,
    )


def _caution(row: Row) -> str:
    """Say which inputs bounds leave open."""
    count = row["inputs"]
    measured = f"the {count:,} inputs that were measured" if count > 1 else "one input"
    return f"bounds hold for {measured}; others may have larger errors"


def load(path: str | Path) -> Verdict | Results[Verdict] | Comparison:
    """Read a record, which `sweep`, `check` and `compare` write.

    Parameters
    ----------
    path
        Name of the file.

    Returns
    -------
    Verdict, Results[Verdict] or Comparison
        What the function has returned; `record` has the other fields of the file.

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
    found: Verdict | Results[Verdict] | Comparison = results_on(read_record(str(path)))
    return found
