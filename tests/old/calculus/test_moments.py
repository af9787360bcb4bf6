"""Moments against Gauss's rule, every bit of mpmath's, and closed forms to forty digits."""

from decimal import Decimal
from fractions import Fraction
from functools import cache

import pytest

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.moments import HEADINGS, Moments, gaussian_moments, momentum_variance
from gelu_cli.old.formulas import all_forms, find_form
from tests.old.asked import set_to
from tests.old.calculus.expectations import sampled
from tests.old.every import every
from tests.truth.arb import kinks
from tests.truth.mpmath import FORMS, M, decimal_of, fraction, nearest, ratio

NAMES = list(all_forms())
SMOOTH = sorted(name for name in NAMES if not kinks(name))
SPREADS = [(0, 1), (3, 1), (-2, "1/2"), ("1/4", 7), (0, "1e-6"), (0, "1e6"), (3, "1e-6")]
GAUSS = 1e-9  # what a rule in floats is good for, relatively


@cache
def of(name, mean=0, sigma=1, rounding=FLOAT64, **settings):
    return gaussian_moments(set_to(name, **settings), Fraction(mean), Fraction(sigma), rounding)


def by_gausss_rule(name, mean, sigma):
    """The first six moments; both variances from deviations."""
    weights, values, gradients = sampled(name, float(Fraction(mean)), float(Fraction(sigma)))
    f, g = weights @ values, weights @ gradients
    return (
        weights @ gradients**2, g, weights @ (gradients - g) ** 2,
        f, weights @ values**2, weights @ (values - f) ** 2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "mean", "sigma"),
    [
        pytest.param(
            name, *spread, marks=[pytest.mark.slow] * ((k - i) % len(SPREADS) not in {0, 3})
        )
        for i, name in enumerate(NAMES)
        for k, spread in enumerate(SPREADS)
    ],
)
def test_they_are_those_of_gausss_rule(name, mean, sigma):
    got = of(name, mean, sigma)
    size = got.gradient_second_moment, got.second_moment
    for field, mine, other in zip(
        Moments._fields, got, by_gausss_rule(name, mean, sigma), strict=False
    ):
        # A float of f is off by 1e-16 of f, which is more of a small variance.
        scale = size["gradient" not in field] if "variance" in field else abs(mine)
        assert mine == pytest.approx(other, rel=GAUSS, abs=1e-15 * scale), field


@pytest.mark.parametrize(
    ("name", "mean", "sigma"),
    [
        pytest.param(name, *spread, marks=[pytest.mark.slow] * (i % 2 != k))
        for i, name in enumerate(SMOOTH)
        for k, spread in enumerate([(0, 1), (3, "1/2")])
    ],
)
def test_of_smooth_forms_every_bit_is_mpmaths(name, mean, sigma):
    f, m, s = FORMS[name], ratio(mean), ratio(sigma)

    with M.workdps(25):
        step = M.mpf(1) / 16  # the trapezoidal rule: its error is far below 1e-25
        xs = [m + s * step * k for k in range(-11 * 16, 11 * 16 + 1)]
        weights = [step * M.npdf(step * k) for k in range(-11 * 16, 11 * 16 + 1)]
        values = [f(x) for x in xs]
        slopes = [M.diff(f, x) for x in xs]
        first, second = M.fdot(weights, values), M.fdot(weights, [y * y for y in values])
        slope, slope2 = M.fdot(weights, slopes), M.fdot(weights, [y * y for y in slopes])
        variance, slope_variance = second - first**2, slope2 - slope**2
        gains = [1 / M.sqrt(y) for y in (variance, second, slope2)]
        want = [slope2, slope, slope_variance, first, second, variance, *gains]
    assert list(of(name, mean, sigma)) == [nearest(fraction(+y)) for y in want]


third, pi = M.mpf(1) / 3, M.pi
CLOSED = [
    ("exact", 0, 1, "gradient_second_moment", lambda: third + 2 / (3 * M.sqrt(3) * pi)),
    ("exact", 0, 1, "gradient_mean", lambda: M.mpf(1) / 2),
    ("exact", 0, 1, "mean", lambda: 1 / (2 * M.sqrt(pi))),
    ("exact", 0, 1, "second_moment", lambda: third + 1 / (2 * M.sqrt(3) * pi)),
    ("exact", 0, 1, "gain_gradient", lambda: 1 / M.sqrt(third + 2 / (3 * M.sqrt(3) * pi))),
    # E XΦ(X) = σ²·E φ(X) = σ²/√(2π(1 + σ²))
    ("exact", 0, "5/3", "mean", lambda: ratio("25/9") / M.sqrt(2 * pi * (1 + ratio("25/9")))),
    ("relu", 0, 7, "gradient_second_moment", lambda: M.mpf(1) / 2),
    ("relu", 0, 7, "mean", lambda: 7 / M.sqrt(2 * pi)),
    ("relu", 0, 7, "second_moment", lambda: M.mpf(49) / 2),
    ("relu", 1, 2, "gradient_mean", lambda: M.ncdf(M.mpf(1) / 2)),
    ("relu", 1, 2, "mean", lambda: M.ncdf(M.mpf(1) / 2) + 2 * M.npdf(M.mpf(1) / 2)),
    ("elu", 0, 1, "gradient_second_moment", lambda: M.mpf(1) / 2 + M.exp(2) * M.ncdf(-2)),
    ("elu", 0, 1, "gradient_mean", lambda: M.mpf(1) / 2 + M.exp(third * 3 / 2) * M.ncdf(-1)),
    ("silu", 0, 1, "gradient_mean", lambda: M.mpf(1) / 2),
    ("tanh", 0, 3, "gradient_mean", lambda: M.mpf(1) / 2),
    ("noisy_relu", 0, 1, "gradient_second_moment", lambda: third),
    ("noisy_relu", 0, 1, "mean", lambda: 1 / M.sqrt(pi)),
]  # fmt: skip


@every(("name", "mean", "sigma", "field", "want"), CLOSED)
def test_forty_digits_are_those_of_the_closed_form(name, mean, sigma, field, want):
    got = getattr(of(name, mean, sigma, Decimals(40)), field)
    assert got == decimal_of(want(), 40)


@every(
    ("width", "mean", "sigma"),
    [
        ("1e-4", 0, 1),
        ("1e-12", 0, 1),
        ("1e-4", "1/3", "1/10"),
        ("1e-4", -30, 3),
        ("1e-12", 2, 1000),
    ],
)
def test_a_form_much_narrower_than_sigma_has_its_closed_form(width, mean, sigma):
    """Of noisy_relu: E max(0, X + ε) for X + ε ~ N(M, S² + σ²), and its derivatives by M."""
    form = set_to("noisy_relu", sigma=width)
    got = gaussian_moments(form, Fraction(mean), Fraction(sigma), Decimals(20))
    m, s, w = map(ratio, (mean, sigma, width))
    spread = M.sqrt(s**2 + w**2)
    z = m / spread
    assert got.gradient_mean == decimal_of(M.ncdf(z), 20)
    assert got.mean == decimal_of(m * M.ncdf(z) + spread * M.npdf(z), 20)
    if not mean:
        v = (s / w) ** 2
        square = (1 + 2 * M.asin(v / (1 + v)) / pi) / 4
        assert got.gradient_second_moment == decimal_of(square, 20)


def by_quadrature(name, sigma, cuts, **parameters):
    """E f and E f² for X ~ N(0, sigma²) by mpmath's quadrature, on the line cut by hand."""
    with M.workdps(20):
        s = ratio(sigma)
        ends = sorted(
            {side * ratio(cut) * s for cut in (*cuts, 3, 14) for side in (-1, 1)} | {M.zero}
        )

        def mean(power):
            def f(x):
                return FORMS[name](x, **parameters) ** power * M.npdf(x, 0, s)

            return M.quad(f, ends)

        return mean(1), mean(2)


STEEP = [
    ("sigmoid", 1, ("1e-6", "1e-5", "1e-4"), {"beta": "1e6"}),
    ("tanh", 1, ("1e-4", "4e-4"), {"c": "1e12"}),
    ("tanh", 100, ("0.1", "0.9", "0.98", "0.99", 1, "1.01", "1.02", "1.1"), {"c": "-1e-4"}),
    ("tanh", 10, ("0.1", "0.3", "0.6", "0.65", "0.8", "1.2", "1.5", "1.59", "1.61", "1.62", "1.64",
                  "1.7", "2"), {"c": "-0.03", "d": "1e-4"}),
]  # fmt: skip


@every(("name", "sigma", "cuts", "parameters"), STEEP)
def test_a_steep_form_has_mpmaths_moments(name, sigma, cuts, parameters):
    first, second = by_quadrature(name, sigma, cuts, **parameters)
    got = of(name, sigma=sigma, rounding=Decimals(12), **parameters)
    assert (got.mean, got.second_moment) == (decimal_of(first, 12), decimal_of(second, 12))


def test_where_t_of_abramowitz_and_stegun_is_steep_the_digits_are_right():
    """The figure is mpmath's quadrature on intervals that end at powers of 10."""
    got = of("erf_as", rounding=Decimals(18), p="1e12")
    assert got.gradient_second_moment == Decimal("0.499999999999950844")


@every(("mean", "sigma"), [(-30, "1e-3"), (-20, 1)])
def test_far_in_the_tail_the_digits_are_right_too(mean, sigma):
    """E Φ(X) = Φ(M/τ) and E XΦ(X) = MΦ(M/τ) + S²φ(M/τ)/τ with τ² = 1 + S²."""
    got = of("exact", mean, sigma, Decimals(40))
    m, s = ratio(mean), ratio(sigma)
    root = M.sqrt(1 + s**2)
    want = m * M.ncdf(m / root) + s**2 * M.npdf(m / root) / root
    assert got.mean == decimal_of(want, 40)
    slope = M.ncdf(m / root) + M.npdf(m / root) * m / root**3
    assert got.gradient_mean == decimal_of(slope, 40)


def test_next_to_the_minimum_a_mean_gradient_keeps_its_digits():
    """There f′ is a difference that costs as many bits as it is small."""
    place = "-0.7517915246935645"
    with M.workdps(60):
        m, s = ratio(place), ratio("1e-9")
        root = M.sqrt(1 + s**2)
        slope = M.ncdf(m / root) + M.npdf(m / root) * m / root**3
    got = of("exact", place, "1e-9", Decimals(20))
    assert got.gradient_mean == decimal_of(slope, 20)


@every("name", NAMES)
def test_a_small_sigma_concentrates_at_the_mean(name):
    """E f − f(m) ≈ ½σ²f″(m), Var f ≈ σ²f′(m)²."""
    f, m, s = FORMS[name], ratio("3/4"), ratio("1e-6")
    got = of(name, "3/4", "1e-6")
    slope, bend = M.diff(f, m), M.diff(f, m, 2)
    assert got.mean == pytest.approx(float(f(m) + s**2 * bend / 2), rel=1e-16)
    assert got.gradient_mean == pytest.approx(float(slope), rel=1e-10)
    assert got.variance == pytest.approx(float(s**2 * slope**2), rel=1e-9)


@every("momentum", ["0", "0.9", "1/3"])
def test_momentum_scales_the_second_moment_of_the_gradient(momentum):
    b, standard = Fraction(momentum), (Fraction(0), Fraction(1))
    scale = ratio((1 - b) / (1 + b))
    got = momentum_variance(find_form("relu"), *standard, b, Decimals(30))
    assert got == decimal_of(scale / 2, 30)
    got = momentum_variance(find_form("exact"), *standard, b, FLOAT64)
    assert got == nearest(fraction(scale * (third + 2 / (3 * M.sqrt(3) * pi))))


def test_an_entry_is_its_own_moment():
    """ReLU and a normal variable: E f′ = E f′² = 1/2, Var f′ = 1/4, E f² = 1/2."""
    found = of("relu")
    by_heading = dict(zip(HEADINGS, found, strict=True))
    assert by_heading["E f′"] == by_heading["E f′²"] == by_heading["E f²"] == 0.5
    assert by_heading["Var f′"] == 0.25
    assert by_heading["1/√E f′²"] == by_heading["1/√E f²"] == 2**0.5
