"""What a swap of forms changes, against Gauss's rule, mpmath's sums and closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.formulas import find_form
from gelu_cli.old.network.change import Change, change_of
from gelu_cli.old.network.gated import Ups
from gelu_cli.old.sweeping.gating import clamped
from tests.old.asked import set_to
from tests.old.calculus.expectations import sample
from tests.old.every import every
from tests.truth.arb import kinks, values_and_gradients
from tests.truth.mpmath import FORMS, M, decimal_of, ratio

SWAPS = [
    ("tanh", "exact", 0, 1),
    ("sigmoid", "exact", "-1/2", "3/2"),
    ("relu", "exact", 0, "1/4"),
    ("exact", "relu", 1, 7),
    ("hard", "igelu", -2, 1),
    ("erf_as", "exact", 0, 1),
    ("softplus", "elu", 3, 2),
    ("noisy_relu", "mish", 0, 2),
]


def of(form, target, mean=0, sigma=1, rounding=FLOAT64):
    return change_of(find_form(form), find_form(target), Fraction(mean), Fraction(sigma), rounding)


def figures(mean, f, f1, g, g1):
    """The contract's formulas, one after the other, of expectations by `mean`."""
    square, slope_square = mean(f * f), mean(f1 * f1)
    r = math.sqrt(mean((g - f) ** 2) / square)
    centred = math.sqrt(mean((g - f - mean(g - f)) ** 2) / square)
    gain = math.sqrt(mean(g * g) / square)
    apart = mean((g / math.sqrt(mean(g * g)) - f / math.sqrt(square)) ** 2) / 2
    slope = math.sqrt(mean((g1 - f1) ** 2) / slope_square)
    return r, 20 * math.log10(r), -math.log2(r), centred, gain, apart, slope, 20 * math.log10(slope)


@every(("form", "target", "mean", "sigma"), SWAPS)
def test_the_figures_are_those_of_gausss_rule(form, target, mean, sigma):
    cuts = {*kinks(form), *kinks(target)}
    x, weights = sample(float(Fraction(mean)), float(Fraction(sigma)), cuts)
    f, g = (values_and_gradients(name, x) for name in (target, form))
    want = figures(lambda values: weights @ values, *f, *g)
    # The error of erf_as is 1e-7 of what float64s have 16 digits of.
    assert of(form, target, mean, sigma) == pytest.approx(want, rel=1e-8)


@every(("form", "mean", "sigma"), [("tanh", 0, 1), ("sigmoid", "1/2", 2)])
def test_twenty_digits_are_those_of_mpmaths_sums(form, mean, sigma):
    got = of(form, "exact", mean, sigma, Decimals(20))
    m, s = map(ratio, (mean, sigma))
    with M.workdps(32):
        step = M.mpf(1) / 12  # the trapezoidal rule: its error is far below 1e-25
        nodes = range(-11 * 12, 11 * 12 + 1)
        xs = [m + s * step * k for k in nodes]
        weights = [step * M.npdf(step * k) for k in nodes]

        def mean_square(values):
            return M.fdot(weights, [y * y for y in values])

        f, g = ([FORMS[name](x) for x in xs] for name in ("exact", form))
        f1, g1 = ([M.diff(FORMS[name], x) for x in xs] for name in ("exact", form))
        square, change = mean_square(f), [v - u for u, v in zip(f, g, strict=True)]
        r = M.sqrt(mean_square(change) / square)
        slope = M.sqrt(mean_square([v - u for u, v in zip(f1, g1, strict=True)]) / mean_square(f1))
        variance = mean_square(change) - M.fdot(weights, change) ** 2
        cosine = M.fdot(weights, [u * v for u, v in zip(f, g, strict=True)]) / M.sqrt(
            square * mean_square(g)
        )
        want = Change(
            r, 20 * M.log10(r), -M.log(r, 2), M.sqrt(variance / square),
            M.sqrt(mean_square(g) / square), 1 - cosine, slope, 20 * M.log10(slope),
        )  # fmt: skip
        assert got == Change(*(decimal_of(y, 20) for y in want))


def test_forty_digits_are_those_of_closed_forms():
    """Of elu in place of relu: E(eˣ − 1)² and E e²ˣ over x < 0, for N(0, 1)."""
    got = of("elu", "relu", rounding=Decimals(40))
    below, twice = M.exp(M.mpf(1) / 2) * M.ncdf(-1), M.exp(2) * M.ncdf(-2)
    square = twice - 2 * below + M.mpf(1) / 2
    average = below - M.mpf(1) / 2
    assert got.relative_rms == decimal_of(M.sqrt(2 * square), 40)
    assert got.relative_rms_centred == decimal_of(M.sqrt(2 * (square - average**2)), 40)
    assert got.gain == decimal_of(M.sqrt(2 * square + 1), 40)
    assert got.one_minus_cosine == decimal_of(1 - 1 / M.sqrt(2 * square + 1), 40)
    assert got.gradient_relative_rms == decimal_of(M.sqrt(2 * twice), 40)
    assert got.db == decimal_of(10 * M.log10(2 * square), 40)


def test_a_form_in_its_own_place_changes_nothing():
    want = Change(0.0, -math.inf, math.inf, 0.0, 1.0, 0.0, 0.0, -math.inf)
    assert of("elu", "elu") == of("elu", "elu", rounding=Decimals(20)) == want
    got = change_of(set_to("sigmoid", beta=1), find_form("silu"), Fraction(0), Fraction(1))
    assert got == want


@every(
    ("form", "target", "mean", "sigma", "gate_limit", "up_limit", "up_offset"),
    [
        ("tanh", "exact", "-1/2", "3/2", None, None, 0),
        ("silu", "sigmoid", "0", "1", 1, 7, 1),
        ("relu", "exact", "1/4", "2", None, "3/4", "-1/3"),
    ],
)
def test_a_gated_block_has_the_figures_of_pairs(
    form, target, mean, sigma, gate_limit, up_limit, up_offset
):
    """By the rule in two dimensions, of f(h)·c(u) and of both of its derivatives at each pair."""
    m, s, offset = (float(Fraction(each)) for each in (mean, sigma, up_offset))
    top, most = (math.inf if each is None else float(Fraction(each))
                 for each in (gate_limit, up_limit))  # fmt: skip
    h, of_h = sample(m, s, {*kinks(form), *kinks(target), *([top] if top < math.inf else [])})
    u, of_u = sample(0.0, s, {-most, most} if most < math.inf else set())
    c, up = np.clip(u, -most, most) + offset, (np.abs(u) < most) * 1.0
    weights = np.outer(of_h, of_u)
    f, g = (
        [np.outer(value, c), np.outer((h < top) * slope, c), np.outer(value, up)]
        for value, slope in (
            (values_and_gradients(name, np.minimum(h, top))) for name in (target, form)
        )
    )

    def mean_of(values):
        return float(np.sum(weights * values))

    want = list(figures(mean_of, f[0], f[0], g[0], g[0])[:6])
    change = sum(mean_of((b - a) ** 2) for a, b in zip(f[1:], g[1:], strict=True))
    slope = math.sqrt(change / sum(mean_of(a**2) for a in f[1:]))
    got = change_of(
        *(clamped(find_form(name), gate_limit and Fraction(gate_limit)) for name in (form, target)),
        Fraction(mean), Fraction(sigma),
        ups=Ups(None if up_limit is None else most, offset),
    )  # fmt: skip
    assert got == pytest.approx([*want, slope, 20 * math.log10(slope)], rel=1e-8)


def test_forty_digits_of_a_gated_block_are_those_of_closed_forms():
    """Of elu in place of relu with c = u + 1: E c = 1, E c² = 2 and E c′² = 1."""
    got = change_of(*map(find_form, ("elu", "relu")), Fraction(0), Fraction(1), Decimals(40),
                    Ups(None, 1.0))  # fmt: skip
    below, twice, half = M.exp(M.mpf(1) / 2) * M.ncdf(-1), M.exp(2) * M.ncdf(-2), M.mpf(1) / 2
    square, average = twice - 2 * below + half, below - half
    assert got.relative_rms == decimal_of(M.sqrt(2 * square), 40)
    assert got.relative_rms_centred == decimal_of(M.sqrt(2 * square - average**2), 40)
    slope = M.sqrt((2 * twice + square) / (2 * half + half))
    assert got.gradient_relative_rms == decimal_of(slope, 40)


def test_of_clamped_ups_thirty_digits_are_those_of_integrals():
    """Where c = max(−½, min(u, ½)), the gradient is √((E d′²·E c² + E d²·E c′²)/(…))."""
    got = change_of(*map(find_form, ("elu", "relu")), Fraction(0), Fraction(1), Decimals(30),
                    Ups(0.5))  # fmt: skip
    below, twice, half = M.exp(M.mpf(1) / 2) * M.ncdf(-1), M.exp(2) * M.ncdf(-2), M.mpf(1) / 2
    change = twice - 2 * below + half
    with M.workdps(40):
        inside = M.quad(M.npdf, [-half, half])
        square = M.quad(lambda u: u * u * M.npdf(u), [-half, half]) + (1 - inside) / 4
        slope = M.sqrt((twice * square + change * inside) / (half * square + half * inside))
    assert got.gradient_relative_rms == decimal_of(slope, 30)
    assert got.relative_rms_centred == got.relative_rms


def test_tiny_changes_keep_their_digits():
    """Next to 0 both are x/2 + x²/√(2π); what is left is (c − 0.044715)·√(2/π)·x⁴/2 and more."""
    got = of("tanh_taylor", "tanh", 0, "1e-9", Decimals(6))
    with M.workdps(60):
        scale = (4 - M.pi) / (6 * M.pi) - ratio("0.044715")
        want = (
            abs(scale) * M.sqrt(M.mpf(2) / M.pi) / 2 * M.sqrt(105) / (M.mpf(1) / 2) * ratio("1e-27")
        )
    assert got.relative_rms == decimal_of(want, 6)


def test_a_target_that_is_almost_always_0_has_figures_all_the_same():
    """At N(−50, 1) ReLU is 0 but for a share of e^-1250, and GELU is −10⁻⁵⁴⁵ and more."""
    got = of("exact", "relu", -50, 1, Decimals(15))
    with M.workdps(25):

        def average(f, size, places):  # the error that quad stops at is absolute
            return M.quad(lambda x: f(x) * M.npdf(x, -50, 1) / size, places) * size

        change = average(lambda x: (x * M.ncdf(x)) ** 2, M.mpf("1e-363"), range(-40, 1, 4))
        square = average(lambda x: x**2, M.mpf("1e-549"), [0, 0.1, 0.2, 0.5, 1, 2])
        want = decimal_of(M.sqrt(change / square), 15)
    assert got.relative_rms == want


def test_a_sigma_that_is_none_is_refused():
    with pytest.raises(UsageError, match="sigma must be positive, not 0"):
        of("tanh", "exact", 0, 0)
