"""Results judged the slow way: exact fractions, one input at a time, straight from the definitions.

Formats are known here by what ml_dtypes says of them, and by the list of all their numbers.
"""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import cache

import ml_dtypes
import numpy as np

from tests.truth.mpmath import FORMS, M, fraction, ratio

DIGITS = 60
LAST_BUCKET = 65
FAR, NOTHING = 300, Fraction(1, 10**190)
"""Beyond ±FAR the forms and their gradients are less than NOTHING from where they go."""


@cache
def all_numbers(dtype):
    """Return all finite numbers of a 16- or 8-bit format, ascending, with one zero."""
    return sorted({float(x) for half in patterns(dtype) for x in half})


def patterns(dtype):
    """Return all finite numbers in the order of their bit patterns: two lists, one a sign."""
    width = np.dtype(dtype).itemsize * 8
    with np.errstate(invalid="ignore"):  # signalling NaNs
        every = np.arange(2**width).astype(f"u{width // 8}").view(dtype).astype(float)
    return [half[np.isfinite(half)] for half in np.split(every, 2)]


@cache
def true_value(form, quantity, x):
    """Return a smooth form at x as a Fraction, good to DIGITS digits."""
    if abs(x) > FAR:
        if x < 0:
            return -NOTHING
        return Fraction(x) - NOTHING if quantity == "value" else 1 + NOTHING
    with M.workdps(DIGITS):
        f, point = FORMS[form], ratio(x)
        y = f(point) if quantity == "value" else M.diff(f, point)
        if abs(y) < M.mpf(10) ** -190:
            return -NOTHING if x else Fraction(0)
        exact = fraction(y)
    return exact - NOTHING if quantity == "value" and exact == x != 0 else exact


def ulp(dtype, y):
    """Return 2^(max(⌊log₂|y|⌋, emin) − p + 1)."""
    known = ml_dtypes.finfo(dtype)
    unit = Fraction(2) ** max(math.frexp(float(y))[1], int(known.minexp))
    while abs(y) < unit and unit > Fraction(2) ** int(known.minexp):
        unit /= 2
    return unit / 2 ** int(known.nmant)


def rounded(dtype, y):
    """Return the nearest number, of two equally near ones the one at the even place."""
    every = all_numbers(dtype)
    middle = bisect_left(every, float(y))
    zero = bisect_left(every, 0.0)
    near = range(max(middle - 1, 0), min(middle + 2, len(every)))
    return every[min(near, key=lambda i: (abs(Fraction(every[i]) - y), (i - zero) % 2))]


def steps(dtype, a, b):
    """Return how many steps lead from one number to another; infinity is one after the largest."""
    every = all_numbers(dtype)
    places = [
        bisect_left(every, x) if math.isfinite(x) else len(every) if x > 0 else -1 for x in (a, b)
    ]
    return abs(places[0] - places[1])


def slow_tally(dtype, halves, truth, keep):
    """Return what `Tally` holds, as a dictionary; `halves` are lists of (x, result)."""
    counts = dict.fromkeys(
        ("inputs", "judged", "over_half_ulp", "over_1_ulp", "misrounded", "wrong_nan", "wrong_inf",
         "wrong_sign", "wrong_zero", "non_monotone"), 0,
    )  # fmt: skip
    histogram, worst, failures, furthest, total = {}, [], [], -1, Fraction(0)
    for pairs in halves:
        before = None
        for x, got in pairs:
            y = truth(x)
            counts["inputs"] += 1
            if before is not None:
                one_way = (got < before[0] and y > before[1]) or (got > before[0] and y < before[1])
                counts["non_monotone"] += one_way
            before = got, y
            if not math.isfinite(got):
                counts["wrong_nan" if math.isnan(got) else "wrong_inf"] += 1
                failures.append((x, got))
                continue
            want, error = rounded(dtype, y), abs(Fraction(got) - y) / ulp(dtype, y)
            counts["judged"] += 1
            counts["over_half_ulp"] += error > Fraction(1, 2)
            counts["over_1_ulp"] += error > 1
            counts["misrounded"] += got != want
            counts["wrong_zero"] += (got == 0) != (want == 0)
            counts["wrong_sign"] += got * want < 0
            bucket = 0
            while error > Fraction(2) ** (bucket - 1) and bucket < LAST_BUCKET:
                bucket += 1
            histogram[bucket] = histogram.get(bucket, 0) + 1
            total += error
            worst.append((error, x, got))
            furthest = max(furthest, steps(dtype, got, want))
    worst.sort(key=lambda entry: -entry[0])
    return {**counts, "sum_ulp": total, "histogram": histogram, "worst": worst[:keep],
            "failures": failures[:keep], "furthest": furthest}  # fmt: skip
