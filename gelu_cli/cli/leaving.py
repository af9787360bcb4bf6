"""The options that say how an answer leaves: format, file, views, what a picture is like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.arithmetic.typed import MOST_DIGITS
from gelu_cli.cli import choices, sections
from gelu_cli.cli.entries import Entry, Group, flag, option
from gelu_cli.cli.given import Given
from gelu_cli.cli.input import words
from gelu_cli.cli.output.looks import LookWords
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.cli.output.destinations import Destination
    from gelu_cli.cli.output.reports import Output


class OutputWords(NamedTuple):
    """What the output options say, not yet checked against one another."""

    format_name: str
    path: str | None
    no_header: bool = False
    digits: int | None = None
    quiet: bool = False
    look: LookWords = LookWords()


def format_name(names: Callable[[], choices.Choices], help: str) -> Any:
    """Return the option --format, one of some names."""
    return option(
        "auto",
        "--format",
        "-f",
        metavar="FORMAT",
        parser=words.under("--format", words.one_of("format", names, choices.formats_by_suffix)),
        autocompletion=names,
        help=help,
    )


def _path(and_more: str = "") -> Any:
    """Return the option --output."""
    return option(
        None,
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write to FILE, in the format that its suffix names; csv if it has none.{and_more}",
    )


LOOK: dict[str, Entry] = {
    "title": option(
        None, "--title", metavar="TEXT", section=sections.PICTURE, help="Title of the picture."
    ),
    "size": option(
        None,
        "--size",
        metavar="WxH",
        section=sections.PICTURE,
        parser=words.parse_size,
        help="Size of the picture: inches in a file (7x4.6), columns and lines as text (80x24).",
    ),
    "dpi": option(
        None,
        "--dpi",
        metavar="N",
        section=sections.PICTURE,
        parser=words.whole("--dpi", 10, 2400),
        help="Dots per inch of a PNG. Default: 150.",
    ),
    "theme": option(
        None,
        "--theme",
        metavar="THEME",
        section=sections.PICTURE,
        parser=words.under("--theme", words.one_of("theme", choices.themes)),
        autocompletion=choices.themes,
        help="Colours of a picture in a file: {themes}. Default: light.",
    ),
    "y_range": option(
        None,
        "--y-range",
        metavar="A:B",
        section=sections.PICTURE,
        parser=words.parse_y_range,
        help="The y from A to B. Default: as far as the curves go.",
    ),
}
"""What a picture looks like."""


def with_look(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls another one with what the options of a look say as `look`."""

    def made(**settings: Any) -> Any:
        look = LookWords(**{name: settings.pop(name) for name in LOOK})
        return make(**settings, look=look)

    return made


QUIET: Any = flag("--quiet", "-q", help="No progress, no notes.")
OUTPUT_ENTRIES: dict[str, Entry] = {
    "format_name": format_name(
        choices.formats_of_kernels,
        "Output format: {formats_of_kernels}, or a suffix such as md. auto: table on a "
        "terminal, csv otherwise.",
    ),
    "path": _path(" .json is the whole record, .html a page, .xml JUnit's report."),
    "no_header": flag("--no-header", help="csv and tsv without header."),
    "digits": option(
        None,
        "--digits",
        "-d",
        metavar="N",
        parser=words.whole("--digits", 1, MOST_DIGITS),
        help="Significant digits, each right; above 17 from the numbers as typed. "
        "Default: 6 in tables to read, elsewhere as many as identify the float64.",
    ),
    "quiet": QUIET,
}
OUTPUT_WORDS: Any = Group(
    with_look(OutputWords), {**OUTPUT_ENTRIES, **LOOK}, section=sections.OUTPUT
)
"""For an answer that may be a picture."""


def _output(**settings: Any) -> Output:
    from gelu_cli.cli.output.reports import choose_output

    return choose_output(*OutputWords(**settings))


OUTPUT: Any = Group(
    _output,
    {
        **OUTPUT_ENTRIES,
        "format_name": format_name(
            choices.formats,
            "Output format: {formats}, or a suffix such as md. auto: table on a terminal, csv "
            "otherwise.",
        ),
        "path": _path(),
    },
    section=sections.OUTPUT,
)
OUTPUT_OF_FITS: Any = Group(
    OutputWords,
    {**OUTPUT.entries, "path": _path(" .c and .py are programs of --view code.")},
    section=sections.OUTPUT,
)
OUTPUT_OF_NAMES: Any = Group(
    _output, {name: entry for name, entry in OUTPUT.entries.items() if name != "digits"}
)
"""For an answer without numbers."""


def view(views: Callable[[], choices.Choices], help: str) -> Any:
    """Return the option --view, for a command with several tables."""
    return option(
        None,
        metavar="VIEW",
        section=sections.OUTPUT,
        parser=words.under("--view", words.one_of("view", views)),
        autocompletion=views,
        help=help,
    )


_PICTURE_TOO = "plot is a picture, drawn for -o FILE.svg and its like as well."
SWEEP_VIEW: Any = view(
    choices.sweep_views,
    f"Which table: {{sweep_views}}. A terminal shows all tables; {_PICTURE_TOO}",
)
CHECK_VIEW: Any = view(
    choices.check_views,
    f"Which table: {{check_views}}. A terminal shows all tables; {_PICTURE_TOO}",
)


def views_shown(destination: Destination, tables: Sequence[str], view: str | None) -> Sequence[str]:
    """Return which tables of an answer are shown, or its picture."""
    from gelu_cli.cli.output.destinations import Picture
    from gelu_cli.cli.output.reports import Output

    if isinstance(destination, Output):
        return destination.shown(tables, view)
    if isinstance(destination, Picture):
        return ["plot"]
    return tables[:1] if destination.renderer.first else tables


def refuse_other_views(given: Given, destination: Destination, view: str | None) -> None:
    """Raise `UsageError` for an option that the tables or the picture of a sweep do not use."""
    from gelu_cli.answers.sweep import TABLES

    needs = {name: table.needs for name, table in TABLES.items()}
    tables = [name for name, option in needs.items() if not option or option in given.names]
    needed = needs.get(view or "", "")
    if needed and view not in tables:
        raise UsageError(f"--view {view} has what {needed} finds; add {needed}")
    refuse_views_without(given, destination, view, tables)


def refuse_views_without(
    given: Given, destination: Destination, view: str | None, tables: Sequence[str]
) -> None:
    """Raise `UsageError` for an option that none of the tables shown uses, nor the picture."""
    used_by = {
        "--worst": [name for name in tables if name in ("worst", "shapes")],
        "--ftz": [name for name in (*tables, "plot") if name != "criteria"],
        "--criteria": [name for name in tables if name == "criteria"],
        "--digits": [name for name in tables if name != "histogram"],
        "--no-header": tables,
    }
    given.refuse_other_views(views_shown(destination, tables, view), used_by)
