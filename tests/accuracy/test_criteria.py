"""Acceptance criteria, against the checks of torch and numpy, and sums of fractions."""

import math
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest

from gelu_cli.accuracy import Question, measure_results
from gelu_cli.accuracy.criteria import Sums, Tolerance, sums_of
from gelu_cli.accuracy.selection import STANDARD, weights_of
from gelu_cli.formulas import typed_form
from gelu_cli.numbers import FORMATS
from tests.truth import exact

SMALL = ["float8_e4m3fn", "float8_e5m2"]
DRAWN = str(STANDARD)
TORCH_CLOSE = "torch.testing.assert_close"
SAID = {True: "passes", False: "fails"}


@cache
def expected(dtype, step=1):
    """Inputs, and correctly rounded results."""
    x = exact.all_numbers(dtype)[::step]
    want = [exact.rounded(dtype, exact.true_value("exact", "value", each)) for each in x]
    return np.array(x), np.array(want)


def rows(dtype, got, step=1, form="exact", own=None):
    """Outcomes by criterion and inputs."""
    of = FORMATS[dtype]
    question = Question(typed_form(form), "value", of, of)
    results = np.asarray(got).astype(of.dtype)
    x = np.array(exact.all_numbers(dtype)[::step])
    found = measure_results("f", question, [x], results, criteria=True, own=own).criteria()
    return {(each.criterion, each.inputs): each for each in found}


def kernels(dtype, step=1):
    """Results: right ones, wrong by a little or by much, constant, NaN and infinities."""
    x, want = expected(dtype, step)
    of, generator = FORMATS[dtype], np.random.default_rng(7)

    def steps(size):
        places = [
            of.ordinal(w) + int(n)
            for w, n in zip(want, generator.integers(-size, size + 1, len(x)), strict=True)
        ]
        return np.array([math.copysign(of.number(min(abs(n), of.top - 1)), n) for n in places])

    return {
        "right": want,
        "one step": steps(1),
        "some steps": steps(4),
        "relu": np.maximum(x, 0),
        "constant": np.full(len(x), float(of.from_float(0.1))),
        "zero": 0 * x,
        "nan": np.where(x == x[np.argmin(np.abs(x - 1))], math.nan, want),
        "far": np.where(x == x[np.argmin(np.abs(x - 2))], of.largest, want),
        "rare": np.where(x == 0, 0.5, want),
    }


def passed(check, *arguments):
    try:
        check(*arguments)
    except AssertionError:
        return False
    return True


CASES = [("float8_e4m3fn", 1), ("float8_e5m2", 1), ("float16", 31), ("bfloat16", 31)]


@pytest.mark.parametrize(("dtype", "step"), CASES)
def test_checks_pass_where_those_of_torch_and_numpy_do(dtype, step):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    held = np.float16 if dtype == "float16" else np.float32  # numpy has no other narrow format
    want, wrong, verdicts = expected(dtype, step)[1], [], set()
    for name, got in kernels(dtype, step).items():
        found = rows(dtype, got, step)
        mine, right = got.astype(held), want.astype(held)
        tensors = [torch.tensor(each).to(getattr(torch, dtype)) for each in (got, want)]
        passes = {
            TORCH_CLOSE: passed(torch.testing.assert_close, *tensors),
            "numpy.testing.assert_allclose": passed(np.testing.assert_allclose, mine, right),
            "numpy.allclose": np.allclose(mine, right),
        }
        wrong += [
            (name, each)
            for each, is_ in passes.items()
            if found[each, "judged"].verdict != SAID[is_]
        ]
        verdicts |= {*passes.items()}
    assert wrong == []
    assert len(verdicts) == 6


def test_a_tolerance_of_ones_own_is_that_of_numpy_in_float64():
    verdicts, want = set(), expected("float8_e5m2")[1]
    results = kernels("float8_e5m2")
    for own in (Tolerance(0.1, 0.05), Tolerance(0.01), Tolerance(0.0, 1e-3), Tolerance()):
        for name in ("right", "one step", "some steps", "nan", "far"):
            got = results[name]
            found = next(iter(rows("float8_e5m2", got, own=own).values()))
            close = bool(np.isclose(got, want, *own[:2], equal_nan=True).all())
            asked = f"rtol={own.rtol:g},atol={own.atol:g}"
            assert (found.criterion, found.verdict) == (asked, SAID[close]), name
            verdicts.add(close)
    assert verdicts == {True, False}


def correlation(got, want, weights):
    """Pearson's correlation in fractions."""
    got, want, weights = (list(map(Fraction, each.tolist())) for each in (got, want, weights))

    def mean(*products):
        both = zip(weights, *products, strict=True)
        return sum(w * math.prod(each) for w, *each in both) / sum(weights)

    a, b = mean(got), mean(want)
    spread = (mean(got, got) - a**2) * (mean(want, want) - b**2)
    with mpmath.workdps(50):
        covariance, spread = (
            mpmath.mpf(each.numerator) / each.denominator
            for each in (mean(got, want) - a * b, spread)
        )
        return float(covariance / mpmath.sqrt(spread)) if spread else math.nan


@pytest.mark.parametrize("dtype", SMALL)
def test_correlations_over_inputs_and_draws(dtype):
    x, want = expected(dtype)
    weight = weights_of(FORMATS[dtype], x)
    for name, got in kernels(dtype).items():
        found, numbers = rows(dtype, got), np.nan_to_num(got)
        for inputs, weights in (("judged", np.ones(len(x))), (DRAWN, weight)):
            pcc = 1.0 if name == "right" else correlation(numbers, want, weights)
            for least in ("0.99", "0.999", "0.9999"):
                mine = found[f"pcc_{least}", inputs]
                assert mine.found == pytest.approx(pcc, rel=1e-12, nan_ok=True), (name, inputs)
                assert mine.verdict == SAID[pcc >= float(least)]


def test_constant_results_have_no_correlation():
    """Nor have draws, where rounded means leave a rest."""
    for constant in (0.1, 1 / 3, -7.25):
        found = rows("bfloat16", np.full(65_280 // 31 + 1, constant), 31)
        for inputs in ("judged", DRAWN):
            assert math.isnan(found["pcc_0.99", inputs].found)
            assert found["pcc_0.99", inputs].verdict == "fails"
    assert sums_of(np.ones((2, 1)), np.ones(1)).correlation == 1.0
    tiny = sums_of(np.array([[0.0, 0.0], [1e-310, 5e-311]]), np.array([1e-315, 2e-315]))
    assert math.isnan(tiny.correlation)


@pytest.mark.parametrize("scale", [(-1074, 1023.9), (1000, 1023.9), (-1074, -1000), (-3, 3)])
def test_sums_neither_overflow_nor_depend_on_the_parts(scale):
    generator = np.random.default_rng(4)
    want = 2.0 ** generator.uniform(*scale, 400) * generator.choice([-1, 1], 400)
    got = want * (1 + generator.normal(0, 0.1, 400))
    got = np.where(np.isfinite(got), got, want)
    weights = generator.random(400)
    pcc = correlation(got, want, weights)
    for count in (1, 2, 7):
        sums = Sums()
        for part in reversed(np.array_split(np.arange(400), count)):
            sums = sums.add(sums_of(np.stack([got, want])[:, part], weights[part]))
        assert sums.correlation == pytest.approx(pcc, rel=1e-12)


def test_huge_results_that_no_draw_meets_leave_the_correlation_of_draws():
    got, want = np.array([1.0, 2.0, 4.0, 1e308]), np.array([1.0, 2.0, 3.0, 1e308])
    weights = np.array([1.0, 1.0, 1.0, 0.0])
    assert sums_of(np.stack([got, want]), weights).correlation == pytest.approx(0.9819805)


@pytest.mark.parametrize("dtype", SMALL)
def test_the_tightest_atol_in_fractions(dtype):
    x = expected(dtype)[0]
    for name, got in kernels(dtype).items():
        sizes = [
            abs(Fraction(y) - exact.true_value("exact", "value", at))
            if math.isfinite(y)
            else math.inf
            for at, y in zip(x.tolist(), got.tolist(), strict=True)
        ]
        found = rows(dtype, got)["tightest_atol", "judged"]
        assert (found.found, found.verdict, found.threshold) == (float(max(sizes)), None, None), (
            name
        )


def test_no_atol_passes_a_largest_number_where_infinity_is_expected():
    x, of = expected("float8_e5m2")[0], FORMATS["float8_e5m2"]
    got = np.clip(np.where(x < 0, 2 * x, x), -of.largest, of.largest)
    found = rows("float8_e5m2", got, form="leaky_relu:slope=2")["tightest_atol", "judged"]
    assert found.found == math.inf


def test_draws_find_what_is_likely():
    """A wrong result fails by the probability of its input; one that is rare is not seen."""
    x = np.array(exact.all_numbers("bfloat16"))
    right, weight = np.maximum(x, 0), weights_of(FORMATS["bfloat16"], x)
    wrong = np.isin(x, [2.0, 1.0, 60.0])
    likely = rows("bfloat16", np.where(wrong, 0.0, right), form="relu")["numpy.allclose", DRAWN]
    assert likely.found == pytest.approx(weight[wrong].sum(), rel=1e-12)
    assert (likely.x, likely.verdict) == (None, "fails")
    rare = rows("bfloat16", np.where(x == 60, math.nan, right), form="relu")
    assert {each.verdict for (_, inputs), each in rare.items() if inputs == DRAWN} == {"passes"}
    judged = rare["numpy.allclose", "judged"]
    assert (judged.found, judged.x, judged.verdict) == (math.inf, 60.0, "fails")


def test_the_first_of_equal_errors_decides():
    x, want = expected("float8_e5m2")
    got = np.where(np.isin(x, [1.0, -1.0, 4.0]), math.nan, want)
    assert rows("float8_e5m2", got)["numpy.allclose", "judged"].x == 1.0
