"""Tables as files of columns, read by others: by NumPy, and by pyarrow."""

import math
from decimal import Decimal
from io import BytesIO

import numpy as np
import pytest
from pyarrow import parquet

from gelu_cli.old.report import Column, Ending, Labelled, Page, Report, read
from gelu_cli.old.report.formats import find_renderer
from tests.old.cli.runner import Terminal, assert_refused, gelu, run_gelu

NAMES = ["form", "x", "n", "note"]
BLOCKS = [
    [("tanh", -0.0, 3, "a"), ("sigmoid", math.inf, 2**53 + 1, None)],
    [("Φ", 1e-310, -1, "longer than before"), ("", None, 0, "é")],
    [],
    [("nan", math.nan, 7, "")],
]
ROWS = [row for block in BLOCKS for row in block]
ENDING = Ending({"fact": "of no use here"})


def report_of(blocks, names=NAMES, digits=None):
    return Report("T", [Column(name, name) for name in names], [*blocks, ENDING], digits)


def npy(report):
    content = b"".join(find_renderer("npy").render(report, Page()))
    return np.load(BytesIO(content), allow_pickle=False)


def table(report):
    return parquet.read_table(BytesIO(b"".join(find_renderer("parquet").render(report, Page()))))


def same(found, cell):
    """Return whether a cell has arrived: a float to the sign of a zero, or as NaN."""
    return repr(found) == repr(cell)


def test_an_array_has_a_field_for_each_column_and_nan_for_what_is_empty():
    array = npy(report_of(BLOCKS))
    assert [(name, array.dtype[name].str) for name in array.dtype.names] == [
        ("form", "<U7"), ("x", "<f8"), ("n", "<i8"), ("note", "<U18"),
    ]  # fmt: skip
    empty = {"x": math.nan, "note": ""}
    for found, row in zip(array, ROWS, strict=True):
        for name, cell in zip(NAMES, row, strict=True):
            assert same(found[name].item(), empty[name] if cell is None else cell), (name, row)


def test_parquet_has_types_and_null_for_what_is_empty():
    found = table(report_of(BLOCKS))
    assert [str(each) for each in found.schema.types] == ["string", "double", "int64", "string"]
    for got, row in zip(found.to_pylist(), ROWS, strict=True):
        for name, cell in zip(NAMES, row, strict=True):
            assert got[name] is None if cell is None else same(got[name], cell), (name, row)


FLOATS = np.array([[0.5, 1e300], [-0.0, math.inf], [math.nan, 5e-324]])


@pytest.mark.parametrize("labels", [[("a", "é")], [("a", ""), ("long", "b")]])
def test_blocks_of_arrays_are_their_rows(labels):
    names = ["form", "quantity", "x", "y"]
    blocks = [Labelled(labels, FLOATS), Labelled(labels, FLOATS[:1]), Labelled(labels, FLOATS[:0])]
    rows, _ = read(report_of(blocks, names))
    for block in (blocks, [rows]):
        array, found = npy(report_of(block, names)), table(report_of(block, names)).to_pylist()
        assert len(array) == len(found) == len(rows) == 4
        for of_array, of_table, row in zip(array, found, rows, strict=True):
            assert all(map(same, of_array.item(), row))
            assert all(map(same, of_table.values(), row))
    assert npy(report_of([FLOATS, FLOATS], ["x", "y"]))["y"].tolist()[3:5] == [1e300, math.inf]


def test_digits_that_a_float64_would_lose_are_text():
    long = Decimal("0.12345678901234567890")
    for digits, x, kind in ((20, Decimal("0.1"), "U"), (None, long, "U"), (6, Decimal("0.1"), "f")):
        report = report_of([[(x,)], [(None,)], [(Decimal("-1.5"),)]], ["x"], digits)
        column = npy(report)["x"]
        assert column.dtype.kind == kind
        assert column[0] == (str(x) if kind == "U" else 0.1)
        assert table(report)["x"].to_pylist() == [column[0].item(), None, column[2].item()]


def test_bit_patterns_are_unsigned_integers_of_their_width():
    names = ["x_bits", "got_bits", "max_ulp_x_bits", "bits"]
    rows = [("0x3f80", "0x00", "0x1", "0x3f80"), ("0xff80", "0x7f", None, "0x3f80")]
    array, found = npy(report_of([rows], names)), table(report_of([rows[:1], rows[1:]], names))
    assert [array.dtype[name].str for name in names] == ["<u2", "|u1", "<U3", "<U6"]
    assert [str(each) for each in found.schema.types] == ["uint16", "uint8", "string", "string"]
    assert array["x_bits"].tolist() == found["x_bits"].to_pylist() == [0x3F80, 0xFF80]


def test_what_is_written_with_its_bits_is_judged(tmp_path):
    path = tmp_path / "a.npy"
    gelu("table", "--all", "--bits", "--form", "tanh", "--dtype", "float8_e5m2", "-o", path)
    (row, _) = gelu("check", path, "--dtype", "float8_e5m2").rows
    assert (row["inputs"], row["misrounded"]) == ("248", "0")


@pytest.mark.parametrize("blocks", [[], [[]], [np.empty((0, 2))]])
def test_a_report_without_rows_has_its_columns(blocks):
    report = report_of(blocks, ["x", "y"])
    assert npy(report).dtype.names == ("x", "y")
    assert npy(report).shape == (0,)
    assert (table(report).column_names, table(report).num_rows) == (["x", "y"], 0)


@pytest.mark.parametrize("name", ["Φ", "漢字", "n" * 4000, "'", "a b,c"])
def test_a_column_may_have_any_name(name):
    report = report_of([[(0.5, 1.5)]], ["x", name])
    assert npy(report)[name].tolist() == [1.5]
    assert table(report).column_names == ["x", name]


def test_files_of_several_groups_of_rows_are_what_csv_says(folder, monkeypatch):
    monkeypatch.setattr("gelu_cli.old.report.formats.parquet.GROUP", 1000)
    words = ["table", "-3:3:/9000", "inf", "-inf", "nan", "--form", "relu"]
    rows = np.loadtxt(gelu(*words).out.splitlines(), delimiter=",", skiprows=1)
    for path in ("a.npy", "a.parquet"):
        gelu(*words, "-o", path)
    array, found = np.load("a.npy"), parquet.ParquetFile("a.parquet")
    assert found.num_row_groups > 1
    for i, name in enumerate(("x", "relu", "relu_gradient")):
        np.testing.assert_array_equal(array[name], rows[:, i])
        np.testing.assert_array_equal(found.read()[name].to_numpy(), rows[:, i])
    assert gelu(*words, "-f", "npy").out.encode(errors="surrogateescape") == (
        (folder / "a.npy").read_bytes()
    )


@pytest.mark.parametrize("name", ["npy", "parquet"])
def test_bytes_are_not_for_a_terminal(name):
    answer = run_gelu("table", "1", "-f", name, stdout=Terminal)
    assert_refused(answer, f"--format {name} is not for a terminal; add -o FILE")


def test_a_picture_is_not_for_a_terminal_unless_it_goes_to_a_file(tmp_path):
    words = ["plot", "--form", "relu", "-f", "svg"]
    answer = run_gelu(*words, stdout=Terminal)
    assert_refused(answer, "--format svg is not for a terminal; add -o FILE")
    assert run_gelu(*words, "-o", tmp_path / "a.svg", stdout=Terminal).code == 0
    assert (tmp_path / "a.svg").read_bytes()


def test_without_pyarrow_the_message_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("gelu_cli.old.writing.destinations.find_spec", lambda name: None)
    path = tmp_path / "a.parquet"
    assert_refused(run_gelu("table", "1", "-o", path), "python -m pip install pyarrow")
    assert not path.exists()
