"""Values of forms, with proof of every digit.

This package exports formats, roundings and values at points. Whatever needs numpy or mpmath is
imported from its module: `arrays` (arrays of values, rounded or in ULPs; bit patterns), `reference`
(textbook definitions in mpmath, with which printed numbers are compared).
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
