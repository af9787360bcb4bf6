"""Two kernels, input by input, or two records."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gelu_cli.accuracy.measure import Measured, measure
from gelu_cli.api.bounds import Judging
from gelu_cli.api.kernels import KernelLike, to_jobs, to_kernels
from gelu_cli.api.questions import option, to_inputs, to_question
from gelu_cli.api.records import Change, compare_records
from gelu_cli.api.results import Real, Result, Results, Shown
from gelu_cli.api.sweep import by_form
from gelu_cli.api.verdict_cells import Cells
from gelu_cli.api.verdict_views import SHOWN, Row, ends_of, headings_of, on_screen, table_of
from gelu_cli.api.verdict_words import words_on_two
from gelu_cli.api.verdicts import Measurement, Verdict, answer_of, record_on
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike
from gelu_cli.output.tables import Cell, Table
from gelu_cli.output.writer import DIGITS_FOR_PEOPLE

Progress = Callable[[int, int], None]

COLUMNS = {
    "regions": "low high up_low up_high inputs differ nearer_a nearer_b max_ulp_a max_ulp_b",
    "worst": "x up a b want a_ulp b_ulp",
}
TITLES = {"regions": "Differences by region of x", "worst": "Inputs that differ most"}
HEADINGS = {
    "nearer_a": "nearer: a", "nearer_b": "nearer: b", "max_ulp_a": "max ULP of a",
    "max_ulp_b": "max ULP of b", "a_ulp": "ULP of a", "b_ulp": "ULP of b",
}  # fmt: skip
EXAMPLE = "name two, e.g. gelu compare erfc torch.nn.functional:gelu"
COUNTS = ("inputs", "differ", "nearer_a", "nearer_b")


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
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


def compare(
    a: KernelLike | None = None,
    b: KernelLike | None = None,
    *,
    exec: str | Sequence[str] | None = None,
    dtype: Any = "float32",
    result: Any = None,
    compute: Any = None,
    form: FormLike = "exact",
    quantity: str | None = None,
    backend: str | None = None,
    device: str | None = None,
    kwarg: Mapping[str, Any] | Sequence[str] | None = None,
    signature: str | None = None,
    range: str | Sequence[Any] = "-inf:inf",
    all: bool = False,
    samples: Any = None,
    seed: Any = None,
    ftz: bool = False,
    timeout: Any = None,
    jobs: Any = None,
    worst: Any = 10,
    mean: Any = 0,
    sigma: Any = 1,
    glu: bool = False,
    packed: str | None = None,
    up_first: bool = False,
    backward: bool = False,
    up: Any = None,
    gate_limit: Any = None,
    up_limit: Any = None,
    up_offset: Any = None,
    intermediate: Any = None,
    digits: int | None = None,
    progress: Progress | None = None,
) -> Comparison | Results[Change]:
    """Compare two kernels input by input, or two records number by number.

    Results differ if their bits do: 0 and −0 differ, NaNs do not. Of two that differ, the one whose
    distance from the exact value is smaller is nearer; of equal distances neither is.

    Parameters
    ----------
    a, b
        Kernels, as `sweep` takes them, or names of two records.
    exec
        Commands of programs, which take the places that no word has.
    dtype, result, compute, form, quantity, backend, device, kwarg, signature
        As of `sweep`; the form `"auto"` is the nearest one to the results of the first kernel.
    range, all, samples, seed, ftz, timeout, jobs, mean, sigma
        As of `sweep`.
    worst
        Number of inputs that the view `worst` has: those with the largest differences.
    glu, packed, up_first, backward, up, gate_limit, up_limit, up_offset, intermediate
        Two inputs, as of `sweep`.
    digits
        Significant digits of numbers, which are then decimals.
    progress
        As of `sweep`.

    Returns
    -------
    Comparison or Results[Change]
        Of two records the numbers that have changed.

    Raises
    ------
    UsageError
        If there are not two kernels, an option cannot be meant, or records answer different
        questions.
    ComputationError
        If a kernel fails.

    Examples
    --------
    >>> found = compare("erf_sum", "erfc", dtype="bfloat16")
    >>> found.differ, found.nearer_a, found.nearer_b
    (628, 101, 527)
    """
    options = locals()
    if _are_records(a, b):
        _refuse(options)
        return compare_records(str(a), str(b), digits)
    asked = to_question(
        dtype=dtype, result=result, form=form, quantity=quantity, glu=glu, packed=packed,
        up_first=up_first, backward=backward, up=up, gate_limit=gate_limit, up_limit=up_limit,
        up_offset=up_offset, intermediate=intermediate, mean=mean, sigma=sigma,
    )  # fmt: skip
    inputs = to_inputs(asked, range, all=all, samples=samples, seed=seed)
    judging = Judging.of(Judging().bounds, ftz=ftz, worst=worst)
    settings = {
        "compute": compute, "backend": backend, "device": device, "kwarg": kwarg or None,
        "signature": signature, "timeout": timeout, "jobs": jobs,
    }  # fmt: skip
    named = [each for each in (a, b) if each is not None]
    kernels = to_kernels(named, exec, settings, asked)
    if len(kernels) != 2:
        raise UsageError(f"two kernels are compared, {len(kernels)} given; {EXAMPLE}")
    if kernels[0].label == kernels[1].label:
        kernels = [
            replace(each, label=f"{each.label} ({ab})")
            for each, ab in zip(kernels, "ab", strict=True)
        ]
    ((question, _),) = by_form(asked, kernels[:1], inputs)
    found = measure(
        question,
        inputs,
        kernels,
        jobs=to_jobs(jobs, kernels),
        ftz=ftz,
        keep=judging.worst,
        normal=asked.normal,
        compare=True,
        progress=progress,
    )
    return _comparison(found, Measurement("compare", asked, judging, kernels, digits=digits))


def _are_records(a: Any, b: Any) -> bool:
    """Return True if two names of records are given."""
    names = [str(each) for each in (a, b) if str(each).lower().endswith(".json")]
    if len(names) == 1:
        raise UsageError(f"{names[0]} is a record, the other is not; name two records")
    return bool(names)


def _refuse(options: Mapping[str, Any]) -> None:
    """Refuse options of kernels for records."""
    usual = inspect.signature(compare).parameters
    for name, value in options.items():
        changed = value is not None and str(value) not in (str(usual[name].default), "[]")
        if changed and name not in ("a", "b", "digits", "progress"):
            raise UsageError(f"{option(name)} is for kernels, not for records; remove it")


def _comparison(found: Measured, of: Measurement) -> Comparison:
    """Make the result: a sweep of both, with views of their differences."""
    total, both, digits = found.total, found.verdicts, of.digits
    a, b = of_sweep = answer_of(both, of)
    views: dict[str, Callable[[], Table]] = {
        "summary": lambda: _compared(table_of("summary", both, digits), found, digits),
        "regions": partial(_table, "regions", _regions, found, digits),
        "worst": partial(_table, "worst", _worst, found, digits, of.judging.worst),
        "plot": partial(table_of, "plot", both, digits),
    }
    words = partial(words_on_two, found, digits or DIGITS_FOR_PEOPLE)
    answer = replace(
        of_sweep.answer,
        views=views,
        words=words,
        screen=partial(_on_screen, found, digits),
        found=f"{a.kernel} and {b.kernel} differ at {total.differ:,} of {total.inputs:,} inputs",
        record=partial(record_on, both, of, words, views),
    )
    counts = {name: getattr(total, name) for name in ("inputs", "differ", "nearer_a", "nearer_b")}
    share: Any = _share(found, digits)
    return Comparison(a=a, b=b, **counts, differ_share=share, answer=answer)


def _on_screen(found: Measured, digits: int | None) -> list[Table]:
    """Make tables that fit a terminal."""
    small = _compared(on_screen(found.verdicts, digits)[0], found, digits)
    few = {e: small.columns[e] for e in small.columns if e not in ("mean_ulp", "differ_share")}
    worst = [_table("worst", _worst, found, digits, SHOWN)] * bool(found.total.differ)
    return [replace(small, columns=few), *worst]


def _compared(table: Table, found: Measured, digits: int | None) -> Table:
    """Add where both differ, and which is nearer, to a table of both."""
    total, columns = found.total, dict(table.columns)
    columns |= {"differ": [total.differ] * 2, "differ_share": [_share(found, digits)] * 2}
    return replace(table, columns={**columns, "nearer": [total.nearer_a, total.nearer_b]})


def _share(found: Measured, digits: int | None) -> Cell:
    question = found.verdicts[0].question
    cells = Cells(digits, question.dtype, question.result)
    return cells.few("differ_share", found.differ_share)


def _table(
    view: str, rows: Callable[..., Iterator[Row]], found: Measured, digits: int | None, *most: int
) -> Table:
    question = found.verdicts[0].question
    cells = Cells(digits, question.dtype, question.result)
    names = [name for name in COLUMNS[view].split() if question.glu or "up" not in name]
    headings = headings_of(found.verdicts) | HEADINGS
    return Table.of_rows(TITLES[view], names, rows(found, cells, *most), 2, headings)


def _regions(found: Measured, cells: Cells) -> Iterator[Row]:
    for place, each in sorted(found.differences.items(), key=lambda item: item[0].order):
        largest = [one.largest(one.regions[place]) for one in found.verdicts]
        a, b = (cells.exact(one and one.ulp) for one in largest)
        counts = {name: getattr(each, name) for name in COUNTS}
        yield {**ends_of(place, cells), **counts, "max_ulp_a": a, "max_ulp_b": b}


def _worst(found: Measured, cells: Cells, most: int) -> Iterator[Row]:
    """Yield the inputs with the largest differences."""
    for _, x, up, got_a, got_b in found.total.worst[:most].tolist():
        a, b = (e.result(x, up, got) for e, got in zip(found.verdicts, (got_a, got_b), strict=True))
        yield {
            "x": cells.x(x),
            "up": cells.x(up),
            "a": cells.result(got_a),
            "b": cells.result(got_b),
            "want": cells.result(a.want),
            "a_ulp": cells.exact(a.ulp),
            "b_ulp": cells.exact(b.ulp),
        }
