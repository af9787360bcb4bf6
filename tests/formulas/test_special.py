"""The functions that forms are made of: enclosures, series and exactness."""

import pytest
from flint import acb, arb, arb_series, fmpq, fmpq_series

from gelu_cli.formulas import special
from gelu_cli.numbers.rounding import working
from tests.truth.mpmath import M

POINTS = (-30.5, -2.25, -0.125, 0.5, 3.0, 18.75)
REAL = {
    "exp": M.exp,
    "expm1": M.expm1,
    "logistic": lambda x: 1 / (1 + M.exp(-x)),
    "erfc": M.erfc,
    "normal_cdf": M.ncdf,
    "normal_density": M.npdf,
    "normal_loss": lambda x: M.npdf(x) + x * M.ncdf(x),
}


def test_balls_hold_the_truth_at_points_and_on_wide_balls():
    with working(100):
        for name, truth in REAL.items():
            f = getattr(special, name)
            for x in POINTS:
                want = M.nstr(truth(M.mpf(x)), 60)
                assert f(arb(x)).overlaps(arb(want)), (name, x)
                for radius in (1e-3, 0.75):
                    ball = f(arb(x, radius))
                    assert not ball.is_finite() or ball.contains(f(arb(x))), (name, x, radius)


def test_series_are_derivatives():
    with working(120), M.workdps(40):
        for name, truth in REAL.items():
            found = getattr(special, name)(arb_series([arb(-1.5), 1], 4))
            for k in range(4):
                want = M.diff(truth, M.mpf(-1.5), k) / M.factorial(k)
                assert abs(float(found[k]) - float(want)) < 1e-13, (name, k)


def test_sharp_enclosures_on_balls_far_out():
    with working(100):
        far = special.erfc(arb(40, 0.005))
        assert far > 0  # Arb's own bound on this ball contains 0
        assert far.upper() < arb(39.9).erfc()
        assert special.logistic(arb(-40, 0.6)) > 0
        loss = special.normal_loss(arb(-12, 0.25))  # φ and xΦ cancel to φ/x²
        assert special.normal_loss(arb(-12.5)) < loss.upper() < special.normal_loss(arb(-11.5))
        assert loss > 0
        wide = special.normal_loss(arb_series([arb(-12, 0.25), 1], 3))
        assert wide[1].overlaps(special.normal_cdf(arb(-12)))


def test_fractions_stay_exact_or_are_refused():
    x = fmpq_series([fmpq(9, 4), 1], prec=3)
    assert special.sqrt(x)[0] == fmpq(3, 2)
    assert special.sqrt(x)[1] == fmpq(1, 3)
    for f in (special.exp, special.sqrt, special.normal_cdf):
        with pytest.raises((ValueError, AttributeError, TypeError)):
            f(fmpq_series([2, 1], prec=2))[0] + fmpq(0)
    assert special.exp(fmpq_series([0, 1], prec=3))[2] == fmpq(1, 2)


def test_a_root_has_no_bound_on_its_branch_cut():
    with working(60):
        assert not special.sqrt(acb(arb(-1), arb(0, 0.1))).is_finite()
        assert special.sqrt(acb(4)).real.overlaps(arb(2))
