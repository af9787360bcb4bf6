"""Kernels of two inputs, judged against fractions, one pair at a time."""

import itertools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import every_number, to_bits, to_floats
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import SEPARATE, Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.drawn import Normal
from gelu_cli.old.sweeping.gating import GATE_GRADIENT, Gating, every_second, usual_seconds
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.judging import Judge
from gelu_cli.old.sweeping.pairs import PairJudge
from gelu_cli.old.sweeping.rows import SQUARE, plot_rows
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import same
from tests.old.every import every
from tests.truth.mpmath import M
from tests.truth.slow_judge import fault, judged, overflows, true_value

KEEP = 5
UPSTREAMS = [0.0, 0.25, 3.0, 14336.0, -0.5, -(2.0**-16)]
OF_FORM = {
    "value": "value", "gradient": "gradient", GATE_GRADIENT: "gradient", "up_gradient": "value",
}  # fmt: skip
BACKWARD = Gating(upstream=True)


def slow_truth(form, quantity, gating, x, up):
    """Return the true value at a pair, a fraction to 60 digits, from the definitions."""
    limit, offset = gating.up_limit, Fraction(gating.up_offset)
    clamped = gating.gate_limit is not None and x > gating.gate_limit
    if clamped and quantity == GATE_GRADIENT:
        return Fraction(0)
    inner = true_value(form, OF_FORM[quantity], gating.gate_limit if clamped else x)
    if gating.intermediate:
        inner = Fraction(gating.intermediate.exactly(inner))
    factor = Fraction(up)
    if limit is not None:
        factor = max(-Fraction(limit), min(factor, Fraction(limit)))
    if quantity == "up_gradient":
        return inner if factor == Fraction(up) else Fraction(0)
    return inner * (factor + offset)


def careless(x, up):
    """Return x·Φ(x)·u or so: a little off in places, and wrong in nasty ways."""
    with np.errstate(all="ignore"):
        a, b = x.astype(np.float64), up.astype(np.float64)
        y = a / (1 + np.exp(-1.7 * a)) * b
        y = np.where(a == -2, np.nan, y)
        y = np.where((b == 3) & (a > 2), -y, y)
        y = np.where((a == 1.5) & (np.abs(b) < 1), 0.0, y)
        y = np.where((b == -0.5) & (a > 8), np.inf, y)
        return y.astype(x.dtype)


def slope(x):
    """Return the gradient of SiLU, to float64 or so."""
    with np.errstate(all="ignore"):
        s = 1 / (1 + np.exp(-x.astype(np.float64)))
        return np.where(np.abs(x) < 700, s * (1 + x.astype(np.float64) * (1 - s)), x > 0)


def times_slope(upstream, x):
    with np.errstate(all="ignore"):
        return (upstream.astype(np.float64) * slope(x)).astype(x.dtype)


def rounded_twice(upstream, x):
    with np.errstate(all="ignore"):
        return upstream * slope(x).astype(x.dtype)


def wrong_below_0(upstream, x):
    return times_slope(np.abs(upstream), x)


def flushed(upstream, x):
    y = times_slope(upstream, x)
    least = ml_dtypes.finfo(x.dtype).smallest_normal
    return np.where(np.abs(y) < least, np.copysign(0, y), y).astype(x.dtype)


def slow(dtype, form, quantity, gating, ups, function):
    """Return counts, the sum of errors, the largest of them and failures, pair by pair."""
    x = every_number(FORMATS[dtype])
    counts = dict.fromkeys(
        (
            "inputs",
            "judged",
            "misrounded",
            "over_half_ulp",
            "over_1_ulp",
            "wrong_nan",
            "wrong_inf",
            "wrong_zero",
            "wrong_sign",
            "saturated",
        ),
        0,
    )
    errors, pairs = [], list(itertools.product(x.tolist(), ups))
    kind = getattr(ml_dtypes, dtype, dtype)
    gates, seconds = (np.array(each).astype(kind) for each in zip(*pairs, strict=True))
    both = (seconds, gates) if gating.upstream else (gates, seconds)
    got = function(*both).astype(np.float64).tolist()
    for (a, b), result in zip(pairs, got, strict=True):
        y = slow_truth(form, quantity, gating, a, b)
        counts["inputs"] += 1
        if not math.isfinite(result) or overflows(dtype, y):
            if name := fault(dtype, result, y):
                counts[name] += 1
            continue
        error, want, _ = judged(dtype, dtype, a, result, lambda _, y=y: y, ftz=False)
        counts["judged"] += 1
        counts["misrounded"] += result != want
        counts["over_half_ulp"] += error > Fraction(1, 2)
        counts["over_1_ulp"] += error > 1
        counts["wrong_zero"] += (result == 0) != (want == 0)
        counts["wrong_sign"] += Fraction(result) * y < 0
        errors.append(error)
    return counts, sum(errors), sorted(errors, reverse=True)[:KEEP]


def swept(dtype, form, quantity, gating, ups, function, **more):
    number_format = FORMATS[dtype]
    calling = Calling(
        number_format, number_format, quantity, gating.second, (gating.upstream and "own") or None
    )
    kernel = implementation_of("f", function, calling)
    question = Question(find_form(form), quantity, number_format, gating=gating)
    inputs = Inputs(every=True, ups=tuple(ups), **more)
    with Sweep([Kernel(kernel, question)], inputs, keep=KEEP) as run:
        (verdict,) = run.verdicts()
    return verdict


CASES = [
    ("float8_e4m3fn", "exact", "value", Gating()),
    ("float8_e5m2", "exact", "value", Gating()),
    ("float8_e5m2", "tanh", "value", Gating(gate_limit=7.0, up_limit=7.0, up_offset=1.0)),
    ("float8_e4m3fn", "sigmoid", "value", Gating(intermediate=FORMATS["float8_e4m3fn"])),
    ("float8_e4m3fn", "silu", GATE_GRADIENT, Gating(gate_limit=3.5)),
    ("float8_e5m2", "exact", "up_gradient", Gating(up_limit=2.0)),
    ("float8_e4m3fn", "exact", "gradient", BACKWARD),
]


def named(case):
    dtype, form, quantity, gating = case
    return "-".join([dtype, form, quantity, *gating.asked])


def square(dtype, x, up):
    """The ends of x and of up: an exponent, of e5m2 far from 1 two, or all subnormal numbers."""
    ends = []
    for number in (x, up):
        size = abs(number)
        low, high = 0.0, 2.0 ** FORMATS[dtype].emin
        if size >= high:
            exponent = math.frexp(size)[1] - 1
            wide = dtype == "float8_e5m2" and not -4 <= exponent < 4
            low = 2.0 ** (exponent - exponent % 2 if wide else exponent)
            high = min(low * (4 if wide else 2), FORMATS[dtype].largest)
        ends += [low, high] if math.copysign(1, number) > 0 else [-high, -low]
    return tuple(ends)


def doubling(x, up):
    """Return relu(x)·up, zeros for some small numbers, and a little too much in places."""
    with np.errstate(all="ignore"):
        y = np.maximum(x.astype(np.float64), 0) * up.astype(np.float64)
        y = np.where(np.abs(y) < 2.0**-13, 0, y) * np.where((x == 3) & (np.abs(up) > 1), 1.25, 1)
        return y.astype(x.dtype)


@every(("dtype", "form", "function"), [
    ("float8_e4m3fn", "exact", careless), ("float8_e5m2", "exact", careless),
    ("float8_e5m2", "relu", doubling), ("float8_e4m3fn", "relu", doubling),
])  # fmt: skip
def test_every_square_of_a_map_has_the_largest_error_of_its_pairs(dtype, form, function):
    x, ups, asked = every_number(FORMATS[dtype]), [0.0, 3.0, 96.0, -0.5], {}
    if function is doubling:
        x = every_number(FORMATS[dtype], 2.0**-9, 4)
        ups = [up for up in every_second(FORMATS[dtype]) if math.frexp(up)[0] in (0.625, -0.75)]
        asked = {"every_up": True, "low": 2.0**-9, "high": 4}
    verdict = swept(dtype, form, "value", Gating(), ups, function, **asked)
    gates, seconds = np.array([*itertools.product(x.tolist(), ups)]).T
    kind = getattr(ml_dtypes, dtype)
    got = function(gates.astype(kind), seconds.astype(kind)).astype(np.float64)
    want = {}
    for a, b, result in zip(gates.tolist(), seconds.tolist(), got.tolist(), strict=True):
        y = max(Fraction(a), Fraction(0)) * Fraction(b)
        if form == "exact":
            y = slow_truth(form, "value", Gating(), a, b)
        error = math.inf
        if math.isfinite(result) and not overflows(dtype, y):
            error, *_ = judged(dtype, dtype, a, result, lambda _, y=y: y, ftz=False)
        elif fault(dtype, result, y) not in ("wrong_nan", "wrong_inf"):
            continue
        place = square(dtype, a, b)
        want[place] = max(float(error), want.get(place, 0.0))
    assert verdict.total.peaks == pytest.approx(want, rel=1e-12, abs=1e-12)
    assert max(want.values()) == math.inf or function is doubling
    rows = [*plot_rows(verdict, None, None)]
    assert [(*(row[name] for name in SQUARE), row["max_ulp"]) for row in rows] == [
        (*ends, pytest.approx(peak, rel=1e-12, abs=1e-12)) for ends, peak in sorted(want.items())
    ]


@every("case", CASES, ids=named)
def test_some_pairs_of_a_small_format_are_judged_as_the_slow_way_does(case):
    check_pairs(
        *case, [0.0, 0.25, 3.0, 64.0, -0.5, -(2.0**-9) if "e4m3" in case[0] else -(2.0**-16)]
    )


@every("case", CASES, ids=named)
def test_every_pair_of_a_small_format_is_judged_as_the_slow_way_does(case):
    check_pairs(*case, every_second(FORMATS[case[0]]), every_up=True)


@every("kernel", [rounded_twice, wrong_below_0, flushed])
def test_backward_passes_are_judged_at_some_upstreams_as_the_slow_way_does(kernel):
    found = check_pairs("float8_e5m2", "silu", "gradient", BACKWARD, UPSTREAMS, kernel=kernel)
    assert found.misrounded > 50
    assert bool(found.wrong_sign) == (kernel is wrong_below_0)


@every("kernel", [rounded_twice, wrong_below_0, flushed])
def test_backward_passes_are_judged_at_every_upstream_as_the_slow_way_does(kernel):
    ups = every_second(FORMATS["float8_e5m2"])
    check_pairs("float8_e5m2", "silu", "gradient", BACKWARD, ups, every_up=True, kernel=kernel)


@every("kernel", [times_slope, rounded_twice, wrong_below_0, flushed])
@every("upstream", [1.0, 0.1, -3.0])
def test_one_of_several_upstreams_is_judged_as_one_alone(kernel, upstream):
    half = FORMATS["float16"]
    upstream = half.from_float(upstream)
    calling = Calling(half, half, "gradient", backward="own", upstream=upstream)
    question = Question(find_form("silu"), "gradient", half, upstream=upstream)
    alone = Kernel(implementation_of("f", kernel, calling), question)
    with Sweep([alone], Inputs(low=-20, high=0.5), keep=KEEP) as run:
        (verdict,) = run.verdicts()
    ups, ends = sorted({upstream, 2.0, -0.5}, key=lambda u: (u < 0, abs(u))), (-20, 0.5)
    several = swept("float16", "silu", "gradient", BACKWARD, ups, kernel, low=ends[0], high=ends[1])
    one = swept(
        "float16", "silu", "gradient", BACKWARD, [upstream], kernel, low=-20, high=0.5
    ).total
    two = verdict.total
    assert [each[:3] for each in one.worst] == [each[:3] for each in two.worst]
    assert one.histogram.tolist() == two.histogram.tolist()
    left = {"non_monotone"}
    assert {k: v for k, v in one.counts.items() if k not in left} == {
        k: v for k, v in two.counts.items() if k not in left
    }
    assert several.total.inputs == 3 * two.inputs
    assert several.max_ulp >= verdict.max_ulp


def check_pairs(dtype, form, quantity, gating, ups, *, every_up=False, kernel=careless):
    counts, total, largest = slow(dtype, form, quantity, gating, ups, kernel)
    verdict = swept(dtype, form, quantity, gating, ups, kernel, every_up=every_up)
    found = verdict.total
    assert verdict.exhaustive == every_up
    assert {name: getattr(found, name) for name in counts} == counts
    assert found.sum_ulp == pytest.approx(float(total), rel=1e-12)
    errors = [float(each.ulp) for each in verdict.errors(found)[:KEEP]]
    assert errors == pytest.approx([float(each) for each in largest], rel=1e-15)
    assert sum(tally.inputs for tally in verdict.regions.values()) == found.inputs
    return found


@every(("dtype", "form", "gating"), [
    ("bfloat16", "exact", Gating()), ("float16", "tanh", Gating()),
    ("bfloat16", "silu", Gating(gate_limit=7.0, up_limit=7.0, up_offset=1.0)),
    ("float32", "exact", Gating(up_offset=1.0)),
])  # fmt: skip
def test_drawn_pairs_have_the_truth_of_fractions(dtype, form, gating):
    check_drawn(dtype, form, gating, count=40)


@every(("dtype", "gating"), [
    ("bfloat16", BACKWARD), ("float32", BACKWARD),
    ("bfloat16", BACKWARD._replace(intermediate=FORMATS["bfloat16"])),
])  # fmt: skip
def test_drawn_gradients_have_the_truth_of_fractions(dtype, gating):
    check_drawn(dtype, "exact", gating, count=25, quantity="gradient")


def check_drawn(dtype, form, gating, count, quantity="value"):
    number_format = FORMATS[dtype]
    generator = np.random.default_rng(5)
    patterns = generator.integers(0, number_format.top, (2, count))
    signs = generator.choice([-1, 1], (2, count))
    x, up = (
        [number_format.number(int(bits)) * sign for bits, sign in zip(*row, strict=True)]
        for row in zip(patterns, signs, strict=True)
    )
    x = np.array(sorted(x, key=lambda v: (v < 0, abs(v))))
    ups = np.array([*up, *usual_seconds(number_format)])
    question = Question(find_form(form), quantity, number_format, gating=gating)
    due = PairJudge(question, x, ups, ftz=False).due
    pairs = itertools.product(x.tolist(), ups.tolist())
    for (a, b), want, multiple, low, exponent in zip(
        pairs, due.want.tolist(), due.multiple.tolist(), due.low.tolist(),
        due.unit_exponent.tolist(), strict=True,
    ):  # fmt: skip
        y = slow_truth(form, quantity, gating, a, b)
        rounded = number_format.exactly(y)
        assert want == rounded
        if math.isfinite(rounded) and abs(y) > Fraction(2) ** -1000:
            said = (Fraction(multiple) + Fraction(low)) * Fraction(2) ** exponent
            assert abs(said - y) <= abs(y) / 2**50


@every("normal", [(0.0, 1.0), (-0.5, 2.0)])
def test_two_drawn_inputs_are_independent(normal):
    e5m2 = FORMATS["float8_e5m2"]

    def zero(gate, up):
        return np.zeros_like(gate)

    kernel = implementation_of("f", zero, Calling(e5m2, e5m2, second=SEPARATE))
    question = Question(find_form("relu"), "value", e5m2, gating=Gating(), normal=Normal(*normal))
    with Sweep([Kernel(kernel, question)], Inputs(ups=every_second(e5m2), every_up=True)) as run:
        (verdict,) = run.verdicts()
    x = np.unique(every_number(e5m2))
    edges = [-math.inf, *((x[1:] + x[:-1]) / 2).tolist(), math.inf]
    cdf = [M.ncdf((M.mpf(edge) - normal[0]) / normal[1]) for edge in edges]
    weights = [high - low for low, high in itertools.pairwise(cdf)]
    gates = sum(w * max(v, 0) ** 2 for v, w in zip(x.tolist(), weights, strict=True))
    ups = sum(w * v**2 for v, w in zip(x.tolist(), weights, strict=True))
    assert verdict.total.drawn.weight == pytest.approx(1, rel=1e-9)
    assert verdict.total.drawn.rms == pytest.approx(float(M.sqrt(gates * ups)), rel=1e-9)


@pytest.mark.slow
@every(("dtype", "form", "quantity"), [
    ("bfloat16", "exact", "value"), ("float16", "silu", "value"),
    ("bfloat16", "exact", GATE_GRADIENT), ("float16", "exact", GATE_GRADIENT),
    ("bfloat16", "exact", "up_gradient"),
])  # fmt: skip
def test_a_million_drawn_pairs_have_the_truth_of_fractions(dtype, form, quantity):
    check_drawn(dtype, form, Gating(), count=1000, quantity=quantity)


def test_a_second_input_of_1_is_none():
    def gelu(x):
        return careless(x, np.ones_like(x))

    number_format = FORMATS["bfloat16"]
    one = swept("bfloat16", "exact", "value", Gating(), [1.0], careless).total
    kernel = implementation_of("f", gelu, Calling(number_format, number_format))
    question = Question(find_form("exact"), "value", number_format)
    with Sweep([Kernel(kernel, question)], Inputs(), keep=KEEP) as run:
        (verdict,) = run.verdicts()
    two = verdict.total
    assert one.worst == two.worst
    assert max(one.peaks.values()) == max(two.peaks.values())
    assert one.sum_ulp == pytest.approx(two.sum_ulp)
    assert one.histogram.tolist() == two.histogram.tolist()
    left = {"non_monotone"}
    assert {k: v for k, v in one.counts.items() if k not in left} == {
        k: v for k, v in two.counts.items() if k not in left
    }


def packed_kernel(layout):
    def kernel(x):
        gate, up = np.split(x, 2) if layout == "halves" else (x[::2], x[1::2])
        return careless(gate, up)

    return kernel


@every("layout", ["halves", "interleaved"])
def test_both_inputs_may_be_in_one_array(layout):
    ups = (0.5, 3.0, -0.5)
    plain = swept("float8_e5m2", "exact", "value", Gating(), ups, careless)
    packed = swept(
        "float8_e5m2", "exact", "value", Gating(packed=layout), ups, packed_kernel(layout)
    )
    assert same(vars(packed.total), vars(plain.total))


def test_a_backward_pass_of_its_own_returns_both_gradients():
    def backward(upstream, gate, up):
        assert (upstream == 1).all()
        step = (gate > 0).astype(gate.dtype)
        return step * up, np.maximum(gate, 0).astype(gate.dtype)

    number_format = FORMATS["float16"]
    for quantity in (GATE_GRADIENT, "up_gradient"):
        calling = Calling(number_format, number_format, quantity, second=SEPARATE, backward="own")
        kernel = implementation_of("f", backward, calling)
        question = Question(find_form("relu"), quantity, number_format, gating=Gating())
        inputs = Inputs(ups=(0.5, 3.0, -0.5), low=2**-20, high=8.0)
        with Sweep([Kernel(kernel, question)], inputs) as run:
            (verdict,) = run.verdicts()
        assert verdict.max_ulp == 0
        assert not verdict.failures


def test_limits_are_those_of_ieee_products():
    def product(gate, up):
        return np.maximum(gate, 0) * up

    with np.errstate(all="ignore"):
        verdict = swept("float16", "relu", "value", Gating(), [1.0, -2.0], product,
                        infinities=True)  # fmt: skip
        assert not verdict.failures

        def wrong(gate, up):
            return np.nan_to_num(product(gate, up), nan=0.0)

        verdict = swept("float16", "relu", "value", Gating(), [1.0, -2.0], wrong,
                        infinities=True)  # fmt: skip
    failed = {(each.x, each.up) for each in verdict.failures}
    assert failed
    assert all(math.isnan(x * 0 + up * 0) for x, up in failed)


def test_an_intermediate_format_without_infinity_is_refused_where_it_may_overflow():
    with pytest.raises(UsageError, match="--intermediate float8_e4m3fn has no infinity"):
        Gating(intermediate=FORMATS["float8_e4m3fn"]).check(FORMATS["bfloat16"])


def test_an_intermediate_format_overflows_to_infinity():
    def rounding(gate, up):
        return np.maximum(gate, 0).astype(np.float16).astype(gate.dtype) * up

    gating, ups = Gating(intermediate=FORMATS["float16"]), (0.0, 0.5, 3.0, -(2.0**-16))
    with np.errstate(all="ignore"):
        verdict = swept("float8_e5m2", "relu", "value", gating, ups, rounding)
        assert (verdict.total.misrounded, verdict.failures) == (0, [])
        verdict = swept("bfloat16", "relu", "value", gating, ups, rounding)
    assert (verdict.total.misrounded, verdict.failures) == (0, [])
    assert verdict.total.judged < verdict.total.inputs


def test_arrays_travel_as_they_are():
    x = np.array([[1, -2, 0.5], [3, -0.0, 8]], np.float32)
    half = FORMATS["float16"]
    assert (to_floats(half, to_bits(half, x)) == x).all()


def tail_that_cancels(x, up):
    return (x / 2 * (1 + np.tanh(0.8 * x.astype(np.float32)).astype(x.dtype))) * up


def flushing(x, up):
    y = careless(x, up)
    return np.where(np.abs(y.astype(np.float64)) < 2.0**-126, x.dtype.type(0), y)


def worse_for_one_exponent(x, up):
    y = careless(x, up)
    return np.where((up >= 8) & (up < 16), np.nextafter(y, np.inf), y).astype(x.dtype)


def infinite_early(x, up):
    y = careless(x, up)
    return np.where(np.abs(y.astype(np.float64)) > 2.0**12, np.copysign(np.inf, y), y)


def exponents_that_wrap(x, up):
    significand, exponent = np.frexp(up.astype(np.float64))
    y = careless(x, (significand / 2**14).astype(x.dtype))
    fraction = 10 if x.dtype == np.float16 else 7
    return (y.view(np.int16) + (exponent << fraction).astype(np.int16)).view(x.dtype)


NASTY = [
    careless,
    tail_that_cancels,
    flushing,
    worse_for_one_exponent,
    infinite_early,
    exponents_that_wrap,
]


@every("kernel", NASTY)
@every(("dtype", "region", "quantity", "gating"), [
    ("bfloat16", (1.0, 2.0), "value", Gating()),
    ("bfloat16", (-16.0, -8.0), "value", Gating()),
    ("bfloat16", (-40.0, -20.0), "value", Gating()),
    ("bfloat16", (16.0, 3e38), "value", Gating(intermediate=FORMATS["float16"])),
    ("bfloat16", (-1.0, -0.25), "up_gradient", Gating()),
    ("float16", (2**-14, 0.25), GATE_GRADIENT, Gating()),
    ("float16", (0.0, 2**-15), "value", Gating(up_limit=8.0)),
])  # fmt: skip
def test_runs_of_ups_that_double_are_judged_as_each_pair_alone_everywhere(
    kernel, dtype, region, quantity, gating
):
    check_runs(kernel, dtype, region, quantity, gating, count=60, significands=3)


@every("kernel", NASTY)
def test_runs_of_ups_that_double_are_judged_as_each_pair_alone(kernel):
    check_runs(kernel, "bfloat16", (-1.0, -0.25), "value", Gating(), count=9, significands=1)


def check_runs(kernel, dtype, region, quantity, gating, count, significands):
    number_format, generator = FORMATS[dtype], np.random.default_rng(7)
    x = every_number(number_format, *region)
    x = x[np.sort(generator.choice(len(x), count, replace=False))]
    question = Question(find_form("exact"), quantity, number_format, gating=gating)
    ups = np.array(every_second(number_format))
    of_ups = np.abs(np.frexp(ups)[0])
    kind = getattr(ml_dtypes, dtype, dtype)
    for significand in generator.choice(of_ups, significands):
        for some in (ups[(of_ups == significand) & inside] for inside in (ups >= 1, ups < 0)):
            weights = generator.random(len(x)), generator.random(len(some))
            judge = PairJudge(question, x, some, ftz=False, every_up=True)
            judge._shares = lambda normal, weights=weights: weights
            with np.errstate(all="ignore"):
                got = kernel(judge.x.astype(kind), judge.up.astype(kind)).astype(np.float32)
                assert_alike(judge.tally(got, KEEP), Judge.tally(judge, got, KEEP))


def assert_alike(runs, alone):
    for name in ("inputs", "judged", "counts", "peaks", "first_over", "flushed"):
        assert getattr(runs, name) == getattr(alone, name)
    assert runs.histogram.tolist() == alone.histogram.tolist()
    assert runs.furthest[0] == alone.furthest[0]
    assert runs.sum_ulp == pytest.approx(alone.sum_ulp, rel=1e-12)
    assert [each.ulp for each in runs.worst] == [each.ulp for each in alone.worst]
    assert runs.drawn == pytest.approx(alone.drawn, rel=1e-12)
    assert {name: each[0] for name, each in runs.farthest.items()} == {
        name: each[0] for name, each in alone.farthest.items()
    }
    assert len(runs.failures) == len(alone.failures)


def test_results_that_all_overflow_as_they_should_are_inputs_alone():
    number_format = FORMATS["bfloat16"]
    question = Question(
        find_form("exact"), "value", number_format, gating=Gating(intermediate=FORMATS["float16"])
    )
    x, ups = np.array([2.0**17, 2.0**18]), 2.0 ** np.arange(8)
    judge = PairJudge(question, x, ups, ftz=False, every_up=True)
    tally = judge.tally(np.full(16, np.inf, np.float32), KEEP)
    assert (tally.inputs, tally.judged, tally.failures) == (16, 0, [])
    wrong = judge.tally(np.append(np.full(15, np.inf, np.float32), np.nan), KEEP)
    assert [(each.x, each.up) for each in wrong.failures] == [(2.0**18, 128.0)]
