"""What does another form or format change in a feed-forward block?

Pre-activations h are normally distributed (`OfNormal`), or those of a file (`OfData`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

from scipy.special import ndtr

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.answers import report_of
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FORMATS, Format
from gelu_cli.old.calculus.integrals import check_sigma
from gelu_cli.old.formulas import Form
from gelu_cli.old.network import preactivations
from gelu_cli.old.network.change import Change, Shape, change_of
from gelu_cli.old.network.gated import Ups
from gelu_cli.old.network.noise import Noise, noise_of, rounded, usual_model
from gelu_cli.old.network.preactivations import Block, Moments, Preactivations, measured
from gelu_cli.old.network.random_block import Sampled, sampled_change
from gelu_cli.old.report import Cell, Ending, Report, Row, Sentence
from gelu_cli.old.stages import part
from gelu_cli.old.sweeping.gating import Gating, clamped
from gelu_cli.old.values.evaluate import rounding_to

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


Changed: TypeAlias = tuple[Form, float, Sequence[Cell], Sequence[Cell]]
"""A form, its r, the cells that every summary has of it, and those of one summary alone."""


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


class _Answers(ABC):
    """The tables that there are of pre-activations of any kind."""

    question: Question
    more: Sequence[str]
    """The columns of the summary that these pre-activations have alone."""

    noises: Noises
    inputs: str

    @property
    def views(self) -> dict[str, Callable[..., Report]]:
        """The tables, by name."""
        return {"summary": self.summary, "formats": self.formats}

    @abstractmethod
    def _changes(self, digits: int | None) -> Iterator[Changed]: ...

    def summary(self, *, digits: int | None = None) -> Report:
        """Return a row for each form: the change, and how it compares with the noise of formats."""
        kind = "gated" if self.question.gating else "feed-forward"
        title = f"In place of {self.question.target.label} in a {kind} block"

        def stream() -> Iterator[list[Row] | Ending]:
            words: list[Sentence] = []
            for form, r, figures, more in self._changes(digits):
                noises = self.noises, self.question.dtypes
                words += sentences(form, r, *noises)
                beside = beside_noise(r, *noises, digits)
                yield [(form.label, *figures, *beside, *more)]
            yield Ending(self._facts(), self._notes(), words=words)

        return report_of(title, (*COLUMNS, *self.more), stream(), digits, headed=True)

    def formats(self, *, digits: int | None = None) -> Report:
        """Return a row for each format: the noise of rounding f(h), beside the usual model."""
        question = self.question

        def row(number_format: Format, noise: Noise) -> Row:
            inner = question.gating and question.gating.intermediate
            model = rounded(math.hypot(*map(usual_model, filter(None, (number_format, inner)))))
            r, ratio = noise.relative_rms, _ratio(noise.relative_rms, model, digits)
            measured, usual, beyond = (shown(each, digits) for each in (r, model, noise.beyond))
            return number_format.name, measured, usual, ratio, beyond

        def stream() -> Iterator[list[Row] | Ending]:
            yield [row(*each) for each in self.noises.items()]
            yield Ending({"pre-activations": self.inputs}, self._notes())

        names = "dtype relative_rms usual_model times_model beyond_largest"
        return report_of(f"Rounding noise of {question.target.label}", names, stream(), digits)

    def _facts(self) -> dict[str, str]:
        """Return what the summary says of the block and of its verdict."""
        question, shape = self.question, self.question.shape
        names = " or ".join(each.name for each in question.dtypes)
        facts = {
            "pre-activations": self.inputs,
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

    def _notes(self) -> list[str]:
        """Return what there is to say of unknown noises, and of results too large for a format."""
        if any(math.isnan(noise.relative_rms) for noise in self.noises.values()):
            ups = ", above a 7th of the up limit or below an 8th of the up offset"
            beside = ups if self.question.gating else ""
            return [f"the rounding noise is not computed for a sigma below |mean|/2^22{beside}"]
        return [
            f"{noise.beyond:.2g} of all results are beyond {each.largest:g}, the largest "
            f"{each.name}: its noise is that of a format with larger exponents"
            for each, noise in self.noises.items()
            if noise.beyond > NOTABLE
        ]


@dataclass(frozen=True, eq=False)
class OfNormal(_Answers):
    """What is answered on normal pre-activations; raises `UsageError` for sigma ≤ 0.

    `draws` adds to the summary what a block with random weights shows: how many inputs go through
    it, and the seed of both.
    """

    question: Question
    draws: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        check_sigma(self.question.sigma)

    @property
    def more(self) -> Sequence[str]:  # type: ignore[override]
        """The columns of what a real block shows."""
        names = Sampled._fields if self.draws else ()
        return [each if each.endswith("standard_error") else f"sampled_{each}" for each in names]

    @cached_property
    def noises(self) -> Noises:  # type: ignore[override]
        """The noise of every format in f(h)."""
        _, target, mean, sigma, *_ = self.question
        given = target, mean, sigma, self.question.ups
        return {each: noise_of(each, *given) for each in self.question.formats}

    @property
    def inputs(self) -> str:  # type: ignore[override]
        """How pre-activations are distributed."""
        mean, sigma = float(self.question.mean), float(self.question.sigma)
        ups = f", ups ~ N(0, {sigma:g}²), independent" if self.question.gating else ""
        return f"h ~ N({mean:g}, {sigma:g}²){ups}"

    def _changes(self, digits: int | None) -> Iterator[Changed]:
        forms, target, mean, sigma, *_ = self.question
        ups = self.question.ups
        sampled: Sequence[Sequence[float]] = [()] * len(forms)
        if self.draws:
            shape = self.question.shape or DEFAULT_SHAPE
            given = float(mean), float(sigma), shape, *self.draws, ups
            sampled = sampled_change(forms, target, *given)
        for form, of_block in zip(forms, sampled, strict=True):
            with part(form.label):
                pair = form, target, mean, sigma
                change = change_of(*pair, rounding_to(digits), ups)
                # Ratios are of r before it is rounded to the digits shown.
                r = change_of(*pair).relative_rms if digits else change.relative_rms
            yield form, float(r), change, [shown(each, digits) for each in of_block]

    def _facts(self) -> dict[str, str]:
        facts = super()._facts()
        if self.draws:
            count, seed = self.draws
            of = f"{count:,} inputs with |x|² = d, blocks with random weights"
            facts["samples"] = f"{of}, seed {seed}"
        return facts


@dataclass(frozen=True, eq=False)
class OfData(_Answers):
    """What is answered on real pre-activations, which come in blocks and are read once."""

    question: Question
    blocks: Iterable[Block]
    source: str
    more = ("gaussian_relative_rms", "times_gaussian", "top_share")

    @property
    def views(self) -> dict[str, Callable[..., Report]]:
        """The tables, by name."""
        return {**super().views, "moments": self.moments, "units": self.units}

    @cached_property
    def _found(self) -> Preactivations:
        question = self.question
        given = question.forms, question.target, question.formats
        return measured(self.blocks, *given, ups=question.ups)

    @property
    def _relatively(self) -> Preactivations:
        """What is found; raises `ComputationError` where nothing is relative to f."""
        if self._found.is_0:
            raise ComputationError(
                f"{self.question.target.label} is as good as 0 for all these pre-activations, so "
                "that no change is relative to it; take another --target, or --view moments"
            )
        return self._found

    @property
    def noises(self) -> Noises:  # type: ignore[override]
        """The noise of every format in f."""
        return self._relatively.noises

    @property
    def inputs(self) -> str:  # type: ignore[override]
        """Where pre-activations come from, and how many they are."""
        units = f", {self._found.units:,} units" if self._found.units > 1 else ""
        return f"{self.source}, {self._found.moments.n:,} numbers{units}"

    def _changes(self, digits: int | None) -> Iterator[Changed]:
        """Yield what forms change, and would at normal pre-activations of the same mean and σ."""
        found, target = self._relatively, self.question.target
        for form, change in zip(self.question.forms, found.changes, strict=True):
            r, gaussian = change.relative_rms, math.nan
            if found.moments.deviation:
                normal = Fraction(found.moments.mean), Fraction(found.moments.deviation)
                with part(form.label):
                    gaussian = rounded(float(change_of(form, target, *normal).relative_rms))
            ratio = rounded(r / gaussian) if gaussian else math.nan
            figures = _figures(change, form.function == target.function)
            both = figures, (gaussian, ratio, change.top_share)
            first, last = ([shown(each, digits) for each in some] for some in both)
            yield form, r, first, last

    def moments(self, *, digits: int | None = None) -> Report:
        """Return a row for each moment, beside that of a normal distribution."""

        def stream() -> Iterator[list[Row] | Ending]:
            moments = self._found.moments
            _, mean, deviation, *_ = moments
            negative = float(ndtr(-mean / deviation)) if deviation else math.nan
            normal = [None, mean, deviation, 0.0, 3.0, rounded(negative)]
            yield [
                (name, shown(value, digits), shown(of_normal, digits))
                for name, value, of_normal in zip(Moments._fields, moments, normal, strict=True)
            ]
            yield Ending({"pre-activations": self.inputs})

        return report_of("Pre-activations", "metric value normal", stream(), digits)

    def units(self, *, digits: int | None = None) -> Report:
        """Return a row for each form and unit, those units with the largest r first."""

        def stream() -> Iterator[list[Row] | Ending]:
            changes = self._relatively.changes
            for form, change in zip(self.question.forms, changes, strict=True):
                yield [
                    (form.label, unit.unit, *(shown(each, digits) for each in unit[1:]))
                    for unit in change.units
                ]
            yield Ending({"pre-activations": self.inputs})

        names = "form unit mean deviation negative_share relative_rms share"
        return report_of("Units where r is largest", names, stream(), digits, keys=2)


def _figures(change: preactivations.Change, same: bool) -> list[float]:
    """Return what the summary has of any kind of pre-activations.

    The logarithm of a change that is too small to tell from 0 is not known.
    """
    r, slope = change.relative_rms, change.gradient_relative_rms
    of_0 = -math.inf if same else math.nan
    log, slope_log = (math.log10(each) if each else of_0 for each in (r, slope))
    exact = 20 * log, -log / math.log10(2), 20 * slope_log
    logs = [float(f"{each:.{preactivations.DIGITS}g}") for each in exact]
    angle = change.one_minus_cosine
    return [r, *logs[:2], change.relative_rms_centred, change.gain, angle, slope, logs[2]]
