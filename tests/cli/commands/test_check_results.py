"""`gelu check --dtype`: results of a kernel, from tables and from whole files of bits."""

import re
from fractions import Fraction

import numpy as np
import pytest

import gelu_cli
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.forms import all_forms
from tests.cli.commands.columns import VIEWS
from tests.cli.runner import assert_all_refused, gelu, refusal, run_gelu

COUNTS = ("misrounded", "wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "non_monotone")
BFLOAT16 = FORMATS["bfloat16"]


def check(text, *words, dtype="bfloat16"):
    return run_gelu("check", "-", "--dtype", dtype, *words, stdin=text.encode())


def nothing_wrong(rows):
    return all(row[name] == "0" for row in rows for name in COUNTS)


# What `gelu table` prints is right


def columns_of(forms, *quantities):
    suffixes = ["" if each == "value" else f"_{each}" for each in quantities]
    return [f"{form}{suffix}" for form in forms for suffix in suffixes]


@pytest.mark.parametrize(
    ("dtype", "points", "forms"),
    [
        ("float8_e4m3fn", ["-9:9:/40", "-0.0", "100"], list(all_forms())),
        ("bfloat16", ["-9:9:/60", "-0.0", "1e-40", "40"], ["exact"]),
        ("float32", ["-9:9:/60", "-0.0", "1e-40", "40"], ["erf_as"]),
    ],
)
def test_a_table_of_forms_is_right(dtype, points, forms):
    named = [word for form in forms for word in ("--form", form)]
    shown = ["--show", "value", "--show", "gradient", "--show", "curvature"]
    table = gelu("table", *points, "--dtype", dtype, *named, *shown, "--bits").out
    answer = check(table, "--max-ulp", "0.5", "-q", dtype=dtype)
    assert (answer.code, answer.err) == (0, "")
    assert [row["routine"] for row in answer.rows] == columns_of(
        forms, "value", "gradient", "curvature"
    )
    assert nothing_wrong(answer.rows)


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float16"])
def test_a_table_with_parameters_and_without_bits_is_right(dtype):
    points = ["--all"] if dtype == "float8_e5m2" else ["-9:9:/300"]
    table = gelu("table", *points, "--dtype", dtype, "--form", "sigmoid:beta=1.5").out
    answer = check(table, dtype=dtype)
    assert nothing_wrong(answer.rows)
    assert {row["target"] for row in answer.rows} == {"sigmoid:beta=1.5"}


# Cells


def test_a_cell_is_a_decimal_a_hexadecimal_float_or_a_pattern():
    cells = ["1,0.83984375", "1.0,0x1.aep-1", "0x3f80,0x3f57", "1,0.84", "0x1p0,0x3F57"]
    for cell in cells:
        (row,) = check(f"x,exact\n{cell}\n").rows
        assert (cell, row["inputs"], row["misrounded"]) == (cell, "1", "0")


def test_patterns_are_taken_before_decimals():
    (row,) = check("x,x_bits,exact,exact_bits\n7,0x3f80,8,0x3f57\n").rows
    assert nothing_wrong([row])
    assert float(row["max_ulp_x"]) == 1


def test_empty_cells_are_left_out():
    rows = check("x;exact;tanh\n1;0.84;\n2;;\n-1;;-0.159\n").rows
    assert [(row["routine"], row["inputs"]) for row in rows] == [("exact", "1"), ("tanh", "1")]


def test_one_wrong_result_is_found_where_it_is():
    lines = gelu("table", "-3:3:/200", "--dtype", "float32", "--form", "exact").out.splitlines()
    x, value, gradient = lines[77].split(",")
    off = float(np.nextafter(np.float32(value), np.float32(9)))
    lines[77] = f"{x},{off!r},{gradient}"
    answer = check("\n".join(lines), "--view", "worst", "--worst", "1", dtype="float32")
    assert (answer.rows[0]["routine"], answer.rows[0]["x"]) == ("exact", x)
    assert 0.5 <= float(answer.rows[0]["ulp"]) <= 1.5


def test_the_order_of_the_rows_does_not_matter():
    header, *lines = gelu("table", "-4:4:/99", "--dtype", "bfloat16").out.splitlines()
    answers = [check("\n".join([header, *order])).out for order in (lines, lines[::-1])]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("view", VIEWS)
def test_the_views_are_those_of_a_sweep(view):
    assert check("x,exact\n1,2\n", "--view", view).columns == VIEWS[view].split(",")


def test_another_target_may_be_asked_for():
    text = gelu("table", "--all", "--dtype", "float8_e5m2", "--form", "tanh").out
    rows = check(text, "--target", "exact", dtype="float8_e5m2").rows
    assert {row["target"] for row in rows} == {"exact"}
    assert int(rows[0]["misrounded"]) > 0


# Whole files

KINDS = ["bin", "patterns", "own", "float32"]
"""How the results are stored; numpy cannot load float8_e5m2 from what it saves of them as own."""


def every_result(dtype, form="none"):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="arrays of the small formats need it")
    width = FORMATS[dtype].width
    kind = np.dtype(dtype) if dtype == "float16" else np.dtype(getattr(ml_dtypes, dtype))
    bits = np.arange(1 << width, dtype=f"u{width // 8}")
    with np.errstate(all="ignore"):
        return gelu_cli.gelu(bits.view(kind), approximate=form)


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        *[(dtype, kind) for dtype in ("float16", "float8_e4m3fn") for kind in KINDS],
        *[("bfloat16", kind) for kind in ("bin", "own")],
        *[("float8_e5m2", kind) for kind in ("bin", "patterns")],
    ],
)
def test_a_file_with_every_result_is_right(tmp_path, dtype, kind):
    results = every_result(dtype, "tanh")
    size = f"u{FORMATS[dtype].width // 8}"
    path = tmp_path / ("kernel.bin" if kind == "bin" else "kernel.npy")
    if kind == "bin":
        path.write_bytes(results.view(size).astype(f"<{size}").tobytes())
    else:
        with np.errstate(all="ignore"):
            float32s = results.astype(np.float32)
        forms = {"patterns": results.view(size), "own": results, "float32": float32s}
        np.save(path, forms[kind])
    words = ("check", path, "--all", "--dtype", dtype, "--target", "tanh", "--max-ulp", "0.5")
    (row,) = gelu(*words).rows
    assert nothing_wrong([row])
    assert row["exhaustive"] == "yes"
    assert int(row["inputs"]) == 1 << FORMATS[dtype].width


def test_what_a_kernel_makes_of_infinities_and_nans_is_judged(tmp_path):
    results = every_result("bfloat16").view(np.uint16).copy()
    places = {"-inf": 0xFF80, "inf": 0x7F80, "nan": 0x7FC0}
    results[places["-inf"]] = 0x7FC0  # 0 · (1 + erf(−∞)) is NaN, GELU's limit is −0
    results[places["inf"]] = 0x7F7F
    results[places["nan"]] = 0
    path = tmp_path / "kernel.bin"
    results.tofile(path)
    (row,) = gelu("check", path, "--all", "--dtype", "bfloat16").rows
    assert (row["wrong_nan"], row["wrong_inf"]) == ("2", "1")
    worst = gelu("check", path, "--all", "--dtype", "bfloat16", "--view", "worst").rows
    assert {row["x_bits"] for row in worst[:3]} == {"0x7f80", "0xff80", "0x7fc0"}
    assert [row["ulp"] for row in worst[:3]] == [""] * 3


# What cannot be meant


BAD_TABLES = [
    ("", "stdin is empty"),
    ("x\n1\n", "no column of results beside x"),
    ("y,exact\n1,2\n", "has no column 'x'"),
    ("x,exact\n", "holds no results"),
    ("x,exact,tanh\n1,,\n2,,\n", "holds no results"),
    ("x,exact\n1\n", "line 2 of stdin has 1 cell,"),
    ("x,exact\n1,2\n3,four\n", "line 3 of stdin, column 'exact'", "'four' is not a number"),
    ("x,exact\none,2\n", "line 2 of stdin, column 'x'"),
    ("x,exact\n,2\n", "a line without x: line 2"),
    ("x,exat\n1,2\n", "column 'exat' of stdin", "did you mean 'exact'"),
    ("x,exact\n1,0x3f5\n", "'0x3f5' is no bit pattern", "0x3f80"),
    ("x,exact_bits\n1,7\n", "'7' is no bit pattern", "0x3f80"),
    ("x,exact_bits\n1,0x12345\n", "more than the 16 bits"),
]


def test_a_bad_table_is_one_line():
    found = {text: refusal(check(text), *fragments) for text, *fragments in BAD_TABLES}
    assert not {text: fault for text, fault in found.items() if fault}


BAD_LINES = [
    ("a.bin --all --dtype bfloat16", "'a.bin' has 3 bytes", "131072"),
    ("none.bin --all --dtype bfloat16", "cannot read 'none.bin'"),
    ("none.npy --all --dtype bfloat16", "cannot read 'none.npy'"),
    ("short.npy --all --dtype float16", "holds 3 results", "65536"),
    ("text.npy --all --dtype float16", "holds <U1", "neither floats"),
    ("thirds.npy --all --dtype float8_e5m2", "is no float8_e5m2"),
    ("a.bin --all --dtype float32", "16- and 8-bit formats"),
    ("a.bin --all", "add --dtype"),
    ("a.bin --ftz", "add --dtype"),
    ("a.bin --view worst", "add --dtype"),
    ("a.bin --dtype float16 --wrong", "--wrong is for printed figures"),
    ("a.bin --dtype float17", "did you mean 'float16'"),
    ("a.bin --all --dtype float16 --quantity gate", "choose from value, gradient"),
]


def test_a_bad_file_or_option_is_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.bin").write_bytes(b"abc")
    np.save("short.npy", np.zeros(3, np.float16))
    np.save("text.npy", np.array(["a"]))
    np.save("thirds.npy", np.full(256, 1 / 3))
    assert_all_refused("check", cases=BAD_LINES)


# What is said of a result


@pytest.mark.parametrize("got", ["nan", "inf"])
def test_a_result_that_is_no_number_fails_with_what_is_right(got):
    words = ["--max-ulp", "9999"]
    answer = check(f"x,relu\n3,{got}\n", *words, dtype="float8_e5m2")
    assert answer.code == 1
    assert f"{got} at x = 3.0, where 3.0 is right" in answer.err
    assert "--max-ulp" in answer.err


@pytest.mark.parametrize("limit", ["0.5", "1/2", "0.50000001", "0.5000000000001"])
def test_an_error_that_exceeds_the_limit_is_printed_larger_than_the_limit(limit):
    # GELU(2⁻²⁴) is a little more than 2⁻²⁵, half a ULP of float16: 0.5 + 0.4·2⁻²⁴ from 0.
    answer = check("x,exact\n0x1p-24,0\n", "--max-ulp", limit, dtype="float16")
    assert answer.code == 1
    found = re.search(r"(\S+) ULP at x = \S+ exceeds --max-ulp (\S+)", answer.err)
    assert Fraction(found[1]) > Fraction(found[2]) == Fraction(limit)
