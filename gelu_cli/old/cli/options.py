"""The options that commands share, each with the values it takes, and groups of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.typed import MOST_DIGITS
from gelu_cli.old.cli import words
from gelu_cli.old.cli.choices import choices_of, formats_by_suffix
from gelu_cli.old.cli.parameters import (
    INPUTS,
    JUDGING,
    OTHER,
    OUTPUT,
    PICTURE,
    Given,
    Group,
    argument,
    count,
    distinct,
    flag,
    number,
    option,
)
from gelu_cli.old.parallel import available_cores
from gelu_cli.old.reading.files import comes_in
from gelu_cli.old.reading.names import Kept, parse_form
from gelu_cli.old.writing.asked import Asked, Judging

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.budgets import Budget
    from gelu_cli.old.sweeping.inputs import Inputs
    from gelu_cli.old.writing.destinations import Destination, Output

MOST_JOBS = 1024
MOST_WORST = 1000

# Forms, formats, quantities


def forms(*usual: str, default: str = "") -> Any:
    """Return the option --form, any number of forms, each once; the `usual` ones if none is named.

    Help has them, or another `default`.
    """
    return option(
        "--form",
        many=True,
        metavar="F[:PARAM=VALUE]",
        parse=parse_form,
        choices="forms_by_any_name",
        make=lambda forms: (
            list({each.label: each for each in forms}.values()) or list(map(parse_form, usual))
        ),
        help="Forms, with commas or repeated: {forms}. `gelu forms` tells more. "
        f"Default: {default or ', '.join(usual)}.",
    )


def target(default: str | None, help: str) -> Any:
    """Return the option --target, whose default is the name of a form."""
    return option(
        "--target",
        default=default,
        metavar="F",
        parse=parse_form,
        choices="forms_by_any_name",
        help=help,
    )


def quantities(help: str, names: str = "quantities") -> Any:
    """Return the option --quantity, any number of quantities, each once."""
    return option(
        "--quantity",
        "--show",
        many=True,
        metavar="QUANTITY",
        kind="quantity",
        choices=names,
        make=distinct,
        help=help,
    )


def quantity(default: str | None, names: str, help: str) -> Any:
    """Return the option --quantity, one of those that an answer has."""
    return option(
        "--quantity", "--show", default=default, metavar="QUANTITY", choices=names, help=help
    )


def number_format(name: str, help: str, *, default: str | None = None, many: bool = False) -> Any:
    """Return an option that takes a format of numbers, or several, each once."""
    return option(
        name,
        default=default,
        many=many,
        metavar="FORMAT",
        parse=words.parse_dtype,
        choices="dtypes",
        make=distinct if many else None,
        help=help,
    )


def dtype(default: str | None, help: str, *, many: bool = False) -> Any:
    """Return the option --dtype, a format of numbers."""
    return number_format("--dtype", help, default=default, many=many)


RESULT: Any = number_format("--result", "Number format of the results, if it is not that of x.")

# Distributions, samples, threads


def mean(help: str) -> Any:
    """Return the option --mean of a normal distribution."""
    return number("--mean", "M", help, "0")


def sigma(help: str) -> Any:
    """Return the option --sigma, its standard deviation."""
    return number("--sigma", "S", help, "1")


def samples(least: int, help: str) -> Any:
    """Return the option --samples, how many numbers are drawn."""
    return count("--samples", least, 10**9, help)


def seed(help: str) -> Any:
    """Return the option --seed of what is drawn."""
    return count("--seed", 0, 10**18, help, metavar="K")


def jobs(help: str) -> Any:
    """Return the option --jobs, how many threads or processes share long work."""
    return option(
        "--jobs",
        metavar="N",
        parse=words.whole("--jobs", 1, MOST_JOBS),
        make=lambda jobs: jobs or available_cores(),
        section=OTHER,
        help=help,
    )


# Points


COLUMN: Any = option(
    "--column",
    metavar="NAME",
    parse=words.parse_column,
    section=INPUTS,
    help="The column of a table that has x, by its name or its position.",
)


SKIP_UNREADABLE: Any = flag(
    "--skip-unreadable",
    section=INPUTS,
    help="Leave out cells and rows that cannot be read, and count them.",
)


KEEP: Any = option(
    "--keep",
    many=True,
    metavar="NAME",
    section=INPUTS,
    make=Kept,
    help="Columns of the table that are printed in front of the results, as they are.",
)


class PointWords(NamedTuple):
    """Where points come from: words of the command line, or a file and a column of it."""

    x: Sequence[str] = argument(
        "[X]...",
        "Numbers (-3, .5, 1/3, pi/2, 2^-126, inf), ranges START:STOP:STEP or "
        "START:STOP:/N (N points, both ends), or - for stdin.",
        reads_stdin=True,
    )
    source: str | None = option(
        "--input",
        metavar="FILE",
        reads_stdin=True,
        help="Read points from a text, a table (CSV, Markdown, JSON, Parquet), or .npy.",
    )
    column: str | None = COLUMN
    skips: bool = SKIP_UNREADABLE
    kept: Kept = KEEP

    @property
    def given(self) -> bool:
        """Whether there are any."""
        named = self.source is not None or self.column is not None
        return bool(self.x) or named or self.skips or bool(self.kept.wanted)

    def or_piped(self) -> PointWords:
        """Return the same, or stdin where there are none and somebody pipes some in."""
        return self if self.x or self.source or not comes_in() else self._replace(x=["-"])


POINTS: Any = Group(PointWords, section=INPUTS)

# Inputs of a format


class Selection(NamedTuple):
    """Which inputs of a format are taken: those of a range, all of them or a sample."""

    ends: words.Ends = option(
        "--range",
        default="-inf:inf",
        metavar="A:B",
        parse=words.parse_ascending_ends,
        help="Only inputs from A to B.",
    )
    every: bool = flag("--all", help="All float32s; 16- and 8-bit formats are always swept whole.")
    samples: int | None = count(
        "--samples",
        1,
        10**9,
        "Inputs of a float32 or float64 sample, half of them in -16:8. Default: 1000000.",
    )
    seed: int | None = count("--seed", 0, 2**63, "Seed of the sample. Default: 0.")
    infinities: bool = flag("--infinities", help="Inputs ±∞ and NaN as well.")

    def inputs(self, number_format: Format) -> Inputs:
        """Return which inputs are taken; raises `UsageError` for what cannot be meant."""
        from gelu_cli.old.sweeping.inputs import chosen_inputs

        low, high = map(float, self.ends)
        drawn = {"samples": self.samples, "seed": self.seed}
        return chosen_inputs(
            number_format, low, high, every=self.every, infinities=self.infinities, **drawn
        )


SELECTION: Any = Group(Selection, section=INPUTS)


ALL_RESULTS: Any = flag(
    "--all",
    section=INPUTS,
    help="FILE has a result for every bit pattern of a 16- or 8-bit --dtype: .npy or raw.",
)
INPUTS_OF_RESULTS: Any = option(
    "--inputs",
    metavar="FILE",
    section=INPUTS,
    help="Where x is, .npy or raw, if FILE has results alone; - for stdin.",
)

# Judging


def limit(name: str, metavar: str, help: str) -> Any:
    """Return an option that takes the most that a figure may be."""
    parse = words.finite(name, lambda most: most >= 0, "not be negative; give 0 or more")
    return option(name, metavar=metavar, parse=parse, help=help)


OF_JUDGING: dict[str, Any] = {
    "ftz": flag(
        "--ftz", help="Subnormal inputs and results may be flushed to 0: that is right as well."
    ),
    "worst": count("--worst", 1, MOST_WORST, "How many of the worst inputs to show. Default: 10."),
    "max_ulp": limit("--max-ulp", "U", "Fail with exit code 1 if an error exceeds U ULP."),
    "max_abs": limit("--max-abs", "E", "The same if |got − y| exceeds E."),
    "max_rel": limit("--max-rel", "E", "The same if |got − y|/|y| exceeds E at a normal y."),
    "max_noise": limit(
        "--max-noise",
        "R",
        "The same if the RMS error for X ~ N(M, S²) exceeds R times that of rounding.",
    ),
    "mean": option(
        "--mean",
        default="0",
        metavar="M",
        parse=words.finite("--mean"),
        make=float,
        help="The M of N(M, S²).",
    ),
    "sigma": option(
        "--sigma",
        default="1",
        metavar="S",
        parse=words.finite("--sigma", lambda s: s > 0, "be above 0; give a standard deviation"),
        make=float,
        help="The S of N(M, S²).",
    ),
    "budget": option(
        "--budget",
        metavar="FILE",
        help="Fail with exit code 1 if a bound of this .toml file is exceeded.",
    ),
    "tighten": flag(
        "--tighten",
        help="Write what was found to --budget: lower bounds, and those of new kernels.",
    ),
    "criteria": option(
        "--criteria",
        metavar="[rtol=R,atol=A]",
        parse=words.parse_criteria,
        help="What other people's checks say of the same results: PCC, atol, …, and your own.",
    ).changed(optional="[ra]tol="),
}
OF_FIGURES = ("--max-abs", "--max-rel", "--max-noise", "--mean", "--sigma")
HOW_JUDGED: Any = Group(Judging, OF_JUDGING, section=JUDGING)


def read_budget(judging: Judging, output: Asked) -> Budget | None:
    """Return the budget in a file, an empty one where --tighten is to make the file.

    Raises `UsageError`, which names file and line, for one that cannot be read or meant, and where
    the answer is to be written to the same file.

    >>> read_budget(Judging(tighten=True), Asked())
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: --tighten writes to a budget; add --budget FILE
    """
    path, tighten = judging.budget, judging.tighten
    if path is None:
        if tighten:
            raise UsageError("--tighten writes to a budget; add --budget FILE")
        return None
    from gelu_cli.old.budgets import current_budget, load_budget

    if not path or path == "-":
        raise UsageError("--budget needs the name of a file")
    if output.path and os.path.realpath(output.path) == os.path.realpath(path):
        raise UsageError(f"--output '{output.path}' is the file of --budget; name another one")
    if tighten and not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise UsageError(f"--budget '{path}': there is no such folder; make it first")
    return current_budget(path) if tighten else load_budget(path)


# Output


def format_name(names: str, help: str) -> Any:
    """Return the option --format, one of some names or a suffix that means one."""
    return option(
        "--format",
        "-f",
        default="auto",
        metavar="FORMAT",
        parse=words.one_of("format", lambda: choices_of(names), formats_by_suffix),
        choices=names,
        help=help,
    )


def _path(and_more: str = "") -> Any:
    """Return the option --output."""
    return option(
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write to FILE, in the format that its suffix names; csv if it has none.{and_more}",
    )


def view(names: str, help: str) -> Any:
    """Return the option --view, for a command with several tables."""
    return option("--view", metavar="VIEW", section=OUTPUT, choices=names, help=help)


LOOK: dict[str, Any] = {
    "title": option("--title", metavar="TEXT", help="Title of the picture."),
    "x_label": option("--x-label", metavar="TEXT", help="What is said below the picture."),
    "y_label": option("--y-label", metavar="TEXT", help="What is said of its heights."),
    "size": option(
        "--size",
        metavar="WxH",
        parse=words.parse_size,
        help="Size of the picture: inches in a file (7x4.6), columns and lines as text (80x24).",
    ),
    "dpi": count("--dpi", 10, 2400, "Dots per inch of a PNG. Default: 150."),
    "theme": option(
        "--theme",
        metavar="THEME",
        choices="themes",
        help="Colours of a picture in a file: {themes}. Default: light.",
    ),
    "y_range": option(
        "--y-range",
        metavar="A:B",
        parse=words.parse_y_range,
        help="The y from A to B. Default: as far as the curves go.",
    ),
}
"""What a picture looks like."""

QUIET: Any = flag("--quiet", "-q", help="No progress, no notes.")
OF_TABLES: dict[str, Any] = {
    "format_name": format_name(
        "formats",
        "Output format: {formats}, or a suffix such as md. auto: table on a terminal, csv "
        "otherwise.",
    ),
    "path": _path(),
    "no_header": flag("--no-header", help="csv and tsv without header."),
    "digits": option(
        "--digits",
        "-d",
        metavar="N",
        parse=words.whole("--digits", 1, MOST_DIGITS),
        help="Significant digits, each right; above 17 from the numbers as typed. "
        "Default: 6 in tables to read, elsewhere as many as identify the float64.",
    ),
    "quiet": QUIET,
}


def _tables(**settings: Any) -> Output:
    from gelu_cli.old.writing.destinations import choose_tables

    return choose_tables(Asked(**settings))


def output(view: Any = None) -> Any:
    """Return the output options of an answer in tables, with --view where there are several."""
    return Group(_tables, {**({"view": view} if view else {}), **OF_TABLES}, section=OUTPUT)


def output_of_kernels(views: str) -> Any:
    """Return the output options of an answer on kernels, which may be a picture or a document."""
    options = {
        "view": view(
            views,
            f"Which table: {{{views}}}. A terminal shows the answer in short; plot is a picture, "
            "drawn for -o FILE.svg and its like as well.",
        ),
        **OF_TABLES,
        "format_name": format_name(
            "formats_of_kernels",
            "Output format: {formats_of_kernels}, or a suffix such as md. auto: table on a "
            "terminal, csv otherwise.",
        ),
        "path": _path(" .json is the whole record, .html a page, .xml JUnit's report."),
        **{name: each.under(PICTURE) for name, each in LOOK.items()},
    }
    return Group(Asked, options, section=OUTPUT)


PICTURE_OUTPUT: Any = Group(
    Asked,
    {
        "format_name": format_name(
            "pictures", "Kind of picture: {pictures}. auto: text, or what the suffix of FILE says."
        ),
        "path": option(
            "--output", "-o", metavar="FILE", help="Write to FILE, whole or not at all."
        ),
        **LOOK,
        "quiet": QUIET,
    },
    section=OUTPUT,
)
OUTPUT_OF_FITS: Any = Group(
    Asked, {**OF_TABLES, "path": _path(" .c and .py are programs of --view code.")}, section=OUTPUT
)


def refuse_other_views(given: Given, destination: Destination, view: str | None) -> None:
    """Raise `UsageError` for an option that the tables or the picture of a sweep do not use."""
    from gelu_cli.old.answers.sweep import TABLES

    needs = {name: table.needs for name, table in TABLES.items()}
    tables = [name for name, option in needs.items() if not option or option in given.names]
    needed = needs.get(view or "", "")
    if needed and view not in tables:
        raise UsageError(f"--view {view} has what {needed} finds; add {needed}")
    refuse_views_without(given, destination, tables)


def refuse_views_without(given: Given, destination: Destination, tables: Sequence[str]) -> None:
    """Raise `UsageError` for an option that none of the tables shown uses, nor the picture."""
    used_by = {
        "--worst": [name for name in tables if name in ("worst", "shapes")],
        "--ftz": [name for name in (*tables, "plot") if name != "criteria"],
        "--criteria": [name for name in tables if name == "criteria"],
        "--digits": [name for name in tables if name != "histogram"],
        "--no-header": tables,
    }
    if not {"--max-noise", "--budget"} & {*given.names}:
        averages = [name for name in tables if name in ("summary", "profile")]
        used_by |= {"--mean": averages, "--sigma": averages}
    given.refuse_other_views(destination.shown(tables), used_by)
