"""`plot`, the command and the function: points against mpmath, and what is drawn of them."""

from decimal import Decimal

import numpy as np
import pytest

from gelu_cli import plot
from tests.runner import gelu
from tests.truth.mpmath import FORMS, decimal_of, nearest, ratio, truth


def columns_of(*words):
    """Run the command in a pipe; return its columns as arrays."""
    run = gelu("plot", *words)
    assert (run.code, run.err) == (0, "")
    return {name: np.array([float(row[name]) for row in run.rows]) for name in run.rows[0]}


def test_points_of_curves_are_correctly_rounded():
    columns = columns_of("--quantity", "value,gradient,curvature", "--range", "-4:4")
    x = columns.pop("x")
    assert x.tolist() == [float(n / 100) for n in range(-400, 401)]
    assert [*columns] == ["exact", "exact_gradient", "exact_curvature"]
    for name, quantity in zip(columns, ("value", "gradient", "curvature"), strict=True):
        for place in range(1, 800, 57):
            assert columns[name][place] == nearest(truth("exact", quantity, x[place])), (
                name,
                place,
            )


@pytest.mark.parametrize("error", ["absolute", "relative"])
def test_points_of_errors_are_correctly_rounded_and_keep_their_sign(error):
    columns = columns_of("--error", error)
    x = columns.pop("x")
    assert [*columns] == [f"tanh_{error}_error", f"sigmoid_{error}_error"]
    for name, form in zip(columns, ("tanh", "sigmoid"), strict=True):
        for place in (1, 150, 399, 401, 660):
            target = FORMS["exact"](ratio(x[place]))
            difference = FORMS[form](ratio(x[place])) - target
            exact = difference if error == "absolute" else difference / target
            assert columns[name][place] == float(exact), (name, place)


def test_digits_are_right_and_go_into_the_computation():
    for words, digits in ((("-d", "25", "-f", "csv"), 25), (("-f", "markdown"), 6)):
        run = gelu("plot", "--form", "silu", "--error", "absolute", "--range", "0:8", *words)
        for place in (1, 90, 800):
            line = run.out.splitlines()[place + 1 + ("markdown" in words)]
            x, y = line.strip("| ").replace(" | ", ",").split(",")
            point = ratio(x if digits > 17 else float(x))
            exact = FORMS["silu"](point) - FORMS["exact"](point)
            assert Decimal(y) == decimal_of(exact, digits), (words, x)


def test_by_default_one_form_has_its_gradient_and_several_have_none():
    table = {
        (): ["x", "exact", "exact_gradient"],
        ("--form", "tanh"): ["x", "tanh", "tanh_gradient"],
        ("--form", "tanh,silu"): ["x", "tanh", "silu"],
        ("--form", "silu", "--quantity", "gate"): ["x", "silu_gate"],
        ("--error", "absolute", "--form", "silu", "--quantity", "gradient"): [
            "x",
            "silu_gradient_absolute_error",
        ],
    }
    for words, names in table.items():
        assert [*columns_of(*words)] == names


def test_a_jump_is_a_gap_of_the_picture_and_a_number_of_the_table():
    columns = columns_of("--form", "relu,hard", "--quantity", "gradient")
    relu, hard = plot("relu,hard", "gradient").axes[0].lines
    x = relu.get_xdata()
    kink = 3 / 1.702
    assert x[np.isnan(relu.get_ydata())].tolist() == [0]
    assert x[np.isnan(hard.get_ydata())] == pytest.approx([-kink, kink])
    assert columns["relu_gradient"][columns["x"] == 0] == 0
    assert np.isfinite(columns["hard_gradient"]).all()


def test_errors_have_an_axis_that_is_logarithmic_on_both_sides_of_0():
    for error in ("absolute", "relative"):
        axes = plot(error=error).axes[0]
        assert axes.get_yscale() == "symlog"
        assert axes.yaxis.get_transform().linthresh == 1e-6
    assert plot().axes[0].get_yscale() == "linear"


def test_the_figure_has_the_points_of_the_command():
    columns = columns_of("--form", "silu", "--range", "-1/2:3")
    lines = plot("silu", range=(-0.5, 3)).axes[0].lines
    for line, name in zip(lines, ("silu", "silu_gradient"), strict=True):
        assert np.array_equal(line.get_xdata(), columns["x"])
        assert np.array_equal(line.get_ydata(), columns[name])


def test_where_the_picture_goes(folder):
    run = gelu("plot", terminal=True)
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("Value, gradient of exact\n")
    assert "└" in run.out
    assert "└" in gelu("plot", "-f", "table").out
    starts = {"p.svg": b"<?xml", "p.png": b"\x89PNG", "p.txt": b"Value", "p.csv": b"x,exact,"}
    for name, start in starts.items():
        run = gelu("plot", "-o", name)
        assert (run.code, run.out) == (0, "")
        assert run.err == f"gelu: Value, gradient of exact: 801 points; written to {name}\n"
        assert (folder / name).read_bytes().startswith(start)
    assert len(gelu("plot", "-f", "json").json) == 801
