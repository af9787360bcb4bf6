"""The tables are what tools/make_tables.py makes, and what Arb says they should be."""

import importlib.util
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import arb, arb_series, ctx

from gelu_cli.old.arithmetic.extended.functions import (
    CENTRES,
    DOUBLE_TERMS,
    EXP_STEPS,
    LAST_CENTRE,
    PAIRED_TERMS,
    table,
)
from tests.truth.arb import middle
from tests.truth.mpmath import bits

SOURCE = Path(__file__).parents[4] / "tools" / "make_tables.py"
TERMS = PAIRED_TERMS + DOUBLE_TERMS


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("make_tables", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_same(column, row):
    assert bits(np.ascontiguousarray(column)).tolist() == bits(np.array(row)).tolist()


def test_made_again_they_are_the_same_bit_for_bit(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "FOLDER", tmp_path)
    tool.main()
    for name in ("exp", "erfcx"):
        made = np.load(tmp_path / f"{name}.npy")
        assert made.tobytes() == np.ascontiguousarray(table(name)).tobytes()


def rounded(ball):
    """Return the nearest float64 and the one nearest to the rest, of a ball that is narrow."""
    value = middle(ball)
    high = value.numerator / value.denominator
    rest = value - Fraction(high)
    return high, rest.numerator / rest.denominator


@pytest.fixture
def long_series():
    before, ctx.cap = ctx.cap, TERMS
    yield
    ctx.cap = before


@pytest.mark.usefixtures("long_series")
def test_arb_has_the_same_taylor_coefficients():
    with ctx.workprec(3000):
        for j, centre in enumerate(CENTRES):
            z = arb_series([centre, 1], TERMS)
            series = (z * z).exp() * z.erfc()
            coefficients = [series[n] for n in range(TERMS)]
            assert all(a.rel_accuracy_bits() > 200 for a in coefficients)
            paired = [part for a in coefficients[:PAIRED_TERMS] for part in rounded(a)]
            row = [centre, *paired, *(rounded(a)[0] for a in coefficients[PAIRED_TERMS:])]
            assert_same(table("erfcx")[:, j], row)


def test_arb_has_the_same_powers_of_two():
    with ctx.workprec(300):
        for j in range(EXP_STEPS):
            assert_same(table("exp")[:, j], rounded(arb(2) ** (arb(j) / EXP_STEPS)))


def test_the_centres_lie_no_further_apart_than_their_distance_allows():
    centres = np.array(CENTRES)
    assert centres[0] == 0
    assert centres[-1] == LAST_CENTRE
    assert (np.diff(centres) > 0).all()
    assert (np.diff(centres) <= (1 + centres[:-1]) / 64).all()


def test_a_table_is_shared_and_cannot_be_written_to():
    for name in ("exp", "erfcx"):
        assert table(name) is table(name)
        with pytest.raises(ValueError, match="read-only"):
            table(name)[0, 0] = 1
