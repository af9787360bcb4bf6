"""What the words of options mean: each function takes a word and returns what it stands for.

All of them raise `UsageError` for a word that cannot be meant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from gelu_cli.errors import UsageError, unknown

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.arithmetic.typed import Number
    from gelu_cli.block.change import Shape
    from gelu_cli.cli.input.numbers import Range
    from gelu_cli.forms import Form

T = TypeVar("T")

SELF, AUTO = "self", "auto"
"""As targets: the form that a routine itself computes, and the one that results are nearest to."""

Ends = tuple["Fraction | float", "Fraction | float"]
"""The ends of a range, which may be infinite."""

INPUT_EXPONENT, FLOAT64_EXPONENT, SWEEP_EXPONENT = 30, 300, 308
PARAMETER_EXPONENT = 12
"""The scale on which a form changes is then one that the grids of `calculus` look at."""


FINITE_HINT = "numbers look like 2, .5, 1e-3, 1/3"
WHOLE_HINT = "whole numbers look like 8, 1000, 1e6"
ENDS_HINT = "ends look like -10, .5, 1e-3, inf"


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
    return form.with_settings(word, values)


def names_form(word: str) -> bool:
    """Return whether a word begins with the name of a form.

    >>> names_form("quick_gelu"), names_form("sigmoid:beta=2"), names_form("table")
    (True, True, False)
    """
    from gelu_cli.forms import find_form

    try:
        return bool(find_form(word.partition(":")[0]))
    except UsageError:
        return False


def parse_forms(names: Sequence[str]) -> list[Form]:
    """Return the forms of some names."""
    return list(map(parse_form, names))


def parse_dtype(word: str) -> Format:
    """Return the format of numbers of that name."""
    from gelu_cli.arithmetic.formats import find_format

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


def parse_column(name: str) -> tuple[Form, str]:
    """Return the form and the quantity that a column named as in `gelu table` holds."""
    from gelu_cli.forms import QUANTITIES

    # The longest first: exact_gate_gradient is no gradient of `exact_gate`.
    named = (each for each in sorted(QUANTITIES, key=len, reverse=True) if each != "value")
    quantity = next((each for each in named if name[1:].endswith(f"_{each}")), "")
    if not quantity:
        return _form_of_column(name, name), "value"
    form = _form_of_column(name.removesuffix(f"_{quantity}"), name)
    form.require([quantity])
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

    from gelu_cli.arithmetic.typed import parse_number

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"'{word}' sets no parameter; write NAME:PARAM=VALUE, sigmoid:beta=1.6")
    number = parse_number(value, FINITE_HINT)
    if not isinstance(number, float | Fraction):
        raise UsageError(f"'{text}' is no fraction: write its digits, {name}={float(number)!r}")
    _check_size(number, f"'{text}'", PARAMETER_EXPONENT)
    return name, Fraction(number)


def _check_size(number: Fraction | float, name: str, exponent: int) -> None:
    """Refuse a number so large or small that grids and quadratures would not be sure."""
    if isinstance(number, float) and math.isnan(number):  # a Fraction may be beyond floats
        raise UsageError(
            f"{name} is no number; give one of a size from 1e-{exponent} to 1e{exponent}"
        )
    size: Any = abs(number)
    largest = 10**exponent
    if size != 0 and not 1 <= size * largest <= largest**2:
        raise UsageError(f"{name} is out of bounds: sizes go from 1e-{exponent} to 1e{exponent}")


def finite(option: str) -> Callable[[str], Fraction]:
    """Return a parser of finite numbers, exactly as typed."""
    return lambda word: _finite(word, option)


def _finite(word: str, option: str) -> Fraction:
    from fractions import Fraction

    number = _number(word, option, FINITE_HINT)
    if isinstance(number, float) and number != 0:
        raise UsageError(f"{option} must be finite, not {word}")
    _check_size(number, f"{option} {word}", INPUT_EXPONENT)
    return Fraction(number)


def ends(exponent: int = FLOAT64_EXPONENT) -> Callable[[str], Ends]:
    """Return a parser of ranges A:B, whose ends are within 1e±exponent, or infinite."""
    return lambda word: _ends(word, exponent, "--range")


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


def ascending_ends(exponent: int) -> Callable[[str], Ends]:
    """Return a parser of ranges A:B with A not above B."""

    def parse(word: str) -> Ends:
        low, high = _ends(word, exponent, "--range")
        if low > high:
            raise UsageError(f"--range '{word}' must be A:B with A not above B")
        return low, high

    return parse


def _ends(word: str, exponent: int, option: str) -> Ends:
    parts = word.split(":")
    if len(parts) != 2:
        raise UsageError(f"{option} '{word}' must be A:B, for example 0:10 or -inf:inf")
    low, high = (_number(part, option, ENDS_HINT) for part in parts)
    for end in (low, high):
        if isinstance(end, float) and math.isnan(end):
            raise UsageError(f"{option} '{word}': nan is no end of a range")
        if not isinstance(end, float):
            _check_size(end, f"an end of {option} {word}", exponent)
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


def parse_shape(word: str) -> Shape:
    """Return the widths of a block.

    >>> parse_shape("768,3072")
    Shape(width=768, hidden=3072)
    """
    from gelu_cli.block.change import Shape

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


def parse_limit(word: str) -> Fraction:
    """Return the number of ULPs that --max-ulp asks for."""
    limit = _finite(word, "--max-ulp")
    if limit < 0:
        raise UsageError(f"--max-ulp {word} must not be negative; give 0 or more")
    return limit


def parse_at(word: str) -> Number | Range:
    """Return a number or range of --at."""
    from gelu_cli.cli.input.numbers import parse_points

    return under("--at", parse_points)(word)


def parse_timeout(word: str) -> float:
    """Return the seconds that --timeout gives a call."""
    seconds = _finite(word, "--timeout")
    if seconds <= 0:
        raise UsageError(f"--timeout {word} must be positive: seconds, e.g. 10")
    return float(seconds)


def _number(word: str, option: str, hint: str) -> Fraction | float:
    """Return a number, exactly if it is a fraction; any other one as its float64 is printed."""
    from fractions import Fraction

    from gelu_cli.arithmetic.typed import parse_number

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
