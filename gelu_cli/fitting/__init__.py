"""The best constants of a form, with proof.

`family_of` says what is fitted, `best_by_sup` and `best_by_rms` find the constants that make the
largest, or the root mean square, error least.
"""

from gelu_cli.fitting.best import (
    Best,
    Point,
    best_by_rms,
    best_by_sup,
    constants_in_use,
    rms_of,
    sup_of,
)
from gelu_cli.fitting.families import Family, family_of, of_degree

__all__ = [
    "Best",
    "Family",
    "Point",
    "best_by_rms",
    "best_by_sup",
    "constants_in_use",
    "family_of",
    "of_degree",
    "rms_of",
    "sup_of",
]
