"""Elementary functions that keep their digits: near 0, in the tails, and however far out.

Each takes a number (`mpf`) and a precision in bits, to which its relative error belongs.
"""

from __future__ import annotations

from gelu_cli.arithmetic import mpf
from gelu_cli.arithmetic.mpf import NEAREST, ONE, Mpf

LOG2_E = 1.4426951
"""A little more than log₂e."""

LARGE = 64
"""From 2**LARGE on the exponential of a whole number takes a way of its own."""


def exp(x: Mpf, precision: int) -> Mpf:
    """Return eˣ = 2ⁿ·eʳ with r = x − n·log 2.

    So does mpmath, but of a whole number it takes a power of e, which far out takes a hundred
    times as long.

    >>> mpf.to_text(exp(mpf.from_int(-(10**30)), 60), 9)
    '2.48266262e-434294481903251827651128918917'
    """
    size = mpf.exponent(x)
    if size <= LARGE:
        return mpf.exp(x, precision)
    # n has at most `size` bits, so that r keeps over `precision` of them after the point.
    working = precision + 2 * size + 20
    log2 = mpf.log(mpf.from_int(2), working)
    n = mpf.to_int(mpf.divide(x, log2, size + 20, NEAREST), NEAREST)
    rest = mpf.subtract(x, mpf.multiply(mpf.from_int(n), log2), working, NEAREST)
    return mpf.shift(mpf.exp(rest, precision + 10), n)


def expm1(x: Mpf, precision: int) -> Mpf:
    """Return eˣ − 1.

    >>> mpf.to_text(expm1(mpf.from_float(1e-30), 60), 15)
    '1.0e-30'
    """
    if mpf.sign(x) < 0 and _exceeds(x, precision):
        return mpf.negative(ONE)  # e^−|x| < 2**−precision
    # eˣ − 1 loses as many leading bits as x has zeros after the point.
    lost = max(0, -mpf.exponent(x))
    return mpf.subtract(exp(x, precision + lost), ONE, precision)


def expm1_less_x(x: Mpf, precision: int) -> Mpf:
    """Return eˣ − 1 − x = x²/2 + x³/6 + … for |x| < 1.

    >>> mpf.to_text(expm1_less_x(mpf.from_float(1e-30), 60), 9)
    '5.0e-61'
    """
    lost = max(0, -mpf.exponent(x)) + 3
    return mpf.subtract(expm1(x, precision + lost), x, precision, NEAREST)


def softplus(x: Mpf, precision: int) -> Mpf:
    """Return log(1 + eˣ).

    >>> mpf.to_text(softplus(mpf.from_int(-100), 60), 9)
    '3.72007598e-44'
    """
    if mpf.sign(x) > 0 and _exceeds(x, precision):
        return mpf.rounded(x, precision)  # log(1 + eˣ) = x + log(1 + e⁻ˣ), and e⁻ˣ < 2**−precision
    y = exp(x, precision)
    if mpf.exponent(y) < -precision:
        return y  # log(1 + y) = y·(1 − y/2 + …), and y < 2**−precision
    lost = max(0, -mpf.exponent(y))
    return mpf.log(mpf.add(ONE, y, precision + lost, NEAREST), precision)


def minus_erfc(x: Mpf, precision: int) -> Mpf:
    """Return −erfc(x), an increasing function.

    >>> mpf.to_text(minus_erfc(mpf.from_int(5), 60), 9)
    '-1.53745979e-12'
    """
    size = mpf.absolute(x)
    if not mpf.is_finite(x):
        tail = mpf.ZERO
    elif _is_far_out(size, precision + 10):
        if mpf.sign(x) < 0:
            return mpf.from_int(-2)  # 2 − erfc(|x|), and erfc(|x|) < e^(−x²)
        tail = _erfc_far_out(size, precision + 10)
    else:
        tail = _erfc_by_series(size, precision + 10)
    if mpf.sign(x) < 0:
        return mpf.subtract(tail, mpf.from_int(2), precision, NEAREST)
    return mpf.rounded(mpf.negative(tail), precision)


def _exceeds(x: Mpf, precision: int) -> bool:
    """Return whether |x| ≥ 2**k > precision for some k."""
    return mpf.exponent(x) > precision.bit_length()


def _is_far_out(x: Mpf, precision: int) -> bool:
    """Return whether e^(−x²) < 2**−(precision + 1)."""
    if _exceeds(x, precision):
        return True
    return mpf.to_float(x) ** 2 * LOG2_E > precision + 2


def _erfc_far_out(x: Mpf, precision: int) -> Mpf:
    """Return erfc(x) = e^(−x²)/(x√π)·(1 − 1/(2x²) + 3/(4x⁴) − …) for large x.

    The error is below the first term left out. The least term, the x²-th, is √2·e^(−x²). The sum
    is one of integers; N terms have an error below 2N units.
    """
    working = precision + 2 * precision.bit_length()
    square = mpf.multiply(x, x)
    inverse = mpf.divide(ONE, mpf.shift(square, 1), working, NEAREST)
    half_inverse = mpf.to_int(mpf.shift(inverse, working), NEAREST)
    total, term, n = 0, 1 << working, 0
    while term >> (working - precision):
        total += term if n % 2 == 0 else -term
        n += 1
        term = (2 * n - 1) * term * half_inverse >> working
    series = mpf.shift(mpf.from_int(total), -working)
    density = exp(mpf.negative(square), working)
    root = mpf.sqrt(mpf.pi(working), working)
    factor = mpf.divide(series, mpf.multiply(x, root, working, NEAREST), working, NEAREST)
    return mpf.multiply(density, factor, precision, NEAREST)


def _erfc_by_series(x: Mpf, precision: int) -> Mpf:
    """Return erfc(x) = 1 − erf(x) for x ≥ 0.

    The difference loses the bits in which erfc(x) > e^(−x²)/(2√π·(x + 1)) is below 1.
    """
    lost = int(mpf.to_float(x) ** 2 * LOG2_E) + max(0, mpf.exponent(x)) + 4
    return mpf.subtract(ONE, erf(x, precision + lost), precision, NEAREST)


def erf(x: Mpf, precision: int) -> Mpf:
    """Return erf(x) = 2x/√π·e^(−x²)·Σ (2x²)ⁿ/(1·3·5···(2n + 1)), in some x²·log₂e terms.

    No term is negative, so that the sum of N of them, in integers, has a relative error below
    2N units.

    >>> mpf.to_text(erf(mpf.from_float(1e-30), 60), 9)
    '1.12837917e-30'
    """
    working = precision + 2 * precision.bit_length()
    square = mpf.multiply(x, x)
    doubled = mpf.to_int(mpf.shift(square, working + 1), NEAREST)
    total, term, n = 0, 1 << working, 0
    while term:
        total += term
        n += 1
        term = (term * doubled >> working) // (2 * n + 1)
    density = exp(mpf.negative(square), working)
    root = mpf.sqrt(mpf.pi(working), working)
    factor = mpf.divide(mpf.multiply(x, density, working, NEAREST), root, working, NEAREST)
    return mpf.multiply(factor, mpf.shift(mpf.from_int(total), 1 - working), precision, NEAREST)
