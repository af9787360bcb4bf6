"""The options that commands share, each with the values it takes, and groups of them.

An option becomes a typed value where it enters: its `parser` makes the value, or says in one line
why it cannot. A `Group` makes one value of several options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from gelu_cli.cli import choices, sections
from gelu_cli.cli.given import Given
from gelu_cli.cli.input import words
from gelu_cli.cli.judging import Judging
from gelu_cli.cli.output.looks import LookWords
from gelu_cli.errors import GeluError, UsageError

if TYPE_CHECKING:
    from gelu_cli.cli.output.reports import Output
    from gelu_cli.cli.output.verdicts import Destination
    from gelu_cli.forms import Form

MOST_DIGITS = 10_000
MOST_JOBS = 1024
MOST_WORST = 1000


class Entry:
    """An option or argument as typer has it, and the annotation that tells typer its kind."""

    def __init__(
        self,
        info: Any,
        annotation: Any,
        *,
        section: str = "",
        aimed: bool = False,
        listed: bool = False,
    ) -> None:
        self.info = info
        self.annotation = annotation
        self.section = section
        """The heading under which it stands in the help, that of its group if it has none."""
        self.aimed = aimed
        """Whether it may be said for one of several kernels, as in --device:a."""
        self.listed = listed
        """Whether a comma separates two of its values, as in --form exact,tanh."""

    def under(self, section: str) -> Entry:
        """Return it under a heading, its own if it has one."""
        entry = copy(self)
        entry.section = self.section or section
        return entry


class Group:
    """Options that make one value: `make` is called with the value of each by its name."""

    def __init__(
        self,
        make: Callable[..., Any],
        entries: Mapping[str, Entry],
        *,
        section: str = sections.QUESTION,
    ) -> None:
        self.make = make
        self.entries = {name: entry.under(section) for name, entry in entries.items()}


class RefusedError(GeluError):
    """A word that its parser refuses; of a ValueError, as `UsageError` is, typer words another."""

    exit_code = UsageError.exit_code


def _refusing(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def parser(word: str) -> Any:
        try:
            return parse(word)
        except UsageError as error:
            raise RefusedError(str(error)) from None

    return parser


def option(
    default: str | None,
    *names: str,
    parser: Callable[[str], Any] | None = None,
    many: bool = False,
    text: bool = False,
    metavar: str = "",
    section: str = "",
    **settings: Any,
) -> Any:
    """Return an option with one word, or with any number of them, repeated or in a list.

    In a `text` a comma is a sign like others: it makes no list.
    """
    listed = many and not text
    settings |= {"metavar": f"{metavar},..." if listed else metavar}
    info = typer.Option(default, *names, parser=_refusing(parser) if parser else None, **settings)
    annotation = list[str] | None if many else str | None
    return Entry(info, annotation, section=section, listed=listed)


class Aimed(NamedTuple):
    """The value of an option, and what follows the colon of its name, if anything does."""

    suffix: str | None
    value: Any


AIM = "\0"
"""It ends such a suffix in the word of an option; no argument of a process can hold it."""


def aimed(entry: Entry, help: str | None = None) -> Entry:
    """Return an option that may be said for all kernels or, each time, for one of them.

    Its values are `Aimed`. Its help is that of the option it is made of, if no other is given.
    """
    parser: Callable[[str], Any] = entry.info.parser or str

    def parse(word: str) -> Aimed:
        suffix, separator, value = word.rpartition(AIM)
        return Aimed(suffix if separator else None, parser(value))

    info = copy(entry.info)
    info.parser, info.help = parse, help or info.help
    return Entry(info, list[str] | None, section=entry.section, aimed=True)


def flag(*names: str, section: str = "", **settings: Any) -> Any:
    """Return an option without a word."""
    return Entry(typer.Option(False, *names, **settings), bool, section=section)


def argument(
    many: bool = False, *, parser: Callable[[str], Any] | None = None, **settings: Any
) -> Any:
    """Return an argument, which may be left out, or any number of them."""
    info = typer.Argument(None, parser=_refusing(parser) if parser else None, **settings)
    return Entry(info, list[str] | None if many else str | None)


GIVEN: Any = Group(Given.in_context, {"context": Entry(None, typer.Context)})
"""No option: typer's context tells a command what is given, and what is a default."""


class PointWords(NamedTuple):
    """Where points come from: words of the command line, or a file and a column of it."""

    words: Sequence[str]
    source: str | None
    column: str | None

    @property
    def given(self) -> bool:
        """Whether there are any."""
        return bool(self.words) or self.source is not None or self.column is not None

    def or_piped(self) -> PointWords:
        """Return the same, or stdin where there are none and somebody pipes some in."""
        from gelu_cli.cli.input.streams import comes_in

        return self if self.words or self.source or not comes_in() else self._replace(words=["-"])


COLUMN: Any = option(
    None,
    "--column",
    metavar="NAME",
    section=sections.INPUTS,
    help="The column of a CSV with a header that has x.",
)
POINTS: Any = Group(
    lambda points, source, column: PointWords(points or (), source, column),
    {
        "points": argument(
            many=True,
            metavar="[X]...",
            help="Numbers (-3, .5, 1/3, pi/2, 2^-126, inf), ranges START:STOP:STEP or "
            "START:STOP:/N (N points, both ends), or - for stdin.",
        ),
        "source": option(
            None, "--input", metavar="FILE", help="Read points from a text, CSV or .npy file."
        ),
        "column": COLUMN,
    },
    section=sections.INPUTS,
)


def _distinct_forms(form: Sequence[Form] | None) -> list[Form]:
    return list({each.label: each for each in form or ()}.values())


def forms(default: str) -> Any:
    """Return the option --form, any number of forms, each once."""
    entry = option(
        None,
        "--form",
        many=True,
        metavar="F[:PARAM=VALUE]",
        parser=words.under("--form", words.parse_form),
        autocompletion=choices.forms_by_any_name,
        help="Forms, with commas or repeated: {forms}. `gelu forms` tells more. "
        f"Default: {default}.",
    )
    return Group(_distinct_forms, {"form": entry})


def target(default: str | None, help: str) -> Any:
    """Return the option --target, whose default is the name of a form."""
    return option(
        default,
        metavar="F",
        parser=words.under("--target", words.parse_form),
        autocompletion=choices.forms_by_any_name,
        help=help,
    )


def quantities(help: str) -> Any:
    """Return the option --show, any number of quantities, each once."""
    entry = option(
        None,
        many=True,
        metavar="QUANTITY",
        parser=words.under("--show", words.one_of("quantity", choices.quantities)),
        autocompletion=choices.quantities,
        help=help,
    )
    return Group(lambda show: list(dict.fromkeys(show or ())), {"show": entry})


def quantity(default: str | None, names: Callable[[], choices.Choices], help: str) -> Any:
    """Return the option --quantity, one of those that an answer has."""
    return option(
        default,
        "--quantity",
        metavar="QUANTITY",
        parser=words.under("--quantity", words.one_of("quantity", names)),
        autocompletion=names,
        help=help,
    )


def dtype(default: str | None, help: str, *, many: bool = False) -> Any:
    """Return the option --dtype, a format of numbers."""
    return option(
        default,
        many=many,
        metavar="FORMAT",
        parser=words.under("--dtype", words.parse_dtype),
        autocompletion=choices.dtypes,
        help=help,
    )


def dtypes(help: str) -> Any:
    """Return the option --dtype, any number of formats, each once."""
    entry = dtype(None, help, many=True)
    return Group(lambda dtype: list(dict.fromkeys(dtype or ())), {"dtype": entry})


def mean(help: str) -> Any:
    """Return the option --mean of a normal distribution."""
    return option("0", "--mean", metavar="M", parser=words.finite("--mean"), help=help)


def sigma(help: str) -> Any:
    """Return the option --sigma, its standard deviation."""
    return option("1", "--sigma", metavar="S", parser=words.finite("--sigma"), help=help)


def samples(least: int, help: str) -> Any:
    """Return the option --samples, how many numbers are drawn."""
    parser = words.whole("--samples", least, 10**9)
    return option(None, "--samples", metavar="N", parser=parser, help=help)


def seed(help: str) -> Any:
    """Return the option --seed of what is drawn."""
    return option(None, "--seed", metavar="K", parser=words.whole("--seed", 0, 10**18), help=help)


RESULT_FILE: dict[str, Any] = {
    "every": flag(
        "--all",
        section=sections.INPUTS,
        help="FILE has a result for every bit pattern of a 16- or 8-bit --dtype: .npy or raw.",
    ),
    "inputs": option(
        None,
        "--inputs",
        metavar="FILE",
        section=sections.INPUTS,
        help="Where x is, .npy or raw, if FILE has results alone; - for stdin.",
    ),
}
"""Where the inputs of results in a file are, if it does not say."""

RESULT: Any = option(
    None,
    "--result",
    metavar="FORMAT",
    parser=words.under("--result", words.parse_dtype),
    autocompletion=choices.dtypes,
    help="Number format of the results, if it is not that of x.",
)


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


def _jobs(jobs: int | None) -> int:
    from gelu_cli.parallel import available_cores

    return jobs or available_cores()


def jobs(help: str) -> Any:
    """Return the option --jobs, how many threads or processes share long work."""
    entry = option(None, metavar="N", parser=words.whole("--jobs", 1, MOST_JOBS), help=help)
    return Group(_jobs, {"jobs": entry}, section=sections.OTHER)


JUDGING: Any = Group(
    Judging,
    {
        "ftz": flag(
            "--ftz",
            help="Subnormal inputs and results may be flushed to 0: that is right as well.",
        ),
        "worst": option(
            None,
            metavar="N",
            parser=words.whole("--worst", 1, MOST_WORST),
            help="How many of the worst inputs to show. Default: 10.",
        ),
        "max_ulp": option(
            None,
            "--max-ulp",
            metavar="U",
            parser=words.parse_limit,
            help="Fail with exit code 1 if an error exceeds U ULP.",
        ),
        "budget": option(
            None,
            metavar="FILE",
            help="Fail with exit code 1 if a bound of this .toml file is exceeded.",
        ),
        "tighten": flag(
            "--tighten",
            help="Write what was found to --budget: lower bounds, and those of new kernels.",
        ),
        "criteria": flag(
            "--criteria", help="What other people's checks say of the same results: PCC, atol, …"
        ),
    },
    section=sections.JUDGING,
)


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
    from gelu_cli.cli.output.pictures import Picture
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
