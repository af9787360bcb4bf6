"""Pictures as text: dots are where the curves are, at every width."""

from itertools import product

import numpy as np
import pytest

from gelu_cli.output.pictures import Axis, Picture, draw

WIDTHS, BLANK = (40, 57, 80), "\u2800"
X = np.linspace(0, 10, 1001)
CURVES = [
    (X, Axis()),
    ((X - 5) / 1e4, Axis()),
    (10.0 ** (X - 6), Axis(linear=1e-6)),
    (-(10.0 ** (X - 6)), Axis(linear=1e-6)),
    (X / 10 + 0.2, Axis(linear=0.01)),
]


@pytest.fixture
def drawn(monkeypatch):
    """A function that draws at a width and returns the lines."""

    def lines_of(picture, width=80):
        monkeypatch.setenv("COLUMNS", str(width))
        return draw(picture).splitlines()

    return lines_of


def frame_of(lines):
    """Return labels by row, the rows right of the axis, and columns of the ticks below."""
    bottom = next(i for i, line in enumerate(lines) if "└" in line)
    left = lines[bottom].index("└")
    rows = lines[bottom - 16 : bottom]
    labels = {row: line[:left].strip() for row, line in enumerate(rows) if "┤" in line}
    ticks = [i - left - 1 for i, sign in enumerate(lines[bottom]) if sign == "┬"]
    inside = [line[left + 1 :].ljust(len(lines[bottom]) - left - 1) for line in rows]
    return labels, inside, dict(zip(map(float, lines[bottom + 1].split()), ticks, strict=True))


def test_no_line_is_wider_than_the_terminal(drawn):
    long = "words and words " * 9
    curves = {f"curve {n}": np.sin(X + n) * 10.0**n for n in range(9)}
    for width in WIDTHS:
        for x_axis, y_axis in ((Axis("x"), Axis(long)), (Axis("x", 0.01), Axis(long, 0.01))):
            picture = Picture(long, X, curves, x_axis, y_axis, {"a level": 0.5})
            assert max(map(len, drawn(picture, width))) <= width


def test_a_curve_passes_where_its_ticks_meet(drawn):
    for width, (y, axis) in product(WIDTHS, CURVES):
        picture = Picture("", 0.8 * X - 4, {"y": y}, y_axis=axis)
        labels, rows, ticks = frame_of(drawn(picture, width))
        assert len(ticks) >= 3
        met = 0
        for row, label in labels.items():
            value = float(label)
            if y.min() <= value <= y.max():
                column = int(X[np.argmin(np.abs(y - value))] / 10 * (len(rows[0]) - 1))
                near = rows[max(0, row - 1) : row + 2]
                signs = "".join(each[max(0, column - 1) : column + 2] for each in near)
                assert any(sign > BLANK or sign == "o" for sign in signs), label
                met += 1
        assert met >= 3


def test_a_gap_has_no_dots(drawn):
    y = np.where((X > 4) & (X < 6), np.nan, 1.0)
    _, rows, _ = frame_of(drawn(Picture("", X, {"y": y})))
    filled = [bool("".join(column).strip()) for column in zip(*rows, strict=True)]
    width = len(filled)
    assert all(filled[: int(0.39 * width)])
    assert not any(filled[int(0.42 * width) : int(0.58 * width)])
    assert all(filled[int(0.61 * width) :])


def test_steps_are_never_missed_and_infinity_is_above_all(drawn):
    edges = [0, 1, 2, 2.001, 3, 4]  # one step is narrower than a dot
    y = np.array([1.0, np.inf, 1e-3, 100.0, np.nan])
    picture = Picture("", np.repeat(edges, 2)[1:-1], {"y": np.repeat(y, 2)}, y_axis=Axis("", 0.01))
    labels, rows, _ = frame_of(drawn(picture))
    at = {label: row for row, label in labels.items()}
    quarter = len(rows[0]) // 4

    def filled(column):
        return [row for row, line in enumerate(rows) if line[column] != " "]

    assert filled(quarter // 2) == [at["1"]]
    assert filled(5 * quarter // 2) == [at["100"]]
    assert max(filled(quarter + quarter // 2)) < at["100"]
    assert max(filled(2 * quarter)) > at["0.1"]
    assert filled(7 * quarter // 2) == []


def test_letters_and_dotted_lines_tell_curves_and_levels_apart(drawn):
    lines = drawn(Picture("", X, {"one": X, "two": X + 1}, levels={"bound": 5}))
    labels, rows, _ = frame_of(lines)
    assert "".join(rows).count("o") >= 4
    assert "".join(rows).count("x") >= 4
    assert lines[-1] == "o one   x two   ⠄⠄ bound"
    (level,) = (row for row, line in enumerate(rows) if row < 13 and line[:5].strip())
    assert abs(level - min(labels, key=lambda row: abs(float(labels[row]) - 5))) <= 1


def test_flat_empty_and_extreme_curves_are_drawn(drawn):
    for y in (X * 0, X * np.nan, X * 0 + 7, X * 1e-300, X * 1e300, X - np.inf):
        for axis in (Axis(), Axis(linear=1e-3)):
            _, rows, _ = frame_of(drawn(Picture("", X, {"y": y}, y_axis=axis)))
            most = max(len(line.replace(" ", "")) for line in rows)
            assert np.isnan(y).all() or most >= len(rows[0]) // 40
