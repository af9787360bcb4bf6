"""Pictures as data and as matplotlib draws them."""

import sys
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.errors import OutputError, UsageError
from gelu_cli.output.pictures import CLASSES, Axis, Picture, classes, show, with_room

X = np.linspace(-1, 1, 5)
CURVES = {"up": np.array([-1, -0.5, np.nan, 0.5, 1]), "down": -X}
PICTURE = Picture("A title", X, CURVES, Axis("x label"), Axis("y label", linear=0.01))
STEPS = Picture(
    "Steps",
    np.array([0.0, 1, 2, 3]),
    {"kernel": np.array([0.5, np.inf, np.nan])},
    Axis("x", ticks=[(0, "zero"), (3, "three")]),
    Axis("ULP", linear=0.01),
    steps=True,
    levels={"bound": 2.0},
)
CELLS = np.array([[0.5, 1.0, np.nan], [3.0, 1e9, np.inf]])
MAPS = Picture("Maps", maps={"a": CELLS, "b": CELLS[::-1]}, x_axis=Axis("gate", ticks=[(0.5, "1")]))


def test_a_symmetric_axis_has_a_unit_a_decade_on_both_sides_of_0():
    axis = Axis(linear=1e-3)
    positions = {0: 0, 5e-4: 0.5, 1e-3: 1, 1e-2: 2, 10: 5, -1e-3: -1, -1e300: -304}
    assert axis.scaled([*positions]) == pytest.approx([*positions.values()])
    assert Axis().scaled([-3, 0.5]).tolist() == [-3, 0.5]


@given(st.lists(st.tuples(st.floats(-12, 12), st.text("ab", min_size=1, max_size=9)), max_size=9))
def test_labels_never_overlap_and_none_is_dropped_without_need(ticks):
    shown = with_room(ticks, -10, 10, 40)  # half a unit a letter

    def overlap(one, other):
        return abs(one[0] - other[0]) * 2 < (len(one[1]) + len(other[1])) / 2 + 1

    assert not any(overlap(*pair) for pair in combinations(shown, 2))
    for place, tick in enumerate(ticks):
        inside = -10 <= tick[0] <= 10
        assert tick in shown or not inside or any(overlap(tick, each) for each in ticks[:place])


def test_cells_of_a_map_have_the_class_of_their_error():
    table = {0: 0, 0.5: 0, 0.51: 1, 1: 1, 2: 2, 4: 3, 16: 4, 256: 5, 257: 6, np.inf: 7, np.nan: -1}
    assert classes(np.array([*table])).tolist() == [*table.values()]
    assert (CLASSES[0], CLASSES[7]) == ("≤ ½ ULP", "failed")


def test_a_figure_has_the_curves_labels_and_scales():
    figure = PICTURE.figure()
    (axes,) = figure.axes
    for line, (label, y) in zip(axes.lines, CURVES.items(), strict=True):
        assert line.get_label() == label
        assert np.array_equal(line.get_xdata(), X)
        assert np.array_equal(line.get_ydata(), y, equal_nan=True)
    assert figure.get_suptitle() == "A title"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x label", "y label")
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "symlog")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["up", "down"]


def test_steps_hold_their_values_and_infinity_is_above_all():
    (axes,) = STEPS.figure().axes
    values, edges, _ = axes.patches[0].get_data()
    assert edges.tolist() == [0, 1, 2, 3]
    assert np.array_equal(values, [0.5, 20, np.nan], equal_nan=True)  # ten times the bound
    assert axes.get_ylim()[0] == 0
    assert {line.get_label(): line.get_ydata()[0] for line in axes.lines} == {"bound": 2}
    assert [each.get_text() for each in axes.get_xticklabels()] == ["zero", "three"]


def test_maps_stand_side_by_side_with_the_first_row_lowest():
    figure = MAPS.figure()
    assert [axes.get_title() for axes in figure.axes] == ["a", "b"]
    for axes, matrix in zip(figure.axes, MAPS.maps.values(), strict=True):
        cells = axes.collections[0].get_array()
        assert np.array_equal(np.ma.filled(cells, -1), classes(matrix))
        assert axes.get_ylim() == (0, 2)
    assert len(figure.legends[0].get_texts()) == len(CLASSES)


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_files_are_the_same_bytes_each_time(tmp_path, suffix, start):
    files = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for file in files:
        show(STEPS, str(file))
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert first.startswith(start)
    assert b"CreationDate" not in first


def test_an_svg_has_its_words_as_text(tmp_path):
    show(PICTURE, str(tmp_path / "p.svg"))
    words = {"".join(each.itertext()) for each in ElementTree.parse(tmp_path / "p.svg").iter()}
    assert {"A title", "x label", "y label", "up", "down"} <= words


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UsageError, match=r'pip install "gelu-cli\[plot\]"'):
        PICTURE.figure()


def test_a_file_that_cannot_be_written_is_an_error_of_output(tmp_path):
    with pytest.raises(OutputError, match="cannot write to"):
        show(PICTURE, str(tmp_path / "missing" / "p.png"))
    assert not [*tmp_path.iterdir()]
