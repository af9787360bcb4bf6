"""Two kernels, as the words and options of `gelu compare` name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from gelu_cli.cli.kernels import (
    CALLED,
    KINDS,
    PROGRAM_OPTION,
    SIDES,
    UNLISTED,
    KernelWords,
    Named,
)
from gelu_cli.cli.parameters import KERNEL, Group, aimed, argument
from gelu_cli.errors import UsageError
from gelu_cli.reading.kernels import MEANT_FOR

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.formulas import Form
    from gelu_cli.sweeping.gating import Gating
    from gelu_cli.sweeping.implementations import Kernel

TWO = "name two, e.g. gelu compare erfc torch.nn.functional:gelu"


class PairWords(KernelWords):
    """What is compared: words, programs by their names, and how each kernel is called."""

    def two(self) -> list[str]:
        """Return the two words, those of programs last that no word names; raises `UsageError`."""
        given, programs = [*self.words], self.programs
        two = given + [name for name in programs if name not in given][: max(0, 2 - len(given))]
        if len(two) < 2:
            have = f"only '{two[0]}' is given" if two else "no kernel is given"
            raise UsageError(f"{have}; {TWO}")
        if len(two) > 2:
            raise UsageError(f"unexpected '{two[2]}': two kernels are compared; {TWO}")
        for name in programs:
            if name not in two:
                raise UsageError(f"--exec:{name}: two kernels are given already; leave it out")
        return two

    def kernels_of(
        self,
        named: Sequence[Named],
        formats: tuple[Format, Format],
        form: Form | str,
        quantity: str,
        guests: ExitStack,
        gating: Gating | None = None,
    ) -> list[Kernel]:
        """Return the two kernels, with one question; raises `UsageError` where they have two."""
        kernels = super().kernels_of(named, formats, form, quantity, guests, gating)
        forms = [kernel.question.form.label for kernel in kernels]
        if forms[0] != forms[1]:
            raise UsageError(
                f"--form self: these are routines of different forms, {' and '.join(forms)}; "
                f"name one, e.g. --form {forms[0]}"
            )
        return kernels


PAIR: Any = Group(
    PairWords.of,
    {
        "kernels": argument(
            "[KERNEL]...",
            f"Two of: {KINDS}, programs that --exec names; or two records (.json).",
            choices="routines",
        ),
        "unlisted": UNLISTED,
        "exec": aimed(PROGRAM_OPTION, f"{PROGRAM_OPTION.help} --exec:NAME COMMAND names it."),
        **{name: each if name == "upstream" else aimed(each) for name, each in CALLED.items()},
    },
    section=KERNEL,
)


def names_of(sides: Sequence[Named]) -> list[str]:
    """Return what the two are called: if alike, with the options that differ, or else a and b."""
    labels = [each.label for each in sides]
    if labels[0] == labels[1]:
        labels = [" ".join([each.label, *_told_apart(each, sides)]) for each in sides]
    if labels[0] == labels[1]:
        labels = [f"{each} ({side})" for each, side in zip(labels, SIDES, strict=True)]
    return labels


def _told_apart(side: Named, sides: Sequence[Named]) -> Iterator[str]:
    """Yield the options of a kernel that the other one has not."""
    for name in MEANT_FOR:
        values = [each.settings.get(name) for each in sides]
        if values[0] != values[1] and (value := side.settings.get(name)) is not None:
            yield f"--{name}" if value is True else f"--{name} {getattr(value, 'name', value)}"
