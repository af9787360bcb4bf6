"""Results that were computed elsewhere, against the exact values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.accuracy.measure import measure_results
from gelu_cli.accuracy.nearest import nearest_form
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.verdict import Verdict
from gelu_cli.api.questions import Asked
from gelu_cli.errors import UsageError
from gelu_cli.inputs.columns import Meaning, input_column
from gelu_cli.inputs.files import Columns, Source, read_source
from gelu_cli.inputs.stored import numbers_of, read_numbers
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.patterns import numbers_of as numbers_in

OF_PAIRS = ("value", "gate_gradient", "up_gradient")
"""Quantities of a GLU that columns hold."""


class Given(NamedTuple):
    """Results of a kernel at inputs; pairs have two."""

    name: str
    question: Question
    inputs: Sequence[Floats]
    results: Floats


def judged(given: Given, asked: Asked) -> Verdict:
    """Measure the errors of results in ULP."""
    question = given.question
    if asked.auto:
        form = nearest_form(question, given.inputs[0], given.results)
        question = question._replace(form=form)
    return measure_results(*given._replace(question=question), **asked.judging)


def digest_of(given: Sequence[Given]) -> str:
    """Name the inputs of results, whatever their order."""
    found = []
    for each in given:
        points = np.stack([column.astype(np.float64) for column in each.inputs])
        ordered = points[:, np.lexsort(points)].tobytes()
        found.append(hashlib.sha256(ordered).hexdigest()[:16])
    return ", ".join(dict.fromkeys(found))


def in_columns(columns: Columns, meanings: Mapping[str, Meaning], asked: Asked) -> Iterator[Given]:
    """Yield the results in each column; bit patterns precede numbers."""
    question = asked.question
    inputs = ("x", "up") if question.glu else ("x",)
    headings = [input_column(meanings, columns, name) for name in inputs]
    for heading, each in meanings.items():
        where = f"column '{heading}' of {columns.name}"
        if question.glu and each.form and each.quantity not in OF_PAIRS:
            raise UsageError(f"{where}: --glu has F, F_gate_gradient and F_up_gradient; rename it")
        if not question.glu and each.quantity in ("up", "up_gradient"):
            raise UsageError(f"{where} is of two inputs; add --glu")
        if not question.glu and each.form:
            each.form.require([each.quantity])
    bits = {heading: each.bits for heading, each in meanings.items()}
    read = [numbers_of(columns, each, question.dtype, bits=bits[each]) for each in headings]
    known = np.logical_and.reduce([there for _, there in read])
    found: dict[str, str] = {}
    for heading, each in meanings.items():
        if each.form and (each.bits or each.name not in found):
            found[each.name] = heading
    for name, heading in found.items():
        form, quantity, _ = meanings[heading]
        asks = question._replace(form=form or question.form, quantity=quantity)
        got, there = numbers_of(columns, heading, question.result, bits=bits[heading])
        some = known & there
        if some.any():
            yield Given(name, asks, [at[some] for at, _ in read], got[some])


def read_bare(file: Source | None, inputs: str | None, packed: str | None, asked: Asked) -> Given:
    """Read results for `inputs` in another file, or else for each bit pattern."""
    if file is None:
        raise UsageError("--all and --inputs read results from a file; name one")
    question = asked.question
    got = read_numbers(file, question.result).ravel()
    if inputs is not None:
        found = read_numbers(read_source(inputs), question.dtype)
        at = _pairs(found, packed, inputs) if question.glu else [found.ravel()]
    else:
        width = question.dtype.width
        if question.glu or width > 16:
            raise UsageError("--all is for one input of 16 or 8 bits; remove it, add --inputs FILE")
        at = [numbers_in(question.dtype, np.arange(1 << width))]
    if len(got) != len(at[0]):
        raise UsageError(
            f"{file.name} holds {len(got)} results for {len(at[0])} inputs; write one for each"
        )
    return Given(file.name, question, at, got)


def _pairs(found: Floats, packed: str | None, name: str) -> list[Floats]:
    """Split inputs into gates and ups, by --packed or by their shape."""
    if found.size % 2:
        raise UsageError(f"{name} has {found.size} numbers, not pairs; write each gate and its up")
    halves = packed == "halves" or (not packed and found.shape[:1] == (2,) != found.shape[1:])
    return list(found.reshape(2, -1) if halves else found.reshape(-1, 2).T)
