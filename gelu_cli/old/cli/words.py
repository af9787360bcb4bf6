"""What the words of options mean: each function takes a word and returns what it stands for.

All of them raise `UsageError` for a word that cannot be meant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.arithmetic.typed import Number, parse_number
from gelu_cli.old.reading.names import FINITE_HINT, check_size, parse_form

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.comparison.checks import Tolerance
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.network.change import Shape
    from gelu_cli.old.reading.numbers import Range

T = TypeVar("T")

SELF, AUTO, ALL = "self", "auto", "all"
"""As forms: that that a routine itself computes, and the one that results are nearest to. As second
inputs: every number of the format."""

Ends = tuple[Fraction | float, Fraction | float]
"""The ends of a range, which may be infinite."""

INPUT_EXPONENT, FLOAT64_EXPONENT, SWEEP_EXPONENT = 30, 300, 308

CONSTANTS = {"true": True, "false": False, "none": None}
QUOTES = ('"', "'")
WHOLE_HINT = "whole numbers look like 8, 1000, 1e6"
ENDS_HINT = "ends look like -10, .5, 1e-3, inf"


def parse_dtype(word: str) -> Format:
    """Return the format of numbers of that name."""
    from gelu_cli.old.arithmetic.formats import find_format

    return find_format(word)


def parse_target(word: str) -> Form | str:
    """Return the form that results should be, or one of the words for a form that is found."""
    return word.lower() if word.lower() in (SELF, AUTO) else parse_form(word)


def under(option: str, parse: Callable[[str], T]) -> Callable[[str], T]:
    """Return a parser whose errors name the option that the word is for."""

    def parse_named(word: str) -> T:
        try:
            return parse(word)
        except UsageError as error:
            raise UsageError(f"{option}: {error}") from None

    return parse_named


def finite(
    option: str,
    fits: Callable[[Fraction], bool] = lambda number: True,
    must: str = "",
    exponent: int = INPUT_EXPONENT,
) -> Callable[[str], Fraction]:
    """Return a parser of finite numbers, exactly as typed; all that fit `must` be so."""

    def parse(word: str) -> Fraction:
        number = _finite(word, option, exponent)
        if not fits(number):
            raise UsageError(f"{option} {word} must {must}")
        return number

    return parse


def _finite(word: str, option: str, exponent: int = INPUT_EXPONENT) -> Fraction:
    number = _number(word, option, FINITE_HINT)
    if isinstance(number, float) and number != 0:
        raise UsageError(f"{option} must be finite, not {word}")
    check_size(number, f"{option} {word}", exponent)
    return Fraction(number)


def parse_ends(word: str) -> Ends:
    """Return the ends of a range A:B; `FLOAT64_EXPONENT` bounds those that are finite."""
    return _ends(word, FLOAT64_EXPONENT, "--range")


def parse_y_range(word: str) -> tuple[float, float]:
    """Return from which y to which a picture is.

    >>> parse_y_range("-1e-3:1/2")
    (-0.001, 0.5)
    """
    if word.count(":") == 1:
        low, high = map(float, _ends(word, FLOAT64_EXPONENT, "--y-range"))
        if -math.inf < low < high < math.inf:
            return low, high
    raise UsageError(f"--y-range '{word}' must be A:B, two finite numbers with A below B")


def parse_ascending_ends(word: str) -> Ends:
    """Return the ends of a range A:B of inputs, with A not above B."""
    low, high = _ends(word, SWEEP_EXPONENT, "--range")
    if low > high:
        raise UsageError(f"--range '{word}' must be A:B with A not above B")
    return low, high


def _ends(word: str, exponent: int, option: str) -> Ends:
    parts = word.split(":")
    if len(parts) != 2:
        raise UsageError(f"{option} '{word}' must be A:B, for example 0:10 or -inf:inf")
    low, high = (_number(part, option, ENDS_HINT) for part in parts)
    for end in (low, high):
        if isinstance(end, float) and math.isnan(end):
            raise UsageError(f"{option} '{word}': nan is no end of a range")
        if not isinstance(end, float):
            check_size(end, f"an end of {option} {word}", exponent)
    return low, high


def one_of(
    kind: str,
    choices: Callable[[], Sequence[tuple[str, str]]],
    other_names: Callable[[str], Iterable[str]] = lambda word: (),
) -> Callable[[str], str]:
    """Return a parser of the names of choices; a word may be another name of some of them."""

    def parse_name(word: str) -> str:
        names = [name for name, _ in choices()]
        if word in names:
            return word
        for name in other_names(word):
            if name in names:
                return name
        raise unknown(kind, word, names)

    return parse_name


WIDEST = 10**6
"""Inputs or hidden units of a block."""


def whole(option: str, least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers, 1e6 included."""

    def parse_whole(word: str) -> int:
        number = _number(word, option, WHOLE_HINT)
        if number != number // 1 or not least <= number <= most:
            raise UsageError(f"{option} {word} must be a whole number from {least} to {most}")
        return int(number)

    return parse_whole


def parse_column(word: str) -> str:
    """Return the name of a column; its position is a name as well.

    >>> parse_column("x")
    'x'
    """
    if not word:
        raise UsageError("--column '' names no column; give its name or its position")
    return word


def parse_shape(word: str) -> Shape:
    """Return the widths of a block.

    >>> parse_shape("768,3072")
    Shape(width=768, hidden=3072)
    """
    from gelu_cli.old.network.change import Shape

    if word.count(",") != 1:
        raise UsageError(f"--shape '{word}' must be two widths, D,FF, e.g. 768,3072")
    return Shape(*map(whole("--shape", 1, WIDEST), word.split(",")))


def parse_size(word: str) -> tuple[float, float]:
    """Return how wide and how high a picture is to be.

    >>> parse_size("7x4.6"), parse_size("80×24")
    ((7.0, 4.6), (80.0, 24.0))
    """
    sides = word.lower().replace("×", "x").split("x")
    if len(sides) != 2:
        raise UsageError(f"--size '{word}' must be width x height, e.g. 7x4.6")
    width, height = (float(_finite(side, "--size")) for side in sides)
    return width, height


def finite_or_all(option: str) -> Callable[[str], Fraction | str]:
    """Return what parses a finite number of any format, exactly, or the word `ALL`."""
    number = finite(option, exponent=SWEEP_EXPONENT)
    return lambda word: ALL if word.lower() == ALL else number(word)


def parse_at(word: str) -> Number | Range:
    """Return a number or range of --at."""
    from gelu_cli.old.reading.numbers import parse_points

    return under("--at", parse_points)(word)


def parse_timeout(word: str) -> float:
    """Return the seconds that --timeout gives a call."""
    return float(finite("--timeout", lambda n: n > 0, "be positive: seconds, e.g. 10")(word))


def _number(word: str, option: str, hint: str) -> Fraction | float:
    """Return a number, exactly if it is a fraction; any other one as its float64 is printed."""
    try:
        number = parse_number(word, hint)
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None
    if isinstance(number, float | Fraction):
        return number
    try:
        return Fraction(repr(float(number)))
    except OverflowError:
        raise UsageError(f"{option}: '{word}' is beyond float64") from None


def parse_criteria(word: str) -> Tolerance | bool:
    """Return the tolerance that `rtol=R,atol=A` is, of which one is enough; True for no word."""
    from gelu_cli.old.comparison.checks import Tolerance

    if not word:
        return True
    found: dict[str, float] = {}
    for name, _, number in (each.partition("=") for each in word.split(",")):
        if name not in Tolerance._fields or name in found:
            raise UsageError(f"--criteria: '{word}' is no tolerance; write rtol=0.01,atol=1e-5")
        found[name] = float(_number(number, "--criteria", FINITE_HINT))
        if not 0 <= found[name] < math.inf:
            raise UsageError(f"--criteria: {name} '{number}' must be 0 or a positive number")
    return Tolerance(**found)


# Arguments for a function of the user's own, NAME=VALUE


def parse_argument(word: str) -> tuple[str, Any]:
    """Return the name and the value that a word like `approximate=tanh` has.

    The value is true, false or none in any case, else a number as Python reads it, else text.
    Quotes around it make it text, and are no part of it.

    >>> [parse_argument(word)[1] for word in ("a=False", "a=0x10", "a=1e-3", "a=tanh", "a='1'")]
    [False, 16, 0.001, 'tanh', '1']
    """
    name, equals, value = word.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(f"--kwarg '{word}' must be NAME=VALUE, e.g. approximate=tanh")
    return name, _typed(value)


def _typed(text: str) -> Any:
    if len(text) >= 2 and text[0] in QUOTES and text[-1] == text[0]:
        return text[1:-1]
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    readers: list[Callable[[str], int | float]] = [partial(int, base=0), int, float]
    if "0x" in text.lower():  # without it, `face` would be a hexadecimal float
        readers.append(float.fromhex)
    for read in readers:
        try:
            return read(text)
        except (ValueError, OverflowError):
            pass
    return text


def arguments_of(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return arguments by name; raises `UsageError` for one that has two values."""
    arguments = dict(pairs)
    if len(arguments) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"--kwarg gives '{twice}' more than once; leave one of them out")
    return arguments
