"""Results in the order of bit patterns: as one stable sort gives them, whatever is held."""

import errno
import tracemalloc
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping import checking, sorted_results
from gelu_cli.old.sweeping.checking import check_results, check_sorted_results
from gelu_cli.old.sweeping.sorted_results import SortedResults, SpillFile
from gelu_cli.old.sweeping.truth import Question
from tests.old.every import every

INPUTS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 5e-324, np.inf, -np.inf, np.nan, -np.nan]


@pytest.fixture
def spill():
    with SpillFile() as spill:
        yield spill


def in_bit_order(x):
    """The places of inputs: 0 up to the largest, −0 down, then all that is not finite."""
    return sorted(
        range(len(x)),
        key=lambda i: (not np.isfinite(x[i]), np.isfinite(x[i]) and (np.signbit(x[i]), abs(x[i]))),
    )


@given(
    st.lists(st.sampled_from(INPUTS), min_size=1, max_size=60),
    st.lists(st.integers(1, 7), min_size=1),
    st.integers(1, 9),
    st.integers(1, 7),
)
@settings(max_examples=60)
def test_the_order_is_that_of_one_stable_sort(inputs, pieces, held, size):
    x, got = np.array(inputs), np.arange(len(inputs)) + 0.5
    with SpillFile() as spill:
        results, at = SortedResults(spill, held), 0
        while at < len(x):
            end = at + pieces[at % len(pieces)]
            results.add(x[at:end], got[at:end])
            at = end
        blocks = list(results.blocks(size))
    assert {len(x) for x, _ in blocks[:-1]} <= {size}
    assert len(results) == len(x)
    order = in_bit_order(x)
    assert np.concatenate([got for _, got in blocks]).tolist() == got[order].tolist()
    assert repr(np.concatenate([x for x, _ in blocks]).tolist()) == repr(x[order].tolist())


def test_columns_share_a_file_and_are_read_side_by_side(spill):
    rng = np.random.default_rng(0)
    columns = [SortedResults(spill, held=10) for _ in range(3)]
    x = rng.permutation(np.arange(100.0))
    for part in np.split(x, 20):
        for k, column in enumerate(columns):
            column.add(part, part * k)
    for together in zip(*(column.blocks(7) for column in columns), strict=True):
        for k, (x, got) in enumerate(together):
            assert got.tolist() == (x * k).tolist()


def test_a_verdict_is_the_same_however_much_is_held(spill):
    """Its sums are taken in the same order, so that not a bit differs."""
    question = Question(find_form("exact"), "value", FORMATS["float16"])
    rng = np.random.default_rng(1)
    x = rng.normal(0, 3, 3000).astype(np.float16).astype(np.float64)  # many of them twice
    x[::100] = rng.choice([np.inf, -np.inf, np.nan], 30)
    got = np.fmax(x, -1.0).astype(np.float16) / 2.0
    results = SortedResults(spill, held=130)
    for part_x, part in zip(np.split(x, 30), np.split(got, 30), strict=True):
        results.add(part_x, part)
    with mock.patch.object(checking, "BLOCK", 500):
        whole = check_results("f", question, x, got, exhaustive=False)
        again = check_sorted_results("f", question, results, exhaustive=False)
    assert repr(again.total) == repr(whole.total)
    assert repr(again.regions) == repr(whole.regions)
    assert whole.total.non_monotone > 0


@every("rows", [20_000, 80_000])
def test_no_more_is_held_for_many_rows_than_for_few(spill, rows):
    results = SortedResults(spill, held=4000)
    part = np.linspace(-9, 9, 1000)
    tracemalloc.start()
    for _ in range(rows // len(part)):
        results.add(part, part)
    assert sum(len(x) for x, _ in results.blocks(1000)) == rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 16 * 4000  # bytes; a result and its input have 16


def test_a_full_disk_is_an_error_of_the_computation(spill):
    results = SortedResults(spill, held=2)
    with mock.patch.object(sorted_results, "TemporaryFile") as made:
        made.return_value.flush.side_effect = OSError(errno.ENOSPC, "No space left on device")
        with pytest.raises(ComputationError, match=r"No space left on device; TMPDIR"):
            results.add(np.zeros(5), np.zeros(5))


def test_second_inputs_stay_with_their_results():
    generator = np.random.default_rng(3)
    x, up = generator.normal(size=(2, 100)).round(1)
    x[5], up[7] = np.inf, np.nan
    with SpillFile() as spill:
        results = SortedResults(spill, held=16, pairs=True)
        for at in range(0, 100, 30):
            results.add(x[at : at + 30], np.arange(100.0)[at : at + 30], up[at : at + 30])
        gates, got, ups = np.concatenate([*results.blocks(9)], axis=1)
    places = got.astype(int)
    np.testing.assert_array_equal([gates, ups], [x[places], up[places]])
    assert sorted(places) == [*range(100)]
    assert {*places[-2:]} == {5, 7}
    bits = gates[:-2].view(np.uint64)
    assert (bits[1:] >= bits[:-1]).all()
