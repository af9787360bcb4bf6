"""Parse the options on expected results, inputs and measurements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

from gelu_cli.accuracy.criteria import Tolerance
from gelu_cli.accuracy.question import OF_FORM, Glu, Question
from gelu_cli.accuracy.selection import SMALL, Inputs, usual_seconds
from gelu_cli.accuracy.weights import Normal
from gelu_cli.errors import UsageError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.inputs.names import choose, to_form, to_format
from gelu_cli.inputs.numbers import finite, listed, parse_interval, positive, to_float, whole
from gelu_cli.kernels.description import PACKINGS
from gelu_cli.numbers import Format, round_fraction

AUTO, ALL = "auto", "all"
SAMPLES, MOST_SAMPLES, MOST_SEEDS = 1_000_000, 10**9, 2**63
OF_GLU = ("gate_limit", "up_limit", "up_offset")
"""Numbers of a GLU."""


class Asked(NamedTuple):
    """A question to kernels, the inputs, and options of `measure`.

    Attributes
    ----------
    question
        Form, quantity, formats, and how a second input enters the result.
    auto
        True if the form of the question is to be replaced by the nearest one.
    glu
        True if kernels take a gate and an up; other second inputs are upstream gradients.
    upstream
        The upstream gradient of kernels of one input.
    inputs
        Inputs of a sweep.
    judging
        Options of `measure`: `normal` (the distribution of draws), `ftz` (flushed numbers are
        right), `keep` (the worst inputs in views), `criteria` and `own` (acceptance criteria).
    notes
        Numbers that were rounded to the format, a sentence each.
    """

    question: Question
    auto: bool
    glu: bool
    upstream: float
    inputs: Inputs
    judging: Mapping[str, Any]
    notes: Sequence[str]


def to_asked(options: Mapping[str, Any]) -> Asked:
    """Parse the options of `sweep` on what kernels should compute."""
    dtype, result, glu = to_format(options["dtype"]), options["result"], options["glu"]
    auto = str(options["form"]).lower() == AUTO
    ups, notes = _ups(options["up"], dtype)
    second = _second(options, dtype, several=ups == ALL or len(ups) > 1)
    upstream = 1.0 if second or not ups else float(ups[0])
    seconds, every = _seconds(ups, dtype, "up" if glu else "upstream") if second else ((), False)
    question = Question(
        to_form("exact" if auto else options["form"]),
        _quantity(options),
        dtype,
        dtype if result is None else to_format(result),
        to_fraction(upstream),
        second,
    )
    inputs = replace(_inputs(options, dtype), ups=seconds, drawn_ups=every)
    return Asked(question, auto, glu, upstream, inputs, _judging(options, dtype), notes)


def _judging(options: Mapping[str, Any], dtype: Format) -> dict[str, Any]:
    """Parse the options of `measure`."""
    mean, sigma = options["mean"], positive(options["sigma"], "--sigma")
    own, slow = _tolerance(options), options["all"] and dtype.width > SMALL
    criteria = own is not None or not slow
    return {
        "normal": Normal(_float64(mean, "--mean"), _float64(sigma, "--sigma")),
        "ftz": options["ftz"],
        "keep": whole(options["worst"], "--worst", 1, 1000),
        "criteria": criteria if options["criteria"] is None else options["criteria"],
        "own": own,
    }


def _ups(up: Any, dtype: Format) -> tuple[str | list[float], list[str]]:
    """Parse second inputs, rounded to the format; `all` stays a word."""
    if up is None:
        return [], []
    several = [up] if isinstance(up, str) or not isinstance(up, Iterable) else up
    words = listed([str(each) for each in several])
    if words == [ALL]:
        return ALL, []
    typed = [finite(word, "--up") for word in words]
    rounded = [float(round_fraction(dtype, to_fraction(each))) for each in typed]
    if not all(map(isfinite, rounded)):
        raise UsageError(f"--up is beyond the largest {dtype.name}, {dtype.largest!r}")
    changed = [repr(n) for n, each in zip(rounded, typed, strict=True) if n != each]
    note = f"--up is rounded to {dtype.name}: {', '.join(changed)}"
    return rounded, [note] * bool(changed)


def _second(options: Mapping[str, Any], dtype: Format, *, several: bool) -> Glu | None:
    """Describe the second input of kernels; None if they have one input."""
    glu, inner = options["glu"], options["intermediate"]
    names = [*OF_GLU, "packed", "intermediate", "up_first"]
    given = [each for each in names if str(options[each]) not in ("None", "False")]
    if given and not glu:
        raise UsageError(f"{option(given[0])} is for kernels of two inputs; add --glu")
    if options["packed"] is not None:
        choose("layout", options["packed"], PACKINGS)
    if not (glu or several):
        return None
    numbers = {each: _float64(options[each], option(each)) for each in OF_GLU if each in given}
    found = Glu(**numbers, intermediate=None if inner is None else to_format(inner))
    if found.up_limit < 0:
        raise UsageError(f"--up-limit is {found.up_limit:g}; give 0 or a number above it")
    inner = found.intermediate
    if inner and not inner.infinite and inner.largest < dtype.largest:
        raise UsageError(
            f"--intermediate {inner.name} has no infinity for large {dtype.name}s; "
            "take another format"
        )
    return found


def _seconds(
    ups: str | Sequence[float], dtype: Format, name: str
) -> tuple[tuple[float, ...], bool]:
    """List second inputs; True if they are all numbers of the format."""
    if ups and ups != ALL:
        return tuple(sorted({*map(float, ups)}, key=lambda each: (each < 0, abs(each)))), False
    if ups and dtype.width > SMALL:
        raise UsageError(f"--up all is for {name}s of 16 or 8 bits, not {dtype.name}; name some")
    every = bool(ups) or dtype.width == 8
    return tuple(dtype.finite_numbers()) if every else usual_seconds(dtype), every


def _quantity(options: Mapping[str, Any]) -> str:
    """Choose the quantity; backward passes and --up have gradients alone."""
    glu, backward, up = options["glu"], options["backward"], options["up"] is not None
    known: Sequence[str] = ("gradient",) if backward or up else ("value", "gradient")
    if glu:
        known = tuple(OF_FORM) if backward else ("value", *OF_FORM)
    name: str = options["quantity"] or ("value" if glu else known[0])
    if name not in known:
        given = {"--glu": glu, "--backward": backward, "--up": up}
        listed_options = " and ".join(each for each, value in given.items() if value)
        where = f"with {listed_options}" if listed_options else "without --glu"
        raise UsageError(f"--quantity is {name}; kernels {where} have {' or '.join(known)}")
    return name


def _inputs(options: Mapping[str, Any], dtype: Format) -> Inputs:
    """Choose the inputs: each number of a range, or a sample."""
    every, samples = options["all"], options["samples"]
    low, high = map(to_float, parse_interval(options["range"]))
    if every and dtype.width == 64:
        raise UsageError("--all: float64 has 2^64 bit patterns; remove --all, or take float32")
    for name in ("samples", "seed"):
        if options[name] is not None and (every or dtype.width <= SMALL):
            fault = f"--{name} has no effect: all {dtype.name} inputs are swept"
            raise UsageError(f"{fault}; remove --{name}")
    count = whole(SAMPLES if samples is None else samples, "--samples", 1, MOST_SAMPLES)
    seed = whole(options["seed"] or 0, "--seed", 0, MOST_SEEDS)
    return Inputs(dtype, low, high, every, count, seed)


def _float64(value: Any, name: str) -> float:
    found = to_float(finite(value, name))
    if not isfinite(found):
        raise UsageError(f"{name} is beyond float64; give a smaller number")
    return found


def size(value: Any, name: str) -> Fraction:
    """Parse a number ≥ 0; a float means its shortest decimal."""
    found = finite(repr(value) if isinstance(value, float) else value, name)
    if found < 0:
        raise UsageError(f"{name} is {value}; give 0 or a number above it")
    return found


def _tolerance(options: Mapping[str, Any]) -> Tolerance | None:
    """Parse a tolerance; rtol or atol is 0 if only the other is given."""
    given = [options[name] for name in ("rtol", "atol")]
    if given == [None, None]:
        return None
    return Tolerance(*(float(size(each or 0, "--rtol or --atol")) for each in given))


def refuse(names: Iterable[str], why: str) -> None:
    """Raise UsageError for the first of some options, which have no effect."""
    for name in sorted(names):
        raise UsageError(f"{option(name)} {why}")


def option(name: str) -> str:
    """Spell the option of an argument.

    >>> option("max_ulp")
    '--max-ulp'
    """
    return f"--{name.replace('_', '-')}"
