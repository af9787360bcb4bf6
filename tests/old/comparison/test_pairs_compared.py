"""Two kernels of two inputs beside each other, against fractions at every pair of 8-bit inputs."""

import itertools
from fractions import Fraction
from math import copysign, inf, isfinite, isnan

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.old.arithmetic.format_arrays import every_number
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.comparison.criteria import CriteriaObserver
from gelu_cli.old.comparison.differences import comparison, sweep_of_two
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.gating import GATE_GRADIENT, Gating, every_second
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question
from tests.old.every import every
from tests.old.sweeping.test_pairs import careless, slow_truth
from tests.truth.mpmath import M
from tests.truth.slow_judge import least_normal, overflows, rounded, ulp

KEEP = 10


def other(x, up):
    """Return x·σ(1.6x)·u or so, flushed, with NaN and infinities here and there."""
    with np.errstate(all="ignore"):
        least = float(ml_dtypes.finfo(x.dtype).smallest_normal)
        a, b = (np.where(np.abs(each) < least, 0, each).astype(np.float64) for each in (x, up))
        y = a / (1 + np.exp(-1.6 * a)) * b
        y = np.where(np.abs(y) < least, 0.0, y)
        y = np.where((a == -2) | (b == 1.75), np.nan, y)
        y = np.where(a * b == 4, -np.inf, y)
        return y.astype(x.dtype)


def kernels(dtype, form, quantity, gating, functions=(careless, other)):
    number_format = FORMATS[dtype]
    question = Question(find_form(form), quantity, number_format, gating=gating)
    calling = Calling(number_format, number_format, quantity, gating.second,
                      "own" if gating.upstream else None)  # fmt: skip
    if gating.upstream:  # whose kernels take the gradient from above first
        functions = [lambda upstream, x, f=f: f(x, upstream) for f in functions]
    return [Kernel(implementation_of("f", f, calling), question) for f in functions]


def compared(two, ups, *, ftz=False, every_up=True):
    inputs = Inputs(ups=tuple(ups), every_up=every_up)
    with sweep_of_two(two, inputs, jobs=1, keep=KEEP, ftz=ftz) as run:
        return comparison(run)


class Slow:
    """What is right at every pair, from the definitions."""

    def __init__(self, dtype, form, quantity, gating, *, ftz=False):
        self.dtype, self.ftz = dtype, ftz
        self.asked, self.known = (form, quantity, gating), {}
        self.least = least_normal(dtype)

    def y(self, x, up):
        if (x, up) not in self.known:
            self.known[x, up] = slow_truth(*self.asked, x, up)
        return self.known[x, up]

    def want(self, y):
        if not overflows(self.dtype, y):
            return rounded(self.dtype, y)
        return np.nan if self.dtype == "float8_e4m3fn" else copysign(inf, y)

    def taken(self, x, up, got):
        """Return a result, or what is right where a machine that flushes may return it."""
        y = self.y(x, up)
        zeros = [(0.0, value) if abs(value) < self.least else (value,) for value in (x, up)]
        allowed = [self.want(self.y(*pair)) for pair in itertools.product(*zeros)]
        right = (got == 0 and abs(y) < self.least) or got in allowed
        return self.want(y) if self.ftz and right else got

    def nearer(self, x, up, a, b):
        """Return 1 where a is nearer, −1 where b is, else 0."""
        a, b = (self.taken(x, up, got) for got in (a, b))
        y = self.y(x, up)
        if isfinite(a) and isfinite(b):
            far, near = abs(Fraction(a) - y), abs(Fraction(b) - y)
            return (far < near) - (far > near)
        want = self.want(y)
        a, b = (1 if isfinite(got) else 2 * (got == want or (isnan(got) and isnan(want)))
                for got in (a, b))  # fmt: skip
        return (a > b) - (a < b)

    def apart(self, x, up, a, b):
        if not (isfinite(a) and isfinite(b)):
            return inf
        return abs(Fraction(a) - Fraction(b)) / ulp(self.dtype, self.y(x, up))


def order(number):
    """Return what the bits of numbers are ordered by."""
    return copysign(1, number) < 0, abs(number)


def results(dtype, functions, ups):
    """Return all pairs, in the order of their bits, with the results of both."""
    kind = getattr(ml_dtypes, dtype)
    pairs = [*itertools.product(every_number(FORMATS[dtype]).tolist(), ups)]
    x, up = (np.array(column).astype(kind) for column in zip(*pairs, strict=True))
    columns = [f(x, up).astype(float).tolist() for f in functions]
    return [(*pair, *got) for pair, got in zip(pairs, zip(*columns, strict=True), strict=True)]


def probabilities(dtype):
    """Return how likely a draw from N(0, 1) rounds to each number; each zero has one side of 0."""
    sizes = [*dict.fromkeys(abs(x) for x in every_number(FORMATS[dtype]).tolist())]
    edges = [0, *((low + high) / 2 for low, high in itertools.pairwise(sizes)), inf]
    shares = [float(M.ncdf(-low) - M.ncdf(-high)) for low, high in itertools.pairwise(edges)]
    return {order(sign * x): share for x, share in zip(sizes, shares, strict=True)
            for sign in (1, -1)}  # fmt: skip


CASES = [
    ("float8_e4m3fn", "exact", "value", Gating()),
    ("float8_e5m2", "exact", "value", Gating()),
    ("float8_e5m2", "tanh", "value", Gating(gate_limit=7.0, up_limit=7.0, up_offset=1.0)),
    ("float8_e4m3fn", "sigmoid", "value", Gating(intermediate=FORMATS["float8_e4m3fn"])),
    ("float8_e5m2", "silu", GATE_GRADIENT, Gating(gate_limit=3.5)),
    ("float8_e4m3fn", "exact", "up_gradient", Gating(up_limit=2.0)),
    ("float8_e5m2", "exact", "gradient", Gating(upstream=True)),
]


def named(case):
    dtype, form, quantity, gating = case
    return "-".join([dtype, form, quantity, *gating.asked])


@pytest.mark.slow
@every("ftz", [False, True], ids=["all", "ftz"])
@every("case", CASES, ids=named)
def test_every_pair_is_compared_as_fractions_do(case, ftz):
    check(case, every_second(FORMATS[case[0]]), ftz=ftz)


@every("place", range(len(CASES)), ids=[*map(named, CASES)])
def test_some_pairs_are_compared_as_fractions_do(place):
    case, ftz = CASES[place], place % 2 == 0
    check(case, [0.25, 2.0**-9 if "e4m3" in case[0] else 2.0**-16, -3.0], ftz=ftz)


def check(case, ups, *, ftz):
    dtype, slow, every_up = case[0], Slow(*case, ftz=ftz), len(ups) > 100
    found = compared(kernels(*case), ups, ftz=ftz, every_up=every_up)
    every = results(dtype, (careless, other), ups)
    apart = [row for row in every if order(row[2]) != order(row[3])
             and not (isnan(row[2]) and isnan(row[3]))]  # fmt: skip
    signs = [slow.nearer(*row) for row in apart]
    assert (found.total.inputs, found.total.differ) == (len(every), len(apart))
    assert (found.total.nearer_a, found.total.nearer_b) == (signs.count(1), signs.count(-1))
    x, up, a, b = apart[0]
    assert found.seen.first[:3] == pytest.approx((x, a, b), rel=0, nan_ok=True)
    assert order(found.seen.first.up) == order(up)
    largest = sorted(
        ((float(slow.apart(*row)), row[0], row[1]) for row in apart),
        key=lambda each: (-each[0], order(each[1]), order(each[2])),
    )
    kept = [(each.ulp, each.x, each.up) for each in found.seen.largest[:KEEP]]
    assert kept == [(pytest.approx(size, rel=1e-15), *pair) for size, *pair in largest[:KEEP]]
    assert found.total.largest == pytest.approx(largest[0][0], rel=1e-15)
    check_regions(found, apart, signs)
    if every_up:
        weights = probabilities(dtype)
        shares = [0.0, 0.0]
        for row, sign in zip(apart, signs, strict=True):
            if sign:
                shares[sign < 0] += weights[order(row[0])] * weights[order(row[1])]
        assert (found.total.share_a, found.total.share_b) == pytest.approx(shares, rel=1e-9)


def check_regions(found, apart, signs):
    """Each region has the pairs that lie in it."""
    regions = {region.place: count for region, count in found.regions.items()}
    assert len(regions) == len(found.a.regions) == len(found.regions)
    counts = {place: [0, 0, 0] for place in regions}
    for (x, up, *_), sign in zip(apart, signs, strict=True):
        (place,) = (place for place in regions if inside(x, place[:2]) and inside(up, place[2:]))
        for i, counted in enumerate((True, sign == 1, sign == -1)):
            counts[place][i] += counted
    assert {place: [*count[1:4]] for place, count in regions.items()} == counts


def inside(number, ends):
    """Return whether a number is between ends, of which that nearer to 0 belongs to them."""
    if copysign(1, number) != (1 if copysign(1, ends[0]) > 0 else -1):
        return False
    return ends[0] <= number < ends[1] if copysign(1, number) > 0 else ends[0] < number <= ends[1]


def criteria_of(every_up):
    """Return criteria by name and inputs, with all inputs, results and what is right."""
    e5m2 = FORMATS["float8_e5m2"]
    ups = every_second(e5m2) if every_up else (0.25, 3.0, -(2.0**-16))
    (kernel,) = kernels("float8_e5m2", "relu", "value", Gating(), (other,))
    inputs = Inputs(ups=ups, every_up=every_up)
    observer = CriteriaObserver([kernel.question])
    with Sweep([kernel], inputs, observers=[observer]) as run:
        (verdict,) = run.verdicts()
    x, up = np.array([*itertools.product(every_number(e5m2).tolist(), ups)]).T
    kind = ml_dtypes.float8_e5m2
    got = other(x.astype(kind), up.astype(kind)).astype(float)
    with np.errstate(all="ignore"):
        want = (np.maximum(x, 0) * up).astype(kind).astype(float)  # both are exact before
    return {(each.name, each.inputs): each for each in verdict.criteria}, x, up, got, want


@np.errstate(all="ignore")
def test_criteria_are_of_all_pairs_and_of_two_independent_draws():
    found, x, up, got, want = criteria_of(every_up=True)
    wrong = ~((np.abs(got - want) <= 1e-2) | (got == want))
    weights = probabilities("float8_e5m2")
    both = np.array([weights[order(a)] * weights[order(b)] for a, b in zip(x, up, strict=True)])
    drawn = found["max_abs_1e-2", "N(0, 1)"]
    assert drawn.found == pytest.approx(both[wrong].sum() / both.sum(), rel=1e-9)
    (place,) = np.flatnonzero((x == drawn.x) & (up == drawn.up))
    assert wrong[place]
    assert both[place] == pytest.approx(both[wrong].max(), rel=1e-9)
    finite = [np.where(np.isfinite(each), each, 0.0) for each in (got, want)]
    pcc = found["pcc_0.99", "judged"].found
    assert pcc == pytest.approx(np.corrcoef(*finite)[0, 1], rel=1e-9)
    mean = [np.sum(both * each) / both.sum() for each in finite]
    a, b = (each - m for each, m in zip(finite, mean, strict=True))
    due = np.sum(both * a * b) / np.sqrt(np.sum(both * a * a) * np.sum(both * b * b))
    assert found["pcc_0.99", "N(0, 1)"].found == pytest.approx(due, rel=1e-9)


@np.errstate(all="ignore")
def test_criteria_of_a_choice_of_ups_say_nothing_of_draws():
    found, x, up, got, want = criteria_of(every_up=False)
    assert {inputs for _, inputs in found} == {"judged"}
    atol = found["tightest_atol", "judged"]
    errors = np.where(got == want, 0, np.abs(got - np.maximum(x, 0) * up))
    assert (atol.found, atol.passes) == (inf, None)
    (place,) = np.flatnonzero((x == atol.x) & (up == atol.up))
    assert not isfinite(errors[place])
