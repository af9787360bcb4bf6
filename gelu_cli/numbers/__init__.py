"""Values of forms (activation functions), with proof of every digit.

The package exports formats, roundings and values at points. Functions that need numpy or mpmath are
imported from the modules `arrays` (values at arrays of x, rounded or in ULPs; bit patterns) and
`reference` (textbook definitions of forms in mpmath, which check printed numbers).
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
