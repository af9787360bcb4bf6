"""Comparison of two kernels, input by input, or of two records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gelu_cli.accuracy.measure import measure
from gelu_cli.accuracy.nearest import with_nearest_form
from gelu_cli.api.questions import KernelLike, refuse, to_asked, to_jobs, to_kernels
from gelu_cli.api.records import Record, read_record, record_on
from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.api.sweep import USUAL, refuse_others
from gelu_cli.api.verdict_views import ENDS, INPUT, cell_of
from gelu_cli.api.verdicts import BOUNDS, matched, results_on
from gelu_cli.errors import UsageError
from gelu_cli.output.tables import Cell, Table, to_json

NAMES = {"kernel", "dtype", "form", "quantity", "exhaustive", *ENDS}
"""Columns that name a row or the question; two records are compared in all other columns."""


@dataclass(frozen=True, kw_only=True)
class Change(Result):
    """A cell that differs between two records of the same question.

    Attributes
    ----------
    kernel, figure
        Name of the kernel in the first record; name of the column.
    low, high, up_low, up_high
        Ends of the region of inputs; None for the summary.
    a, b
        The cell in the first and in the second record.
    change
        b − a if both are numbers that float64 can hold; None for texts and for columns of inputs.
    """

    kernel: str
    low: Cell
    high: Cell
    up_low: Cell
    up_high: Cell
    figure: str
    a: Cell
    b: Cell
    change: Cell


def compare(
    a: KernelLike | None = None,
    b: KernelLike | None = None,
    *,
    exec: str | Sequence[str] | None = None,
    digits: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Any:
    """Compare two kernels input by input, or two records number by number.

    Results differ if their bits differ: 0 and −0 differ, two NaNs do not. The kernel whose result
    has the smaller distance from the exact value is nearer; at equal distances neither is nearer.

    Parameters
    ----------
    a, b
        Kernels, as `sweep` takes them, or names of two records.
    exec
        Commands of programs, which are kernels, too; `a`, `b` and `exec` have to name two in all.
    digits
        Return decimals of `digits` significant digits.
    progress
        As in `sweep`.
    options
        Other options of `sweep`, except bounds and criteria. The form `"auto"` is the form nearest
        to the results of the first kernel; `worst` is the number of rows in the view `worst`, which
        lists the inputs at which the results differ most.

    Returns
    -------
    Results[Compared] or Results[Change]
        A result for each kernel; for two records a result for each cell that differs.

    Raises
    ------
    UsageError
        If there are not two kernels, an option does not apply, or records answer different
        questions.
    ComputationError
        If a kernel fails.

    Examples
    --------
    >>> a, b = compare("erf_sum", "erfc", dtype="bfloat16")
    >>> a.differ, a.nearer, b.nearer
    (628, 101, 527)
    """
    refuse_others("compare", options, USUAL.keys() - NOT_HERE)
    names = [str(each) for each in (a, b) if str(each).lower().endswith(".json")]
    if len(names) == 1:
        raise UsageError(f"{names[0]} is a record, the other is not; name two records")
    if names:
        unset = {name: (str(value), "None", "[]") for name, value in USUAL.items()}
        given = [n for n, v in {**options, "exec": exec}.items() if str(v) not in unset[n]]
        refuse(given, "is for kernels, not for records; remove it")
        return _compare_records(read_record(names[0], digits), read_record(names[1]), names[1])
    options = {**USUAL, "criteria": False, **options}
    asked = to_asked(options)
    kernels = to_kernels([each for each in (a, b) if each is not None], exec, options, asked)
    if len(kernels) != 2:
        raise UsageError(f"two kernels are needed, not {len(kernels)}; name two, e.g. erfc erf_sum")
    question, inputs = asked.question, asked.inputs
    if asked.auto:
        question = with_nearest_form(question, inputs, kernels[0])
    how = {**asked.judging, "jobs": to_jobs(options["jobs"], kernels), "progress": progress}
    found = measure(question, inputs, kernels, compare=True, **how)
    record = record_on("compare", asked, found, digits=digits)
    return results_on(record)


NOT_HERE = {*BOUNDS, "baseline", "kernel", "criteria", "rtol", "atol"}
"""Options of `sweep` that `compare` does not take."""


def _compare_records(a: Record, b: Record, name: str) -> Results[Change]:
    """List the cells that differ between two records of one question."""
    found, pairs = [], matched(a, b, name)
    for row, match in pairs:
        before, after = _numbers(a, row["kernel"]), _numbers(b, match["kernel"])
        for key, number in before.items():
            if key in after and to_json(number) != to_json(after[key]):
                found.append(_change(a, row["kernel"], key, number, after[key]))
    keys = [*["kernel"] * (len(pairs) > 1), *(ENDS if a.pairs else ENDS[:2]), "figure"]

    def table() -> Table:
        names, rows = [*keys, "a", "b", "change"], map(Result.to_dict, found)
        return Table.of_rows("Numbers that have changed", names, rows, len(keys))

    said = f"numbers that have changed: {len(found)}"
    return Results(found, Answer({"changes": table}, [f"{said}."], found=said))


def _numbers(record: Record, kernel: str) -> dict[tuple[Any, ...], Any]:
    """Collect the cells of a kernel by (column, four ends of the region)."""
    rows = [*record.rows("summary"), *record.rows("regions")]
    return {
        (column, *map(row.get, ENDS)): cell
        for row in rows
        if row.get("kernel", kernel) == kernel
        for column, cell in row.items()
        if column not in NAMES
    }


def _change(record: Record, kernel: str, key: Sequence[Any], a: Any, b: Any) -> Change:
    """Make a result; the change is a difference of shortest decimals."""
    column, *ends = key
    change: Any = None
    if isinstance(a, int | float) and isinstance(b, int | float) and not INPUT.fullmatch(column):
        change = cell_of(record, "", type(b)(Decimal(str(b)) - Decimal(str(a))))
    numbers = {name: cell_of(record, column, each) for name, each in (("a", a), ("b", b))}
    where: Any = dict(zip(ENDS, ends, strict=True))
    return Change(kernel=kernel, figure=column, change=change, **numbers, **where)
