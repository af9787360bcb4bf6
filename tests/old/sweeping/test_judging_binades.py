"""Binades judged at once: what one line settles is what runs settle one after the other."""

import math
from itertools import pairwise

import numpy as np
import pytest

from gelu_cli.old.sweeping.judging import Judge
from gelu_cli.old.sweeping.judging_runs import BinadeResults, Float32Judge
from gelu_cli.old.sweeping.regions import cell_numbers
from gelu_cli.old.sweeping.runs import BINADE, RUN, Side
from gelu_cli.old.sweeping.tally import Failure, Tally
from gelu_cli.old.sweeping.truth import truth_at
from tests.old.every import every
from tests.old.sweeping.some_runs import FLOAT32, question_of

KEEP = 5
ON_LINES = [("exact", "value", 1, 90), ("exact", "value", -1, 60), ("exact", "value", 1, 140),
            ("exact", "value", -1, 150), ("exact", "gradient", 1, 80), ("tanh", "value", 1, 133),
            ("relu", "value", 1, 100), ("relu", "value", -1, 127),
            ("softplus", "value", 1, 140)]  # fmt: skip


def inputs(sign, field, start, count):
    bits = np.arange(count, dtype=np.uint32) + np.uint32((field << 23) + start)
    return (bits | np.uint32(0x8000_0000 if sign < 0 else 0)).view(np.float32)


def taken(case, quantity, sign, field, pieces, *, ftz=False):
    """The tally of (start, inputs, results) that are taken in one after the other."""
    judge = Float32Judge(question_of(case, quantity), ftz=ftz)
    results = BinadeResults(judge, sign, field, KEEP, Tally())
    for start, x, got in pieces:
        results.take(start, x, got)
    return results.tally()


def right(case, quantity, x):
    return truth_at(question_of(case, quantity), x.astype(np.float64)).want.astype(np.float32)


@every(("case", "quantity", "sign", "field"), ON_LINES)
def test_a_whole_binade_on_a_line_has_the_figures_of_its_inputs(case, quantity, sign, field):
    question = question_of(case, quantity)
    whole = Side(question, sign).binade(field)
    assert whole.settles(slice(0, BINADE), ftz=False)
    pieces = []
    for start in range(0, BINADE, RUN):
        x = inputs(sign, field, start, RUN)
        pieces.append((start, x, whole.line.at(x).astype(np.float32)))
    found = taken(case, quantity, sign, field, pieces)
    assert (found.inputs, found.judged) == (BINADE, BINADE)
    assert found.histogram[0] == BINADE
    assert not any(found.counts.values())
    due = mean_error(case, quantity, field)
    assert found.sum_ulp / BINADE == pytest.approx(due, rel=1e-6, abs=1e-200)
    x = whole.inputs(np.array([0, BINADE - 1]))
    first, last = cell_numbers(FLOAT32, x).tolist()
    assert list(found.peaks) == list(range(first, last + 1))


def mean_error(case, quantity, field):
    """GELU is x/2 + x²/√(2π) next to 0, and its gradient ½ + x·√(2/π); far away nothing is left."""
    if case != "exact" or field > 126:
        return 0
    mean = 7 / 3 / math.sqrt(2 * math.pi) if quantity == "value" else 1.5 * math.sqrt(2 / math.pi)
    return 2.0 ** (field - 127 + 24) * mean  # scale²/(scale·2⁻²⁴), or scale/2⁻²⁴; 1 ≤ x/scale < 2


def right_pieces(case, sign, field, count):
    """Return runs from the beginning of a binade with their right results."""
    starts = range(0, count * RUN, RUN)
    return [
        (start, x, right(case, "value", x))
        for start, x in ((start, inputs(sign, field, start, RUN)) for start in starts)
    ]


@every("case", ["exact", "relu"])
def test_a_wrong_result_on_a_line_is_found_and_the_others_stay_right(case):
    pieces = right_pieces(case, 1, 90, 3)
    pieces[1][2][77] = np.nan
    pieces[1][2][78] *= -1
    found = taken(case, "value", 1, 90, pieces)
    assert (found.inputs, found.judged, found.wrong_nan) == (3 * RUN, 3 * RUN - 1, 1)
    assert (found.wrong_sign, found.misrounded) == (1, 1)
    assert found.worst[0].x == pieces[1][1][78]
    assert [failure.x for failure in found.failures] == [pieces[1][1][77]]


@every(("sign", "field"), [(1, 126), (-1, 129), (1, 132), (-1, 0), (1, 1)])
def test_pieces_of_any_length_have_the_figures_of_their_inputs(sign, field):
    question, generator = question_of("exact"), np.random.default_rng(field)
    cuts = np.sort([RUN, *generator.integers(RUN - 900, RUN + 900, 6)])
    pieces, everything = [], []
    for start, end in pairwise(cuts):
        x = inputs(sign, field, int(start), int(end - start))
        got = right("exact", "value", x)
        got = np.where(generator.random(len(x)) < 0.2, np.nextafter(got, np.float32(9)), got)
        pieces.append((int(start), x, got))
        everything.append((x, got))
    x, got = (np.concatenate(part) for part in zip(*everything, strict=True))
    found = taken("exact", "value", sign, field, pieces)
    alone = Judge(question, x.astype(float), ftz=False).tally(got.astype(float), KEEP)
    assert found.counts == alone.counts
    assert found.sum_ulp == pytest.approx(alone.sum_ulp, rel=1e-7)
    assert [entry.x for entry in found.worst[:1]] == [entry.x for entry in alone.worst[:1]]
    np.testing.assert_array_equal(found.histogram, alone.histogram)


@every("zero", [0.0, -0.0])
def test_results_keep_the_sign_of_their_0(zero):
    pieces = []
    for start in (0, RUN):
        x = inputs(-1, 150, start, RUN)
        pieces.append((start, x, np.full(RUN, zero, np.float32)))
    pieces[1][2][5:] *= -1
    found = taken("exact", "value", -1, 150, pieces)
    signs = {math.copysign(1, entry.got) for entry in (*found.worst, Failure(*found.furthest[1:]))}
    assert signs == {math.copysign(1, zero)}
    assert (found.inputs, found.misrounded) == (2 * RUN, 0)
    assert math.copysign(1, found.ends[1].got) == -math.copysign(1, zero)


@every("sign", [1, -1])
def test_the_worst_are_at_the_far_end_though_a_unit_is_halved_at_the_near_one(sign):
    pieces = right_pieces("exact", sign, 93, 2)
    found = taken("exact", "value", sign, 93, pieces)
    near, far = pieces[0][1][0], pieces[1][1][:-KEEP:-1]
    if sign > 0:  # x/2 is less than the truth, so that the unit is whole
        assert [entry.x for entry in found.worst[:4]] == far.tolist()[:4]
    else:
        assert [entry.x for entry in found.worst] == [near, *far.tolist()]


def test_where_flushing_matters_no_line_settles_a_binade():
    judge = Float32Judge(question_of("exact"), ftz=True)
    assert judge.on_line(1, 1) is None  # results are subnormal
    assert judge.on_line(1, 2)
    assert judge.on_line(-1, 140) is None  # −0 is right, and so is 0
