"""A command line, word by word, before typer's parser sees it.

Beginnings of long options are spelled out, a list with commas becomes an option that is repeated,
and what cannot be meant is told in our words. The parser takes every word that begins with a dash
for an option: words that look like negative numbers are shielded, with a character that no argument
of a process can hold, and unshielded in what it returns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gelu_cli.cli.entries import AIM, Entry
from gelu_cli.errors import UsageError

SHIELD = "\0"
NEGATIVE = re.compile(
    r"[-\N{MINUS SIGN}](?:[\d.(π√]|sqrt[(√\d]|(?:inf|infinity|nan|pi|e)(?:$|[-+:/=*^,]))", re.I
)
LONG = re.compile(r"(--[^:=]*)(?::([^=]*))?(?:=(.*))?", re.DOTALL)
DECIMAL_COMMA = re.compile(r"=[^,=]*\d,\d")


class Line:
    """The options of a command, and how a line says them: `entries` know what is special of each.

    `command` is what was called, for messages; `remedy` says of a word where it belongs, if it
    knows. Methods raise `UsageError` for a line that cannot be meant.
    """

    def __init__(
        self,
        command: str,
        options: Sequence[Any],
        entries: Mapping[str, Entry],
        remedy: Callable[[str], str | None],
    ) -> None:
        self._command = command
        self._options = {name: option for option in options for name in option.opts}
        self._entries = entries
        self._remedy = remedy

    def words(self, args: Sequence[str], *, interspersed: bool = True) -> Iterator[str]:
        """Yield what the parser is given; options end at the first other word if so told."""
        rest = iter(args)
        for word in rest:
            if word.startswith("--") and word != "--":
                yield from self._long(word, rest)
            elif NEGATIVE.match(word):
                yield SHIELD + word
            elif len(word) > 1 and word[0] == "-" != word[1]:
                yield from self._short(word, rest)
            else:
                yield word
                if word == "--" or not interspersed:
                    yield from rest

    def _long(self, word: str, rest: Iterator[str]) -> Iterator[str]:
        typed, suffix, value = LONG.fullmatch(word).groups()  # type: ignore[union-attr]
        name = self._spelled_out(typed, word)
        if suffix is not None and not self._is(name, "aimed"):
            if any(entry.aimed for entry in self._entries.values()):
                said = f"{name}:{suffix}: {name} is for both kernels"
                raise UsageError(f"{said}; leave ':{suffix}' out")
            raise UsageError(f"unknown option '{word}'; write {name} {suffix}")
        yield from self._with_value(name, suffix, value, rest)

    def _short(self, word: str, rest: Iterator[str]) -> Iterator[str]:
        if f"-{word.partition('=')[0]}" in self._options:
            raise UsageError(f"unknown option '{word}'; write it with two dashes, -{word}")
        for place, letter in enumerate(word[1:], 2):
            name = f"-{letter}"
            if name not in self._options:
                raise self._unknown(word)
            if self._options[name].is_flag:
                yield name
            else:
                value = word[place:].removeprefix("=") if word[place:] else None
                yield from self._with_value(name, None, value, rest)
                return

    def _with_value(
        self, name: str, suffix: str | None, value: str | None, rest: Iterator[str]
    ) -> Iterator[str]:
        """Yield an option and its value, once for each element of a list."""
        option = self._options[name]
        if option.is_flag:
            if value is not None:
                raise UsageError(f"{name} takes no value; leave '={value}' out")
            yield name
            return
        if value is None:
            value = next(rest, None)
            if value is None:
                raise UsageError(f"{name} needs a value; write {name} {option.metavar}")
            if value.startswith("--") and value in self._options:
                raise UsageError(
                    f"{name} needs a value before {value}; write {name} {option.metavar}"
                )
        for each in _elements(value, name) if self._is(name, "listed") else [value]:
            yield name
            yield each if suffix is None else f"{SHIELD}{suffix}{AIM}{each}"

    def _is(self, name: str, what: str) -> bool:
        """Return whether an option is `aimed`, or `listed`."""
        entry = self._entries.get(self._options[name].name)
        return bool(entry and getattr(entry, what))

    def _spelled_out(self, typed: str, word: str) -> str:
        """Return the long option that begins so; an exact name always wins."""
        if typed in self._options:
            return typed
        names: list[str] = [name for name in self._options if name.startswith(typed)]
        if len(names) == 1:
            return names[0]
        if not names or typed == "--":
            raise self._unknown(word)
        may_be = f"{', '.join(names[:-1])} or {names[-1]}"
        raise UsageError(f"'{typed}' may be {may_be}; write more of it")

    def _unknown(self, word: str) -> UsageError:
        """Return the error for an option that there is not, with the nearest that there is."""
        from difflib import get_close_matches

        typed = word.partition("=")[0]
        near = get_close_matches(typed, [name for name in self._options if name[:2] == "--"], n=1)
        hint = self._remedy(typed.lstrip("-")) or (f"did you mean {near[0]}?" if near else "")
        return UsageError(f"unknown option '{typed}'; {hint or f'see {self._command} --help'}")


def _elements(value: str, name: str) -> list[str]:
    """Return the elements of a list with commas, in which none is empty."""
    if "," not in value:
        return [value]
    if comma := DECIMAL_COMMA.search(value):
        right = value[: comma.start()] + comma[0].replace(",", ".") + value[comma.end() :]
        raise UsageError(f"{name} '{value}': a comma begins another name; write '{right}'")
    elements = [each.strip() for each in value.split(",")]
    if not all(elements):
        raise UsageError(f"{name} '{value}' has a comma with nothing beside it; leave it out")
    return elements


def bare(value: Any) -> Any:
    """Return what the parser returns without shields."""
    if isinstance(value, str):
        return value.removeprefix(SHIELD)
    if isinstance(value, (list, tuple)):
        return type(value)(bare(item) for item in value)
    return value
