"""Pictures as data and as matplotlib draws them."""

import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from gelu_cli.errors import OutputError, UsageError
from gelu_cli.output.pictures import Axis, Picture

X = np.linspace(-1, 1, 5)
CURVES = {"up": np.array([-1, -0.5, np.nan, 0.5, np.inf]), "down": -X}
PICTURE = Picture(
    "A title", X, CURVES, Axis("x label", 0.1), Axis("y label", linear=0.01), {"bound": 2.0}
)
CELLS = np.array([[0.5, 1.0, np.nan], [3.0, 1e9, np.inf]])
MAPS = Picture(
    "Maps", np.arange(4.0), {"a": CELLS, "b": CELLS[::-1]}, Axis("gate"), Axis("up"), y=X[2:]
)
STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def test_a_symmetric_axis_has_a_unit_a_decade_on_both_sides_of_0():
    axis = Axis(linear=1e-3)
    positions = {0: 0, 5e-4: 0.5, 1e-3: 1, 1e-2: 2, 10: 5, -1e-3: -1, -1e300: -304}
    assert axis.scaled([*positions]) == pytest.approx([*positions.values()])
    assert axis.numbers([*positions.values()]) == pytest.approx([*positions])
    assert Axis().scaled([-3, 0.5]).tolist() == Axis().numbers([-3, 0.5]).tolist() == [-3, 0.5]


def test_a_figure_has_the_curves_levels_labels_and_scales():
    figure = PICTURE.figure()
    (axes,) = figure.axes
    *curves, level = axes.lines
    for line, y in zip(curves, CURVES.values(), strict=True):
        assert np.array_equal(line.get_xdata(), X)
        assert np.array_equal(line.get_ydata(), np.minimum(y, 20), equal_nan=True)
    assert {*level.get_ydata()} == {2}
    assert figure.get_suptitle() == "A title"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x label", "y label")
    assert (axes.get_xscale(), axes.get_yscale()) == ("symlog", "symlog")
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == [line.get_label() for line in axes.lines] == ["up", "down", "bound"]


def test_maps_are_below_one_another_with_their_first_rows_lowest():
    *frames, bar = MAPS.figure().axes
    assert [axes.get_title() for axes in frames] == ["a", "b"]
    assert "ULP" in bar.get_ylabel()
    for axes, matrix in zip(frames, MAPS.curves.values(), strict=True):
        (mesh,) = axes.collections
        assert np.array_equal(mesh.get_coordinates()[:, 0, 1], [0, 0.5, 1])
        cells = np.ma.filled(mesh.get_array(), -1)
        assert np.array_equal(cells, np.nan_to_num(matrix, nan=-1, posinf=cells.max()))
        assert len({tuple(mesh.to_rgba(each)) for each in (0.5, 1, 3, 1e9)}) == 4


def test_files_are_the_same_bytes_each_time(tmp_path):
    for suffix, start in STARTS.items():
        files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
        for file in files:
            PICTURE.save(str(file))
        first, second = (file.read_bytes() for file in files)
        assert first == second
        assert first.startswith(start)
    words = {"".join(each.itertext()) for each in ElementTree.parse(tmp_path / "a.svg").iter()}
    assert {"A title", "x label", "y label", "up", "down"} <= words


def test_what_cannot_be_drawn_or_written(monkeypatch, tmp_path):
    with pytest.raises(OutputError, match="cannot write to"):
        PICTURE.save(str(tmp_path / "missing" / "p.png"))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UsageError, match=r'pip install "gelu-cli\[plot\]"'):
        PICTURE.figure()
