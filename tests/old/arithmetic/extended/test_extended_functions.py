"""The functions of extended numbers keep their bounds, and the bounds are narrow."""

import math

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.extended import functions
from gelu_cli.old.arithmetic.extended.functions import CENTRES, EXTENDED, FARTHEST, LAST_CENTRE
from gelu_cli.old.arithmetic.extended.number import ZERO, Extended, constant, extended
from tests.old.arithmetic.extended.numbers import bits, exact, numbers, outside, rest_of
from tests.old.every import every
from tests.truth.arb import middle
from tests.truth.mpmath import M, ratio

LN2 = math.log(2)


def truth_of_erfcx(x):
    with M.workdps(M.dps + 20):
        return M.exp(x * x) * M.erfc(x)


def truth_of_softplus(x):
    with M.workdps(M.dps + int(abs(x) / 2) + 20):
        return M.log1p(M.exp(x))


FUNCTIONS = {
    "exp": (functions.exp, M.exp),
    "expm1": (functions.expm1, M.expm1),
    "softplus": (functions.softplus, truth_of_softplus),
    "log1p": (functions.log1p, M.log1p),
    "erfc": (functions.erfc, M.erfc),
    "erfcx": (functions.erfcx, truth_of_erfcx),
    "σ(x)": (lambda x: EXTENDED.logistics(x)[0], lambda x: 1 / (1 + M.exp(-x))),
    "σ(−x)": (lambda x: EXTENDED.logistics(x)[1], lambda x: 1 / (1 + M.exp(x))),
}
every_function = pytest.mark.parametrize("name", FUNCTIONS)
quietly = np.errstate(all="ignore")  # as who calls this arithmetic does


def domain(name, x):
    """Return what of x a function is defined for; the test points of softplus are not dear."""
    if name == "log1p":
        x = np.abs(x)
        return x[x <= 1]
    if name == "erfcx":
        x = np.abs(x)
    return x[np.abs(x) <= {"erfc": 180, "erfcx": 1e5, "softplus": 2000}.get(name, FARTHEST)]


def all_binades(n, seed=0):
    """Numbers of either sign from 2^−1074 to FARTHEST, their exponents spread evenly."""
    generator = np.random.default_rng(seed)
    x = np.ldexp(1 + generator.random(n), generator.integers(-1074, 15, n))
    return x * generator.choice([-1.0, 1.0], n)


def usual_range(n, seed=1):
    generator = np.random.default_rng(seed)
    spread = generator.choice([1.0, 8.0, 40.0, 180.0, 2000.0, FARTHEST], n)
    return (2 * generator.random(n) - 1) * spread


def around(x, ulps=3):
    """Each number with its neighbours, some of them some way off, and the same below zero."""
    x = np.unique(np.asarray(x, dtype=float))
    steps = [*range(-ulps, ulps + 1), -(2**7), 2**7, -(2**30), 2**30]
    near = np.concatenate([x + n * np.spacing(x) for n in steps])
    near = near[near != 0]
    return np.concatenate([near, -near])


def boundaries(some):
    """Return where the nearest entry of a table changes, for exp and for erfcx, and the entries."""
    generator = np.random.default_rng(3)
    k = np.concatenate(
        [
            generator.integers(-(2**24), 2**24, some),
            generator.integers(-3000, 3000, some),
            np.arange(-4, 5),
        ]
    )
    centres = np.array(CENTRES)
    halves = (centres[1:] + centres[:-1]) / 2
    chosen = generator.choice(np.concatenate([centres, halves]), some)
    first = [*centres[:3], *halves[:3], *centres[63:67], *halves[62:66]]
    last = [*centres[-2:], *halves[-2:], LAST_CENTRE]
    of_exp = LN2 / 1024 * np.concatenate([k, k + 0.5])
    return np.concatenate([of_exp, chosen, first, last])


EDGES = [
    1.0, 2.0, 0.5, LN2, LN2 / 2048, LN2 / 1024, 2.0**-60, 2.0**-61, 2.0**-120, 2.0**-119,
    2.0**-121, 2.0**-200, 2.0**-1022, 177.4, 256 * LN2, 257 * LN2, 256.5 * LN2, 700.0, 709.78,
    745.13, 1074 * LN2, 1e4, FARTHEST / 2, 26.6, 27.2, 5.9, math.sqrt(FARTHEST) - 1,
]  # fmt: skip


def assert_bounds_hold(name, x, apart=True):
    """Check a block of numbers; `apart` checks those of one size in blocks without a scale too."""
    function, truth = FUNCTIONS[name]
    x = domain(name, x)
    truths = [truth(M.mpf(value)) for value in x.tolist()]
    with np.errstate(all="ignore"):
        found = outside(function(extended(x)), truths)
        assert not found, (found[0], x[found[0][0]])
        if apart:
            usual = np.flatnonzero((np.abs(x) < 170) & (np.abs(x) > 2.0**-200))
            found = outside(function(exact(x[usual])), [truths[i] for i in usual])
            assert not found, (found[0], x[usual][found[0][0]])


def slow(name, *made):
    return pytest.param(*made, marks=pytest.mark.slow, id=name)


@every_function
@pytest.mark.parametrize(("points", "apart"), [
    pytest.param(lambda: all_binades(80), True, id="all binades"),
    pytest.param(lambda: usual_range(80), True, id="usual range"),
    pytest.param(lambda: around(EDGES, 1), True, id="edges"),
    pytest.param(lambda: around(boundaries(6), 1), True, id="boundaries"),
    slow("many of all binades", lambda: all_binades(30_000, 11), False),
    slow("many of the usual range", lambda: usual_range(100_000, 12), False),
    slow("many boundaries", lambda: around(boundaries(2_000)), False),
])  # fmt: skip
def test_the_truth_is_within_the_bound(name, points, apart):
    assert_bounds_hold(name, points(), apart)


@every_function
@given(data=st.data())
@quietly
def test_a_low_part_and_an_error_are_passed_on(name, data):
    least, greatest = {"log1p": (0, 1), "erfcx": (0, 100), "erfc": (-150, 150)}.get(
        name, (-1000, 1000)
    )
    high = data.draw(st.floats(least, greatest).filter(lambda x: 1e-30 < abs(x) < greatest))
    low = data.draw(rest_of(high))
    error = abs(high) * data.draw(st.sampled_from([0, 2.0**-108, 2.0**-80, 2.0**-40, 2.0**-20]))
    side = data.draw(st.sampled_from([-1, 0, 1]))
    function, truth = FUNCTIONS[name]
    y = function(Extended(*(np.array([part]) for part in (high, low, error))))
    assert not outside(y, [truth(M.mpf(high) + M.mpf(low) + side * M.mpf(error))])


def relative_bits(name, x):
    with np.errstate(all="ignore"):
        return bits(FUNCTIONS[name][0](extended(domain(name, x)))).min()


@every_function
def test_near_zero_some_hundred_bits_are_left(name):
    """Those of eˣ − 1 beyond ln 2/2048, which is 2⁻¹¹·⁵, are the ones that cancel."""
    least = {"expm1": 88, "log1p": 88, "softplus": 98, "exp": 100, "erfcx": 100}.get(name, 98.5)
    spread = np.concatenate([np.geomspace(2.0**-1022, 1, 5000), np.linspace(0.01, 1, 5000)])
    assert relative_bits(name, np.concatenate([-spread, spread])) > least


@every(("name", "farthest", "least"), [
    ("exp", FARTHEST, 87), ("expm1", FARTHEST, 87), ("σ(x)", FARTHEST, 87), ("σ(−x)", FARTHEST, 86),
    ("softplus", FARTHEST, 87), ("log1p", 1, 88), ("erfc", 27, 91), ("erfc", LAST_CENTRE, 88),
    ("erfcx", 27, 92), ("erfcx", LAST_CENTRE, 90), ("exp", 745, 93), ("σ(x)", 745, 93),
])  # fmt: skip
def test_far_out_the_bits_are_as_many_as_the_arguments_size_leaves(name, farthest, least):
    x = np.linspace(farthest / 20_000, np.nextafter(farthest, 0), 20_000)
    assert relative_bits(name, np.concatenate([-x, x])) > least


@quietly
def test_erfc_is_arbs_at_many_points():
    x = np.concatenate(
        [usual_range(2000, 5) / 200, usual_range(500, 6) / 1500, around(CENTRES[::8], 1)]
    )
    x = x[np.abs(x) < 100]
    with ctx.workprec(400):
        truths = [ratio(middle(arb(value).erfc())) for value in x.tolist()]
    assert not outside(functions.erfc(extended(x)), truths)


@quietly
@every("x", [FARTHEST, math.nextafter(FARTHEST, math.inf), 1e5, 1e100, 1e308])
def test_beyond_the_farthest_an_exponential_is_out_of_every_range_on_the_right_side(x):
    large, small = (functions.exp(exact([side * x])) for side in (1, -1))
    assert numbers(large)[0] > M.ldexp(1, 40_000)
    assert 0 < numbers(small)[0] < M.ldexp(1, -40_000)
    assert not outside(functions.expm1(exact([-x])), [-M.one])
    s, t = EXTENDED.logistics(exact([x]))
    assert not outside(s, [M.one])
    assert 0 < numbers(t)[0] < M.ldexp(1, -40_000)
    assert not outside(functions.softplus(exact([x])), [M.mpf(x)])
    assert 0 < numbers(functions.softplus(exact([-x])))[0] < M.ldexp(1, -40_000)


@quietly
def test_the_tail_of_erfc_far_out_is_positive_and_beyond_every_range():
    x = np.array([182.0, 1e3, 1e10, 1e100, 1e300])
    tail = functions.erfc(extended(x))
    assert all(0 < number < M.ldexp(1, -40_000) for number in numbers(tail))
    assert not outside(functions.erfc(extended(-x)), [M.mpf(2)] * len(x))


@quietly
@given(x=st.floats(LAST_CENTRE - 1, 1e4))
def test_from_the_last_centre_on_the_series_is_off_by_what_it_leaves_out(x):
    y = functions.erfcx(extended(np.array([x])))
    assert not outside(y, [truth_of_erfcx(M.mpf(x))])
    if x >= LAST_CENTRE:
        assert y.error[0] <= 1.001 * y.high[0] / x**4


@quietly
@every_function
def test_what_is_no_number_is_not_taken_for_one(name):
    bad = Extended(np.array([math.nan, -math.nan, math.inf, 0.5]),
                   np.array([0.0, 0.0, math.nan, 0.0]), np.array([0.0, 0.0, 0.0, 0.0]))  # fmt: skip
    y = FUNCTIONS[name][0](bad)
    high, error = (np.broadcast_to(part, 4) for part in (y.high, y.error))
    assert not (error[:2] < np.abs(high[:2])).any()
    assert error[3] < 2.0**-100
    wide = Extended(np.array([0.5, 900.0]), np.zeros(2), np.array([math.inf, math.inf]))
    y = FUNCTIONS[name][0](wide)
    assert not (np.abs(y.high) > y.error).any()


def test_constants_are_arguments_too():
    assert not outside(functions.exp(constant(1)), [M.e])
    assert not outside(functions.exp(ZERO), [M.one])
    assert not outside(functions.erfc(constant(3)), [M.erfc(3)])
    assert not outside(functions.erfc(constant(-3)), [M.erfc(-3)])
    assert not outside(EXTENDED.logistics(ZERO)[0], [M.mpf(0.5)])
