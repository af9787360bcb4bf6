"""A command, made of a function whose defaults are options and whose docstring is the help."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getsource, signature
from typing import Any

import click

from gelu_cli.errors import UsageError
from gelu_cli.old.cli.argv import SHIELD, Line
from gelu_cli.old.cli.parameters import (
    GIVEN,
    HELP,
    HELP_ALL,
    QUESTION,
    Argument,
    Declared,
    Given,
    Group,
    Option,
)
from gelu_cli.old.reading.files import is_left_unread
from gelu_cli.old.writing.messages import note


class Command(click.Command):
    """A command, made of a function whose defaults are options, and whose docstring is the help.

    Its arguments may be negative numbers, anywhere on the line.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self._function = function
        self._defaults = {
            name: each.default for name, each in signature(function).parameters.items()
        }
        declared: dict[str, Any] = {}
        for name, default in self._defaults.items():
            if isinstance(default, Group):
                declared |= default.options
            elif default is not GIVEN:
                declared[name] = default.under(default.section or QUESTION)
        super().__init__(
            function.__name__,
            params=[*(each.changed(name=name) for name, each in declared.items()), HELP, HELP_ALL],
            help=docstring(function),
            add_help_option=False,
            context_settings={"allow_extra_args": True},
        )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse a command line; raises `UsageError` for a word that there is no place for."""
        rest = super().parse_args(ctx, [*Line(ctx, self.place_of).words(args)])
        if rest and not ctx.resilient_parsing:
            word = rest[0].removeprefix(SHIELD)
            arguments = [each for each in self.params if isinstance(each, Argument)]
            taken = f"one {arguments[0].metavar}" if arguments else "options alone"
            remedy = self.place_of(word) or f"{ctx.command_path} takes {taken}"
            raise UsageError(f"unexpected '{word}'; {remedy}")
        return rest

    def place_of(self, word: str) -> str | None:
        """Return what to write where a word is one that an option takes."""
        for each in self.params:
            if isinstance(each, Option):
                taken = {name for name, _ in each.offered()}
                if all(part.partition(":")[0] in taken for part in word.split(",")):
                    return f"write {each.label} {word}"
        return None

    def invoke(self, ctx: Any) -> None:
        """Run the command, and say so where it has left data on stdin that it could have read."""
        values, arguments = ctx.params, {}
        for name, default in self._defaults.items():
            if isinstance(default, Group):
                arguments[name] = default.of(values)
            else:
                arguments[name] = self._given(ctx) if default is GIVEN else values[name]
        self._function(**arguments)
        ways = [
            " ".join([*each.names, "-"])
            for each in self.params
            if isinstance(each, Declared) and each.reads_stdin
        ]
        if ways and not values["quiet"] and is_left_unread():
            note(f"stdin holds data that was not read; {' or '.join(ways)} reads it")

    def _given(self, ctx: Any) -> Given:
        """Return what is given, in the order of the help."""
        return Given([
            each.label
            for each in self.params
            if isinstance(each, Declared) and ctx.params.get(each.name) not in ((), [], None)
            and ctx.get_parameter_source(each.name).name == "COMMANDLINE"
        ])  # fmt: skip

    def get_help(self, ctx: Any, whole: bool = False) -> str:
        """Return the help as it is printed next: the options most used, or all."""
        from gelu_cli.old.cli.manual.help import help_of
        from gelu_cli.old.cli.manual.program import described

        return help_of(described(self), whole=whole)


def docstring(function: Callable[..., None]) -> str:
    """Return the docstring of a function, read from its file where Python runs without (-OO)."""
    if function.__doc__ is not None:
        return function.__doc__
    import ast

    (written,) = ast.parse(getsource(function)).body
    return ast.get_docstring(written) or ""  # type: ignore[arg-type]
