"""What another form changes in a block whose pre-activations are normally distributed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from gelu_cli.answers.block.question import (
    TIMES,
    Noises,
    Question,
    beside_noise,
    facts_of,
    noise_report,
    overflows,
    report,
)
from gelu_cli.block.change import Change, change_of
from gelu_cli.block.noise import noise_of
from gelu_cli.calculus.averages import check_sigma
from gelu_cli.report import Ending, Report, Row
from gelu_cli.stages import part
from gelu_cli.values.evaluate import rounding_to

COLUMNS = ("form", *Change._fields, *(f"times_{name}" for name in TIMES), "verdict")


def noises_of(question: Question) -> Callable[[], Noises]:
    """Return what finds the noise of every format, when it is first asked for and once."""
    check_sigma(question.sigma)

    @cache
    def noises() -> Noises:
        given = question.target, question.mean, question.sigma
        return {each: noise_of(each, *given) for each in question.formats}

    return noises


def summary(
    question: Question, noises: Callable[[], Noises], *, digits: int | None = None
) -> Report:
    """Return a row for each form: the change, and how it compares with the noise of formats."""

    def stream() -> Iterator[list[Row] | Ending]:
        for form in question.forms:
            with part(form.label):
                given = form, question.target, question.mean, question.sigma
                change = change_of(*given, rounding_to(digits))
                # Ratios are of r before it is rounded to the digits shown.
                r = change_of(*given).relative_rms if digits else change.relative_rms
                beside = beside_noise(float(r), noises(), question.dtypes, digits)
            yield [(form.label, *change, *beside)]
        yield Ending(facts_of(question, _inputs(question)), overflows(noises()))

    return report(question.title, COLUMNS, stream(), digits)


def formats(
    question: Question, noises: Callable[[], Noises], *, digits: int | None = None
) -> Report:
    """Return a row for each format: what rounding f(h) to it costs."""
    title = f"Rounding noise of {question.target.label}"
    return noise_report(noises(), title, _inputs(question), digits)


def _inputs(question: Question) -> str:
    return f"h ~ N({float(question.mean):g}, {float(question.sigma):g}²)"
