"""Values of forms, with proof of every digit.

Balls of Arb, formats, rounding, points, arrays, and mpmath's word on them.

Imported here: formats and roundings, values at points. What needs numpy or mpmath is imported from
its module: `arrays` (values of arrays, rounded or in units of a format's last place), `patterns`
(bit patterns), `reference` (the definitions by which mpmath confirms a number).
"""

from gelu_cli.numbers.formats import FLOAT64, FORMATS, Format, find_format
from gelu_cli.numbers.points import Point, evaluate, side, value
from gelu_cli.numbers.rounding import (
    Decimals,
    Rounded,
    Target,
    round_fraction,
    rounding_to,
)

__all__ = [
    "FLOAT64",
    "FORMATS",
    "Decimals",
    "Format",
    "Point",
    "Rounded",
    "Target",
    "evaluate",
    "find_format",
    "round_fraction",
    "rounding_to",
    "side",
    "value",
]
