"""Results judged the slow way: exact fractions, one input at a time, straight from the definitions.

Inputs are numbers of one format, results of the same or of another one.

Formats are known here by what ml_dtypes says of them, and by their neighbouring numbers.
"""

import math
from fractions import Fraction
from functools import cache

import ml_dtypes
import numpy as np

from tests.truth.mpmath import FORMS, M, bits, fraction, nearest, ratio

DIGITS = 60
LAST_BUCKET = 65
FAR, NEAR = 1200, 1e-40
NOTHING = Fraction(1, 10**500)
"""Beyond ±FAR the forms and their gradients are less than NOTHING from where they go, ever nearer:
silu is −x·e^x there, less than 10⁻⁵¹⁷. What rounds to 0 in every format is as good as that, too."""


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
def bend(form):
    """Return c of a form that is x/2 + cx² + O(x⁴) next to 0, to 50 digits."""
    with M.workdps(120):
        h = M.mpf(10) ** -30
        return fraction((FORMS[form](h) - h / 2) / h**2)


@cache
def true_value(form, quantity, x):
    """Return a form that is a smooth gate of x at x as a Fraction, good to DIGITS digits.

    Next to 0 it is x/2 + cx². What the digits do not show of the distance from x, or from 1, is
    told by its sign.
    """
    nothing = NOTHING / abs(Fraction(x)) if x else NOTHING
    if abs(x) > FAR:
        if x < 0:
            return -nothing
        return Fraction(x) - nothing if quantity == "value" else 1 + nothing
    if abs(x) < NEAR:
        half, rest = Fraction(1, 2), bend(form) * Fraction(x)
        return Fraction(x) * (half + rest) if quantity == "value" else half + 2 * rest
    with M.workdps(DIGITS):
        f, point = FORMS[form], ratio(x)
        y = f(point) if quantity == "value" else M.diff(f, point)
        if abs(y) < M.mpf(10) ** -480:
            return -nothing
        exact = fraction(y)
    if quantity == "value":
        return exact - nothing if exact == x else exact
    return 1 + nothing if exact == 1 else exact


def ulp(dtype, y):
    """Return 2^(max(⌊log₂|y|⌋, emin) − p + 1)."""
    known = ml_dtypes.finfo(dtype)
    size = abs(Fraction(y))
    near = size.numerator.bit_length() - size.denominator.bit_length()  # ⌊log₂|y|⌋, or 1 more
    exponent = max(near - (size < Fraction(2) ** near), int(known.minexp)) if size else known.minexp
    return Fraction(2) ** (int(exponent) - int(known.nmant))


def overflows(dtype, y):
    """Return whether y rounds to no number: it is half a unit beyond the largest one, or more.

    Half a unit beyond is a tie: the number after the largest would be even, but odd in E4M3.
    """
    largest = Fraction(float(ml_dtypes.finfo(dtype).max))
    end = largest + ulp(dtype, largest) / 2
    return abs(y) > end or (abs(y) == end and dtype != "float8_e4m3fn")


def rounded(dtype, y):
    """Return the number nearest to y, or the largest one where y is beyond it."""
    largest = Fraction(float(ml_dtypes.finfo(dtype).max))
    return nearest(max(-largest, min(Fraction(y), largest)), dtype)


def steps(dtype, a, b):
    """Return how many steps lead from one number to another; infinity is one after the largest."""
    return abs(_place(dtype, a) - _place(dtype, b))


def _place(dtype, x):
    infinite = math.isinf(x)
    size = np.array(ml_dtypes.finfo(dtype).max if infinite else abs(x), dtype)
    place = int(bits(size)) + infinite
    return -place if x < 0 else place


def judged(dtype, result, x, got, truth, ftz):
    """Return the error in ULP of a finite result, the number and the value it should have been.

    A machine that flushes may give 0 for a subnormal result, and for a subnormal input what is
    due at 0.
    """
    y, least, least_x = truth(x), *map(least_normal, (result, dtype))
    if ftz and got == 0 and abs(y) < least:
        return Fraction(0), 0.0, y
    given = (y, truth(0.0)) if ftz and abs(x) < least_x else (y,)
    answers = ((abs(Fraction(got) - y) / ulp(result, y), rounded(result, y), y) for y in given)
    return min(answers, key=lambda answer: answer[0])


def least_normal(dtype):
    return Fraction(2) ** int(ml_dtypes.finfo(dtype).minexp)


def fault(dtype, got, y):
    """Return what is counted of a result that has no error in ULP, or nothing if it is right."""
    largest = float(ml_dtypes.finfo(dtype).max)
    if not overflows(dtype, y):
        return "wrong_nan" if math.isnan(got) else "wrong_inf"
    if got == math.copysign(largest, y):
        return "saturated"
    if dtype == "float8_e4m3fn" or math.isnan(got):
        return "wrong_nan" if (dtype == "float8_e4m3fn") != math.isnan(got) else ""
    return "" if got == math.copysign(math.inf, y) else "wrong_inf"


def slow_tally(dtype, halves, truth, keep, ftz=False, result=None):
    """Return what `Tally` holds, as a dictionary; `halves` are lists of (x, result).

    `result` is the format of results if it is not that of x.
    """
    result = result or dtype
    counts = dict.fromkeys(
        (
            "inputs",
            "judged",
            "over_half_ulp",
            "over_1_ulp",
            "misrounded",
            "wrong_nan",
            "wrong_inf",
            "wrong_sign",
            "wrong_zero",
            "non_monotone",
            "saturated",
        ),
        0,
    )
    histogram, worst, failures, furthest, total = {}, [], [], -1, Fraction(0)
    for pairs in halves:
        before = None
        for x, got in pairs:
            y = truth(x)
            counts["inputs"] += 1
            if before is not None and before[2] != x:
                down, up = got < before[0], got > before[0]
                counts["non_monotone"] += (down and y >= before[1]) or (up and y <= before[1])
            before = got, y, x
            if not math.isfinite(got) or overflows(result, y):
                if name := fault(result, got, y):
                    counts[name] += 1
                    failures += [(x, got, 1.0)] * (name != "saturated")
                continue
            error, want, due = judged(dtype, result, x, got, truth, ftz)
            counts["judged"] += 1
            counts["over_half_ulp"] += error > Fraction(1, 2)
            counts["over_1_ulp"] += error > 1
            counts["misrounded"] += got != want
            counts["wrong_zero"] += (got == 0) != (want == 0)
            counts["wrong_sign"] += Fraction(got) * due < 0
            bucket = 0
            while error > Fraction(2) ** (bucket - 1) and bucket < LAST_BUCKET:
                bucket += 1
            histogram[bucket] = histogram.get(bucket, 0) + 1
            total += error
            worst.append((error, x, got))
            furthest = max(furthest, steps(result, got, want))
    worst.sort(key=lambda entry: -entry[0])
    kinds = [
        ["nan" if math.isnan(got) else math.isinf(got) for _, got, _ in failures[: i + 1]]
        for i in range(len(failures))
    ]
    first = [
        each
        for each, so_far in zip(failures, kinds, strict=True)
        if so_far.count(so_far[-1]) <= keep
    ]
    return {
        **counts,
        "sum_ulp": total,
        "histogram": histogram,
        "worst": worst[:keep],
        "failures": first,
        "furthest": furthest,
    }
