"""Printed numbers and results of kernels, compared with exact values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gelu_cli.accuracy import Question, measure_results
from gelu_cli.accuracy.nearest import nearest_form
from gelu_cli.api.check_printed import check_printed
from gelu_cli.api.questions import Asked, refuse, to_asked
from gelu_cli.api.records import is_record, read_record, record_on
from gelu_cli.api.sweep import USUAL, refuse_others
from gelu_cli.api.verdicts import BOUNDS, results_on, to_base, to_limits
from gelu_cli.errors import UsageError
from gelu_cli.formulas import QUANTITIES
from gelu_cli.inputs.columns import Columns, Meaning, Source, input_column, read_source, understand
from gelu_cli.inputs.names import FormLike, choose, to_form
from gelu_cli.inputs.numbers import listed
from gelu_cli.inputs.point_lists import read_file, to_columns
from gelu_cli.inputs.values import numbers_of, read_numbers
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.patterns import numbers_of as numbers_in

OF_RECORDS = {*BOUNDS, "baseline", "digits"}
OF_TABLES = {"column", "rename", "ignore"}
OF_PRINTED = {*OF_TABLES, "form", "quantity", "digits", "wrong"}
OF_GLU = {"glu", "packed", "gate_limit", "up_limit", "up_offset", "intermediate"}
OF_RESULTS = {*OF_GLU, "result", "mean", "sigma", "ftz", "worst", "rtol", "atol"}
"""Options by what they are for; results have those of records and of tables too."""

OF_PAIRS = ("value", "gate_gradient", "up_gradient")
"""Quantities of a GLU that columns hold."""

Given: TypeAlias = tuple[str, Question, Sequence[Floats], Floats]
"""Results of a kernel: name, question, inputs, of pairs two, and results."""


def check(
    x: Any = None,
    y: Any = None,
    *,
    form: FormLike | None = None,
    quantity: str | None = None,
    column: str | None = None,
    rename: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    wrong: bool = False,
    digits: int | None = None,
    dtype: Any = None,
    inputs: str | None = None,
    all: bool = False,
    **options: Any,
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
    dtype
        The numbers are results of a kernel at x in this format.
    inputs, all
        The file has results alone, raw or .npy: for x in another file, or for every bit pattern.
    options
        Options of `sweep` on the format of results (`result`), on GLUs (`glu`, `gate_limit`,
        `up_limit`, `up_offset`, `intermediate`; `packed` says how `inputs` has pairs), on how
        results are judged (`mean`, `sigma`, `ftz`, `worst`, `rtol`, `atol`), and bounds.

    Returns
    -------
    Results[Checked], Verdict or Results[Verdict]
        A `Checked` for each printed number; with `dtype` a `Verdict` as of `sweep`, or several of
        several columns; of a record what `load` returns.

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
    refuse_others("check", options, OF_RESULTS | OF_RECORDS)
    own = OF_PRINTED | {"dtype", "inputs", "all"}
    options |= {name: each for name, each in locals().items() if name in own}
    options = {n: v for n, v in options.items() if str(v) not in ("None", "False", "[]")}
    base, given = options.get("baseline"), x if y is None else (x, y)
    file = read_file(given)
    base = base and to_base(base)
    if file and is_record(file):
        refuse(options.keys() - OF_RECORDS, f"is not for {file.name}, a record; remove it")
        return results_on(read_record(file, digits), to_limits(options), base)
    if dtype is None:
        refuse(options.keys() - OF_PRINTED, "is for results; add --dtype FORMAT")
        columns = to_columns(file or given, column)
        return check_printed(columns, _meanings(columns, options), wrong=wrong, digits=digits)
    refuse(options.keys() & {"wrong"}, "is for printed numbers; take --view worst")
    results: list[Given]
    if all or inputs:
        refuse(options.keys() & OF_TABLES, "is for tables; remove it, or --all and --inputs")
        asked = to_asked({**USUAL, "criteria": True, **options, "all": False})
        results = [_bare(file, inputs, options.get("packed"), asked)]
    else:
        refuse(options.keys() & {"packed"}, "is for --inputs; remove it")
        asked = to_asked({**USUAL, "criteria": True, **options, "quantity": None})
        columns = to_columns(file or given, column)
        meant = {**options, "form": None} if asked.auto else options
        results = [*_in_columns(columns, _meanings(columns, meant), asked)]
        if not results:
            raise UsageError(f"{columns.name} has no results beside x; add headings, e.g. x,exact")
    if asked.auto:
        results = [(n, q._replace(form=nearest_form(q, x[0], y)), x, y) for n, q, x, y in results]
    found = [measure_results(*each, **asked.judging) for each in results]
    of_files = ", ".join(dict.fromkeys(_digest(points) for _, _, points, _ in results))
    record = record_on("check", asked, found, of_files=of_files, digits=digits)
    return results_on(record, to_limits(options), base)


def _digest(points: Sequence[Floats]) -> str:
    """Name inputs, whatever their order."""
    both = np.stack([each.astype(np.float64) for each in points])
    return hashlib.sha256(both[:, np.lexsort(both)].tobytes()).hexdigest()[:16]


def _meanings(columns: Columns, options: Mapping[str, Any]) -> dict[str, Meaning]:
    """Say what the columns hold; the option `column` names x."""
    form, quantity, x = (options.get(name) for name in ("form", "quantity", "column"))
    if quantity is not None:
        choose("quantity", quantity, [*QUANTITIES, "up_gradient"])
    renamed = [*listed(options.get("rename", ())), *([f"{x}=x"] if x else [])]
    meant = None if form is None else to_form(form)
    return understand(columns, renamed, options.get("ignore", ()), meant, quantity)


def _in_columns(columns: Columns, meanings: Mapping[str, Meaning], asked: Asked) -> Iterator[Given]:
    """Yield the results in each column; bit patterns precede numbers."""
    question, bits = asked.question, {heading: each.bits for heading, each in meanings.items()}
    inputs, known = (("x", "up"), OF_PAIRS) if question.glu else (("x",), QUANTITIES)
    for heading, each in meanings.items():
        if each.quantity not in (*inputs, *known):
            fault = f"column '{heading}' of {columns.name} is {each.quantity}"
            raise UsageError(f"{fault}, none of {', '.join(inputs + known)}; add or remove --glu")
        if each.form and not question.glu:
            each.form.require([each.quantity])
    headings = [input_column(meanings, columns, name) for name in inputs]
    read = [numbers_of(columns, each, question.dtype, bits=bits[each]) for each in headings]
    known_inputs = np.logical_and.reduce([there for _, there in read])
    found: dict[str, str] = {}
    for heading, each in meanings.items():
        if each.form and (each.bits or each.name not in found):
            found[each.name] = heading
    for name, heading in found.items():
        form, quantity, _ = meanings[heading]
        asks = question._replace(form=form or question.form, quantity=quantity)
        got, there = numbers_of(columns, heading, question.result, bits=bits[heading])
        some = known_inputs & there
        if some.any():
            yield name, asks, [at[some] for at, _ in read], got[some]


def _bare(file: Source | None, inputs: str | None, packed: str | None, asked: Asked) -> Given:
    """Read results for `inputs` in another file, or else for each bit pattern."""
    if file is None:
        raise UsageError("--all and --inputs read results from a file; name one")
    question, width = asked.question, asked.question.dtype.width
    got = read_numbers(file, question.result).ravel()
    if inputs is not None:
        found = read_numbers(read_source(inputs), question.dtype).ravel()
        at = _pairs(found, packed, inputs) if question.glu else [found]
    elif question.glu or width > 16:
        raise UsageError("--all is for one input of 16 or 8 bits; remove it, add --inputs FILE")
    else:
        at = [numbers_in(question.dtype, np.arange(1 << width))]
    if len(got) != len(at[0]):
        fault = f"{file.name} holds {len(got)} results for {len(at[0])} inputs"
        raise UsageError(f"{fault}; write one for each")
    return file.name, question, at, got


def _pairs(found: Floats, packed: str | None, name: str) -> list[Floats]:
    """Split pairs, gate by gate or --packed halves, into gates and ups."""
    if found.size % 2:
        raise UsageError(f"{name} has {found.size} numbers, not pairs; write each gate and its up")
    return list(found.reshape(2, -1) if packed == "halves" else found.reshape(-1, 2).T)
