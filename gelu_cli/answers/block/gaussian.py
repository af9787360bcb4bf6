"""What another form changes in a block whose pre-activations are normally distributed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from gelu_cli.answers.block.question import (
    COLUMNS,
    DEFAULT_SHAPE,
    Draws,
    Noises,
    Question,
    beside_noise,
    facts_of,
    noise_report,
    notes_on,
    report,
    shown,
)
from gelu_cli.block.change import change_of
from gelu_cli.block.noise import noise_of
from gelu_cli.block.random_block import Sampled, sampled_change
from gelu_cli.calculus.integrals import check_sigma
from gelu_cli.report import Ending, Report, Row
from gelu_cli.stages import part
from gelu_cli.values.evaluate import rounding_to

SAMPLED = tuple(
    name if name.endswith("standard_error") else f"sampled_{name}" for name in Sampled._fields
)

FindNoises = Callable[[], Noises]
"""The noise of every format, found when it is first asked for and once."""


def noises_of(question: Question) -> FindNoises:
    """Return what finds the noise of every format in f(h)."""
    check_sigma(question.sigma)

    @cache
    def noises() -> Noises:
        given = question.target, question.mean, question.sigma
        return {each: noise_of(each, *given) for each in question.formats}

    return noises


def summary(
    question: Question, noises: FindNoises, draws: Draws | None, *, digits: int | None = None
) -> Report:
    """Return a row for each form: the change, and how it compares with the noise of formats.

    `draws` adds what a real block shows, as a check.
    """

    def stream() -> Iterator[list[Row] | Ending]:
        sampled = _sampled(question, draws) if draws else [() for _ in question.forms]
        for form, measured in zip(question.forms, sampled, strict=True):
            with part(form.label):
                given = form, question.target, question.mean, question.sigma
                change = change_of(*given, rounding_to(digits))
                # Ratios are of r before it is rounded to the digits shown.
                r = change_of(*given).relative_rms if digits else change.relative_rms
                beside = beside_noise(float(r), noises(), question.dtypes, digits)
            yield [(form.label, *change, *beside, *(shown(each, digits) for each in measured))]
        facts = facts_of(question, _inputs(question))
        yield Ending(facts | (_drawn(draws) if draws else {}), notes_on(noises()))

    names = (*COLUMNS, *(SAMPLED if draws else ()))
    return report(question.title, names, stream(), digits)


def _sampled(question: Question, draws: Draws) -> Sequence[Sampled]:
    normal = float(question.mean), float(question.sigma)
    shape = question.shape or DEFAULT_SHAPE
    return sampled_change(question.forms, question.target, *normal, shape, *draws)


def _drawn(draws: Draws) -> dict[str, str]:
    return {
        "samples": f"{draws.samples:,} inputs with |x|² = d, blocks with random weights, seed "
        f"{draws.seed}"
    }


def formats(question: Question, noises: FindNoises, *, digits: int | None = None) -> Report:
    """Return a row for each format: what rounding f(h) to it costs."""
    return noise_report(question, noises, lambda: _inputs(question), digits)


def _inputs(question: Question) -> str:
    return f"h ~ N({float(question.mean):g}, {float(question.sigma):g}²)"
