"""The options on expected results and inputs, parsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

from gelu_cli.accuracy.question import OF_FORM, Glu, Question
from gelu_cli.accuracy.second_inputs import usual_seconds
from gelu_cli.accuracy.selection import SMALL, Inputs
from gelu_cli.accuracy.weights import STANDARD, Normal
from gelu_cli.errors import UsageError
from gelu_cli.formulas import canonical
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.inputs.names import FormLike, choose, to_form, to_format
from gelu_cli.inputs.numbers import finite, listed, parse_interval, positive, to_float, whole
from gelu_cli.kernels.description import PACKINGS
from gelu_cli.numbers import Format, round_fraction

AUTO, ALL = "auto", "all"
SAMPLES, MOST_SAMPLES, MOST_SEEDS = 1_000_000, 10**9, 2**63
OF_PAIRS = tuple(OF_FORM)
"""Gradients of a GLU."""


@dataclass(frozen=True)
class Asked:
    """What kernels are asked.

    Attributes
    ----------
    question
        Form, quantity, formats, and how a second input enters the result.
    auto
        True if the form is to be the nearest one.
    glu
        True if kernels take a gate and an up; other second inputs are upstream gradients.
    backward
        True if kernels take the upstream gradient before their other inputs.
    packed, up_first
        How kernels of two inputs take them.
    upstream
        The upstream gradient of kernels of one input.
    ups
        Second inputs of pairs; empty for kernels of one input.
    every_up
        True if `ups` has each number of the format.
    normal
        The distribution of draws.
    notes
        Numbers that were rounded to the format, a sentence each.
    """

    question: Question
    auto: bool = False
    glu: bool = False
    backward: bool = False
    packed: str = ""
    up_first: bool = False
    upstream: float = 1.0
    ups: tuple[float, ...] = ()
    every_up: bool = False
    normal: Normal = STANDARD
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
    number_format, ups = to_format(dtype), to_ups(up)
    name = _quantity(quantity, glu=glu, backward=backward, up=up is not None)
    auto = isinstance(form, str) and form.lower() == AUTO
    limits = {"gate_limit": gate_limit, "up_limit": up_limit, "up_offset": up_offset}
    others = {"packed": packed, "intermediate": intermediate, "up_first": up_first or None}
    given = {each: value for each, value in {**limits, **others}.items() if value is not None}
    if given and not glu:
        raise UsageError(f"{option(next(iter(given)))} is for kernels of two inputs; add --glu")
    second = None
    if glu or ups == ALL or len(ups) > 1:
        numbers = {each: _float64(given[each], option(each)) for each in limits if each in given}
        inner = None if intermediate is None else to_format(intermediate)
        second = _checked(Glu(**numbers, intermediate=inner), number_format)
    asked = Asked(
        Question(
            to_form("exact" if auto else form),
            name,
            number_format,
            number_format if result is None else to_format(result),
            glu=second,
        ),
        auto,
        glu,
        backward,
        "" if packed is None else choose("layout", packed, PACKINGS),
        up_first,
        normal=Normal(_float64(mean, "--mean"), _float64(positive(sigma, "--sigma"), "--sigma")),
    )
    return _with_ups(asked, ups)


def _checked(glu: Glu, number_format: Format) -> Glu:
    """Refuse a negative limit, and an intermediate format without infinity."""
    if glu.up_limit is not None and glu.up_limit < 0:
        raise UsageError(f"--up-limit is {glu.up_limit:g}; give 0 or a number above it")
    inner = glu.intermediate
    if inner and not inner.infinite and inner.largest < number_format.largest:
        raise UsageError(
            f"--intermediate {inner.name} has no infinity for large {number_format.name}s; "
            "take another format"
        )
    return glu


def _with_ups(asked: Asked, ups: str | Sequence[Fraction]) -> Asked:
    """Add second inputs, or the upstream gradient, rounded to the format."""
    dtype, names = asked.question.dtype, "up" if asked.glu else "upstream"
    typed = [] if isinstance(ups, str) else [*ups]
    rounded = [float(round_fraction(dtype, to_fraction(each))) for each in typed]
    if not all(map(isfinite, rounded)):
        raise UsageError(f"--up is beyond the largest {dtype.name}, {dtype.largest!r}")
    changed = [repr(n) for n, each in zip(rounded, typed, strict=True) if n != each]
    notes = [f"--up is rounded to {dtype.name}: {', '.join(changed)}"] if changed else []
    if not asked.question.glu:
        (upstream,) = rounded or [1.0]
        question = asked.question._replace(times=to_fraction(upstream))
        return replace(asked, question=question, upstream=upstream, notes=notes)
    every = isinstance(ups, str) or (not typed and dtype.width == 8)
    if every and dtype.width > SMALL:
        raise UsageError(f"--up all is for {names}s of 16 or 8 bits, not {dtype.name}; name some")
    if every:
        seconds = tuple(dtype.finite_numbers())
    elif typed:
        seconds = tuple(sorted(set(rounded), key=lambda each: (each < 0, abs(each))))
    else:
        seconds = usual_seconds(dtype)
    return replace(asked, ups=seconds, every_up=every, notes=notes)


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


def input_names(question: Question) -> tuple[str, ...]:
    """Name the inputs of kernels.

    >>> input_names(to_question(glu=True, dtype="bfloat16").question)
    ('gate', 'up')
    """
    if question.glu is None:
        return ("x",)
    return ("x", "upstream") if question.quantity == "gradient" else ("gate", "up")


def to_ups(up: Any) -> str | list[Fraction]:
    """Parse second inputs: words with commas, numbers, a list, or `all`.

    >>> to_ups("1,2"), to_ups("all"), to_ups(None)
    ([Fraction(1, 1), Fraction(2, 1)], 'all', [])
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
    dtype = asked.question.dtype
    low, high = map(to_float, parse_interval(range))
    if all and dtype.width == 64:
        raise UsageError("--all: float64 has 2^64 bit patterns; remove --all, or take float32")
    return Inputs(
        dtype,
        low,
        high,
        all,
        whole(SAMPLES if samples is None else samples, "--samples", 1, MOST_SAMPLES),
        whole(seed or 0, "--seed", 0, MOST_SEEDS),
        ups=asked.ups,
        drawn_ups=asked.every_up,
    )


def question_of(
    asked: Asked,
    forms: Iterable[str],
    inputs: Inputs | None,
    *,
    ftz: bool = False,
    of_files: str | None = None,
) -> dict[str, Any]:
    """List all that shapes inputs and exact values, for a record."""
    question = asked.question
    drawn = inputs if inputs and not inputs.exhaustive else None
    glu = question.glu._asdict() if question.glu else {}
    calls = {"packed": asked.packed, "up_first": asked.up_first}
    return {
        "dtype": question.dtype.name,
        "result": question.result.name,
        "form": ", ".join(dict.fromkeys(map(canonical, forms))),
        "quantity": question.quantity,
        "mean": asked.normal.mean,
        "sigma": asked.normal.sigma,
        "range": inputs and [inputs.low, inputs.high],
        "inputs": of_files,
        "samples": drawn and drawn.samples,
        "seed": drawn and drawn.seed,
        "ftz": ftz,
        **{name: value for name, value in {**glu, **calls}.items() if value},
        "glu": asked.glu,
        "up": ALL if asked.every_up else list(asked.ups) or asked.upstream,
    }
