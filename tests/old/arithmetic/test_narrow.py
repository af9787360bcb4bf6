"""A format's own arithmetic, against arrays of numpy's and ml_dtypes' own."""

import math
import operator
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.arithmetic.narrow import NarrowArithmetic
from tests.old.every import every
from tests.truth.mpmath import nearest

SMALL = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
every_dtype = every("dtype", FORMATS)
OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv]


def arithmetic(dtype):
    return NarrowArithmetic(FORMATS[dtype])


def some_pairs(dtype):
    """Pairs of finite numbers of all sizes; of sizes that meet; every pair with 8 bits."""
    width = np.dtype(dtype).itemsize * 8
    if width == 8:
        x = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float32)
        x = x[np.isfinite(x)]
        return (part.ravel() for part in np.meshgrid(x, x))
    generator = np.random.default_rng(1)
    x = generator.integers(0, 2**width, 100_000, dtype=np.uint64).astype(f"u{width // 8}")
    near = x + generator.integers(-300, 300, len(x)).astype(x.dtype)
    x, y = x.view(dtype), np.where(generator.random(len(x)) < 0.5, x[::-1], near).view(dtype)
    finite = np.isfinite(x) & np.isfinite(y)
    kind = np.float64 if dtype == "float64" else np.float32
    return x[finite].astype(kind), y[finite].astype(kind)


def same(got, want):
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got)[got == 0], np.signbit(want)[got == 0])


@every_dtype
@every("operation", OPERATIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_four_operations_round_as_the_libraries_do(dtype, operation):
    a = arithmetic(dtype)
    x, y = some_pairs(dtype)
    got = a.floats(operation(a.numbers(x), a.numbers(y)))
    want = operation(x.astype(dtype), y.astype(dtype))
    assert want.dtype == dtype
    same(got, want.astype(got.dtype))


@every("dtype", SMALL)
@every("operation", OPERATIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_four_operations_round_once(dtype, operation):
    """Fractions know nothing of the float32s that carry the numbers."""
    a = arithmetic(dtype)
    x, y = (part[:: 1 + len(part) // 800] for part in map(np.asarray, some_pairs(dtype)))
    x, y = x[: len(y)][y[: len(x)] != 0], y[: len(x)][y[: len(x)] != 0]
    got = a.floats(operation(a.numbers(x), a.numbers(y)))
    largest = Fraction(float(ml_dtypes.finfo(dtype).max))
    for left, right, result in zip(x.tolist(), y.tolist(), got.tolist(), strict=True):
        exact = operation(Fraction(left), Fraction(right))
        if abs(exact) <= largest:
            assert result == nearest(exact, dtype)


@every("dtype", SMALL)
def test_a_square_root_rounds_once(dtype):
    a = arithmetic(dtype)
    x = np.array([x for x in FORMATS[dtype].finite_numbers() if x > 0][::37], np.float32)
    for square, root in zip(x.tolist(), a.floats(a.sqrt(a.numbers(x))).tolist(), strict=True):
        digits = Fraction(math.isqrt(int(Fraction(square) * 4**200)), 2**200)
        assert root == nearest(digits, dtype)


@every_dtype
@every("name", ["exp", "tanh", "erf", "erfc"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_function_gives_numbers_of_the_format_near_its_values(dtype, name):
    a = arithmetic(dtype)
    x = np.array([-2.0, -0.75, -0.0, 0.0, 0.125, 1.0, 1.75, 4.0], np.float32)
    got = a.floats(getattr(a, name)(a.numbers(x)))
    np.testing.assert_array_equal(got, got.astype(dtype).astype(got.dtype))
    want = [getattr(math, name)(v) for v in x.tolist()]
    np.testing.assert_allclose(
        got, want, rtol=2 * float(ml_dtypes.finfo(dtype).eps),
        atol=float(ml_dtypes.finfo(dtype).smallest_subnormal),
    )  # fmt: skip


@every_dtype
def test_constants_are_the_nearest_numbers(dtype):
    a = arithmetic(dtype)
    for value in (Fraction(1, 3), Fraction(44715, 10**6), Fraction(1702, 1000), Fraction(-1, 10)):
        assert a.floats(a.rational(value)) == nearest(value, dtype)
    assert a.floats(a.pi) == nearest(Fraction(314159265358979323846, 10**20), dtype)


@every_dtype
def test_whole_numbers_mix_with_numbers_from_both_sides(dtype):
    a = arithmetic(dtype)
    x = a.numbers(np.array([3.0, -0.5], np.float32))
    got = [a.floats(y).tolist() for y in (1 + x, x + 1, 1 - x, x - 1, 2 * x, x * 2, 1 / x, x / 2)]
    third = nearest(Fraction(1, 3), dtype)
    assert got == [[4, 0.5], [4, 0.5], [-2, 1.5], [2, -1.5], [6, -1], [6, -1], [third, -2],
                   [1.5, -0.25]]  # fmt: skip
    assert a.floats(-x).tolist() == [-3, 0.5]


@every(
    ("dtype", "x", "kept"),
    [("bfloat16", 3.4e38, math.inf), ("bfloat16", -3.4e38, -math.inf),
     ("bfloat16", 1e-41, 0.0), ("bfloat16", 2.0**-134, 0.0), ("bfloat16", 3 * 2.0**-134, 2.0**-132),
     ("bfloat16", 1.00390625, 1.0), ("bfloat16", 1.01171875, 1.015625),
     ("float16", 65520.0, math.inf), ("float16", 65519.0, 65504.0),
     ("float8_e5m2", 61440.0, math.inf),
     ("float8_e4m3fn", 464.0, 448.0), ("float8_e4m3fn", 465.0, math.nan)],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_floats_are_rounded_to_the_format(dtype, x, kept):
    a = arithmetic(dtype)
    np.testing.assert_array_equal(a.floats(a.numbers(np.array([x, math.nan], np.float32))),
                                  [kept, math.nan])  # fmt: skip
