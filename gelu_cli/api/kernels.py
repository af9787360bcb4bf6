"""Kernels: words with their settings, Python callables, commands; and how they are called."""

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

ROUTINE, FUNCTION, OBJECT = "routines", "Python functions", "functions that are named by a word"
LIBRARY, PROGRAM = "C functions", "programs"
BACKENDS = ("numpy", "torch", "jax")
MOST_JOBS = 1024

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

OWN = ("compute", "backend", "device", "signature", "timeout", "backward", "packed", "up_first")
"""Settings that may follow the word of a kernel; other names are arguments of the function."""

CHOICES = {"backend": BACKENDS, "signature": SIGNATURES, "packed": PACKINGS}
PLACEHOLDERS = "MODULE:FUNCTION, FILE.py:FUNCTION or ./LIB.so:SYMBOL"


class Named(NamedTuple):
    """A kernel as it was named: its label, what is called, the kind, and settings of its own."""

    label: str
    target: Any
    kind: str
    settings: Mapping[str, Any] = {}


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
    single = kernels is None or isinstance(kernels, str) or callable(kernels)
    several: Any = ([] if kernels is None else [kernels]) if single else kernels
    named = [each for word in several for each in _named(word)]
    for command in [programs] if isinstance(programs, str) else programs or ():
        named.append(Named(command, command, PROGRAM))
    if not named:
        raise UsageError(f"no kernel; name a routine ({', '.join(ROUTINES)}), {PLACEHOLDERS}")
    pairs = asked.question.gating
    refuse_unused(
        named,
        {
            **settings,
            "backward": asked.backward or None,
            "up": True if asked.question.upstream != 1 or (pairs and pairs.upstream) else None,
        },
    )
    return [_kernel(each, settings, asked, stack) for each in _distinct(named)]


def refuse_unused(named: Sequence[Named], settings: Mapping[str, Any]) -> None:
    """Raise UsageError for an option that no kernel can use, and for --up that one cannot."""
    for name, value in settings.items():
        users = [each for each in named if each.kind in USED_BY[name]]
        if value is None or len(users) == len(named) or (users and name != "up"):
            continue
        other = next(each for each in named if each not in users)
        raise UsageError(
            f"{option(name)} is for {' and '.join(USED_BY[name])}, not for {other.label}; "
            f"remove {option(name)}"
        )


def to_jobs(jobs: Any, kernels: Sequence[Kernel]) -> int:
    """Choose the number of processes; a function that is no word is called by this thread."""
    most = available_cores() if jobs is None else whole(jobs, "--jobs", 1, MOST_JOBS)
    here = any(isinstance(each.implementation, FunctionImplementation) for each in kernels)
    return 1 if here else most


def _distinct(named: Sequence[Named]) -> list[Named]:
    """Leave out words that are there twice; functions of one name are numbered."""
    found: dict[str, Named] = {}
    for each in named:
        label, count = each.label, 1
        while label in found and each.kind == OBJECT and found[label].target is not each.target:
            label, count = f"{each.label} ({count + 1})", count + 1
        found[label] = each._replace(label=label)
    return list(found.values())


# Words


def _named(kernel: KernelLike) -> list[Named]:
    """Read a word, which may list several kernels, or take a function as it is."""
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
        names = ":" in part or "." in part or part.strip().lower() in ROUTINES
        if found and "=" in found[-1] and not names:
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
        raise UsageError(f"'{word}' sets a value twice; write each NAME=VALUE once")
    if name.lower() in ROUTINES:
        if others := settings.keys() - {"compute"}:
            raise UsageError(f"'{word}': a routine takes compute=FORMAT; remove {others.pop()}")
        return Named(word, name.lower(), ROUTINE, settings)
    if meant := meant_kernel(name):
        raise UsageError(f"'{name}' names no function; {meant}")
    if names_library(name):
        if others := settings.keys() - set(OWN):
            raise UsageError(
                f"'{word}': a C function takes signature=… and timeout=…; remove {others.pop()}"
            )
        return Named(word, name, LIBRARY, settings)
    if re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)+", name):
        return Named(word, ":".join(name.rsplit(".", 1)), FUNCTION, settings)
    if ":" in name:
        return Named(word, name, FUNCTION, settings)
    raise _no_kernel(name)


def _no_kernel(name: str) -> UsageError:
    try:
        form = find_form(name).name
    except UsageError:
        return UsageError(f"{unknown('routine', name, ROUTINES)}; or name {PLACEHOLDERS}")
    own = [each.name for each in ROUTINES.values() if each.form == form]
    computed = f"; {' and '.join(own)} compute it" if own else ""
    return UsageError(f"'{name}' is a form, not a kernel{computed}; or name {PLACEHOLDERS}")


def to_arguments(kwarg: Mapping[str, Any] | str | Sequence[str] | None) -> dict[str, Any]:
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
    """Read true, false, none or a number; all else, and what is in quotes, is a text."""
    if len(text) >= 2 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    hexadecimal = [float.fromhex] if "0x" in text.lower() else []
    readers: list[Callable[[str], Any]] = [partial(int, base=0), int, float, *hexadecimal]
    for read in readers:
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
        routine = find_routine(named.target)
        formats = question.quantity, question.result, inner
        return Kernel(routine_implementation(routine, *formats, label=named.label), question)
    calling = _calling(named, settings, asked)
    common = to_arguments(settings.get("kwarg")) if named.kind != LIBRARY else {}
    own = {name: typed(text) for name, text in named.settings.items() if name not in OWN}
    arguments = common | own
    made: Implementation
    if named.kind == PROGRAM:
        made = stack.enter_context(ProgramImplementation(named.target, calling))
    elif named.kind == OBJECT:
        called = partial(named.target, **arguments) if arguments else named.target
        made = implementation_of(name_of(called), called, calling)
    else:
        label = named.label + "".join(
            f":{name}={value}" for name, value in common.items() if name not in own
        )
        guest = GuestImplementation(label, named.target, arguments, calling)
        made = stack.enter_context(guest)
    return Kernel(made, question)


def _calling(named: Named, settings: Mapping[str, Any], asked: Asked) -> Calling:
    """Collect how a kernel of the user is called."""
    question, gating = asked.question, asked.question.gating
    usual = {
        **{name: value for name, value in settings.items() if named.kind in USED_BY[name]},
        "backward": asked.backward,
        "up_first": gating and gating.up_first,
        "packed": gating and gating.packed,
    }
    given = {**usual, **named.settings}
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
