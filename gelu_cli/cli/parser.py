"""What typer is taught here: negative numbers, late loading, and help from the registries.

The option parser takes every word that begins with a dash for an option. Words that look like
negative numbers are therefore shielded before it sees them, with a character that no argument of
a process can hold, and unshielded in what it returns.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, Signature, getsource, signature
from shutil import get_terminal_size
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from gelu_cli.cli import commands
from gelu_cli.cli.choices import fill
from gelu_cli.cli.options import AIM, Entry, Group
from gelu_cli.cli.output.spelling import SPELLED
from gelu_cli.errors import UsageError
from gelu_cli.registry import module_names

SHIELD = "\0"
NEGATIVE = re.compile(r"[-\N{MINUS SIGN}](?:[\d.]|(?:inf|infinity|nan)(?:$|[:/=]))", re.I)
SUFFIXED = re.compile(r"(--[a-z][a-z-]*):([^=]*)(?:=(.*))?", re.DOTALL)
NARROW, NARROWEST = 52, 20
SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


def _entries(function: Callable[..., None]) -> dict[str, Entry]:
    """Return the single options of a function, by name."""
    entries: dict[str, Entry] = {}
    for name, each in signature(function).parameters.items():
        entries |= each.default.entries if isinstance(each.default, Group) else {name: each.default}
    return entries


def _ungrouped(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function of single options, as typer wants it, that calls one of groups."""
    defaults = {name: each.default for name, each in signature(function).parameters.items()}
    groups = {name: each for name, each in defaults.items() if isinstance(each, Group)}
    entries = _entries(function)

    @wraps(function)
    def called(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group.make(**{each: values.pop(each) for each in group.entries})
        function(**values)

    called.__annotations__ = {}
    called.__signature__ = Signature([  # type: ignore[attr-defined]
        Parameter(name, Parameter.KEYWORD_ONLY, default=entry.info, annotation=entry.annotation)
        for name, entry in entries.items()
    ])  # fmt: skip
    return called


class _Help:
    """Help in the encoding and the width of the terminal, however narrow."""

    def get_help(self, ctx: Any) -> str:
        """Return the help as it is printed."""
        columns = get_terminal_size().columns
        if columns < NARROW:  # typer has no lines shorter than that
            ctx.terminal_width = max(columns - 2, NARROWEST)
        text: str = super().get_help(ctx)  # type: ignore[misc]
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        return text.encode(encoding, SPELLED).decode(encoding)


class NumberCommand(_Help, TyperCommand):
    """A command whose arguments may be negative numbers, anywhere on the line.

    In its help `{forms}` and the like stand for lists of `_choices`. Options that are `aimed` take
    a suffix after a colon: --device:a cuda is --device for the kernel a.
    """

    aimed: frozenset[str] = frozenset()
    allow_extra_args = True  # `parse_args` says what to do with them

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse a command line; raises `UsageError` for a word that there is no place for."""
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            raise UsageError(f"unexpected '{rest[0]}'; {self._remedy(ctx, rest[0])}")
        return rest

    def _remedy(self, ctx: Any, word: str) -> str:
        """Return which option takes a word, or else what words the command takes."""
        for parameter in self.params:
            if word.partition(":")[0] in (item.value for item in parameter.shell_complete(ctx, "")):
                return f"write {max(parameter.opts, key=len)} {word}"
        arguments = [each for each in self.params if each.param_type_name == "argument"]
        taken = f"one {arguments[0].metavar}" if arguments else "options alone"
        return f"gelu {ctx.info_name} takes {taken}"

    def make_parser(self, ctx: Any) -> Any:
        """Return typer's parser with numbers shielded on the way in and out."""
        parser = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> tuple[dict[str, Any], list[str], Any]:
            aimed = self._aimed(list(_shielded(args)))
            options, rest, order = parse([*aimed])
            _check_once(order)
            return {name: _bare(value) for name, value in options.items()}, _bare(rest), order

        parser.parse_args = parse_args  # type: ignore[method-assign]
        return parser

    def _aimed(self, words: list[str]) -> Iterator[str]:
        """Yield words with the suffix of an option before its value; a shield keeps both."""
        rest = iter(words)
        for word in rest:
            found = SUFFIXED.fullmatch(word)
            if word == "--" or not (found and self.aimed):
                yield word
                if word == "--":
                    yield from rest
                continue
            name, suffix, value = found.groups()
            if name not in self.aimed:
                self._refuse_suffix(name, suffix)
                yield word
                continue
            yield name
            value = next(rest, None) if value is None else value
            if value is not None:
                yield f"{SHIELD}{suffix}{AIM}{value.removeprefix(SHIELD)}"

    def _refuse_suffix(self, name: str, suffix: str) -> None:
        """Raise `UsageError` for the suffix of an option that has none."""
        if any(name in parameter.opts for parameter in self.params):
            raise UsageError(f"{name}:{suffix}: {name} is for both kernels, leave ':{suffix}' out")

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the lists that its placeholders stand for."""
        for parameter in self.params:
            text = getattr(parameter, "help", None)
            if text:
                parameter.help = fill(text)  # type: ignore[attr-defined]
        self.help = fill(self.help or "")
        super().format_help(ctx, formatter)


def _check_once(order: Sequence[Any]) -> None:
    """Refuse a second value for an option that takes one: it would hide the first in silence."""
    for option, times in Counter(order).items():
        if times > 1 and isinstance(option, TyperOption) and not _takes_more(option):
            name = max(option.opts, key=len)
            raise UsageError(f"{name} is given more than once; it takes one value")


def _takes_more(option: TyperOption) -> bool:
    return option.multiple or option.is_flag  # to repeat a flag does no harm


def _shielded(args: list[str]) -> Iterator[str]:
    words = iter(args)
    for word in words:
        if word == "--":
            yield word
            break
        yield SHIELD + word if NEGATIVE.match(word) else word
    yield from words


def _bare(value: Any) -> Any:
    if isinstance(value, str):
        return value.removeprefix(SHIELD)
    if isinstance(value, (list, tuple)):
        return type(value)(_bare(item) for item in value)
    return value


FIRST = (
    "table", "error", "locate", "variance", "fit", "block", "sweep", "compare", "check",
    "identify", "plot", "forms",
)  # fmt: skip
"""The order in which one would ask; other commands follow by name."""


class _Commands(Mapping[str, Any]):
    """The commands by name, each imported when it is first asked for."""

    def __init__(self) -> None:
        names = set(module_names(commands.__path__))
        self._names = [*filter(names.__contains__, FIRST), *sorted(names - set(FIRST))]

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class LateGroup(_Help, TyperGroup):
    """The group of all commands, which loads the one that is called and no other."""

    def __init__(self, **settings: Any) -> None:
        settings["commands"] = _Commands()
        super().__init__(**settings)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the first line of each command's help, for which none of them need be built."""
        rows = [(name, _first_line(name)) for name in self.commands]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@cache
def _command(name: str) -> Any:
    app = typer.Typer(**SETTINGS)
    function = _function(name)
    app.command(cls=NumberCommand, help=docstring(function))(_ungrouped(function))
    command = typer.main.get_command(app)
    aimed = {each for each, entry in _entries(function).items() if entry.aimed}
    command.aimed = frozenset(  # type: ignore[attr-defined]
        name for each in command.params if each.name in aimed for name in each.opts
    )
    return command


def _function(name: str) -> Callable[..., None]:
    function: Callable[..., None] = getattr(import_module(f"{commands.__name__}.{name}"), name)
    return function


def _first_line(name: str) -> str:
    return docstring(_function(name)).partition("\n")[0]


def docstring(function: Callable[..., None]) -> str:
    """Return the docstring of a function, read from its file where Python runs without (-OO)."""
    if function.__doc__ is not None:
        return function.__doc__
    import ast

    (written,) = ast.parse(getsource(function)).body
    return ast.get_docstring(written) or ""  # type: ignore[arg-type]
