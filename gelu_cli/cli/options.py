"""The options that every command has, and the words that options turn into things."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from gelu_cli.cli import choices
from gelu_cli.errors import UsageError, unknown

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.cli.input.numbers import Number
    from gelu_cli.forms import Form

T = TypeVar("T")

PointsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[X]...",
        help="Numbers (-3, .5, 1/3, 0x1.8p+1, inf), ranges START:STOP:STEP or "
        "START:STOP:/N (N points, both ends), or - for stdin.",
    ),
]
InputOption = Annotated[
    str | None,
    typer.Option("--input", metavar="FILE", help="Read points from a text, CSV or .npy file."),
]
ColumnOption = Annotated[
    str | None,
    typer.Option("--column", metavar="NAME", help="The column of a CSV with a header that has x."),
]
FormsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--form",
        metavar="F[:PARAM=VALUE]",
        autocompletion=choices.forms,
        help="Form, may be repeated: {forms}. `gelu forms` tells more.",
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        autocompletion=choices.formats,
        help="Output format: {formats}. auto: table on a terminal, csv otherwise.",
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE, whole or not at all; its suffix names the format, if none then csv.",
    ),
]
NoHeaderOption = Annotated[bool, typer.Option("--no-header", help="csv and tsv without header.")]
DigitsOption = Annotated[
    str | None,
    typer.Option(
        "--digits",
        "-d",
        metavar="N",
        help="Significant digits, each right. Above 17 from the numbers as typed. "
        "Default: 6 in table and markdown, the shortest that identify the float64 elsewhere.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]

JobsOption = Annotated[
    str | None,
    typer.Option("--jobs", metavar="N", help="Threads for many points. Default: every core."),
]

FtzOption = Annotated[
    bool,
    typer.Option(
        "--ftz",
        help="Subnormal inputs and results may be flushed to 0: that is right as well.",
    ),
]
WorstOption = Annotated[
    str | None,
    typer.Option("--worst", metavar="N", help="How many of the worst inputs to show. Default: 10."),
]
MaxUlpOption = Annotated[
    str | None,
    typer.Option("--max-ulp", metavar="U", help="Fail with exit code 1 if an error exceeds U ULP."),
]
SweepViewOption = Annotated[
    str | None,
    typer.Option(
        "--view",
        metavar="VIEW",
        autocompletion=choices.sweep_views,
        help="Which table: {sweep_views}. A terminal shows all tables; plot is a picture, drawn "
        "for -o FILE.svg and its like as well.",
    ),
]

INPUT_EXPONENT, FLOAT64_EXPONENT = 30, 300
PARAMETER_EXPONENT = 12
"""The scale on which a form changes is then one that the grids of the analysis look at."""


FINITE_HINT = "numbers look like 2, .5, 1e-3, 1/3"
WHOLE_HINT = "whole numbers look like 8, 1000, 1e6"
ENDS_HINT = "ends look like -10, .5, 1e-3, inf"

MOST_DIGITS = 10_000
MOST_JOBS = 1024
DEFAULT_WORST, MOST_WORST = 10, 1000
FLOAT64_DIGITS = 17


def parse_forms(words: Sequence[str]) -> list[Form]:
    """Return the forms that words like `tanh` or `sigmoid:beta=1.6` name, each once."""
    return list({form.label: form for form in map(parse_form, words)}.values())


def parse_form(word: str) -> Form:
    """Return the form that a word like `tanh` or `sigmoid:beta=1.6` names."""
    from gelu_cli.forms import find_form

    name, *settings = word.split(":")
    form = find_form(name)
    if not settings:
        return form
    values = dict(_setting(setting, word) for setting in settings)
    if len(values) < len(settings):
        raise UsageError(f"'{word}' sets a parameter twice")
    return form.with_settings(":".join([form.name, *settings]), values)


def parse_target(word: str) -> Form:
    """Return the form that --target names."""
    return _under("--target", parse_form, word)


def parse_format(word: str, option: str) -> Format:
    """Return the format of numbers that an option names."""
    from gelu_cli.arithmetic.formats import find_format

    return _under(option, find_format, word)


def _under(option: str, parse: Callable[[str], T], word: str) -> T:
    """Parse the word of an option; an error names it."""
    try:
        return parse(word)
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None


def parse_column(name: str) -> tuple[Form, str]:
    """Return the form and the quantity that a column named as in `gelu table` holds."""
    from gelu_cli.forms import QUANTITIES

    label, _, quantity = name.rpartition("_")
    if not label or quantity not in QUANTITIES or quantity == "value":
        return _form_of_column(name, name), "value"
    form = _form_of_column(label, name)
    if quantity == "gate" and not form.has_gate:
        raise UsageError(f"'{form.name}' has no gate: it is not written as x·G(x)")
    return form, quantity


def _form_of_column(label: str, name: str) -> Form:
    try:
        return parse_form(label)
    except UsageError as error:
        if name.endswith("_bits"):
            raise UsageError("it holds bit patterns; add --dtype FORMAT") from None
        if "choose from" not in str(error):
            raise
        raise UsageError(
            "it is named after no form; name it after what it should hold, e.g. exact or "
            "exact_gradient"
        ) from None


def _setting(text: str, word: str) -> tuple[str, Fraction]:
    from fractions import Fraction

    from gelu_cli.cli.input.numbers import parse_number

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"'{word}' sets no parameter: write NAME:PARAM=VALUE, sigmoid:beta=1.6")
    number = parse_number(value, FINITE_HINT)
    _check_size(number, f"'{text}'", PARAMETER_EXPONENT)
    return name, Fraction(number)


def _check_size(number: Number, name: str, exponent: int) -> None:
    """Refuse a number so large or small that grids and quadratures would not be sure."""
    if isinstance(number, float) and math.isnan(number):  # a Fraction may be beyond floats
        raise UsageError(
            f"{name} is no number: give one of a size from 1e-{exponent} to 1e{exponent}"
        )
    size: Any = abs(number)
    largest = 10**exponent
    if size != 0 and not 1 <= size * largest <= largest**2:
        raise UsageError(f"{name} is out of bounds: sizes go from 1e-{exponent} to 1e{exponent}")


def parse_finite(word: str, option: str) -> Fraction:
    """Return the finite number, exactly as typed, that an option got."""
    from fractions import Fraction

    number = _number(word, option, FINITE_HINT)
    if isinstance(number, float) and number != 0:
        raise UsageError(f"{option} must be finite, not {word}")
    _check_size(number, f"{option} {word}", INPUT_EXPONENT)
    return Fraction(number)


def parse_ends(
    word: str, exponent: int = FLOAT64_EXPONENT
) -> tuple[Fraction | float, Fraction | float]:
    """Return the ends of a range A:B, within 1e±exponent; they may be infinite."""
    parts = word.split(":")
    if len(parts) != 2:
        raise UsageError(f"--range '{word}' must be A:B, for example 0:10 or -inf:inf")
    low, high = (_number(part, "--range", ENDS_HINT) for part in parts)
    for end in (low, high):
        if isinstance(end, float) and math.isnan(end):
            raise UsageError(f"--range '{word}': nan is no end of a range")
        if not isinstance(end, float):
            _check_size(end, f"an end of --range {word}", exponent)
    return low, high


def parse_quantities(words: Sequence[str]) -> list[str]:
    """Return the quantities that words name, each once."""
    from gelu_cli.forms import QUANTITIES

    for word in words:
        if word not in QUANTITIES:
            raise unknown("quantity", word, QUANTITIES)
    return list(dict.fromkeys(words))


def parse_whole(word: str, option: str, least: int, most: int) -> int:
    """Return the whole number that an option got, 1e6 included."""
    number = _number(word, option, WHOLE_HINT)
    if number != number // 1 or not least <= number <= most:
        raise UsageError(f"{option} {word} must be a whole number from {least} to {most}")
    return int(number)


def parse_worst(word: str | None) -> int:
    """Return how many of the worst inputs --worst asks for."""
    return DEFAULT_WORST if word is None else parse_whole(word, "--worst", 1, MOST_WORST)


def parse_limit(word: str | None) -> Fraction | None:
    """Return the number of ULPs that --max-ulp asks for."""
    limit = None if word is None else parse_finite(word, "--max-ulp")
    if limit is not None and limit < 0:
        raise UsageError(f"--max-ulp {word} must not be negative")
    return limit


def parse_jobs(word: str | None) -> int:
    """Return how many threads --jobs asks for: every core, unless it says otherwise."""
    from gelu_cli.parallel import available_cores

    return available_cores() if word is None else parse_whole(word, "--jobs", 1, MOST_JOBS)


def _number(word: str, option: str, hint: str) -> Number:
    from gelu_cli.cli.input.numbers import parse_number

    try:
        return parse_number(word, hint)
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None
