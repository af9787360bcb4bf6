"""What was found of kernels: a row of errors and counts each, and tables of more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, fields
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from gelu_cli.api.bounds import Bounds, Errors
from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.errors import UsageError
from gelu_cli.old.sweeping import rows
from gelu_cli.old.sweeping.exact_errors import JudgedResult, judged_result
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import Verdict as Found
from gelu_cli.output.tables import Cell, Table

Real: TypeAlias = float | Decimal
Row: TypeAlias = Mapping[str, Cell]

WORST = 10
SHOWN = 3
"""Worst inputs on a terminal."""

COLUMNS = {
    "summary": "kernel dtype form quantity inputs exhaustive max_ulp max_ulp_x max_ulp_up "
    "max_ulp_x_bits max_ulp_up_bits mean_ulp over_half_ulp over_1_ulp misrounded wrong_nan "
    "wrong_inf wrong_sign wrong_zero wrong_special non_monotone max_ordinal max_ordinal_x "
    "max_ordinal_up max_abs_error max_abs_x max_abs_up max_rel_error rms_error noise_ratio "
    "unrepeatable",
    "regions": "kernel low high up_low up_high inputs max_ulp max_ulp_x max_ulp_up mean_ulp "
    "over_1_ulp",
    "worst": "kernel x x_bits up up_bits got want exact ulp ordinal",
    "profile": "kernel bound low high share left_out",
    "criteria": "kernel criterion inputs verdict found threshold x up",
    "plot": "kernel low high up_low up_high max_ulp",
}
VIEWS = tuple(COLUMNS)
"""The first is the default; `plot` has the steps of the picture."""

TITLES = {
    "summary": "Errors of results in {formats}",
    "regions": "Errors by region of x",
    "worst": "The worst inputs",
    "profile": "Inputs around 0 with all errors within a bound",
    "criteria": "Other people's checks of the same results",
    "plot": "The largest error in each part of the inputs",
}
HEADINGS = {
    "exhaustive": "each input", "max_ulp": "max ULP", "max_ulp_x": "at x", "max_ulp_up": "and up",
    "max_ulp_x_bits": "x bits", "max_ulp_up_bits": "up bits", "mean_ulp": "mean ULP",
    "over_half_ulp": "over ½ ULP", "over_1_ulp": "over 1 ULP", "wrong_nan": "wrong NaN",
    "non_monotone": "non-monotone", "max_ordinal_x": "ordinal at x", "max_ordinal_up": "and up",
    "max_abs_error": "max |error|", "max_abs_x": "|error| at x", "max_abs_up": "and up",
    "max_rel_error": "max relative", "rms_error": "RMS error", "ulp": "ULP", "up_low": "ups from",
    "up_high": "to", "bound": "within ULP",
}  # fmt: skip
AT_LEAST = {
    "max_ulp": "max ULP ≥", "max_abs_error": "max |error| ≥", "max_rel_error": "max relative ≥",
    "rms_error": "RMS error ≈", "noise_ratio": "noise ratio ≈", "share": "share ≤",
}  # fmt: skip
"""Headings of a sample: other inputs may have larger errors."""

ULP = (
    "|got − y|/ulp(y), y the exact value, ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1); "
    "ordinal: steps in the format from got to y rounded"
)
DRAWS = (
    "RMS error: √E(got − y)² for x from {normal}; noise ratio: that over the same of correctly "
    "rounded results; max relative: of normal y"
)
CRITERIA = (
    "found: what is measured, of {normal} the probability that a draw fails; atol and rtol: what "
    "passes against the exact values"
)
LATER = dict.fromkeys(("wrong_special", "unrepeatable", "left_out"))
"""Columns that are not measured yet."""


@dataclass(frozen=True, kw_only=True)
class Verdict(Result):
    """Errors of a kernel in ULP, |got − y|/ulp(y), and counts of what is wrong.

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
    measured: InitVar[Found] = None  # type: ignore[assignment]

    def __post_init__(self, answer: Answer, measured: Found) -> None:
        """Keep what the tables are made of beside the fields."""
        super().__post_init__(answer)
        vars(self)["_found"] = measured

    @property
    def found(self) -> Found:
        """The tallies that fields and views are made of."""
        found: Found = vars(self)["_found"]
        return found

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
        bounds = Bounds.of(max_ulp, max_abs, max_rel)
        if not bounds.limits:
            raise UsageError("no bound; give max_ulp, max_abs or max_rel")
        if failures := bounds.broken_by(errors_of(self.found)):
            raise AssertionError("\n".join(failures))

    def assert_no_worse(self, baseline: Any) -> None:
        """Raise AssertionError if an error or a count exceeds that of a record.

        Parameters
        ----------
        baseline
            A record, or the name of its file.

        Raises
        ------
        AssertionError
            If one does; each has a line.
        UsageError
            If the record answers another question.
        """
        __tracebackhide__ = True
        raise NotImplementedError(baseline)


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


def answer_of(
    found: Sequence[Found],
    *,
    digits: int | None = None,
    worst: int = WORST,
    bounds: Bounds | None = None,
    notes: Sequence[str] = (),
) -> Results[Verdict]:
    """Make the answer of a sweep or a check from what was found of each kernel."""
    answer = _answer(found, digits, worst, notes)
    if bounds and answer.complete:
        failures = [line for each in found for line in bounds.broken_by(errors_of(each))]
        answer = Answer(**{**vars(answer), "failures": failures})
    alone = (_answer([each], digits, worst, notes) for each in found)
    return Results(map(partial(verdict_of, digits=digits), found, alone), answer)


def verdict_of(found: Found, answer: Answer, *, digits: int | None) -> Verdict:
    """Make the result of one kernel."""
    (row,) = rows_of("summary", found, digits)
    kind = PairVerdict if found.question.gating else Verdict
    cells: dict[str, Any] = {each.name: row[each.name] for each in fields(kind)}
    return kind(**cells, answer=answer, measured=found)


def _answer(found: Sequence[Found], digits: int | None, worst: int, notes: Sequence[str]) -> Answer:
    views: dict[str, Callable[[], Table]] = {
        name: partial(table_of, name, found, digits, worst) for name in VIEWS
    }
    return Answer(
        views,
        screen=lambda: [_small(found, digits), table_of("worst", found, digits, SHOWN)],
        notes=[*_said(found), *notes],
        found=_in_one_line(found),
        complete=all(each.complete for each in found),
    )


def columns_of(view: str, question: Question) -> list[str]:
    """List the columns of a view; those of second inputs are for pairs alone."""
    names = COLUMNS[view].split()
    return names if question.gating else [each for each in names if "up" not in each.split("_")]


def table_of(
    view: str, found: Sequence[Found], digits: int | None = None, most: int | None = None
) -> Table:
    """Make a view of what was found; `most` bounds the worst inputs of each kernel."""
    question = found[0].question
    cells = [row for each in found for row in rows_of(view, each, digits, most)]
    return Table.of_rows(
        TITLES[view].format(formats=formats_of(question)),
        columns_of(view, question),
        cells,
        1 if view == "summary" else 2,
        headings_of(found),
        _meanings(view, question),
    )


def rows_of(
    view: str, found: Found, digits: int | None = None, most: int | None = None
) -> Iterator[Row]:
    """Yield the rows of a view on one kernel."""
    question = found.question
    numbers = rows.Numbers(digits, question.dtype, question.result)
    if view == "worst":
        made: Iterator[Row] = (
            rows.result_row(found, numbers, each) for each in worst_of(found, most)
        )
    else:
        made = rows.ROWS[view](found, numbers, most)
    for row in made:
        named = {"kernel": row["routine"], "form": question.form.label, **LATER, **row}
        yield named | ({"non_monotone": None} if question.gating else {})


def worst_of(found: Found, most: int | None = None) -> list[JudgedResult]:
    """List the worst results: one failure of each kind, the largest errors, other failures.

    A failure is a NaN or an infinity that is wrong, or missing.
    """
    question = found.question
    failed = [found.judged(each) for each in found.failures]
    first = {_is_nan(each.got) != _is_nan(each.want): each for each in reversed(failed)}
    kinds = [each for each in failed if any(each is one for one in first.values())]
    errors = [judged_result(question, e.x, e.got, e, e.up) for e in found.errors(found.total)]
    others = [each for each in failed if not any(each is one for one in kinds)]
    return [*kinds, *errors, *others][:most]


def _is_nan(number: float) -> bool:
    return number != number


def errors_of(found: Found) -> Errors:
    """List the largest errors of a kernel, exactly, and where they are."""
    largest: dict[str, tuple[Fraction, str] | None] = {}
    for error in found.errors(found.total)[:1]:
        largest["max_ulp"] = error.ulp, _place(found, error.x, error.up)
    for name in ("abs", "rel"):
        size, place = found.farthest(name), found.farthest_error(name)
        if size and place:
            largest[f"max_{name}_error"] = size[0], _place(found, place.x, place.up)
    failed = [each for each in worst_of(found) if each.ulp is None][:1]
    first = [f"{each.got} at {_place(found, each.x, each.up)}, where {each.want} is right"
             for each in failed]  # fmt: skip
    return Errors(found.name, largest, found.total.counts, "".join(first))


def _place(found: Found, x: float, up: float) -> str:
    return f"x = {x!r}{found.question.second_of(up)}"


def _small(found: Sequence[Found], digits: int | None) -> Table:
    """Make the small table of a terminal: the most telling columns that are not 0."""
    whole = table_of("summary", found, digits)
    names = ["max_ulp", "max_ulp_x", "max_ulp_up", "mean_ulp", "over_1_ulp", "misrounded"]
    counts = ["wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero"]
    names += [name for name in counts if any(whole.columns[name])]
    keys = ["kernel"] * (len(found) > 1)
    shown = {
        name: whole.columns[name] for name in [*keys, "inputs", *names] if name in whole.columns
    }
    return Table(whole.title, shown, len(keys), whole.headings)


def _in_one_line(found: Sequence[Found]) -> str:
    name = found[0].name if len(found) == 1 else f"{len(found)} kernels"
    largest = [error.ulp for each in found for error in each.errors(each.total)[:1]]
    inputs = sum(each.total.inputs for each in found)
    much = f"largest error {rows.shown(max(largest), 6)} ULP" if largest else "no errors"
    return f"{name}: {much}, {inputs:,} results"


def _said(found: Sequence[Found]) -> list[str]:
    """List the notes on kernels, each once behind the names that it is for."""
    said: dict[str, list[str]] = {}
    for each in found:
        for note in each.notes:
            said.setdefault(note, []).append(each.name)
    return [f"{', '.join(names)}: {note}" for note, names in said.items()]


def formats_of(question: Question) -> str:
    """Name the format of x and of results, or both."""
    return " → ".join(dict.fromkeys((question.dtype.name, question.result.name)))


def headings_of(found: Sequence[Found]) -> dict[str, str]:
    """List headings; those of a sample say that errors are lower bounds."""
    bounds = {} if all(each.exhaustive for each in found) else AT_LEAST
    headings = HEADINGS | bounds
    if found[0].question.gating and found[0].question.names[1] != "up":
        headings |= {"up": "upstream", "max_ulp_up": "upstream", "up_low": "upstreams from"}
    return headings


def _meanings(view: str, question: Question) -> dict[str, str]:
    normal = str(question.normal)
    meanings = {
        "summary": {"ulp": ULP, "draws": DRAWS.format(normal=normal)},
        "profile": {"share": f"of {normal}"},
        "criteria": {"criteria": CRITERIA.format(normal=normal)},
    }
    return meanings.get(view, {"ulp": ULP})
