"""Pictures as text: dots are where the curves are, at every width."""

import re
from io import StringIO

import numpy as np
import pytest

from gelu_cli.output.canvas import draw
from gelu_cli.output.pictures import Axis, Picture
from tests.runner import Terminal

WIDTHS, BLANK = (40, 57, 80), "\u2800"
X = np.linspace(0, 10, 1001)


def drawn(picture, width=80, stream=StringIO):
    """Draw at a width and return the lines."""
    out = stream()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        patch.setenv("LINES", "25")
        draw(picture, out)
    return re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()).splitlines()


def frame_of(lines):
    """Return the labels on the left, the rows inside the frame, and columns of ticks below."""
    top = next(i for i, line in enumerate(lines) if "┌" in line)
    bottom = next(i for i, line in enumerate(lines) if "└" in line)
    left = lines[top].index("┌")
    rows = [line[left + 1 :].rstrip("│") for line in lines[top + 1 : bottom]]
    labels = {
        row: line[:left].strip() for row, line in enumerate(lines[top + 1 : bottom]) if "┤" in line
    }
    below = lines[bottom + 1]
    ticks = [i - left - 1 for i, sign in enumerate(lines[bottom]) if sign == "┬"]
    return labels, rows, dict(zip(below.split(), ticks, strict=True))


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_terminal(width):
    long = "words and words " * 9
    curves = {f"curve {n}": np.sin(X + n) for n in range(7)}
    picture = Picture(long, X, curves, Axis(long), Axis(long), levels={"a level": 0.5})
    maps = Picture(
        long, maps={"a map": np.ones((50, 200))}, x_axis=Axis(long, ticks=[(0.5, "x" * 9)])
    )
    for each in (picture, maps):
        for stream in (StringIO, Terminal):
            assert max(map(len, drawn(each, width, stream))) <= width


def number(label):
    """Read the label of a tick: −0.5 or −10⁻³."""
    text = label.replace("−", "-").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(re.sub("10(?=.)", "1e", text) if set(label) & set("⁻⁰¹²³⁴⁵⁶⁷⁸⁹") else text)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("y", "axis"),
    [
        (X, Axis()),
        (X - 5, Axis()),
        (10.0 ** (X - 6), Axis(linear=1e-6)),
        (-(10.0 ** (X - 6)), Axis(linear=1e-6)),
    ],
)
def test_a_curve_passes_where_its_ticks_meet(width, y, axis):
    labels, rows, ticks = frame_of(drawn(Picture("", X, {"y": y}, y_axis=axis), width))
    assert len(ticks) >= 3
    met = 0
    for row, label in labels.items():
        value = number(label)
        if np.isclose(y, value, rtol=1e-9, atol=0).any():
            column = int(X[np.argmin(np.abs(y - value))] / 10 * (len(rows[0]) - 1))
            near = (
                each[max(0, column - 1) : column + 2] for each in rows[max(0, row - 1) : row + 2]
            )
            assert any(sign > BLANK for sign in "".join(near)), label
            met += 1
    assert met >= 3


def test_a_gap_has_no_dots():
    y = np.where((X > 4) & (X < 6), np.nan, 1.0)
    _, rows, _ = frame_of(drawn(Picture("", X, {"y": y})))
    columns = ["".join(column).strip() for column in zip(*rows, strict=True)]
    filled = [bool(column) for column in columns]
    width = len(filled)
    assert all(filled[: int(0.39 * width)])
    assert not any(filled[int(0.41 * width) : int(0.59 * width)])
    assert all(filled[int(0.61 * width) :])


def test_steps_hold_between_edges_and_infinity_is_at_the_top():
    y = np.array([1.0, np.inf, 100.0, np.nan])
    picture = Picture("", np.arange(5.0), {"y": y}, y_axis=Axis(linear=0.01), steps=True)
    labels, rows, _ = frame_of(drawn(picture))
    at = {label: row for row, label in labels.items()}
    quarter = len(rows[0]) // 4

    def top(column):
        return next(row for row, line in enumerate(rows) if line[column] != " ")

    assert [top(quarter * n + quarter // 2) for n in (0, 2)] == [at["1"], at["10²"]]
    assert top(quarter + quarter // 2) < at["10²"] - 1  # a decade above all
    assert all(line[quarter * 3 + 2 :].strip() == "" for line in rows)


def test_a_map_shows_the_worst_of_the_cells_in_a_character():
    cells = np.full((200, 400), 0.5)
    cells[0, 0], cells[199, 399] = np.inf, 300.0  # lower left, upper right
    cells[150:, :200] = np.nan
    _, rows, _ = frame_of(drawn(Picture("", maps={"kernel": cells}, x_axis=Axis(ticks=[]))))
    assert rows[-1].startswith("!..")
    assert rows[0].strip().startswith("..")
    assert rows[0].endswith("..#")
    assert rows[0].count(" ") == len(rows[0]) // 2
    assert set("".join(rows)) == {"!", "#", ".", " "}


def test_curves_and_levels_are_told_apart_without_colours():
    picture = Picture("", X, {"one": X, "two": X + 1}, levels={"bound": 5})
    lines = drawn(picture)
    _, rows, _ = frame_of(lines)
    inside = "".join(rows)
    assert inside.count("o") >= 4
    assert inside.count("x") >= 4
    assert "⠤o⠤ one" in lines[-1]
    assert "⠤x⠤ two" in lines[-1]
    assert lines[-1].endswith("bound")


def test_a_terminal_has_colours_and_a_file_none(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    for stream, coloured in ((Terminal, True), (StringIO, False)):
        out = stream()
        draw(Picture("", X, {"y": X}), out)
        assert ("\x1b[" in out.getvalue().partition("┌")[2].partition("└")[0]) == coloured


def test_flat_empty_and_extreme_curves_are_drawn():
    for y in (X * 0, X * np.nan, X * 0 + 7, X * 1e-300, X * 1e300):
        for axis in (Axis(), Axis(linear=1e-3)):
            _, rows, _ = frame_of(drawn(Picture("", X, {"y": y}, y_axis=axis)))
            most = max(len(line.replace(" ", "")) for line in rows)
            assert np.isnan(y).all() or most >= len(rows[0]) // 40
