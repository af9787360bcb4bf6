"""Kernels as functions of Python are given them: a function, a word, the words of a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from shlex import join
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from gelu_cli.api.arguments import check_names, finite, form_of, format_of, positive, whole
from gelu_cli.arithmetic.typed import real_number
from gelu_cli.errors import UsageError, briefly, unknown
from gelu_cli.parallel import available_cores
from gelu_cli.reading.kernels import CALLABLE, MEANT_FOR, PROGRAM, ROUTINE, kind_of

if TYPE_CHECKING:
    from gelu_cli.api.arguments import FormWord
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.guests.calling import Calling
    from gelu_cli.sweeping.gating import Gating
    from gelu_cli.sweeping.implementations import Implementation, Kernel
    from gelu_cli.sweeping.inputs import Inputs
    from gelu_cli.sweeping.truth import Question

NOTHING: Mapping[str, Any] = MappingProxyType({})
GluWord: TypeAlias = "bool | Mapping[str, Any]"
UpstreamWord: TypeAlias = "float | str | Sequence[float]"
OF_GLU = ("packed", "up", "gate_limit", "up_limit", "up_offset", "intermediate")
"""What `glu` may have."""

OF_PAIRS = ("gate_gradient", "up_gradient")
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
    from gelu_cli.sweeping.gating import Gating
    from gelu_cli.sweeping.routines import check_quantity
    from gelu_cli.sweeping.truth import Question, upstream_in

    several = upstream == "all" if isinstance(upstream, str) else isinstance(upstream, list | tuple)
    one: Any = 1 if several else upstream
    number_format, typed = format_of("dtype", dtype), finite("upstream", one)
    gating = gating_of(glu, number_format)
    if gating and (several or typed != 1):
        raise UsageError("upstream is for kernels of one input, of a GLU it is 1; leave glu out")
    judged = "value" if quantity is None else quantity
    if gating:
        check_names(quantity=judged)
        if judged not in ("value", *OF_PAIRS):
            raise unknown("quantity", judged, ("value", *OF_PAIRS), where=" of a GLU")
    else:
        judged = _quantity(quantity, for_gradients=backward is not None or several or typed != 1)
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
    from gelu_cli.guests.calling import PACKINGS
    from gelu_cli.sweeping.gating import Gating

    if not glu:
        return None
    given = {} if glu is True else dict(glu)
    for name in given:
        if name not in OF_GLU:
            raise unknown("argument", name, OF_GLU, where=" of glu")
    packed = given.get("packed") or ""
    if packed and packed not in PACKINGS:
        raise unknown("packing", packed, PACKINGS)
    inner = given.get("intermediate")
    limits: dict[str, Any] = {
        name: float(finite(name, given[name]))
        for name in ("gate_limit", "up_limit", "up_offset")
        if given.get(name) is not None
    }
    gating = Gating(
        **limits, packed=packed, intermediate=inner and format_of("intermediate", inner)
    )
    gating.check(number_format)
    return gating


def with_ups(
    inputs: Inputs, question: Question, glu: GluWord, upstream: UpstreamWord
) -> tuple[Inputs, Sequence[str]]:
    """Return inputs with the second ones of a kernel of two, and what is to be known of these."""
    from gelu_cli.sweeping.gating import rounded_seconds, seconds_of

    if not question.gating:
        return inputs, ()
    up: Any = glu.get("up") if isinstance(glu, Mapping) else None if glu else upstream
    name = question.names[1]
    if isinstance(up, str):
        up = up if up == "all" else [up]
    typed = up if up is None or isinstance(up, str) else [finite(name, each) for each in up]
    ups, every = seconds_of(question.dtype, typed, name)
    notes = rounded_seconds(question.dtype, typed, name) if isinstance(typed, list) else ()
    return inputs._replace(ups=ups, every_up=every), notes


def _quantity(quantity: str | None, *, for_gradients: bool) -> str:
    """Return what is judged: gradients, where an argument is for them."""
    if quantity is not None:
        check_names(quantity=quantity)
    if quantity == "value" and for_gradients:
        raise UsageError("backward and upstream are for gradients; take quantity='gradient'")
    if quantity is None:
        return "gradient" if for_gradients else "value"
    return quantity


def inputs_of(
    question: Question,
    low: float,
    high: float,
    *,
    every: bool,
    infinities: bool,
    **drawn: int | None,
) -> Inputs:
    """Return which inputs are taken."""
    from gelu_cli.sweeping.inputs import chosen_inputs

    first, last = float(real_number("low", low)), float(real_number("high", high))
    if not first <= last:
        raise UsageError(f"low must not be above high, but {first!r} is above {last!r}")
    ends = {"samples": (1, 10**9), "seed": (0, 2**63)}
    counts = {
        name: None if number is None else whole(name, number, *ends[name])
        for name, number in drawn.items()
    }
    return chosen_inputs(question.dtype, first, last, every=every, infinities=infinities, **counts)


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
    from gelu_cli.sweeping.implementations import Kernel, routine_implementation
    from gelu_cli.sweeping.routines import find_routine

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
    arguments = given.pop("kwarg", {})
    own = _own(function, kind, _calling(question, given), arguments, guests)
    return Kernel(own, question)


def _calling(question: Question, given: Mapping[str, Any]) -> Calling:
    """Return how a kernel of the user's own is called."""
    from gelu_cli.guests.calling import BACKWARDS, SIGNATURES, Calling
    from gelu_cli.sweeping import LARGEST_BATCH

    settings = dict(given)
    check_names(**{name: settings[name] for name in NAMES if name in settings})
    for name, known in (("backward", BACKWARDS), ("signature", SIGNATURES)):
        if settings.get(name, next(iter(known))) not in known:
            raise unknown(name, settings[name], known)
    if "batch" in settings:
        settings["batch"] = whole("batch", settings["batch"], 1, LARGEST_BATCH)
    if "timeout" in settings:
        settings["timeout"] = float(positive("timeout", settings["timeout"]))
    asked = question.quantity, question.upstream
    second = question.gating.second if question.gating else ""
    return Calling(question.dtype, question.result, asked[0], second, upstream=asked[1], **settings)


def _own(
    function: Any, kind: str, calling: Calling, arguments: Mapping[str, Any], guests: ExitStack
) -> Implementation:
    """Return a kernel of the user's own, in this thread or in a process that `guests` ends."""
    from gelu_cli.guests.hosted import GuestImplementation, label
    from gelu_cli.guests.kinds import name_of
    from gelu_cli.guests.programs import ProgramImplementation
    from gelu_cli.guests.python_functions import implementation_of

    if kind == PROGRAM:
        return guests.enter_context(ProgramImplementation(join(function), calling))
    if isinstance(function, str):
        name = label(function, arguments)
        return guests.enter_context(GuestImplementation(name, function, arguments, calling))
    if calling.timeout is not None:
        raise UsageError(
            "timeout is for a function that a word names, as 'FILE.py:CALLABLE': one that is "
            "called by this thread cannot be ended"
        )
    called = partial(function, **arguments) if arguments else function
    return implementation_of(name_of(called), called, calling)
