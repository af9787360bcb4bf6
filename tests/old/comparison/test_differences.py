"""Where two kernels differ, and which is nearer the truth, against fractions and mpmath."""

from fractions import Fraction
from math import inf, isfinite, isnan, nan
from types import MappingProxyType
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.comparison.differences import Differences, nearer
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.regions import cell_number
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question, truth_at
from tests.old.every import every
from tests.truth.slow_judge import overflows, rounded, true_value, ulp

SMALL = {
    "bfloat16": ml_dtypes.bfloat16,
    "float16": np.float16,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}
DTYPES = {**SMALL, "float32": np.float32, "float64": np.float64}


class Pair(NamedTuple):
    """One input with the results of both."""

    x: float
    a: float
    b: float


class Everything:
    """An observer that keeps all results of both kernels."""

    def see(self, sight):
        columns = (map(float, column) for column in (sight.x, *sight.got.values()))
        return [Pair(*row) for row in zip(*columns, strict=True)]

    def add(self, first, second):
        return first + second

    def finish(self, verdicts, seen):
        """Leave verdicts as they are."""


class Changed(NamedTuple):
    """A kernel whose results are changed."""

    kernel: object
    change: object
    name: str = "changed"
    environments, notes, asked = MappingProxyType({}), (), MappingProxyType({})

    def __call__(self, x):
        return self.change(self.kernel(x).copy())


def changed(kernel, change):
    return kernel._replace(implementation=Changed(kernel.implementation, change))


def moved(steps):
    """Return what takes results some numbers further."""

    def change(got):
        for _ in range(abs(steps)):
            got = np.nextafter(got, np.float32(np.copysign(np.inf, steps)))
        return got

    return change


def spoil(got):
    """Have NaN, infinities and zeros of both signs here and there."""
    for i, value in enumerate((nan, inf, -inf, 0.0, -0.0)):
        got[3 + i :: 29] = value
    return got


def kernel(name, dtype, quantity="value", form="exact", result=None):
    implementation = routine_implementation(
        find_routine(name), quantity, FORMATS[result or dtype], FORMATS[dtype]
    )
    other = FORMATS[result] if result else None
    return Kernel(implementation, Question(find_form(form), quantity, FORMATS[dtype], other))


def seen(kernels, inputs, *, ftz=False):
    observers = [Differences(kernels[0].question, 10, ftz), Everything()]
    with Sweep(kernels, inputs, ftz=ftz, observers=observers) as sweep:
        sweep.verdicts()
    return sweep.seen


def nearer_by_fractions(question, dtype, pair):
    """Return 1, −1 or 0, from the definitions alone."""
    x, a, b = pair
    y = true_value(question.form.name, question.quantity, x)
    want = rounded(dtype, y)
    if overflows(dtype, y):
        want = nan if dtype == ml_dtypes.float8_e4m3fn else np.copysign(inf, float(y))

    def rank(got):
        due = (isnan(got) and isnan(want)) or got == want
        return 1 if isfinite(got) else 2 * due

    if isfinite(a) and isfinite(b):
        far, near = abs(Fraction(a) - y), abs(Fraction(b) - y)
        return (far < near) - (far > near)
    return (rank(a) > rank(b)) - (rank(a) < rank(b))


def differ(a, b):
    if isnan(a) or isnan(b):
        return isnan(a) != isnan(b)
    return (a, np.signbit(a)) != (b, np.signbit(b))


def check(kernels, dtype, inputs):
    """Compare everything that is seen with fractions."""
    question = kernels[0].question
    found, pairs = seen(kernels, inputs)
    apart = [pair for pair in pairs if differ(pair.a, pair.b)]
    cells = {}
    for pair in pairs:
        sign = nearer_by_fractions(question, dtype, pair) if differ(pair.a, pair.b) else None
        counts = cells.setdefault(cell_number(question.dtype, pair.x), [0, 0, 0, 0])
        for i, counted in enumerate((True, sign is not None, sign == 1, sign == -1)):
            counts[i] += counted
    assert {cell: list(count[:4]) for (_, cell), count in found.cells.items()} == cells
    assert found.first[:3] == pytest.approx(apart[0], rel=0, nan_ok=True)
    largest = []
    for x, a, b in apart:
        y = true_value(question.form.name, question.quantity, x)
        size = abs(Fraction(a) - Fraction(b)) / ulp(dtype, y) if isfinite(a - b) else inf
        largest.append((float(size), x))
    best = sorted(largest, key=lambda each: -each[0])[:10]
    assert [(each.ulp, each.x) for each in found.largest] == best


@every("dtype", ["float8_e4m3fn", "float8_e5m2"])
@every("quantity", ["value", "gradient"])
def test_every_8_bit_input(dtype, quantity):
    a, b = (kernel(name, dtype, quantity) for name in ("erfc", "tanh_sum"))
    check([a, changed(b, spoil)], DTYPES[dtype], Inputs())


@every(
    ("dtype", "inputs"),
    [
        ("bfloat16", Inputs(-4, -3)),
        ("float16", Inputs(0.001, 0.002)),
        ("float32", Inputs(-9, -0.01, every=False, samples=500)),
        ("float64", Inputs(0.25, 9, every=False, samples=300)),
    ],
)
def test_some_inputs(dtype, inputs):
    a, b = (kernel(name, dtype) for name in ("erf_sum", "tanh_sum"))
    check([a, changed(b, spoil)], DTYPES[dtype], inputs)


BESIDE_LINES = {
    "x": (20, 20.001), "0": (-20.001, -20), "x/2": (1e-30, 1.001e-30), "nothing": (1, 1.001),
    "half of x": (0.01, 0.01001), "subnormal": (1e-40, 1.2e-40), "least": (0, 1e-41),
}  # fmt: skip
"""Ranges of float32s by the line that the form is beside."""


@every("ends", BESIDE_LINES.values(), ids=BESIDE_LINES)
@every("steps", [(-1, 1), (2, -3)])
def test_middles_of_float32s_next_to_the_truth(ends, steps):
    """The middle of what is just below and just above is the line, which the truth is beside."""
    right = kernel("erfc", "float32")
    found, pairs = seen([changed(right, moved(n)) for n in steps], Inputs(*ends, every=True))
    assert sum(count.differ for count in found.cells.values()) == len(pairs)
    some = pairs[:: max(1, len(pairs) // 40)]
    signs = [nearer_by_fractions(right.question, np.float32, pair) for pair in some]
    assert signs_of(right.question, some) == signs
    every = signs_of(right.question, pairs)  # the sweep, which takes shortcuts, counts as many
    counts = [sum(count[i] for count in found.cells.values()) for i in (2, 3)]
    assert counts == [every.count(1), every.count(-1)]


def signs_of(question, pairs):
    """The signs that the code has without what a sweep knows of its inputs."""
    x, a, b = (np.array(column) for column in zip(*pairs, strict=True))
    return nearer(question, x, a, b, truth_at(question, x)).tolist()


def test_what_flushes_is_right_where_that_is_allowed():
    right = kernel("erfc", "bfloat16")
    flushing = changed(right, lambda got: np.where(np.abs(got) < 2.0**-126, np.float32(0), got))
    pair = [right, flushing]
    inputs = Inputs(2.0**-132, 2.0**-120)
    for ftz in (False, True):
        found, pairs = seen(pair, inputs, ftz=ftz)
        apart = [x for x, a, b in pairs if a != b]
        wrong = sum(right.question.want(x) != a for x, a, b in pairs if a != b)
        assert 0 < wrong < len(apart)
        counts = [count[1:4] for count in found.cells.values()]
        differ, *nearer = map(sum, zip(*counts, strict=True))
        assert (differ, nearer) == (len(apart), [0, wrong] if ftz else [len(apart), 0])


@pytest.mark.slow
@every("dtype", ["bfloat16", "float16"])
@every("pair", [("erfc", "erf_sum"), ("tanh_sum", "logistic")])
def test_every_16_bit_input(dtype, pair):
    check([kernel(name, dtype) for name in pair], DTYPES[dtype], Inputs())
