"""The options that every command has, and the words that options turn into things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gelu_cli.errors import UsageError, unknown

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.activations import Form

FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help="{formats}. auto: table on a terminal, csv otherwise.",
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE, whole or not at all; its suffix names the format.",
    ),
]
NoHeaderOption = Annotated[bool, typer.Option("--no-header", help="csv and tsv without header.")]
DigitsOption = Annotated[
    int | None,
    typer.Option(
        "--digits",
        "-d",
        metavar="N",
        help="Significant digits, each right. Above 17 from the numbers as typed. "
        "Default: 6 in table and markdown, the shortest that identify the float64 elsewhere.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]

SMALLEST_SETTING = 1e-300
MOST_DIGITS = 10_000
FLOAT64_DIGITS = 17


def parse_forms(words: Sequence[str]) -> list[Form]:
    """Return the forms that words like `tanh` or `sigmoid:beta=1.6` name, each once."""
    return list({form.label: form for form in map(parse_form, words)}.values())


def parse_form(word: str) -> Form:
    """Return the form that a word like `tanh` or `sigmoid:beta=1.6` names."""
    from gelu_cli.activations import find_form

    name, *settings = word.split(":")
    form = find_form(name)
    if not settings:
        return form
    values = dict(_setting(setting, word) for setting in settings)
    return form.with_settings(":".join([form.name, *settings]), values)


def _setting(text: str, word: str) -> tuple[str, Fraction]:
    from fractions import Fraction

    from gelu_cli.commands._numbers import parse_number

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"'{word}' sets no parameter: write NAME:PARAM=VALUE, sigmoid:beta=1.6")
    number = parse_number(value)
    # Within these bounds every form reaches its limits before float64 ends.
    if number != 0 and not (
        isinstance(number, Fraction) and SMALLEST_SETTING <= abs(number) <= 1 / SMALLEST_SETTING
    ):
        raise UsageError(f"'{name}={value}' must be 0 or between 1e-300 and 1e300 in size")
    return name, Fraction(number)


def parse_quantities(words: Sequence[str]) -> list[str]:
    """Return the quantities that words name, each once."""
    from gelu_cli.activations import QUANTITIES

    for word in words:
        if word not in QUANTITIES:
            raise unknown("quantity", word, QUANTITIES)
    return list(dict.fromkeys(words))


def check_digits(digits: int | None) -> None:
    """Raise `UsageError` for a number of digits that cannot be."""
    if digits is not None and not 1 <= digits <= MOST_DIGITS:
        raise UsageError(f"--digits {digits} must be between 1 and {MOST_DIGITS}")
