"""Budgets of kernels of two inputs: figures over regions of gates, counted by numpy."""

import json

import ml_dtypes
import numpy as np
import pytest

from gelu_cli import Budget, sweep
from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import every_number
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.budgets.figures import figures_of_record
from gelu_cli.old.reading.records import read_record

E5M2 = ml_dtypes.float8_e5m2
NUMBERS = every_number(FORMATS["float8_e5m2"])


@np.errstate(all="ignore")
def relu_glu(gate, up):
    """Return relu(gate)·up, but 0 where it is subnormal."""
    y = np.maximum(gate, 0).astype(float) * up.astype(float)
    return np.where(np.abs(y) < 2.0**-14, 0.0, y).astype(gate.dtype)


def wrong_zeros(low, high):
    """Count the pairs with gates from low to high of which the right result is no 0."""
    gates = np.array([x for x in NUMBERS if low <= x < high])
    x, up = (each.ravel() for each in np.meshgrid(gates, NUMBERS))
    y = np.maximum(x, 0) * up
    return int(np.sum((y.astype(E5M2) != 0) & (np.abs(y) < 2.0**-14)))


@pytest.fixture(scope="module")
def verdict():
    return sweep(relu_glu, dtype="float8_e5m2", form="relu", glu=True)


def test_a_range_of_gates_has_a_bound_for_all_ups(verdict):
    due = wrong_zeros(0.25, 4)
    assert due > 0
    for most, kept in ((due, True), (due - 1, False)):
        text = f'[[bound]]\nglu = "plain"\nrange = "0.25:4"\nwrong_zero = {most}'
        assert bool(verdict.within(Budget.of(text))) is kept


def test_the_parts_of_a_glu_may_stand_in_any_order():
    glu = {"gate_limit": 7, "up_limit": 0.5}
    clamped = sweep(relu_glu, dtype="float8_e5m2", form="relu", glu=glu)
    for text in ("gate_limit=7,up_limit=0.5", "up_limit = 0.50, gate_limit=7.0"):
        assert not clamped.within(Budget.of(f'[[bound]]\nglu = "{text}"\nmax_ulp = 0.1'))
    for text, said in (
        ("foo", "foo"),
        ("gate_limit=x", "x"),
        ("packed=halves", "packed"),
        ("gate_limit=1e400", "largest float64"),
        ("up_limit=inf", "fraction"),
        ("up_limit=pi", "fraction"),
    ):
        with pytest.raises(UsageError, match=f":2: .*{said}"):
            Budget.of(f'[[bound]]\nglu = "{text}"\nmax_ulp = 1')


def test_a_largest_error_beyond_its_bound_names_both_inputs(verdict):
    said = str(verdict.within(Budget.of("[[bound]]\nmax_ulp = 0.5")))
    worst = verdict.worst[0]
    assert f"at x = {worst.x!r}, up = {worst.up!r} exceeds 0.5" in said


def test_what_is_written_is_for_this_glu_alone(verdict):
    budget = Budget.of("").tightened(verdict)
    assert 'glu = "plain"' in budget.text
    assert "non_monotone" not in budget.text
    assert verdict.within(budget)
    assert budget.tightened(verdict).text == budget.text
    inner = {"intermediate": "float8_e5m2"}
    other = sweep(relu_glu, dtype="float8_e5m2", form="relu", glu=inner)
    with pytest.raises(UsageError, match="glu intermediate=float8_e5m2"):
        other.within(budget)
    assert 'glu = "intermediate=float8_e5m2"' in budget.tightened(other).text


def test_a_record_has_the_figures_of_all_ups_by_region_of_gates(verdict, tmp_path):
    verdict.save(tmp_path / "record.json")
    assert json.loads((tmp_path / "record.json").read_text())["question"]["glu"] == {"ups": "all"}
    (figures,) = figures_of_record(read_record(str(tmp_path / "record.json")))
    assert figures.names.glu == "plain"
    assert sum(figures.covered.values()) == len(NUMBERS) ** 2
    assert figures.is_whole(frozenset(figures.covered))
