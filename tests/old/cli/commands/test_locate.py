"""`gelu locate`, as a user runs it."""

from tests.old.cli.runner import assert_all_refused, gelu, run_gelu
from tests.truth.mpmath import FORMS, M

COLUMNS = ["form", "point", "x", "value", "gradient", "curvature", "residual"]


def test_the_default_is_gelu():
    answer = run_gelu("locate")
    assert answer.code == 0
    assert answer.columns == COLUMNS
    assert [row["point"] for row in answer.rows] == ["minimum", "inflection", "inflection"]
    assert answer.floats("x") == [-0.7517915246935645, -(2**0.5), 2**0.5]
    assert answer.floats("value")[0] == -0.16997120747990366
    assert "±√2 exactly" in answer.err


def test_forty_digits_are_right():
    rows = gelu("locate", "--quiet", "--digits", 40).rows
    with M.workdps(90):
        minimum = M.findroot(lambda t: M.ncdf(t) + t * M.npdf(t), (-0.76, -0.75),
                             solver="anderson", tol=1e-170, verify=False)  # fmt: skip
        for row, x in zip(rows, [minimum, -M.sqrt(2), M.sqrt(2)], strict=True):
            assert row["x"] == M.nstr(x, 40, strip_zeros=False)
            assert row["value"] == M.nstr(FORMS["exact"](x), 40, strip_zeros=False)
            slope, bend = M.ncdf(x) + x * M.npdf(x), M.npdf(x) * (2 - x * x)
            want = bend if x == minimum else slope
            column = "curvature" if x == minimum else "gradient"
            assert row[column] == M.nstr(want, 40, strip_zeros=False)
            printed = M.mpf(row["x"])
            left = (M.ncdf(printed) + printed * M.npdf(printed) if x == minimum
                    else M.npdf(printed) * (2 - printed**2))  # fmt: skip
            assert abs(M.mpf(row["residual"]) / abs(left) - 1) < 1e-39


def test_several_forms_stand_in_the_order_asked_for():
    answer = run_gelu("locate", "--form", "silu", "--form", "relu", "--form", "tanh")
    assert [row["form"] for row in answer.rows] == ["silu"] * 3 + ["tanh"] * 3
    assert answer.err.count("relu has no") == 2


def test_what_a_form_lacks_is_a_note_and_its_table_is_empty():
    answer = run_gelu("locate", "--form", "softplus")
    assert (answer.code, answer.out) == (0, ",".join(COLUMNS) + "\n")
    assert [line.split(":")[1] for line in answer.err.splitlines()] == [" note"] * 2
    assert gelu("locate", "--form", "softplus", "--quiet").out == answer.out


def test_the_help_tells_the_place_from_the_value():
    out = run_gelu("locate", "--help-all").out
    assert "−0.7518" in out
    assert "−0.1700" in out


REFUSED = [
    ("--form tnah", "did you mean 'tanh'"),
    ("--form sigmoid:bta=1", "did you mean 'beta'"),
    ("--digits 0", "digits"),
    ("--digits -3", "digits"),
    ("1", "1"),
]


def test_what_cannot_be_meant_is_refused_in_one_line():
    assert_all_refused("locate", cases=REFUSED)
