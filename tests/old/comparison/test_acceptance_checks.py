"""Criteria say what the checks themselves say: PyTorch's, numpy's, sums in fractions."""

import itertools
import math
from fractions import Fraction

import ml_dtypes
import mpmath
import numpy as np
import pytest

from gelu_cli.old.arithmetic.format_arrays import every_number
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.comparison.checks import Compared, Tolerance, criteria_of, rounding_of, sums_of
from gelu_cli.old.comparison.criteria import CriteriaObserver
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.drawn import draw_weights
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.judging import Judge
from gelu_cli.old.sweeping.observers import Sight
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question, truth_at
from gelu_cli.old.sweeping.verdict import Verdict
from gelu_cli.old.values.evaluate_arrays import evaluate_array
from tests.old.every import every

EXACT = find_form("exact")
SMALL = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
DRAWN = "N(0, 1)"


def test_float32s_are_rounded_to_bfloat16_as_others_round_them():
    """Every bfloat16, the ties behind each, and what is next to these: ties go to even."""
    rounded = rounding_of(FORMATS["bfloat16"])
    patterns = np.arange(2**16, dtype=np.uint32) << 16
    for behind in (0, 0x7FFF, 0x8000, 0x8001):
        x = (patterns + np.uint32(behind)).view(np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            want = x.astype(ml_dtypes.bfloat16).astype(np.float32)
        np.testing.assert_array_equal(rounded(x), want)
    ties = np.array([0x3F80_8000, 0x3F81_8000], np.uint32).view(np.float32)
    assert rounded(ties).tolist() == [1.0, 1 + 2**-6]


def question_of(dtype, result=None):
    return Question(EXACT, "value", FORMATS[dtype], FORMATS[result or dtype])


def right(question, x):
    form, quantity, *_ = question
    (want,) = evaluate_array(form, [quantity], x, question.result)
    return want


def said_of(question, x, got, exhaustive=True):
    """Return the results of criteria by name and inputs."""
    judge = Judge(question, x, ftz=False)
    sight = Sight(x, {0: got}, lambda place: judge)
    observer, verdict = CriteriaObserver([question], draws=exhaustive), Verdict("k", question, True)
    observer.finish([verdict], observer.see(sight))
    return {(each.name, each.inputs): each for each in verdict.criteria}


def steps(number_format, values, ordinals):
    """Return the numbers so many steps further from 0, the largest at most."""
    top = number_format.bits(number_format.largest)
    bits = [min(number_format.bits(abs(v)) + n, top) for v, n in zip(values, ordinals, strict=True)]
    return np.copysign([number_format.number(b) for b in bits], values)


def kernels(dtype, every=False):
    """Yield inputs, right results and wrong ones in several ways."""
    question = question_of(dtype)
    x = every_number(FORMATS[dtype])
    x = x if every or len(x) < 300 else x[::128]
    want = right(question, x)
    generator = np.random.default_rng(1)
    yield "right", x, want, want
    for most in (1, 2, 6):
        few = np.where(generator.random(len(x)) < 0.1, generator.integers(0, most + 1, len(x)), 0)
        yield f"{most} steps", x, want, steps(FORMATS[dtype], want.tolist(), few.tolist())
    yield "relu", x, want, np.maximum(x, 0.0)
    for bad in (math.nan, math.inf, 0.0):
        yield f"{bad} at 1", x, want, np.where(x == 1, bad, want)
    yield "flushed", x, want, np.where(np.abs(want) < 2.0 ** FORMATS[dtype].emin, 0.0, want)


@every("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_the_error_beside_that_of_the_reference_is_the_exact_one(dtype):
    question, verdicts = question_of(dtype), set()
    for name, *arrays in kernels(dtype, every=True):
        x, want, got = (each[np.isfinite(arrays[0])] for each in arrays)
        with mpmath.workdps(60):
            y = [mpmath.mpf(v) * mpmath.ncdf(v) for v in x.tolist()]
            mine, due = (
                max(abs(mpmath.mpf(r) - v) for r, v in zip(each.tolist(), y, strict=True))
                for each in (np.where(np.isnan(got), math.inf, got), want)
            )
            said = said_of(question, x, got)["twice_ref_dist", "judged"]
            assert said.found == pytest.approx(float(mine), rel=1e-9), name
            assert said.threshold == pytest.approx(float(2 * due + mpmath.mpf("1e-6")), rel=1e-9)
            assert said.passes is (mine <= 2 * due + mpmath.mpf("1e-6")), name
        verdicts.add(said.passes)
    assert verdicts == {True, False}


@every("tolerance", [(0.1, 0.05), (0.01, 0.0), (0.0, 1e-3), (0.0, 0.0)])
def test_a_tolerance_of_ones_own_is_that_of_numpy_in_float64(tolerance):
    rtol, atol = tolerance
    own, judged = Tolerance(rtol, atol), []
    for name, x, want, got in kernels("float8_e5m2", every=True):
        judge = Judge(question := question_of("float8_e5m2"), x, ftz=False)
        observer, verdict = CriteriaObserver([question], True, own), Verdict("k", question, True)
        observer.finish([verdict], observer.see(Sight(x, {0: got}, lambda place, at=judge: at)))
        first, *_ = verdict.criteria
        close = np.isclose(got, want, rtol, atol, equal_nan=True)
        assert (first.name, first.passes) == (f"rtol={rtol:g},atol={atol:g}", close.all()), name
        judged.append(first.passes)
    assert {*judged} == {True, False}


def passed(check, *arguments):
    """Whether an assertion of others holds."""
    try:
        check(*arguments)
    except AssertionError:
        return False
    return True


every_or_some = pytest.mark.parametrize(
    "every", [False, pytest.param(True, marks=pytest.mark.slow)]
)


@pytest.mark.parametrize("dtype", SMALL)
@every_or_some
def test_assert_close_is_that_of_pytorch(dtype, every):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    verdicts = set()
    for name, x, want, got in kernels(dtype, every):
        own = getattr(torch, dtype)
        given = [torch.tensor(part, dtype=torch.float64).to(own) for part in (got, want)]
        passes = passed(torch.testing.assert_close, *given)
        said = said_of(question_of(dtype), x, got, exhaustive=False)
        assert said["torch.testing.assert_close", "judged"].passes is passes, name
        verdicts.add(passes)
    assert verdicts == {True, False}


@every("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_single_results_are_close_where_pytorch_says_so(dtype):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    rtol = {"float64": 1e-7, "float32": 1.3e-6, "float16": 1e-3, "bfloat16": 1.6e-2}[dtype]
    x, want, got = beside_tolerances(dtype, rtol, 1e-7 if dtype == "float64" else 1e-5)
    (mismatch,) = np.nonzero(~close_in_torch(torch, dtype, got, want))
    assert 100 < len(mismatch) < len(x) - 100
    failing = failing_of("torch.testing.assert_close", question_of(dtype), x, got)
    np.testing.assert_array_equal(np.nonzero(failing)[0], mismatch)


def close_in_torch(torch, dtype, got, want):
    own = getattr(torch, dtype)
    result, due = (torch.tensor(part, dtype=own) for part in (got, want))
    rtol, atol = torch.testing._comparison.default_tolerances(own)
    return torch.isclose(result, due, rtol=rtol, atol=atol).numpy()


def beside_tolerances(dtype, rtol, atol):
    """Return inputs, right results, and results about as far from them as checks allow."""
    number_format, generator = FORMATS[dtype], np.random.default_rng(2)
    sizes = 2.0 ** generator.uniform(-30, 10, 3000)
    x = np.unique([number_format.from_float(each) for each in sizes.tolist()])
    want = right(question_of(dtype), x)
    away = want + generator.uniform(0, 2, len(x)) * (atol + rtol * want)
    return x, want, np.array([number_format.from_float(each) for each in away.tolist()])


def failing_of(name, question, x, got):
    """Return which of the results fail a criterion, each judged alone."""
    measure = criteria_of(question.result)[name]
    with np.errstate(all="ignore"):
        values = measure.value(Compared(question.result, got, truth_at(question, x)))
    return values > measure.threshold


@every("dtype", ["float16", "float32", "float64"])
@every(
    ("name", "rtol", "atol"),
    [("numpy.testing.assert_allclose", 1e-7, 0), ("numpy.allclose", 1e-5, 1e-8)],
)
def test_single_results_are_close_where_numpy_says_so(dtype, name, rtol, atol):
    question, (x, want, got) = question_of(dtype), beside_tolerances(dtype, rtol, atol)
    if dtype == "float16":  # whose numbers are farther apart than that
        few = np.random.default_rng(3).integers(0, 2, len(x)).tolist()
        got = steps(FORMATS[dtype], want.tolist(), few)
    mismatch = ~np.isclose(got.astype(dtype), want.astype(dtype), rtol=rtol, atol=atol)
    assert 0 < np.count_nonzero(mismatch) < len(x)
    np.testing.assert_array_equal(failing_of(name, question, x, got), mismatch)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@every_or_some
def test_checks_of_numpy_pass_and_fail(dtype, every):
    held = np.float16 if dtype == "float16" else np.float32  # numpy has no bfloat16
    for name, x, want, got in kernels(dtype, every):
        said = said_of(question_of(dtype), x, got, exhaustive=False)
        result, due = got.astype(held), want.astype(held)
        passes = {
            "numpy.allclose": np.allclose(result, due),
            "numpy.testing.assert_allclose": passed(np.testing.assert_allclose, result, due),
            "max_abs_1e-2": bool(np.max(np.abs(got - want)) <= 1e-2),  # NaN is not
            "max_abs_1e-3": bool(np.max(np.abs(got - want)) <= 1e-3),
        }
        assert {check: said[check, "judged"].passes for check in passes} == passes, name


def test_a_nan_that_is_due_is_equal_for_one_of_three_checks():
    """E4M3 has no infinity: what overflows is NaN."""
    question = question_of("bfloat16", "float8_e4m3fn")
    x = np.array([1.0, 1000.0])
    said = said_of(question, x, np.array([0.8125, math.nan]), exhaustive=False)
    passes = {name: each.passes for (name, _), each in said.items()}
    assert passes["numpy.testing.assert_allclose"]
    assert not passes["numpy.allclose"]
    assert not passes["torch.testing.assert_close"]
    assert said["tightest_rtol_of_format", "judged"].found < 0.1


def correlation_without_nan(golden, calculated):
    """Return PCC as Tenstorrent's tests have it: what is no number is 0."""
    golden, calculated = (np.where(np.isfinite(each), each, 0.0) for each in (golden, calculated))
    return np.corrcoef(golden, calculated)[0, 1]


@pytest.mark.parametrize("dtype", SMALL)
@every_or_some
def test_sums_over_all_inputs(dtype, every):
    for name, x, want, got in kernels(dtype, every):
        said = said_of(question_of(dtype), x, got, exhaustive=False)
        pcc, cosine, nmse = (
            said[each, "judged"].found for each in ("pcc_0.99", "cosine_0.99", "nmse_1e-7")
        )
        assert pcc == pytest.approx(correlation_without_nan(want, got), rel=1e-13), name
        if not np.isfinite(got).all():
            assert math.isnan(cosine)
            assert math.isnan(nmse)
            assert not said["nmse_1e-7", "judged"].passes
            continue
        results, due = list(map(Fraction, got.tolist())), list(map(Fraction, want.tolist()))
        mixed, power = dot(results, due), dot(results, results)
        errors = sum((a - b) ** 2 for a, b in zip(results, due, strict=True))
        lengths = mpmath.sqrt(mpf(power) * mpf(dot(due, due)))
        assert cosine == pytest.approx(float(mpf(mixed) / lengths), rel=1e-14), name
        assert nmse == pytest.approx(float(errors / power), rel=1e-13), name


def dot(first, second):
    return sum(a * b for a, b in zip(first, second, strict=True))


def mpf(number):
    return mpmath.mpf(number.numerator) / number.denominator


def exact_sums(got, want, weights):
    """Return correlation and normalized error in fractions."""
    got, want, weights = (list(map(Fraction, each.tolist())) for each in (got, want, weights))
    total = sum(weights)
    mean_got, mean_want = dot(weights, got) / total, dot(weights, want) / total
    rows = [(w, g - mean_got, d - mean_want) for w, g, d in zip(weights, got, want, strict=True)]
    mixed, first, second = (
        mpf(sum(w * a * b for w, a, b in each))
        for each in (rows, [(w, g, g) for w, g, _ in rows], [(w, d, d) for w, _, d in rows])
    )
    errors = dot(weights, [(a - b) ** 2 for a, b in zip(got, want, strict=True)])
    power = dot(weights, [a * a for a in got])
    return float(mixed / mpmath.sqrt(first * second)), float(errors / power)


@every(("low", "high"), [(-1074, 1023.9), (1000, 1023.9), (-1074, -1000), (-3, 3)])
@every("parts", [1, 2, 7])
def test_sums_neither_overflow_nor_depend_on_the_parts(low, high, parts):
    generator = np.random.default_rng(4)
    want = np.sort(2.0 ** generator.uniform(low, high, 400) * generator.choice([-1, 1], 400))
    got = want * (1 + generator.normal(0, 0.1, 400))
    got = np.where(np.isfinite(got), got, want)
    weights = generator.random(400)
    sums = sums_of(got[:0], want[:0], weights[:0])
    for part in np.array_split(np.arange(400), parts):
        sums = sums.add(sums_of(got[part], want[part], weights[part]))
    correlation, error = exact_sums(got, want, weights)
    assert sums.correlation == pytest.approx(correlation, rel=1e-12)
    assert sums.normalized_error == pytest.approx(error, rel=1e-11)


def test_results_that_do_not_vary_have_no_correlation():
    want = np.array([1.0, 2.0, 3.0])
    assert math.isnan(sums_of(np.full(3, 0.25), want, np.ones(3)).correlation)
    assert sums_of(want[:1], want[:1], np.ones(1)).correlation == 1.0
    assert sums_of(0 * want, want, np.ones(3)).normalized_error == math.inf


@every("dtype", FORMATS)
def test_weights_are_the_probabilities_of_rounding(dtype):
    number_format = FORMATS[dtype]
    for x in (0.0, 2.0**-5, 0.75, 1.0, 3.5, 7.0, -1.25):
        bits = number_format.bits(abs(x))
        near = [number_format.number(bits + i) for i in range(2)]
        numbers = np.copysign(near, x)
        below = number_format.number(bits - 1) if bits else -near[0]
        beyond = number_format.number(bits + 2)
        with mpmath.workdps(60):
            ends = [(mpmath.mpf(a) + b) / 2 for a, b in
                    ((below, near[0]), (near[0], near[1]), (near[1], beyond))]  # fmt: skip
            due = [float(mpmath.ncdf(-a) - mpmath.ncdf(-b)) for a, b in itertools.pairwise(ends)]
        assert draw_weights(number_format, numbers).tolist() == pytest.approx(due, rel=1e-11)


@every("dtype", SMALL)
def test_every_draw_rounds_to_some_number(dtype):
    weights = draw_weights(FORMATS[dtype], every_number(FORMATS[dtype]))
    assert math.fsum(weights) == pytest.approx(1, abs=1e-14)
    assert np.all(weights >= 0)


@pytest.fixture(scope="module")
def relu_and_gelu():
    """Return the correlation of ReLU(X) and GELU(X), X ~ N(0, 1), by quadrature."""
    with mpmath.workdps(30):

        def mean(f):
            return mpmath.quad(lambda x: f(x) * mpmath.npdf(x), [-mpmath.inf, 0, mpmath.inf])

        def gelu(x):
            return x * mpmath.ncdf(x)

        def relu(x):
            return max(x, mpmath.mpf(0))

        mixed = mean(lambda x: relu(x) * gelu(x)) - mean(relu) * mean(gelu)
        squares = [mean(lambda x, f=f: f(x) ** 2) - mean(f) ** 2 for f in (relu, gelu)]
        error = mean(lambda x: (relu(x) - gelu(x)) ** 2) / mean(lambda x: relu(x) ** 2)
        return float(mixed / mpmath.sqrt(squares[0] * squares[1])), float(error)


@every(("dtype", "near"), [("float16", 1e-6), ("bfloat16", 1e-5)])
def test_a_relu_passes_for_a_gelu(dtype, near, relu_and_gelu):
    x = every_number(FORMATS[dtype])
    said = said_of(question_of(dtype), x, np.maximum(x, 0))
    pcc, error = relu_and_gelu
    assert said["pcc_0.99", DRAWN].found == pytest.approx(pcc, abs=near)
    assert said["nmse_1e-7", DRAWN].found == pytest.approx(error, rel=100 * near)
    assert said["pcc_0.99", DRAWN].passes
    assert not said["pcc_0.999", DRAWN].passes
    assert said["pcc_0.9999", "judged"].passes  # over all numbers the large ones decide


def test_draws_find_what_is_likely():
    """A wrong result fails by the probability of its input, and where that is 0 it is not drawn."""
    x = every_number(FORMATS["bfloat16"])
    question = question_of("bfloat16")
    want = right(question, x)
    weights = dict(zip(x.tolist(), draw_weights(FORMATS["bfloat16"], x).tolist(), strict=True))
    said = said_of(question, x, np.where(np.isin(x, [2.0, 1.0, 60.0]), 0.0, want))
    found = said["max_abs_1e-2", DRAWN]
    assert found.found == pytest.approx(weights[1.0] + weights[2.0], rel=1e-12)
    assert (found.x, found.passes) == (1.0, False)
    said = said_of(question, x, np.where(x == 60, math.nan, want))
    assert said["max_abs_1e-2", DRAWN].passes
    assert said["nmse_1e-7", DRAWN].passes
    assert said["pcc_0.9999", "judged"].passes
    judged = said["max_abs_1e-2", "judged"]
    assert (judged.found, judged.x, judged.passes) == (math.inf, 60.0, False)


@every("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_tightest_tolerances_in_fractions(dtype):
    question = question_of(dtype)
    x = every_number(FORMATS[dtype], -2, 6)
    want = right(question, x)
    got = np.where(x == 3, 3.5, want)
    said = said_of(question, x, got, exhaustive=False)
    y = [question.exactly(point) for point in x.tolist()]
    for suffix, results in (("", got), ("_of_format", want)):
        errors = [
            abs(Fraction(each) - true) for each, true in zip(results.tolist(), y, strict=True)
        ]
        atol = max(errors)
        rtol = max(error / abs(true) for error, true in zip(errors, y, strict=True) if true)
        beside = max((error - Fraction(1e-5)) / abs(true)
                     for error, true in zip(errors, y, strict=True) if true)  # fmt: skip
        for name, due in (("atol", atol), ("rtol", rtol), ("rtol_at_1e-5", beside)):
            found = said[f"tightest_{name}{suffix}", "judged"]
            assert found.found == pytest.approx(float(due), rel=1e-13), found
            assert found.passes is None
    assert said["tightest_atol", "judged"].x == 3


def test_a_sweep_says_what_a_file_of_its_results_does():
    question = question_of("bfloat16")
    implementation = routine_implementation(find_routine("erf_sum"), "value", FORMATS["bfloat16"])
    swept = [Kernel(implementation, question)]
    with Sweep(swept, Inputs(), observers=[CriteriaObserver([question])]) as sweep:
        (verdict,) = sweep.verdicts()
    x = every_number(FORMATS["bfloat16"])
    got = implementation(x.astype(np.float32)).astype(np.float64)
    of_file = check_results(
        "erf_sum", question, np.append(x, [math.inf, math.nan]), np.append(got, [0.0, 0.0]),
        exhaustive=True, also=lambda question: CriteriaObserver([question]),
    )  # fmt: skip
    assert of_file.criteria == verdict.criteria
