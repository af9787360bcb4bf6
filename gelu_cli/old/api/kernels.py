"""Kernels as functions of Python are given them: a function, a word, the words of a command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from shlex import join
from types import MappingProxyType
from typing import Any, TypeAlias

from gelu_cli.errors import UsageError, briefly, unknown
from gelu_cli.old.api.arguments import (
    FormWord,
    check_names,
    finite,
    form_of,
    format_of,
    positive,
    whole,
)
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.arithmetic.typed import real_number
from gelu_cli.old.guests.calling import BACKWARDS, PACKINGS, SIGNATURES, Calling
from gelu_cli.old.guests.hosted import GuestImplementation, label
from gelu_cli.old.guests.kinds import name_of
from gelu_cli.old.guests.programs import ProgramImplementation
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.parallel import available_cores
from gelu_cli.old.reading.kernels import CALLABLE, MEANT_FOR, PROGRAM, ROUTINE, kind_of
from gelu_cli.old.sweeping import LARGEST_BATCH
from gelu_cli.old.sweeping.gating import LIMITS, OF_PAIRS, Gating, rounded_seconds, seconds_of
from gelu_cli.old.sweeping.implementations import Implementation, Kernel, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs, chosen_inputs
from gelu_cli.old.sweeping.routines import check_quantity, find_routine
from gelu_cli.old.sweeping.truth import Question, upstream_in

NOTHING: Mapping[str, Any] = MappingProxyType({})
GluWord: TypeAlias = "bool | Mapping[str, Any]"
UpstreamWord: TypeAlias = "float | str | Sequence[float]"
OF_GLU = ("packed", "up", *LIMITS, "intermediate")
"""What `glu` may have."""

NAMES = ("backend", "backward", "device", "signature")
"""The options that are texts."""


def question_of(
    dtype: Any,
    result: Any,
    form: FormWord,
    quantity: str | None,
    backward: str | None,
    upstream: UpstreamWord,
    glu: GluWord = False,
) -> tuple[Question, Sequence[str]]:
    """Return what results should be, and what is to be known of the upstream gradient."""
    several = upstream == "all" if isinstance(upstream, str) else isinstance(upstream, list | tuple)
    one: Any = 1 if several else upstream
    number_format, typed = format_of("dtype", dtype), finite("upstream", one)
    gating = gating_of(glu, number_format)
    if gating and (several or typed != 1):
        raise UsageError("upstream is for kernels of one input, of a GLU it is 1; leave glu out")
    for_gradients = not gating and (backward is not None or several or typed != 1)
    judged = ("gradient" if for_gradients else "value") if quantity is None else quantity
    check_names(quantity=judged)
    if gating:
        if judged not in ("value", *OF_PAIRS):
            raise unknown("quantity", judged, ("value", *OF_PAIRS), where=" of a GLU")
    else:
        if judged == "value" and for_gradients:
            raise UsageError("backward and upstream are for gradients; take quantity='gradient'")
        check_quantity(judged)
        gating = Gating(upstream=True) if several else None
    above = upstream_in(number_format, typed)
    results = number_format if result is None else format_of("result", result)
    auto = isinstance(form, str) and form.lower() == "auto"
    meant = form_of("form", "exact" if auto else form)
    asked = Question(meant, judged, number_format, results, above.value, auto, gating=gating)
    return asked, above.notes


def gating_of(glu: GluWord, number_format: Format) -> Gating | None:
    """Return what a kernel of two inputs computes; raises `UsageError` for what it cannot."""
    if glu is False:
        return None
    if not (glu is True or isinstance(glu, Mapping)):
        raise UsageError(f"glu must be True or a dictionary of {', '.join(OF_GLU)}, not {glu!r}")
    given = {} if glu is True else dict(glu)
    for name in given:
        if name not in OF_GLU:
            raise unknown("argument", name, OF_GLU, where=" of glu")
    packed = given.get("packed") or ""
    if packed and packed not in PACKINGS:
        raise unknown("packing", packed, PACKINGS)
    inner = given.get("intermediate")
    limits: dict[str, Any] = {
        name: float(finite(name, given[name])) for name in LIMITS if given.get(name) is not None
    }
    gating = Gating(
        **limits, packed=packed, intermediate=inner and format_of("intermediate", inner)
    )
    gating.check(number_format)
    return gating


def inputs_of(
    question: Question,
    low: float,
    high: float,
    glu: GluWord,
    upstream: UpstreamWord,
    *,
    every: bool,
    infinities: bool,
    **drawn: int | None,
) -> tuple[Inputs, Sequence[str]]:
    """Return which inputs are taken, and what is to be known of the second ones."""
    first, last = float(real_number("low", low)), float(real_number("high", high))
    if not first <= last:
        raise UsageError(f"low must not be above high, but {first!r} is above {last!r}")
    ends = {"samples": (1, 10**9), "seed": (0, 2**63)}
    counts = {
        name: None if number is None else whole(name, number, *ends[name])
        for name, number in drawn.items()
    }
    inputs = chosen_inputs(
        question.dtype, first, last, every=every, infinities=infinities, **counts
    )
    if not question.gating:
        return inputs, ()
    up: Any = glu.get("up") if isinstance(glu, Mapping) else None if glu else upstream
    name = question.names[1]
    if not isinstance(up, Iterable) or (isinstance(up, str) and up != "all"):
        up = None if up is None else [up]
    typed = up if up is None or isinstance(up, str) else [finite(name, each) for each in up]
    ups, exhaustive = seconds_of(question.dtype, typed, name)
    notes = rounded_seconds(question.dtype, typed, name) if isinstance(typed, list) else ()
    return inputs._replace(ups=ups, every_up=exhaustive), notes


# Kernels


def kind_of_kernel(function: Any) -> str:
    """Return what kind of kernel a function, a word or a command is.

    >>> kind_of_kernel("erfc"), kind_of_kernel(["./mykernel"]), kind_of_kernel(abs)
    ('a routine', 'a program', 'a Python function')
    """
    if isinstance(function, str):
        return kind_of(function)
    if isinstance(function, list) and all(isinstance(word, str) for word in function):
        return PROGRAM
    if callable(function):
        return CALLABLE
    said = "function must be a function, a word that names one, or the words of a command in a list"
    raise TypeError(f"{said}, not {briefly(function)}")


def jobs_of(functions: Sequence[Any]) -> int:
    """Return how many processes call kernels: this thread alone, where one is a function.

    So an interrupt ends a function that hangs.
    """
    here = any(not isinstance(each, str | list) for each in functions)
    return 1 if here else available_cores()


def sides_of(functions: Sequence[Any], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the options of each of two kernels: one that is no tuple is for all it is meant for.

    Where it is meant for neither, both get it, and it is refused.
    """
    kinds = [kind_of_kernel(each) for each in functions]
    sides: list[dict[str, Any]] = [{}, {}]
    for name, value in options.items():
        if isinstance(value, tuple) and len(value) != 2:
            raise UsageError(f"--{name} has {len(value)} values; a tuple has one for each of two")
        meant = [kind in MEANT_FOR[name] for kind in kinds]
        for place, side in enumerate(sides):
            if isinstance(value, tuple):
                side[name] = value[place] or None
            else:
                side[name] = value if meant[place] or not any(meant) else None
    return sides


def kernel_of(
    function: Any, question: Question, options: Mapping[str, Any], guests: ExitStack
) -> Kernel:
    """Return what a function, a word or a command names, called as the options given say."""
    kind = kind_of_kernel(function)
    given = {name: value for name, value in options.items() if value is not None}
    above = question.upstream != 1 or (question.gating is not None and question.gating.upstream)
    for name in [*given, *["upstream"] * above]:
        if kind not in MEANT_FOR[name]:
            said = f"--{name} is for {' or '.join(MEANT_FOR[name])}"
            raise UsageError(f"{said}, and {briefly(function)} is {kind}; leave it out")
    if kind == ROUTINE:
        if question.gating:
            raise UsageError(f"glu: {function} is a routine of one input")
        compute = format_of("compute", given.pop("compute", question.dtype.name))
        asked = find_routine(function), question.quantity, question.result, compute
        return Kernel(routine_implementation(*asked, **given), question)
    arguments, calling = given.pop("kwarg", {}), _calling(question, given)
    own: Implementation
    if kind == PROGRAM:
        own = guests.enter_context(ProgramImplementation(join(function), calling))
    elif isinstance(function, str):
        name = label(function, arguments)
        own = guests.enter_context(GuestImplementation(name, function, arguments, calling))
    elif calling.timeout is not None:
        raise UsageError(
            "timeout is for a function that a word names, as 'FILE.py:CALLABLE': one that is "
            "called by this thread cannot be ended"
        )
    else:
        called = partial(function, **arguments) if arguments else function
        own = implementation_of(name_of(called), called, calling)
    return Kernel(own, question)


def _calling(question: Question, settings: dict[str, Any]) -> Calling:
    """Return how a kernel of the user's own is called."""
    check_names(**{name: settings[name] for name in NAMES if name in settings})
    for name, known in (("backward", BACKWARDS), ("signature", SIGNATURES)):
        if name in settings and settings[name] not in known:
            raise unknown(name, settings[name], known)
    if "batch" in settings:
        settings["batch"] = whole("batch", settings["batch"], 1, LARGEST_BATCH)
    if "timeout" in settings:
        settings["timeout"] = float(positive("timeout", settings["timeout"]))
    asked = question.dtype, question.result, question.quantity
    second = question.gating.second if question.gating else ""
    return Calling(*asked, second, upstream=question.upstream, **settings)
