"""Acceptance criteria, against the checks of torch and numpy, and sums of fractions."""

import math
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest

from gelu_cli.accuracy.correlation import sums_of
from gelu_cli.accuracy.criteria import (
    TORCH,
    Compared,
    OfEach,
    Tolerance,
    criteria_of,
    errors_of,
    outcomes,
    see,
)
from gelu_cli.accuracy.weights import STANDARD, weights_of
from gelu_cli.numbers import FORMATS
from tests.truth import exact

SMALL = ["float8_e4m3fn", "float8_e5m2"]
DRAWN = str(STANDARD)


@cache
def truth(dtype, step=1, form="exact"):
    """Inputs, true values, correctly rounded results, and the values in units."""
    x = exact.all_numbers(dtype)[::step]
    y = [exact.true_value(form, "value", each) for each in x]
    units = [exact.ulp(dtype, each) for each in y]
    m = [float(each / unit) for each, unit in zip(y, units, strict=True)]
    low = [float(e / u - Fraction(k)) for e, u, k in zip(y, units, m, strict=True)]
    want = np.array([exact.rounded(dtype, each) for each in y])
    return np.array(x), y, want, (np.array(m), np.array(low), np.array([float(u) for u in units]))


def compared(dtype, got, step=1, form="exact"):
    x, _, want, units = truth(dtype, step, form)
    of = (errors_of(each, want, *units) for each in (got, want))
    return Compared(x, 1.0, got, want, *of)


def rows(dtype, got, step=1, own=None, weigh=True, form="exact"):
    """Outcomes by criterion and inputs; parts are seen in another order than that of inputs."""
    block = compared(dtype, got, step, form)
    weight = weights_of(FORMATS[dtype], block.x) if weigh else np.zeros(0)
    parts, seen = np.array_split(np.arange(len(got)), 5), None
    for part in (parts[i] for i in (3, 0, 4, 1, 2)):
        errors = (type(e)(e.absolute[part], e.relative[part]) for e in (block.errors, block.least))
        some = Compared(block.x[part], 1.0, got[part], block.want[part], *errors)
        found = see(FORMATS[dtype], some, weight[part] if weigh else weight, own)
        seen = found if seen is None else seen.add(found)
    found = outcomes(FORMATS[dtype], seen, own)
    return {(each.criterion, each.inputs): each for each in found}


def kernels(dtype, step=1):
    """Results: right ones, wrong by a little or by much, constant, NaN and infinities."""
    x, _, want, _ = truth(dtype, step)
    of, generator = FORMATS[dtype], np.random.default_rng(7)

    def steps(size):
        moved = [
            of.ordinal(w) + int(n)
            for w, n in zip(want, generator.integers(-size, size + 1, len(x)), strict=True)
        ]
        top = of.top - 1
        return np.array([math.copysign(of.number(min(abs(n), top)), n) for n in moved])

    bad = want.copy()
    bad[np.argmin(np.abs(x - 1))] = math.nan
    far = want.copy()
    far[np.argmin(np.abs(x - 2))] = math.inf if of.infinite else of.largest
    return {
        "right": want,
        "one step": steps(1),
        "some steps": steps(4),
        "relu": np.maximum(x, 0),
        "constant": np.full(len(x), float(of.from_float(0.1))),
        "zero": 0 * x,
        "nan": bad,
        "far": far,
        "rare": np.where(np.abs(x) == 0, 0.5, want),
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
    want, wrong, verdicts = truth(dtype, step)[2], [], set()
    for name, got in kernels(dtype, step).items():
        found = rows(dtype, got, step)
        mine, right = got.astype(held), want.astype(held)
        tensors = [torch.tensor(each).to(getattr(torch, dtype)) for each in (got, want)]
        passes = {
            "torch.testing.assert_close": passed(torch.testing.assert_close, *tensors),
            "numpy.testing.assert_allclose": passed(np.testing.assert_allclose, mine, right),
            "numpy.allclose": np.allclose(mine, right),
            "max_abs_1e-2": bool(np.max(np.abs(got - want)) <= 1e-2),
            "max_abs_1e-3": bool(np.max(np.abs(got - want)) <= 1e-3),
        }
        wrong += [
            (name, each) for each, is_ in passes.items() if found[each, "judged"].passes is not is_
        ]
        verdicts |= {*passes.items()}
    assert wrong == []
    assert len(verdicts) == 10


def near_tolerance(dtype, rtol, atol):
    """Results about as far from the expected ones as a check allows."""
    of, generator = FORMATS[dtype], np.random.default_rng(2)
    sizes = 2.0 ** generator.uniform(-30, 10, 3000)
    want = np.unique([of.from_float(each) for each in sizes.tolist()])
    away = want + generator.uniform(0, 2, len(want)) * (atol + rtol * want)
    if dtype == "float16" and rtol < 1e-4:
        away = want + generator.integers(0, 2, len(want)) * 2.0**-10 * want
    return want, np.array([of.from_float(each) for each in away.tolist()])


def failing(name, dtype, want, got):
    """The results that fail a criterion, each alone."""
    criterion = criteria_of(dtype)[name]
    assert isinstance(criterion, OfEach)
    nothing = errors_of(want, want, want, 0.0, 1.0)
    with np.errstate(all="ignore"):
        values = criterion.value(Compared(want, 1.0, got, want, nothing, nothing))
    return values > criterion.threshold


@pytest.mark.parametrize("dtype", TORCH)
def test_single_results_are_close_where_torch_says_so(dtype):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    own = getattr(torch, dtype)
    rtol, atol = torch.testing._comparison.default_tolerances(own)
    want, got = near_tolerance(dtype, rtol, atol)
    result, due = (torch.tensor(each).to(own) for each in (got, want))
    far = ~torch.isclose(result, due, rtol=rtol, atol=atol).numpy()
    assert 100 < np.count_nonzero(far) < len(far) - 100
    np.testing.assert_array_equal(failing("torch.testing.assert_close", dtype, want, got), far)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_single_results_are_close_where_numpy_says_so(dtype):
    checks = {"numpy.testing.assert_allclose": (1e-7, 0), "numpy.allclose": (1e-5, 1e-8)}
    for name, (rtol, atol) in checks.items():
        want, got = near_tolerance(dtype, rtol, atol)
        far = ~np.isclose(got.astype(dtype), want.astype(dtype), rtol=rtol, atol=atol)
        assert 0 < np.count_nonzero(far) < len(far)
        np.testing.assert_array_equal(failing(name, dtype, want, got), far)


def test_a_tolerance_of_ones_own_is_that_of_numpy_in_float64():
    verdicts = set()
    for own in (Tolerance(0.1, 0.05), Tolerance(0.01), Tolerance(0.0, 1e-3), Tolerance()):
        for name, got in kernels("float8_e5m2").items():
            want = truth("float8_e5m2")[2]
            found = next(iter(rows("float8_e5m2", got, own=own).values()))
            close = bool(np.isclose(got, want, *own, equal_nan=True).all())
            assert (found.criterion, found.passes) == (own.name, close), name
            verdicts.add(close)
    assert verdicts == {True, False}


def test_a_nan_that_is_right_passes_one_check_of_three():
    """E4M3 has no infinity: what overflows is NaN."""
    want = got = np.array([0.8125, math.nan])
    found = {
        name: bool(failing(name, "float8_e4m3fn", want, got).any())
        for name in (
            "numpy.testing.assert_allclose",
            "numpy.allclose",
            "torch.testing.assert_close",
        )
    }
    assert [*found.values()] == [False, True, True]


def mpf(number):
    return mpmath.mpf(number.numerator) / number.denominator


def exact_sums(got, want, weights):
    """Correlation, cosine and normalized error, in fractions."""
    got, want, weights = (list(map(Fraction, each.tolist())) for each in (got, want, weights))

    def mean(*products):
        return sum(w * math.prod(each) for w, *each in zip(weights, *products, strict=True)) / sum(
            weights
        )

    power, other, mixed = mean(got, got), mean(want, want), mean(got, want)
    errors = mean(*[[a - b for a, b in zip(got, want, strict=True)]] * 2)
    spread = [each - mean(some) ** 2 for each, some in ((power, got), (other, want))]
    covariance = mixed - mean(got) * mean(want)
    with mpmath.workdps(50):
        return (
            float(mpf(covariance) / mpmath.sqrt(mpf(spread[0] * spread[1])))
            if all(spread)
            else math.nan,
            float(mpf(mixed) / mpmath.sqrt(mpf(power * other))) if power else math.nan,
            float(errors / power) if power else math.inf,
        )


@pytest.mark.parametrize("dtype", SMALL)
def test_sums_over_inputs_and_draws(dtype):
    x, _, want, _ = truth(dtype)
    weight = weights_of(FORMATS[dtype], x)
    for name, got in kernels(dtype).items():
        found = rows(dtype, got)
        broken = ~np.isfinite(got)
        numbers = np.where(broken, 0.0, got)
        for inputs, weights in (("judged", np.ones(len(x))), (DRAWN, weight)):
            pcc, cosine, nmse = exact_sums(numbers, want, weights)
            if broken.any():
                cosine = nmse = math.nan
            if name == "right":
                pcc = 1.0
            for criterion, value in (
                ("pcc_0.99", pcc),
                ("cosine_0.99", cosine),
                ("nmse_1e-7", nmse),
            ):
                mine = found[criterion, inputs].found
                assert mine == pytest.approx(value, rel=1e-12, nan_ok=True), (
                    name,
                    criterion,
                    inputs,
                )


def test_constant_results_have_no_correlation():
    """Nor have draws, where rounded means leave a rest."""
    x, _, want, _ = truth("bfloat16", 31)
    for constant in (0.1, 1 / 3, -7.25):
        found = rows("bfloat16", np.full(len(x), constant), 31)
        for inputs in ("judged", DRAWN):
            assert math.isnan(found["pcc_0.99", inputs].found)
            assert found["pcc_0.99", inputs].passes is False
    assert sums_of(want[:1], want[:1], np.ones(1)).correlation == 1.0
    assert sums_of(0 * want, want, np.ones(len(want))).normalized_error == math.inf


@pytest.mark.parametrize("scale", [(-1074, 1023.9), (1000, 1023.9), (-1074, -1000), (-3, 3)])
def test_sums_neither_overflow_nor_depend_on_the_parts(scale):
    generator = np.random.default_rng(4)
    want = 2.0 ** generator.uniform(*scale, 400) * generator.choice([-1, 1], 400)
    got = want * (1 + generator.normal(0, 0.1, 400))
    got = np.where(np.isfinite(got), got, want)
    weights = generator.random(400)
    pcc, _, error = exact_sums(got, want, weights)
    for count in (1, 2, 7):
        sums = sums_of(got[:0], want[:0], weights[:0])
        for part in reversed(np.array_split(np.arange(400), count)):
            sums = sums.add(sums_of(got[part], want[part], weights[part]))
        assert sums.correlation == pytest.approx(pcc, rel=1e-12)
        assert sums.normalized_error == pytest.approx(error, rel=1e-11)


@pytest.mark.parametrize("dtype", SMALL)
def test_tightest_tolerances_in_fractions(dtype):
    _, y, want, _ = truth(dtype)
    for name, got in kernels(dtype).items():
        found = rows(dtype, got)
        for suffix, results in (("", got), ("_of_format", want)):
            tightest = dict.fromkeys(("atol", "rtol", "rtol_at_1e-5"), Fraction(0))
            for result, true in zip(results.tolist(), y, strict=True):
                error = abs(Fraction(result) - true) if math.isfinite(result) else math.inf
                relative = error / abs(true) if true else math.inf if error else Fraction(0)
                rest = (error - Fraction(1e-5)) / abs(true) if true else relative
                all_three = zip(tightest.items(), (error, relative, rest), strict=True)
                tightest = {key: max(largest, each) for (key, largest), each in all_three}
            for key, value in tightest.items():
                mine = found[f"tightest_{key}{suffix}", "judged"]
                assert mine.found == pytest.approx(float(value), rel=1e-12), (name, key, suffix)
                assert mine.passes is None
        twice = found["twice_ref_dist", "judged"]
        atol, of_format = (found[f"tightest_atol{each}", "judged"] for each in ("", "_of_format"))
        limit = 2 * of_format.found + 1e-6
        assert twice[2:] == (atol.found <= limit, atol.found, limit, atol.x, atol.up)


def test_draws_find_what_is_likely():
    """A wrong result fails by the probability of its input; one that is rare is not seen."""
    x = np.array(exact.all_numbers("bfloat16"))
    want, of = np.maximum(x, 0), FORMATS["bfloat16"]
    weight = weights_of(of, x)

    def found(got):
        errors = (errors_of(each, want, want, 0.0, 1.0) for each in (got, want))
        seen = see(of, Compared(x, 1.0, got, want, *errors), weight)
        return {(each.criterion, each.inputs): each for each in outcomes(of, seen)}

    wrong = np.isin(x, [2.0, 1.0, 60.0])
    likely = found(np.where(wrong, 0.0, want))["max_abs_1e-2", DRAWN]
    assert likely.found == pytest.approx(weight[wrong].sum(), rel=1e-12)
    assert (likely.x, likely.passes) == (1.0, False)
    rare = found(np.where(x == 60, math.nan, want))
    passes = [rare[name, DRAWN].passes for name in ("max_abs_1e-2", "nmse_1e-7", "pcc_0.9999")]
    assert passes == [True, True, True]
    judged = rare["max_abs_1e-2", "judged"]
    assert (judged.found, judged.x, judged.passes) == (math.inf, 60.0, False)


def test_the_first_of_equal_errors_decides_whatever_the_order_of_parts():
    x = truth("float8_e5m2")[0]
    got = truth("float8_e5m2")[2] + 0.0
    got[np.isin(x, [1.0, -1.0, 4.0])] = math.nan
    assert rows("float8_e5m2", got)["max_abs_1e-2", "judged"].x == 1.0
