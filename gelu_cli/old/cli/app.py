"""The program `gelu`: its commands, and where every error ends as one line."""

from __future__ import annotations

import io
import sys
from functools import cache
from importlib import import_module
from typing import Any, TextIO, cast

import click

import gelu_cli
from gelu_cli.errors import (
    INTERRUPTED,
    OUR_MISTAKE,
    ComputationError,
    GeluError,
    OutputError,
    UsageError,
    described,
    refused,
    unknown,
)
from gelu_cli.old.cli import commands
from gelu_cli.old.cli.argv import NEGATIVE, SHIELD, Line
from gelu_cli.old.cli.command import Command, docstring
from gelu_cli.old.cli.parameters import HELP, HELP_ALL, showing
from gelu_cli.old.environment import standard_environment
from gelu_cli.old.reading.names import names_form
from gelu_cli.old.registry import module_names
from gelu_cli.old.writing.messages import complain, kept_stderr, say
from gelu_cli.old.writing.pager import settle
from gelu_cli.old.writing.streams import SPELLED, ClosedStream, Stdout

FIRST = (
    "table", "error", "locate", "variance", "fit", "block", "sweep", "compare", "check",
    "identify", "plot", "forms",
)  # fmt: skip
"""The order in which one would ask; other commands follow by name."""


def _function(name: str) -> Any:
    return getattr(import_module(f"{commands.__name__}.{name}"), name)


class Program(click.Group):
    """The group of all commands, which loads the one that is called and no other."""

    def list_commands(self, ctx: Any = None) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        names = module_names(commands.__path__)
        return [*filter(names.__contains__, FIRST), *sorted(set(names) - set(FIRST))]

    @cache  # noqa: B019 (there is one program)
    def command(self, name: str) -> Command:
        """Return the command of that name; raises `UsageError` where there is none."""
        names = self.list_commands()
        if name in names:
            return Command(_function(name))
        if name[:1].isdigit() or NEGATIVE.match(name):
            raise UsageError(f"'{name}' is no command; write gelu table {name}")
        if names_form(name):
            raise UsageError(f"'{name}' is a form, no command; write gelu forms {name}")
        raise unknown("command", name, names)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command, or raise `UsageError`."""
        words = [*Line(ctx, lambda word: None).words(args)]
        if words[0] in ("--version", "-V") and len(words) > 1:
            raise UsageError(f"unexpected '{words[1]}'; gelu {words[0]} stands alone")
        return super().parse_args(ctx, words)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str, Command, list[str]]:
        """Return the command that is called, and the words that follow it."""
        name = args[0].removeprefix(SHIELD)
        return name, self.command(name), args[1:]

    def summaries(self) -> tuple[tuple[str, str], ...]:
        """Return the first line of the help of each command, for which none need be built."""
        names = self.list_commands()
        return tuple((name, docstring(_function(name)).partition("\n")[0]) for name in names)

    def get_help(self, ctx: Any, whole: bool = False) -> str:
        """Return the help as it is printed next, with the pages of the manual if it is whole."""
        from gelu_cli.old.cli.manual.guides import guides
        from gelu_cli.old.cli.manual.help import help_of_program
        from gelu_cli.old.cli.manual.program import described

        return help_of_program(described(self), self.summaries(), guides() if whole else ())


def gelu() -> None:
    """Numerical analysis of the GELU activation, GELU(x) = x·Φ(x): every digit is right.

    Examples:

      gelu table -3 -1 0 0.5 1 3

      gelu error --form tanh

      gelu sweep erf_sum --dtype bfloat16

    Forms are GELU and its relatives: tanh and sigmoid approximate it, ReLU and SiLU replace it. A
    kernel is code that computes one of them in floating point.

    gelu help COMMAND tells more of a command; guides, such as gelu help lesson, are listed by
    gelu help.
    """


VERSION: Any = showing(
    "--version",
    "-V",
    shown=lambda context: f"gelu {gelu_cli.__version__}",
    help="Show the version.",
)
app = Program("gelu", params=[VERSION, HELP, HELP_ALL], help=docstring(gelu), add_help_option=False)


def run(words: list[str]) -> int:
    """Run one command line and return its exit code; nothing but a line on stderr tells why."""
    if sys.stdout is None:
        sys.stdout = ClosedStream()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED)
    stdout, sys.stdout = sys.stdout, cast("TextIO", Stdout(sys.stdout))
    with kept_stderr():
        try:
            with standard_environment():
                code = _called(words or ["--help"])
                settle()
                sys.stdout.flush()
                return code
        except KeyboardInterrupt:
            return INTERRUPTED
        except BaseException as error:
            return _failed(error)
        finally:
            settle()
            sys.stdout = stdout


def _called(words: list[str]) -> int:
    if words[0] == "__complete":  # a shell asks, at a press of Tab
        from gelu_cli.old.cli.manual.completion import completions

        for word, meaning in completions(words[1:] or [""]):
            print("\t".join(filter(None, (word, meaning))))
        return 0
    try:
        with app.make_context("gelu", words) as context:
            app.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return 0


def _failed(error: BaseException) -> int:
    """Return the exit code for an error, and say on stderr what it is about."""
    if isinstance(error, click.ClickException):
        return complain(_with_remedy(error), error.exit_code)
    if isinstance(error, OSError):
        error = refused(error)
    if isinstance(error, ComputationError):
        for line in error.said:
            say(line)
    if isinstance(error, OutputError) and isinstance(error.__cause__, BrokenPipeError):
        return 0  # the reader has seen enough
    if isinstance(error, GeluError):
        return complain(str(error), error.exit_code)
    if isinstance(error, MemoryError):
        return complain("not enough memory", ComputationError.exit_code)
    # A mistake of ours ends as one line as well.
    return complain(f"internal error, please report it: {described(error)}", OUR_MISTAKE)


def _with_remedy(error: click.ClickException) -> str:
    """Return what click says in our style; most lines that cannot be meant `Line` has refused."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "the command's"
    return f"{message[:1].lower()}{message[1:]}; see {command} --help"
