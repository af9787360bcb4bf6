"""Arguments and options that commands share, each an annotated type.

Every value is a string here: the function that a command calls parses it, and takes numbers and
arrays from Python as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Annotated, Any, TypeAlias

from typer import Argument, Option

from gelu_cli.output.tables import RENDERERS, SUFFIXES
from gelu_cli.output.writer import PICTURES

POINTS, INPUTS, OUTPUT = "Points", "Inputs", "Output"
Text: TypeAlias = str | None
Texts: TypeAlias = list[str] | None


def completer(list_names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Make a function that completes the last name of a list with commas."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in list_names() if name.startswith(last)]

    return complete


def words(*names: str) -> Callable[[str], list[str]]:
    """Make a function that completes one of these names."""
    return completer(lambda: names)


def view(*names: str, help: str = "") -> Any:
    """Make the option --view of a command; the first name is the default."""
    return Option(
        "--view",
        metavar="VIEW",
        rich_help_panel=OUTPUT,
        autocompletion=words(*names, "all"),
        help=help or f"{', '.join(names)}, or all (not in CSV).",
    )


def asked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the arguments of a command without those on output."""
    of_output = ("view", "format", "output", "digits", "quiet")
    return {name: value for name, value in given.items() if name not in of_output}


def _imported(module: str, attribute: str) -> list[str]:
    """Import a module, and list the names that an attribute of it holds."""
    known = getattr(import_module(module), attribute)
    return list(known() if callable(known) else known)


def make_option(
    panel: str | None,
    name: str,
    metavar: str,
    help: str,
    complete: Callable[[str], list[str]] | None = None,
    short: str | None = None,
) -> Any:
    """Make an option of a panel of --help."""
    how: Any = {"metavar": metavar, "help": help, "rich_help_panel": panel}
    return Option(*filter(None, (name, short)), **how, autocompletion=complete)


option = partial(make_option, None)
of_points = partial(make_option, POINTS)
of_output = partial(make_option, OUTPUT)

form_names = completer(lambda: _imported("gelu_cli.formulas", "all_forms"))
format_names = completer(lambda: _imported("gelu_cli.numbers", "FORMATS"))
routine_names = completer(lambda: _imported("gelu_cli.kernels", "ROUTINES"))


Points = Annotated[
    Texts,
    Argument(
        metavar="X",
        show_default=False,
        help="Numbers (-3 .5 1/3 2^-126 0x1p-3 inf), ranges (-4:4:0.5, 0:1:/100), or - for stdin.",
    ),
]
Input = Annotated[
    Text,
    of_points("--input", "FILE", "Read x from text, CSV, TSV, Markdown, JSON or .npy; - is stdin."),
]
Column = Annotated[Text, of_points("--column", "NAME", "Column of x, if not 'x'.")]
FORMS = "Forms, with parameters as in tanh:c=0.044; gelu forms lists them."
Forms = Annotated[list[str], option("--form", "F,...", FORMS, form_names)]
Target = Annotated[str, option("--target", "F", "Form that errors are taken from.", form_names)]
FORMATS = "float64, float32, float16, bfloat16, float8_e4m3fn or float8_e5m2."
ROUND = f"Round x and results to {FORMATS}"
Dtype = Annotated[Text, option("--dtype", "FORMAT", ROUND, format_names)]
Mean = Annotated[str, option("--mean", "M", "Mean of the inputs X ~ N(M, S²).")]
Sigma = Annotated[str, option("--sigma", "S", "Standard deviation of the inputs X ~ N(M, S²).")]
Range = Annotated[str, option("--range", "A:B", "Interval of x; -inf:inf is the real axis.")]

*FIRST, LAST = RENDERERS
RENDERED = f"{', '.join(FIRST)} or {LAST}. Default:"
TO_STDOUT = "table on a terminal, csv in a pipe."
FORMAT = f"{RENDERED} the suffix of FILE; {TO_STDOUT}"
FILE = f"Write FILE ({' '.join(SUFFIXES)}), whole or not at all."
PICTURE = f"Write FILE ({' '.join(SUFFIXES)}; a picture: {' '.join(PICTURES)})."
DIGITS = "Significant digits, each right. Default: 6 for people, else the shortest float64."
formats = words(*RENDERERS)
Format = Annotated[Text, of_output("--format", "FORMAT", FORMAT, formats, "-f")]
File = Annotated[Text, of_output("--output", "FILE", FILE, None, "-o")]
PictureFile = Annotated[Text, of_output("--output", "FILE", PICTURE, None, "-o")]
Digits = Annotated[Text, of_output("--digits", "N", DIGITS, None, "-d")]
Quiet = Annotated[
    bool,
    Option("--quiet", "-q", rich_help_panel=OUTPUT, help="No notes and no progress on stderr."),
]
