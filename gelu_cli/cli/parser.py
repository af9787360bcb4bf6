"""What typer is taught here: our way to read a line, late loading, and help from the registries."""

from __future__ import annotations

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
from gelu_cli.cli.entries import Entry, Group
from gelu_cli.cli.input.streams import is_left_unread
from gelu_cli.cli.input.words import names_form
from gelu_cli.cli.line import NEGATIVE, Line, bare
from gelu_cli.cli.output.messages import note
from gelu_cli.cli.output.pager import hold
from gelu_cli.cli.output.streams import SPELLED
from gelu_cli.cli.sections import QUESTION
from gelu_cli.errors import UsageError, unknown
from gelu_cli.registry import module_names

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
        alone = not isinstance(each.default, Group)
        entries |= {name: each.default.under(QUESTION)} if alone else each.default.entries
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


class _Ours:
    """What commands and their group share: how a line is read, and help as the terminal takes it.

    Help has the encoding and the width of the terminal, however narrow.
    """

    entries: Mapping[str, Entry] = {}
    """What is special of options, by the names of their parameters."""

    def make_parser(self, ctx: Any) -> Any:
        """Return typer's parser, which gets a line as `Line` reads it."""
        parser = super().make_parser(ctx)  # type: ignore[misc]
        parse, parameters = parser.parse_args, self.get_params(ctx)  # type: ignore[attr-defined]
        options = [each for each in parameters if each.param_type_name == "option"]
        line = Line(ctx.command_path, options, self.entries, self.place_of)

        def parse_args(args: list[str]) -> tuple[dict[str, Any], list[str], Any]:
            words = line.words(args, interspersed=ctx.allow_interspersed_args)
            values, rest, order = parse([*words])
            _check_once(order)
            return {name: bare(value) for name, value in values.items()}, bare(rest), order

        parser.parse_args = parse_args
        return parser

    def place_of(self, word: str) -> str | None:
        """Return what to write where a word is one that an option takes."""
        return None

    def get_help(self, ctx: Any) -> str:
        """Return the help as it is printed next: in the terminal's width and encoding, paged."""
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        text = self.help_in(ctx, get_terminal_size().columns)
        hold()
        return text.encode(encoding, SPELLED).decode(encoding)

    def help_in(self, ctx: Any, columns: int) -> str:
        """Return the help for a screen of so many columns."""
        raise NotImplementedError


class NumberCommand(_Ours, TyperCommand):
    """A command whose arguments may be negative numbers, anywhere on the line.

    In its help `{forms}` and the like stand for lists of `choices`. Options that are `aimed` take
    a suffix after a colon: --device:a cuda is --device for the kernel a.
    """

    allow_extra_args = True  # `parse_args` says what to do with them

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse a command line; raises `UsageError` for a word that there is no place for."""
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            remedy = self.place_of(rest[0]) or f"{ctx.command_path} takes {self._taken()}"
            raise UsageError(f"unexpected '{rest[0]}'; {remedy}")
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and say so where it has left data on stdin that it could have read."""
        code = super().invoke(ctx)
        readers = [each.info for each in self.entries.values() if each.reads_stdin]
        ways = [" ".join([*(each.param_decls or ()), "-"]) for each in readers]
        if ways and not ctx.params["quiet"] and is_left_unread():
            note(f"stdin holds data that was not read; {' or '.join(ways)} reads it")
        return code

    def place_of(self, word: str) -> str | None:
        """Return what to write where a word is one that an option takes."""
        context = typer.Context(self, resilient_parsing=True)
        options = [each for each in self.params if each.param_type_name == "option"]
        for parameter in options:
            taken = {item.value for item in parameter.shell_complete(context, "")}
            if all(each.partition(":")[0] in taken for each in word.split(",")):
                return f"write {max(parameter.opts, key=len)} {word}"
        return None

    def _taken(self) -> str:
        """Return what words the command takes."""
        arguments = [each for each in self.params if each.param_type_name == "argument"]
        return f"one {arguments[0].metavar}" if arguments else "options alone"

    def help_in(self, ctx: Any, columns: int) -> str:
        """Return the help for a screen of so many columns."""
        from gelu_cli.cli.manual.help import command_help
        from gelu_cli.cli.manual.program import describe_command

        return command_help(describe_command(ctx.info_name, self), columns)


def _check_once(order: Sequence[Any]) -> None:
    """Refuse a second value for an option that takes one: it would hide the first in silence."""
    for option, times in Counter(order).items():
        if times > 1 and isinstance(option, TyperOption) and not _takes_more(option):
            name = max(option.opts, key=len)
            raise UsageError(f"{name} is given more than once; it takes one value")


def _takes_more(option: TyperOption) -> bool:
    return option.multiple or option.is_flag  # to repeat a flag does no harm


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


class LateGroup(_Ours, TyperGroup):
    """The group of all commands, which loads the one that is called and no other."""

    def __init__(self, **settings: Any) -> None:
        settings["commands"] = _Commands()
        super().__init__(**settings)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called; raises `UsageError` where there is none."""
        name = args[0]
        if name not in self.commands:
            if name[:1].isdigit() or NEGATIVE.match(name):
                raise UsageError(f"'{name}' is no command; write gelu table {name}")
            if names_form(name):
                raise UsageError(f"'{name}' is a form, no command; write gelu forms {name}")
            raise unknown("command", name, self.commands)
        return super().resolve_command(ctx, args)

    def help_in(self, ctx: Any, columns: int) -> str:
        """Return the help for a screen of so many columns, for which no command need be built."""
        from gelu_cli.cli.manual.help import program_help
        from gelu_cli.cli.manual.program import options_of, text_of

        commands = tuple((name, _first_line(name)) for name in self.commands)
        return program_help(text_of(self), options_of(self), commands, columns)


@cache
def _command(name: str) -> Any:
    app = typer.Typer(**SETTINGS)
    function = _function(name)
    app.command(cls=NumberCommand, help=docstring(function))(_ungrouped(function))
    command: Any = typer.main.get_command(app)
    command.entries = _entries(function)
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
