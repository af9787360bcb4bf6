"""Minima and inflection points: mpmath's roots, digit for digit."""

from decimal import Decimal
from fractions import Fraction

import pytest

from gelu_cli import locate
from tests.runner import gelu
from tests.truth.mpmath import FORMS, M, decimal_of, fraction, nearest, truth

COLUMNS = ["form", "point", "x", "value", "gradient", "curvature", "residual"]
NEAR = {
    ("tanh", "minimum"): "-0.7524", ("sigmoid", "minimum"): "-0.7511",
    ("silu", "minimum"): "-1.278", ("mish", "minimum"): "-1.192", ("silu", "inflection"): "2.399",
}  # fmt: skip


def root(name, order, near):
    """Return where a derivative of a form vanishes, to fifty digits."""
    with M.workdps(60):
        near = M.mpf(near)
        return M.findroot(lambda x: M.diff(FORMS[name], x, order), (near, near * 1.001))


def test_gelu_by_default():
    run = gelu("locate")
    assert list(run.rows[0]) == COLUMNS
    assert [row["point"] for row in run.rows] == ["minimum", "inflection", "inflection"]
    assert [float(row["x"]) for row in run.rows[1:]] == [-(2**0.5), 2**0.5]
    assert float(run.rows[0]["x"]) == nearest(fraction(root("exact", 1, "-0.7518")))
    assert "±√2 exactly" in run.err


def test_forty_digits_are_those_of_the_root():
    for (name, point), near in NEAR.items():
        order = 1 if point == "minimum" else 2
        x = root(name, order, near)
        rows = gelu("locate", "--form", name, "-d", 40).rows
        row = next(row for row in rows if row["point"] == point and float(row["x"]) * x > 0)
        with M.workdps(60):
            f, slope, bend = (M.diff(FORMS[name], x, n) for n in range(3))
        want = {"x": x, "value": f, "gradient": slope, "curvature": bend}
        want[("gradient", "curvature")[order - 1]] = M.zero
        for column, number in want.items():
            assert Decimal(row[column]) == decimal_of(number, 40), (name, point, column)


def test_the_residual_is_that_at_the_rounded_x():
    for row in locate(["tanh", "silu"]):
        quantity = "gradient" if row.point == "minimum" else "curvature"
        assert row.residual == abs(nearest(truth(row.form, quantity, Fraction(row.x))))
        assert row.residual < 1e-16


def test_forms_stay_in_order_and_what_one_lacks_is_a_note():
    run = gelu("locate", "--form", "silu", "--form", "relu", "--form", "tanh")
    assert [row["form"] for row in run.rows] == ["silu"] * 3 + ["tanh"] * 3
    assert run.err.count("relu has no") == 2
    empty = gelu("locate", "--form", "softplus", "-q")
    assert (empty.out, empty.err) == (",".join(COLUMNS) + "\n", "")
    assert gelu("locate", "--form", "softplus", "-f", "json").json == []


def test_python_has_a_row_for_each_point():
    found = locate(["exact", "silu"], digits=20)
    assert found.to_dict()["x"] == [row.x for row in found]
    minimum = found[0]
    assert (minimum.point, minimum.x) == ("minimum", decimal_of(root("exact", 1, "-0.7518"), 20))
    assert str(minimum.x) in str(found)
    assert str(minimum.value) in str(minimum)


def test_what_cannot_be_meant_ends_with_2():
    for words, message in {
        "--form tnah": "did you mean 'tanh'",
        "--form sigmoid:bta=1": "did you mean 'beta'",
        "--digits 0": "--digits is 0; give a whole number from 1",
        "--digits 2.5": "--digits is 2.5",
        "-f xml": "unknown format 'xml'",
        "-o roots.xml": "the suffix is not one of .txt .csv .json .md .tex",
    }.items():
        run = gelu("locate", *words.split())
        assert (run.code, run.out) == (2, "")
        assert message in run.err
    with pytest.raises(ValueError, match="names no form"):
        locate([])
