"""Figures that decide: where a bound holds, and the error for inputs from a normal distribution."""

import math

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.inputs import every_number
from gelu_cli.old.sweeping.profile import profile
from gelu_cli.old.sweeping.routines import ROUTINES
from gelu_cli.old.sweeping.rows import Numbers, summary_rows
from tests.old.asked import swept
from tests.old.every import every
from tests.truth.mpmath import M, truth


@np.errstate(over="ignore")
def careless(x):
    """GELU with a bump, a hole, a NaN and flushed results."""
    y = x / (1 + np.exp(-1.702 * x.astype(np.float64)))
    y = np.where((x > 3) & (x < 3.5), 0, y)
    y = np.where(x == -6, np.nan, y)
    return np.where(np.abs(y) < 2e-3, 0, y).astype(x.dtype)


def gelu(x):
    """Return GELU(x); far out the nearest number of any format."""
    return truth("exact", "value", x) if 0 < abs(x) < 40 else M.mpf(max(x, 0))


def brute_force(dtype, low=-math.inf, high=math.inf):
    """Return every input with its true value, result and error in ULP, by mpmath alone."""
    number_format = FORMATS[dtype]
    x = every_number(number_format, low, high)
    got = careless(x.astype(dtype)).astype(np.float64)
    y = [gelu(each) for each in x.tolist()]
    with M.workdps(30):
        unit = [M.mpf(2) ** (max(math.frexp(float(v))[1] - 1, number_format.emin)
                             - number_format.precision + 1) for v in y]  # fmt: skip
        errors = [math.inf if math.isnan(g) else float(abs(M.mpf(g) - v) / u)
                  for g, v, u in zip(got.tolist(), y, unit, strict=True)]  # fmt: skip
    return x, np.array([float(v) for v in y]), got, np.array(errors)


@every("ends", [(-math.inf, math.inf), (-6.5, 2), (1, 8), (-7, -0.5)])
@every("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_within_the_interval_every_result_keeps_the_bound_and_the_next_one_does_not(dtype, ends):
    verdict = swept(careless, dtype=dtype, low=ends[0], high=ends[1])
    x, y, got, errors = brute_force(dtype, *ends)
    least = 2.0 ** FORMATS[dtype].emin
    tiny = (np.abs(x) < 4 * least) & (np.abs(y) < least) & (got == 0)
    over = np.where(tiny, 0.0, errors)
    rows = list(profile(verdict))
    assert rows
    for bound, low, high, share in rows:
        beyond = x[over > bound]
        if low is None:
            nearest = np.abs(x) == np.min(np.abs(x))
            assert (over[nearest] > bound).all()
            continue
        assert not ((low <= beyond) & (beyond <= high)).any()
        for end, side in ((low, x < low), (high, x > high)):
            if side.any():
                following = x[side][np.argmin(np.abs(x[side] - end))]
                assert following in beyond
        with M.workdps(20):
            want = M.ncdf(high) - M.ncdf(low)
        assert share == pytest.approx(float(want), abs=1e-14)


@every("normal", [(0.0, 1.0), (-1.5, 0.5), (2.0, 3.0)])
def test_the_error_of_draws_is_that_of_all_inputs_by_their_probability(normal):
    from gelu_cli.old.formulas import find_form
    from gelu_cli.old.sweeping.drawn import Normal
    from gelu_cli.old.sweeping.inputs import Inputs
    from gelu_cli.old.sweeping.sweep import sweep as judge
    from gelu_cli.old.sweeping.truth import Question

    e5m2 = FORMATS["float8_e5m2"]
    erf_sum = routine_implementation(ROUTINES["erf_sum"], "value", e5m2)
    question = Question(find_form("exact"), "value", e5m2, normal=Normal(*normal))
    found = judge(erf_sum, question, Inputs()).total.drawn
    x = np.unique(every_number(e5m2))
    got = erf_sum(x.astype(np.float32)).astype(np.float64).tolist()
    edges = [-math.inf, *((x[1:] + x[:-1]) / 2).tolist(), math.inf]
    squares = least = M.mpf(0)
    for at, result, low, high in zip(x.tolist(), got, edges, edges[1:], strict=False):
        weight = M.ncdf((high - normal[0]) / normal[1]) - M.ncdf((low - normal[0]) / normal[1])
        y = gelu(at)
        squares += weight * (result - y) ** 2
        least += weight * (e5m2.from_float(float(y)) - y) ** 2
    assert found.rms == pytest.approx(float(M.sqrt(squares)), rel=1e-9)
    assert found.noise_ratio == pytest.approx(float(M.sqrt(squares / least)), rel=1e-9)


@every("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_the_largest_errors_are_those_of_a_brute_force(dtype):
    def kernel(x):
        return np.where(np.isnan(careless(x)), 0, careless(x)).astype(x.dtype)

    verdict = swept(kernel, dtype=dtype)
    (row,) = summary_rows(verdict, Numbers(None, FORMATS[dtype], FORMATS[dtype]), None)
    x, y, got, _ = brute_force(dtype)
    got = np.where(np.isnan(got), 0, got)
    with M.workdps(30):
        exact = [gelu(each) for each in x.tolist()]
        absolute = [float(abs(M.mpf(g) - v)) for g, v in zip(got.tolist(), exact, strict=True)]
    relative = np.array(absolute) / np.where(
        np.abs(y) >= 2.0 ** FORMATS[dtype].emin, abs(y), math.inf
    )
    assert row["max_abs_error"] == pytest.approx(max(absolute), rel=1e-5)
    assert absolute[x.tolist().index(row["max_abs_x"])] == max(absolute)
    assert row["max_rel_error"] == pytest.approx(float(np.max(relative)), rel=1e-5)


def test_the_whole_line_of_the_widest_format_has_all_draws():
    found = swept(lambda x: np.where(x == 1, 9, np.maximum(x, 0)), dtype="float64", form="relu")
    *_, last = profile(found)
    assert (last.low, last.high, last.share) == (-FORMATS["float64"].largest, -last.low, 1.0)
