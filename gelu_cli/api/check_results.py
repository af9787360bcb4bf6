"""Results that were computed elsewhere, against the exact values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.api.bounds import Judging
from gelu_cli.api.questions import Asked
from gelu_cli.errors import UsageError
from gelu_cli.inputs.columns import Meaning, input_column
from gelu_cli.inputs.files import Source, read_source
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.stored import numbers_of, read_numbers
from gelu_cli.old.arithmetic.format_arrays import Array, numbers
from gelu_cli.old.comparison.criteria import CriteriaObserver
from gelu_cli.old.sweeping.checking import check_sorted_results
from gelu_cli.old.sweeping.sorted_results import SortedResults, SpillFile
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import Verdict

OF_PAIRS = ("value", "gate_gradient", "up_gradient")
"""Quantities of a GLU that columns hold."""


class Given(NamedTuple):
    """Results of a kernel at inputs; pairs have two."""

    name: str
    question: Question
    inputs: Sequence[Array]
    results: Array
    every: bool = False


def measure(given: Given, judging: Judging) -> Verdict:
    """Measure the errors of results in ULP."""
    x, *ups = given.inputs
    ordered = SortedResults(SpillFile(), held=max(1, len(x)), pairs=bool(ups))
    ordered.add(x, given.results, *ups)
    return check_sorted_results(
        given.name,
        given.question,
        ordered,
        exhaustive=given.every,
        keep=judging.worst,
        ftz=judging.ftz,
        also=lambda due: CriteriaObserver([due], given.every, judging.tolerance or True),
    )


def in_columns(columns: Columns, meanings: Mapping[str, Meaning], asked: Asked) -> Iterator[Given]:
    """Yield the results in each column; bit patterns precede numbers."""
    question = asked.question
    if not question.gating and any(each.quantity == "up" for each in meanings.values()):
        raise UsageError(f"column 'up' of {columns.name} is of two inputs; add --glu")
    inputs = ("x", "up") if question.gating else ("x",)
    headings = [input_column(meanings, columns, name) for name in inputs]
    bits = {heading: each.bits for heading, each in meanings.items()}
    read = [numbers_of(columns, each, question.dtype, bits=bits[each]) for each in headings]
    known = np.logical_and.reduce([there for _, there in read])
    found: dict[str, str] = {}
    for heading, each in meanings.items():
        if each.form and (each.bits or each.name not in found):
            found[each.name] = heading
    for name, heading in found.items():
        asks = _question(question, meanings[heading], f"column '{heading}' of {columns.name}")
        got, there = numbers_of(columns, heading, question.result, bits=bits[heading])
        some = known & there
        if some.any():
            yield Given(name, asks, [at[some] for at, _ in read], got[some])


def _question(question: Question, meaning: Meaning, where: str) -> Question:
    """Ask what a column holds."""
    form, quantity = meaning.form, meaning.quantity
    assert form
    if question.gating and quantity not in OF_PAIRS:
        raise UsageError(f"{where}: --glu has F, F_gate_gradient and F_up_gradient; rename it")
    if not question.gating:
        if quantity == "up_gradient":
            raise UsageError(f"{where}: it has two inputs; add --glu")
        form.require([quantity])
    return question._replace(form=form, quantity=quantity)


def read_bare(file: Source | None, inputs: str | None, asked: Asked) -> Given:
    """Read results for `inputs` in another file, or each bit pattern."""
    if file is None:
        raise UsageError("--all and --inputs read results from a file; name one")
    question = asked.question
    got = read_numbers(file, question.result).ravel()
    if inputs is not None:
        found = read_numbers(read_source(inputs), question.dtype)
        at = _pairs(found, question.gating.packed, inputs) if question.gating else [found.ravel()]
    else:
        width = question.dtype.width
        if question.gating or width > 16:
            raise UsageError("--all is for one input of 16 or 8 bits; remove it, add --inputs FILE")
        at = [numbers(question.dtype, np.arange(1 << width, dtype=np.int64))]
    if len(got) != len(at[0]):
        raise UsageError(
            f"{file.name} holds {len(got)} results for {len(at[0])} inputs; write one for each"
        )
    return Given(file.name, question, at, got, inputs is None)


def _pairs(found: Array, packed: str, name: str) -> list[Array]:
    """Split inputs into gates and ups, by --packed or by their shape."""
    if found.size % 2:
        raise UsageError(f"{name} has {found.size} numbers, not pairs; write each gate and its up")
    halves = packed == "halves" or (not packed and found.shape[:1] == (2,) != found.shape[1:])
    return list(found.reshape(2, -1) if halves else found.reshape(-1, 2).T)
