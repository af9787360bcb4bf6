"""Printed numbers and results of kernels, compared with exact values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from gelu_cli.api.bounds import LIMITS, WRONG, Bounds, Errors, Judging
from gelu_cli.api.check_printed import check_printed
from gelu_cli.api.check_results import digest_of, in_columns, judge, read_bare
from gelu_cli.api.questions import option, to_question
from gelu_cli.api.records import Record, read
from gelu_cli.api.verdicts import Measurement, answer_of
from gelu_cli.errors import UsageError
from gelu_cli.formulas import QUANTITIES
from gelu_cli.inputs.columns import Meaning, understand
from gelu_cli.inputs.files import Source
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.names import FormLike, choose, to_form
from gelu_cli.inputs.numbers import listed
from gelu_cli.inputs.pairs import read_file, to_columns
from gelu_cli.inputs.record_file import is_record


def check(
    x: Any = None,
    y: Any = None,
    *,
    form: FormLike | None = None,
    quantity: str | None = None,
    column: str | None = None,
    rename: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    wrong: bool = False,
    digits: int | None = None,
    dtype: Any = None,
    result: Any = None,
    inputs: str | None = None,
    all: bool = False,
    glu: bool = False,
    packed: str | None = None,
    gate_limit: Any = None,
    up_limit: Any = None,
    up_offset: Any = None,
    intermediate: Any = None,
    mean: Any = None,
    sigma: Any = None,
    ftz: bool = False,
    worst: Any = None,
    rtol: Any = None,
    atol: Any = None,
    max_ulp: Any = None,
    max_abs: Any = None,
    max_rel: Any = None,
    baseline: Any = None,
) -> Any:
    """Compare printed numbers, or results of a kernel, with the exact values.

    Parameters
    ----------
    x
        Points, with the numbers `y`; or a file, words `"1=0.8413"`, a mapping `{x: number}`, or
        columns that are named as `table` names them: a DataFrame, or a mapping with `x`. The file
        of a record is shown again.
    form, quantity
        What the numbers are if no column says it; by default values of `exact`. With `dtype` the
        form `"auto"` is the nearest one.
    column
        Name of the column of x, if not `x`.
    rename
        Words NAME=F_gradient: what a column holds.
    ignore
        Names of columns to leave out.
    wrong
        Return only the printed numbers that are wrong.
    digits
        Significant digits of `correct`, which otherwise has the decimals of the number; with
        `dtype` of all numbers.
    dtype, result
        The numbers are results of a kernel at x in this format; and their own format, if another.
    inputs, all
        The file has results alone, raw or .npy: for x in another file, or for every bit pattern.
    glu, packed, gate_limit, up_limit, up_offset, intermediate
        Results of a GLU at x and up, as of `sweep`; `packed` says how `inputs` has the pairs.
    mean, sigma, ftz, worst, rtol, atol, max_ulp, max_abs, max_rel, baseline
        How results are judged, as by `sweep`.

    Returns
    -------
    Results[Checked], Verdict, Results[Verdict] or Record
        A `Checked` for each printed number; with `dtype` a `Verdict` as of `sweep`, or several of
        several columns.

    Raises
    ------
    UsageError
        If a column is not understood, or a cell is not a number.

    Examples
    --------
    >>> [each.verdict for each in check({1: "0.8413", 2: "1.9546"})]
    ['right', 'wrong']
    >>> check([0.5, 1.0], [0.5, 1.5], dtype="float16", form="relu").max_ulp
    512.0
    """
    given = x if y is None else (x, y)
    file = read_file(given)
    question = {
        "result": result, "glu": glu or None, "packed": packed, "gate_limit": gate_limit,
        "up_limit": up_limit, "up_offset": up_offset, "intermediate": intermediate,
        "mean": mean, "sigma": sigma,
    }  # fmt: skip
    limits = {"max_ulp": max_ulp, "max_abs": max_abs, "max_rel": max_rel}
    how = {"baseline": baseline, "ftz": ftz or None, "worst": worst, "rtol": rtol, "atol": atol}
    bare = {"inputs": inputs, "all": all or None}
    naming = {"column": column, "rename": rename or None, "ignore": ignore or None}
    printed, bounds = {"wrong": wrong or None}, Bounds.of(**limits)
    if file and is_record(file):
        others = {"dtype": dtype, "form": form, "quantity": quantity, **question, **how, **bare}
        _refuse({**others, **naming, **printed}, f"is not for {file.name}, a record; remove it")
        return check_record(file, bounds, digits)
    if dtype is None:
        _refuse({**question, **limits, **how, **bare}, "is for results; add --dtype FORMAT")
        columns = to_columns(file or given, column)
        meanings = _meanings(columns, form, quantity, **naming)
        return check_printed(columns, meanings, wrong=wrong, digits=digits)
    _refuse(printed, "is for printed numbers; take --view worst")
    judging = Judging.of(bounds, **_given(how))
    if any(bare.values()):
        _refuse(naming, "is for tables; remove it, or --all and --inputs")
        asked = to_question(dtype=dtype, **_given({**question, "form": form, "quantity": quantity}))
        found = [read_bare(file, inputs, asked)]
    else:
        _refuse({"packed": packed}, "says how --inputs has pairs; add --inputs FILE")
        asked = to_question(dtype=dtype, **_given({**question, "form": form}))
        columns = to_columns(file or given, column)
        own = None if asked.auto else form
        found = list(in_columns(columns, _meanings(columns, own, quantity, **naming), asked))
        if not found:
            raise UsageError(f"{columns.name} has no results beside x; add a column such as exact")
    of = Measurement("check", asked, judging, of_files=digest_of(found), digits=digits)
    answer = answer_of([judge(each, asked, judging) for each in found], of)
    if len(answer) > 1:
        return answer
    return replace(answer[0], answer=answer.answer, measured=answer[0].measured_as)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _refuse(options: Mapping[str, Any], why: str) -> None:
    """Refuse options that are given, and have no effect."""
    for name in _given(options):
        raise UsageError(f"{option(name)} {why}")


def _meanings(
    columns: Columns,
    form: FormLike | None,
    quantity: str | None,
    column: Any,
    rename: Any,
    ignore: Any,
) -> dict[str, Meaning]:
    """Say what the columns hold; `column` is x."""
    if quantity is not None:
        choose("quantity", quantity, [*QUANTITIES, "up_gradient"])
    renamed = [*listed(rename or ()), *([f"{column}=x"] if column else [])]
    meant = None if form is None else to_form(form)
    return understand(columns, renamed, ignore or (), meant, quantity)


def check_record(source: Source, bounds: Bounds, digits: int | None) -> Record:
    """Show a record again, and compare its largest errors with bounds.

    Raises
    ------
    UsageError
        If a bound is given on an error that the record lacks.
    """
    record, summary = read(source, digits), read(source).view("summary")
    failures = [line for row in summary for line in bounds.broken_by(_errors(row))]
    return replace(record, answer=replace(record.answer, failures=failures))


def _errors(row: Mapping[str, Any]) -> Errors:
    """Read the largest errors of a row of a record's summary."""
    largest = {}
    for column in LIMITS.values():
        if (error := row.get(column)) is not None and -math.inf < error < math.inf:
            x = row.get(f"{column.removesuffix('_error')}_x")
            largest[column] = Fraction(error), "an input" if x is None else f"x = {x}"
    return Errors(row["kernel"], largest, {name: row[name] for name in WRONG})
