"""How inputs are cut, who judges them, and what is looked for besides errors."""

import numpy as np
import pytest

from gelu_cli.accuracy import Glu, Inputs, Question, measure, measure_results
from gelu_cli.accuracy.selection import weights_of
from gelu_cli.accuracy.tally import COUNTS
from gelu_cli.formulas import find_form
from gelu_cli.kernels import FUNCTION, Kernel
from gelu_cli.numbers import FORMATS

E5M2, HALF, FLOAT32 = (FORMATS[each] for each in ("float8_e5m2", "float16", "float32"))


def usual(x):
    with np.errstate(all="ignore"):
        return (x / (1 + np.exp(x.dtype.type(-1.702) * x))).astype(x.dtype)


def product(x, up):
    """Return results of which many have an equal error, first in a later call."""
    with np.errstate(all="ignore"):
        y = (usual(x.astype(np.float32)) * up.astype(np.float32)).astype(x.dtype)
        return np.where((x < 0.1) == (up > 9), np.nextafter(y, np.float16(np.inf)), y)


def kernel_of(function, of, **more):
    return Kernel(function.__name__, function, FUNCTION, of.name, of.name, **more)


def question_of(of, glu=None):
    return Question(find_form("sigmoid"), "value", of, of, glu=glu)


def figures(verdict):
    """All counts, errors and listed inputs."""
    return (
        verdict.counts,
        verdict.errors(),
        [(place, [tally[name] for name in COUNTS]) for place, tally in verdict.places()],
        [*verdict.profile()],
        [*verdict.peaks()],
        [f"{y:.12g}" for y in (verdict.mean_ulp(), verdict.rms_error, verdict.noise_ratio)],
    )


def test_two_processes_find_what_one_finds():
    inputs = Inputs(FLOAT32, samples=200_000)
    one, two = (
        measure(question_of(FLOAT32), inputs, [kernel_of(usual, FLOAT32)], jobs=jobs).verdicts[0]
        for jobs in (1, 2)
    )
    assert figures(one) == figures(two)


PAIRS = (
    Inputs(HALF, 0.001, 0.2, ups=(*np.arange(-1.5, 12),)),
    kernel_of(product, HALF, glu=True),
    Glu(),
)


@pytest.mark.parametrize("given", [(Inputs(HALF), kernel_of(usual, HALF), None), PAIRS])
def test_results_in_any_order_have_the_figures_of_a_kernel(given):
    """Some units of PAIRS have several calls."""
    inputs, kernel, glu = given
    question = question_of(inputs.dtype, glu)
    (verdict,) = measure(question, inputs, [kernel]).verdicts
    parts = [unit.inputs for unit in [*inputs.units(), inputs.special()]]
    columns = [np.concatenate(each) for each in zip(*parts, strict=True)]
    order = np.random.default_rng(0).permutation(len(columns[0]))
    shuffled, got = [each[order] for each in columns], kernel.target(*columns)[order]
    found = measure_results("results", question, shuffled, got)
    assert (found.counts, found.errors()) == (verdict.counts, verdict.errors())
    assert found.extreme("ordinal") == verdict.extreme("ordinal")
    assert glu or figures(found) == figures(verdict)
    assert found.exhaustive == (glu is None)
    assert len(found.special) == len(verdict.special)


def test_results_that_come_twice_count_twice_and_weigh_once():
    x = np.array([1.0, 1.0, -2.0, 0.5], np.float16)
    once = measure_results("results", question_of(HALF), [x[1:]], usual(x[1:]))
    twice = measure_results("results", question_of(HALF), [x], usual(x))
    assert (once.total["inputs"], twice.total["inputs"]) == (3, 4)
    assert twice.rms_error == pytest.approx(once.rms_error, rel=1e-12)
    assert twice.non_monotone == 0


def test_steps_between_values_below_every_float64_go_by_the_slope():
    """The derivative rises from −e^(−160…) to −e^(−192…), both 0 in float64."""
    x = np.array([-160.0, -192.0], FORMATS["float8_e4m3fn"].dtype)
    question = Question(find_form("tanh"), "gradient", FORMATS["float8_e4m3fn"], HALF)
    for results, wrong in (([-0.0, 6e-8], 0), ([6e-8, -6e-8], 1)):
        found = measure_results("results", question, [x], np.array(results, np.float16))
        assert found.non_monotone == wrong, results


def sampled(of, count, **more):
    units = Inputs(of, samples=count, **more).units()
    return np.concatenate([unit.inputs[0] for unit in units])


def test_a_sample_has_its_size_the_ends_the_edges_and_the_middle():
    for of in (FLOAT32, FORMATS["float64"]):
        for count in (1, 10, 100, 3000, 10_000):
            x = sampled(of, count)
            assert count - 0.05 * count <= len(np.unique(x.view(f"u{x.itemsize}"))) <= count + 4, (
                of.name,
                count,
            )
            assert {0.0, of.largest, -of.largest} <= {*x.tolist()}
            assert count < 100 or np.mean((np.abs(x) > 0.06) & (np.abs(x) < 16)) > 0.2
        assert {0.25, 0.75} <= {*sampled(of, 100, low=0.25, high=0.75).tolist()}
    assert {1.0, -1.0, 2.0**-126} <= {*(x := sampled(FLOAT32, 10_000)).tolist()}
    assert not np.array_equal(x, sampled(FLOAT32, 10_000, seed=2))


def test_units_of_every_float32_cover_a_range_once():
    units = Inputs(FLOAT32, -2.0, 3e-39, every=True).units()
    total = sum(map(len, units))
    assert total == FLOAT32.bits(3e-39 // 2.0**-149 * 2.0**-149) + 2 + FLOAT32.ordinal(2.0)


def test_a_larger_relative_error_of_a_later_block_is_found():
    def wrong(x):
        return x + np.spacing(x) * np.where(x == 20, 2, (x > 16) & (x < 17)).astype(x.dtype)

    question = Question(find_form("relu"), "value", FLOAT32, FLOAT32)
    inputs, kernel = Inputs(FLOAT32, 16, 21, every=True), kernel_of(wrong, FLOAT32)
    (verdict,) = measure(question, inputs, [kernel]).verdicts
    assert verdict.extreme("rel").x == 20


def test_a_unit_is_described_by_its_ends():
    inputs = Inputs(E5M2, -3.0, 2.0)
    (unit,) = inputs.units()
    assert str(unit).endswith(" inputs, x from -3.0 to 2.0")
    assert str(inputs.special()).endswith("x from -inf to inf")


def test_what_changes_from_call_to_call_is_unrepeatable():
    def by_length(x):  # another path in short calls
        return usual(x) * np.float16(1 if len(x) > 40 else 2)

    (found,) = measure(question_of(HALF), Inputs(HALF, 2, 4), [kernel_of(by_length, HALF)]).verdicts
    assert len(found.unrepeatable) > 40
    (found,) = measure(question_of(HALF), Inputs(HALF, 2, 4), [kernel_of(usual, HALF)]).verdicts
    assert len(found.unrepeatable) == 0


def test_a_rare_error_whose_square_overflows_has_a_finite_share():
    x, double = np.array([0.0, 30.0]), FORMATS["float64"]
    question, (near, far) = (
        Question(find_form("relu"), "value", double, double),
        weights_of(double, x),
    )
    found = measure_results("f", question, [x], np.array([0.0, 1e170]))
    assert found.rms_error == pytest.approx(1e170 * (far / (near + far)) ** 0.5)
