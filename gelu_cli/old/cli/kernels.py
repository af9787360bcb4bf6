"""Kernels as words name them, the options that say how they are called, and what these stand for.

A kernel is a word of the line: a routine, MODULE:CALLABLE, FILE.py:CALLABLE or FILE.so:SYMBOL. A
program is the value of --exec.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import click

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.cli import options, words
from gelu_cli.old.cli.parameters import (
    JUDGING,
    KERNEL,
    UNLISTED_KERNELS,
    Aimed,
    Given,
    Group,
    argument,
    count,
    flag_of_kernels,
    option,
)
from gelu_cli.old.cli.words import arguments_of, parse_argument
from gelu_cli.old.reading.kernels import MEANT_FOR, PROGRAM, ROUTINE, kind_of
from gelu_cli.old.reading.names import parse_form
from gelu_cli.old.sweeping import LARGEST_BATCH

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.guests.hosted import GuestImplementation
    from gelu_cli.old.guests.programs import ProgramImplementation
    from gelu_cli.old.sweeping.gating import Gating
    from gelu_cli.old.sweeping.implementations import Implementation, Kernel
    from gelu_cli.old.sweeping.truth import Question, Upstream

SIDES = ("a", "b")
"""What follows the colon of an option that is for one of two kernels."""

PROGRAM_OPTION: Any = option(
    "--exec",
    metavar="COMMAND",
    help="A program of yours: it reads raw numbers and writes as many results.",
)
CALLED: Mapping[str, Any] = {
    "kwarg": option(
        "--kwarg",
        many=True,
        text=True,
        metavar="NAME=VALUE",
        parse=parse_argument,
        help="An argument for Python functions: true, false, none, a number, else text. May be "
        "repeated.",
    ),
    "signature": option(
        "--signature",
        metavar="SIGNATURE",
        choices="signatures",
        help="Of a C function: {signatures}. array: f(x, y, n) fills y with n results; scalar: "
        "y = f(x). Default: array.",
    ),
    "backend": option(
        "--backend",
        metavar="LIBRARY",
        parse=str,
        choices="backends",
        help="Whose arrays Python functions take: {backends}. Default: by where they come from.",
    ),
    "device": option(
        "--device",
        metavar="DEVICE",
        help="The device of these arrays, in the library's words: cpu, cuda, cuda:1, mps. "
        "Default: the library's.",
    ),
    "batch": count(
        "--batch",
        1,
        LARGEST_BATCH,
        "How many inputs a call has. Default: 65536, fewer of a small sample, 524288 of every "
        "float32.",
    ),
    "timeout": option(
        "--timeout",
        metavar="SECONDS",
        parse=words.parse_timeout,
        help="How long one call may take. Default: no limit.",
    ),
    "backward": option(
        "--backward",
        metavar="HOW",
        choices="backwards",
        help="How gradients come about: {backwards}. own: the function is (upstream, x) → dx.",
    ),
    "upstream": option(
        "--upstream",
        many=True,
        metavar="U",
        parse=words.finite_or_all("--upstream"),
        help="The upstream gradient, rounded to the format: results are U·f′(x). Of several, or of "
        "all of a 16- or 8-bit format, each x has each. Default: 1.",
    ),
    "compute": options.number_format(
        "--compute", "The number format inside a routine, before its results are rounded."
    ),
    "truncate": flag_of_kernels(
        "--truncate", "Every operation inside a routine rounds toward zero, not to nearest."
    ),
    "flush": flag_of_kernels(
        "--flush", "Subnormal numbers inside a routine are 0, each where it comes about."
    ),
}
"""How kernels are called."""

UNLISTED: Any = option(*UNLISTED_KERNELS, many=True, metavar="KERNEL", parse=str)
FORM: Any = option(
    "--form",
    default="exact",
    metavar="F",
    section=JUDGING,
    parse=words.parse_target,
    choices="targets",
    help="The form that results should be; auto: the one that they are nearest to; self: the "
    "routine's own form.",
)
OF_GRADIENTS = ("--backward", "--upstream")


class Named(NamedTuple):
    """A kernel as it is named: the word, what kind it is, how it is called."""

    word: str
    kind: str
    settings: dict[str, Any]
    """The values of options, by name."""

    @property
    def label(self) -> str:
        """What it is called, with its arguments."""
        from gelu_cli.old.guests.hosted import label

        return label(self.word, arguments_of(self.settings.get("kwarg", [])))


class KernelWords(NamedTuple):
    """Which kernels: their words, programs by their names, how each of them is called."""

    words: Sequence[str]
    programs: Mapping[str, str]
    settings: Mapping[str, Sequence[Aimed]]

    @classmethod
    def of(cls, kernels: Any, exec: Any, unlisted: Sequence[str], **settings: Any) -> Self:
        """Return what the line gives; routines may stand in a list with commas."""
        given = [
            part
            for word in (*(kernels or ()), *unlisted)
            for part in (word.split(",") if re.fullmatch(r"[\w,]+", word) else [word])
        ]
        named = [(each.suffix or each.value, each.value) for each in _aimed(exec)]
        if len(programs := dict(named)) < len(named):
            raise UsageError("--exec gives one name to two programs; name each, --exec:NAME=…")
        return cls(given, programs, {name: _aimed(value) for name, value in settings.items()})

    def named(self, words: Sequence[str]) -> list[Named]:
        """Return the kernels of some words; raises `UsageError` for options that none has."""
        command: Any = click.get_current_context().command
        kernels = [
            Named(word, PROGRAM if word in self.programs else kind_of(word, command.place_of), {})
            for word in words
        ]
        for name, values in self.settings.items():
            for each in values:
                _give(name, each, kernels)
        return kernels

    @property
    def upstreams(self) -> list[Fraction | str]:
        """The gradients from above that are named."""
        return [each.value for each in self.settings.get("upstream", ())]

    def upstream(self, number_format: Format) -> Upstream:
        """Return the gradient from above, rounded to the format of x; 1 where there are several."""
        from gelu_cli.old.sweeping.truth import Upstream, upstream_in

        numbers = [each for each in self.upstreams if not isinstance(each, str)]
        one = len(numbers) == len(self.upstreams) == 1
        return upstream_in(number_format, numbers[0]) if one else Upstream(1.0)

    def kernels_of(
        self,
        named: Sequence[Named],
        formats: tuple[Format, Format],
        form: Form | str,
        quantity: str,
        guests: ExitStack,
        gating: Gating | None = None,
    ) -> list[Kernel]:
        """Return some of the kernels, each with what its results should be."""
        from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
        from gelu_cli.old.sweeping.routines import find_routine
        from gelu_cli.old.sweeping.truth import Question

        number_format, result = formats
        asked = quantity, number_format, result, self.upstream(number_format).value
        found: list[Kernel] = []
        for each in named:
            routine = find_routine(each.word) if each.kind == ROUTINE else None
            if routine and gating:
                raise UsageError(f"--glu: the kernel {each.word} is a routine of one input")
            due = _form(form, routine and routine.form)
            question = Question(due, *asked, form == words.AUTO, gating=gating)
            made: Implementation
            if routine:
                rounding = {"compute": number_format, **each.settings}
                made = routine_implementation(routine, quantity, result, **rounding)
            else:
                own = _own(each, self.programs.get(each.word), question)
                made = guests.enter_context(own)
            found.append(Kernel(made, question))
        return found


def _aimed(value: Any) -> list[Aimed]:
    """Return the values of an option, each with the kernel that it is for if it is for one."""
    alone = [] if value is None or value is False else [value]
    values = value if isinstance(value, list | tuple) else alone
    return [each if isinstance(each, Aimed) else Aimed(None, each) for each in values]


KINDS = (
    "routines ({routines}), Python functions (torch.nn.functional:gelu, mykernel.py:gelu), C "
    "functions (./libkernel.so:gelu)"
)
KERNELS: Any = Group(
    KernelWords.of,
    {
        "kernels": argument(
            "[KERNEL]...", f"{KINDS}. Without one, every routine.", choices="routines"
        ),
        "unlisted": UNLISTED,
        "exec": PROGRAM_OPTION,
        **CALLED,
    },
    section=KERNEL,
)


def quantity_of(quantity: str | None, given: Given, gating: Gating | None = None) -> str:
    """Return what is judged: what is asked for, else gradients where an option is for them.

    Raises `UsageError` where values are asked for all the same, or what kernels of so many inputs
    have not.
    """
    from gelu_cli.old.sweeping.gating import OF_PAIRS

    if quantity is None:
        quantity = "gradient" if {*OF_GRADIENTS} & {*given.names} else "value"
    elif quantity == "value":
        given.refuse(*OF_GRADIENTS, purpose="gradients", remedy="take --quantity gradient")
    if gating and not gating.upstream and quantity == "gradient":
        by = next((f"{each}: " for each in ("--quantity", "--backward") if each in given.names), "")
        both = " or ".join(OF_PAIRS)
        raise UsageError(f"{by}with --glu there are two gradients; take --quantity {both}")
    if (not gating or gating.upstream) and quantity in OF_PAIRS:
        raise UsageError(f"--quantity {quantity} is for kernels of two inputs; add --glu")
    return quantity


def names_kernel(word: str) -> bool:
    """Return whether a word names a kernel, or would be one if it named a function.

    >>> [names_kernel(word) for word in ("erfc", "math:erf", "k.c", "2=1.9546", "figures.csv")]
    [True, True, True, False, False]
    """
    from gelu_cli.old.sweeping.routines import ROUTINES
    from gelu_cli.old.synonyms import meant_kernel

    colon = ":" in word and "=" not in word.partition(":")[0] and not os.path.exists(word)
    return word.lower() in ROUTINES or colon or bool(meant_kernel(word))


def _give(name: str, aimed: Aimed, kernels: Sequence[Named]) -> None:
    """Give the value of an option to the kernels that it is for."""
    meant, suffix = MEANT_FOR[name], aimed.suffix
    option = f"--{name}" if suffix is None else f"--{name}:{suffix}"
    if suffix is not None and suffix not in SIDES:
        raise unknown(f"kernel after --{name}:", suffix, SIDES)
    asked = kernels if suffix is None else [kernels[SIDES.index(suffix)]]
    some = [each for each in asked if each.kind in meant]
    if not some or (name == "upstream" and len(some) < len(asked)):
        wrong = (f"the kernel {each.word}, {each.kind}" for each in asked if each not in some)
        beside = (
            f"not for {' and '.join(wrong)}"
            if 0 < len(asked) <= len(SIDES)
            else "and none is named"
        )
        raise UsageError(f"{option} is for {' or '.join(meant)}, {beside}; leave {option} out")
    for each in some:
        if name == "kwarg":
            each.settings.setdefault(name, []).append(aimed.value)
        elif name in each.settings and name != "upstream":
            raise UsageError(f"{option} is given more than once for a kernel; it takes one value")
        else:
            each.settings[name] = aimed.value


def _form(form: Form | str, own: str | None) -> Form:
    """Return the form to judge against; `own` is the name of a routine's own form.

    Of `auto` it is the one that stands until the results are known.
    """
    if not isinstance(form, str):
        return form
    if form == words.AUTO:
        return parse_form("exact")
    if own is None:
        raise UsageError(
            "--form self: name the form that your kernel computes, e.g. --form tanh, or take "
            "--form auto"
        )
    return parse_form(own)


def _own(
    named: Named, program: str | None, question: Question
) -> GuestImplementation | ProgramImplementation:
    from gelu_cli.old.guests.calling import Calling

    given = {name: each for name, each in named.settings.items() if name in Calling._fields}
    given |= {"quantity": question.quantity, "upstream": question.upstream}
    if question.gating:
        given["second"] = question.gating.second
    calling = Calling(question.dtype, question.result, **given)
    if program is not None:
        from gelu_cli.old.guests.programs import ProgramImplementation

        return ProgramImplementation(program, calling)
    from gelu_cli.old.guests.backends import backend_class
    from gelu_cli.old.guests.hosted import GuestImplementation

    if calling.backend is not None:
        words.under("--backend", backend_class)(calling.backend)
    arguments = arguments_of(named.settings.get("kwarg", []))
    return GuestImplementation(named.label, named.word, arguments, calling)
