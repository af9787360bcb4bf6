"""Printed numbers and results of kernels, compared with exact values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gelu_cli.api.bounds import BOUNDS, to_base, to_limits
from gelu_cli.api.check_printed import check_printed
from gelu_cli.api.check_results import digest_of, in_columns, judged, read_bare
from gelu_cli.api.questions import refuse, to_asked
from gelu_cli.api.records import read_record, record_on
from gelu_cli.api.sweep import USUAL, refuse_others
from gelu_cli.api.verdicts import results_on
from gelu_cli.errors import UsageError
from gelu_cli.formulas import QUANTITIES
from gelu_cli.inputs.columns import Meaning, understand
from gelu_cli.inputs.files import Columns
from gelu_cli.inputs.names import FormLike, choose, to_form
from gelu_cli.inputs.numbers import listed
from gelu_cli.inputs.pairs import read_file, to_columns
from gelu_cli.inputs.record_file import is_record

OF_GLU = {"glu", "packed", "gate_limit", "up_limit", "up_offset", "intermediate"}
OF_RESULTS = {*OF_GLU, "result", "mean", "sigma", "ftz", "worst", "rtol", "atol"}
OF_RECORDS = {*BOUNDS, "baseline", "digits"}
OF_TABLES = {"column", "rename", "ignore"}
OF_PRINTED = {*OF_TABLES, "form", "quantity", "digits", "wrong"}
"""Options by what they are for; results have those of records and of tables too."""

UNSET = ("None", "False", "()", "[]")


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
    options = {name: each for name, each in options.items() if str(each) not in UNSET}
    baseline, given = options.get("baseline"), x if y is None else (x, y)
    file = read_file(given)
    baseline = baseline if baseline is None else to_base(baseline)
    if file and is_record(file):
        refuse(options.keys() - OF_RECORDS, f"is not for {file.name}, a record; remove it")
        return results_on(read_record(file, digits), to_limits(options), baseline)
    if dtype is None:
        refuse(options.keys() - OF_PRINTED, "is for results; add --dtype FORMAT")
        columns = to_columns(file or given, column)
        return check_printed(columns, _meanings(columns, options), wrong=wrong, digits=digits)
    refuse(options.keys() & {"wrong"}, "is for printed numbers; take --view worst")
    usual = {**USUAL, "criteria": True}
    if all or inputs:
        refuse(options.keys() & OF_TABLES, "is for tables; remove it, or --all and --inputs")
        if all and inputs:
            raise UsageError("--all and --inputs both say which x; remove one")
        asked = to_asked({**usual, **options, "all": False})
        found = [read_bare(file, inputs, options.get("packed"), asked)]
    else:
        refuse(options.keys() & {"packed"}, "says how --inputs has pairs; add --inputs FILE")
        asked = to_asked({**usual, **options, "quantity": None})
        columns = to_columns(file or given, column)
        meant = {**options, "form": None} if asked.auto else options
        found = list(in_columns(columns, _meanings(columns, meant), asked))
        if not found:
            raise UsageError(f"{columns.name} has no results beside x; add headings, e.g. x,exact")
    verdicts = [judged(each, asked) for each in found]
    of_files = digest_of(found)
    record = record_on("check", asked, verdicts, of_files=of_files, digits=digits)
    return results_on(record, to_limits(options), baseline)


def _meanings(columns: Columns, options: Mapping[str, Any]) -> dict[str, Meaning]:
    """Say what the columns hold; the option `column` names x."""
    form, quantity, x = (options.get(name) for name in ("form", "quantity", "column"))
    if quantity is not None:
        choose("quantity", quantity, [*QUANTITIES, "up_gradient"])
    renamed = [*listed(options.get("rename", ())), *([f"{x}=x"] if x else [])]
    meant = None if form is None else to_form(form)
    return understand(columns, renamed, options.get("ignore", ()), meant, quantity)
