"""Where points come from: words, stdin, files, columns and arrays."""

from fractions import Fraction
from itertools import chain
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.reading.numbers import Range
from gelu_cli.old.reading.points import read_points
from gelu_cli.old.values.points import ManyPoints
from tests.old.cli.runner import gelu, run_gelu
from tests.old.cli.streams import stdin_of


def points_of(*words, source=None, column=None, exact=False, dtype=None, stdin=b"", chunks=None):
    number_format = FORMATS[dtype] if dtype else None
    with stdin_of(*([stdin] if chunks is None else chunks)):
        blocks = read_points(words, source, column, exact=exact, number_format=number_format)
        yield from chain.from_iterable(block.numbers() for block in blocks)


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a file and returns its name."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def array(tmp_path):
    """Return a function that saves an array and returns the file's name."""

    def save(values, dtype=None):
        path = tmp_path / "array.npy"
        np.save(path, np.asarray(values, dtype=dtype))
        return str(path)

    return save


def test_words_give_their_numbers_in_order():
    points = list(points_of("-3", "0:1:0.5", ".5", "-inf", "1/4"))
    assert points == [-3, 0, 0.5, 1, 0.5, float("-inf"), 0.25]


@pytest.mark.parametrize("word", ["-4:4:9", "4:-4:-9", "0:1:1.5"])
def test_a_range_whose_step_leaves_one_point_is_told(word):
    answer = run_gelu("table", word, "1:1:1", "0:1:1", "--form", "relu")
    said = f"gelu: note: the range '{word}' has one point; START:STOP:/N has N points\n"
    first = float(word.partition(":")[0])
    assert (answer.code, answer.floats("x"), answer.err) == (0, [first, 1, 0, 1], said)
    assert run_gelu("error", word, "--form", "relu", "--quiet").err == ""


def test_by_default_a_number_is_the_nearest_float64_and_exactly_itself_if_asked():
    assert list(points_of("0.1", "1/3")) == [0.1, 1 / 3]
    assert list(points_of("0.1", "1/3", exact=True)) == [Fraction(1, 10), Fraction(1, 3)]
    assert list(points_of("-", stdin=b"0.1 1e400", exact=True)) == [Fraction(1, 10), 10**400]
    assert repr(list(points_of("-0", "inf", "nan", exact=True))) == "[-0.0, inf, nan]"


def test_for_a_format_a_number_is_rounded_to_it_once_from_what_was_typed():
    words = ["1/3", "1e400", "nan", "-0", "1.00390625", "1.0039062500000000000000001"]
    points = list(map(repr, points_of(*words, dtype="bfloat16")))
    assert points == ["0.333984375", "inf", "nan", "-0.0", "1.0", "1.0078125"]
    assert list(points_of("-", stdin="\n".join(words).encode(), dtype="bfloat16"))[4:] == [
        1.0, 1.0078125]  # fmt: skip


SEPARATORS = [" ", "\n", "\t", ",", ";", ", ", "\r\n", "\n\n", " ;\n,"]
LISTS = [separator.join(["-1", "2.5", "1/4", "0:2:1"]) for separator in SEPARATORS]


@pytest.mark.parametrize(
    "text", [*LISTS, f"\n {LISTS[0]} \n", f"\ufeff{LISTS[1]}\n", f"{LISTS[3]},\n"]
)
def test_numbers_are_separated_by_space_comma_or_line(file, text):
    for source, stdin in ((file("points.txt", text), b""), ("-", text.encode())):
        assert list(points_of(source=source, stdin=stdin)) == [-1, 2.5, 0.25, 0, 1, 2]


@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=40),
    st.lists(st.sampled_from([" ", "\n", ", ", "\r\n", ";"]), min_size=1),
    st.lists(st.integers(1, 7), min_size=1),
)
def test_however_the_stream_is_cut_the_numbers_are_the_same(numbers, separators, sizes):
    words = [repr(x).replace("-", "\N{MINUS SIGN}", 1) for x in numbers]  # three bytes a sign
    data = "".join(w + separators[i % len(separators)] for i, w in enumerate(words)).encode()
    chunks, at = [], 0
    while at < len(data):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(data[at : at + size])
        at += size
    assert list(map(repr, points_of("-", chunks=chunks))) == list(map(repr, map(float, numbers)))


@pytest.mark.parametrize("column", [None, "x"])
@pytest.mark.parametrize("exact", [False, True])
def test_a_long_range_on_stdin_is_not_made_before_it_is_used(column, exact):
    made = []

    def number(self, k):
        made.append(k)
        return self.start + k * self.step

    with mock.patch.object(Range, "number", number):
        text = b"x\n0:999999999:1\n" if column else b"0:999999999:1\n"
        points = points_of("-", column=column, exact=exact, stdin=text)
        assert [next(points) for _ in range(3)] == [0, 1, 2]
    assert len(made) < 1000


@pytest.mark.parametrize("bad", ["abc", "1e400", "1:2", "0:1:0"])
def test_a_bad_word_in_a_stream_is_named_with_its_line(file, bad):
    path = file("points.txt", f"1 2\n\n3 {bad}\n")
    with pytest.raises(UsageError) as caught:
        list(points_of(source=path))
    assert str(caught.value).startswith(f"line 3 of {path}: ")
    assert bad in str(caught.value)


def test_lines_are_counted_across_chunks():
    chunks = [b"1\n2\n", b"\n3", b" 4\n5 ", b"oops\n"]
    with pytest.raises(UsageError, match=r"^line 5 of stdin: 'oops'"):
        list(points_of("-", chunks=chunks))


CSV = 'name,"x",y\n"a, b",-1,1\nc, 2.5 ,2\n\nd,1/4,3\ne,0:2:1,4\n'


@pytest.mark.parametrize("text", [CSV, CSV.replace("\n", "\r\n"), "\ufeff" + CSV])
def test_a_column_of_a_csv_is_picked_by_name(file, text):
    assert list(points_of(source=file("a.csv", text), column="x")) == [-1, 2.5, 0.25, 0, 1, 2]
    assert list(points_of("-", stdin=text.encode(), column="y")) == [1, 2, 3, 4]


def test_a_long_array_is_given_as_arrays_in_order(array):
    values = np.arange(70_000.0)
    blocks = list(read_points([], array(values), None, exact=False))
    assert [type(block) for block in blocks] == [ManyPoints] * 3
    assert [x for block in blocks for x in block.numbers()] == values.tolist()
    assert list(points_of(source=array(values), exact=True)) == values.tolist()


ARRAYS = [
    ([-0.0, np.inf, -np.inf, np.nan, 5e-324], "f8"),
    ([0.1], "f8"),
    (2.5, "f4"),
    ([2**53 + 1, 2**64 - 1], "u8"),
]


@pytest.mark.parametrize(("values", "kind"), ARRAYS)
def test_an_array_exactly_is_what_its_numbers_are(array, values, kind):
    """Infinities, NaN and the sign of zero are among them."""
    points = list(points_of(source=array(values, kind), exact=True))
    numbers = np.ravel(values).tolist() if kind[0] == "f" else values
    assert [*map(repr, map(float, points))] == [*map(repr, map(float, numbers))]
    assert all(x == Fraction(n) for x, n in zip(points, numbers, strict=True) if 0 < abs(n) < 1e30)


@pytest.mark.parametrize("value", [2**60 + 2**52, 2**60 + 2**52 + 1])
def test_an_integer_is_rounded_to_a_format_once(array, value):
    """The first is half way between two bfloat16s, as is the float64 nearest to the second."""
    odd = value % 2
    assert list(points_of(source=array([value], "u8"), dtype="bfloat16")) == [2**60 + odd * 2**53]


def test_words_stdin_file_column_and_array_give_the_same_rows(file, array):
    numbers = [-3.0, -1e-300, 0.1, 2.0]
    words = list(map(repr, numbers))
    expected = gelu("table", *words).out
    text = "\n".join(words)
    assert gelu("table", "-", stdin=text.encode()).out == expected
    assert gelu("table", "--input", "-", stdin=text.encode()).out == expected
    assert gelu("table", "--input", file("points.txt", text)).out == expected
    assert gelu("table", "--input", file("a.csv", f"x\n{text}"), "--column", "x").out == expected
    assert gelu("table", "--input", array(numbers)).out == expected
