"""Elementary functions on mpmath's raw numbers that mpmath lacks, or that fail far out.

Each takes a number and a precision in bits, to which its relative error belongs.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from mpmath import libmp

Mpf: TypeAlias = Any
"""mpmath's number (sign, man, exp, bits): (−1)**sign · man · 2**exp, man of that many bits."""


def expm1(x: Mpf, precision: int) -> Mpf:
    """Return eˣ − 1.

    >>> libmp.to_str(expm1(libmp.from_float(1e-30), 60), 15)
    '1.0e-30'
    """
    # eˣ − 1 loses as many leading bits as x has zeros after the point.
    lost = max(0, -(x[2] + x[3]))
    return libmp.mpf_sub(libmp.mpf_exp(x, precision + lost), libmp.fone, precision)


def softplus(x: Mpf, precision: int) -> Mpf:
    """Return log(1 + eˣ).

    >>> libmp.to_str(softplus(libmp.from_int(-100), 60), 9)
    '3.72007598e-44'
    """
    y = libmp.mpf_exp(x, precision)
    if y[2] + y[3] < -precision:
        return y  # log(1 + y) = y·(1 − y/2 + …), and y < 2**−precision
    lost = max(0, -(y[2] + y[3]))
    return libmp.mpf_log(libmp.mpf_add(libmp.fone, y, precision + lost, "n"), precision)


def minus_erfc(x: Mpf, precision: int) -> Mpf:
    """Return −erfc(x), an increasing function.

    >>> libmp.to_str(minus_erfc(libmp.from_int(5), 60), 9)
    '-1.53745979e-12'
    """
    if x[2] + x[3] <= 64:
        return libmp.mpf_neg(libmp.mpf_erfc(x, precision))
    return _minus_erfc_far_out(x, precision)


def _minus_erfc_far_out(x: Mpf, precision: int) -> Mpf:
    """Return −erfc(x) for |x| ≥ 2**64; from about 1e154 on mpmath 1.4 overflows.

    erfc(x) = e^(−x²)/(x√π)·(1 − 1/(2x²) + 3/(4x⁴) − …), with an error below the first term
    left out: with terms to x^(−2n) it is relatively below (2n+1)!!/(2x²)^(n+1).
    """
    sign, *_ = x
    square = libmp.mpf_mul(x, x)
    half_inverse = libmp.mpf_div(libmp.fhalf, square, precision)
    term = series = libmp.fone
    n = 1
    while term != libmp.fzero and term[2] + term[3] > -precision:
        term = libmp.mpf_mul_int(libmp.mpf_mul(term, half_inverse), -(2 * n - 1), precision, "n")
        series = libmp.mpf_add(series, term, precision, "n")
        n += 1
    density = libmp.mpf_exp(libmp.mpf_neg(square), precision)
    root = libmp.mpf_sqrt(libmp.mpf_pi(precision), precision)
    tail = libmp.mpf_mul(libmp.mpf_div(density, libmp.mpf_mul(libmp.mpf_abs(x), root), precision),
                         series, precision, "n")  # fmt: skip
    if sign:
        return libmp.mpf_sub(tail, libmp.from_int(2), precision, "n")
    return libmp.mpf_neg(tail)
