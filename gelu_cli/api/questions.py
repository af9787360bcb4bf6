"""The options on expected results and inputs, parsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, choose, to_form, to_format
from gelu_cli.inputs.numbers import finite, listed, parse_interval, positive, to_float, whole
from gelu_cli.old.sweeping.drawn import Normal
from gelu_cli.old.sweeping.gating import (
    LIMITS,
    OF_PAIRS,
    Gating,
    rounded_seconds,
    seconds_of,
)
from gelu_cli.old.sweeping.inputs import Inputs, takes_every
from gelu_cli.old.sweeping.truth import Question, upstream_in
from gelu_cli.old.sweeping.verdict import Verdict

AUTO, ALL = "auto", "all"
QUANTITIES = ("value", "gradient", *OF_PAIRS)
PACKINGS = ("halves", "interleaved")
SAMPLES, MOST_SAMPLES, MOST_SEEDS = 1_000_000, 10**9, 2**63
SMALL = 16
"""Formats of so many bits or fewer are always swept whole."""


@dataclass(frozen=True)
class Asked:
    """What kernels are asked.

    Attributes
    ----------
    question
        Form, quantity and formats of results.
    backward
        True if kernels take the upstream gradient before their other inputs.
    ups
        Second inputs of pairs; empty for kernels of one input.
    every_up
        True if `ups` has each number of the format.
    notes
        Numbers that were rounded to the format, a sentence each.
    """

    question: Question
    backward: bool = False
    ups: tuple[float, ...] = ()
    every_up: bool = False
    notes: Sequence[str] = ()


def to_question(
    *,
    dtype: Any = "float32",
    result: Any = None,
    form: FormLike = "exact",
    quantity: str | None = None,
    glu: bool = False,
    packed: str | None = None,
    up_first: bool = False,
    backward: bool = False,
    up: Any = None,
    gate_limit: Any = None,
    up_limit: Any = None,
    up_offset: Any = None,
    intermediate: Any = None,
    mean: Any = 0,
    sigma: Any = 1,
) -> Asked:
    """Parse the options on what kernels should compute."""
    number_format = to_format(dtype)
    numbers = to_ups(up)
    limits = {"gate_limit": gate_limit, "up_limit": up_limit, "up_offset": up_offset}
    for each, value in {"packed": packed, "up_first": up_first or None, **limits}.items():
        if value is not None and not glu:
            raise UsageError(f"{option(each)} is for kernels of two inputs; add --glu")
    gating = None
    if glu or numbers == ALL or len(numbers) > 1:
        gating = Gating(
            **_limits(limits),
            intermediate=None if intermediate is None else to_format(intermediate),
            packed="" if packed is None else choose("layout", packed, PACKINGS),
            upstream=not glu,
            up_first=up_first,
        )
        gating.check(number_format)
    elif intermediate is not None:
        raise UsageError("--intermediate rounds F(gate); add --glu, or several numbers of --up")
    name = _quantity(quantity, glu=glu, backward=backward, up=up)
    auto = isinstance(form, str) and form.lower() == AUTO
    question = Question(
        to_form("exact" if auto else form),
        name,
        number_format,
        number_format if result is None else to_format(result),
        auto=auto,
        normal=Normal(float(finite(mean, "--mean")), float(positive(sigma, "--sigma"))),
        gating=gating,
    )
    return _with_ups(question, numbers, glu=glu, backward=backward)


def _with_ups(
    question: Question, numbers: str | Sequence[Fraction], *, glu: bool, backward: bool
) -> Asked:
    """Add second inputs, or the upstream gradient, rounded to the format."""
    if not question.gating:
        typed = Fraction(numbers[0]) if numbers else Fraction(1)
        above = upstream_in(question.dtype, typed)
        return Asked(question._replace(upstream=above.value), backward, notes=above.notes)
    ups, every = seconds_of(question.dtype, numbers or None, "up")
    known = () if isinstance(numbers, str) else numbers
    notes = rounded_seconds(question.dtype, known, "up" if glu else "upstream")
    return Asked(question, backward, ups, every, notes)


def _limits(limits: dict[str, Any]) -> dict[str, Any]:
    """Convert the limits of a GLU that are given to float64s."""
    found = {}
    for name in LIMITS:
        if limits[name] is not None:
            found[name] = to_float(finite(limits[name], option(name)))
            if not isfinite(found[name]):
                raise UsageError(f"{option(name)} is beyond float64; give a smaller number")
    return found


def _quantity(quantity: str | None, *, glu: bool, backward: bool, up: Any) -> str:
    """Choose what is measured: gradients, if an option is for them alone."""
    if quantity is not None:
        choose("quantity", quantity, QUANTITIES)
    if glu:
        if quantity == "gradient" or (backward and quantity not in OF_PAIRS):
            by = "--backward" if quantity != "gradient" else "--quantity gradient"
            raise UsageError(
                f"{by} with --glu has two gradients; add --quantity {' or '.join(OF_PAIRS)}"
            )
        return quantity or "value"
    if quantity in OF_PAIRS:
        raise UsageError(f"--quantity {quantity} is for kernels of two inputs; add --glu")
    for name, given in {"--backward": backward, "--up": up is not None}.items():
        if given and quantity == "value":
            raise UsageError(f"{name} is for gradients; take --quantity gradient, or add --glu")
    return quantity or ("gradient" if backward or up is not None else "value")


def option(name: str) -> str:
    """Spell the option of an argument.

    >>> option("max_ulp")
    '--max-ulp'
    """
    return f"--{name.replace('_', '-')}"


def to_ups(up: Any) -> str | list[Fraction]:
    """Parse second inputs: numbers, each once, or `all`.

    >>> to_ups(["1,2", "1/3"]), to_ups("all"), to_ups(None)
    ([Fraction(1, 1), Fraction(2, 1), Fraction(1, 3)], 'all', [])
    """
    if up is None:
        return []
    several = [up] if isinstance(up, str) or not isinstance(up, Iterable) else list(up)
    words = [
        part for each in several for part in (listed(each) if isinstance(each, str) else [each])
    ]
    if ALL in words:
        if len(words) > 1:
            raise UsageError("--up all has each number of the format; remove the other numbers")
        return ALL
    return [finite(word, "--up") for word in words]


def to_inputs(
    asked: Asked,
    range: str | Sequence[Any] = "-inf:inf",
    *,
    all: bool = False,
    samples: Any = None,
    seed: Any = None,
) -> Inputs:
    """Choose the inputs: each number of a range, or a sample."""
    number_format = asked.question.dtype
    low, high = map(to_float, parse_interval(range))
    if all and number_format.width == 64:
        raise UsageError("--all: float64 has 2^64 bit patterns; remove --all, or take float32")
    every = all or number_format.width <= SMALL
    count = whole(SAMPLES if samples is None else samples, "--samples", 1, MOST_SAMPLES)
    start = whole(seed or 0, "--seed", 0, MOST_SEEDS)
    inputs = Inputs(low, high, every, count, start, ups=asked.ups, every_up=asked.every_up)
    useless = {
        "--samples": samples is not None and every,
        "--seed": seed is not None and takes_every(number_format, inputs),
    }
    for name in filter(useless.get, useless):
        taken = f"each {number_format.name}{'' if every else ' in --range'} is swept"
        raise UsageError(f"{name} has no effect: {taken}; remove {name}")
    return inputs


def question_of(asked: Asked, found: Sequence[Verdict]) -> dict[str, Any]:
    """List all that shapes inputs and exact values, for a record."""
    question, inputs, ftz = asked.question, found[0].inputs, found[0].ftz
    drawn = inputs is not None and not takes_every(question.dtype, inputs)
    return {
        "dtype": question.dtype.name,
        "result": question.result.name,
        "form": ", ".join(dict.fromkeys(each.question.form.label for each in found)),
        "quantity": question.quantity,
        "mean": question.normal.mean,
        "sigma": question.normal.sigma,
        "range": [inputs.low, inputs.high] if inputs else None,
        "samples": inputs.samples if inputs and drawn else None,
        "seed": inputs.seed if inputs and drawn else None,
        "ftz": ftz,
        **(question.gating.asked if question.gating else {}),
        "glu": bool(question.gating and not question.gating.upstream),
        "up": "all" if asked.every_up else list(asked.ups) or question.upstream,
    }


def how_to_take_all(asked: Asked) -> str:
    """Name the option that takes each input, where a sample was measured."""
    if asked.question.gating:
        return "; --up all takes each number as up" * (asked.question.dtype.width <= SMALL)
    return "; --all takes each float32" * (asked.question.dtype.name == "float32")
