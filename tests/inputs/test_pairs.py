"""Words X=Y, mappings, arrays and frames become columns."""

import numpy as np
import pandas
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.inputs.point_lists import to_columns


def test_what_python_has_for_values_becomes_the_same_texts(tmp_path):
    (tmp_path / "a=b.csv").write_text("x,\n1,0.50\n-2,\n")
    numbers = pandas.Series([0.5, None], dtype=object)
    for values, y in (
        ("1=0.50 -2=", "0.50"),
        (["1=0.50", "-2="], "0.50"),
        ({1: "0.50", -2: None}, "0.50"),
        (([1, -2], ["0.50", None]), "0.50"),
        ((np.array([1, -2]), numbers), "0.5"),
    ):
        columns = to_columns(values)
        assert columns.cells == {"x": ["1", "-2"], "": [y, ""]}
    for named in (str(tmp_path / "a=b.csv"), tmp_path / "a=b.csv"):
        assert [*to_columns(named)["x"]] == ["1", "-2"]


def test_columns_by_name_keep_their_names(torch):
    arrays = {"t": np.float32([1, 2.5]), "y": torch.tensor([0.5, 0.25], dtype=torch.bfloat16)}
    frame = pandas.DataFrame({name: each.tolist() for name, each in arrays.items()})
    for values in (arrays, frame):
        columns = to_columns(values, "t")
        assert columns.cells == {"t": ["1.0", "2.5"], "y": ["0.5", "0.25"]}
    # numpy prints a number in the digits of its own format
    assert to_columns((np.float32([0.1]), np.float16([0.1])))["x"] == ["0.1"]


@pytest.mark.parametrize(
    ("values", "message"),
    {
        "3": "'3' is not X=Y, and there is no such file; write",
        ("1=2", "3"): "'3' is not X=Y",
        (): "'' is not X=Y",
        ((1, 2), (3,)): r"columns have \[1, 2\] values; give equally many in each",
    }.items(),
)
def test_what_is_no_pair_is_refused(values, message):
    with pytest.raises(UsageError, match=message):
        to_columns(values)
    with pytest.raises(TypeError, match="mapping"):
        to_columns([1, 2])
