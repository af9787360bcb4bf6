"""Two kernels, as the words and options of `gelu compare` name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.cli import entries, sections
from gelu_cli.cli.entries import Aimed
from gelu_cli.cli.input.arguments import arguments_of, label
from gelu_cli.cli.kernels import COMPUTE, KERNELS, KernelWords, kernels_of
from gelu_cli.errors import UsageError, unknown

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.forms import Form
    from gelu_cli.sweeping.implementations import Kernel

SIDES = ("a", "b")
TWO = "name two, e.g. gelu compare erfc torch.nn.functional:gelu"
CALLABLE, LIBRARY, PROGRAM, ROUTINE = "a Python function", "a C function", "a program", "a routine"

MEANT_FOR: Mapping[str, Sequence[str]] = {
    "kwarg": [CALLABLE],
    "backend": [CALLABLE],
    "device": [CALLABLE],
    "batch": [CALLABLE, LIBRARY],
    "signature": [LIBRARY],
    "timeout": [CALLABLE, LIBRARY, PROGRAM],
    "backward": [CALLABLE, LIBRARY],
    "compute": [ROUTINE],
}
"""What kinds of kernel an option is for."""


class PairWords(NamedTuple):
    """What is compared, and how each is called."""

    kernels: list[str] | None
    exec: list[Aimed] | None
    kwarg: list[Aimed] | None
    backend: list[Aimed] | None
    device: list[Aimed] | None
    batch: list[Aimed] | None
    signature: list[Aimed] | None
    timeout: list[Aimed] | None
    backward: list[Aimed] | None
    compute: list[Aimed] | None

    @property
    def named(self) -> list[str]:
        """The two words, those of programs last that no word names; raises `UsageError`."""
        given = list(self.kernels or ())
        programs = [name for name in self.programs if name not in given]
        two = given + programs[: max(0, 2 - len(given))]
        if len(two) < 2:
            have = f"only '{two[0]}' is given" if two else "no kernel is given"
            raise UsageError(f"{have}; {TWO}")
        if len(two) > 2:
            raise UsageError(f"unexpected '{two[2]}': two kernels are compared; {TWO}")
        for name in self.programs:
            if name not in two:
                raise UsageError(f"--exec:{name}: two kernels are given already; leave it out")
        return two

    @property
    def programs(self) -> Mapping[str, str]:
        """The commands of programs by their names, which are the commands if nobody says."""
        named = [(each.suffix or each.value, each.value) for each in self.exec or ()]
        programs = dict(named)
        if len(programs) < len(named):
            raise UsageError("--exec gives one name to two programs; name each, --exec:NAME=…")
        return programs


HELP = {
    "exec": "A program: it reads raw numbers and writes as many results. "
    "--exec:NAME COMMAND names it.",
    "kwarg": "An argument for Python functions: true, false, none, a number, else text. May be "
    "repeated.",
    "backend": "Whose arrays Python functions take: {backends}. Default: by where they come from.",
    "backward": "How gradients come about: {backwards}. own: the function is (upstream, x) → dx.",
}
"""Of options that `gelu sweep` describes as those of its one kernel."""
OF_ONE: Mapping[str, entries.Entry] = {**KERNELS.entries, "compute": COMPUTE}

PAIR: Any = entries.Group(
    PairWords,
    {
        "kernels": entries.argument(
            many=True,
            metavar="[KERNEL]...",
            help="Two of: routines ({routines}), Python functions (torch.nn.functional:gelu, "
            "mykernel.py:gelu), C functions (./libkernel.so:gelu), programs that --exec names; or "
            "two records (.json).",
        ),
        **{name: entries.aimed(OF_ONE[name], HELP.get(name)) for name in ("exec", *MEANT_FOR)},
    },
    section=sections.KERNEL,
)


class Side(NamedTuple):
    """One of the two: the word that names it, what kind of kernel it is, how it is called."""

    word: str
    kind: str
    settings: Mapping[str, Any]
    """The values of options, by name."""

    @property
    def label(self) -> str:
        """What it is called, with its arguments."""
        return label(self.word, arguments_of(self.settings.get("kwarg", [])))


def sides_of(pair: PairWords) -> list[Side]:
    """Return the two kernels; raises `UsageError` for options that neither of them has."""
    two, programs = pair.named, pair.programs
    kinds = [PROGRAM if word in programs else _kind(word) for word in two]
    settings: list[dict[str, Any]] = [{}, {}]
    for name, meant in MEANT_FOR.items():
        for suffix, value in getattr(pair, name) or ():
            _give(name, suffix, value, meant, list(zip(kinds, settings, strict=True)))
    return [Side(*each) for each in zip(two, kinds, settings, strict=True)]


def names_of(sides: Sequence[Side]) -> list[str]:
    """Return what the two are called: if alike, with the options that differ, or else a and b."""
    labels = [each.label for each in sides]
    if labels[0] == labels[1]:
        labels = [" ".join([each.label, *_told_apart(each, sides)]) for each in sides]
    if labels[0] == labels[1]:
        labels = [f"{each} ({side})" for each, side in zip(labels, SIDES, strict=True)]
    return labels


def kernels_of_pair(
    pair: PairWords,
    sides: Sequence[Side],
    formats: tuple[Format, Format],
    target: Form | str,
    quantity: str,
    upstream: Any,
    guests: ExitStack,
) -> list[Kernel]:
    """Return the two kernels, with one question; raises `UsageError` where they have two."""
    kernels: list[Kernel] = []
    for each in sides:
        asked, compute = _asked(each, pair.programs, upstream), each.settings.get("compute")
        kernels += kernels_of(asked, *formats, compute, target, quantity, guests)
    forms = [kernel.question.form.label for kernel in kernels]
    if forms[0] != forms[1]:
        raise UsageError(
            f"--target self: these are routines of different forms, {' and '.join(forms)}; "
            f"name one, e.g. --target {forms[0]}"
        )
    return kernels


def _asked(side: Side, programs: Mapping[str, str], upstream: Any) -> KernelWords:
    """Return one of the two as `gelu sweep` names it."""
    settings: dict[str, Any] = dict.fromkeys(KernelWords._fields)
    settings |= {name: value for name, value in side.settings.items() if name in settings}
    settings["upstream"] = upstream
    if side.kind == ROUTINE:
        settings["routine"] = [side.word]
    elif side.kind == PROGRAM:
        settings["exec"] = programs[side.word]
    else:
        settings["impl"] = side.word
    return KernelWords(**settings)


def _kind(word: str) -> str:
    from gelu_cli.guests.libraries import names_library
    from gelu_cli.sweeping.routines import find_routine

    if ":" not in word:
        try:
            find_routine(word)
        except UsageError as error:
            raise UsageError(f"{error}; or name MODULE:CALLABLE, FILE.so:SYMBOL") from None
        return ROUTINE
    return LIBRARY if names_library(word) else CALLABLE


def _give(
    name: str,
    suffix: str | None,
    value: Any,
    meant: Sequence[str],
    two: Sequence[tuple[str, dict[str, Any]]],
) -> None:
    """Give the value of an option to the kernels that it is for."""
    option = f"--{name}" if suffix is None else f"--{name}:{suffix}"
    if suffix is not None and suffix not in SIDES:
        raise unknown(f"kernel after --{name}:", suffix, SIDES)
    some = two if suffix is None else [two[SIDES.index(suffix)]]
    some = [(kind, settings) for kind, settings in some if kind in meant]
    if not some:
        what = "neither kernel is one" if suffix is None else f"{suffix} is none"
        raise UsageError(f"{option} is for {' or '.join(meant)}, and {what}; leave it out")
    for _, settings in some:
        if name == "kwarg":
            settings.setdefault(name, []).append(value)
        elif name in settings:
            raise UsageError(f"{option} is given more than once for a kernel; it takes one value")
        else:
            settings[name] = value


def _told_apart(side: Side, sides: Sequence[Side]) -> Iterator[str]:
    """Yield the options of a kernel that the other one has not."""
    for name in MEANT_FOR:
        values = [each.settings.get(name) for each in sides]
        if values[0] != values[1] and side.settings.get(name) is not None:
            value = side.settings[name]
            yield f"--{name} {getattr(value, 'name', value)}"
