"""A command line, word by word, before click's parser sees it.

Beginnings of long options are written out, a list with commas becomes an option that is repeated,
and what cannot be meant is refused in our words. The parser takes every word that begins with a
dash for an option: words that look like negative numbers are shielded with a character that no
argument of a process can hold, which is taken off where a word gets its type.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gelu_cli.errors import UsageError

SHIELD = AIM = "\0"
"""What begins a shielded word, and what ends the suffix of an option in it: --device:a."""
NO_VALUE = "(?!)"
"""The pattern of the values of a flag that may be for one of several kernels: there are none."""
NEGATIVE = re.compile(
    r"[-\N{MINUS SIGN}](?:[\d.(π√]|sqrt[(√\d]|(?:inf|infinity|nan|pi|e)(?:$|[-+:/=*^,]))", re.I
)
LONG = re.compile(r"(--[^:=]*)(?::([^=]*))?(?:=(.*))?", re.DOTALL)
DECIMAL_COMMA = re.compile(r"=[^,=]*\d,\d")


class Line:
    """How a line says the options of the command in a context; `remedy` says where a word belongs.

    Methods raise `UsageError` for a line that cannot be meant.
    """

    def __init__(self, context: Any, remedy: Callable[[str], str | None]) -> None:
        self._context = context
        self._options: dict[str, Any] = {
            name: each
            for each in context.command.params
            if each.param_type_name == "option"
            for name in each.opts
        }
        self._remedy = remedy
        self._seen: list[Any] = []

    def words(self, args: Sequence[str]) -> Iterator[str]:
        """Yield what the parser is given."""
        rest = deque(args)
        while rest:
            word = rest.popleft()
            if word.startswith("--") and word != "--":
                yield from self._long(word, rest)
            elif NEGATIVE.match(word):
                yield SHIELD + word
            elif len(word) > 1 and word[0] == "-" != word[1]:
                yield from self._short(word, rest)
            else:
                yield word
                if word == "--" or not self._context.allow_interspersed_args:
                    yield from rest
                    return

    def _long(self, word: str, rest: deque[str]) -> Iterator[str]:
        typed, suffix, value = LONG.fullmatch(word).groups()  # type: ignore[union-attr]
        name = self._written_out(typed, word)
        if suffix is not None and not self._options[name].aimed:
            if any(each.aimed for each in self._options.values()):
                said = f"{name}:{suffix}: {name} is for both kernels"
                raise UsageError(f"{said}; leave ':{suffix}' out")
            raise UsageError(f"unknown option '{word}'; write {name} {suffix}")
        yield from self._with_value(name, suffix, value, rest)

    def _short(self, word: str, rest: deque[str]) -> Iterator[str]:
        if f"-{word.partition('=')[0]}" in self._options:
            raise UsageError(f"unknown option '{word}'; write it with two dashes, -{word}")
        for place, letter in enumerate(word[1:], 2):
            name = f"-{letter}"
            if name not in self._options:
                raise self._unknown(word)
            if not self._options[name].is_flag:
                value = word[place:].removeprefix("=") if word[place:] else None
                yield from self._with_value(name, None, value, rest)
                return
            yield name

    def _with_value(
        self, name: str, suffix: str | None, value: str | None, rest: deque[str]
    ) -> Iterator[str]:
        """Yield an option and its value, once for each element of a list."""
        option = self._options[name]
        if value is not None and (option.is_flag or option.optional == NO_VALUE):
            raise UsageError(f"{name} takes no value; leave '={value}' out")
        if option.is_flag:
            yield name
            return
        if value is None and option.optional:
            value = rest.popleft() if rest and re.match(option.optional, rest[0]) else ""
        if value is None:
            value = rest.popleft() if rest else None
            remedy = f"write {name} {option.metavar}"
            if value is None:
                raise UsageError(f"{name} needs a value; {remedy}")
            if value.startswith("--") and value in self._options:
                raise UsageError(f"{name} needs a value before {value}; {remedy}")
        if option in self._seen and not option.multiple:  # it would hide the first in silence
            raise UsageError(f"{option.label} is given more than once; it takes one value")
        self._seen.append(option)
        for each in _elements(value, name) if option.listed else [value]:
            yield name
            yield each if suffix is None else f"{SHIELD}{suffix}{AIM}{each}"

    def _written_out(self, typed: str, word: str) -> str:
        """Return the long option that begins so; an exact name always wins."""
        if typed in self._options:
            return typed
        names = [name for name in self._listed() if name.startswith(typed)]
        if len(names) == 1:
            return names[0]
        if not names or typed == "--":
            raise self._unknown(word)
        may_be = f"{', '.join(names[:-1])} or {names[-1]}"
        raise UsageError(f"'{typed}' may be {may_be}; write more of it")

    def _listed(self) -> list[str]:
        """Return the names of options that help has, each once."""
        return [name for name, each in self._options.items() if name in each.names]

    def _unknown(self, word: str) -> UsageError:
        """Return the error for an option that there is not, with the nearest that there is."""
        from difflib import get_close_matches

        from gelu_cli.errors import LIKE
        from gelu_cli.old.synonyms import meant_option

        typed = word.partition("=")[0]
        known = [name for name in self._listed() if name[:2] == "--"]
        names = [name.removeprefix("--") for name in known]
        near = [f"--{name}" for name in get_close_matches(typed[2:], names, 1, LIKE)]
        words = [each.label for each in self._context.command.params]
        meant = f"{typed[2:].upper()} without an option" if typed[2:].upper() in words else ""
        meant = meant or meant_option(typed, [*known, *words]) or next(iter(near), "")
        hint = self._remedy(typed.lstrip("-")) or (f"did you mean {meant}?" if meant else "")
        hint = hint or f"see {self._context.command_path} --help"
        return UsageError(f"unknown option '{typed}'; {hint}")


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
