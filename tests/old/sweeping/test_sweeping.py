"""Sweeps: kernels that are right but for one input are found out, at that input."""

import math
from fractions import Fraction
from itertools import product
from threading import Lock

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import every_number
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.runs import RUN
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.values.evaluate_arrays import evaluate_array
from tests.old.every import every

BFLOAT16, FLOAT32 = FORMATS["bfloat16"], FORMATS["float32"]
WRONG = ("misrounded", "wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "non_monotone",
         "over_half_ulp", "over_1_ulp")  # fmt: skip


def question_of(number_format, form="exact", quantity="value"):
    return Question(find_form(form), quantity, number_format)


class Kernel:
    """Correctly rounded results, but for one input, and there something else."""

    name = "kernel"
    environments, notes, asked = {}, (), {}

    def __init__(self, question, at=math.nan, spoil=None):
        self.question, self.at, self.spoil = question, at, spoil
        self.memory, self.lock = {}, Lock()

    def __call__(self, x):
        got = self.right(x).copy()
        for i in np.flatnonzero(x == self.at).tolist():
            got[i] = self.spoil(float(got[i]))
        return got

    def right(self, x):
        key = x[0].tobytes() + x[-1].tobytes()
        with self.lock:
            if key not in self.memory:
                form, quantity, number_format, *_ = self.question
                points = x.astype(np.float64)
                (y,) = evaluate_array(form, [quantity], points, number_format)
                self.memory[key] = y.astype(x.dtype)
            return self.memory[key]


class Relu(Kernel):
    """A ReLU, which notes what it is asked."""

    def __init__(self):
        super().__init__(None)
        self.asked_at = []

    def __call__(self, x):
        self.asked_at.extend(x.tolist())
        return np.maximum(x, 0)


def step(number_format, steps):
    """Return a function that goes so many numbers up, or down where less than 0."""

    def spoil(y):
        bits = number_format.bits(abs(y))
        moved = bits + steps if y > 0 else bits - steps
        return math.copysign(number_format.number(abs(moved)), y * moved)

    return spoil


FAULTS = {
    "one ulp up": (lambda f: step(f, 1), {"misrounded", "over_half_ulp"}),
    "one ulp down": (lambda f: step(f, -1), {"misrounded", "over_half_ulp"}),
    "nan": (lambda f: lambda y: math.nan, {"wrong_nan"}),
    "inf": (lambda f: lambda y: math.inf, {"wrong_inf"}),
    "-inf": (lambda f: lambda y: -math.inf, {"wrong_inf"}),
    "flipped sign": (
        lambda f: lambda y: -y, {"misrounded", "wrong_sign", "over_half_ulp", "over_1_ulp"},
    ),
    "zero": (
        lambda f: lambda y: 0.0, {"misrounded", "wrong_zero", "over_half_ulp", "over_1_ulp"},
    ),
    "steps against": (
        lambda f: step(f, -9), {"misrounded", "non_monotone", "over_half_ulp", "over_1_ulp"},
    ),
}  # fmt: skip


def assert_found(verdict, kernel, x, fault):
    _, wrong = FAULTS[fault]
    total = verdict.total
    for name in WRONG:
        count = getattr(total, name)
        if name in wrong:
            assert count == 1, name
        elif name in ("non_monotone", "over_1_ulp"):
            assert count <= 1
        else:
            assert count == 0, name
    got = kernel.spoil(kernel.question.want(x))
    if wrong & {"wrong_nan", "wrong_inf"}:
        np.testing.assert_equal([tuple(entry) for entry in verdict.failures], [(x, got, 1.0)])
        np.testing.assert_equal(verdict.worst[0][:3], (x, got, kernel.question.want(x)))
        assert verdict.worst[0][4:6] == (None, None)
        assert verdict.max_ulp <= 0.5
        assert total.judged == total.inputs - 1
    else:
        worst = verdict.worst[0]
        assert (worst.x, worst.got, worst.want) == (x, got, kernel.question.want(x))
        assert worst.ulp > 0.5
        assert verdict.max_ulp == pytest.approx(float(worst.ulp))
        assert verdict.furthest.x == x
        assert total.judged == total.inputs
        at = [region for region, tally in verdict.regions.items() if tally.misrounded]
        assert len(at) == 1
        assert at[0].low <= abs(x) < at[0].high


def assert_right(verdict):
    assert {name: getattr(verdict.total, name) for name in WRONG} == dict.fromkeys(WRONG, 0)
    assert verdict.max_ulp <= 0.5
    assert verdict.failures == []
    assert verdict.furthest.ordinal == 0
    assert verdict.total.histogram[1:].sum() == 0


@pytest.fixture(scope="module")
def memory():
    """Right results, kept from test to test."""
    return {}


def test_right_results_in_bfloat16_are_all_right(memory):
    kernel = Kernel(question_of(BFLOAT16))
    kernel.memory = memory
    verdict = sweep(kernel, kernel.question, Inputs())
    assert verdict.total.inputs == 65_280
    assert_right(verdict)


@every("fault", FAULTS)
def test_one_wrong_result_among_all_bfloat16s_is_found(memory, fault):
    x = every_number(BFLOAT16)
    x = x[(np.abs(x) > 1e-30) & (x > -8) & (x < 1e30)]
    x = float(np.random.default_rng([*map(ord, fault)]).choice(x))
    kernel = Kernel(question_of(BFLOAT16), x, FAULTS[fault][0](BFLOAT16))
    kernel.memory = memory
    assert_found(sweep(kernel, kernel.question, Inputs()), kernel, x, fault)


FORMS = ["exact", "hard", "elu", "igelu", "polynomial", "softplus"]
EIGHT_BITS = ["float8_e5m2", "float8_e4m3fn"]
MOVES = Inputs(-9, -0.01, every=False, samples=1_500)
RANGES = [(-1e-44, 1e-44), (-14.5, -14.45), (0.0, 0.0), (7.999, 8.001),
          (-0.7518, -0.7517), (-2.5021, -2.502), (1.7627, 1.76275)]  # fmt: skip
RIGHT = [
    *((dtype, form, Inputs()) for dtype, form in product(EIGHT_BITS, FORMS)),
    ("float16", "hard", Inputs()),
    ("float32", "tanh", MOVES),
    ("float64", "tanh", MOVES),
    *(("float32", "exact", Inputs(*ends)) for ends in RANGES),
    *(("float32", form, Inputs(*ends)) for form, ends in product(FORMS[1:4], RANGES[4:])),
]


@every("quantity", ["value", "gradient"])
@every(("dtype", "form", "inputs"), RIGHT)
def test_right_results_are_right(dtype, form, inputs, quantity):
    kernel = Kernel(question_of(FORMATS[dtype], form, quantity))
    verdict = sweep(kernel, kernel.question, inputs, jobs=2)
    assert_right(verdict)
    assert verdict.exhaustive == inputs.every


# A sample that leaves nothing out


@every(
    ("dtype", "ends", "samples", "size"),
    [
        ("float32", (1.0, 1.002), 20_000, 16_778),
        ("float32", (1.0, 1 + 100 * 2.0**-23), 101, 101),
        ("float32", (1.0, 1 + 101 * 2.0**-23), 101, None),
        ("float64", (1.0, 1 + 100 * 2.0**-52), 101, 101),
        ("float64", (1.0, 1 + 101 * 2.0**-52), 101, None),
        ("float32", (-100 * 2.0**-149, 100 * 2.0**-149), 202, 202),
        ("float32", (-100 * 2.0**-149, 100 * 2.0**-149), 201, None),
        ("float32", (0.0, 0.0), 1, 2),  # both zeros, edges as they are
        ("float64", (-0.0, 0.0), 1, 2),
        ("float32", (1.0, 1 + 2.0**-23), 1, 2),
        ("float32", (-math.inf, math.inf), 3000, None),
    ],
)
def test_a_range_with_no_more_numbers_than_the_sample_is_swept_whole(dtype, ends, samples, size):
    question, relu = question_of(FORMATS[dtype], "relu"), Relu()
    verdict = sweep(relu, question, Inputs(*ends, every=False, samples=samples))
    assert verdict.exhaustive == (size is not None)
    if size:
        assert verdict.total.inputs == len(relu.asked_at) == size


def test_every_float32_of_a_small_range_is_the_same_answer_with_and_without_all():
    question = question_of(FLOAT32)
    kernel = routine_implementation(find_routine("tanh_sum"), "value", FLOAT32)
    one, other = (
        sweep(kernel, question, Inputs(-4, -3.999, every=every)) for every in (True, False)
    )
    assert one.exhaustive
    assert one == other


# Every float32 of a range


def float32_range(x, runs=2):
    """Ends of a range of some runs of consecutive float32s around x."""
    bits = int(np.float32(abs(x)).view(np.uint32))
    ends = max(bits - runs * 30_000, 0), min(bits + runs * 33_000, 0x7F7FFFFF)
    near, far = np.array(ends, np.uint32).view(np.float32).astype(float).tolist()
    return (near, far) if x > 0 else (-far, -near)


def assert_found_among_float32s(x, fault):
    kernel = Kernel(question_of(FLOAT32), x, FAULTS[fault][0](FLOAT32))
    inputs = Inputs(*float32_range(x))
    verdict = sweep(kernel, kernel.question, inputs, jobs=2)
    assert verdict.exhaustive
    assert 60_000 < verdict.total.inputs < 140_000
    assert_found(verdict, kernel, x, fault)


PLACES = [1.0, 0.5, -0.75, -0.3, 3.1, 8.0, 1e-5, -1e-9, 1e-30, -5.5, -12.0, 1e20]


@every(("fault", "x"), [*zip([*FAULTS, *FAULTS], PLACES, strict=False)])
def test_one_wrong_result_among_the_float32s_of_a_range_is_found(fault, x):
    x = float(np.float32(x))
    if fault == "steps against" and x < -0.7:
        x = 0.75
    assert_found_among_float32s(x, fault)


@pytest.mark.slow
@every("fault", FAULTS)
def test_one_wrong_result_anywhere_among_all_float32s_is_found(fault):
    generator = np.random.default_rng([1, *map(ord, fault)])
    for _ in range(60):
        bits = generator.integers(0x0C000000, 0x7F000000, dtype=np.uint32)
        x = float(bits.view(np.float32))
        x = -x if x < 12 and generator.random() < 0.5 and fault != "steps against" else x
        assert_found_among_float32s(x, fault)


@every("quantity", ["value", "gradient"])
@every(("dtype", "near"), [("float32", 1e-4), ("bfloat16", 0.1)])
def test_right_results_are_right_where_a_form_jumps(dtype, near, quantity):
    jumping = find_form("polynomial").with_settings("polynomial:A=2", {"A": Fraction(2)})
    question = question_of(FORMATS[dtype], quantity=quantity)._replace(form=jumping)
    for end in (-2, 2):
        inputs = Inputs(end - near, end + near)
        assert_right(sweep(Kernel(question), question, inputs))


def test_the_whole_is_the_sum_of_its_parts():
    """Any number of threads, and a range cut in two, come to the same counts."""

    class Rough:
        name = "rough"
        environments, notes, asked = {}, (), {}

        def __call__(self, x):
            return x / (1 + np.exp(-1.702 * x).astype(x.dtype))

    question = question_of(FLOAT32)
    one, two = (sweep(Rough(), question, Inputs(-0.51, -0.49), jobs=jobs) for jobs in (1, 2))
    next_to_half = float(np.nextafter(np.float32(-0.5), np.float32(0)))
    ends = ((-0.51, -0.5), (next_to_half, -0.49))
    parts = [sweep(Rough(), question, Inputs(*each)) for each in ends]
    for name in (*WRONG[:5], "inputs", "judged", "over_1_ulp"):
        assert getattr(one.total, name) == getattr(two.total, name)
        assert getattr(one.total, name) == sum(getattr(part.total, name) for part in parts)
    assert one.worst == two.worst
    assert one.worst[0] == max((part.worst[0] for part in parts), key=lambda worst: worst.ulp)
    assert one.furthest == two.furthest


def test_the_worst_of_many_runs_are_those_of_all_numbers():
    """One of a later run may have its place between those of an earlier one."""
    steps = {2.0 + k * 2.0**-22: 100 - 3 * k for k in range(30)}
    later = 2.0 + 3 * RUN * 2.0**-22
    steps |= {later: 60, later + 2.0**-22: 101}

    class Planted(Kernel):
        def __call__(self, x):
            got = x.copy()
            for at, units in steps.items():
                got[x == np.float32(at)] += np.float32(units * 2.0**-22)
            return got

    question = question_of(FLOAT32, "relu")
    verdict = sweep(Planted(question), question, Inputs(2.0, 3.0))
    found = [(error.x, error.ulp) for error in verdict.worst]
    assert found[:20] == sorted(steps.items(), key=lambda item: -item[1])[:20]


# Interrupts and errors


@every("jobs", [1, 2, 3])
def test_an_interrupt_leaves_what_was_covered(jobs):
    calls = []

    class Interrupted(Kernel):
        def __call__(self, x):
            calls.append(len(x))
            if len(calls) == 5:
                raise KeyboardInterrupt
            return x.copy()

    question = question_of(FLOAT32, "relu")
    verdict = sweep(Interrupted(question), question, Inputs(2.0, 1e30), jobs=jobs)
    assert not verdict.complete
    assert verdict.total.inputs <= sum(calls)
    assert verdict.total.inputs == sum(tally.inputs for tally in verdict.regions.values())


def test_an_error_of_the_kernel_is_not_swallowed():
    class Failing(Kernel):
        def __call__(self, x):
            raise UsageError("f raised")

    question = question_of(BFLOAT16)
    for jobs in (1, 2):
        with pytest.raises(UsageError, match="f raised"):
            sweep(Failing(question), question, Inputs(), jobs=jobs)


def test_progress_is_told_and_ends_at_the_whole():
    told, question = [], question_of(FLOAT32, "relu")

    class Identity(Kernel):
        def __call__(self, x):
            return x.copy()

    sweep(Identity(question), question, Inputs(1.0, 5.0), covered=lambda *each: told.append(each))
    done, totals = zip(*told, strict=True)
    assert len(done) > 2
    assert list(done) == sorted(done)
    assert set(totals) == {done[-1]} == {(1 << 24) + (1 << 21) + 1}


# Results computed elsewhere


def test_results_in_any_order_and_twice_are_judged_alike():
    kernel = Kernel(question_of(BFLOAT16), 3.0, step(BFLOAT16, 2))
    x = every_number(BFLOAT16, -8, 8)
    x = np.append(x[::16], x[x == 3].repeat(3))
    got = kernel(x.astype(np.float32)).astype(np.float64)
    order = np.random.default_rng(0).permutation(len(x))
    one, other = (
        check_results("f", kernel.question, points, results, exhaustive=False)
        for points, results in ((x, got), (x[order], got[order]))
    )
    assert one.worst == other.worst
    for name in (*WRONG, "inputs"):
        assert getattr(one.total, name) == getattr(other.total, name)
    assert one.total.misrounded == np.count_nonzero(x == 3.0)
