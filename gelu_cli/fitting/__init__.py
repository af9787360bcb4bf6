"""The best constants of a form, with proof.

`family_of` says what is fitted and by which criterion, `best_constants` finds the constants that
make it least.
"""

from gelu_cli.fitting.best import Best, best_constants, constants_in_use
from gelu_cli.fitting.families import Family, family_of, of_degree

__all__ = ["Best", "Family", "best_constants", "constants_in_use", "family_of", "of_degree"]
