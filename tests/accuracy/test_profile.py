"""Intervals around 0 within a bound, against the rule taken input by input."""

import math

import numpy as np
import pytest

from gelu_cli.accuracy.profile import Over, over_bounds, profile
from gelu_cli.accuracy.weights import Normal
from gelu_cli.numbers import FORMATS
from tests.truth import exact
from tests.truth.fractions import views

SMALL = ["float8_e4m3fn", "float8_e5m2"]


def profiled(asked, results, x, got, parts=3, low=-math.inf, high=math.inf):
    """The profile of judged results, of which parts are seen from the last to the first."""
    errors = np.array([
        math.inf if r.fails else math.nan if r.ulp is None else float(r.ulp) for r in results
    ])  # fmt: skip
    zeros, x = np.array([r.flushed for r in results]), np.array(x)
    over = {}
    for sign in (1, -1):
        some = np.flatnonzero(np.signbit(x) == (sign < 0))
        over[sign] = Over()
        for part in reversed(np.array_split(some, parts)):
            if len(part):
                over[sign] = over[sign].add(over_bounds(x[part], errors[part], zeros[part]))
    normal = Normal(asked.mean, asked.sigma)
    return [each._asdict() for each in profile(FORMATS[asked.dtype], over, low, high, normal)]


def kernels(asked, x):
    """Results with errors that grow, failures, wrong signs and flushed subnormal numbers."""
    y = [exact.truth(asked, each) for each in x]
    want = np.array([exact.rounded(asked.dtype, each) for each in y])
    a, least = np.array(x), float(exact.facts(asked.dtype).least)
    top = float(exact.facts(asked.dtype).largest)
    grown = np.array(
        [exact.rounded(asked.dtype, e) for e in np.clip(want * (1 + a**2 / 9), -top, top)]
    )
    flushed = np.where(np.abs(want) < least, 0.0, want)
    return {
        "right": want,
        "grown": grown,
        "flushed": flushed,
        "flushed and grown": np.where(np.abs(want) < least, 0.0, grown),
        "nan": np.where(a == 3, math.nan, grown),
        "sign": np.where(a == -0.5, -want, grown),
        "zero": 0 * a,
        "bad at 0": np.where((a == 0) & ~np.signbit(a), 1.0, want),
    }


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize(("form", "quantity"), [("exact", "value"), ("tanh", "gradient")])
def test_profiles_are_those_of_fractions(dtype, form, quantity):
    from tests.truth.fractions import judge

    asked = exact.Asked(form, quantity, dtype, mean=0.5, sigma=2.0)
    x = exact.all_numbers(dtype)
    for name, got in kernels(asked, x).items():
        rows = list(zip(x, got.tolist(), strict=True))
        want = views(asked, rows)["profile"]
        found = profiled(asked, [judge(asked, a, 1.0, b) for a, b in rows], x, got)
        assert [{**each, "share": None} for each in found] == [
            {**each, "share": None} for each in want
        ], name
        shares = [each["share"] for each in want]
        assert [each["share"] for each in found] == pytest.approx(shares, rel=1e-11)


def test_a_kernel_that_flushes_subnormals_holds_everywhere():
    """What it flushes in the left tail is left out, as next to 0."""
    from tests.truth.fractions import judge

    asked = exact.Asked(dtype="float16")
    x = exact.all_numbers("float16")[::29]
    rows = list(zip(x, kernels(asked, x)["flushed"].tolist(), strict=True))
    results = [judge(asked, a, 1.0, b) for a, b in rows]
    (found,) = profiled(asked, results, x, None)[:1]
    assert (found["low"], found["high"]) == (-65504.0, 65504.0)
    assert found["left_out"] == sum(r.flushed and r.ulp > 0.5 for r in results) > 20


def test_a_range_beside_0_begins_at_its_end():
    x = np.array([1.0, 1.25, 1.5, 1.75, 2.0])
    over = {1: over_bounds(x, np.array([0, 0, 0.75, 0, 9.0]), np.zeros(5, bool)), -1: Over()}
    found = [each[:3] for each in profile(FORMATS["float8_e5m2"], over, 1.0, 2.0)]
    assert found[:2] == [(0.5, 1.0, 1.25), (1.0, 1.0, 1.75)]
    assert found[-1] == (16.0, 1.0, 2.0)
