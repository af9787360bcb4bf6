"""Binary numbers of any precision, for enclosures: as mpmath holds them, rounded as is asked for.

The only file that knows `mpmath.libmp` and how a number is stored there, the tuple (sign, man,
exp, bits). It uses what mpmath's development version (1.5) keeps public, and nothing else.
mpmath's layer is stateless: the precision in bits and the rounding are arguments, and without
them an operation is exact. Infinities are numbers here as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from typing import Any, Final, TypeAlias


def _stateless_layer() -> Any:
    """Return mpmath's `libmp` without mpmath, all of which takes three times as long to import."""
    if "mpmath" not in sys.modules:
        with suppress(Exception):  # another mpmath, which is not made like that
            return _loaded_alone()
    from mpmath import libmp

    return libmp


def _loaded_alone() -> Any:
    """Return `libmp` as a package of our own, for it needs nothing outside of its folder.

    Whoever imports mpmath gets it as if nothing had been loaded.
    """
    (folder,) = find_spec("mpmath").submodule_search_locations  # type: ignore[union-attr, misc]
    path = os.path.join(folder, "libmp", "__init__.py")
    spec = spec_from_file_location(f"{__package__}.libmp", path)
    libmp = sys.modules[spec.name] = module_from_spec(spec)  # type: ignore[arg-type, union-attr]
    spec.loader.exec_module(libmp)  # type: ignore[union-attr]
    return libmp


libmp = _stateless_layer()

Mpf: TypeAlias = Any
"""A number of mpmath's stateless layer."""

DOWN: Final = "f"
UP: Final = "c"
NEAREST: Final = "n"

ZERO: Mpf = libmp.fzero
ONE: Mpf = libmp.fone
INFINITY: Mpf = libmp.finf
MINUS_INFINITY: Mpf = libmp.fninf
NAN: Mpf = libmp.fnan
"""What an operation gives that has no result, such as 0·∞."""

# Of (x, y), or of x alone; then, to round, a precision and a rounding.
add = libmp.mpf_add
subtract = libmp.mpf_sub
multiply = libmp.mpf_mul
divide = libmp.mpf_div
sqrt = libmp.mpf_sqrt
exp = libmp.mpf_exp
log = libmp.mpf_log
power = libmp.mpf_pow_int  # x to an integer
negative = libmp.mpf_neg
absolute = libmp.mpf_abs

pi = libmp.mpf_pi
"""π to a precision, rounded."""

shift = libmp.mpf_shift
"""x·2ⁿ for (x, n), exactly."""

sign: Callable[[Mpf], int] = libmp.mpf_sign
"""−1, 0 or 1."""

compare: Callable[[Mpf, Mpf], int] = libmp.mpf_cmp
"""−1, 0 or 1, as x is less than y, equal to it or greater."""

from_int = libmp.from_int
from_float = libmp.from_float
to_float: Callable[[Mpf], float] = libmp.to_float


def from_fraction(value: Fraction | int, precision: int, rounding: str = NEAREST) -> Mpf:
    """Return `value`, rounded once.

    >>> to_float(from_fraction(Fraction(1, 3), 2))
    0.375
    """
    return libmp.from_rational(value.numerator, value.denominator, precision, rounding)


def to_fraction(x: Mpf) -> Fraction:
    """Return a finite number as a fraction.

    >>> to_fraction(from_float(0.75))
    Fraction(3, 4)
    """
    return Fraction(*map(int, libmp.to_rational(x)))


def to_int(x: Mpf, rounding: str) -> int:
    """Return a finite number rounded to an integer.

    >>> to_int(from_float(2.5), NEAREST), to_int(from_float(2.5), UP)
    (2, 3)
    """
    return int(libmp.to_int(x, rounding))


def to_text(x: Mpf, digits: int) -> str:
    """Return a number in decimal, to so many significant digits."""
    return str(libmp.to_str(x, digits))


def rounded(x: Mpf, precision: int, rounding: str = NEAREST) -> Mpf:
    """Return x rounded to a precision."""
    return libmp.mpf_mul(x, ONE, precision, rounding)


def is_finite(x: Mpf) -> bool:
    """Return whether x is a real number."""
    return x not in (INFINITY, MINUS_INFINITY, NAN)


def significand(x: Mpf) -> tuple[int, int]:
    """Return n ≥ 0, odd unless it is 0, and k with |x| = n·2**k, of a finite number.

    >>> significand(from_float(-12.0))
    (3, 2)
    """
    _, man, exp, _ = x
    return int(man), int(exp)


def exponent(x: Mpf) -> int:
    """Return the k with 2**(k − 1) ≤ |x| < 2**k; 0 for 0 and the infinities.

    >>> exponent(from_float(-12.0))
    4
    """
    _, man, exp, bits = x
    return int(exp + bits) if man else 0


def bits(x: Mpf) -> int:
    """Return how many bits a finite number has, from the first that is 1 to the last."""
    return int(x[3])


def in_context(x: Mpf, context: Any) -> Any:
    """Return x as a number of an mpmath context."""
    return context.make_mpf(x)


def from_context(x: Any) -> Mpf:
    """Return what a number of an mpmath context is in the stateless layer."""
    return x._mpf_
