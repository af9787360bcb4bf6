"""What a swap of forms changes in a feed-forward block."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple, TypeAlias, TypedDict, Unpack, overload

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, to_form, to_format, to_forms
from gelu_cli.inputs.numbers import finite, listed, positive, whole
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.formulas import Form
from gelu_cli.old.network.change import change_of
from gelu_cli.old.network.gated import Ups
from gelu_cli.old.network.noise import DIGITS, Noise, noise_of, rounded
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import rounding_to
from gelu_cli.output.tables import Table

Real: TypeAlias = float | Decimal

DTYPES = ("bfloat16", "float16", "float32")
EXACT_COLUMNS = ("relative_rms", "db", "gradient_relative_rms", "gradient_db")
HEADINGS = {
    "relative_rms": "r", "db": "dB", "gradient_relative_rms": "r of f′",
    "gradient_db": "dB of f′",
}  # fmt: skip
MUCH = 2
"""A change of at most half the noise n adds an eighth to it or less: √(n² + n²/4) = 1.12·n."""

NOTABLE = 1e-9
"""Probability of overflow from which on a note names it."""

MEANINGS = {
    "below": "the swap is lost in it",
    "beside": "about as much",
    "above": "the swap shows",
}


@dataclass(frozen=True, kw_only=True)
class Change(Result):
    """The change of a block's output and gradient by another form.

    Besides these fields it has `times_bfloat16`, `times_float16`, …, one a dtype: `relative_rms`
    over the rounding noise of the format.

    Attributes
    ----------
    form
        Name of the form g that replaces the target f.
    relative_rms
        r = √(E(g − f)²/E f²).
    db
        20·log₁₀ r.
    gradient_relative_rms
        √(E(g′ − f′)²/E f′²); of a gated block both gradients count.
    gradient_db
        20·log₁₀ of the change of the gradient.
    verdict
        `below`, `beside` or `above` the noise of the first dtype: at most half of it, about as
        much, at least twice. None if the noise is not known.
    parameters, flops
        Number of parameters, and of operations for one input; None without a shape.
    """

    form: str
    relative_rms: Real
    db: Real
    gradient_relative_rms: Real
    gradient_db: Real
    verdict: str | None
    parameters: int | None = None
    flops: int | None = None


class Question(NamedTuple):
    """The target f, and the distribution of pre-activations h ~ N(mean, sigma²)."""

    target: Form
    mean: Fraction
    sigma: Fraction
    ups: Ups | None


Noises: TypeAlias = Mapping[Format, Noise]


class Options(TypedDict, total=False):
    """The options of `block`."""

    dtype: Any
    mean: Any
    sigma: Any
    shape: str | Sequence[int] | None
    glu: bool
    digits: int | None


@overload
def block(  # type: ignore[overload-overlap]  # a word is a sequence, too
    form: str | Form, target: FormLike = ..., **options: Unpack[Options]
) -> Change: ...
@overload
def block(
    form: Sequence[FormLike] = ..., target: FormLike = ..., **options: Unpack[Options]
) -> Results[Change]: ...
def block(
    form: FormLike | Sequence[FormLike] = ("tanh", "sigmoid", "silu", "relu"),
    target: FormLike = "exact",
    *,
    dtype: Any = DTYPES,
    mean: Any = 0,
    sigma: Any = 1,
    shape: str | Sequence[int] | None = None,
    glu: bool = False,
    digits: int | None = None,
) -> Change | Results[Change]:
    """Measure what another form changes in a feed-forward block W₂·f(W₁x + b₁) + b₂.

    For pre-activations h ~ N(mean, sigma²) and weights W₂ of mean 0 the output changes by
    r = √(E(g − f)²/E f²), whatever the widths. Rounding f(h) to a format changes the output as
    well; r is compared with that noise.

    Parameters
    ----------
    form
        The form g that replaces the target; a list gives a list of results.
    target
        The form f of the block.
    dtype
        Formats whose rounding noise r is divided by; the verdict is about the first.
    mean, sigma
        Mean and standard deviation of the pre-activations.
    shape
        Widths (D, FF) of the block D → FF → D, to count parameters and operations.
    glu
        Measure a gated block W₂·(f(W₁x)·Vx), with Vx ~ N(0, sigma²).
    digits
        Return decimals of so many significant digits instead of float64s.

    Raises
    ------
    UsageError
        If a name is unknown, or sigma is not positive.
    ComputationError
        If f(h) or f′(h) is 0 for all h that matter.

    Examples
    --------
    >>> change = block("tanh")
    >>> change.relative_rms, change.times_bfloat16, change.verdict
    (0.0001974874751491593, 0.118624719, 'below')
    """
    forms, formats = to_forms(form), _formats(dtype)
    ups = Ups() if glu else None
    question = Question(to_form(target), finite(mean, "--mean"), positive(sigma, "--sigma"), ups)
    size: dict[str, Any] = {} if shape is None else _size(shape, glu=glu)
    noises = {each: noise_of(each, *question) for each in formats}
    kind = _class_of(tuple(each.name for each in formats))
    found = [kind(**_change(each, question, noises, digits), **size) for each in forms]

    def table() -> Table:
        kind_of = "Gated" if glu else "Feed-forward"
        title = f"{kind_of} block with another form in place of {question.target.label}"
        names = ["form", *EXACT_COLUMNS, *(f"times_{each.name}" for each in formats), "verdict"]
        headings = {**HEADINGS, **{f"times_{each.name}": f"r/{each.name}" for each in formats}}
        rows = map(Result.to_dict, found)
        return Table.of_rows(title, [*names, *size], rows, 1, headings, _meanings(question, noises))

    words = [_in_words(each, formats[0], noises[formats[0]]) for each in found if each.verdict]
    verdicts = ", ".join(f"{each.form} {each.verdict or 'unknown'}" for each in found)
    said = f"{verdicts} the rounding noise of {formats[0].name}"
    answer = Answer({"summary": table}, words=words, notes=[*_notes(noises)], found=said)
    if isinstance(form, str | Form) and len(found) == 1:
        return replace(found[0], answer=answer)
    return Results(found, answer)


def _formats(dtype: Any) -> list[Format]:
    several = dtype if isinstance(dtype, list | tuple) else [dtype]
    words = [
        word for each in several for word in (listed(each) if isinstance(each, str) else [each])
    ]
    if not words:
        raise UsageError("--dtype names no format; for example --dtype bfloat16")
    return list(dict.fromkeys(map(to_format, words)))


def _size(shape: str | Sequence[int], *, glu: bool) -> dict[str, int]:
    """Count the parameters of a block D → FF → D, and its operations for one input."""
    widths = shape.split(",") if isinstance(shape, str) else list(shape)
    if len(widths) != 2:
        raise UsageError(f"--shape is '{shape}'; give two widths D,FF, e.g. 768,3072")
    d, hidden = (whole(each, "--shape", 1, 10**9) for each in widths)
    matrices, biases = (3, 0) if glu else (2, hidden + d)
    return {"parameters": matrices * d * hidden + biases, "flops": 2 * matrices * d * hidden}


@cache
def _class_of(names: tuple[str, ...]) -> type[Change]:
    """Make a subclass of Change with a field for the noise of each format."""
    times = [(f"times_{name}", Real) for name in names]
    return make_dataclass("Change", times, bases=(Change,), frozen=True, kw_only=True)


def _change(form: Form, question: Question, noises: Noises, digits: int | None) -> dict[str, Any]:
    """Measure what a form changes, and compare it with the noise of formats."""
    with part(form.label):
        change = change_of(form, *question[:3], rounding_to(digits), question.ups)
        # Ratios are of r before it is rounded to the digits shown.
        whole_r = change if digits is None else change_of(form, *question[:3], ups=question.ups)
    r, first = float(whole_r.relative_rms), next(iter(noises.values()))
    return {
        "form": form.label,
        **{name: getattr(change, name) for name in EXACT_COLUMNS},
        **{
            f"times_{each.name}": _ratio(r, noise.relative_rms, digits)
            for each, noise in noises.items()
        },
        "verdict": _verdict(r, first.relative_rms),
    }


def _ratio(r: float, noise: float, digits: int | None) -> Real | None:
    """Divide by a noise, which has 9 digits, as the ratio then has."""
    if not noise:
        return None
    if digits is None:
        return rounded(r / noise)
    return Decimals(min(digits, DIGITS)).from_float(r / noise)


def _verdict(r: float, noise: float) -> str | None:
    if not noise > 0:
        return None
    return "below" if r * MUCH <= noise else "above" if r >= noise * MUCH else "beside"


def _in_words(change: Change, number_format: Format, noise: Noise) -> str:
    r, name = float(change.relative_rms), number_format.name
    times = f"{r / noise.relative_rms:.3g} times"
    said = f"{change.form}: r = {r:.3g} is {times} the rounding noise of {name}"
    return f"{said}: {MEANINGS[change.verdict or 'beside']}."


def _meanings(question: Question, noises: Noises) -> dict[str, str]:
    mean, sigma = float(question.mean), float(question.sigma)
    gated = f", Vx ~ N(0, {sigma:g}²)" if question.ups else ""
    listed_noises = ", ".join(
        f"{each.name} {noise.relative_rms:.3g}" for each, noise in noises.items()
    )
    return {
        "r": f"√(E(g − f)²/E f²), the change of the output for h ~ N({mean:g}, {sigma:g}²){gated}",
        "r/format": f"r over the rounding noise of the format, in 9 digits: {listed_noises}",
        "verdict": "at most half the noise of the first format is below, at least twice is above",
        "scope": "the output of this block, not of the layers after it",
    }


def _notes(noises: Noises) -> Iterator[str]:
    """Yield why a noise is unknown, and how often a format overflows."""
    if any(math.isnan(noise.relative_rms) for noise in noises.values()):
        yield "the rounding noise is not computed for a --sigma below |--mean|/2^22"
    for each, noise in noises.items():
        if noise.beyond > NOTABLE:
            yield (
                f"{noise.beyond:.2g} of all results exceed {each.largest:g}, the largest "
                f"{each.name}: its noise is that of a format with larger exponents"
            )
