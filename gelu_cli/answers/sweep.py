"""What sweeps have found, as reports: a summary, regions, a histogram and the worst inputs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.answers import report_of
from gelu_cli.report import Report, Row, stream_of
from gelu_cli.report.numbers import machine_text
from gelu_cli.sweeping.rows import (
    PICTURE,
    Cells,
    Numbers,
    criterion_rows,
    histogram_rows,
    plot_rows,
    region_rows,
    result_row,
    shape_rows,
    summary_rows,
    worst_rows,
)

# Numerical libraries are imported late: help lists the views.
if TYPE_CHECKING:
    from gelu_cli.sweeping.at import At
    from gelu_cli.sweeping.records import Record
    from gelu_cli.sweeping.truth import Question
    from gelu_cli.sweeping.verdict import Verdict

DEFINITION = (
    "|got − y|/ulp(y), y the true value, ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1); "
    "ordinal: steps in the format from got to y rounded"
)
CRITERIA = (
    "want: the correctly rounded result; N(0, 1): inputs as often as draws round to them, P for "
    "one draw; atol and rtol: what passes against the true values"
)

TITLE = "Errors of floating-point results"
"""Of all that sweeps have found."""

ANSWERS = ("sweep", "check")
"""The commands whose views these are."""

LOWER_BOUNDS = {"max_ulp": "max ULP ≥", "max_ulp_jax": "max ULP (JAX) ≥"}
"""The headings where not all inputs were looked at: others may be worse."""


class View(NamedTuple):
    """A table: what help says of it, title, headings by column, and what yields its rows.

    The first `keys` columns name a row.
    """

    words: str
    title: str
    headings: Callable[[], Mapping[str, str]]
    rows: Callable[[Any, Numbers, Any], Iterator[Cells]]
    """From a verdict, or a comparison, and how many inputs are listed."""

    keys: int = 2
    needs: str = ""
    """The option without which there is no such table."""

    of_calls: bool = False
    """Whether it takes calls of the kernel: there is none of results in a file."""

    terms: Mapping[str, str] = {"ulp": DEFINITION}
    """What the words of the table mean."""

    def report(
        self,
        question: Question,
        rows: Callable[[Numbers], Iterable[Cells]],
        facts: Mapping[str, str],
        digits: int | None,
        *,
        exhaustive: bool,
    ) -> Report:
        """Return the table with the columns that can differ for a question."""
        headings = headings_for(self.headings(), question, exhaustive)
        numbers = Numbers(digits, question.dtype, question.result)
        table: list[Row] = [[cells[name] for name in headings] for cells in rows(numbers)]
        title = self.title.format(formats=formats_of(question))
        return report_of(title, headings, stream_of([table], facts=facts), digits, self.keys)


def sweep_views(
    verdicts: Sequence[Verdict],
    digits: int | None,
    worst: int,
    options: Collection[str] = (),
    changed: int | None = None,
) -> Mapping[str, Callable[[], Report]]:
    """Return the tables of what sweeps have found, by name; the first is the default.

    Numbers have so many digits, or are float64s; `worst` is how many inputs that table lists,
    `changed` how many inputs that depend on the surroundings, all if None. `options` are those
    given without which there is no such table.
    """
    return {
        name: partial(_report, view, verdicts, digits, changed if view.needs else worst)
        for name, view in TABLES.items()
        if not view.needs or view.needs in options
    }


def report_of_plot(verdicts: Sequence[Verdict]) -> Report:
    """Return what the picture of sweeps is drawn from, as a table."""
    return _report(PLOT, verdicts, None, None)


def views_of_record(record: Record, digits: int | None) -> Mapping[str, Callable[[], Report]]:
    """Return the tables of a record, by name: those of views that this version does not know, too.

    Float64s are rounded to so many digits, if any are asked for.
    """
    return {name: partial(_recorded, record, name, digits) for name in record.views}


def _recorded(record: Record, name: str, digits: int | None) -> Report:
    """Return a view of a record: its columns as they are there, under the headings known here."""
    rows, question = record.views[name], record.verdicts[0].question
    view = {**TABLES, PICTURE: PLOT}.get(name) if record.answer in ANSWERS else None
    headings = dict(view.headings()) if view else {}
    if not record.exhaustive and view is not PLOT:
        headings |= _lower_bounds(headings)
    names = [*dict.fromkeys(column for row in rows for column in row)]
    names = names or [*headings_for(headings, question, record.exhaustive)]
    numbers = Numbers(digits, question.dtype, question.result)
    table = [[numbers.again(column, row.get(column)) for column in names] for row in rows]
    facts = {**(view.terms if view else {}), **_facts(question), **record.provenance}
    return report_of(
        view.title.format(formats=formats_of(question)) if view else name,
        {column: headings.get(column, column.replace("_", " ")) for column in names},
        stream_of([table], facts=facts),
        digits,
        view.keys if view else 1,
    )


def report_at(found: Sequence[At], digits: int | None) -> Report:
    """Return the results at single inputs, in the order in which these were given."""
    from gelu_cli.sweeping.exact_errors import judged_result

    question = found[0].verdict.question
    numbers = Numbers(digits, question.dtype, question.result)
    judged = [
        (each.verdict, judged_result(each.verdict.question, result.x, result.got, result.error))
        for each in found
        for result in each.results
    ]
    rows: list[Row] = [[*result_row(of, numbers, each).values()] for of, each in judged]
    facts = {"ulp": DEFINITION, **facts_of([each.verdict for each in found])}
    stream = stream_of([rows], facts=facts)
    return report_of("Results at these inputs, in full blocks", _RESULT, stream, digits, keys=2)


def _report(
    view: View, verdicts: Sequence[Verdict], digits: int | None, most: int | None
) -> Report:
    return view.report(
        verdicts[0].question,
        lambda numbers: chain.from_iterable(view.rows(each, numbers, most) for each in verdicts),
        {**view.terms, **facts_of(verdicts)},
        digits,
        exhaustive=all(each.exhaustive for each in verdicts),
    )


def headings_for(
    headings: Mapping[str, str], question: Question, exhaustive: bool
) -> dict[str, str]:
    """Return the headings of the columns that can differ for a question; a sample has bounds."""
    shown = dict(headings)
    if question.result is question.dtype:
        shown.pop("result", None)
    if not question.may_overflow:
        shown.pop("saturated", None)
    return shown if exhaustive else shown | _lower_bounds(shown)


def _lower_bounds(headings: Mapping[str, str]) -> dict[str, str]:
    return {name: heading for name, heading in LOWER_BOUNDS.items() if name in headings}


def formats_of(question: Question) -> str:
    """Return the format of x and of results, or both.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.sweeping.truth import Question
    >>> formats = FORMATS["float8_e5m2"], FORMATS["float16"]
    >>> formats_of(Question(find_form("exact"), "value", *formats))
    'float8_e5m2 → float16'
    """
    names = dict.fromkeys((question.dtype.name, question.result.name))
    return " → ".join(names)


def facts_of(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Return what there is to know of the figures, and what kernels of the user's own depend on.

    Of several kernels each fact has the name of its kernel.
    """
    several = len(verdicts) > 1
    provenance = {
        f"{name} of {verdict.name}" if several else name: fact
        for verdict in verdicts
        for name, fact in verdict.provenance.items()
    }
    return {**_facts(verdicts[0].question), **provenance}


def _facts(question: Question) -> dict[str, str]:
    if question.upstream == 1:
        return {}
    return {"upstream": f"results are U·f′(x), U = {machine_text(question.upstream)}"}


# The summary


def summary_headings() -> dict[str, str]:
    """Return the headings of the summary by column."""
    from gelu_cli.sweeping.metrics import METRICS

    return {
        "routine": "routine", "dtype": "dtype", "result": "result", "target": "target",
        "quantity": "quantity", "inputs": "inputs", "exhaustive": "every input",
        "max_ulp": "max ULP", "max_ulp_x": "at x", "max_ulp_x_bits": "x bits",
        "max_ordinal": "max ordinal", "max_ordinal_x": "ordinal at x", "mean_ulp": "mean ULP",
        **{metric.name: metric.heading for metric in METRICS},
        "max_ulp_jax": "max ULP (JAX)",
    }  # fmt: skip


# Regions


def _region_headings() -> dict[str, str]:
    from gelu_cli.sweeping.metrics import METRICS

    return {
        "routine": "routine", "low": "low", "high": "high", "inputs": "inputs",
        "max_ulp": "max ULP", "max_ulp_x": "at x", "mean_ulp": "mean ULP",
        **{metric.name: metric.heading for metric in METRICS if metric.in_regions},
    }  # fmt: skip


# The worst inputs


_RESULT = {
    "routine": "routine", "x": "x", "x_bits": "x bits", "got": "got", "got_bits": "got bits",
    "want": "want", "want_bits": "want bits", "exact": "exact", "ulp": "ULP", "ordinal": "ordinal",
}  # fmt: skip


TABLES: Mapping[str, View] = {
    "summary": View(
        "the largest errors, and counts of failures",
        "Errors of floating-point results in {formats}",
        summary_headings,
        summary_rows,
        keys=1,
    ),
    "regions": View("errors by region of x", "By region of x", _region_headings, region_rows),
    "histogram": View(
        "how many results have which error",
        "Results by their error in ULP",
        lambda: {"routine": "routine", "low": "over", "high": "up to", "count": "count"},
        histogram_rows,
    ),
    "worst": View(
        "the inputs with the largest errors", "The worst inputs", lambda: _RESULT, worst_rows
    ),
    "shapes": View(
        "the inputs whose results depend on the surroundings",
        "Results that depend on the surroundings",
        lambda: {
            "routine": "routine", "x": "x", "x_bits": "x bits", "shape": "shape", "got": "got",
            "got_bits": "got bits", "usual_bits": "usual bits",
        },
        shape_rows,
        needs="--shapes",
        of_calls=True,
    ),
    "criteria": View(
        "what other people's checks say of the results",
        "What other people's checks say",
        lambda: {
            "routine": "routine", "criterion": "criterion", "inputs": "inputs",
            "verdict": "verdict", "found": "found", "threshold": "threshold", "x": "at x",
            "measure": "measure",
        },
        criterion_rows,
        keys=3,
        needs="--criteria",
        terms={"criteria": CRITERIA},
    ),
}  # fmt: skip

PLOT = View(
    "the steps of the picture",
    "The largest error in each part of the inputs",
    lambda: {"routine": "routine", "low": "low", "high": "high", "max_ulp": "max ULP"},
    plot_rows,
)

VIEWS: Mapping[str, str] = {
    **{name: view.words for name, view in TABLES.items()},
    PICTURE: "a picture of the errors over x",
}
"""The views of a sweep, each in a few words: the tables, and what `answers.plot` draws."""

VIEWS_OF_RESULTS: Mapping[str, str] = {
    name: words for name, words in VIEWS.items() if name not in TABLES or not TABLES[name].of_calls
}
"""Those of results that were computed elsewhere."""
