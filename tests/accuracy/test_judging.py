"""Whole tables of kernels that are wrong in nasty ways, against fractions, by every 8-bit input."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from gelu_cli.accuracy.measure import measure
from gelu_cli.accuracy.question import Glu, Question
from gelu_cli.accuracy.selection import Inputs, Normal
from gelu_cli.accuracy.tally import FAILURES
from gelu_cli.accuracy.truth import truth_of
from gelu_cli.formulas import find_form
from gelu_cli.kernels import FUNCTION, Kernel
from gelu_cli.numbers import FORMATS
from tests.truth import exact
from tests.truth.exact import Asked
from tests.truth.fractions import views

E5M2, E4M3 = "float8_e5m2", "float8_e4m3fn"
COUNTS = "over_half_ulp over_1_ulp misrounded wrong_nan wrong_inf wrong_sign wrong_zero saturated"
COUNTS = tuple(COUNTS.split())
KEEP = 8


def specials(dtype):
    return [math.inf, -math.inf, math.nan] if exact.facts(dtype).infinite else [math.nan]


@cache
def right(asked):
    """Correctly rounded results at every input, by its bits."""
    inputs = [*exact.all_numbers(asked.dtype), *specials(asked.dtype)]
    found = {}
    for x in inputs:
        y = exact.truth(asked, x)
        want = exact.rounded(asked.to, y) if math.isfinite(y) else y
        if math.isinf(want) and not exact.facts(asked.to).infinite:
            want = math.nan
        found[x if x == x else None, math.copysign(1, x) if x == x else 0] = want
    return found


def table_kernel(asked, faults):
    """A kernel that is right but at the inputs of `faults`."""
    known = dict(right(asked))
    for x, got in faults.items():
        key = (None, 0) if math.isnan(x) else (x, math.copysign(1, x))
        assert key in known
        known[key] = got

    def function(x):
        keys = x.astype(np.float64).tolist()
        got = [known[(None, 0) if e != e else (e, math.copysign(1, e))] for e in keys]
        return np.array(got, np.float64).astype(FORMATS[asked.to].dtype)

    return function


def question_of(asked):
    inner = FORMATS[asked.intermediate] if asked.intermediate else None
    glu = Glu(asked.gate_limit, asked.up_limit, asked.up_offset, inner) if asked.two else None
    of, to = FORMATS[asked.dtype], FORMATS[asked.to]
    return Question(find_form(asked.form), asked.quantity, of, to, glu=glu)


def measured(asked, function, **more):
    """The verdict on a function of numpy."""
    backward = asked.two and asked.quantity == "gradient"
    shape = {"glu": asked.two and not backward, "backward": backward}
    kernel = Kernel("f", function, FUNCTION, asked.dtype, asked.to, asked.quantity, **shape)
    inputs = Inputs(FORMATS[asked.dtype], **more)
    normal = Normal(asked.mean, asked.sigma)
    found = measure(question_of(asked), inputs, [kernel], ftz=asked.ftz, keep=KEEP, normal=normal)
    return found.verdicts[0]


def close(found, want, relative=1e-11, absolute=1e-300):
    """Compare numbers to 11 digits, and None."""
    if found is None or want is None:
        return found is want
    most = float(np.finfo(np.float64).max)
    found, want = (float(min(each, most)) for each in (found, want))
    return found == want or abs(found - want) <= relative * abs(want) + absolute


MEANS = {"mean_ulp": (1e-6, 0.0), "rms_error": (1e-6, 0.0), "noise_ratio": (1e-6, 0.0)}
"""Digits of means over wide formats: a truth is known to a share of its unit."""
OF_NARROW = {"mean_ulp": (1e-8, 0.0)}


def tally_row(verdict, tally):
    largest = verdict.largest(tally)
    return {
        "inputs": tally["inputs"],
        "max_ulp": largest and largest.ulp,
        "mean_ulp": verdict.mean_ulp(tally),
        **{name: tally[name] for name in COUNTS},
    }


def differences(asked, verdict, want):
    """The columns in which a verdict differs from what fractions have."""
    summary, wrong, wide = want["summary"], [], exact.facts(asked.dtype).width > 16

    def check(name, found, expected):
        column = name[-1] if isinstance(name, tuple) else name
        if not close(found, expected, *(MEANS if wide else OF_NARROW).get(column, ())):
            wrong.append((name, found, expected))

    for name, found in tally_row(verdict, verdict.total).items():
        check(name, found, summary[name])
    check("wrong_special", len(verdict.special), summary["wrong_special"])
    check("non_monotone", verdict.non_monotone, summary["non_monotone"])
    steps, size, share = (verdict.extreme(each) for each in ("ordinal", "abs", "rel"))
    check("max_ordinal", steps and steps.ordinal, summary["max_ordinal"])
    check("max_abs_error", size and size.absolute, summary["max_abs_error"])
    check("max_rel_error", share and share.relative, summary["max_rel_error"])
    for name in ("rms_error", "noise_ratio"):
        check(name, getattr(verdict, name), summary[name])
    if summary["left_out"] is not None:
        lost = verdict.lost_share
        if abs(lost - summary["left_out"]) > 1e-12:
            wrong.append(("lost_share", lost, summary["left_out"]))
    places = [(each.order, tally_row(verdict, tally)) for each, tally in verdict.places()]
    ends = ["low", "high"] + ["up_low", "up_high"] * asked.two
    if [each for each, _ in places] != [tuple(row[e] for e in ends) for row in want["regions"]]:
        wrong.append(("regions", [each for each, _ in places], None))
    for (place, found), row in zip(places, want["regions"], strict=False):
        for name, value in found.items():
            check((place, name), value, row[name])
    errors = [each.ulp for each in verdict.errors()][:KEEP]
    for i, row in enumerate(want["worst"]["errors"][: len(errors)]):
        check(("worst", i), errors[i], row["ulp"])
    profile = [each._asdict() for each in verdict.profile()]
    if not verdict.exhaustive:  # whose ends are numbers that were not drawn
        return wrong + headline(asked, verdict, want)
    if len(profile) != len(want["profile"]):
        wrong.append(("rows of profile", len(profile), len(want["profile"])))
    for found, row in zip(profile, want["profile"], strict=False):
        for name, value in row.items():
            check(("profile", row["bound"], name), found[name], value)
    return wrong + headline(asked, verdict, want)


def headline(asked, verdict, want):
    """The inputs of the largest error have it, by fractions, and are among the worst."""
    largest, errors = verdict.largest(), want["worst"]["errors"]
    if largest is None:
        return []
    here = [r for r in errors if (r["x"], r.get("up", 1.0)) == (largest.x, largest.up)]
    right = here and close(here[0]["ulp"], errors[0]["ulp"]) and here[0]["got"] == largest.got
    listed = {(each.x, each.up) for each in verdict.worst(KEEP + 16)}
    return (
        [] if right and (largest.x, largest.up) in listed else [("max_ulp_x", largest, errors[0])]
    )


def rows_of(asked, function):
    inputs = [*exact.all_numbers(asked.dtype), *specials(asked.dtype)]
    got = function(np.array(inputs).astype(FORMATS[asked.dtype].dtype))
    return list(zip(inputs, got.astype(np.float64).tolist(), strict=True))


def moved(dtype, y, steps):
    """The number so many steps from another one of the format, away from 0."""
    of = FORMATS[dtype]
    return math.copysign(of.number(of.bits(abs(y)) + steps), y)


GELU5, GELU4 = Asked(dtype=E5M2), Asked(dtype=E4M3)
TO_E4M3 = Asked(dtype=E5M2, result=E4M3)
GRADIENT = Asked(quantity="gradient", dtype=E5M2)
LEAST = 2.0**-16


def at(asked, x, steps):
    return {x: moved(asked.to, right(asked)[x, math.copysign(1, x)], steps)}


FAULTS = {
    "NaN": (GELU5, {1.0: math.nan}, {"wrong_nan": 1}),
    "NaN in E4M3": (GELU4, {-2.0: math.nan}, {"wrong_nan": 1}),
    "infinity": (GELU5, {1.5: math.inf}, {"wrong_inf": 1}),
    "infinity of the other sign": (GELU5, {57344.0: -math.inf}, {"wrong_inf": 1}),
    "one step up": (GELU5, at(GELU5, 2.0, 1), {"misrounded": 1, "over_half_ulp": 1}),
    "two steps up": (GELU4, at(GELU4, 3.0, 2), {"misrounded": 1, "over_1_ulp": 1}),
    "sign": (GELU5, {-0.5: 0.15625}, {"wrong_sign": 1, "over_1_ulp": 1}),
    "sign of a subnormal number": (GELU5, {-(2.0**-15): LEAST}, {"wrong_sign": 1}),
    "0 for a number": (GELU4, {1.5: 0.0}, {"wrong_zero": 1, "over_1_ulp": 1}),
    "0 for a subnormal number": (GELU5, {2.0**-14: 0.0}, {"wrong_zero": 1, "over_1_ulp": 1}),
    "a number for 0": (GELU5, {-40.0: -LEAST}, {"wrong_zero": 1, "over_half_ulp": 1}),
    "a number of the other sign for 0": (GELU5, {-40.0: LEAST}, {"wrong_sign": 1, "over_1_ulp": 1}),
    "a number at 0": (GELU5, {0.0: LEAST}, {"wrong_zero": 1, "over_half_ulp": 1}),
    "a number at −0": (GELU4, {-0.0: -(2.0**-9)}, {"wrong_zero": 1}),
    "half of the largest": (GELU5, {57344.0: 28672.0}, {"over_1_ulp": 1, "non_monotone": 1}),
    "a step back": (GELU5, {12.0: 8.0}, {"non_monotone": 1, "over_1_ulp": 1}),
    "NaN becomes a number": (GELU5, {math.nan: 0.0}, {"wrong_special": 1}),
    "∞ becomes 0": (GELU5, {math.inf: 0.0}, {"wrong_special": 1}),
    "−∞ becomes NaN": (GELU5, {-math.inf: math.nan}, {"wrong_special": 1}),
    "the gradient at ∞ is NaN": (GRADIENT, {math.inf: math.nan}, {"wrong_special": 1}),
    "the gradient at −∞ is −1": (GRADIENT, {-math.inf: -1.0}, {"wrong_special": 1}),
    "the largest for what is beyond": (TO_E4M3, {512.0: 448.0}, {"saturated": 1}),
    "the largest of the other sign": (TO_E4M3, {512.0: -448.0}, {"wrong_nan": 1}),
    "the gradient at 0": (GRADIENT, {0.0: 0.0}, {"wrong_zero": 1, "over_1_ulp": 1}),
    "2⁷ ULP less 2⁻¹⁰⁵": (GRADIENT._replace(result="bfloat16"), {160.0: 2.0**-112}, {}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_one_fault_is_counted_once_in_its_column(name):
    asked, faults, columns = FAULTS[name]
    function = table_kernel(asked, faults)
    verdict = measured(asked, function)
    want = views(asked, rows_of(asked, function))
    assert differences(asked, verdict, want) == []
    counts = {name: verdict.total[name] for name in COUNTS} | {
        "non_monotone": verdict.non_monotone,
        "wrong_special": len(verdict.special),
    }
    assert {name: counts[name] for name in columns} == columns
    assert [len(verdict.total.largest(name)) for name in FAILURES] == [counts[e] for e in FAILURES]


def named(asked):
    """What a question asks for besides the usual."""
    usual = Asked()._asdict()
    return "-".join(str(each) for name, each in asked._asdict().items() if each != usual[name])


def careless(form, asked):
    """x·G(x) in a hurry: errors of all sizes, and failures."""

    def function(x):
        with np.errstate(all="ignore"):
            a = x.astype(np.float64)
            y = (a if asked.quantity == "value" else 1) / (1 + np.exp(-1.7 * a))
            if form == "flushes":
                y = np.where(np.abs(y) < 2.0 ** FORMATS[asked.to].emin, 0 * y, y)
            if form == "steps":
                y = np.round(y * 8) / 8
            if form == "fails":
                y = np.where(np.abs(a - 2) < 0.3, np.nan, np.where(a == -1, np.inf, y))
            if form == "wild":
                y = np.where(np.abs(a) > 100, -a / 3, np.where(a == 0, 1, y))
            if form == "constant":
                y = 0 * np.where(np.isfinite(a), a, 0) + 0.25
            if form == "all NaN":
                y = np.full(a.shape, np.nan)
            return y.astype(FORMATS[asked.to].dtype)

    return function


NASTY = ["fails", "flushes", "steps", "wild"]


@pytest.mark.parametrize(
    "asked",
    [
        *[GELU5, GELU4, TO_E4M3, GRADIENT],
        Asked("relu", dtype=E5M2),
        Asked("hard", "gradient", E4M3),
        Asked("silu", dtype=E5M2, ftz=True),
        Asked("elu", dtype=E4M3, mean=-1.0, sigma=0.5),
        Asked("sigmoid", "value", E4M3, "bfloat16"),
        Asked("noisy_relu", dtype=E5M2, mean=30.0, sigma=4.0),
        Asked("exact", dtype=E4M3, ftz=True),
    ],
    ids=named,
)
def test_whole_tables_of_nasty_kernels_are_those_of_fractions(asked):
    wrong = {}
    for name in [*NASTY, *["plain", "constant", "all NaN"] * (asked in (GELU5, TO_E4M3))]:
        function = careless(name, asked)
        verdict = measured(asked, function)
        if found := differences(asked, verdict, views(asked, rows_of(asked, function))):
            wrong[name] = found[:4]
    assert wrong == {}


def careless_pairs(x, up):
    """Return x·Φ(x)·u or so: a little off in places, and wrong in nasty ways."""
    with np.errstate(all="ignore"):
        a, b = x.astype(np.float64), up.astype(np.float64)
        y = a / (1 + np.exp(-1.7 * a)) * b
        y = np.where(a == -2, np.nan, y)
        y = np.where((b == 3) & (a > 2), -y, y)
        y = np.where((a == 1.5) & (np.abs(b) < 1), 0.0, y)
        y = np.where((b == -0.5) & (a > 8), np.inf, y)
        return y


def pair_rows(asked, x, ups, function):
    """Rows of every pair, and of pairs with ±∞ and NaN."""
    limits, some = specials(asked.dtype), ups[:: len(ups) // 64 or 1]
    pairs = [*itertools.product(x, ups), *itertools.product(limits, [*some, *limits])]
    pairs += itertools.product(some, limits)
    of = FORMATS[asked.dtype].dtype
    a, b = (np.array(each).astype(of) for each in zip(*pairs, strict=True))
    got = function(a, b).astype(np.float64).tolist()
    return [(*pair, result) for pair, result in zip(pairs, got, strict=True)]


OF_PAIRS = {"dtype": E5M2, "two": True}
SWIGLU = {"gate_limit": 7.0, "up_limit": 7.0, "up_offset": 1.0, "two": True}
PAIRS = [
    Asked(**OF_PAIRS),
    Asked("tanh", dtype=E5M2, **SWIGLU),
    Asked("sigmoid", dtype=E4M3, two=True, intermediate=E4M3),
    Asked("exact", dtype=E5M2, two=True, intermediate="float16"),
    Asked("silu", "gate_gradient", E4M3, two=True, gate_limit=3.5),
    Asked("exact", "up_gradient", E5M2, two=True, up_limit=2.0),
    Asked("exact", "gradient", E4M3, two=True),
    Asked("relu", dtype=E4M3, two=True, up_offset=0.0625),
    Asked("silu", dtype=E5M2, two=True, ftz=True),
]


WIDE = [
    Asked("silu", dtype=E5M2, result="float32", two=True, intermediate=E5M2),
    Asked("exact", dtype=E5M2, result="float64", two=True, intermediate="float16"),
    Asked("silu", dtype=E4M3, result="float64", two=True, up_offset=0.1),
    Asked("exact", "gate_gradient", E5M2, "float64", two=True, gate_limit=7.0),
]


def measured_pairs(asked, x, ups, **more):
    def function(x, up):
        with np.errstate(all="ignore"):
            return careless_pairs(x, up).astype(FORMATS[asked.to].dtype)

    def backward(upstream, x):  # the upstream gradient comes first
        return function(x, upstream)

    called = backward if asked.quantity == "gradient" else function
    verdict = measured(asked, called, ups=tuple(ups), **more)
    want = views(asked, pair_rows(asked, x, ups, function))
    return differences(asked, verdict, want)


def test_the_largest_may_stand_for_an_overflow_at_a_limited_infinite_up():
    def function(x, up):
        with np.errstate(all="ignore"):
            products = np.maximum(x.astype(float), 0) * np.clip(up.astype(float), -2, 2)
        return np.clip(products, -57344, 57344).astype(x.dtype)

    asked = Asked("relu", dtype=E5M2, two=True, up_limit=2.0)
    wrong = measured(asked, function, ups=(57344.0,)).special
    assert (wrong["x"].tolist(), np.unique(wrong["up"]).size) == ([math.inf] * 3, 3)


@pytest.mark.parametrize("asked", [*PAIRS, *WIDE], ids=named)
def test_whole_tables_of_pairs_are_those_of_fractions(asked):
    ups = [0.0, 3.0, 256.0, -0.5, -(2.0**-9), -96.0]
    assert measured_pairs(asked, exact.all_numbers(asked.dtype), ups)[:5] == []


@pytest.mark.parametrize("asked", [PAIRS[1], PAIRS[6]], ids=named)
def test_pairs_of_every_up_have_weights(asked):
    asked = asked._replace(every_up=True)
    numbers = exact.all_numbers(asked.dtype)
    x = [each for each in numbers if -2.5 <= each <= -1.5]
    assert measured_pairs(asked, x, numbers, low=-2.5, high=-1.5, drawn_ups=True)[:5] == []


@pytest.mark.slow
@pytest.mark.parametrize("asked", PAIRS, ids=named)
def test_every_pair_of_a_small_format(asked):
    asked, numbers = asked._replace(every_up=True), exact.all_numbers(asked.dtype)
    assert measured_pairs(asked, numbers, numbers, drawn_ups=True)[:5] == []


def usual(x):
    """Return x·σ(1.702x) as one would write it."""
    with np.errstate(all="ignore"):
        return (x / (1 + np.exp(x.dtype.type(-1.702) * x))).astype(x.dtype)


MIDDLE, TINY = [(0.9, 1.1), (-3.0, -0.5), (1e-18, 1e-3), (-1e-3, -1e-5)], (0.0, 1e-306)


@pytest.mark.parametrize(
    ("dtype", "ends"),
    [
        *itertools.product(["float64", "float32"], MIDDLE),
        *itertools.product(["float64"], [TINY, (-800.0, -600.0)]),
        ("float32", (-110.0, -60.0)),
    ],
    ids=str,
)
def test_samples_of_wide_formats_are_those_of_fractions(dtype, ends):
    low, high = ends
    asked = Asked("sigmoid", dtype=dtype)
    size = {"low": low, "high": high, "samples": 300, "seed": 3}
    verdict = measured(asked, usual, **size)
    units = Inputs(FORMATS[dtype], **size).units()
    x = np.concatenate([unit.inputs[0] for unit in units])
    special = np.array([math.inf, -math.inf, math.nan]).astype(x.dtype)
    x = np.concatenate([x, special])
    rows = list(zip(x.tolist(), usual(x).astype(np.float64).tolist(), strict=True))
    assert differences(asked, verdict, views(asked, rows))[:5] == []


def test_products_of_float64s_are_on_the_side_of_points():
    of = FORMATS["float64"]
    question = Question(find_form("exact"), "value", of, of, glu=Glu())
    pairs = [*itertools.product([-40.0, -1.5, 1e-300, of.largest], [-1e-308, 1 - 2.0**-53, 3.0])]
    truth = truth_of(question, *np.array(pairs).T.copy())
    for i, (x, up) in enumerate(pairs):
        m, low, n = question.at(up).in_units(x)
        want = Fraction(m) + Fraction(low)
        found = Fraction(float(truth.m[i])) + Fraction(float(truth.low[i]))
        side, here = (each - Fraction(round(2 * want), 2) for each in (want, found))
        assert (truth.unit[i], here > 0, here < 0) == (math.ldexp(1.0, n), side > 0, side < 0)


@pytest.mark.parametrize(("offset", "most"), [(0.0, 0), (0.1, 2.0**-45)])
def test_products_of_exact_factors_are_exact_and_others_near(offset, most):
    """With the offset float64 rounds the factor."""
    of, glu = FORMATS["float64"], Glu(up_offset=offset)
    x, up = np.random.default_rng(6).uniform(1, 2, (2, 300))
    truth = truth_of(Question(find_form("relu"), "value", of, of, glu=glu), x, up)
    for each in zip(x, up, truth.m, truth.low, truth.unit, strict=True):
        a, b, m, low, unit = map(Fraction, map(float, each))
        assert abs(m + low - a * (b + Fraction(offset)) / unit) <= min(truth.error, most)
