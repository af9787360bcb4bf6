"""The table of published constants: true errors, where they are, and what claims are worth."""

import math
from collections import Counter
from decimal import Decimal

import pytest

from gelu_cli.old.answers.fit.published import NAMES, published, verdict
from gelu_cli.old.formulas.published import Claim, Measure, all_sets
from gelu_cli.old.report import read
from tests.truth.mpmath import FORMS, M, decimal_of, ratio
from tests.truth.published import SETS

STEPS = 200
NEAR = M.mpf("1e-17")
FAR = 9
"""The errors of all sets are larger nearer to 0."""

REFUTED = {
    ("page_1977", "4.1e-4"): "too low",
    ("page_1977", "0.00047326088"): "too high",
    ("bowling_2009", "0.00014"): "too low",
    ("quick_gelu", "0.015"): "too low",
    ("tt_metal_quartic", "0.004215860264499188"): "too low",
    ("tt_metal_quartics", "0.004215860264499188"): "too low",
}
"""The claims that do not hold."""


@pytest.fixture(scope="module")
def answer():
    rows, ending = read(published())
    return [dict(zip(NAMES.split(), row, strict=True)) for row in rows], ending


SAMPLE = (
    "page_1977", "bowling_2009", "quick_gelu", "as_7_1_26", "xnnpack_12_10", "onednn_erf",
    "tt_metal_quartic", "tt_metal_table", "puma",
)  # fmt: skip
"""The sets of which the supremum is always looked for."""


def slow(name):
    return pytest.param(name, marks=pytest.mark.slow)


def error(name, quantity):
    """Return the error of a quantity as a function of x, from the second writing of a set."""
    f = SETS[name][0]
    if quantity == "value":
        return lambda x: abs(f(x) - FORMS["exact"](x))
    factor = 2 if quantity == "erf" else 1
    return lambda x: factor * abs(f(x) - FORMS["exact"](x)) / abs(x)


def supremum(name, quantity, low, high):
    """Return the largest error, looked for on a grid and beside the kinks, and where it is.

    Around each place as high as its neighbours it is followed uphill by the golden section.
    """
    f, kinks = error(name, quantity), SETS[name][1]
    low, high = (ratio(max(-FAR, min(FAR, end))) for end in (low, high))
    beside = (ratio(kink) + side * NEAR for kink in kinks for side in (-1, 1))
    steps = (low + (high - low) * (k + M.mpf(1) / 3) / STEPS for k in range(STEPS))
    ends = low + NEAR, high - NEAR
    points = sorted({*ends, *steps, *(x for x in beside if low < x < high)})
    heights = [f(x) for x in points]
    brackets = zip([points[0], *points], points, [*points[1:], points[-1]], strict=False)
    return max(
        uphill(f, *bracket)
        for bracket, height in zip(brackets, heights, strict=True)
        if 2 * height > max(heights) and height >= max(f(bracket[0]), f(bracket[2]))
    )


def uphill(f, low, middle, high):
    """Return the height and the place of a maximum in a bracket, by the golden section."""
    golden = (M.sqrt(5) - 1) / 2
    best = (f(middle), middle)
    for _ in range(40):
        left, right = high - golden * (high - low), low + golden * (high - low)
        here, there = (f(left), left), (f(right), right)
        best = max(best, here, there)
        low, high = (low, right) if here > there else (left, high)
    return best


@pytest.mark.parametrize("name", [name if name in SAMPLE else slow(name) for name in all_sets()])
def test_the_supremum_is_what_a_search_of_the_second_writing_finds(name, answer):
    rows = [row for row in answer[0] if row["name"] == name and row["criterion"] == "sup"]
    measures = {(row["quantity"], row["low"], row["high"]): row for row in rows}
    for measure, row in measures.items():
        with M.workdps(25):
            want, x = supremum(name, *measure)
            assert math.isclose(row["error"], want, rel_tol=1e-12)
            assert math.isclose(abs(row["x"]), abs(x), rel_tol=1e-6)


def test_the_distance_l2_of_i_bert_is_a_root_mean_square(answer):
    (row,) = (row for row in answer[0] if row["criterion"] == "rms")
    kink = ratio("1.769") * M.sqrt(2)
    with M.workdps(30):
        f = error("i_bert", "value")
        mean = M.quad(lambda x: f(x) ** 2, [-4, -kink, 0, kink, 4]) / 8
        assert row["error"] == float(M.sqrt(mean))
    assert (row["name"], row["x"], row["verdict"]) == ("i_bert", None, "holds")


def test_the_claims_that_do_not_hold_are_these(answer):
    rows, ending = answer
    wrong = {(row["name"], row["claimed"]): row["verdict"] for row in rows
             if row["verdict"] not in (None, "holds")}  # fmt: skip
    assert wrong == {(name, Decimal(number)): said for (name, number), said in REFUTED.items()}
    judged = Counter(row["verdict"] is not None for row in rows)
    assert judged[True] == sum(len(each.claims) for each in all_sets().values())
    assert judged[False] == sum(not each.claims for each in all_sets().values())
    assert ending.notes == ["7 of 23 claims do not hold"]
    assert not ending.failures


def test_a_claim_has_its_row_and_every_set_its_source(answer):
    rows, ending = answer
    assert [row["claimed"] for row in rows if row["name"] == "page_1977"] == [
        Decimal(text) for text in ("4.1e-4", "4.7e-4", "5e-4", "0.00047326088", "0.0005")
    ]
    assert ending.facts.keys() > all_sets().keys()
    assert "Su Jianlin" in ending.facts["su_2020"]
    assert ending.facts["puma"].startswith("0 for x < −4")


def test_few_digits_are_rounded_and_judged_like_many(answer, monkeypatch):
    few = {name: all_sets()[name] for name in ("page_1977", "i_bert", "puma")}
    monkeypatch.setattr("gelu_cli.old.answers.fit.published.all_sets", lambda: few)
    rows = [dict(zip(NAMES.split(), row, strict=True)) for row in read(published(2))[0]]
    longer = [row for row in answer[0] if row["name"] in few]
    for short, long in zip(rows, longer, strict=True):
        assert short["error"] == decimal_of(M.mpf(long["error"]), 2)
        assert short["verdict"] == long["verdict"]


@pytest.mark.parametrize(
    ("kind", "number", "error", "said"),
    [
        ("figure", "4.7e-4", 4.7499e-4, "holds"),
        ("figure", "4.7e-4", 4.7501e-4, "too low"),
        ("figure", "4.7e-4", 4.6501e-4, "holds"),
        ("figure", "4.7e-4", 4.6499e-4, "too high"),
        ("bound", "1.5e-7", math.nextafter(1.5e-7, 1), "too low"),
        ("bound", "1.5e-7", 1.49999e-7, "holds"),
        ("bound", "1.5e-7", 1e-9, "holds"),
        ("bound", "0.25", 0.25, "holds"),
    ],
)
def test_a_figure_is_rounded_and_a_bound_is_not(kind, number, error, said):
    assert verdict(Claim(Measure(), kind, Decimal(number)), error) == said
