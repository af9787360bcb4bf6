"""Parse kernels (words, callables, commands) and options of measurements.

A word such as `tanh_sum:compute=float32` names a kernel, with settings after colons. The question
is the form, the quantity and the formats of the results that the kernel should return.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.accuracy.criteria import Tolerance
from gelu_cli.accuracy.question import OF_FORM, Glu, Question
from gelu_cli.accuracy.selection import SMALL, Inputs, Normal, usual_ups
from gelu_cli.errors import UsageError, unknown
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.inputs.names import choose, to_form, to_format
from gelu_cli.inputs.numbers import (
    distribution,
    finite,
    listed,
    parse_interval,
    positive,
    to_float,
    whole,
)
from gelu_cli.kernels import (
    BACKENDS,
    FUNCTION,
    LIBRARY,
    PACKINGS,
    PROGRAM,
    ROUTINE,
    ROUTINES,
    SIGNATURES,
    Kernel,
)
from gelu_cli.kernels.workers import available_cores
from gelu_cli.numbers import Format, round_fraction

AUTO, ALL = "auto", "all"
SAMPLES, MOST_SAMPLES, MOST_SEEDS = 1_000_000, 10**9, 2**63
OF_GLU = ("gate_limit", "up_limit", "up_offset")
"""Options of gated linear units that are numbers."""

KernelLike: TypeAlias = str | Callable[..., Any]
"""A word as on the command line, or a function of arrays."""

CALLABLE = "callables"
OF_FUNCTIONS = ("glu", "up", "kwarg", "backend", "device", "backward", "packed", "up_first")
OPTIONS = {
    ROUTINE: ("compute", "jobs"),
    FUNCTION: (*OF_FUNCTIONS, "timeout", "jobs"),
    CALLABLE: OF_FUNCTIONS,
    LIBRARY: ("glu", "up", "signature", "timeout", "jobs", "backward", "packed", "up_first"),
    PROGRAM: ("glu", "timeout", "up_first"),
}
"""Options by type of kernel; a callable runs in this process, so it can have no timeout."""

NOT_OWN = ("glu", "up", "kwarg", "jobs")
"""Options for all kernels alike; as a setting of a word, such a name is a function's argument."""

READERS: Mapping[str, Callable[[Any], Any]] = {
    "backend": lambda word: choose("backend", word, BACKENDS),
    "signature": lambda word: choose("signature", word, SIGNATURES),
    "compute": lambda word: to_format(word).name,
    "timeout": lambda seconds: float(positive(seconds, "--timeout")),
}
WORDS = "MODULE:FUNCTION, FILE.py:FUNCTION or ./LIB.so:SYMBOL"


class Asked(NamedTuple):
    """The question to kernels, their inputs, and options of `measure`.

    If `auto`, the form nearest to the results replaces the form of the question. If `glu`, kernels
    take gate and up; second inputs of other kernels are upstream gradients. `upstream` is the
    upstream gradient of kernels of one input. `judging` has the arguments `normal`, `ftz`, `keep`,
    `criteria` and `own` of `measure`.
    """

    question: Question
    auto: bool
    glu: bool
    upstream: float
    inputs: Inputs
    judging: Mapping[str, Any]


def to_asked(options: Mapping[str, Any]) -> Asked:
    """Parse options of `sweep`: expected results, inputs, ways to measure."""
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
    """Parse options of `measure`; a missing rtol or atol counts as 0."""
    tolerance = options["rtol"], options["atol"]
    rtol, atol = (float(size(each or 0, "--rtol or --atol")) for each in tolerance)
    own = None if tolerance == (None, None) else Tolerance(rtol, atol)
    criteria = options["criteria"]
    if criteria is None:  # criteria are slow for every float32
        criteria = own is not None or not options["all"] or dtype.width <= SMALL
    return {
        "normal": Normal(*map(to_float, distribution(options["mean"], options["sigma"]))),
        "ftz": options["ftz"],
        "keep": whole(options["worst"], "--worst", 1, 1000),
        "criteria": criteria,
        "own": own,
    }


def _ups(options: Mapping[str, Any], dtype: Format) -> tuple[tuple[float, ...], bool]:
    """List second inputs; also return True if every number is listed."""
    up, glu = options["up"], options["glu"]
    several = up if isinstance(up, Iterable) and not isinstance(up, str) else [up]
    words = [] if up is None else listed([str(each) for each in several])
    if words == [ALL] or (glu and not words and dtype.width == 8):
        if dtype.width > SMALL:
            raise UsageError(f"--up all is for 16 or 8 bits, not {dtype.name}; name numbers")
        return tuple(dtype.finite_numbers()), True
    if not words:
        return usual_ups(dtype) if glu else (1.0,), False
    typed = [to_fraction(finite(word, "--up")) for word in words]
    found = {float(round_fraction(dtype, each)) for each in typed}
    if not all(map(isfinite, found)):
        raise UsageError(f"--up is beyond the largest {dtype.name}, {dtype.largest!r}; lower it")
    return tuple(sorted(found, key=lambda each: (each < 0, abs(each)))), False


def _second(options: Mapping[str, Any], dtype: Format, *, pairs: bool) -> Glu | None:
    """Describe the second input of kernels; None for kernels of one input."""
    inner = options["intermediate"] and to_format(options["intermediate"])
    names = [*OF_GLU, "packed", "intermediate", "up_first"]
    given = [n for n in names if options[n] is not None and options[n] is not False]
    if given and not options["glu"]:
        raise UsageError(f"{option(given[0])} is for kernels of two inputs; add --glu")
    if options["packed"] is not None:
        choose("layout", options["packed"], PACKINGS)
    numbers = {n: to_float(finite(options[n], option(n))) for n in OF_GLU if n in given}
    if numbers.get("up_limit", 0) < 0:
        raise UsageError(f"--up-limit is {options['up_limit']}; give 0 or a number above it")
    if inner and not inner.infinite and inner.largest < dtype.largest:
        raise UsageError(f"--intermediate {inner.name} lacks ∞ for large F(gate); take another")
    return Glu(**numbers, intermediate=inner) if pairs else None


def _quantity(options: Mapping[str, Any]) -> str:
    """Choose the quantity of results; refuse one that the options exclude."""
    glu, backward = options["glu"], options["backward"]
    known = ["gradient"] if backward or options["up"] is not None else ["value", "gradient"]
    if glu:
        known = [*OF_FORM] if backward else ["value", *OF_FORM]
    name: str = options["quantity"] or known[0]
    if name not in known:
        raise UsageError(f"--quantity is {name}; such a kernel has {' or '.join(known)}")
    return name


def _inputs(options: Mapping[str, Any], dtype: Format) -> Inputs:
    """Choose the inputs: each number in a range, or a sample of them."""
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
    """Parse a number ≥ 0; a float is read as its shortest decimal."""
    found = finite(repr(value) if isinstance(value, float) else value, name)
    if found < 0:
        raise UsageError(f"{name} is {value}; give 0 or a number above it")
    return found


def refuse(names: Iterable[str], why: str) -> None:
    """Raise UsageError for the first option of `names`, if there is any."""
    if name := min(names, default=""):
        raise UsageError(f"{option(name)} {why}")


def option(name: str) -> str:
    """Spell the option of an argument, such as --max-ulp of `max_ulp`."""
    return f"--{name.replace('_', '-')}"


class Named(NamedTuple):
    """A kernel as the user named it, with its own settings and arguments."""

    label: str
    target: Any
    kind: str
    settings: Mapping[str, Any] = {}
    arguments: Mapping[str, Any] = {}


def to_kernels(
    kernels: KernelLike | Sequence[KernelLike] | None,
    programs: str | Sequence[str] | None,
    options: Mapping[str, Any],
    asked: Asked,
) -> list[Kernel]:
    """Describe kernels: words, functions, and programs given by `--exec`.

    `options` are those of `sweep`. Raise UsageError if a word names no kernel, or if no kernel has
    an option that is set. Kernels with the same label get numbers.
    """
    several: Any = kernels if isinstance(kernels, list | tuple) else [kernels]
    named = [_named(each) for each in several if each is not None]
    for command in [programs] if isinstance(programs, str) else programs or ():
        named.append(Named(command, command, PROGRAM))
    if not named:
        raise UsageError(f"no kernel; name a routine ({', '.join(ROUTINES)}), {WORDS}")
    ups = asked.upstream != 1 or (asked.inputs.ups and not asked.glu)
    _refuse_unused(named, {**options, "up": ups})
    for place, each in enumerate(named):
        if each.label in [other.label for other in named[:place]]:
            named[place] = each._replace(label=f"{each.label} ({place + 1})")
    return [_kernel(each, options, asked) for each in named]


def _refuse_unused(named: Sequence[Named], options: Mapping[str, Any]) -> None:
    """Refuse options that no kernel has; --glu and --up are for all or none."""
    for name in dict.fromkeys(each for names in OPTIONS.values() for each in names):
        without = [each.label for each in named if name not in OPTIONS[each.kind]]
        wrong = without[:1] if name in ("glu", "up") or len(without) == len(named) else []
        if options.get(name) and wrong:
            raise UsageError(f"{option(name)} is not for {wrong[0]}; remove {option(name)}")


def to_jobs(jobs: Any, kernels: Sequence[Kernel]) -> int:
    """Choose the number of processes: 1 if any kernel is a Python callable."""
    here = any(callable(each.target) for each in kernels)
    return 1 if here else available_cores() if jobs is None else whole(jobs, "--jobs", 1, 1024)


def _named(kernel: KernelLike) -> Named:
    """Parse a word, or give a function its name."""
    if isinstance(kernel, str):
        return parse_kernel(kernel.strip())
    if not callable(kernel):
        raise UsageError(f"{kernel!r} is not a kernel; give a function, or a word that names one")
    function: Any = kernel.func if isinstance(kernel, partial) else kernel
    name = getattr(function, "__name__", type(function).__name__)
    return Named(getattr(function, "__qualname__", name), kernel, CALLABLE)


def parse_kernel(word: str) -> Named:
    """Parse a word, its settings, and the arguments of its function.

    >>> parse_kernel("torch.nn.functional.gelu:approximate=tanh:device=cuda:1")[1:]
    ('torch.nn.functional:gelu', 'Python functions', {'device': 'cuda:1'}, {'approximate': 'tanh'})
    """
    name, *parts = re.split(r":(?=[A-Za-z_]\w*=)", word)
    target = name
    if name.lower() in ROUTINES:
        kind, target = ROUTINE, name.lower()
    elif re.search(r"\.(c|cpp|cu|h)(:|$)|\.(py|so)$", name):
        raise UsageError(f"'{name}' names no function; write {WORDS}")
    elif ":" in name:
        kind = LIBRARY if re.search(r"\.(so(\.\d+)*|dylib|dll):", name) else FUNCTION
    elif "." in name and name.replace(".", "").isidentifier():
        kind, target = FUNCTION, ":".join(name.rsplit(".", 1))
    else:
        raise UsageError(f"{unknown('routine', name, ROUTINES)}; or name {WORDS}")
    given = typed_pairs(parts)
    own = [each for each in OPTIONS[kind] if each not in NOT_OWN]
    settings = {each: given.pop(each) for each in own if each in given}
    if given and kind != FUNCTION:
        raise unknown("setting", next(iter(given)), own, f" of '{word}'")
    return Named(word, target, kind, settings, given)


def typed_pairs(words: Iterable[str]) -> dict[str, Any]:
    """Parse words NAME=VALUE into values by name."""
    try:
        return {name: typed(value) for name, value in (word.split("=", 1) for word in words)}
    except ValueError:
        raise UsageError(f"--kwarg is '{', '.join(words)}'; write NAME=VALUE") from None


def typed(text: str) -> Any:
    """Parse true, false, none or a Python literal; keep any other text.

    >>> typed("tanh"), typed("True"), typed("16"), typed("1e-3"), typed("[1, 2]")
    ('tanh', True, 16, 0.001, [1, 2])
    """
    with suppress(ValueError, SyntaxError, TypeError):
        return literal_eval(text)
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def _kernel(named: Named, options: Mapping[str, Any], asked: Asked) -> Kernel:
    """Describe a kernel; settings of its word replace the options."""
    usable, question, kwarg = OPTIONS[named.kind], asked.question, options["kwarg"] or ()
    common = kwarg if isinstance(kwarg, Mapping) else typed_pairs(kwarg)
    given = {name: options[name] for name in usable if name not in NOT_OWN} | {**named.settings}
    given = {name: value for name, value in given.items() if value not in (None, "")}
    arguments = tuple({**common, **named.arguments}.items())
    given |= {name: read(given[name]) for name, read in READERS.items() if name in given}
    given |= {"glu": asked.glu, "upstream": asked.upstream, "arguments": arguments}
    kind = FUNCTION if named.kind == CALLABLE else named.kind
    dtype, result = question.dtype.name, question.result.name
    return Kernel(named.label, named.target, kind, dtype, result, question.quantity, **given)
