"""Arrays from .npy files: every type in every byte order, and files that lie about themselves."""

import math
import struct
import tracemalloc
import warnings
from fractions import Fraction
from io import BytesIO

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.reading.arrays import read_array
from gelu_cli.old.reading.files import NPY as MAGIC
from gelu_cli.old.reading.points import read_points
from tests.old.cli.runner import assert_refused, gelu, refusal, run_gelu

VALUES = [0, 1, 2, 100, 127]
KINDS = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
TYPES = ["?", *(order + kind for kind in KINDS for order in "<>")]


def npy(header, data=b"", version=1):
    """The bytes of a .npy file with a header as it stands."""
    text = header.encode("latin-1")
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return MAGIC + bytes([version, 0]) + length + text + data


def header(shape, descr="<f8", fortran=False):
    return f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n"


def points(path, **settings):
    blocks = read_points([], str(path), None, **{"exact": False, **settings})
    return [x for block in blocks for x in block.numbers()]


# Types and orders


@pytest.mark.parametrize("kind", TYPES)
def test_numbers_of_every_type_are_read_in_both_byte_orders(tmp_path, kind):
    path = tmp_path / "a.npy"
    values = [bool(x) for x in VALUES] if kind == "?" else VALUES
    np.save(path, np.array(values, dtype=kind))
    assert points(path) == points(path, number_format=FORMATS["float16"]) == values
    assert points(path, exact=True) == list(map(Fraction, values))


@pytest.mark.parametrize("kind", [">f4", "<i2", "?"])
def test_arrays_of_every_shape_are_read_in_the_order_of_c(tmp_path, kind):
    path = tmp_path / "a.npy"
    for shape in [(), (1,), (7,), (2, 3), (3, 1, 2), (2, 3, 4, 1, 2)]:
        numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind)
        for array in (numbers, np.asfortranarray(numbers)):
            np.save(path, array)
            assert points(path) == numbers.ravel().tolist()
    np.save(path, np.zeros((3, 0), kind))
    assert_refused(run_gelu("table", "--input", path), "holds no numbers")


@pytest.mark.parametrize("shape", [(17, 9000), (300, 2, 300), (2, 90_000)])
def test_a_long_array_in_fortrans_order_is_read_in_cs(tmp_path, shape):
    path = tmp_path / "a.npy"
    numbers = np.arange(np.prod(shape), dtype=float).reshape(shape)
    np.save(path, np.asfortranarray(numbers))
    with path.open("rb") as stream:
        blocks = list(read_array(stream, "a").blocks(1000))
    assert max(map(len, blocks)) == 1000
    assert np.array_equal(np.concatenate(blocks), numbers.ravel())


@pytest.mark.parametrize("rows", [1000, 8000])
def test_an_array_is_never_whole_in_memory(tmp_path, rows):
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((rows, 100)))
    tracemalloc.start()
    with path.open("rb") as stream:
        assert sum(map(len, read_array(stream, "a").blocks(1000))) == 100 * rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e6  # the larger array has 6.4e6 bytes


READ = {
    "version 1": (npy(header("(2,)", ">f8"), struct.pack(">2d", 1.5, -3)), [1.5, -3.0]),
    "version 2": (npy(header("(2,)", ">f8"), struct.pack(">2d", 1.5, -3), 2), [1.5, -3.0]),
    "version 3": (npy(header("(2,)", ">f8"), struct.pack(">2d", 1.5, -3), 3), [1.5, -3.0]),
    "of Python 2": (npy(header("(2L,)"), struct.pack("<2d", 1.5, -3)), [1.5, -3.0]),
    "signalling NaN": (
        npy(header("(2,)", "<f4"), struct.pack("<2I", 0x7FA00000, 0x3F800000)),
        [math.nan, 1.0],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_headers_of_every_version_are_read(tmp_path, name):
    """Without a warning, as after a signalling NaN."""
    data, numbers = READ[name]
    (tmp_path / "a.npy").write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(map(repr, points(tmp_path / "a.npy"))) == list(map(repr, numbers))


# What is no array of numbers

OTHER = {
    "datetimes": np.zeros(2, "M8[s]"),
    "durations": np.zeros(2, "m8[ms]"),
    "strings": np.array(["1"]),
    "bytes": np.array([b"1"]),
    "objects": np.array([None]),
    "voids": np.zeros(2, "V2"),
    "records": np.zeros(2, [("x", "S1"), ("b", "<u1")]),
    "subarrays": np.zeros(2, [("x", "<u1", (2,))]),
    "complex": np.zeros(2, "c8"),
    "longdouble": np.zeros(2, np.longdouble),
}


@pytest.mark.parametrize("name", OTHER)
def test_arrays_of_other_things_are_refused(tmp_path, name):
    path = tmp_path / "a.npy"
    np.save(path, OTHER[name], allow_pickle=True)
    lines = [["table", "--input", path], ["error", "--form", "tanh", "--input", path]]
    lines += [["check", path, "--all", "--dtype", "float16"]]
    if OTHER[name].dtype.itemsize == 8 and OTHER[name].dtype.kind == "f":
        return  # where a long double is a double
    for line in lines:
        assert_refused(run_gelu(*line), "'" + str(path) + "' holds ")


HUGE = 10**400
HOSTILE = {
    "shape of 10^400": npy(header(f"({HUGE},)")),
    "0 of 10^400": npy(header(f"({HUGE}, 0)")),
    "shape True": npy(header("(True,)"), bytes(8)),
    "shape -1": npy(header("(-1,)"), bytes(8)),
    "shape -1, -1": npy(header("(-1, -1)"), bytes(8)),
    "product 2^64": npy(header("(4294967296, 4294967296)"), bytes(64)),
    "product 2^64 in Fortran's order": npy(header("(4294967296, 4294967296)", fortran=True)),
    "product 2^67": npy(header("(2305843009213693953, 8)"), bytes(64)),
    "shape of 6000 digits": npy(header(f"({'9' * 6000},)")),
    "shape 1.5": npy(header("(1.5,)"), bytes(8)),
    "shape no tuple": npy(header("3"), bytes(24)),
    "3000 dimensions": npy(header("(" + "2," * 3000 + ")"), bytes(64)),
    "brackets": npy(header("(" + "[" * 5000)),
    "closed brackets": npy(header("(" + "[" * 2400 + "]" * 2400 + ",)")),
    "parentheses": npy("(" * 5000 + ")" * 4900),
    "minus signs": npy(header("(" + "-" * 5000 + "1,)")),
    "not": npy(header("(" + "not " * 2000 + "1,)")),
    "power": npy(header("(9**9**9,)")),
    "repetition": npy(header("('a'*10**10,)")),
    "no dictionary": npy("[1, 2]\n"),
    "no literal": npy("import os\n"),
    "a call": npy(header("__import__('os').abort()")),
    "empty header": npy(""),
    "not ASCII": npy("\xff\xfe\n"),
    "NUL": npy(header("(1,)\0"), bytes(8)),
    "no quote": npy("{'descr: }\n"),
    "indentation": npy(" \n  {\n}\n 1"),
    "missing key": npy("{'descr': '<f8', 'shape': (1,)}\n", bytes(8)),
    "other type": npy(header("(1,)", "<f1"), bytes(8)),
    "many fields": npy(header("(1,)").replace("'<f8'", repr([("a" * 30, "<f8")] * 150)), bytes(8)),
    "type of 10^400": npy(header("(1,)", f"<V{HUGE}"), bytes(8)),
    "header beyond the file": MAGIC + bytes([1, 0, 255, 255]) + b"{'descr'",
    "header of 4 GB": MAGIC + bytes([2, 0]) + b"\xff" * 4 + b"{'descr'",
    "long header": npy(header("(1,)").rstrip() + " " * 70_000, bytes(8), version=2),
    "version 4": npy(header("(1,)"), bytes(8), version=4),
    "version 0": MAGIC + bytes([0, 0]),
    "magic alone": MAGIC,
    "cut magic": MAGIC[:3],
    "cut length": MAGIC + bytes([1, 0, 9]),
    "cut off": npy(header("(9,)"), bytes(71)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_lies_about_itself_is_refused_in_one_line(tmp_path, name):
    path = tmp_path / "a.npy"
    path.write_bytes(HOSTILE[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for line in (["table", "--input", path], ["check", path, "--all", "--dtype", "bfloat16"]):
            assert_refused(run_gelu(*line), str(path))


def test_a_header_longer_than_any_is_not_read_to_its_end():
    stream = BytesIO(MAGIC + bytes([2, 0]) + struct.pack("<I", 10**8) + bytes(10**6))
    with pytest.raises(UsageError, match="its header is broken"):
        read_array(stream, "a")
    assert stream.tell() < 20_000


VALID = npy(header("(3, 2)"), np.arange(6.0).tobytes())


@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 255)), max_size=4),
       st.integers(0, len(VALID)))  # fmt: skip
@example([(9, 0)], len(VALID))
@settings(max_examples=60)
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, changes, length):
    data = bytearray(VALID)
    for place, byte in changes:
        data[place] = byte
    path = tmp_path_factory.getbasetemp() / "damaged.npy"
    path.write_bytes(data[:length] if length > 6 else data)
    answer = run_gelu("table", "--input", path, "--form", "relu")
    assert answer.code in (0, 2)
    assert answer.code == 0 or not refusal(answer)
    assert answer.code == 2 or answer.err == ""


# Files that change, and streams that are no files


class Shrinking(BytesIO):
    """A file that says it is whole, and ends early."""

    def fileno(self):
        raise OSError


def test_a_file_that_becomes_shorter_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "a.npy"
    numbers = np.arange(200_000.0).reshape(2, -1)
    np.save(path, numbers)
    blocks = read_points([], str(path), None, exact=False)
    assert next(blocks).numbers()[:2] == [0, 1]
    with path.open("rb+") as file:
        file.truncate(600_000)
    with pytest.raises(UsageError, match=r"a\.npy' became shorter while it was read"):
        list(blocks)


def test_a_stream_that_ends_early_is_refused():
    stream = Shrinking(npy(header("(9,)"), bytes(70)))
    with pytest.raises(UsageError, match="a became shorter"):
        list(read_array(stream, "a").blocks(4))


def test_fortrans_order_is_read_from_a_stream_as_well():
    stream = Shrinking(npy(header("(2, 2)", fortran=True), np.arange(4.0).tobytes()))
    assert [each.tolist() for each in read_array(stream, "a").blocks(4)] == [[0, 2, 1, 3]]


def test_an_array_in_fortrans_order_has_a_limited_size():
    stream = Shrinking(npy(header("(2, 70000000)", fortran=True)))
    with pytest.raises(UsageError, match="at most 1,024 MiB are read in Fortran order"):
        read_array(stream, "a")


def test_an_array_is_known_by_its_first_bytes(tmp_path):
    np.save(tmp_path / "a.npy", [1.0, -2.0])
    (tmp_path / "a.dat").write_bytes((tmp_path / "a.npy").read_bytes())
    words = ["table", "--form", "relu", "--quantity", "value"]
    of_file = gelu(*words, "--input", tmp_path / "a.dat").out
    assert of_file == gelu(*words, "1", "-2").out
    assert gelu(*words, "-", stdin=(tmp_path / "a.npy").read_bytes()).out == of_file


def test_the_column_x_of_what_gelu_has_written_is_read(tmp_path):
    words = ["table", "--form", "tanh", "--quantity", "value"]
    for digits in ([], ["--digits", "30"]):  # of which x and results are texts
        path = tmp_path / "written.npy"
        gelu(*words, "0.1", "-2", "inf", *digits, "-o", path)
        want = gelu(*words, "0.1", "-2", "inf", *digits).out
        assert gelu(*words, "--input", path, *digits).out == want
        assert gelu(*words, "--input", path, "--column", "x", *digits).out == want
    of_tanh = gelu(*words, "--input", path, "--column", "tanh", "--digits", "30").rows
    assert of_tanh[2]["x"] == "inf"


def test_a_column_that_is_not_there_is_named(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(3, [("x", "f8"), ("y", "f4")]))
    np.save(tmp_path / "b.npy", np.zeros(3, [("u", "f8"), ("y", "f4")]))
    np.save(tmp_path / "c.npy", np.zeros(3))
    np.save(tmp_path / "d.npy", np.array([("0.5",), ("1.5.5",)], [("x", "U5")]))
    for name, column, *said in (
        ("a", ["--column", "z"], "has no column 'z'; it has: x, y"),
        ("b", [], "has no column 'x'; it has: u, y; pick one with --column"),
        ("d", [], "d.npy': '1.5.5' is not a number"),
        ("c", ["--column", "x"], "--column picks a column", "has none; leave it out"),
    ):
        assert_refused(run_gelu("table", "--input", tmp_path / f"{name}.npy", *column), *said)
    assert len(gelu("table", "--input", tmp_path / "b.npy", "--column", "y").rows) == 3
