"""What a record says of kernels: what was asked, where results come from; and one that is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gelu_cli.old.arithmetic.typed import literal
from gelu_cli.old.sweeping.rows import PICTURE, ROWS, Numbers

if TYPE_CHECKING:
    from gelu_cli.old.sweeping.verdict import Changed, Verdict

SCHEMA = 1
"""The latest version of records that is read; `report.documents.record` writes it."""


Row: TypeAlias = Mapping[str, Any]
"""The cells of a row that was read, each of the kind that its column has."""

MAX_ULP = "max_ulp ≤ "
"""How what --max-ulp allows begins, as a finding says it."""


@dataclass(frozen=True)
class Record:
    """A record that was read back, its fields by the names that it has for them.

    `views` have rows as they were written, numbers as numbers: also those of views and columns that
    this version does not know.
    """

    source: str
    """What the file is called in a message."""

    gelu: str
    command: str
    made: Mapping[str, Any]
    question: Mapping[str, Any]
    views: Mapping[str, Sequence[Row]]
    findings: Sequence[Mapping[str, Any]]
    notes: Sequence[str]
    caveats: Sequence[str]
    """What should be known of the findings."""

    verdict: Sequence[Row] = ()
    """The answer in words, a sentence each."""

    verdicts: Sequence[Verdict] = ()
    """What it tells of the verdict on each kernel: counts, the histogram, the worst inputs with
    their results, the steps of the picture; not what is of single regions."""

    @property
    def answer(self) -> str:
        """The command that it is the answer of: sweep, check, compare."""
        return str(self.question["answer"])

    @property
    def exhaustive(self) -> bool:
        """Whether every input in the range was taken; figures of a sample are lower bounds."""
        return bool(self.question["exhaustive"])

    @property
    def provenance(self) -> dict[str, str]:
        """What kernels of the user's own depend on, by name; of several, with theirs."""
        origins = self.made["kernels"]
        return {
            f"{name} of {origin['name']}" if len(origins) > 1 else name: fact
            for origin in origins
            for name, fact in origin["provenance"].items()
        }

    @property
    def tables(self) -> Sequence[str]:
        """The names of the views that are tables, all but the picture."""
        return [name for name in self.views if name != PICTURE]

    @property
    def names(self) -> Sequence[str]:
        """The names of the kernels, in their order."""
        return [kernel["name"] for kernel in self.question["kernels"]]

    @property
    def bound(self) -> Fraction | None:
        """The largest error, in ULP, that --max-ulp allowed, if it was given."""
        limits = [finding["limit"] for finding in self.findings if not finding["file"]]
        found = [limit.removeprefix(MAX_ULP) for limit in limits if limit.startswith(MAX_ULP)]
        return literal(found[0], found[0]) if found else None

    def rows(self, view: str, kernel: str) -> Sequence[Row]:
        """Return the rows of a view that are about one kernel."""
        return [row for _, row in self.numbered_rows(view, kernel)]

    def numbered_rows(self, view: str, kernel: str | None) -> Sequence[tuple[int, Row]]:
        """Return the rows of a view about one kernel, or about none, each with its place there."""
        return self._rows.get((view, kernel), ())

    @cached_property
    def _rows(self) -> Mapping[tuple[str, str | None], Sequence[tuple[int, Row]]]:
        found = defaultdict[tuple[str, str | None], list[tuple[int, Row]]](list)
        for view, rows in self.views.items():
            for i, row in enumerate(rows):
                found[view, kernel_of(row)].append((i, row))
        return found


class RecordedChanges(NamedTuple):
    """Results in other surroundings, as a record lists them, and how far off they are."""

    judged: Verdict
    changed: Sequence[Changed]

    def largest(self, most: int | None) -> Sequence[Changed]:
        """Return so many of the changes, or all that the record has, the largest first."""
        return self.changed[:most]

    def shape_of(self, x: float, got: float, up: float = 1.0) -> str:
        """Return the surrounding in which the function has returned a result that was judged."""
        from gelu_cli.old.sweeping.verdict import same

        of = (x, got, up)
        return next(each.shape for each in self.changed if same((each.x, each.got, each.up), of))


def kernel_of(row: Row) -> str | None:
    """Return the name of the kernel that a row is about, if it is about one."""
    name = row.get("routine", row.get("name"))
    return name if isinstance(name, str) else None


def question_of(answer: str, verdicts: Sequence[Verdict], **more: Any) -> dict[str, Any]:
    """Return the `question` of a record: what was asked of all kernels, and of each.

    What is not the same for all, a target or a quantity, is None there. `more` is what verdicts do
    not know.
    """
    question, inputs = verdicts[0].question, verdicts[0].inputs
    sampled = inputs is not None and not inputs.every
    asked: dict[str, Any] = plain({
        "answer": answer,
        "dtype": question.dtype.name,
        "result": question.result.name,
        "target": _common(verdict.question.form.label for verdict in verdicts),
        "target_asked": "auto" if question.auto else None,
        "quantity": _common(verdict.question.quantity for verdict in verdicts),
        "upstream": question.upstream,
        "mean": question.normal.mean,
        "sigma": question.normal.sigma,
        "range": [inputs.low, inputs.high] if inputs else None,
        "exhaustive": all(verdict.exhaustive for verdict in verdicts),
        "samples": inputs.samples if inputs and sampled else None,
        "seed": inputs.seed if inputs and sampled else None,
        "infinities": bool(inputs and inputs.infinities),
        "ftz": verdicts[0].ftz,
        "shapes": any(verdict.changes is not None for verdict in verdicts),
        "kwargs": _common(verdict.asked.get("kwargs") for verdict in verdicts) or {},
        **_of_pairs(verdicts[0]),
        **more,
        "kernels": [
            {
                "name": verdict.name,
                "target": verdict.question.form.label,
                "quantity": verdict.question.quantity,
                **verdict.asked,
            }
            for verdict in verdicts
        ],
    })  # fmt: skip
    return asked


def _of_pairs(verdict: Verdict) -> dict[str, Any]:
    """Return what kernels of two inputs compute, and which second ones they had."""
    gating, inputs = verdict.question.gating, verdict.inputs
    if not gating:
        return {}
    ups = inputs and ("all" if inputs.every_up else list(inputs.ups))
    return {"glu": {**gating.asked, "ups": ups}}


def made_of(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the `made` of a record: when and where results were judged, where they come from."""
    from gelu_cli.old.environment import host

    return {
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "host": host.host(),
        "python": host.python(),
        "versions": host.versions(),
        "variables": host.variables(),
        "kernels": [*map(origin_of, verdicts)],
    }


def origin_of(verdict: Verdict) -> dict[str, Any]:
    """Return what a record's `made` says of the results of a kernel: where they come from."""
    origin: dict[str, Any] = plain({
        "name": verdict.name,
        "provenance": verdict.provenance,
        "versions": verdict.versions,
        "environments": [
            {
                "flushes_inputs": state.flushes_inputs,
                "flushes_results": state.flushes_results,
                "rounding": state.direction,
                "since": since,
            }
            for state, since in verdict.environments.items()
        ],
        "digest": verdict.digest,
    })  # fmt: skip
    return origin


def dict_of(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON has it: what `Verdict.to_dict` says."""
    question = question_of("sweep", [verdict])
    numbers = Numbers(None, verdict.question.dtype, verdict.question.result)
    views = {
        name: [{**plain(row)} for row in rows(verdict, numbers, None)]
        for name, rows in ROWS.items()
        if (name != "shapes" or verdict.changes is not None)
        and (name != "criteria" or verdict.criteria)
    }
    return {
        **origin_of(verdict),
        "question": {name: each for name, each in question.items() if name != "kernels"},
        "asked": plain(verdict.asked),
        "complete": verdict.complete,
        "failure": str(verdict.failure) if verdict.failure else None,
        "notes": list(verdict.notes),
        **views,
    }


def _common(values: Iterable[Any]) -> Any:
    """Return what all are, None where they differ."""
    first, *others = values
    return first if all(other == first for other in others) else None


def plain(value: Any) -> Any:
    """Return a value as JSON has it: a number that is not finite is text, any object its text.

    >>> plain({"range": (float("-inf"), 1.5), "mean": Decimal("0.25")})
    {'range': ['-inf', 1.5], 'mean': 0.25}
    """
    if isinstance(value, float):
        return value if isfinite(value) else repr(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    return [*map(plain, value)] if isinstance(value, list | tuple) else str(value)
