"""A table on a terminal shows the rows that are there, before all are."""

from unittest import mock

from gelu_cli.old.report.formats import table


def sizes(count, seconds_each, least):
    """The parts of rows that take some seconds each."""
    now = 0.0

    def rows():
        nonlocal now
        for k in range(count):
            now += seconds_each
            yield (k,)

    with mock.patch.object(table, "monotonic", side_effect=lambda: now):
        parts = [*table._parts(rows(), least)]
    assert [row for part in parts for row in part] == [(k,) for k in range(count)]
    return [*map(len, parts)]


def test_slow_rows_come_by_screens_that_double_and_quick_ones_by_the_thousand():
    assert sizes(150, 0.1, 20) == [20, 40, 80, 10]
    assert sizes(2500, 0.0, 20) == [1000, 1000, 500]
    assert sizes(1200, 1.0, 1000) == [1000, 200]
    assert sizes(12, 10.0, 20) == [12]
    assert sizes(0, 1.0, 20) == []
