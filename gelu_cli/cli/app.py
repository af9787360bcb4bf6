"""The program `gelu`: where it begins, and where every error ends as one line."""

from __future__ import annotations

import errno
import io
import sys
from typing import Annotated

import typer

import gelu_cli
from gelu_cli.cli.output.messages import abandon, complain
from gelu_cli.cli.output.spelling import SPELLED
from gelu_cli.cli.parser import SETTINGS, LateGroup, docstring
from gelu_cli.environment import standard_environment
from gelu_cli.errors import GeluError, OutputError

OUR_MISTAKE = 70
"""EX_SOFTWARE of sysexits.h."""

app = typer.Typer(cls=LateGroup, **SETTINGS)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gelu {gelu_cli.__version__}")
        raise typer.Exit


def gelu(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Numerical analysis of the GELU activation, GELU(x) = x·Φ(x): every digit is right.

    gelu table -3 -1 0 0.5 1 3
    """


app.callback(help=docstring(gelu))(gelu)


def run(words: list[str]) -> int:
    """Run one command line and return its exit code; nothing but a line on stderr tells why."""
    if sys.stdout is None:
        sys.stdout = _Closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED)
    try:
        with standard_environment():
            command = typer.main.get_command(app)
            code = command.main(words or ["--help"], "gelu", standalone_mode=False)
            sys.stdout.flush()
            return int(code or 0)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    """Return the exit code for an error, and say on stderr what it is about."""
    if isinstance(error, typer.TyperException):
        return complain(_with_remedy(error), error.exit_code)
    if isinstance(error, GeluError):
        return complain(str(error), error.exit_code)
    if isinstance(error, BrokenPipeError):
        abandon(1)
        return 0
    if isinstance(error, OSError):
        abandon(1)
        return complain(f"cannot write the output: {error.strerror}", OutputError.exit_code)
    # A mistake of ours ends as one line as well.
    return complain(
        f"internal error, please report it: {type(error).__name__}: {error}", OUR_MISTAKE
    )


def _with_remedy(error: typer.TyperException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "the command's"
    return f"{message}; see {command} --help"


class _Closed(io.TextIOBase):
    """Stands for a stdout that was closed before the program began."""

    @property
    def buffer(self) -> _Closed:
        """The same for bytes."""
        return self

    def write(self, text: str | bytes) -> int:
        raise OSError(errno.EBADF, "stdout is closed")
