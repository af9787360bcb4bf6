"""Extended numbers for the tests: how to make them, and what they claim, in mpmath."""

import math

import numpy as np
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.extended.number import Extended
from gelu_cli.old.arithmetic.format_arrays import SLACK
from tests.truth.mpmath import M

KINDS = ("without a scale", "with a scale")


def sizes(least, greatest):
    """Floats of either sign whose exponents are spread evenly, and those that have few bits."""
    mantissas = st.integers(2**52, 2**53 - 1) | st.sampled_from(
        [2**52, 2**52 + 1, 2**53 - 1, 3 * 2**51, 2**53 - 2**26, 2**52 + 2**26 - 1]
    )
    return st.builds(
        lambda sign, m, e: sign * math.ldexp(m, e - 52),
        st.sampled_from([1, -1]), mantissas, st.integers(least, greatest - 1),
    )  # fmt: skip


def rest_of(high):
    """Return what may stand below `high`: up to half a unit in its last place."""
    k = st.integers(-(2**53), 2**53) | st.sampled_from([0, 1, -1, 2**53, -(2**53), 2**52, 2**27])
    return k.map(lambda k: math.ldexp(k, -54) * math.ulp(high)).filter(lambda y: high + y == high)


def pairs(least=-150, greatest=150):
    """Sums of two float64s as the double-double functions want them."""
    return sizes(least, greatest).flatmap(lambda high: st.tuples(st.just(high), rest_of(high)))


def exact(x, kind="without a scale"):
    """Return float64s as numbers without error; a scale carries all of their exponents."""
    x = np.array(x, dtype=float)
    if kind == KINDS[0]:
        return Extended(x, np.zeros_like(x), np.zeros_like(x))
    mantissa, exponent = np.frexp(x)
    return Extended(mantissa, np.zeros_like(x), np.zeros_like(x), exponent.astype(np.int64))


def columns(y):
    """Return high, low, error and scale as lists of equal length."""
    scale = 0 if y.scale is None else y.scale
    return [np.ravel(c).tolist() for c in np.broadcast_arrays(y.high, y.low, y.error, scale)]


def numbers(y):
    """Return what the numbers are, error aside."""
    return [
        M.ldexp(M.mpf(high) + M.mpf(low), scale)
        for high, low, _, scale in zip(*columns(y), strict=True)
    ]


def bounds(y):
    """Return the error bounds as the rounding believes them."""
    _, _, errors, scales = columns(y)
    return [M.ldexp(M.mpf(e) * SLACK, s) for e, s in zip(errors, scales, strict=True)]


def outside(y, truths):
    """Return the (index, |number − truth|, bound) of the numbers that break their bounds."""
    found = zip(numbers(y), bounds(y), truths, strict=True)
    return [
        (i, M.nstr(abs(number - truth), 5), M.nstr(bound, 5))
        for i, (number, bound, truth) in enumerate(found)
        if not abs(number - truth) <= bound
    ]


def bits(y):
    """Return how many leading bits of each number its bound leaves alone."""
    high, _, error, _ = np.broadcast_arrays(y.high, y.low, y.error, 0)
    with np.errstate(divide="ignore"):
        return -np.log2(error / np.abs(high))
