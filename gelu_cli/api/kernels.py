"""Kernels: words with settings, Python callables, commands."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.api.questions import Asked, option
from gelu_cli.errors import UsageError, unknown
from gelu_cli.inputs.names import choose, to_format
from gelu_cli.inputs.numbers import positive, whole
from gelu_cli.kernels import FUNCTION, LIBRARY, PROGRAM, ROUTINE, ROUTINES, Kernel
from gelu_cli.kernels.description import BACKENDS, PACKINGS, SIGNATURES
from gelu_cli.kernels.workers import available_cores

KernelLike: TypeAlias = str | Callable[..., Any]
"""A word of the command line, or a function of arrays."""

OF_PAIRS = ("backward", "packed", "up_first")
OPTIONS = {
    ROUTINE: ("compute", "jobs"),
    FUNCTION: ("glu", "up", "kwarg", "backend", "device", "timeout", "jobs", *OF_PAIRS),
    LIBRARY: ("glu", "up", "signature", "timeout", "jobs", *OF_PAIRS),
    PROGRAM: ("glu", "timeout", "up_first"),
}
"""Options by the kind of kernel that uses them."""

OF_ALL = ("glu", "up")
"""Options that each kernel must use: they change the inputs."""

OF_WORKERS = ("timeout", "jobs")
"""Options without effect on a callable, which this process calls."""

NOT_OWN = (*OF_ALL, "kwarg", "jobs")
"""Options that cannot follow a word: there the name is one of an argument."""

CHOICES = {"backend": BACKENDS, "signature": SIGNATURES, "packed": PACKINGS}
CONSTANTS = {"true": True, "false": False, "none": None}
WORDS = "MODULE:FUNCTION, FILE.py:FUNCTION or ./LIB.so:SYMBOL"

OF_LIBRARY = re.compile(r"\.(so(\.\d+)*|dylib|dll)(:|$)")
REMEDIES = {
    ".c": "compile it, cc -O2 -shared -fPIC -o libkernel.so {file}, and name ./libkernel.so:SYMBOL",
    ".cu": "compile it, nvcc -shared -Xcompiler -fPIC -o libkernel.so {file}, and name "
    "./libkernel.so:SYMBOL",
    ".ipynb": "write the function to a file, and name FILE.py:FUNCTION",
    ".onnx": "run it in a function of numpy's arrays, and name FILE.py:FUNCTION",
    ".py": "name the function in it, {file}:FUNCTION",
    ".so": "name the function in it, {file}:SYMBOL",
}
"""How to name a function of a file, by the suffix of its name."""


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
    settings: Mapping[str, Any],
    asked: Asked,
) -> list[Kernel]:
    """Describe kernels.

    Parameters
    ----------
    kernels
        Words, each with settings of its own, or functions.
    programs
        Commands of `--exec`.
    settings
        Values by the name of the option: compute, backend, device, kwarg, signature, timeout, jobs.
    asked
        What kernels should compute.

    Raises
    ------
    UsageError
        If a word names no kernel, or no kernel can use an option.
    """
    single = isinstance(kernels, str) or callable(kernels)
    several: Any = [kernels] if single else kernels or ()
    commands = [programs] if isinstance(programs, str) else programs or ()
    named = [each for word in several for each in _named(word)]
    named += [Named(command, command, PROGRAM) for command in commands]
    if not named:
        raise UsageError(f"no kernel; name a routine ({', '.join(ROUTINES)}), {WORDS}")
    given = {
        **settings,
        "backward": asked.backward,
        "packed": asked.packed,
        "up_first": asked.up_first,
        "glu": asked.glu,
        "up": asked.upstream != 1 or (asked.ups and not asked.glu),
    }
    refuse_unused(named, given)
    return [_kernel(each, given, asked) for each in named]


def refuse_unused(named: Sequence[Named], given: Mapping[str, Any]) -> None:
    """Refuse an option that no kernel can use, or one of all that one cannot."""
    for name in filter(given.get, given):
        kinds = [kind for kind, names in OPTIONS.items() if name in names]
        others = [each for each in named if each.kind not in kinds]
        if others and (name in OF_ALL or len(others) == len(named)):
            raise UsageError(
                f"{option(name)} is for {' and '.join(kinds)}, not for {others[0].label}; "
                f"remove {option(name)}"
            )
        if name in OF_WORKERS and all(callable(each.target) for each in named):
            raise UsageError(
                f"{option(name)} is for kernels that a word names, not for {named[0].label}, which "
                f"runs in this process; remove {option(name)}"
            )


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
    return [Named(name_of(kernel), kernel, FUNCTION)]


def name_of(function: Any) -> str:
    """Name a function: a partial one with arguments, an object by its class.

    >>> name_of(partial(round, ndigits=2)), name_of("abc".join)
    ('round(ndigits=2)', 'str.join')
    """
    if isinstance(function, partial):
        given = [*map(repr, function.args), *(f"{k}={v!r}" for k, v in function.keywords.items())]
        return name_of(function.func) + f"({', '.join(given)})" * bool(given)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if str(name).endswith("<lambda>"):
        code = function.__code__
        return f"<lambda> at {os.path.basename(code.co_filename)}:{code.co_firstlineno}"
    return name if isinstance(name, str) else type(function).__name__


def _remedy(word: str) -> str:
    """Say how to name a function of a file or folder, if the word does not."""
    if os.path.isdir(word):
        return f"it is a folder; name a file in it, {word}/FILE.py:FUNCTION"
    file, colon, _ = word.partition(":")
    suffix = PurePath(file).suffix
    known = "" if colon and suffix in (".py", ".so") else REMEDIES.get(suffix, "")
    return known.format(file=file)


def parse_kernel(word: str) -> Named:
    """Read a word and the settings that follow it.

    >>> parse_kernel("torch.nn.functional.gelu:approximate=tanh:device=cuda:1")[1:]
    ('torch.nn.functional:gelu', 'Python functions', {'device': 'cuda:1'}, {'approximate': 'tanh'})
    """
    name, *parts = re.split(r":(?=[A-Za-z_]\w*=)", word)
    target = name
    if name.lower() in ROUTINES:
        kind = ROUTINE
    elif meant := _remedy(name):
        raise UsageError(f"'{name}' names no function; {meant}")
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


def to_arguments(kwarg: Mapping[str, Any] | Sequence[str] | None) -> dict[str, Any]:
    """Read arguments of functions: a mapping, or NAME=VALUE words.

    >>> to_arguments(["approximate=tanh", "fast=true", "n=16"])
    {'approximate': 'tanh', 'fast': True, 'n': 16}
    """
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
    """Read true, false, none, an integer or a float; all else is a text."""
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return text


def _kernel(named: Named, given: Mapping[str, Any], asked: Asked) -> Kernel:
    """Describe a kernel; settings behind its word replace those for all."""
    question = asked.question
    settings = {**{name: given.get(name) for name in OPTIONS[named.kind]}, **named.settings}
    for name, known in CHOICES.items():
        if chosen := settings.get(name):
            choose(name, chosen, known)
    common = to_arguments(settings.get("kwarg"))
    added = [f":{name}={value}" for name, value in common.items() if name not in named.arguments]
    compute, timeout = settings.get("compute"), settings.get("timeout")
    return Kernel(
        named.label + "".join(added),
        named.target.lower() if named.kind == ROUTINE else named.target,
        named.kind,
        question.dtype.name,
        question.result.name,
        question.quantity,
        glu=asked.glu,
        backward=bool(typed(str(settings.get("backward")))),
        upstream=asked.upstream,
        packed=settings.get("packed") or "",
        up_first=bool(typed(str(settings.get("up_first")))),
        backend=settings.get("backend") or "",
        device=settings.get("device") or "",
        arguments=tuple({**common, **named.arguments}.items()),
        signature=settings.get("signature") or "array",
        compute="" if compute is None else to_format(compute).name,
        timeout=None if timeout is None else float(positive(timeout, "--timeout")),
    )
