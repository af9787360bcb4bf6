"""Kernels: words with settings, Python callables, commands."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import PurePath
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
OF_PAIRS = ("backward", "packed", "up_first")
OF_FUNCTIONS = ("glu", "up", "kwarg", "backend", "device", *OF_PAIRS)
OPTIONS = {
    ROUTINE: ("compute", "jobs"),
    FUNCTION: (*OF_FUNCTIONS, "timeout", "jobs"),
    CALLABLE: OF_FUNCTIONS,
    LIBRARY: ("glu", "up", "signature", "timeout", "jobs", *OF_PAIRS),
    PROGRAM: ("glu", "timeout", "up_first"),
}
"""Options by the kind of kernel that uses them; callables run in this process."""

OF_ALL = ("glu", "up")
"""Options that each kernel must use: they change the inputs."""

NOT_OWN = (*OF_ALL, "kwarg", "jobs")
"""Options that cannot follow a word: there the name is one of an argument."""

CHOICES = {"backend": BACKENDS, "signature": SIGNATURES}
CONSTANTS = {"true": True, "false": False, "none": None}
WORDS = "MODULE:FUNCTION, FILE.py:FUNCTION or ./LIB.so:SYMBOL"

OF_LIBRARY = re.compile(r"\.(so(\.\d+)*|dylib|dll)(:|$)")
SOURCES = (".c", ".cc", ".cpp", ".cu", ".hip", ".rs")


class Named(NamedTuple):
    """A kernel as it was named: label, target, kind, and its own settings."""

    label: str
    target: Any
    kind: str
    settings: Mapping[str, str] = {}
    arguments: Mapping[str, Any] = {}


def to_kernels(
    kernels: KernelLike | Iterable[KernelLike] | None,
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
    alone = isinstance(kernels, str) or callable(kernels)
    several: Any = kernels if isinstance(kernels, Iterable | None) and not alone else [kernels]
    commands = [programs] if isinstance(programs, str) else programs or ()
    named = [each for word in several or () for each in _named(word)]
    named += [Named(command, command, PROGRAM) for command in commands]
    if not named:
        raise UsageError(f"no kernel; name a routine ({', '.join(ROUTINES)}), {WORDS}")
    ups = asked.upstream != 1 or (asked.inputs.ups and not asked.glu)
    _refuse_unused(named, {**options, "up": ups})
    found = [_kernel(each, options, asked) for each in named]
    labels = [each.label for each in found]
    for place, label in enumerate(labels):
        if labels.count(label) > 1:
            letter = chr(ord("a") + labels[:place].count(label))
            found[place] = replace(found[place], label=f"{label} ({letter})")
    return found


def _refuse_unused(named: Sequence[Named], options: Mapping[str, Any]) -> None:
    """Refuse an option that no kernel can use, or one of all that one cannot."""
    known = dict.fromkeys(name for names in OPTIONS.values() for name in names)
    for name in filter(options.get, known):
        kinds = [kind for kind, names in OPTIONS.items() if name in names]
        used = [(CALLABLE if callable(each.target) else each.kind) in kinds for each in named]
        if not any(used) or (name in OF_ALL and not all(used)):
            spelt, label = option(name), named[used.index(False)].label
            fault = f"{spelt} is for {' and '.join(kinds)}, not for {label}"
            raise UsageError(f"{fault}; remove {spelt}")


def to_jobs(jobs: Any, kernels: Sequence[Kernel]) -> int:
    """Choose the number of processes; callables are called by this one."""
    if any(callable(each.target) for each in kernels):
        return 1
    return available_cores() if jobs is None else whole(jobs, "--jobs", 1, 1024)


def _named(kernel: KernelLike) -> list[Named]:
    """Read a word, or a list that begins with a routine; or take a function."""
    if isinstance(kernel, str):
        first = re.split("[,:]", kernel)[0].strip().lower()
        words = kernel.split(",") if first in ROUTINES else [kernel]
        return [parse_kernel(word.strip()) for word in words if word.strip()]
    if not callable(kernel):
        raise UsageError(f"{kernel!r} is not a kernel; give a function, or a word that names one")
    return [Named(_name_of(kernel), kernel, FUNCTION)]


def _name_of(function: Any) -> str:
    """Name a function: a partial one with arguments, an object by its class."""
    if isinstance(function, partial):
        given = [*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())]
        return f"{_name_of(function.func)}({', '.join(given)})"
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if str(name).endswith("<lambda>"):
        code = function.__code__
        return f"<lambda> at {os.path.basename(code.co_filename)}:{code.co_firstlineno}"
    return name if isinstance(name, str) else type(function).__name__


def parse_kernel(word: str) -> Named:
    """Read a word and the settings that follow it.

    >>> parse_kernel("torch.nn.functional.gelu:approximate=tanh:device=cuda:1")[1:]
    ('torch.nn.functional:gelu', 'Python functions', {'device': 'cuda:1'}, {'approximate': 'tanh'})
    """
    name, *parts = re.split(r":(?=[A-Za-z_]\w*=)", word)
    target, suffix = name, PurePath(name.partition(":")[0]).suffix
    if name.lower() in ROUTINES:
        kind = ROUTINE
    elif suffix in SOURCES:
        remedy = "compile it to a library, cc -shared -fPIC, and name ./LIB.so:SYMBOL"
        raise UsageError(f"'{name}' names no function; {remedy}")
    elif suffix in (".py", ".so") and ":" not in name:
        raise UsageError(f"'{name}' names no function; name one in it, {name}:FUNCTION")
    elif OF_LIBRARY.search(name):
        kind = LIBRARY
    elif ":" in name:
        kind = FUNCTION
    elif "." in name and name.replace(".", "").isidentifier():
        kind, target = FUNCTION, ":".join(name.rsplit(".", 1))
    else:
        raise UsageError(f"{unknown('routine', name, ROUTINES)}; or name {WORDS}")
    given = dict(part.split("=", 1) for part in parts)
    own = [each for each in OPTIONS[kind] if each not in NOT_OWN]
    settings = {each: given.pop(each) for each in own if each in given}
    if given and kind != FUNCTION:
        raise unknown("setting", next(iter(given)), own, f" of '{word}'")
    return Named(word, target, kind, settings, {each: typed(given[each]) for each in given})


def _arguments(kwarg: Mapping[str, Any] | Sequence[str] | None) -> dict[str, Any]:
    """Read arguments of functions: a mapping, or NAME=VALUE words."""
    if isinstance(kwarg, Mapping):
        return dict(kwarg)
    found = {}
    for word in kwarg or ():
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--kwarg is '{word}'; write NAME=VALUE")
        found[name] = typed(value)
    return found


def typed(text: str) -> Any:
    """Read true, false, none, an integer or a float; all else is a text.

    >>> typed("tanh"), typed("True"), typed("16"), typed("1e-3")
    ('tanh', True, 16, 0.001)
    """
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return text


def _kernel(named: Named, options: Mapping[str, Any], asked: Asked) -> Kernel:
    """Describe a kernel; settings behind its word replace those for all."""
    usable, question = OPTIONS[named.kind], asked.question
    common = _arguments(options["kwarg"] if "kwarg" in usable else None)
    added = [f":{name}={value}" for name, value in common.items() if name not in named.arguments]
    settings: dict[str, Any] = {name: options[name] for name in usable if name not in NOT_OWN}
    for name, value in named.settings.items():
        settings[name] = typed(value) if name in ("backward", "up_first") else value
    for name, known in CHOICES.items():
        if settings.get(name):
            choose(name, settings[name], known)
    if settings.get("compute") is not None:
        settings["compute"] = to_format(settings["compute"]).name
    if settings.get("timeout") is not None:
        settings["timeout"] = float(positive(settings["timeout"], "--timeout"))
    return Kernel(
        named.label + "".join(added),
        named.target.lower() if named.kind == ROUTINE else named.target,
        named.kind,
        question.dtype.name,
        question.result.name,
        question.quantity,
        glu=asked.glu,
        upstream=asked.upstream,
        arguments=tuple({**common, **named.arguments}.items()),
        **{name: value for name, value in settings.items() if value},
    )
