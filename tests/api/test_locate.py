"""Minima and inflection points: mpmath's roots, digit for digit."""

from decimal import Decimal
from fractions import Fraction

from gelu_cli import locate
from tests.runner import gelu
from tests.truth.mpmath import FORMS, M, decimal_of, fraction, nearest, truth

COLUMNS = ["form", "point", "x", "value", "gradient", "curvature", "residual"]
NEAR = {
    ("exact", "minimum"): "-0.7518",
    ("exact", "inflection"): "1.41421",
    ("tanh", "minimum"): "-0.7524",
    ("sigmoid", "minimum"): "-0.7511",
    ("silu", "minimum"): "-1.278",
    ("mish", "minimum"): "-1.192",
    ("silu", "inflection"): "2.399",
}


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
