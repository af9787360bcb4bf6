"""docs/constants.md: its tables are what commands print, and GELU's own numbers what mpmath has."""

import re
import shlex
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from tests.old.cli.runner import gelu, run_gelu
from tests.old.published import sections, table
from tests.truth.mpmath import M, curvature, exact, fraction, gradient, nearest

PAGE = (Path(__file__).parents[2] / "docs" / "constants.md").read_text(encoding="utf-8")
SECTIONS = sections(PAGE, 2)


# The best constants

BEST = [(row[0].strip("`"), *row[1:]) for row in table(SECTIONS["Best constants"])]
FAST = {"sigmoid", "tanh --free a,c", "hard --quantity gradient", "igelu", "polynomial --degree 5"}
"""Those that are always found again; the others take seconds each."""


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, marks=[] if row[0] in FAST else pytest.mark.slow) for row in BEST],
    ids=[row[0] for row in BEST],
)
def test_best_constants_are_found_again(row):
    words, label, error, proof = row
    rows = run_gelu("fit", *shlex.split(words), "--view", "summary", "-q").rows
    named = [f"{each['parameter']}={each['fitted']}" for each in rows]
    assert label == f"`{':'.join([words.partition(' ')[0], *named])}`"
    assert (error, proof) == (f"{float(rows[0]['error_fitted']):.6g}", rows[0]["proof"])


def test_the_table_has_every_criterion_of_the_usual_forms():
    listed = {row[0] for row in BEST}
    assert listed >= FAST
    assert len(listed) == len(BEST)
    forms = ("sigmoid", "tanh", "tanh --free a,c")
    quantities = ("", " --quantity gradient", " --quantity gate")
    criteria = ("", " --criterion rms", " --criterion mean")
    assert listed >= {*map("".join, product(forms, quantities, criteria))}


# GELU's own numbers

OWN = table(SECTIONS["GELU's own numbers"].partition("###")[0])
ROOT_2, MINIMUM = M.sqrt(2), M.findroot(lambda x: M.diff(exact, x), -0.75)


def mean(f):
    """E f(X), X ~ N(0, 1), for a smooth f."""
    with M.workdps(30):
        return M.quad(lambda x: f(x) * M.npdf(x), [-14, -4, 0, 4, 14])


def second_moment(f):
    return mean(lambda x: f(x) ** 2)


NUMBERS = {
    "minimum, x": lambda: MINIMUM,
    "minimum, f(x)": lambda: exact(MINIMUM),
    "zero of f′, x": lambda: M.findroot(gradient, -0.75),
    "curvature at the minimum": lambda: curvature(MINIMUM),
    "inflection points, ±x": lambda: M.findroot(curvature, 1.4),
    "Lipschitz constant, the largest f′, at √2": lambda: gradient(ROOT_2),
    "least f′, at −√2": lambda: gradient(-ROOT_2),
    "Lipschitz constant of f′, the largest f″, at 0": lambda: curvature(M.zero),
    "least f″, at ±2": lambda: curvature(M.mpf(2)),
    "farthest from ReLU, f(x) − max(0, x)": lambda: -exact(MINIMUM),
    "E f(X), X ~ N(0, 1)": lambda: mean(exact),
    "E f(X)²": lambda: second_moment(exact),
    "Var f(X)": lambda: second_moment(exact) - mean(exact) ** 2,
    "E f′(X)²": lambda: second_moment(gradient),
    "Var f′(X)": lambda: second_moment(gradient) - mean(gradient) ** 2,
}


@pytest.mark.parametrize("row", OWN, ids=[row[0] for row in OWN])
def test_a_number_is_the_truth_and_is_printed_by_its_command(row):
    name, number, _, command = row
    off = abs(fraction(NUMBERS[name]()) - Fraction(number))
    assert 2 * off <= Fraction(10) ** -len(number.partition(".")[2]) * (1 + Fraction(1, 10**5))
    words = shlex.split(command.strip("`"))
    assert words[0] == "gelu"
    assert number in re.split(r"[,\n]", run_gelu(*words[1:], "-f", "csv", "-q").out)


def test_the_extrema_of_the_derivatives_are_where_the_page_says():
    for f, places in ((gradient, (-ROOT_2, ROOT_2)), (curvature, (-2, 0, 2))):
        assert all(abs(M.diff(f, x)) < M.mpf(10) ** -50 for x in places)
    grid = [M.mpf(n) / 16 for n in range(-160, 161)]
    assert max(abs(gradient(x)) for x in grid) < gradient(ROOT_2)
    assert max(abs(curvature(x)) for x in grid) == curvature(M.zero)


# Where formats saturate

SATURATE = table(SECTIONS["GELU's own numbers"].partition("###")[2])


def test_every_number_has_its_truth_and_every_format_its_row():
    assert list(NUMBERS) == [row[0] for row in OWN]
    assert [row[0] for row in SATURATE] == list(FORMATS)


@pytest.mark.parametrize("row", SATURATE, ids=[row[0] for row in SATURATE])
def test_formats_saturate_where_the_page_says(row):
    """Beyond −0.7518 and 0.7518 what GELU lacks to its limits falls, and steps do not."""
    dtype, *points = row
    words = ["table", *points, "--dtype", dtype, "--form", "exact", "--quantity", "value", "--bits"]
    answer = gelu(*words, "-f", "csv")
    of, is_x, is_not_0, is_0 = answer.rows
    assert of["x_bits"] != of["exact_bits"]
    assert is_x["x_bits"] == is_x["exact_bits"]
    assert is_0["exact"] == "-0.0" != is_not_0["exact"]
    for one, other in ((of, is_x), (is_not_0, is_0)):  # neighbours, on the right side of 0.7518
        assert int(other["x_bits"], 16) - int(one["x_bits"], 16) == 1
        assert abs(float(one["x"])) > 0.7518
    for each in answer.rows:
        truth = fraction(exact(M.mpf(float(each["x"]))))
        assert nearest(truth, dtype) == float(each["exact"])
