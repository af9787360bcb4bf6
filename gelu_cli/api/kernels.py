"""Kernels: words with settings, Python callables, commands."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.api.questions import Asked, option
from gelu_cli.errors import UsageError, unknown
from gelu_cli.inputs.names import choose, to_format
from gelu_cli.inputs.numbers import positive, whole
from gelu_cli.kernels import FUNCTION, LIBRARY, PROGRAM, ROUTINE, ROUTINES, Kernel
from gelu_cli.kernels.description import BACKENDS, SIGNATURES
from gelu_cli.kernels.workers import available_cores

KernelLike: TypeAlias = str | Callable[..., Any]
"""A word of the command line, or a function of arrays."""

CALLABLE = "callables"
OF_FUNCTIONS = ("glu", "up", "kwarg", "backend", "device", "backward", "packed", "up_first")
OPTIONS = {
    ROUTINE: ("compute", "jobs"),
    FUNCTION: (*OF_FUNCTIONS, "timeout", "jobs"),
    CALLABLE: OF_FUNCTIONS,
    LIBRARY: ("glu", "up", "signature", "timeout", "jobs", "backward", "packed", "up_first"),
    PROGRAM: ("glu", "timeout", "up_first"),
}
"""Options by the kind of kernel that uses them; callables run in this process."""

NOT_OWN = ("glu", "up", "kwarg", "jobs")
"""Options that cannot follow a word: there the name is one of an argument."""

READERS: Mapping[str, Callable[[Any], Any]] = {
    "backend": lambda word: choose("backend", word, BACKENDS),
    "signature": lambda word: choose("signature", word, SIGNATURES),
    "compute": lambda word: to_format(word).name,
    "timeout": lambda seconds: float(positive(seconds, "--timeout")),
}
WORDS = "MODULE:FUNCTION, FILE.py:FUNCTION or ./LIB.so:SYMBOL"


class Named(NamedTuple):
    """A kernel as it was named: label, target, kind, and its own settings."""

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
    """Describe kernels.

    Parameters
    ----------
    kernels
        Words, each with settings of its own, or functions.
    programs
        Commands of `--exec`.
    options
        Options of `sweep` for all kernels: compute, backend, device, kwarg, …
    asked
        What kernels should compute.

    Raises
    ------
    UsageError
        If a word names no kernel, or no kernel can use an option.
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
    """Refuse an option that no kernel can use, or one of all that one cannot."""
    for name in filter(options.get, dict.fromkeys(sum(OPTIONS.values(), ()))):
        others = [each.label for each in named if name not in OPTIONS[each.kind]]
        if len(others) == len(named) or (others and name in ("glu", "up")):
            raise UsageError(f"{option(name)} is not for {others[0]}; remove {option(name)}")


def to_jobs(jobs: Any, kernels: Sequence[Kernel]) -> int:
    """Choose the number of processes; callables are called by this one."""
    here = any(callable(each.target) for each in kernels)
    return 1 if here else available_cores() if jobs is None else whole(jobs, "--jobs", 1, 1024)


def _named(kernel: KernelLike) -> Named:
    """Read a word, or name a function."""
    if isinstance(kernel, str):
        return parse_kernel(kernel.strip())
    if not callable(kernel):
        raise UsageError(f"{kernel!r} is not a kernel; give a function, or a word that names one")
    function: Any = kernel.func if isinstance(kernel, partial) else kernel
    name = getattr(function, "__name__", type(function).__name__)
    return Named(getattr(function, "__qualname__", name), kernel, CALLABLE)


def parse_kernel(word: str) -> Named:
    """Read a word and the settings that follow it.

    >>> parse_kernel("torch.nn.functional.gelu:approximate=tanh:device=cuda:1")[1:]
    ('torch.nn.functional:gelu', 'Python functions', {'device': 'cuda:1'}, {'approximate': 'tanh'})
    """
    name, *parts = re.split(r":(?=[A-Za-z_]\w*=)", word)
    target = name
    if name.lower() in ROUTINES:
        kind, target = ROUTINE, name.lower()
    elif ":" in name:
        kind = LIBRARY if re.search(r"\.(so(\.\d+)*|dylib|dll):", name) else FUNCTION
    elif name.endswith((".py", ".so", ".c", ".cu")):
        raise UsageError(f"'{name}' names no function; write {WORDS}")
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
    """Read NAME=VALUE words."""
    try:
        return {name: typed(value) for name, value in (word.split("=", 1) for word in words)}
    except ValueError:
        raise UsageError(f"--kwarg is '{', '.join(words)}'; write NAME=VALUE") from None


def typed(text: str) -> Any:
    """Read true, false, none, or a literal of Python; all else is a text.

    >>> typed("tanh"), typed("True"), typed("16"), typed("1e-3"), typed("[1, 2]")
    ('tanh', True, 16, 0.001, [1, 2])
    """
    with suppress(ValueError, SyntaxError):
        return literal_eval(text)
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def _kernel(named: Named, options: Mapping[str, Any], asked: Asked) -> Kernel:
    """Describe a kernel; settings behind its word replace those for all."""
    usable, question, kwarg = OPTIONS[named.kind], asked.question, options["kwarg"] or ()
    common = kwarg if isinstance(kwarg, Mapping) else typed_pairs(kwarg)
    given = {name: options[name] for name in usable if name not in NOT_OWN} | {**named.settings}
    given = {name: value for name, value in given.items() if value not in (None, "")}
    arguments = tuple({**common, **named.arguments}.items())
    for name in READERS.keys() & given:
        given[name] = READERS[name](given[name])
    given |= {"glu": asked.glu, "upstream": asked.upstream, "arguments": arguments}
    kind = FUNCTION if named.kind == CALLABLE else named.kind
    dtype, result = question.dtype.name, question.result.name
    return Kernel(named.label, named.target, kind, dtype, result, question.quantity, **given)
