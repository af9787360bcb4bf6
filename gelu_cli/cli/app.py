"""The program `gelu`: where it begins, and where every error ends as one line."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Annotated

import typer

import gelu_cli
from gelu_cli.cli.output.spelling import SPELLED
from gelu_cli.cli.parser import SETTINGS, LateGroup
from gelu_cli.errors import GeluError

app = typer.Typer(cls=LateGroup, **SETTINGS)

LONGEST_MESSAGE = 600


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gelu {gelu_cli.__version__}")
        raise typer.Exit


@app.callback()
def gelu(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Numerical analysis of the GELU activation, GELU(x) = x·Φ(x): every digit is right.

    gelu table -3 -1 0 0.5 1 3
    """


def run(words: list[str]) -> int:
    """Run one command line and return its exit code; nothing but a line on stderr tells why."""
    if sys.stdout is None:
        sys.stdout = _Closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED)
    try:
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
        return _complain(_with_remedy(error), error.exit_code)
    if isinstance(error, GeluError):
        return _complain(str(error), error.exit_code)
    if isinstance(error, BrokenPipeError):
        _abandon(1)
        return 0
    if isinstance(error, OSError):
        _abandon(1)
        return _complain(f"cannot write the output: {error.strerror}", 1)
    # A mistake of ours ends as one line as well.
    return _complain(f"internal error, please report it: {type(error).__name__}: {error}", 1)


def _with_remedy(error: typer.TyperException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "the command's"
    return f"{message}; see {command} --help"


def _complain(message: str, code: int) -> int:
    # A word of the user's may hold anything, also what a terminal would obey.
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
    if len(line) > LONGEST_MESSAGE:
        line = f"{line[: LONGEST_MESSAGE // 2]} … {line[-LONGEST_MESSAGE // 2 :]}"
    try:
        if sys.stderr is not None:
            print(f"gelu: {line}", file=sys.stderr, flush=True)
    except OSError:  # a full disk: the exit code alone has to tell
        _abandon(2)
    return code


class _Closed(io.TextIOBase):
    """Stands for a stdout that was closed before the program began."""

    @property
    def buffer(self) -> _Closed:
        """The same for bytes."""
        return self

    def write(self, text: str | bytes) -> int:
        raise OSError(errno.EBADF, "stdout is closed")


def _abandon(descriptor: int) -> None:
    """Let what could not be written go, so that Python does not try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
