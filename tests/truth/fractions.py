"""Results judged the slow way: exact fractions, one input at a time, straight from the definitions.

`views` has all columns of the views summary, regions, worst and profile. Sizes are fractions.
"""

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any, NamedTuple

from flint import ctx

from tests.truth import arb as balls
from tests.truth import exact
from tests.truth.exact import facts, ordinal, sign, ulp

EDGES = (2.0**-12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Regions of x end here, at 0, at the least normal number and at ∞; those of ups at 1 instead."""


class Due(NamedTuple):
    """The true value y, the number nearest to it, one unit there, and |want − y|."""

    y: Any
    want: float
    unit: Fraction | None = None
    least: Fraction | None = None


@cache
def due(asked, x, up):
    y, to = exact.truth(asked, x, up), asked.to
    if not math.isfinite(y):
        return Due(y, y if facts(to).infinite else math.nan)
    want = exact.rounded(to, y)
    finite = (ulp(to, y), abs(Fraction(want) - y)) if math.isfinite(want) else ()
    return Due(y, want, *finite)


class Result(NamedTuple):
    """A result and what is due; its error unless there is none.

    `size` is |got − y|; `flushed` that it is 0 where the true value is subnormal.
    """

    x: float
    up: float
    got: float
    y: Any
    want: float
    fault: str
    ulp: Fraction | None = None
    size: Fraction | None = None
    ordinal: int | None = None
    flushed: bool = False
    wrong_sign: bool = False

    @property
    def fails(self):
        return self.fault in ("wrong_nan", "wrong_inf") or self.wrong_sign


def judge(asked, x, up, got):
    """Judge one result at any inputs; with `ftz` a 0 that is flushed is the number nearest to y."""
    y, want, *_ = due(asked, x, up)
    if not (math.isfinite(got) and math.isfinite(want)):
        return Result(x, up, got, y, want, fault(asked.to, got, y, want))
    found = measured(asked, x, up, got, due(asked, x, up))
    if asked.ftz and got == 0 and flushes(asked, x, up, y):
        return measured(asked, x, up, want, due(asked, x, up))._replace(got=got)
    return found


def flushes(asked, x, up, y):
    """Say if y is subnormal, or 0 for inputs of which the subnormal ones are 0."""
    least = facts(asked.dtype).least
    small = [[each] if abs(each) >= least else [each, 0.0] for each in (x, up)]
    at_zero = any(due(asked, a, b).y == 0 for a, b in product(*small))
    return at_zero or abs(y) < facts(asked.to).least


def measured(asked, x, up, got, right):
    (y, want, unit, _), to = right, asked.to
    flushed = got == 0 and abs(y) < facts(to).least
    size, steps = abs(Fraction(got) - y), abs(ordinal(to, got) - ordinal(to, want))
    return Result(x, up, got, y, want, "", size / unit, size, steps, flushed, got * sign(y) < 0)


def fault(to, got, y, want):
    """Name what is wrong where a result is no number, or should be none; the largest may stand."""
    if math.isfinite(want):
        return "wrong_nan" if math.isnan(got) else "wrong_inf"
    beyond = math.isfinite(y) or not (facts(to).infinite or math.isnan(y))
    if beyond and abs(got) == facts(to).largest and got * sign(y) > 0:
        return "saturated"
    if math.isnan(got) != math.isnan(want):
        return "wrong_nan"
    return "" if math.isnan(want) or got == want else "wrong_inf"


COUNTS = {
    "over_half_ulp": lambda r: r.ulp is not None and r.ulp > Fraction(1, 2),
    "over_1_ulp": lambda r: r.ulp is not None and r.ulp > 1,
    "misrounded": lambda r: r.ulp is not None and r.ordinal != 0,
    "wrong_nan": lambda r: r.fault == "wrong_nan",
    "wrong_inf": lambda r: r.fault == "wrong_inf",
    "wrong_sign": lambda r: r.wrong_sign,
    "wrong_zero": lambda r: bool(r.ordinal) and (r.got == 0) != (r.want == 0),
    "saturated": lambda r: r.fault == "saturated",
}


def views(asked, rows):
    """All views of results: rows of (x, got), or of (x, up, got), in the order of their bits."""
    rows = [row if asked.two else (row[0], 1.0, row[1]) for row in rows]
    results = [judge(asked, *row) for row in rows]
    finite = [each for each in results if math.isfinite(each.x) and math.isfinite(each.up)]
    special = [each for each in results if not (math.isfinite(each.x) and math.isfinite(each.up))]
    wrong = [each for each in special if each.fails or is_far(asked, each)]
    summary = {
        **counted(asked, finite),
        "wrong_special": len(wrong),
        "non_monotone": None if asked.two else steps_against(asked, finite),
        **sizes(asked, finite),
        **drawn(asked, finite),
    }
    failures = [each for each in finite if each.fault in ("wrong_nan", "wrong_inf")]
    errors = sorted((each for each in finite if each.ulp is not None), key=lambda r: -r.ulp)
    return {
        "summary": summary,
        "regions": regions(asked, finite),
        "worst": {
            name: [listed(asked, each) for each in some]
            for name, some in (("special", wrong), ("failures", failures), ("errors", errors))
        },
        "profile": profile(asked, finite),
    }


def is_far(asked, result):
    """Say if a number is neither the nearest one nor beside it."""
    if result.ulp is None:
        return False
    return abs(Fraction(result.got) - Fraction(result.want)) > ulp(asked.to, Fraction(result.want))


def place(asked, name, result):
    """The inputs of a result as columns."""
    x, up = (result.x, result.up) if result else (None, None)
    return {f"{name}_x": x, **({f"{name}_up": up} if asked.two else {})}


def counted(asked, results):
    known = [each for each in results if each.ulp is not None]
    worst = max(known, key=lambda each: each.ulp, default=None)
    pattern = {
        f"{name}_bits": value if value is None else exact.bits(asked.dtype, value)
        for name, value in place(asked, "max_ulp", worst).items()
    }
    return {
        "inputs": len(results),
        "max_ulp": worst and worst.ulp,
        **place(asked, "max_ulp", worst),
        **pattern,
        "mean_ulp": sum(each.ulp for each in known) / len(known) if known else None,
        **{name: sum(map(test, results)) for name, test in COUNTS.items()},
    }


def sizes(asked, results):
    known = [each for each in results if each.ulp is not None]
    normal = [each for each in known if abs(each.y) >= facts(asked.to).least]
    steps = max(known, key=lambda each: each.ordinal, default=None)
    size = max(known, key=lambda each: each.size, default=None)
    return {
        "max_ordinal": steps and steps.ordinal,
        **place(asked, "max_ordinal", steps),
        "max_abs_error": size and size.size,
        **place(asked, "max_abs", size),
        "max_rel_error": max((each.size / abs(each.y) for each in normal), default=None),
    }


def steps_against(asked, results):
    """Count the steps from one input to the next that the truth does not go; NaN goes nowhere."""
    found = 0
    for a, b in pairwise(results):
        if math.copysign(1, a.x) == math.copysign(1, b.x):
            rise = sign(due(asked, b.x, 1.0).y - due(asked, a.x, 1.0).y)
            found += (b.got < a.got and rise >= 0) or (b.got > a.got and rise <= 0)
    return found


def drawn(asked, results):
    """√(Σw·e²/Σw) over the results that are numbers, that over the least, the share left out."""
    names = ("rms_error", "noise_ratio", "left_out")
    if asked.two and not asked.every_up:
        return dict.fromkeys(names)
    weight = []
    for name in ("x", "up")[: 1 + asked.two]:
        inputs = list(
            {exact.bits(asked.dtype, getattr(r, name)): getattr(r, name) for r in results}.values()
        )
        of_each = exact.weights(asked.dtype, tuple(inputs), asked.mean, asked.sigma)
        table = {exact.bits(asked.dtype, x): w for x, w in zip(inputs, of_each, strict=True)}
        weight.append([table[exact.bits(asked.dtype, getattr(r, name))] for r in results])
    weight = [math.prod(each) for each in zip(*weight, strict=True)]
    known = [(w, r) for w, r in zip(weight, results, strict=True) if r.ulp is not None]
    total, squares, least = (
        sum(w * size(r) for w, r in known)
        for size in (lambda r: 1, lambda r: r.size**2, lambda r: due(asked, r.x, r.up).least ** 2)
    )
    if not total:
        return dict.fromkeys(names)
    ratio = root(squares / least) if least else math.inf if squares else 1.0
    return dict(
        zip(names, (root(squares / total), ratio, float(1 - total / sum(weight))), strict=True)
    )


def root(square):
    with ctx.workprec(200):
        return float(balls.number(square).sqrt())


def regions(asked, results):
    groups = {}
    for each in results:
        ends = region(asked.dtype, each.x, EDGES)
        ends += region(asked.dtype, each.up, (1.0,)) if asked.two else ()
        groups.setdefault(ends, []).append(each)
    names = ("low", "high", "up_low", "up_high")
    return [
        {**dict(zip(names, ends, strict=False)), **counted(asked, groups[ends])}
        for ends in sorted(groups, key=lambda ends: [(e, math.copysign(1, e)) for e in ends])
    ]


def region(dtype, x, edges):
    least, largest = (float(each) for each in (facts(dtype).least, facts(dtype).largest))
    ends = [0.0, least, *(each for each in edges if least < each <= largest), math.inf]
    low, high = next(pair for pair in pairwise(ends) if abs(x) < pair[1])
    return (low, high) if math.copysign(1, x) > 0 else (-high, -low)


def listed(asked, result):
    row = {"x": result.x, "x_bits": spelled(asked, result.x)}
    if asked.two:
        row |= {"up": result.up, "up_bits": spelled(asked, result.up)}
    return row | {
        "got": result.got,
        "want": result.want,
        "exact": due(asked, result.x, result.up).y,
        "ulp": result.ulp,
        "ordinal": result.ordinal,
    }


def spelled(asked, x):
    return "" if math.isnan(x) else exact.bits(asked.dtype, x)


def profile(asked, results):
    """The largest interval around 0 within ½, 1, 2, … ULP, up to the bound that widens it no more.

    A result that fails is within no bound; one that is 0 where the truth is subnormal is left out,
    and counted if its error is beyond the bound.
    """
    known = [each for each in results if each.ulp is not None and not each.wrong_sign]
    levels = [(r, level(r.ulp)) for r in known]
    errors = [(abs(r.x), math.copysign(1, r.x), n) for r, n in levels if not r.flushed]
    errors += [(abs(r.x), math.copysign(1, r.x), math.inf) for r in results if r.fails]

    def over(way, bound):
        return min((x for x, side, n in errors if side == way and n > bound), default=None)

    found = []
    for bound in range(-1, 64):
        ends = []
        for way in (-1, 1):
            sizes = [abs(r.x) for r in results if math.copysign(1, r.x) == way]
            first = over(way, bound)
            inside = [x for x in sizes if first is None or x < first]
            if inside and first is not None:
                inside.append(float(exact.number(asked.dtype, ordinal(asked.dtype, first) - 1)))
            ends += [way * x for x in inside]
        row = {"bound": 2.0**bound, "low": min(ends, default=None), "high": max(ends, default=None)}
        ways = row["low"], row["high"], asked.mean, asked.sigma
        row["share"] = float(exact.probability(*ways)) if ends else 0.0
        found.append(row | {"left_out": sum(r.flushed and n > bound for r, n in levels)})
        if all(over(way, bound) == over(way, 63) for way in (-1, 1)):
            break
    return found


def level(error):
    """The least n with error ≤ 2ⁿ."""
    if not error:
        return -math.inf
    n = error.numerator.bit_length() - error.denominator.bit_length()
    return n + (error > exact.power_of_two(n))
