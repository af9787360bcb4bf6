"""Roots: the truth is inside, the signs at the ends are certain, and little else."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from mpmath import libmp

from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.calculus.roots import enclose_root, sign_at
from gelu_cli.old.calculus.stretches import Place
from tests.old.every import every
from tests.truth.mpmath import M, fraction

ROOTS = st.fractions(-1000, 1000, max_denominator=10**6).filter(lambda r: abs(r) > 1e-6)
SHARES = st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000)
PRECISIONS = st.sampled_from([60, 93, 200, 500])


def ends(interval):
    return [Fraction(*libmp.to_rational(end)) for end in (interval.low, interval.high)]


def assert_encloses(interval, root, precision, bits=20):
    low, high = ends(interval)
    assert low <= root <= high
    assert high - low <= abs(root) * Fraction(2) ** (bits - precision)


def assert_certified(f, interval):
    points = (Interval(end, end, interval.precision) for end in (interval.low, interval.high))
    a = IntervalArithmetic(interval.precision)
    assert {f(a, point).sign for point in points} == {-1, 1}


@given(
    root=ROOTS, left=SHARES, right=SHARES, precision=PRECISIONS,
    slope=st.sampled_from([1, -1, 10**-300, -(10**300), 7]), bump=st.fractions(0, 100),
)  # fmt: skip
def test_the_root_of_a_random_cubic_is_enclosed(root, left, right, precision, slope, bump):
    """slope·(x − r)·((x − r)² + bump + 1) has no other real root."""

    def f(a, x):
        d = x - a.rational(root)
        return a.rational(Fraction(slope)) * d * (d * d + a.rational(bump + 1))

    found = enclose_root(f, root - abs(root) * left, root + abs(root) * right, precision)
    assert_encloses(found, root, precision)
    assert_certified(f, found)


@every("precision", [60, 150, 1000])
@every(
    ("f", "low", "high", "want"),
    [
        (lambda a, x: x * x - 2, 1, 2, lambda: M.sqrt(2)),
        (lambda a, x: 2 - x * x, -(10**9), -1, lambda: -M.sqrt(2)),
        (lambda a, x: a.exp(x) - 2, -700, 700, lambda: M.log(2)),
        (lambda a, x: a.exp(-x) - a.rational(Fraction(1, 10**200)), 0, 1000,
         lambda: 200 * M.log(10)),
        (lambda a, x: a.erfc(x) - a.rational(Fraction(1, 10**9)), -5, 30,
         lambda: M.findroot(lambda t: M.erfc(t) - M.mpf(10) ** -9, (4, 5), solver="anderson")),
        (lambda a, x: x**9 - 2, 0, 100, lambda: M.root(2, 9)),
    ],
    ids=["√2", "−√2", "log 2", "flat tail", "erfc", "ninth root"],
)  # fmt: skip
def test_at_real_brackets_mpmaths_root_is_inside(f, low, high, want, precision):
    with M.workdps(350):
        root = fraction(want())
    found = enclose_root(f, Fraction(low), Fraction(high), precision)
    assert_encloses(found, root, precision)
    assert_certified(f, found)


@every("side", [-1, 1])
@every(("bits", "told"), [(10, 1), (60, 1), (200, 1), (900, 1), (5000, 0)])
def test_a_sign_is_found_however_much_cancels(side, bits, told):
    hair = Fraction(side, 2**bits)
    curve = lambda a, x: (a.rational(3) + a.rational(hair) * x) - 3  # noqa: E731
    assert sign_at(curve, Place.of(Fraction(1))) == side * told
