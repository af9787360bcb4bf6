"""Pre-activations from arrays of every float type, shape and order, and from text."""

import io
import tracemalloc
from itertools import accumulate

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.reading import arrays
from gelu_cli.old.reading.arrays import read_preactivations
from tests.old.cli.streams import stdin_of


def saved(array):
    """The bytes of a .npy file."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def rows_of(source, column=None):
    """All rows, and the shape and the name that every block of them has."""
    blocks = list(read_preactivations(str(source), column))
    lengths = [len(block.values) for block in blocks]
    assert [block.first for block in blocks] == [0, *accumulate(lengths)][:-1]
    assert all(block.values.dtype == np.float64 for block in blocks)
    [(shape, name)] = {(block.shape, block.name) for block in blocks}
    return np.concatenate([block.values for block in blocks]), shape, name


def refused(source, column=None):
    """What is said of a file that is refused: one line."""
    with pytest.raises(UsageError) as caught:
        list(read_preactivations(str(source), column))
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "h.npy"


SHAPES = [(), (1,), (7,), (2, 3), (5, 1), (1, 9), (3, 1, 2), (2, 3, 4, 1, 2)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("at_once", [1, 4, 1000])
def test_the_last_dimension_is_the_units(path, monkeypatch, shape, at_once):
    monkeypatch.setattr(arrays, "AT_ONCE", at_once)
    h = np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape)
    for array in (h, np.array(h, order="F")):
        np.save(path, array)
        rows, found, _ = rows_of(path)
        assert found == shape
        assert np.array_equal(rows, h.reshape(-1, shape[-1] if len(shape) > 1 else 1))


@pytest.mark.parametrize("shape", [(3, 70_000), (70_000, 3), (40, 50, 60)])
def test_whole_rows_of_a_long_array_in_fortrans_order_are_read(path, monkeypatch, shape):
    """What is collected of it at once is no whole number of rows."""
    monkeypatch.setattr(arrays, "AT_ONCE", 10_000)
    h = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    np.save(path, np.asfortranarray(h))
    assert np.array_equal(rows_of(path)[0], h.reshape(-1, shape[-1]))


@pytest.mark.parametrize("rows", [4000, 40_000])
def test_an_array_is_never_whole_in_memory(path, monkeypatch, rows):
    monkeypatch.setattr(arrays, "AT_ONCE", 10_000)
    np.save(path, np.zeros((rows, 50), np.float32))
    tracemalloc.start()
    assert sum(len(block.values) for block in read_preactivations(str(path))) == rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6  # the larger array has 8e6 bytes


def test_an_array_on_stdin_is_known_by_its_first_byte():
    h = np.array([[-0.1, 2.5, 0], [1e-3, -7, 3]])
    data = saved(h)
    with stdin_of(data[:1], data[1:40], data[40:]):
        rows, shape, name = rows_of("-")
    assert np.array_equal(rows, h)
    assert (shape, name) == ((2, 3), "stdin")


OTHER = {
    "int64": np.zeros(2, "<i8"),
    "uint16": np.zeros(2, ml_dtypes.bfloat16).view("<u2"),
    "|V2": np.zeros(2, ml_dtypes.bfloat16),
    "object": np.asfortranarray(np.full((40, 50), None)),
    "[('x', '<f8')]": np.zeros(2, [("x", "<f8")]),
}
if np.dtype(np.longdouble).itemsize > 8:
    OTHER[str(np.dtype(np.longdouble))] = np.zeros(2, np.longdouble)


@pytest.mark.parametrize("name", OTHER)
def test_arrays_of_other_things_are_refused_with_a_remedy(path, name):
    path.write_bytes(saved(OTHER[name]))
    assert refused(path) == (
        f"'{path}' holds {name}, not float16, float32 or float64; "
        "convert: np.save('h.npy', h.astype('float32'))"
    )


WITHOUT_NUMBERS = {
    "text.npy": (b"1 2 3\n", "is not a .npy file of numbers"),
    "none.npy": (saved(np.zeros(0)), "holds no numbers"),
    "rows.npy": (saved(np.zeros((0, 5))), "holds no numbers"),
    "units.npy": (saved(np.zeros((5, 0))), "holds no numbers"),
    "empty.txt": (b"", "holds no numbers"),
    "words.txt": (b"1 2\nthree 4\n", "line 2"),
}


@pytest.mark.parametrize("name", WITHOUT_NUMBERS)
def test_files_without_numbers_are_refused_in_one_line(tmp_path, name):
    data, due = WITHOUT_NUMBERS[name]
    (tmp_path / name).write_bytes(data)
    said = refused(tmp_path / name)
    assert due in said
    assert name in said


@pytest.mark.parametrize("data", [b"", b"\n", saved(np.zeros(0)), b"\x93NUM"])
def test_stdin_without_numbers_is_refused(data):
    with stdin_of(data):
        assert refused("-").startswith("stdin ")


# Text


def test_numbers_of_text_are_those_of_one_unit(tmp_path):
    (tmp_path / "h.txt").write_text("-0.5 1e-3, 2\n0:1:/3\n")
    rows, shape, name = rows_of(tmp_path / "h.txt")
    assert rows.tolist() == [[-0.5], [0.001], [2.0], [0.0], [0.5], [1.0]]
    assert (shape, name) == ((-1,), f"'{tmp_path / 'h.txt'}'")


def test_a_column_of_a_csv_is_read(tmp_path):
    (tmp_path / "h.csv").write_text("layer,h\n1,-0.5\n2,0.25\n")
    assert rows_of(tmp_path / "h.csv", "h")[0].tolist() == [[-0.5], [0.25]]
    assert "has no column 'x'; it has: layer, h" in refused(tmp_path / "h.csv", "x")
    np.save(tmp_path / "h.npy", np.zeros(3))
    assert refused(tmp_path / "h.npy", "h").startswith("--column picks a column, and")


@pytest.mark.parametrize("count", [3, 5000])
def test_text_on_stdin_is_read_as_it_arrives(count):
    numbers = np.linspace(-1, 1, count)
    text = "\n".join(map(repr, numbers.tolist())).encode()
    with stdin_of(text[:1], text[1:20], text[20:]):
        rows, shape, name = rows_of("-")
    assert np.array_equal(rows[:, 0], numbers)
    assert (shape, name) == ((-1,), "stdin")
