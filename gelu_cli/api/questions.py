"""The options on expected results and inputs, parsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.formulas import canonical
from gelu_cli.inputs.names import FormLike, choose
from gelu_cli.inputs.numbers import finite, listed, parse_interval, positive, to_float, whole
from gelu_cli.inputs.old_names import to_old_form, to_old_format
from gelu_cli.old.guests.calling import PACKINGS
from gelu_cli.old.sweeping.drawn import Normal
from gelu_cli.old.sweeping.gating import OF_PAIRS, Gating, rounded_seconds, seconds_of
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.truth import Question, upstream_in
from gelu_cli.old.sweeping.verdict import Verdict

AUTO, ALL = "auto", "all"
SAMPLES, MOST_SAMPLES, MOST_SEEDS = 1_000_000, 10**9, 2**63
SMALL = 16
"""Formats of at most 16 bits are always swept whole."""


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
    number_format, ups = to_old_format(dtype), to_ups(up)
    name = _quantity(quantity, glu=glu, backward=backward, up=up is not None)
    auto = isinstance(form, str) and form.lower() == AUTO
    limits = {"gate_limit": gate_limit, "up_limit": up_limit, "up_offset": up_offset}
    others = {"packed": packed, "intermediate": intermediate, "up_first": up_first or None}
    given = {each: value for each, value in {**limits, **others}.items() if value is not None}
    if given and not glu:
        raise UsageError(f"{option(next(iter(given)))} is for kernels of two inputs; add --glu")
    gating = None
    if glu or ups == ALL or len(ups) > 1:
        gating = Gating(
            **{each: _float64(given[each], option(each)) for each in limits if each in given},
            intermediate=None if intermediate is None else to_old_format(intermediate),
            packed="" if packed is None else choose("layout", packed, PACKINGS),
            upstream=not glu,
            up_first=up_first,
        )
        gating.check(number_format)
    question = Question(
        to_old_form("exact" if auto else form),
        name,
        number_format,
        number_format if result is None else to_old_format(result),
        auto=auto,
        normal=Normal(_float64(mean, "--mean"), _float64(positive(sigma, "--sigma"), "--sigma")),
        gating=gating,
    )
    return _with_ups(question, ups, glu=glu, backward=backward)


def _with_ups(
    question: Question, ups: str | Sequence[Fraction], *, glu: bool, backward: bool
) -> Asked:
    """Add second inputs, or the upstream gradient, rounded to the format."""
    if not question.gating:
        upstream = upstream_in(question.dtype, Fraction(ups[0]) if ups else Fraction(1))
        return Asked(question._replace(upstream=upstream.value), backward, notes=upstream.notes)
    seconds, every = seconds_of(question.dtype, ups or None, "up")
    known = () if isinstance(ups, str) else ups
    notes = rounded_seconds(question.dtype, known, "up" if glu else "upstream")
    return Asked(question, backward, seconds, every, notes)


def _float64(value: Any, name: str) -> float:
    found = to_float(finite(value, name))
    if not isfinite(found):
        raise UsageError(f"{name} is beyond float64; give a smaller number")
    return found


def _quantity(quantity: str | None, *, glu: bool, backward: bool, up: bool) -> str:
    """Choose what is measured; backward passes and --up have gradients alone."""
    known: Sequence[str] = ("gradient",) if backward or up else ("value", "gradient")
    if glu:
        known = OF_PAIRS if backward else ("value", *OF_PAIRS)
    name = quantity or ("value" if glu else known[0])
    if name not in known:
        given = {"--glu": glu, "--backward": backward, "--up": up}
        options = " and ".join(each for each, value in given.items() if value)
        where = f"with {options}" if options else "without --glu"
        raise UsageError(f"--quantity is {name}; kernels {where} have {' or '.join(known)}")
    return name


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
    several = [up] if isinstance(up, str) or not isinstance(up, Iterable) else up
    words = listed([str(each) for each in several])
    return ALL if words == [ALL] else [finite(word, "--up") for word in words]


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
    return Inputs(low, high, every, count, start, ups=asked.ups, every_up=asked.every_up)


def question_of(asked: Asked, found: Sequence[Verdict]) -> dict[str, Any]:
    """List all that shapes inputs and exact values, for a record."""
    question, inputs = asked.question, found[0].inputs
    drawn = None if found[0].exhaustive else inputs
    of_files = dict.fromkeys(each.asked["inputs"] for each in found if "inputs" in each.asked)
    return {
        "dtype": question.dtype.name,
        "result": question.result.name,
        "form": ", ".join(dict.fromkeys(canonical(each.question.form.label) for each in found)),
        "quantity": question.quantity,
        "mean": question.normal.mean,
        "sigma": question.normal.sigma,
        "range": inputs and [inputs.low, inputs.high],
        "inputs": ", ".join(of_files) or None,
        "samples": drawn and drawn.samples,
        "seed": drawn and drawn.seed,
        "ftz": found[0].ftz,
        **(question.gating.asked if question.gating else {}),
        "glu": bool(question.gating and not question.gating.upstream),
        "up": ALL if asked.every_up else list(asked.ups) or question.upstream,
    }
