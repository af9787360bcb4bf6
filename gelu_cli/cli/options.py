"""Arguments and options that commands share, each an annotated type.

Every value is a string here: the function that a command calls parses it, and takes numbers and
arrays from Python as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Annotated, Any

from typer import Argument, Option

POINTS, INPUTS, OUTPUT = "Points", "Inputs", "Output"


def completer(list_names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Make a function that completes the last name of a list with commas."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in list_names() if name.startswith(last)]

    return complete


def words(*names: str) -> Callable[[str], list[str]]:
    """Complete one of some words."""
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
    """Take the arguments of a command but those on output."""
    of_output = ("view", "format", "output", "digits", "quiet")
    return {name: value for name, value in given.items() if name not in of_output}


def _imported(module: str, attribute: str) -> list[str]:
    """List names that a module has; it is imported only to complete them."""
    known = getattr(import_module(module), attribute)
    return list(known() if callable(known) else known)


form_names = completer(lambda: _imported("gelu_cli.formulas", "all_forms"))
format_names = completer(lambda: _imported("gelu_cli.numbers", "FORMATS"))
routine_names = completer(lambda: _imported("gelu_cli.kernels", "ROUTINES"))


Points = Annotated[
    list[str] | None,
    Argument(
        metavar="X",
        show_default=False,
        help="Numbers (-3 .5 1/3 2^-126 0x1p-3 inf), ranges (-4:4:0.5, 0:1:/100), or - for stdin.",
    ),
]
Input = Annotated[
    str | None,
    Option(
        "--input",
        metavar="FILE",
        rich_help_panel=POINTS,
        help="Read x from text, CSV, TSV, Markdown, JSON or .npy; - is stdin.",
    ),
]
Column = Annotated[
    str | None,
    Option("--column", metavar="NAME", rich_help_panel=POINTS, help="Column of x, if not 'x'."),
]
Forms = Annotated[
    list[str],
    Option(
        "--form",
        metavar="F,...",
        autocompletion=form_names,
        help="Forms, with parameters as in tanh:c=0.044; gelu forms lists them.",
    ),
]
Target = Annotated[
    str,
    Option(
        "--target", metavar="F", autocompletion=form_names, help="Form that errors are taken from."
    ),
]
Dtype = Annotated[
    str | None,
    Option(
        "--dtype",
        metavar="FORMAT",
        autocompletion=format_names,
        help="float64, float32, float16, bfloat16, float8_e4m3fn or float8_e5m2.",
    ),
]
Mean = Annotated[str, Option("--mean", metavar="M", help="Mean of the inputs X ~ N(M, S²).")]
Sigma = Annotated[
    str, Option("--sigma", metavar="S", help="Standard deviation of the inputs X ~ N(M, S²).")
]
Range = Annotated[
    str, Option("--range", metavar="A:B", help="Interval of x; -inf:inf is the real axis.")
]

Format = Annotated[
    str | None,
    Option(
        "--format",
        "-f",
        metavar="FORMAT",
        rich_help_panel=OUTPUT,
        autocompletion=words("table", "csv", "json", "markdown", "latex"),
        help="table, csv, json, markdown or latex. Default: the suffix of FILE; "
        "table on a terminal, csv in a pipe.",
    ),
]
File = Annotated[
    str | None,
    Option(
        "--output",
        "-o",
        metavar="FILE",
        rich_help_panel=OUTPUT,
        help="Write FILE (.txt .csv .json .md .tex), whole or not at all.",
    ),
]
PictureFile = Annotated[
    str | None,
    Option(
        "--output",
        "-o",
        metavar="FILE",
        rich_help_panel=OUTPUT,
        help="Write FILE (.txt .csv .json .md .tex; a picture: .png .svg .pdf).",
    ),
]
Digits = Annotated[
    str | None,
    Option(
        "--digits",
        "-d",
        metavar="N",
        rich_help_panel=OUTPUT,
        help="Significant digits, each right. Default: 6 for people, else the shortest float64.",
    ),
]
Quiet = Annotated[
    bool,
    Option("--quiet", "-q", rich_help_panel=OUTPUT, help="No notes and no progress on stderr."),
]
