"""The program `gelu`: where it begins, and where every error ends as one line."""

from __future__ import annotations

import io
import sys
from typing import Annotated, TextIO, cast

import typer

import gelu_cli
from gelu_cli.cli.output.messages import complain, kept_stderr, say
from gelu_cli.cli.output.pager import settle
from gelu_cli.cli.output.streams import SPELLED, ClosedStream, Stdout
from gelu_cli.cli.parser import SETTINGS, LateGroup, docstring
from gelu_cli.environment import standard_environment
from gelu_cli.errors import (
    INTERRUPTED,
    OUR_MISTAKE,
    ComputationError,
    GeluError,
    OutputError,
    described,
    refused,
)

app = typer.Typer(cls=LateGroup, **SETTINGS)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gelu {gelu_cli.__version__}")
        raise typer.Exit


def gelu(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Numerical analysis of the GELU activation, GELU(x) = x·Φ(x): every digit is right.

    Examples:

      gelu table -3 -1 0 0.5 1 3

      gelu error --form tanh

      gelu sweep --routine erf_sum --dtype bfloat16

    Forms are GELU and its relatives: tanh and sigmoid approximate it, ReLU and SiLU replace it. A
    kernel is code that computes one of them in floating point.

    gelu help COMMAND tells more of a command, man gelu of all.
    """


app.callback(help=docstring(gelu))(gelu)


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
                command = typer.main.get_command(app)
                code = command.main(words or ["--help"], "gelu", standalone_mode=False)
                settle()
                sys.stdout.flush()
                return int(code or 0)
        except KeyboardInterrupt:
            return INTERRUPTED
        except BaseException as error:
            return _failed(error)
        finally:
            settle()
            sys.stdout = stdout


def _failed(error: BaseException) -> int:
    """Return the exit code for an error, and say on stderr what it is about."""
    if isinstance(error, typer.TyperException):
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


def _with_remedy(error: typer.TyperException) -> str:
    """Return what typer says in our style; most lines that cannot be meant `Line` has refused."""
    message = error.format_message().rstrip(".")
    message = message[:1].lower() + message[1:]
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "the command's"
    return f"{message}; see {command} --help"
