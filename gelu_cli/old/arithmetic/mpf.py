"""Binary numbers of any precision, for enclosures: as mpmath holds them, rounded as is asked for.

The only file that knows `mpmath.libmp` and how a number is stored there, the tuple (sign, man,
exp, bits). It uses what mpmath's development version (1.5) keeps public, and nothing else.
mpmath's layer is stateless: the precision in bits and the rounding are arguments, and without
them an operation is exact. Infinities are numbers here as well.

The elementary functions at the end keep their digits near 0, in the tails, and however far out.
Each takes a number and a precision in bits, to which its relative error belongs.
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
    """Return mpmath's `libmp` without mpmath, all of which takes three times as long to import.

    It is a package of our own, for it needs nothing outside of its folder. Whoever imports mpmath
    gets it as if nothing had been loaded.
    """
    if "mpmath" not in sys.modules:
        with suppress(Exception):  # another mpmath, which is not made like that
            (folder,) = find_spec("mpmath").submodule_search_locations  # type: ignore
            path = os.path.join(folder, "libmp", "__init__.py")
            spec: Any = spec_from_file_location(f"{__package__}.libmp", path)
            layer = sys.modules[spec.name] = module_from_spec(spec)
            spec.loader.exec_module(layer)
            return layer
    from mpmath import libmp

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
_exp = libmp.mpf_exp
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
    """Return `value`, rounded once."""
    return libmp.from_rational(value.numerator, value.denominator, precision, rounding)


def to_fraction(x: Mpf) -> Fraction:
    """Return a finite number as a fraction."""
    return Fraction(*map(int, libmp.to_rational(x)))


def to_int(x: Mpf, rounding: str) -> int:
    """Return a finite number rounded to an integer."""
    return int(libmp.to_int(x, rounding))


def to_text(x: Mpf, digits: int) -> str:
    """Return a number in decimal, rounded to significant digits."""
    return str(libmp.to_str(x, digits))


def rounded(x: Mpf, precision: int, rounding: str = NEAREST) -> Mpf:
    """Return x rounded to a precision."""
    return libmp.mpf_mul(x, ONE, precision, rounding)


def is_finite(x: Mpf) -> bool:
    """Return whether x is a real number."""
    return x not in (INFINITY, MINUS_INFINITY, NAN)


def significand(x: Mpf) -> tuple[int, int]:
    """Return n ≥ 0, odd unless it is 0, and k with |x| = n·2**k, of a finite number."""
    _, man, exp, _ = x
    return int(man), int(exp)


def exponent(x: Mpf) -> int:
    """Return the k with 2**(k − 1) ≤ |x| < 2**k; 0 for 0 and the infinities."""
    _, man, exp, bits = x
    return int(exp + bits) if man else 0


def bits(x: Mpf) -> int:
    """Return how many bits a finite number has, from the first that is 1 to the last."""
    return int(x[3])


LOG2_E = 1.4426951
"""A little more than log₂e."""

LARGE = 64
"""From 2**LARGE on the exponential of a whole number takes a way of its own."""


def exp(x: Mpf, precision: int) -> Mpf:
    """Return eˣ = 2ⁿ·eʳ with r = x − n·log 2.

    So does mpmath, but of a whole number it takes a power of e, which far out takes a hundred
    times as long.

    >>> to_text(exp(from_int(-(10**30)), 60), 9)
    '2.48266262e-434294481903251827651128918917'
    """
    size = exponent(x)
    if size <= LARGE:
        return _exp(x, precision)
    # n has at most `size` bits, so that r keeps over `precision` of them after the point.
    working = precision + 2 * size + 20
    log2 = log(from_int(2), working)
    n = to_int(divide(x, log2, size + 20, NEAREST), NEAREST)
    rest = subtract(x, multiply(from_int(n), log2), working, NEAREST)
    return shift(_exp(rest, precision + 10), n)


def expm1(x: Mpf, precision: int) -> Mpf:
    """Return eˣ − 1.

    >>> to_text(expm1(from_float(1e-30), 60), 15)
    '1.0e-30'
    """
    if sign(x) < 0 and _exceeds(x, precision):
        return negative(ONE)  # e^−|x| < 2**−precision
    # eˣ − 1 loses as many leading bits as x has zeros after the point.
    lost = max(0, -exponent(x))
    return subtract(exp(x, precision + lost), ONE, precision)


def expm1_less_x(x: Mpf, precision: int) -> Mpf:
    """Return eˣ − 1 − x = x²/2 + x³/6 + … for |x| < 1.

    >>> to_text(expm1_less_x(from_float(1e-30), 60), 9)
    '5.0e-61'
    """
    lost = max(0, -exponent(x)) + 3
    return subtract(expm1(x, precision + lost), x, precision, NEAREST)


def softplus(x: Mpf, precision: int) -> Mpf:
    """Return log(1 + eˣ).

    >>> to_text(softplus(from_int(-100), 60), 9)
    '3.72007598e-44'
    """
    if sign(x) > 0 and _exceeds(x, precision):
        return rounded(x, precision)  # log(1 + eˣ) = x + log(1 + e⁻ˣ), and e⁻ˣ < 2**−precision
    y = exp(x, precision)
    if exponent(y) < -precision:
        return y  # log(1 + y) = y·(1 − y/2 + …), and y < 2**−precision
    lost = max(0, -exponent(y))
    return log(add(ONE, y, precision + lost, NEAREST), precision)


def minus_erfc(x: Mpf, precision: int) -> Mpf:
    """Return −erfc(x), an increasing function.

    >>> to_text(minus_erfc(from_int(5), 60), 9)
    '-1.53745979e-12'
    """
    size, working = absolute(x), precision + 10
    if not is_finite(x):
        tail = ZERO
    elif _exceeds(size, working) or to_float(size) ** 2 * LOG2_E > working + 2:
        # e^(−x²) < 2**−(working + 1)
        if sign(x) < 0:
            return from_int(-2)  # 2 − erfc(|x|), and erfc(|x|) < e^(−x²)
        tail = _erfc_far_out(size, working)
    else:  # 1 − erf(|x|) loses the bits in which erfc(|x|) > e^(−x²)/(2√π·(|x| + 1)) is below 1
        lost = int(to_float(size) ** 2 * LOG2_E) + max(0, exponent(size)) + 4
        tail = subtract(ONE, erf(size, working + lost), working, NEAREST)
    if sign(x) < 0:
        return subtract(tail, from_int(2), precision, NEAREST)
    return rounded(negative(tail), precision)


def _exceeds(x: Mpf, precision: int) -> bool:
    """Return whether |x| ≥ 2**k > precision for some k."""
    return exponent(x) > precision.bit_length()


def _erfc_far_out(x: Mpf, precision: int) -> Mpf:
    """Return erfc(x) = e^(−x²)/(x√π)·(1 − 1/(2x²) + 3/(4x⁴) − …) for large x.

    The error is below the first term left out. The least term, the x²-th, is √2·e^(−x²). The sum
    is one of integers; N terms have an error below 2N units.
    """
    working = precision + 2 * precision.bit_length()
    square = multiply(x, x)
    inverse = divide(ONE, shift(square, 1), working, NEAREST)
    half_inverse = to_int(shift(inverse, working), NEAREST)
    total, term, n = 0, 1 << working, 0
    while term >> (working - precision):
        total += term if n % 2 == 0 else -term
        n += 1
        term = (2 * n - 1) * term * half_inverse >> working
    series = shift(from_int(total), -working)
    density = exp(negative(square), working)
    root = sqrt(pi(working), working)
    factor = divide(series, multiply(x, root, working, NEAREST), working, NEAREST)
    return multiply(density, factor, precision, NEAREST)


def erf(x: Mpf, precision: int) -> Mpf:
    """Return erf(x) = 2x/√π·e^(−x²)·Σ (2x²)ⁿ/(1·3·5···(2n + 1)), in some x²·log₂e terms.

    No term is negative, so that the sum of N of them, in integers, has a relative error below
    2N units.

    >>> to_text(erf(from_float(1e-30), 60), 9)
    '1.12837917e-30'
    """
    working = precision + 2 * precision.bit_length()
    square = multiply(x, x)
    doubled = to_int(shift(square, working + 1), NEAREST)
    total, term, n = 0, 1 << working, 0
    while term:
        total += term
        n += 1
        term = (term * doubled >> working) // (2 * n + 1)
    density = exp(negative(square), working)
    root = sqrt(pi(working), working)
    factor = divide(multiply(x, density, working, NEAREST), root, working, NEAREST)
    return multiply(factor, shift(from_int(total), 1 - working), precision, NEAREST)
