"""Operations that round toward zero or lose subnormal numbers, one by one in fractions."""

import math
import operator
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.arithmetic.narrow import NarrowArithmetic
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.routines import ROUTINES
from tests.old.every import every

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv]
PRECISIONS = {
    "float64": (53, -1022), "float32": (24, -126), "float16": (11, -14), "bfloat16": (8, -126),
    "float8_e4m3fn": (4, -6), "float8_e5m2": (3, -14),
}  # fmt: skip
LARGEST = {"float8_e4m3fn": 448, "float8_e5m2": 57344, "float16": 65504}
every_dtype = every("dtype", PRECISIONS)
small_dtype = every("dtype", [*PRECISIONS][1:])


def unit(y, dtype):
    """The distance of numbers of the format around y, a fraction that is not 0."""
    precision, emin = PRECISIONS[dtype]
    exponent = abs(y).numerator.bit_length() - y.denominator.bit_length()
    exponent -= abs(y) < Fraction(2) ** exponent
    return Fraction(2) ** (max(exponent, emin) - precision + 1)


def cut(y, dtype, flush=False):
    """A fraction rounded toward zero."""
    if not y:
        return y
    precision, emin = PRECISIONS[dtype]
    emax = 1 - emin
    largest = LARGEST.get(dtype) or (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** emax
    size = min(abs(y) // unit(y, dtype) * unit(y, dtype), largest)
    if flush and size < Fraction(2) ** emin:
        return Fraction(0)
    return Fraction(size if y > 0 else -size)


def numbers(dtype, count):
    """Finite numbers of all sizes, and of sizes that meet."""
    number_format = FORMATS[dtype]
    generator = np.random.default_rng(2)
    bits = generator.integers(0, 2**number_format.width, count, dtype=np.uint64)
    middle = generator.uniform(-4, 4, count // 2)
    x = [number_format.number(int(each)) for each in bits]
    x += [number_format.from_float(each) for each in middle]
    return np.array([each for each in x if math.isfinite(each)])


def same(got, want):
    """Whether a float is a fraction, or nothing is left of both."""
    return Fraction(float(got)) == Fraction(want)


@small_dtype
@every("operation", OPERATIONS)
def test_the_four_operations_round_toward_zero_once(dtype, operation):
    a = NarrowArithmetic(FORMATS[dtype], truncate=True)
    x, y = numbers(dtype, 400), numbers(dtype, 400)[::-1]
    x, y = x[y != 0], y[y != 0]
    got = a.floats(operation(a.numbers(x), a.numbers(y))).tolist()
    for left, right, result in zip(x.tolist(), y.tolist(), got, strict=True):
        exact = operation(Fraction(left), Fraction(right))
        assert same(result, cut(exact, dtype)), (left, right)


@small_dtype
def test_a_square_root_rounds_toward_zero_once(dtype):
    a = NarrowArithmetic(FORMATS[dtype], truncate=True)
    x = np.abs(numbers(dtype, 300))
    roots = map(Fraction, a.floats(a.sqrt(a.numbers(x))).tolist())
    for square, root in zip(x.tolist(), roots, strict=True):
        step = unit(root, dtype) if root else 0
        assert root**2 <= Fraction(square) < (root + step) ** 2 or root == square == 0


@every_dtype
@every("operation", OPERATIONS)
def test_what_is_subnormal_is_flushed(dtype, operation):
    plain, flushing = (NarrowArithmetic(FORMATS[dtype], flush=each) for each in (False, True))
    least = 2.0 ** PRECISIONS[dtype][1]
    x, y = numbers(dtype, 400), numbers(dtype, 400)[::-1]
    x, y = (np.where(np.abs(each) < least, 0 * each, each) for each in (x, y))
    with np.errstate(all="ignore"):
        want, got = (a.floats(operation(a.numbers(x), a.numbers(y))) for a in (plain, flushing))
        np.testing.assert_array_equal(got, np.where(np.abs(want) < least, 0, want))
        same_sign = np.signbit(got) == np.signbit(want)
    assert np.all(same_sign | np.isnan(want))
    assert flushing.floats(flushing.numbers(np.array([least / 2]))).tolist() == [0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinities_stay_and_what_overflows_does_not():
    a = NarrowArithmetic(FORMATS["bfloat16"], truncate=True)
    largest = FORMATS["bfloat16"].largest
    x = a.numbers(np.array([largest, np.inf, -np.inf, np.nan]))
    assert a.floats(x + x).tolist()[:3] == [largest, np.inf, -np.inf]
    assert a.floats(a.exp(x)).tolist()[:3] == [largest, np.inf, 0]
    assert a.floats(1 / (x * 0)).tolist()[:1] == [np.inf]
    assert all(math.isnan(each) for each in a.floats(x - x).tolist()[1:])


def erfc_in(x, dtype, flush):
    """½x·erfc(−x/√2), number by number."""

    def kept(y):
        return cut(Fraction(y), dtype, flush)

    root = kept(math.sqrt(0.5))
    inside = kept(-kept(x) * root)
    with mpmath.workprec(200):
        function = mpmath.erfc(mpmath.mpf(inside.numerator) / inside.denominator)
        function = kept(float(function))
    return kept(kept(x) * kept(Fraction(1, 2) * function))


@every("flush", [False, True])
def test_a_routine_is_its_operations_rounded_toward_zero(flush):
    bfloat16 = FORMATS["bfloat16"]
    kernel = routine_implementation(ROUTINES["erfc"], "value", bfloat16, truncate=True, flush=flush)
    x = np.unique(np.concatenate([np.linspace(-20, 5, 400), [-13, -13.5, 1e-39, 1e30]]))
    x = np.array([bfloat16.from_float(each) for each in x.tolist()], np.float32)
    got = kernel(x).astype(np.float64)
    for point, result in zip(x.tolist(), got.tolist(), strict=True):
        assert same(result, erfc_in(Fraction(point), "bfloat16", flush)), point
    asked = {"routine": "erfc", "compute": "bfloat16", "truncate": True}
    assert kernel.asked == asked | ({"flush": True} if flush else {})
    copy = pickle.loads(pickle.dumps(kernel))
    np.testing.assert_array_equal(copy(x), kernel(x))
