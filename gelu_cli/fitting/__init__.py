"""The best constants of a form, with a proof if one is found.

`family_of` makes a family from a form, its free constants and a criterion; `best_constants` finds
the constants that minimize the criterion.
"""

from gelu_cli.fitting.best import Best, best_constants, constants_in_use
from gelu_cli.fitting.families import Family, family_of, of_degree

__all__ = ["Best", "Family", "best_constants", "constants_in_use", "family_of", "of_degree"]
