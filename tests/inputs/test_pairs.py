"""Words X=Y, mappings, arrays and frames become columns; cells become numbers of a format."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pandas
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.inputs.pairs import parse_result, to_columns
from gelu_cli.old.arithmetic.formats import FORMATS
from tests.truth.mpmath import nearest


def test_what_python_has_for_values_becomes_the_same_texts(tmp_path):
    (tmp_path / "a=b.csv").write_text("x,\n1,0.50\n-2,\n")
    numbers = pandas.Series([0.5, None], dtype=object)
    for values, y in (
        ("1=0.50 -2=", "0.50"), (["1=0.50", "-2="], "0.50"), ({1: "0.50", -2: None}, "0.50"),
        (([1, -2], ["0.50", None]), "0.50"), ((np.array([1, -2]), numbers), "0.5"),
    ):  # fmt: skip
        columns = to_columns(values)
        assert (columns.names, columns["x"], columns[""]) == (["x", ""], ["1", "-2"], [y, ""])
    for named in (str(tmp_path / "a=b.csv"), tmp_path / "a=b.csv"):
        assert [*to_columns(named)["x"]] == ["1", "-2"]


def test_columns_by_name_keep_their_names(torch):
    arrays = {"t": np.float32([1, 2.5]), "y": torch.tensor([0.5, 0.25], dtype=torch.bfloat16)}
    for values in (
        arrays,
        pandas.DataFrame({name: each.tolist() for name, each in arrays.items()}),
    ):
        columns = to_columns(values, "t")
        assert {name: columns[name] for name in columns.names} == {
            "t": ["1.0", "2.5"], "y": ["0.5", "0.25"],
        }  # fmt: skip
    # numpy prints a number in the digits of its own format
    assert to_columns((np.float32([0.1]), np.float16([0.1])))["x"] == ["0.1"]


@pytest.mark.parametrize(("values", "message"), {
    "3": "'3' is neither X=Y nor a file", ("1=2", "3"): "'3' is not X=Y", (): "'' is not X=Y",
    ((1, 2), (3,)): r"the columns have \[2, 1\] values; give as many in each",
}.items())  # fmt: skip
def test_what_is_no_pair_is_refused(values, message):
    with pytest.raises(UsageError, match=message):
        to_columns(values)
    with pytest.raises(TypeError, match="mapping"):
        to_columns([1, 2])


def test_every_pattern_of_a_narrow_format_is_its_number():
    for name in ("float8_e4m3fn", "float8_e5m2", "bfloat16"):
        width, unsigned = (4, np.uint16) if name == "bfloat16" else (2, np.uint8)
        bits = np.arange(1 << (4 * width), dtype=np.uint32).astype(unsigned)
        with np.errstate(invalid="ignore"):
            numbers = bits.view(getattr(ml_dtypes, name)).astype(float)
        found = [parse_result(FORMATS[name], f"0x{each:0{width}X}") for each in bits.tolist()]
        np.testing.assert_array_equal(np.array(found), numbers)


def test_cells_are_rounded_once():
    """1 + 2⁻⁸ + 2⁻⁴⁰ is above the middle of two bfloat16s, 1 + 2⁻⁸ is a tie."""
    cases = {"1.0039062500009095": 1.0078125, "1.00390625": 1.0, "1/3": None, "0x1.8p+1": 3.0,
             "-2^-126": -(2.0**-126), "inf": np.inf, "-0": -0.0, "1e39": np.inf}  # fmt: skip
    for word, number in cases.items():
        expected = nearest(Fraction(word), "bfloat16") if number is None else number
        assert repr(parse_result(FORMATS["bfloat16"], word)) == repr(float(expected)), word
    with pytest.raises(UsageError, match="'0x1z' is not a number"):
        parse_result(FORMATS["float8_e5m2"], "0x1z")
