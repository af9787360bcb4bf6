"""Kernels: words with settings, Python callables, commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.api.questions import PACKINGS, Asked, option
from gelu_cli.errors import UsageError, unknown
from gelu_cli.inputs.names import choose, to_format
from gelu_cli.inputs.numbers import positive, whole
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.array_functions import FunctionImplementation
from gelu_cli.old.guests.calling import SIGNATURES, Calling
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.guests.kinds import name_of
from gelu_cli.old.guests.libraries import names_library
from gelu_cli.old.guests.programs import ProgramImplementation
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.parallel import available_cores
from gelu_cli.old.sweeping.implementations import Implementation, Kernel, routine_implementation
from gelu_cli.old.sweeping.routines import ROUTINES, find_routine
from gelu_cli.old.synonyms import meant_kernel

KernelLike: TypeAlias = str | Callable[..., Any]
"""A word of the command line, or a function of arrays."""

ROUTINE, FUNCTION, LIBRARY, PROGRAM = "routines", "Python functions", "C functions", "programs"
OBJECT = "functions that this process calls"

USED_BY: Mapping[str, Sequence[str]] = {
    "compute": (ROUTINE,),
    "backend": (FUNCTION, OBJECT),
    "device": (FUNCTION, OBJECT),
    "kwarg": (FUNCTION, OBJECT),
    "signature": (LIBRARY,),
    "timeout": (FUNCTION, LIBRARY, PROGRAM),
    "jobs": (ROUTINE, FUNCTION, LIBRARY),
    "backward": (FUNCTION, OBJECT, LIBRARY),
    "up": (FUNCTION, OBJECT, LIBRARY),
}
"""The kinds of kernel that an option is for."""

OF_PAIRS = ("backward", "packed", "up_first")
OWN: Mapping[str, Sequence[str]] = {
    ROUTINE: ("compute",),
    FUNCTION: ("backend", "device", "timeout", *OF_PAIRS),
    LIBRARY: ("signature", "timeout", *OF_PAIRS),
}
"""Settings that may follow a word; others are arguments of a Python function."""

CHOICES = {"backend": ("numpy", "torch", "jax"), "signature": SIGNATURES, "packed": PACKINGS}
MOST_JOBS = 1024
WORDS = "MODULE:FUNCTION, FILE.py:FUNCTION or ./LIB.so:SYMBOL"


class Named(NamedTuple):
    """A kernel as it was named: label, target, kind, and its own settings."""

    label: str
    target: Any
    kind: str
    settings: Mapping[str, str] = {}

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of a Python function."""
        known = OWN.get(self.kind, ())
        return {name: typed(text) for name, text in self.settings.items() if name not in known}


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
    question = asked.question
    upstream = question.upstream != 1 or (question.gating and question.gating.upstream)
    given = {"backward": asked.backward or None, "up": upstream or None}
    refuse_unused(named, {**settings, **given})
    return [_kernel(each, settings, asked, stack) for each in named]


def refuse_unused(named: Sequence[Named], settings: Mapping[str, Any]) -> None:
    """Refuse an option that no kernel can use, and --up that one cannot."""
    for name, value in settings.items():
        users = [each for each in named if each.kind in USED_BY[name]]
        if value is not None and len(users) < len(named) and (not users or name == "up"):
            kinds = " and ".join(kind for kind in USED_BY[name] if kind != OBJECT)
            other = next(each for each in named if each not in users)
            here = ", which this process calls" if other.kind == OBJECT else ""
            raise UsageError(
                f"{option(name)} is for {kinds}, not for {other.label}{here}; remove {option(name)}"
            )


def to_jobs(jobs: Any, kernels: Sequence[Kernel]) -> int:
    """Choose the number of processes; functions are called by this thread."""
    most = available_cores() if jobs is None else whole(jobs, "--jobs", 1, MOST_JOBS)
    here = any(isinstance(each.implementation, FunctionImplementation) for each in kernels)
    return 1 if here else most


# Words


def _named(kernel: KernelLike) -> list[Named]:
    """Read a word or a list of words, or take a function."""
    if isinstance(kernel, str):
        return [parse_kernel(word) for word in _split(kernel)]
    if not callable(kernel):
        raise UsageError(f"{kernel!r} is not a kernel; give a function, or a word that names one")
    return [Named(name_of(kernel), kernel, OBJECT)]


def _split(word: str) -> list[str]:
    """Split a list at its commas, but not within a setting.

    >>> _split("erfc,tanh_sum"), _split("k.py:f:shape=(1,2),erfc")
    (['erfc', 'tanh_sum'], ['k.py:f:shape=(1,2)', 'erfc'])
    """
    found: list[str] = []
    for part in word.split(","):
        if found and "=" in found[-1] and not (":" in part or part.strip().lower() in ROUTINES):
            found[-1] += f",{part}"
        elif part.strip():
            found.append(part.strip())
    return found


def parse_kernel(word: str) -> Named:
    """Read a word and the settings that follow it.

    >>> parse_kernel("torch.nn.functional.gelu:approximate=tanh:device=cuda:1")[1:]
    ('torch.nn.functional:gelu', 'Python functions', {'approximate': 'tanh', 'device': 'cuda:1'})
    """
    name, *parts = re.split(r":(?=[A-Za-z_]\w*=)", word)
    settings = dict(part.split("=", 1) for part in parts)
    if len(settings) < len(parts):
        raise UsageError(f"'{word}' sets a value twice; write NAME=VALUE, each name once")
    target = name
    if name.lower() in ROUTINES:
        kind = ROUTINE
    elif meant := meant_kernel(name):
        raise UsageError(f"'{name}' names no function; {meant}")
    elif names_library(name):
        kind = LIBRARY
    elif re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)+", name):
        kind, target = FUNCTION, ":".join(name.rsplit(".", 1))
    elif ":" in name:
        kind = FUNCTION
    else:
        raise _no_kernel(name)
    named = Named(word, target, kind, settings)
    if kind != FUNCTION and named.arguments:
        raise unknown("setting", next(iter(named.arguments)), OWN[kind], f" of '{word}'")
    return named


def _no_kernel(name: str) -> UsageError:
    try:
        form = find_form(name).name
    except UsageError:
        return UsageError(f"{unknown('routine', name, ROUTINES)}; or name {WORDS}")
    own = [each.name for each in ROUTINES.values() if each.form == form]
    computed = f"; {', '.join(own)}: routines that compute it" if own else ""
    return UsageError(f"'{name}' is a form, not a kernel{computed}; or name {WORDS}")


def to_arguments(kwarg: Mapping[str, Any] | Sequence[str] | None) -> dict[str, Any]:
    """Read arguments of functions: a mapping, or NAME=VALUE words.

    >>> to_arguments(["approximate=tanh", "fast=true", "n=0x10", "name='1'"])
    {'approximate': 'tanh', 'fast': True, 'n': 16, 'name': '1'}
    """
    if isinstance(kwarg, Mapping):
        return dict(kwarg)
    found: dict[str, Any] = {}
    for word in [kwarg] if isinstance(kwarg, str) else kwarg or ():
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier() or name in found:
            raise UsageError(f"--kwarg is '{word}'; write NAME=VALUE, each name once")
        found[name] = typed(value)
    return found


CONSTANTS = {"true": True, "false": False, "none": None}


def typed(text: str) -> Any:
    """Read true, false, none or a number; all else, and quotes, are texts."""
    if len(text) >= 2 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    readers: list[Callable[[str], Any]] = [partial(int, base=0), int, float]
    for read in [*readers, float.fromhex] if "0x" in text.lower() else readers:
        try:
            return read(text)
        except (ValueError, OverflowError):
            pass
    return text


# Implementations


def _kernel(named: Named, settings: Mapping[str, Any], asked: Asked, stack: ExitStack) -> Kernel:
    """Make one kernel; settings that follow its word replace those for all."""
    question = asked.question
    if named.kind == ROUTINE:
        if question.gating:
            raise UsageError(f"{named.label} is a routine of one input; remove it, or --glu")
        compute = named.settings.get("compute", settings.get("compute"))
        inner = question.dtype if compute is None else to_format(compute)
        parts = find_routine(named.target), question.quantity, question.result, inner
        return Kernel(routine_implementation(*parts, label=named.label), question)
    calling = _calling(named, settings, asked)
    common = to_arguments(settings.get("kwarg")) if named.kind in USED_BY["kwarg"] else {}
    arguments = common | named.arguments
    label = named.label + "".join(
        f":{name}={value}" for name, value in common.items() if name not in named.settings
    )
    made: Implementation
    if named.kind == PROGRAM:
        made = stack.enter_context(ProgramImplementation(named.target, calling))
    elif named.kind == OBJECT:
        called = partial(named.target, **arguments) if arguments else named.target
        made = implementation_of(label, called, calling)
    else:
        guest = GuestImplementation(label, named.target, arguments, calling)
        made = stack.enter_context(guest)
    return Kernel(made, question)


def _calling(named: Named, settings: Mapping[str, Any], asked: Asked) -> Calling:
    """Collect how a kernel of the user is called."""
    question, gating = asked.question, asked.question.gating
    given: dict[str, Any] = {
        "backward": asked.backward,
        "packed": gating and gating.packed,
        "up_first": gating and gating.up_first,
        **{name: value for name, value in settings.items() if named.kind in USED_BY[name]},
        **named.settings,
    }
    for name, known in CHOICES.items():
        if given.get(name):
            choose(name, str(given[name]), known)
    timeout = given.get("timeout")
    return Calling(
        question.dtype,
        question.result,
        question.quantity,
        gating._replace(packed=given["packed"] or "").second if gating else "",
        backward="own" if _true(given["backward"]) else None,
        upstream=question.upstream,
        backend=given.get("backend"),
        device=given.get("device"),
        signature=given.get("signature") or "array",
        timeout=None if timeout is None else float(positive(timeout, "--timeout")),
        up_first=_true(given["up_first"]),
    )


def _true(value: Any) -> bool:
    """Read a flag that follows a word: `backward=true`."""
    return bool(typed(value) if isinstance(value, str) else value)
