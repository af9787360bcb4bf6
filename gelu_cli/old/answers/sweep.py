"""What sweeps have found, as reports: a summary, regions, a histogram and the worst inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.old.answers import HEADINGS, report_of
from gelu_cli.old.answers.words import of_verdict
from gelu_cli.old.report import Report, Row, Sentence
from gelu_cli.old.report.numbers import machine_text
from gelu_cli.old.sweeping.rows import (
    PICTURE,
    Cells,
    Numbers,
    criterion_rows,
    histogram_rows,
    plot_rows,
    profile_rows,
    region_rows,
    result_row,
    shape_rows,
    summary_rows,
    worst_rows,
)

# Numerical libraries are imported late: help lists the views.
if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.old.sweeping.at import At
    from gelu_cli.old.sweeping.records import Record
    from gelu_cli.old.sweeping.truth import Question
    from gelu_cli.old.sweeping.verdict import Verdict

DEFINITION = (
    "|got − y|/ulp(y), y the true value, ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1); "
    "ordinal: steps in the format from got to y rounded"
)
DRAWS = (
    "RMS error: √E(got − y)² for x from {normal}; noise ratio: that over the same of correctly "
    "rounded results; max relative: of normal y"
)
CRITERIA = (
    "want: the correctly rounded result; N(0, 1): inputs as often as draws round to them, P for "
    "one draw; atol and rtol: what passes against the true values"
)

TITLE = "Errors of floating-point results"
"""Of all that sweeps have found."""

ANSWERS = ("sweep", "check")
"""The commands whose views these are."""

LOWER_BOUNDS = {
    "max_ulp": "max ULP ≥", "max_ulp_jax": "max ULP (JAX) ≥", "max_abs_error": "max |error| ≥",
    "max_rel_error": "max relative ≥", "rms_error": "RMS error ≈", "noise_ratio": "noise ratio ≈",
    "share": "share ≤",
}  # fmt: skip
"""The headings where not all inputs were looked at: others may be worse."""

FIGURES = (
    "dtype result target quantity inputs exhaustive max_ulp max_ulp_x max_ulp_x_bits max_ulp_up "
    "max_ulp_up_bits max_ordinal max_ordinal_x max_ordinal_up mean_ulp METRICS"
)
DECIDING = "max_ulp_jax max_abs_error max_abs_x max_abs_up max_rel_error rms_error noise_ratio"
RESULT = "x x_bits up up_bits got got_bits want want_bits exact ulp ordinal"
OF_PAIRS = frozenset({
    "up", "up_bits", "up_low", "up_high", "max_ulp_up", "max_ulp_up_bits", "max_ordinal_up",
    "max_abs_up", "max_ulp_a_up", "max_ulp_b_up",
})  # fmt: skip
"""The columns of kernels of two inputs."""
OF_SINGLE_INPUTS = frozenset({"non_monotone"})
"""That of kernels of one."""


class View(NamedTuple):
    """A table: what help says of it, its title, its columns, and what yields its rows."""

    words: str
    title: str
    columns: str
    """Their names; METRICS are those of the metrics of a summary or, with low and high, regions."""

    rows: Callable[[Any, Numbers, Any], Iterator[Cells]] = lambda *_: iter(())
    """From a verdict, or a comparison, and how many inputs are listed."""

    keys: int = 2
    """So many columns name a row."""

    needs: str = ""
    """The option without which there is no such table."""

    terms: Mapping[str, str] = {"ulp": DEFINITION}
    """What the words of the table mean."""

    called: Mapping[str, str] = {}
    """Headings that columns have here alone."""

    def headings(self) -> dict[str, str]:
        """Return the headings of all columns, by name."""
        from gelu_cli.old.sweeping.metrics import METRICS

        headings: dict[str, str] = {}
        for name in self.columns.split():
            if name == "METRICS":
                metrics = [each for each in METRICS if each.in_regions or "low" not in headings]
                headings |= {metric.name: metric.heading for metric in metrics}
            else:
                headings[name] = self.called.get(name) or HEADINGS.get(name, name)
        return headings

    def said(self, question: Question) -> dict[str, str]:
        """Return what the words of the table mean."""
        return {term: text.format(normal=question.normal) for term, text in self.terms.items()}

    def report(
        self,
        question: Question,
        rows: Callable[[Numbers], Iterable[Cells]],
        facts: Mapping[str, str],
        digits: int | None,
        *,
        exhaustive: bool,
        words: Sequence[Sentence] = (),
    ) -> Report:
        """Return the table with the columns that can differ for a question, below `words`."""
        headings = differing(self.headings(), question, exhaustive)
        numbers = Numbers(digits, question.dtype, question.result)
        table: list[Row] = [[cells[name] for name in headings] for cells in rows(numbers)]
        title = self.title.format(formats=formats_of(question))
        said = {"facts": facts, "words": words}
        return report_of(title, headings, [table], digits, self.keys, headed=bool(words), **said)


def differing(headings: dict[str, str], question: Question, exhaustive: bool) -> dict[str, str]:
    """Return the headings of the columns that can differ for a question; a sample has bounds."""
    left = OF_SINGLE_INPUTS if question.gating else OF_PAIRS
    shown = {name: heading for name, heading in headings.items() if name not in left}
    if question.gating:
        called = question.names[1]
        shown |= {name: re.sub(r"\bup", called, shown[name]) for name in OF_PAIRS & shown.keys()}
    if question.result is question.dtype:
        shown.pop("result", None)
    if not question.may_overflow:
        shown.pop("saturated", None)
    return shown if exhaustive else _bounded(shown)


def _bounded(headings: dict[str, str]) -> dict[str, str]:
    return {name: LOWER_BOUNDS.get(name, heading) for name, heading in headings.items()}


def sweep_views(
    verdicts: Sequence[Verdict],
    digits: int | None,
    worst: int,
    options: Collection[str] = (),
    changed: int | None = None,
    limit: Fraction | None = None,
) -> Mapping[str, partial[Report]]:
    """Return what makes the tables of what sweeps have found, by name; the first is the default.

    Numbers have so many digits, or are float64s; `worst` is how many inputs that table lists,
    `changed` how many inputs that depend on the surroundings, all if None, and `limit` the bound in
    ULP that the words above the first table are about. `options` are those given without which
    there is no such table.
    """
    made = partial(_report, verdicts=verdicts, digits=digits, limit=limit)
    return {
        name: partial(made, view, most=changed if view.needs else worst)
        for name, view in TABLES.items()
        if not view.needs or view.needs in options
    }


def report_of_plot(verdicts: Sequence[Verdict]) -> Report:
    """Return what the picture of sweeps is drawn from, as a table."""
    return _report(PLOT, verdicts, digits=None, most=None)


def _report(
    view: View,
    verdicts: Sequence[Verdict],
    *,
    digits: int | None,
    most: int | None,
    limit: Fraction | None = None,
) -> Report:
    question = verdicts[0].question
    in_words = verdicts if view is TABLES["summary"] else ()
    return view.report(
        question,
        lambda numbers: chain.from_iterable(view.rows(each, numbers, most) for each in verdicts),
        {**view.said(question), **facts_of(verdicts)},
        digits,
        exhaustive=all(each.exhaustive for each in verdicts),
        words=[sentence for each in in_words for sentence in of_verdict(each, limit)],
    )


def recorded(record: Record, name: str, *, digits: int | None) -> Report:
    """Return a view of a record: its columns as they are there, under the headings known here.

    Float64s are rounded to so many digits, if any are asked for. It may be a view that this version
    does not know.
    """
    rows, question = record.views[name], record.verdicts[0].question
    known = {**TABLES, PICTURE: PLOT} if record.answer in ANSWERS else {}
    view = known.get(name, View("", name, "", keys=1, terms={}))
    headings = view.headings()
    if not record.exhaustive and view is not PLOT:
        headings = _bounded(headings)
    names = [*dict.fromkeys(column for row in rows for column in row)]
    names = names or [*differing(headings, question, record.exhaustive)]
    numbers = Numbers(digits, question.dtype, question.result)
    table = [[numbers.again(column, row.get(column)) for column in names] for row in rows]
    facts = {**view.said(question), **_facts(question), **record.provenance}
    shown = {column: headings.get(column, column.replace("_", " ")) for column in names}
    title = view.title.format(formats=formats_of(question)) if name in known else name
    words = []
    for row in record.verdict if name == "summary" else ():
        figures = {each: cell for each, cell in row.items() if each not in Sentence._fields}
        words.append(Sentence(row["about"], row["text"], figures, row["kernel"]))
    said = {"facts": facts, "words": words}
    return report_of(title, shown, [table], digits, view.keys, headed=bool(words), **said)


def report_at(found: Sequence[At], digits: int | None) -> Report:
    """Return the results at single inputs, in the order in which these were given."""
    question = found[0].verdict.question
    judged = [(each.verdict, result) for each in found for result in each.results]
    view = View("", "Results at these inputs, in full blocks", f"routine {RESULT}")
    return view.report(
        question,
        lambda numbers: (result_row(of, numbers, each) for of, each in judged),
        {**view.said(question), **facts_of([each.verdict for each in found])},
        digits,
        exhaustive=True,
    )


def formats_of(question: Question) -> str:
    """Return the format of x and of results, or both.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.sweeping.truth import Question
    >>> formats = FORMATS["float8_e5m2"], FORMATS["float16"]
    >>> formats_of(Question(find_form("exact"), "value", *formats))
    'float8_e5m2 → float16'
    """
    return " → ".join(dict.fromkeys((question.dtype.name, question.result.name)))


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
    if question.gating:
        name = "upstream" if question.gating.upstream else "glu"
        return {name: question.gating.formula(question.quantity)}
    if question.upstream == 1:
        return {}
    return {"upstream": f"results are U·f′(x), U = {machine_text(question.upstream)}"}


TABLES: Mapping[str, View] = {
    "summary": View(
        "the largest errors, and counts of failures",
        "Errors of floating-point results in {formats}",
        f"routine {FIGURES} {DECIDING}",
        summary_rows,
        keys=1,
        terms={"ulp": DEFINITION, "draws": DRAWS},
    ),
    "regions": View(
        "errors by region of x",
        "By region of x",
        "routine low high up_low up_high inputs max_ulp max_ulp_x max_ulp_up mean_ulp METRICS",
        region_rows,
    ),
    "histogram": View(
        "how many results have which error",
        "Results by their error in ULP",
        "routine low high count",
        histogram_rows,
        called={"low": "over", "high": "up to"},
    ),
    "worst": View(
        "the inputs with the largest errors", "The worst inputs", f"routine {RESULT}", worst_rows
    ),
    "profile": View(
        "within which interval of inputs around 0 errors keep a bound",
        "Inputs around 0 with all errors within a bound",
        "routine bound low high share",
        profile_rows,
        terms={"share": "of {normal}"},
        called={"bound": "within ULP", "low": "from", "high": "to"},
    ),
    "shapes": View(
        "the inputs whose results depend on the surroundings",
        "Results that depend on the surroundings",
        "routine x x_bits up up_bits shape got got_bits usual_bits",
        shape_rows,
        needs="--shapes",
    ),
    "criteria": View(
        "what other people's checks say of the results",
        "What other people's checks say",
        "routine criterion inputs verdict found threshold x measure up",
        criterion_rows,
        keys=3,
        needs="--criteria",
        terms={"criteria": CRITERIA},
        called={"x": "at x", "up": "and up"},
    ),
}

PLOT = View(
    "the steps of the picture",
    "The largest error in each part of the inputs",
    "routine low high up_low up_high max_ulp",
    plot_rows,
)

VIEWS: Mapping[str, str] = {
    **{name: view.words for name, view in TABLES.items()},
    PICTURE: "a picture of the errors over x, of pairs a map of both inputs",
    "all": "all tables",
}
"""The views of a sweep, each in a few words: the tables, and what `answers.plot` draws."""

VIEWS_OF_RESULTS = {name: words for name, words in VIEWS.items() if name != "shapes"}
"""Those of results that were computed elsewhere: there is no kernel to call in other ways."""
