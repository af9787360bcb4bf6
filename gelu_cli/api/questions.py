"""Parse the options on expected results, inputs and measurements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from gelu_cli.inputs.numbers import distribution, finite, listed, parse_interval, to_float, whole
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
    """

    question: Question
    auto: bool
    glu: bool
    upstream: float
    inputs: Inputs
    judging: Mapping[str, Any]


def to_asked(options: Mapping[str, Any]) -> Asked:
    """Parse the options of `sweep` on what kernels should compute."""
    dtype, result, glu = to_format(options["dtype"]), options["result"], options["glu"]
    auto = str(options["form"]).lower() == AUTO
    ups, every = _ups(options, dtype)
    second = _second(options, dtype, pairs=glu or len(ups) > 1)
    upstream = 1.0 if second else ups[0]
    question = Question(
        to_form("exact" if auto else options["form"]),
        _quantity(options),
        dtype,
        dtype if result is None else to_format(result),
        to_fraction(upstream),
        second,
    )
    inputs = _inputs(options, dtype)
    inputs = replace(inputs, ups=ups, drawn_ups=every) if second else inputs
    return Asked(question, auto, glu, upstream, inputs, _judging(options, dtype))


def _judging(options: Mapping[str, Any], dtype: Format) -> dict[str, Any]:
    """Parse the options of `measure`; of rtol and atol one may be missing."""
    tolerance = options["rtol"], options["atol"]
    rtol, atol = (float(size(each or 0, "--rtol or --atol")) for each in tolerance)
    own = None if tolerance == (None, None) else Tolerance(rtol, atol)
    criteria = options["criteria"]
    if criteria is None:  # slow for every float32
        criteria = own is not None or not options["all"] or dtype.width <= SMALL
    return {
        "normal": Normal(*map(to_float, distribution(options["mean"], options["sigma"]))),
        "ftz": options["ftz"],
        "keep": whole(options["worst"], "--worst", 1, 1000),
        "criteria": criteria,
        "own": own,
    }


def _ups(options: Mapping[str, Any], dtype: Format) -> tuple[tuple[float, ...], bool]:
    """Choose second inputs; True if they are all numbers of the format."""
    up, glu = options["up"], options["glu"]
    several = up if isinstance(up, Iterable) and not isinstance(up, str) else [up]
    words = [] if up is None else listed([str(each) for each in several])
    if words == [ALL] or (glu and not words and dtype.width == 8):
        if dtype.width > SMALL:
            raise UsageError(f"--up all is for 16 or 8 bits, not {dtype.name}; name some")
        return tuple(dtype.finite_numbers()), True
    if not words:
        return usual_seconds(dtype) if glu else (1.0,), False
    typed = [to_fraction(finite(word, "--up")) for word in words]
    found = {float(round_fraction(dtype, each)) for each in typed}
    if not all(map(isfinite, found)):
        raise UsageError(f"--up is beyond the largest {dtype.name}, {dtype.largest!r}; lower it")
    return tuple(sorted(found, key=lambda each: (each < 0, abs(each)))), False


def _second(options: Mapping[str, Any], dtype: Format, *, pairs: bool) -> Glu | None:
    """Describe the second input of kernels; None if they have one input."""
    inner = options["intermediate"] and to_format(options["intermediate"])
    names = [*OF_GLU, "packed", "intermediate", "up_first"]
    given = [each for each in names if str(options[each]) not in ("None", "False")]
    if given and not options["glu"]:
        raise UsageError(f"{option(given[0])} is for kernels of two inputs; add --glu")
    if options["packed"] is not None:
        choose("layout", options["packed"], PACKINGS)
    numbers = {n: to_float(finite(options[n], option(n))) for n in OF_GLU if n in given}
    if numbers.get("up_limit", 0) < 0:
        raise UsageError(f"--up-limit is {options['up_limit']}; give 0 or a number above it")
    if inner and not inner.infinite and inner.largest < dtype.largest:
        raise UsageError(f"--intermediate {inner.name} has no infinity; take another format")
    return Glu(**numbers, intermediate=inner) if pairs else None


def _quantity(options: Mapping[str, Any]) -> str:
    """Choose the quantity; backward passes and --up have gradients alone."""
    glu, backward = options["glu"], options["backward"]
    known = ["gradient"] if backward or options["up"] is not None else ["value", "gradient"]
    if glu:
        known = [*OF_FORM] if backward else ["value", *OF_FORM]
    name: str = options["quantity"] or known[0]
    if name not in known:
        raise UsageError(f"--quantity is {name}; such a kernel has {' or '.join(known)}")
    return name


def _inputs(options: Mapping[str, Any], dtype: Format) -> Inputs:
    """Choose the inputs: each number of a range, or a sample."""
    every, samples = options["all"], options["samples"]
    low, high = map(to_float, parse_interval(options["range"]))
    if every and dtype.width == 64:
        raise UsageError("--all: float64 has 2^64 bit patterns; remove --all, or take float32")
    if every or dtype.width <= SMALL:
        why = f"has no effect: all {dtype.name} inputs are swept; remove it"
        refuse((name for name in ("samples", "seed") if options[name] is not None), why)
    count = whole(SAMPLES if samples is None else samples, "--samples", 1, MOST_SAMPLES)
    seed = whole(options["seed"] or 0, "--seed", 0, MOST_SEEDS)
    return Inputs(dtype, low, high, every, count, seed)


def size(value: Any, name: str) -> Fraction:
    """Parse a number ≥ 0; a float means its shortest decimal."""
    found = finite(repr(value) if isinstance(value, float) else value, name)
    if found < 0:
        raise UsageError(f"{name} is {value}; give 0 or a number above it")
    return found


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
