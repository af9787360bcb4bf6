"""What `gelu check` and `gelu identify` answer, from Python: figures and results, judged."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from typing import Any, overload

from gelu_cli.errors import UsageError, briefly, unknown
from gelu_cli.old.answers import check as checked
from gelu_cli.old.answers import identify as identified
from gelu_cli.old.api.arguments import (
    Criteria,
    FormWord,
    digits_of,
    form_of,
    format_of,
    listed,
    tolerance_of,
    whole,
)
from gelu_cli.old.api.kernels import (
    NOTHING,
    GluWord,
    gating_of,
    kernel_of,
    kind_of_kernel,
    question_of,
)
from gelu_cli.old.api.messages import asked_in_python, in_python
from gelu_cli.old.api.results import Table
from gelu_cli.old.api.verdicts import Verdict
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.comparison.criteria import CriteriaObserver
from gelu_cli.old.identification.figures import Figures
from gelu_cli.old.parallel import available_cores
from gelu_cli.old.reading import figures as printed
from gelu_cli.old.reading.kernels import PROGRAM
from gelu_cli.old.reading.layouts import Rows
from gelu_cli.old.reading.names import Choose, column_of, judged_columns, names_a_form, places_of
from gelu_cli.old.reading.results import Due, read_results
from gelu_cli.old.reading.tables import Table as Cells
from gelu_cli.old.reading.tables import read_table
from gelu_cli.old.report import Report, read
from gelu_cli.old.sweeping.checking import check_sorted_results
from gelu_cli.old.sweeping.routines import check_quantity
from gelu_cli.old.sweeping.sorted_results import SpillFile
from gelu_cli.old.sweeping.truth import Question

NAME = "the figures"
EXACT = "exact"
RESULTS = "results"
"""What figures, and results, are called whose column has no name."""


@overload
def check(
    figures: Any, *, dtype: None = None, column: str | Sequence[str] = (), wrong: bool = False,
    digits: int | None = None, glu: GluWord = False,
) -> Table: ...  # fmt: skip
@overload
def check(
    figures: Any, *, dtype: Any, column: str | Sequence[str] = (), result: Any = None,
    form: FormWord | None = None, quantity: str | None = None, ftz: bool = False,
    criteria: Criteria = False, glu: GluWord = False,
) -> Verdict: ...  # fmt: skip
@asked_in_python
def check(
    figures: Any, *, dtype: Any = None, column: str | Sequence[str] = (), wrong: bool = False,
    digits: int | None = None, result: Any = None, form: FormWord | None = None,
    quantity: str | None = None, ftz: bool = False, criteria: Criteria = False,
    glu: GluWord = False,
) -> Table | Verdict:  # fmt: skip
    """Return which printed figures are right, or how far results in a format are from the truth.

    `figures` are a mapping {x: figure}, a DataFrame or a mapping of columns, x among them, two
    arrays (x, figures), or the name of a file. Columns are named as `gelu table` names them, after
    a form; those of `column` are judged, or all. What has no columns is "exact", or `column`. A
    figure counts as printed: "0.8410" has four decimals. `wrong` leaves the right ones out; the
    correct ones have as many decimals, or `digits` digits.

    With `dtype` the figures are results of a kernel at x in this format, rounded to `result`, by
    default `dtype`, in one column. They should be those of `form` ("auto" is the nearest one), by
    default what their column is named. `ftz`, `criteria` and `glu` are those of `sweep`. With
    `glu` they are those of a gated linear unit, at pairs of the columns x and up.

    Raises ValueError for figures that cannot be read and a column that is named after no form,
    TypeError for what holds no figures.

    >>> check({1: "0.8413", 2: "1.9546"})["verdict"]
    ['right', 'wrong']
    >>> check(([0.5, 1.0], [0.5, 1.5]), dtype="float16", form="relu").max_ulp
    512.0
    """
    named = listed("column", column)
    table = _cells(figures, (*named, EXACT if dtype is None else RESULTS)[0])
    pairs = glu is not False
    if dtype is None:
        of_results = {"result": result, "form": form, "quantity": quantity}
        if asked := [name for name, value in of_results.items() if value is not None]:
            raise UsageError(f"{asked[0]} is for results in a format; add dtype, or leave it out")
        notes: list[str] = []
        columns = partial(judged_columns, wanted=named, say=notes.append, glu=pairs)
        read_ones = printed.read_figures(table, columns, gating_of(glu, FLOAT64))
        report = checked.check(read_ones, digits=digits_of(digits), wrong_only=wrong, pairs=pairs)
        return _table("figures", report, notes)
    tolerance, inputs = tolerance_of(criteria), ("x", "up")[: 1 + pairs]
    others = [name for name in table.header if name not in inputs]
    if len(named or others) != 1:
        raise UsageError(f"results are judged in one column; name one of {', '.join(others)}")
    (name,) = named or others
    if names_a_form(name, glu=pairs):
        own, of_column = column_of(name, NAME, glu=pairs)
        form, quantity = form or own, quantity or of_column
    question, _ = question_of(dtype, result, form or EXACT, quantity, None, 1.0, glu)
    formats = question.dtype, question.result
    with SpillFile() as spill:
        due = Due(*formats, lambda name: question, spill, _chosen(name), inputs)
        (results,) = read_results(table, due)
        also = (lambda due: CriteriaObserver([due], False, tolerance)) if tolerance else None
        found = check_sorted_results(*results, exhaustive=False, ftz=ftz, also=also)
    return Verdict(**vars(found))


@asked_in_python
def identify(
    figures: Any, *, column: str | None = None, quantity: str | None = None, dtype: Any = None,
    result: Any = None, rows: int = 10, digits: int | None = None, backend: str | None = None,
    backward: str | None = None, device: str | None = None, batch: int | None = None,
    signature: str | None = None, kwargs: Mapping[str, Any] = NOTHING,
    timeout: float | None = None, glu: GluWord = False,
) -> Table:  # fmt: skip
    """Return which form, routine and parameter explain figures, the best first.

    `figures` are what `check` takes, printed or, with `dtype`, results in a format; or a kernel as
    `sweep` takes it, which is called at inputs chosen for it, in float32 by default. The `quantity`
    is "value" or "gradient", by default what the column is named. At most `rows` explanations are
    returned of each column; the `notes` of the table say which x tells the best two apart.

    With `glu` there are two inputs: a kernel (gate, up), of one array with {"packed": "halves"} or
    "interleaved"; columns x and up.

    Raises ValueError for figures that contradict each other, or that every form explains.

    >>> identify({2: "1.9546"})[0]["form"]
    'tanh'
    """
    options = {
        "backend": backend, "backward": backward, "device": device, "batch": batch,
        "signature": signature, "kwarg": kwargs or None, "timeout": timeout,
    }  # fmt: skip
    notes: Sequence[str] = ()
    if _is_kernel(figures):
        columns, notes = _of_kernel(figures, dtype or "float32", result, quantity, options, glu)
    elif asked := [name for name, value in options.items() if value is not None]:
        raise UsageError(f"--{asked[0]} is for kernels, and these are figures; leave it out")
    else:
        columns = _given(figures, column, quantity, dtype, result, glu is not False)
    shown, jobs = whole("rows", rows, 1, 1000), available_cores()
    report = identified.identify(columns, rows=shown, digits=digits_of(digits), jobs=jobs)
    return _table("explanations", report, notes)


def _table(name: str, report: Report, notes: Sequence[str]) -> Table:
    """Return a report as a table, read once; what it says at its end are notes."""
    rows, ending = read(report)
    kept = report._replace(stream=[rows, ending._replace(notes=())])
    said = [*notes, *ending.notes, *ending.failures]
    return Table(tables={name: partial(_kept, kept)}, notes=[*map(in_python, said)])


def _kept(report: Report, digits: int | None) -> Report:
    return report


def _cells(figures: Any, name: str) -> Cells:
    """Return figures as the table that a file would have; a column without a name is called so."""
    if isinstance(figures, str | os.PathLike):
        return read_table(os.fspath(figures))
    if isinstance(figures, tuple) and len(figures) == 2:
        columns = {"x": figures[0], name: figures[1]}
    elif hasattr(figures, "keys"):
        columns = {str(key): figures[key] for key in figures.keys()}  # noqa: SIM118 (DataFrames)
        if "x" not in columns:
            columns = {"x": [*figures.keys()], name: [*columns.values()]}
    else:
        taken = "a mapping, a DataFrame, arrays (x, figures) or the name of a file"
        raise TypeError(f"figures must be {taken}, not {briefly(figures)}")
    cells = {each: _texts(column) for each, column in columns.items()}
    for each, texts in cells.items():
        if len(texts) != len(cells["x"]):
            raise UsageError(f"x has {len(cells['x'])} numbers, column '{each}' {len(texts)}")
    rows = Rows(
        range(1, len(cells["x"]) + 1),
        len(cells),
        [*chain.from_iterable(zip(*cells.values(), strict=True))],
    )
    return Cells(NAME, places_of(cells, NAME), iter([rows]), "row")


def _texts(column: Any) -> list[str]:
    """Return the cells of a column as a file would have them."""
    cells = column.tolist() if hasattr(column, "tolist") else [*column]
    return ["" if cell is None else str(cell) for cell in cells]


def _chosen(column: str | None) -> Choose:
    """Return what takes one column of results, or all of them."""

    def choose(names: Sequence[str], table_name: str) -> Sequence[str]:
        if column is not None and column not in names:
            raise unknown("column", column, names, where=f" of {table_name}")
        return [name for name in names if name != "x"] if column is None else [column]

    return choose


def _is_kernel(figures: Any) -> bool:
    command = isinstance(figures, list) and bool(figures) and isinstance(figures[0], str)
    word = isinstance(figures, str) and ":" in figures and not os.path.exists(figures)
    return command or word or callable(figures)


def _of_kernel(
    function: Any, dtype: Any, result: Any, quantity: str | None, options: Mapping[str, Any],
    glu: GluWord,
) -> tuple[list[Figures], Sequence[str]]:  # fmt: skip
    """Return what a kernel returns at inputs chosen for it, and what else was seen."""
    backward = options["backward"]
    pairs = glu is not False
    judged = "gate_gradient" if pairs and quantity == "gradient" else quantity
    question, notes = question_of(dtype, result, EXACT, judged, backward, 1.0, glu)
    both = not pairs and quantity is None and backward is None
    both = both and kind_of_kernel(function) != PROGRAM and question.result is question.dtype
    if both:
        question = question._replace(quantity="gradient")
    with ExitStack() as guests:
        kernel = kernel_of(function, question, options, guests)
        columns, called = identified.figures_of_kernel(kernel, values_too=both)
    return columns, [*notes, *called.notes]


def _given(
    figures: Any, column: str | None, quantity: str | None, dtype: Any, result: Any, second: bool
) -> list[Figures]:
    """Return figures in print, or results in a format."""
    check_quantity(quantity or "value")
    table = _cells(figures, column or "")
    if dtype is None:
        return printed.read_printed(table, column, quantity, second)
    formats = format_of("dtype", dtype), format_of("result", dtype if result is None else result)
    exact = form_of("form", EXACT)

    def question(name: str) -> Question:
        return Question(exact, quantity or printed.quantity_of_column(name), *formats)

    with SpillFile() as spill:
        due = Due(*formats, question, spill, _chosen(column), ("x", "up")[: 1 + second])
        return printed.figures_of_results(read_results(table, due), NAME)
