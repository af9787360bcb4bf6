"""What another form changes in a block whose pre-activations are normally distributed.

What is asked of a block, and what answers on real pre-activations share with these, is here too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple, TypeAlias

from gelu_cli.answers import report_of
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FORMATS, Format
from gelu_cli.calculus.integrals import check_sigma
from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.network.change import Change, Shape, change_of
from gelu_cli.network.gated import Ups
from gelu_cli.network.noise import Noise, noise_of, rounded, usual_model
from gelu_cli.network.random_block import Sampled, sampled_change
from gelu_cli.report import Cell, Ending, Report, Row, Sentence
from gelu_cli.stages import part
from gelu_cli.sweeping.gating import Gating, clamped
from gelu_cli.values.evaluate import rounding_to

DEFAULT_FORMAT = "bfloat16"
DEFAULT_SHAPE = Shape(768, 3072)

TIMES = ("bfloat16", "float16", "float32")
"""The formats whose noise every change is divided by."""

MUCH = 2
"""A change of at most half the noise n adds an eighth to it or less: √(n² + n²/4) = 1.12·n."""

COLUMNS = ("form", *Change._fields, *(f"times_{name}" for name in TIMES), "verdict")
"""Of every summary, the first ones."""

MEANINGS = {"below": "a swap is lost in it", "above": "a swap shows", "beside": "about as much"}
"""What verdicts say."""

NOTABLE = 1e-9
"""A probability of values beyond a format that is told."""

SCOPE = "the output of this block; what later layers make of a change is not told"
Noises: TypeAlias = Mapping[Format, Noise]


class Question(NamedTuple):
    """Which forms replace f, the target, for pre-activations h ~ N(mean, sigma²)."""

    forms: Sequence[Form]
    target: Form
    mean: Fraction = Fraction(0)
    sigma: Fraction = Fraction(1)
    dtypes: Sequence[Format] = (FORMATS[DEFAULT_FORMAT],)
    """The formats that the verdict is about."""

    shape: Shape | None = DEFAULT_SHAPE
    gating: Gating | None = None
    """What a gated block computes of gates h and ups ~ N(0, sigma²)."""

    def of(self, gating: Gating | None) -> Question:
        """Return the question of a gated block, whose forms have the limit of its gates."""
        if gating is None:
            return self
        if gating.up_limit == 0 == gating.up_offset:
            raise UsageError("--up-limit 0 makes every up 0; add --up-offset B")
        target, *forms = (clamped(form, gating.limit) for form in (self.target, *self.forms))
        return self._replace(forms=forms, target=target, gating=gating)

    @property
    def ups(self) -> Ups | None:
        """What f(h) is multiplied by in a gated block."""
        return Ups(*self.gating[1:5]) if self.gating else None

    @property
    def formats(self) -> list[Format]:
        """Every format whose noise is asked for."""
        return list(dict.fromkeys([*(FORMATS[name] for name in TIMES), *self.dtypes]))

    @property
    def title(self) -> str:
        """What the forms replace."""
        kind = "gated" if self.gating else "feed-forward"
        return f"In place of {self.target.label} in a {kind} block"


class Draws(NamedTuple):
    """How many inputs go through a block with random weights, and the seed of both."""

    samples: int
    seed: int


def _verdict(r: float, noise: float) -> str | None:
    """Return where a change is beside a noise, None where that is not known."""
    if math.isnan(noise):
        return None
    return "below" if r * MUCH <= noise else "above" if r >= noise * MUCH else "beside"


def beside_noise(
    r: float, noises: Noises, dtypes: Sequence[Format], digits: int | None
) -> list[Cell]:
    """Return r over the noise of each format in `TIMES`, and the verdict."""
    times = [_ratio(r, noises[FORMATS[name]].relative_rms, digits) for name in TIMES]
    verdicts = [_verdict(r, noises[each].relative_rms) for each in dtypes]
    if len(dtypes) == 1:
        return [*times, *verdicts]
    pairs = zip(verdicts, dtypes, strict=True)
    return [*times, ", ".join(f"{said or 'unknown'} {each.name}" for said, each in pairs)]


def _ratio(r: float, noise: float, digits: int | None) -> Cell:
    return shown(rounded(r / noise), digits) if noise else None


def shown(number: float | None, digits: int | None) -> Cell:
    """Return a number that has only the digits that are sure, rounded where fewer are asked for."""
    if number is None or isinstance(number, int) or digits is None:
        return number
    known = len(Decimal(repr(number)).as_tuple().digits)
    return number if digits >= known else Decimals(digits).from_float(number)


def sentences(form: Form, r: float, noises: Noises, dtypes: Sequence[Format]) -> Iterator[Sentence]:
    """Yield what a change is beside the rounding noise of formats, in words."""
    for each in dtypes:
        noise = noises[each].relative_rms
        verdict = _verdict(r, noise)
        if verdict and noise:
            said = f"r = {r:.3g} is {r / noise:.3g} times the rounding noise of {each.name}"
            text = f"{form.label}: {said}: {MEANINGS[verdict]}."
            yield Sentence("matters", text, {"r": r, "noise": noise})


def facts_of(question: Question, inputs: str) -> dict[str, str]:
    """Return what every summary says of the block and of its verdict."""
    names, shape = " or ".join(each.name for each in question.dtypes), question.shape
    facts = {
        "pre-activations": inputs,
        "verdict": f"r beside the rounding noise of {names}: at most half of it is below, at "
        "least twice is above",
    }
    if shape:
        d, hidden = shape
        matrices, biases = (3, 0) if question.gating else (2, hidden + d)
        facts["block"] = (
            f"{d} → {hidden} → {d}: {matrices * d * hidden + biases:,} parameters, "
            f"{2 * matrices * d * hidden:,} flops for one input"
        )
    if question.gating:
        facts["products"] = question.gating.formula("value").removeprefix("results are ")
    return {**facts, "scope": SCOPE}


def noise_report(
    question: Question, find: Callable[[], Noises], inputs: Callable[[], str], digits: int | None
) -> Report:
    """Return a row for each format: the noise of rounding f(h) to it, beside the usual model."""

    def row(number_format: Format, noise: Noise) -> Row:
        rounded_to = filter(None, (number_format, question.gating and question.gating.intermediate))
        model = rounded(math.hypot(*map(usual_model, rounded_to)))
        r, ratio = noise.relative_rms, _ratio(noise.relative_rms, model, digits)
        measured, usual, beyond = (shown(each, digits) for each in (r, model, noise.beyond))
        return number_format.name, measured, usual, ratio, beyond

    def stream() -> Iterator[list[Row] | Ending]:
        noises = find()
        yield [row(*each) for each in noises.items()]
        yield Ending({"pre-activations": inputs()}, notes_on(noises, question))

    names = "dtype relative_rms usual_model times_model beyond_largest"
    return report_of(f"Rounding noise of {question.target.label}", names, stream(), digits)


def notes_on(noises: Noises, question: Question) -> list[str]:
    """Return what there is to say of unknown noises, and of results too large for a format."""
    if any(math.isnan(noise.relative_rms) for noise in noises.values()):
        ups = ", above a 7th of the up limit or below an 8th of the up offset"
        beside = ups if question.gating else ""
        return [f"the rounding noise is not computed for a sigma below |mean|/2^22{beside}"]
    return [
        f"{noise.beyond:.2g} of all results are beyond {each.largest:g}, the largest {each.name}: "
        "its noise is that of a format with larger exponents"
        for each, noise in noises.items()
        if noise.beyond > NOTABLE
    ]


# The answers on normal pre-activations

SAMPLED = tuple(
    name if name.endswith("standard_error") else f"sampled_{name}" for name in Sampled._fields
)


def noises_of(question: Question) -> Callable[[], Noises]:
    """Return what finds the noise of every format in f(h) when it is first called."""
    check_sigma(question.sigma)
    given = question.target, question.mean, question.sigma, question.ups
    return cache(lambda: {each: noise_of(each, *given) for each in question.formats})


def summary(
    question: Question,
    noises: Callable[[], Noises],
    draws: Draws | None,
    *,
    digits: int | None = None,
) -> Report:
    """Return a row for each form: the change, and how it compares with the noise of formats.

    `draws` adds what a real block shows, as a check.
    """

    def stream() -> Iterator[list[Row] | Ending]:
        words: list[Sentence] = []
        sampled: Sequence[Sequence[float | None]] = [()] * len(question.forms)
        if draws:
            normal = float(question.mean), float(question.sigma)
            shape = question.shape or DEFAULT_SHAPE
            given = question.forms, question.target, *normal, shape, *draws, question.ups
            sampled = sampled_change(*given)
        for form, measured in zip(question.forms, sampled, strict=True):
            with part(form.label):
                pair = form, question.target, question.mean, question.sigma
                change = change_of(*pair, rounding_to(digits), question.ups)
                # Ratios are of r before it is rounded to the digits shown.
                r = change_of(*pair).relative_rms if digits else change.relative_rms
                beside = beside_noise(float(r), noises(), question.dtypes, digits)
            words += sentences(form, float(r), noises(), question.dtypes)
            yield [(form.label, *change, *beside, *(shown(each, digits) for each in measured))]
        facts = facts_of(question, _inputs(question))
        if draws:
            facts["samples"] = (
                f"{draws.samples:,} inputs with |x|² = d, blocks with random weights, seed "
                f"{draws.seed}"
            )
        yield Ending(facts, notes_on(noises(), question), words=words)

    names = (*COLUMNS, *(SAMPLED if draws else ()))
    return report_of(question.title, names, stream(), digits, headed=True)


def formats(
    question: Question, noises: Callable[[], Noises], *, digits: int | None = None
) -> Report:
    """Return a row for each format: what rounding f(h) to it costs."""
    return noise_report(question, noises, lambda: _inputs(question), digits)


def _inputs(question: Question) -> str:
    mean, sigma = float(question.mean), float(question.sigma)
    ups = f", ups ~ N(0, {sigma:g}²), independent" if question.gating else ""
    return f"h ~ N({mean:g}, {sigma:g}²){ups}"
