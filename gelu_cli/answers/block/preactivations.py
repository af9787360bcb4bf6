"""What another form changes in a block whose real pre-activations are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache

from scipy.special import ndtr

from gelu_cli.answers import report_of
from gelu_cli.answers.block.gaussian import (
    COLUMNS,
    Question,
    beside_noise,
    facts_of,
    noise_report,
    notes_on,
    sentences,
    shown,
)
from gelu_cli.errors import ComputationError
from gelu_cli.network.change import change_of
from gelu_cli.network.noise import rounded
from gelu_cli.network.preactivations import DIGITS, Block, Change, Moments, Preactivations, measured
from gelu_cli.report import Ending, Report, Row, Sentence
from gelu_cli.stages import part

Measure = Callable[[], Preactivations]
"""What is measured of the pre-activations, when it is first asked for and once."""


def measure_of(question: Question, blocks: Iterable[Block]) -> Measure:
    """Return what measures pre-activations that come in blocks."""
    given = question.forms, question.target, question.formats
    return cache(lambda: measured(blocks, *given, ups=question.ups))


def _relatively(question: Question, measure: Measure) -> Preactivations:
    """Return what is measured; raises `ComputationError` where nothing is relative to f."""
    found = measure()
    if found.is_0:
        raise ComputationError(
            f"{question.target.label} is as good as 0 for all these pre-activations, so that no "
            "change is relative to it; take another --target, or --view moments"
        )
    return found


def summary(
    question: Question, measure: Measure, inputs: str, *, digits: int | None = None
) -> Report:
    """Return a row for each form: what it changes, and what it would at normal pre-activations."""

    def stream() -> Iterator[list[Row] | Ending]:
        found = _relatively(question, measure)
        noises = found.noises
        words: list[Sentence] = []
        for form, change in zip(question.forms, found.changes, strict=True):
            r = change.relative_rms
            words += sentences(form, r, noises, question.dtypes)
            figures = _figures(change, form.function == question.target.function)
            gaussian = math.nan  # r for normal pre-activations of the same mean and deviation
            if found.moments.deviation:
                normal = Fraction(found.moments.mean), Fraction(found.moments.deviation)
                with part(form.label):
                    usual = change_of(form, question.target, *normal)
                gaussian = rounded(float(usual.relative_rms))
            ratio = rounded(r / gaussian) if gaussian else math.nan
            beside = beside_noise(r, noises, question.dtypes, digits)
            more = gaussian, ratio, change.top_share
            first, last = ([shown(each, digits) for each in some] for some in (figures, more))
            yield [(form.label, *first, *beside, *last)]
        facts = facts_of(question, _size(inputs, found))
        yield Ending(facts, notes_on(noises, question), words=words)

    names = (*COLUMNS, "gaussian_relative_rms", "times_gaussian", "top_share")
    return report_of(question.title, names, stream(), digits, headed=True)


def _figures(change: Change, same: bool) -> list[float]:
    """Return what the summary has of any kind of pre-activations.

    The logarithm of a change that is too small to tell from 0 is not known.
    """
    r, slope = change.relative_rms, change.gradient_relative_rms
    of_0 = -math.inf if same else math.nan
    log, slope_log = (math.log10(each) if each else of_0 for each in (r, slope))
    exact = 20 * log, -log / math.log10(2), 20 * slope_log
    logs = [float(f"{each:.{DIGITS}g}") for each in exact]
    angle = change.one_minus_cosine
    return [r, *logs[:2], change.relative_rms_centred, change.gain, angle, slope, logs[2]]


def formats(
    question: Question, measure: Measure, inputs: str, *, digits: int | None = None
) -> Report:
    """Return a row for each format: what rounding f(h) to it costs."""
    return noise_report(
        question,
        lambda: _relatively(question, measure).noises,
        lambda: _size(inputs, measure()),
        digits,
    )


def moments(measure: Measure, inputs: str, *, digits: int | None = None) -> Report:
    """Return a row for each moment of the pre-activations, beside that of a normal distribution."""

    def stream() -> Iterator[list[Row] | Ending]:
        found = measure()
        _, mean, deviation, *_ = found.moments
        negative = float(ndtr(-mean / deviation)) if deviation else math.nan
        normal = [None, mean, deviation, 0.0, 3.0, rounded(negative)]
        yield [
            (name, shown(value, digits), shown(of_normal, digits))
            for name, value, of_normal in zip(Moments._fields, found.moments, normal, strict=True)
        ]
        yield Ending({"pre-activations": _size(inputs, found)})

    return report_of("Pre-activations", "metric value normal", stream(), digits)


def units(
    question: Question, measure: Measure, inputs: str, *, digits: int | None = None
) -> Report:
    """Return a row for each form and unit, those units with the largest r first."""

    def stream() -> Iterator[list[Row] | Ending]:
        found = _relatively(question, measure)
        for form, change in zip(question.forms, found.changes, strict=True):
            yield [
                (form.label, unit.unit, *(shown(each, digits) for each in unit[1:]))
                for unit in change.units
            ]
        yield Ending({"pre-activations": _size(inputs, found)})

    names = "form unit mean deviation negative_share relative_rms share"
    return report_of("Units where r is largest", names, stream(), digits, keys=2)


def _size(inputs: str, found: Preactivations) -> str:
    units = f", {found.units:,} units" if found.units > 1 else ""
    return f"{inputs}, {found.moments.n:,} numbers{units}"
