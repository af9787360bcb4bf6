"""Numbers as people print them, and numbers of a format."""

from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from math import inf, isnan

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.inputs.columns import Columns, Source
from gelu_cli.inputs.values import parse_cell, parse_printed, parse_typed, read_numbers, to_numbers
from gelu_cli.numbers import FORMATS
from tests.truth.mpmath import nearest

PRINTED = {
    "-0.158": "-0.158",
    "−0.1580": "-0.1580",
    "≈ -0.158": "-0.158",
    "~0.5": "0.5",
    "0.5†": "0.5",
    "**-0.158**": "-0.158",
    "$-0.158$": "-0.158",
    "-0.158*": "-0.158",
    "-0.158 [1]": "-0.158",
    "15.8%": "0.158",
    "84 %": "0.84",
    "-1.2·10^-3": "-0.0012",
    "-1.2×10⁻³": "-0.0012",
    "1e-400": "1e-400",
    "inf": "Infinity",
    "-inf": "-Infinity",
    "5.": "5",
    "0": "0",
}
REFUSED = [
    "0,158",
    "1,234",
    "0.84 ± 0.1",
    "0.8413(2)",
    "<1e-5",
    "see note",
    "0x3f80",
    "1/3",
    "%",
    "inf%",
    "1e1000000000000000000",
    "1.2.3",
    "0.5 0.6",
    "snan",
    "0.84²",
    "1.2×105",
    "1e-3%",
    "…",
    "0.841…",
]
CELLS = {
    "1/3": 0.333984375,
    "0x1.8p+1": 3.0,
    "0x3f80": 1.0,
    "0xBF80": -1.0,
    "−2": -2.0,
    "inf": inf,
    "0x7f80": inf,
    "-0": -0.0,
    "1.00390625": 1.0,
    "1.00390625000000000000000000001": 1.0078125,
}


def test_numbers_keep_their_decimals():
    for word, number in PRINTED.items():
        found = parse_printed(word)
        assert str(Decimal(str(found))) == str(Decimal(number)), word
    assert isnan(parse_printed("nan"))


def test_what_is_not_a_decimal_is_refused_with_its_text():
    for word in REFUSED:
        with pytest.raises(UsageError, match=r"is not a decimal; .*--dtype") as refused:
            parse_printed(word)
        assert f"'{word}'" in str(refused.value)


def test_cells_without_a_number():
    words = ["", "-", "—", "N/A", "null", "None", "nan", "0"]
    found = Columns("f", {"x": words}).parsed("x", str, gaps=True)
    assert found == [None] * 6 + ["nan", "0"]


def test_x_keeps_its_decimals():
    words = {"0.10": "0.10", "−1e-3": "-0.001", "1·10^-2": "0.01"}
    assert {word: str(parse_typed(word)) for word in words} == words
    assert parse_typed("1/3") == Fraction(1, 3)
    assert parse_typed("-inf") == -inf
    for word in ("", "NA", "1.2.3", "1e20000"):
        with pytest.raises(UsageError):
            parse_typed(word)


def read(cells, name, *, bits=False):
    """Read cells as a column of a format."""
    return to_numbers(Columns("f", {"x": cells}), "x", FORMATS[name], bits=bits)


def test_cells_are_rounded_to_the_format_once():
    bfloat16 = FORMATS["bfloat16"]
    for word, number in CELLS.items():
        assert repr(parse_cell(word, bfloat16)) == repr(number), word
    words = [word for word in CELLS if "x" not in word and word not in ("1/3", "−2")]
    found, there = read(words, "bfloat16")  # at once
    assert list(map(repr, found.tolist())) == [repr(CELLS[word]) for word in words]
    assert there.all()


def test_empty_cells_are_left_out():
    for words in (["1", "", "—", "2"], ["1", "", "", "0x4000"], ["0x3f80", "", "", "0x4000"]):
        found, there = read(words, "bfloat16")
        assert found[there].tolist() == [1, 2], words
        assert there.tolist() == [True, False, False, True]


def test_bad_cells_are_refused_with_their_row():
    for word, message in {
        "0x3f8012": "bit pattern",
        "1.2.3": "number",
        "15%": "number",
        "0x3f8": "bit pattern",
    }.items():
        with pytest.raises(UsageError, match=f"^f:2: .*{message}"):
            read(["1", word], "bfloat16")
    for word in ("1.0", "0x1"):
        with pytest.raises(UsageError, match=f"'{word}' is not a bit pattern of bfloat16"):
            read([word], "bfloat16", bits=True)


def test_each_pattern_of_a_format_is_its_number():
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        number_format = FORMATS[dtype.__name__]
        bits = np.arange(1 << number_format.width, dtype=f"u{number_format.width // 8}")
        with np.errstate(invalid="ignore"):
            numbers = bits.view(dtype).astype(float)
        texts = [f"0x{each:0{number_format.width // 4}x}" for each in bits.tolist()]
        raw = Source("f", bits.astype(f"<u{number_format.width // 8}").tobytes())
        np.testing.assert_array_equal(read(texts, number_format.name)[0], numbers)
        np.testing.assert_array_equal(read_numbers(raw, number_format), numbers)
        for array in (bits, bits.astype(bits.dtype.newbyteorder(">")), numbers, bits.view(dtype)):
            np.testing.assert_array_equal(read_numbers(saved(array), number_format), numbers)


def saved(array):
    """The bytes of a .npy."""
    data = BytesIO()
    np.save(data, array)
    return Source("f", data.getvalue())


def test_numbers_that_a_format_lacks_are_refused():
    for array, message in {(1.0, 0.1): "f has 0.1, not a bfloat16", ("a",): "f has <U1"}.items():
        with pytest.raises(UsageError, match=message):
            read_numbers(saved(np.array(array)), FORMATS["bfloat16"])
    for data in (b"123", b""):
        with pytest.raises(UsageError, match="bytes"):
            read_numbers(Source("f", data), FORMATS["bfloat16"])


def test_decimals_are_rounded_as_the_truth_says():
    rng = np.random.default_rng(0)
    words = [f"{x:.17g}" for x in rng.normal(size=400) * 10.0 ** rng.integers(-12, 5, 400)]
    for name in ("float16", "float8_e5m2", "float32"):
        found, _ = read(words, name)
        assert found.tolist() == [nearest(Fraction(word), name) for word in words]
    assert isnan(parse_cell("inf", FORMATS["float8_e4m3fn"]))
