"""What sweeps have found, as reports: a summary, regions, a histogram and the worst inputs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gelu_cli.report import Cell, Column, Report, Row, stream_of
from gelu_cli.report.numbers import machine_text

# Numerical libraries are imported late: help lists the views.
if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.kernels.at import At
    from gelu_cli.kernels.regions import Region
    from gelu_cli.kernels.tally import Tally
    from gelu_cli.kernels.truth import Question
    from gelu_cli.kernels.verdict import ExactError, Verdict

DEFINITION = (
    "|got − y|/ulp(y), y the true value, ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1); "
    "ordinal: steps in the format from got to y rounded"
)
CRITERIA = (
    "want: the correctly rounded result; N(0, 1): inputs as often as draws round to them, P for "
    "one draw; atol and rtol: what passes against the true values"
)
MEAN_DIGITS = 6
MEASURED_DIGITS = 10

Cells: TypeAlias = Mapping[str, Cell]
"""The cells of a row, by the names of their columns."""


class View(NamedTuple):
    """A table: what help says of it, title, headings by column, and rows.

    The first `keys` columns name a row.
    """

    words: str
    title: str
    headings: Callable[[], Mapping[str, str]]
    rows: Callable[[Verdict, Numbers, int | None], Iterator[Cells]]
    keys: int = 2
    needs: str = ""
    """The option without which there is no such table."""

    of_calls: bool = False
    """Whether it takes calls of the kernel: there is none of results in a file."""

    terms: Mapping[str, str] = {"ulp": DEFINITION}
    """What the words of the table mean."""


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


def report_at(found: Sequence[At], digits: int | None) -> Report:
    """Return the results at single inputs, in the order in which these were given."""
    question = found[0].verdict.question
    numbers = Numbers(digits, question.dtype, question.result)
    rows: list[Row] = [
        [*_result(each.verdict, numbers, result.x, result.got, result.error).values()]
        for each in found
        for result in each.results
    ]
    return Report(
        "Results at these inputs, in full blocks",
        [Column(*pair) for pair in _result_headings().items()],
        stream_of(
            [rows],
            facts={
                "ulp": DEFINITION,
                **_facts(question),
                **_provenance([each.verdict for each in found]),
            },
        ),
        digits,
        keys=2,
    )


def _report(
    view: View, verdicts: Sequence[Verdict], digits: int | None, most: int | None
) -> Report:
    question = verdicts[0].question
    headings = dict(view.headings())
    if question.result is question.dtype:
        headings.pop("result", None)
    if not question.may_overflow:
        headings.pop("saturated", None)
    if "max_ulp" in headings and not all(verdict.exhaustive for verdict in verdicts):
        headings["max_ulp"] = "max ULP ≥"  # what was not looked at may be worse
    numbers = Numbers(digits, question.dtype, question.result)
    rows: list[Row] = [
        [cells[name] for name in headings]
        for verdict in verdicts
        for cells in view.rows(verdict, numbers, most)
    ]
    return Report(
        view.title.format(formats=formats_of(question)),
        [Column(*pair) for pair in headings.items()],
        stream_of([rows], facts={**view.terms, **_facts(question), **_provenance(verdicts)}),
        digits,
        view.keys,
    )


def _provenance(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Return what kernels of the user's own depend on, as facts; of several, with their names."""
    several = len(verdicts) > 1
    return {
        f"{name} of {verdict.name}" if several else name: fact
        for verdict in verdicts
        for name, fact in verdict.provenance.items()
    }


def formats_of(question: Question) -> str:
    """Return the format of x and of results, or both.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.kernels.truth import Question
    >>> formats = FORMATS["float8_e5m2"], FORMATS["float16"]
    >>> formats_of(Question(find_form("exact"), "value", *formats))
    'float8_e5m2 → float16'
    """
    names = dict.fromkeys((question.dtype.name, question.result.name))
    return " → ".join(names)


def _facts(question: Question) -> dict[str, str]:
    if question.upstream == 1:
        return {}
    return {"upstream": f"results are U·f′(x), U = {machine_text(question.upstream)}"}


class Numbers:
    """Turns exact numbers into cells: float64s, or decimals of so many digits.

    Inputs are numbers of `dtype`, results of `result`.
    """

    def __init__(self, digits: int | None, dtype: Format, result: Format) -> None:
        from gelu_cli.values.evaluate import rounding_to

        self.digits = digits
        self.dtype = dtype
        self.result_format = result
        self.rounding = rounding_to(digits)
        self.of_means = rounding_to(min(digits or MEAN_DIGITS, MEAN_DIGITS))

    def exact(self, value: Fraction | None) -> Cell:
        """Return an exact number, rounded."""
        return None if value is None else self.rounding.exactly(value)

    def x(self, value: float | None) -> Cell:
        """Return an input: for people in so many digits, or more if it takes more."""
        return self._in_few_digits(value, self.dtype)

    def x_bits(self, value: float | None) -> Cell:
        """Return the bit pattern of an input."""
        return None if value is None else self.dtype.hexadecimal(value)

    def result(self, value: float | None) -> Cell:
        """Return a result, in as many digits as inputs have."""
        return self._in_few_digits(value, self.result_format)

    def result_bits(self, value: float | None) -> Cell:
        """Return the bit pattern of a result."""
        return None if value is None else self.result_format.hexadecimal(value)

    def _in_few_digits(self, value: float | None, number_format: Format) -> Cell:
        if value is None or self.digits is None:
            return value
        return in_few_digits(value, number_format, self.digits)

    def mean(self, tally: Tally) -> Cell:
        """Return the mean error, to the digits that a sum of float64s is sure of."""
        from fractions import Fraction

        if not tally.judged:
            return None
        mean = tally.sum_ulp / tally.judged
        return self.of_means.exactly(Fraction(mean)) if isfinite(mean) else mean

    def measured(self, value: float, *, up: bool) -> Cell:
        """Return what a criterion measures, to the digits that float64s are sure of.

        What a tolerance has to be is rounded up: so much is enough.
        """
        from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context

        if not isfinite(value) or not value:
            return value
        digits = min(self.digits or MEASURED_DIGITS, MEASURED_DIGITS)
        return (
            Context(digits, ROUND_CEILING if up else ROUND_HALF_EVEN)
            .create_decimal(value)
            .normalize()
        )


def in_few_digits(value: float, number_format: Format, least: int) -> float | Decimal:
    """Return a number of a format in so many digits, or in as many more as tell it from others.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> print(in_few_digits(1 / 1024, FORMATS["bfloat16"], 3))
    0.000977
    """
    from fractions import Fraction

    from gelu_cli.arithmetic.decimals import Decimals

    if value == 0 or not isfinite(value):
        return value
    for digits in range(least, 18):
        short = Decimals(digits).exactly(Fraction(value))
        if number_format.exactly(Fraction(short)) == value:
            return short.normalize()
    return value


# The summary


def _summary_headings() -> dict[str, str]:
    from gelu_cli.kernels.metrics import METRICS

    return {
        "routine": "routine", "dtype": "dtype", "result": "result", "target": "target",
        "quantity": "quantity", "inputs": "inputs", "exhaustive": "every input",
        "max_ulp": "max ULP", "max_ulp_x": "at x", "max_ulp_x_bits": "x bits",
        "max_ordinal": "max ordinal", "max_ordinal_x": "ordinal at x", "mean_ulp": "mean ULP",
        **{metric.name: metric.heading for metric in METRICS},
    }  # fmt: skip


def _summary(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    question, total = verdict.question, verdict.total
    furthest = verdict.furthest if total.judged else None
    every = "yes" if verdict.exhaustive else "no"
    yield {
        "routine": verdict.name,
        "dtype": question.dtype.name,
        "result": question.result.name,
        "target": question.form.label,
        "quantity": question.quantity,
        "exhaustive": every if verdict.complete else "partial",
        "max_ordinal": furthest and furthest.ordinal,
        "max_ordinal_x": numbers.x(furthest and furthest.x),
        **_counted(verdict, total, numbers),
    }


def _counted(verdict: Verdict, tally: Tally, numbers: Numbers) -> dict[str, Cell]:
    """Return the cells of a tally that the summary and the regions share."""
    largest = next(iter(verdict.errors(tally)), None)
    x = largest and largest.x
    return {
        "inputs": tally.inputs,
        "max_ulp": numbers.exact(largest and largest.ulp),
        "max_ulp_x": numbers.x(x),
        "max_ulp_x_bits": numbers.x_bits(x),
        "mean_ulp": numbers.mean(tally),
        **tally.counts,
    }


# Regions


def _region_headings() -> dict[str, str]:
    from gelu_cli.kernels.metrics import METRICS

    return {
        "routine": "routine", "low": "low", "high": "high", "inputs": "inputs",
        "max_ulp": "max ULP", "max_ulp_x": "at x", "mean_ulp": "mean ULP",
        **{metric.name: metric.heading for metric in METRICS if metric.in_regions},
    }  # fmt: skip


def _regions(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    for region, tally in sorted(verdict.regions.items(), key=lambda item: _ends(item[0])):
        low, high = map(numbers.x, _ends(region))
        counted = _counted(verdict, tally, numbers)
        yield {"routine": verdict.name, "low": low, "high": high, **counted}


def _ends(region: Region) -> tuple[float, float]:
    return (region.low, region.high) if region.sign > 0 else (-region.high, -region.low)


# The histogram


def _histogram(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    counts = verdict.total.histogram.tolist()
    ends = [0.0, 0.5, *(2.0**n for n in range(len(counts) - 2)), inf]
    last = max((i for i, count in enumerate(counts) if count), default=0)
    for low, high, count in zip(ends, ends[1:], counts[: last + 1], strict=False):
        yield {"routine": verdict.name, "low": low, "high": high, "count": count}


# The worst inputs


def _worst(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield first the results that are no numbers, or wrongly finite, then the largest errors."""
    failures = verdict.failures[:most]
    for x, got in failures:
        yield _result(verdict, numbers, x, got, None)
    for error in verdict.worst[: None if most is None else most - len(failures)]:
        yield _result(verdict, numbers, error.x, error.got, error)


def _result_headings() -> dict[str, str]:
    return {
        "routine": "routine", "x": "x", "x_bits": "x bits", "got": "got",
        "got_bits": "got bits", "want": "want", "want_bits": "want bits", "exact": "exact",
        "ulp": "ULP", "ordinal": "ordinal",
    }  # fmt: skip


def _result(
    verdict: Verdict, numbers: Numbers, x: float, got: float, error: ExactError | None
) -> Cells:
    want = verdict.question.want(x)
    exact = error.exact if error else verdict.question.exactly(x) if isfinite(x) else None
    return {
        "routine": verdict.name,
        "x": numbers.x(x),
        "x_bits": numbers.x_bits(x),
        "got": numbers.result(got),
        "got_bits": numbers.result_bits(got),
        "want": numbers.result(want),
        "want_bits": numbers.result_bits(want),
        "exact": numbers.exact(exact),
        "ulp": numbers.exact(error and error.ulp),
        "ordinal": error and error.ordinal,
    }


# Other surroundings


def _shapes(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    for change in verdict.changes.largest(most) if verdict.changes is not None else ():
        yield {
            "routine": verdict.name,
            "x": numbers.x(change.x),
            "x_bits": numbers.x_bits(change.x),
            "shape": change.shape,
            "got": numbers.result(change.got),
            "got_bits": numbers.result_bits(change.got),
            "usual_bits": numbers.result_bits(change.usual),
        }


# Other people's checks


def _criteria(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    for result in verdict.criteria:
        said = None if result.passes is None else "passes" if result.passes else "fails"
        yield {
            "routine": verdict.name,
            "criterion": result.name,
            "inputs": result.inputs,
            "verdict": said,
            "found": numbers.measured(result.found, up=result.passes is None),
            "threshold": result.threshold,
            "x": numbers.x(result.x),
            "measure": result.measure,
        }


TABLES: Mapping[str, View] = {
    "summary": View(
        "the largest errors, and counts of failures",
        "Errors of floating-point results in {formats}",
        _summary_headings,
        _summary,
        keys=1,
    ),
    "regions": View("errors by region of x", "By region of x", _region_headings, _regions),
    "histogram": View(
        "how many results have which error",
        "Results by their error in ULP",
        lambda: {"routine": "routine", "low": "over", "high": "up to", "count": "count"},
        _histogram,
    ),
    "worst": View(
        "the inputs with the largest errors",
        "The worst inputs",
        _result_headings,
        _worst,
    ),
    "shapes": View(
        "the inputs whose results depend on the surroundings",
        "Results that depend on the surroundings",
        lambda: {
            "routine": "routine", "x": "x", "x_bits": "x bits", "shape": "shape", "got": "got",
            "got_bits": "got bits", "usual_bits": "usual bits",
        },
        _shapes,
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
        _criteria,
        keys=3,
        needs="--criteria",
        terms={"criteria": CRITERIA},
    ),
}  # fmt: skip

VIEWS: Mapping[str, str] = {
    **{name: view.words for name, view in TABLES.items()},
    "plot": "a picture of the errors over x",
}
"""The views of a sweep, each in a few words: the tables, and what `answers.plot` draws."""

VIEWS_OF_RESULTS: Mapping[str, str] = {
    name: words for name, words in VIEWS.items() if name not in TABLES or not TABLES[name].of_calls
}
"""Those of results that were computed elsewhere."""
