"""An option as typer has it, with what it is to us: its heading, its lists; and groups of options.

An option becomes a typed value where it enters: its `parser` makes the value, or says in one line
why it cannot. A `Group` makes one value of several options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, NamedTuple

import typer

from gelu_cli.cli import sections
from gelu_cli.errors import GeluError, UsageError


class Entry:
    """An option or argument as typer has it, and the annotation that tells typer its kind."""

    def __init__(
        self,
        info: Any,
        annotation: Any,
        *,
        section: str = "",
        aimed: bool = False,
        listed: bool = False,
        reads_stdin: bool = False,
    ) -> None:
        self.info = info
        self.annotation = annotation
        self.section = section
        """The heading under which it stands in the help, that of its group if it has none."""
        self.aimed = aimed
        """Whether it may be said for one of several kernels, as in --device:a."""
        self.listed = listed
        """Whether a comma separates two of its values, as in --form exact,tanh."""
        self.reads_stdin = reads_stdin
        """Whether `-` for it is stdin."""

    def under(self, section: str) -> Entry:
        """Return it under a heading, its own if it has one."""
        entry = copy(self)
        entry.section = self.section or section
        return entry


class Group:
    """Options that make one value: `make` is called with the value of each by its name."""

    def __init__(
        self,
        make: Callable[..., Any],
        entries: Mapping[str, Entry],
        *,
        section: str = sections.QUESTION,
    ) -> None:
        self.make = make
        self.entries = {name: entry.under(section) for name, entry in entries.items()}


class RefusedError(GeluError):
    """A word that its parser refuses; of a ValueError, as `UsageError` is, typer words another."""

    exit_code = UsageError.exit_code


def _refusing(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def parser(word: str) -> Any:
        try:
            return parse(word)
        except UsageError as error:
            raise RefusedError(str(error)) from None

    return parser


def option(
    default: str | None,
    *names: str,
    parser: Callable[[str], Any] | None = None,
    many: bool = False,
    text: bool = False,
    metavar: str = "",
    section: str = "",
    reads_stdin: bool = False,
    **settings: Any,
) -> Any:
    """Return an option with one word, or with any number of them, repeated or in a list.

    In a `text` a comma is a sign like others: it makes no list.
    """
    listed = many and not text
    settings |= {"metavar": f"{metavar},..." if listed else metavar}
    info = typer.Option(default, *names, parser=_refusing(parser) if parser else None, **settings)
    annotation = list[str] | None if many else str | None
    return Entry(info, annotation, section=section, listed=listed, reads_stdin=reads_stdin)


class Aimed(NamedTuple):
    """The value of an option, and what follows the colon of its name, if anything does."""

    suffix: str | None
    value: Any


AIM = "\0"
"""It ends such a suffix in the word of an option; no argument of a process can hold it."""


def aimed(entry: Entry, help: str | None = None) -> Entry:
    """Return an option that may be said for all kernels or, each time, for one of them.

    Its values are `Aimed`. Its help is that of the option it is made of, if no other is given.
    """
    parser: Callable[[str], Any] = entry.info.parser or str

    def parse(word: str) -> Aimed:
        suffix, separator, value = word.rpartition(AIM)
        return Aimed(suffix if separator else None, parser(value))

    info = copy(entry.info)
    info.parser, info.help = parse, help or info.help
    return Entry(info, list[str] | None, section=entry.section, aimed=True)


def flag(*names: str, section: str = "", **settings: Any) -> Any:
    """Return an option without a word."""
    return Entry(typer.Option(False, *names, **settings), bool, section=section)


def argument(
    many: bool = False,
    *,
    parser: Callable[[str], Any] | None = None,
    reads_stdin: bool = False,
    **settings: Any,
) -> Any:
    """Return an argument, which may be left out, or any number of them."""
    info = typer.Argument(None, parser=_refusing(parser) if parser else None, **settings)
    return Entry(info, list[str] | None if many else str | None, reads_stdin=reads_stdin)
