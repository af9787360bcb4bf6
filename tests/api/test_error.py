"""Errors of forms: suprema proved by Arb, averages in closed form, errors at points by mpmath."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
from flint import arb

from gelu_cli import error
from gelu_cli.output.tables import to_short_text
from tests.runner import gelu
from tests.truth import arb as balls
from tests.truth.mpmath import M, decimal_of, nearest, truth

SUMMARY = ["form", "quantity", "metric", "value", "x"]
POINTS = ["form", "quantity", "x", "target", "approx", "abs_error", "rel_error"]
REGIONS = [
    "form",
    "quantity",
    "low",
    "high",
    "max_abs_error",
    "max_abs_x",
    "max_rel_error",
    "max_rel_x",
]
METRICS = ["max_abs_error", "max_rel_error", "mean_abs_error", "rms_error"]
OVER_POINTS = [*METRICS, "n", "p50_abs_error", "p99_abs_error"]
EDGES = [*(-(2.0**k) for k in range(6, -1, -1)), 0.0, *(2.0**k for k in range(7))]
DRAWN = np.random.default_rng(7).normal(0, 2, 101).tolist()


of = cache(error)
"""`error` of one form, computed once for several tests."""


def test_arb_proves_the_suprema():
    """No larger error exists between the ends, and one that is smaller by 2⁻⁴⁵ is exceeded."""
    for form, target, quantity, ends, taken in (
        ("tanh", "exact", "value", (-10, 10), balls.difference),
        ("sigmoid", "exact", "gradient", (-3, 5), balls.difference),
        ("igelu", "relu", "value", (-6, 6), balls.difference),
        ("igelu", "exact", "value", (-8, 8), balls.difference),
        ("tanh", "exact", "value", (-8, -0.01), balls.relative),
    ):
        found = of(form, target=target, quantity=quantity, range=ends)
        value = found.max_abs_error if taken is balls.difference else found.max_rel_error
        for factor, holds in ((1 + 2**-45, True), (1 - 2**-45, False)):
            bound = arb(value) * factor
            proofs = (
                balls.proves_bound(taken(pair, quantity), low, high, bound)
                for low, high, pair in balls.stretches([form, target], *map(float, ends))
            )
            assert all(proofs) == holds, (form, quantity)


def test_the_supremum_is_attained_at_its_x():
    for form, digits in (("sigmoid", None), ("sigmoid", 30), ("tanh", None), ("igelu", None)):
        found = of(form, digits=digits)
        x = Fraction(found.max_abs_error_x)
        at_x = abs(truth(form, "value", x) - truth("exact", "value", x))
        assert abs(at_x / Fraction(found.max_abs_error) - 1) < Fraction(1, 10**15)


def test_averages_are_those_in_closed_form():
    half = M.mpf(1) / 2
    for form, options, mean, rms in (
        # U = Φ(X) is uniform: E|U − 1{U > ½}| and its root mean square
        ("noisy_relu", {"target": "relu", "quantity": "gradient"}, half / 2, 1 / M.sqrt(12)),
        # relu(x) − gelu(x) = |x|·Φ(−|x|): E relu(X) = 1/√2π, E gelu(X) = 1/(2√π)
        ("relu", {}, 1 / M.sqrt(2 * M.pi) - 1 / (2 * M.sqrt(M.pi)), None),
        # E(1 − eˣ) over X < 0 for N(−½, 4)
        (
            "elu",
            {"target": "relu", "mean": "-1/2", "sigma": 2},
            M.ncdf(half / 2) - M.exp(3 * half) * M.ncdf(half / 2 - 2),
            None,
        ),
    ):
        found = error(form, digits=30, **options)
        assert found.mean_abs_error == decimal_of(mean, 30), form
        assert rms is None or found.rms_error == decimal_of(rms, 30)


def test_regions_part_the_range_and_have_its_suprema():
    rows = gelu("error", "--view", "regions", "--form", "silu", "--range", "-3:1/2").rows
    assert list(rows[0]) == REGIONS
    ends = [(float(row["low"]), float(row["high"])) for row in rows]
    assert ends == [(-3, -2), (-2, -1), (-1, 0), (0, 0.5)]
    found = error("silu", range="-3:1/2")
    for name in ("max_abs_error", "max_rel_error"):
        assert max(float(row[name]) for row in rows) == getattr(found, name)


def test_a_relative_error_without_a_bound_is_infinite_and_a_large_one_noted():
    for words, x, note in (
        ("--form sigmoid --range -inf:inf", -math.inf, ""),
        ("--form softplus", 0, ""),
        ("--form sigmoid --range -60:0", -60, "exceeds the largest float64; add --digits 6"),
    ):
        run = gelu("error", *words.split())
        row = run.rows[1]
        assert (row["metric"], row["value"], float(row["x"])) == ("max_rel_error", "inf", x)
        assert note in run.err if note else run.err == ""


# At points


def truths(form, x, quantity="value"):
    """Return target, form, absolute and relative error at x as fractions."""
    target, approx = truth("exact", quantity, x), truth(form, quantity, x)
    return target, approx, abs(approx - target), abs((approx - target) / target)


def test_each_number_at_a_point_is_rounded_once():
    for quantity in ("value", "gradient"):
        words = ["--form", "tanh,silu", "--quantity", quantity]
        rows = gelu("error", "-3", "1/3", "7", *words).rows
        assert list(rows[0]) == POINTS
        order = [
            (x, form) for x in ("-3.0", "0.3333333333333333", "7.0") for form in ("tanh", "silu")
        ]
        assert [(row["x"], row["form"]) for row in rows] == order
        for row in rows:
            want = truths(row["form"], Fraction(float(row["x"])), quantity)
            assert [float(row[name]) for name in POINTS[3:]] == list(map(nearest, want))


def test_with_thirty_digits_the_points_are_those_typed():
    (row,) = gelu("error", "1/3", "--form", "tanh", "-d", 30).rows
    assert row["x"] == "0.333333333333333333333333333333"
    want = [decimal_of(each, 30) for each in truths("tanh", Fraction(1, 3))]
    assert [Decimal(row[name]) for name in POINTS[3:]] == want


def test_there_are_no_errors_beyond_the_finite_points():
    run = gelu("error", "0", "-inf", "inf", "nan", "--form", "sigmoid,tanh")
    rows = {(row["x"], row["form"]): row["rel_error"] for row in run.rows}
    assert rows.pop(("0.0", "sigmoid")) == rows.pop(("0.0", "tanh")) == "0.0"
    assert set(rows.values()) == {"NaN"}
    assert "points that are not finite: 3; summary and regions leave them out" in run.err


def test_a_summary_of_points_is_that_of_mpmaths_errors():
    x = [*DRAWN, math.nan, math.inf]
    for form in ("tanh", "relu"):
        found = error(form, x)
        errors = [truths(form, Fraction(each)) for each in DRAWN]
        sizes, ratios = ([each[k] for each in errors] for k in (2, 3))
        ranked = sorted(sizes)
        assert found.n == 101
        assert (found.max_abs_error, found.max_abs_error_x) == (
            nearest(ranked[-1]),
            DRAWN[sizes.index(ranked[-1])],
        )
        assert (found.max_rel_error, found.max_rel_error_x) == (
            nearest(max(ratios)),
            DRAWN[ratios.index(max(ratios))],
        )
        assert (found.p50_abs_error, found.p99_abs_error) == (
            nearest(ranked[50]),
            nearest(ranked[99]),
        )
        mean, square = sum(sizes) / 101, sum(size**2 for size in sizes) / 101
        assert found.mean_abs_error == float(decimal_of(mean, 15))
        rms = M.sqrt(M.mpf(square.numerator) / square.denominator)
        assert found.rms_error == float(decimal_of(rms, 15))
        six = error(form, x, digits=6)
        assert six.mean_abs_error == decimal_of(mean, 6)
        assert six.max_abs_error == decimal_of(ranked[-1], 6)
        assert six.p50_abs_error == decimal_of(ranked[50], 6)


def test_rows_of_the_summary_are_the_fields():
    rows = gelu("error", "-1:1:0.25", "--form", "tanh,silu", "--view", "summary").rows
    assert list(rows[0]) == SUMMARY
    found = error(["tanh", "silu"], "-1:1:0.25")
    assert [row["metric"] for row in rows] == OVER_POINTS * 2
    for row, one in zip(rows, [found[0]] * 7 + [found[1]] * 7, strict=True):
        assert float(row["value"]) == getattr(one, row["metric"])
        assert row["x"] == "" or float(row["x"]) == getattr(one, f"{row['metric']}_x")


def test_regions_of_points_have_the_maxima_inside():
    """An edge belongs to the region on its right, the largest point to the last region."""
    x = [*DRAWN, 0.0, 1.0, -2.0, 64.0]
    ends = [min(x), *(edge for edge in EDGES if min(x) < edge < max(x)), max(x)]
    inside = {
        (low, high): points
        for low, high in pairwise(ends)
        if (points := [each for each in x if low <= each < high or each == high == max(x)])
    }
    rows = error("tanh", x).view("regions")
    assert [(row["low"], row["high"]) for row in rows] == list(inside)
    for row, points in zip(rows, inside.values(), strict=True):
        alone = error("tanh", points)
        for name in ("max_abs", "max_rel"):
            assert row[f"{name}_error"] == getattr(alone, f"{name}_error")
            assert row[f"{name}_x"] == getattr(alone, f"{name}_error_x")


def test_zero_relative_to_zero_counts_as_none():
    found = error("hard", [-5.0, -4.0], target="relu")
    assert found.max_abs_error == found.max_rel_error == found.rms_error == 0
    assert error("softplus", [1.0, 0.0]).max_rel_error == math.inf


def test_samples_are_numpys_draws():
    draws = np.random.default_rng(3).normal(0.5, 2.0, 200)
    words = ["--samples", 200, "--seed", 3, "--mean", "0.5", "--sigma", "2", "--form", "tanh"]
    run = gelu("error", *words)
    values = {row["metric"]: float(row["value"]) for row in run.rows}
    found = error("tanh", draws)
    assert values == {name: getattr(found, name) for name in OVER_POINTS}
    listed = gelu("error", *words, "--view", "points").rows
    assert [float(row["x"]) for row in listed] == draws.tolist()
    assert gelu("error", *words[:2], *words[4:]).out != run.out


# The command line


def test_a_bare_pipe_is_left_alone_with_a_note():
    bare = gelu("error", "--form", "relu", stdin="1\n2\n")
    assert (bare.out, bare.code) == (gelu("error", "--form", "relu").out, 0)
    assert "note: stdin was not read; '-' reads points from it" in bare.err
    for words in (["-"], ["--input", "-"]):
        run = gelu("error", *words, "--form", "tanh", stdin="1\n2\n")
        assert [row["x"] for row in run.rows] == ["1.0", "2.0"]
        assert run.err == ""


def test_a_terminal_and_the_line_after_a_file_say_where_a_form_is_worst(tmp_path):
    path = tmp_path / "errors.md"
    for words, found in (((), of("silu", digits=6)), (("1", "2"), error("silu", [1, 2], digits=6))):
        said = f"at x = {to_short_text(found.max_abs_error_x)}, by {found.max_abs_error}"
        shown = gelu("error", "--form", "silu", *words, terminal=True).out
        assert shown.startswith(f" silu is farthest from exact {said}.\n\n Error of the value")
        run = gelu("error", "--form", "silu", *words, "-o", path)
        assert run.err == f"gelu: silu is farthest from exact {said}; written to {path}\n"
        assert str(found.max_abs_error) in path.read_text()


# Python


def test_a_note_says_only_of_what_is_beyond_all_digits_that_it_is():
    ends = {"form": "sigmoid", "range": (-1e3, 1)}
    (note,) = error(**ends).notes
    assert "exceeds the largest float64; add --digits 6" in note
    assert not error(**ends, digits=6).notes
    (note,) = error("sigmoid", range=(-1e12, 1), digits=6).notes
    assert "exceeds 10^(10^17)" in note
