"""Kernels: words with settings, Python callables, commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.api.questions import Asked, option
from gelu_cli.errors import UsageError, unknown
from gelu_cli.inputs.names import choose
from gelu_cli.inputs.numbers import positive, whole
from gelu_cli.inputs.old_names import to_old_format
from gelu_cli.old.guests.array_functions import FunctionImplementation
from gelu_cli.old.guests.calling import PACKINGS, SIGNATURES, Calling
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.guests.kinds import name_of
from gelu_cli.old.guests.libraries import names_library
from gelu_cli.old.guests.programs import ProgramImplementation
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.parallel import available_cores
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.routines import ROUTINES, find_routine
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.synonyms import meant_kernel

KernelLike: TypeAlias = str | Callable[..., Any]
"""A word of the command line, or a function of arrays."""

ROUTINE, FUNCTION = "routines", "Python functions"
LIBRARY, PROGRAM = "C functions", "programs"

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

NOT_OWN = (*OF_ALL, "kwarg", "jobs")
"""Options that cannot follow a word: there the name is one of an argument."""

CHOICES = {"backend": ("numpy", "torch", "jax"), "signature": SIGNATURES, "packed": PACKINGS}
CONSTANTS = {"true": True, "false": False, "none": None}
WORDS = "MODULE:FUNCTION, FILE.py:FUNCTION or ./LIB.so:SYMBOL"


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
    stack: ExitStack,
) -> list[Kernel]:
    """Make kernels ready to be called; `stack` ends their processes.

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
    gating = asked.question.gating
    given = {
        **settings,
        "backward": asked.backward,
        "packed": gating and gating.packed,
        "up_first": gating and gating.up_first,
        "glu": gating and not gating.upstream,
        "up": gating.upstream if gating else asked.question.upstream != 1,
    }
    refuse_unused(named, given)
    return [_kernel(each, given, asked, stack) for each in named]


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


def to_jobs(jobs: Any, kernels: Sequence[Kernel]) -> int:
    """Choose the number of processes; functions are called by this thread."""
    if any(isinstance(each.implementation, FunctionImplementation) for each in kernels):
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


def parse_kernel(word: str) -> Named:
    """Read a word and the settings that follow it.

    >>> parse_kernel("torch.nn.functional.gelu:approximate=tanh:device=cuda:1")[1:]
    ('torch.nn.functional:gelu', 'Python functions', {'device': 'cuda:1'}, {'approximate': 'tanh'})
    """
    name, *parts = re.split(r":(?=[A-Za-z_]\w*=)", word)
    target = name
    if name.lower() in ROUTINES:
        kind = ROUTINE
    elif meant := meant_kernel(name):
        raise UsageError(f"'{name}' names no function; {meant}")
    elif names_library(name):
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


def _kernel(named: Named, given: Mapping[str, Any], asked: Asked, stack: ExitStack) -> Kernel:
    """Make one kernel; settings that follow its word replace those for all."""
    question = asked.question
    settings = {**{name: given.get(name) for name in OPTIONS[named.kind]}, **named.settings}
    if named.kind == ROUTINE:
        compute = settings["compute"]
        inner = question.dtype if compute is None else to_old_format(compute)
        parts = find_routine(named.target), question.quantity, question.result, inner
        return Kernel(routine_implementation(*parts, label=named.label), question)
    calling = _calling(settings, question)
    common = to_arguments(settings.get("kwarg"))
    arguments = {**common, **named.arguments}
    added = [f":{name}={value}" for name, value in common.items() if name not in named.arguments]
    label = named.label + "".join(added)
    if callable(named.target):
        called = partial(named.target, **arguments) if arguments else named.target
        return Kernel(implementation_of(label, called, calling), question)
    made = (
        ProgramImplementation(named.target, calling)
        if named.kind == PROGRAM
        else GuestImplementation(label, named.target, arguments, calling)
    )
    return Kernel(stack.enter_context(made), question)


def _calling(settings: Mapping[str, Any], question: Question) -> Calling:
    """Collect how a kernel of the user is called."""
    for name, known in CHOICES.items():
        if settings.get(name):
            choose(name, settings[name], known)
    timeout, gating = settings.get("timeout"), question.gating
    return Calling(
        question.dtype,
        question.result,
        question.quantity,
        gating._replace(packed=settings.get("packed") or "").second if gating else "",
        backward="own" if typed(str(settings.get("backward"))) else None,
        upstream=question.upstream,
        backend=settings.get("backend"),
        device=settings.get("device"),
        signature=settings.get("signature") or "array",
        timeout=None if timeout is None else float(positive(timeout, "--timeout")),
        up_first=bool(typed(str(settings.get("up_first")))),
    )
