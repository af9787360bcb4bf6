"""`gelu check --dtype`: results of a kernel, from tables and from whole files of bits."""

import re
from fractions import Fraction
from io import BufferedReader, BytesIO, StringIO

import ml_dtypes  # noqa: F401
import numpy as np
import pytest

import gelu_cli
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import all_forms
from tests.old.cli.commands.columns import VIEWS
from tests.old.cli.runner import assert_all_refused, assert_refused, gelu, refusal, run_gelu
from tests.truth.mpmath import FORMS, M

COUNTS = ("misrounded", "wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "non_monotone")


def check(text, *words, dtype="bfloat16"):
    return run_gelu("check", "-", "--dtype", dtype, *words, stdin=text.encode())


def nothing_wrong(rows):
    return all(row[name] == "0" for row in rows for name in COUNTS)


# What `gelu table` prints is right


@pytest.mark.parametrize(
    ("dtype", "points", "form"),
    [
        *[("float8_e4m3fn", ["-3:3:/7", "-0.0", "100"], form) for form in all_forms()],
        ("float8_e5m2", ["-3:3:/7", "-0.0"], "sigmoid:beta=1.5"),
        ("bfloat16", ["-3:3:/7", "1e-40", "40"], "exact"),
        ("float16", ["-3:3:/7", "1e-40", "40"], "exact"),
        ("float32", ["-3:3:/7", "1e-40", "40"], "erf_as"),
    ],
)
@pytest.mark.parametrize("bits", [[], ["--bits"]], ids=["", "bits"])
def test_a_table_is_right(dtype, points, form, bits):
    words = ["--dtype", dtype, "--form", form, "--quantity", "value,gradient,curvature", *bits]
    answer = check(gelu("table", *points, *words).out, "--max-ulp", "0.5", "-q", dtype=dtype)
    assert (answer.code, answer.err) == (0, "")
    columns = [form, f"{form}_gradient", f"{form}_curvature"]
    assert [row["routine"] for row in answer.rows] == columns
    assert {row["target"] for row in answer.rows} == {form}
    assert nothing_wrong(answer.rows)


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


@pytest.mark.parametrize(("written", "asked"), [("float16", "bf16"), ("float8_e4m3fn", "e5m2")])
@pytest.mark.parametrize("suffix", ["csv", "json", "md", "npy"])
def test_patterns_of_another_format_are_refused(tmp_path, written, asked, suffix):
    path = tmp_path / f"a.{suffix}"
    gelu("table", "0", "-1", "nan", "pi", "--dtype", written, "--bits", "-o", path)
    assert_refused(run_gelu("check", path, "--dtype", asked), f"--dtype {written}")
    assert run_gelu("check", path, "--dtype", written).code == 0


@pytest.mark.parametrize("kind", ["<i2", ">u2", "V2"])
def test_patterns_of_another_format_are_refused_however_they_are_stored(tmp_path, kind):
    rows = np.zeros(2, [("x", "f4"), ("x_bits", kind), ("exact", "f4")])
    rows["x"], rows["exact"] = [-1, 1], [-0.15869140625, 0.84130859375]
    bits = np.array([0xBC00, 0x3C00], "<u2")
    rows["x_bits"] = bits.view("V2") if kind == "V2" else bits.astype("u2").astype(kind)
    path = str(tmp_path / "a.npy")
    np.save(path, rows)
    assert_refused(
        run_gelu("check", path, "--dtype", "bfloat16", "--result", "float32"), "--dtype float16"
    )


def test_empty_cells_are_left_out():
    rows = check("x;exact;tanh\n1;0.84;\n2;;\n-1;;-0.159\n").rows
    assert [(row["routine"], row["inputs"]) for row in rows] == [("exact", "1"), ("tanh", "1")]


def test_one_wrong_result_is_found_where_it_is():
    lines = gelu("table", "-3:3:/20", "--dtype", "float32", "--form", "exact").out.splitlines()
    x, value, gradient = lines[7].split(",")
    off = float(np.nextafter(np.float32(value), np.float32(9)))
    lines[7] = f"{x},{off!r},{gradient}"
    answer = check("\n".join(lines), "--view", "worst", "--worst", "1", dtype="float32")
    assert (answer.rows[0]["routine"], answer.rows[0]["x"]) == ("exact", x)
    true, unit = FORMS["exact"](M.mpf(float(x))), float(np.spacing(np.float32(value)))
    assert float(answer.rows[0]["ulp"]) == pytest.approx(
        float(abs(off - true) / abs(unit)), rel=1e-9
    )


def test_the_order_of_the_rows_does_not_matter():
    words = ("--dtype", "float8_e5m2", "--form", "relu")
    header, *lines = gelu("table", "-4:4:/99", *words).out.splitlines()
    answers = [check("\n".join([header, *order]), dtype="float8_e5m2").out
               for order in (lines, lines[::-1])]  # fmt: skip
    assert answers[0] == answers[1]


@pytest.mark.parametrize("view", VIEWS)
def test_the_views_are_those_of_a_sweep(view):
    assert check("x,exact\n1,2\n", "--view", view).columns == VIEWS[view].split(",")


def test_another_target_may_be_asked_for():
    text = gelu("table", "--all", "--dtype", "float8_e5m2", "--form", "tanh").out
    rows = check(text, "--form", "exact", dtype="float8_e5m2").rows
    assert {row["target"] for row in rows} == {"exact"}
    assert int(rows[0]["misrounded"]) > 0


# Whole files


def every_result(dtype, form="none"):
    bits = np.arange(1 << FORMATS[dtype].width, dtype=f"u{FORMATS[dtype].width // 8}")
    with np.errstate(all="ignore"):
        return gelu_cli.gelu(bits.view(np.dtype(dtype)), approximate=form)


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        *[("float8_e4m3fn", kind) for kind in ("bin", "patterns", "own", "float32")],
        ("float16", "own"), ("bfloat16", "bin"), ("float8_e5m2", "patterns"),
    ],
)  # fmt: skip
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
    words = ("check", path, "--all", "--dtype", dtype, "--form", "tanh", "--max-ulp", "0.5")
    (row,) = gelu(*words).rows
    assert nothing_wrong([row])
    assert row["exhaustive"] == "yes"
    assert int(row["inputs"]) == 1 << FORMATS[dtype].width


def test_what_a_kernel_makes_of_infinities_and_nans_is_judged(tmp_path):
    results = every_result("float8_e5m2").view(np.uint8).copy()
    places = {"-inf": 0xFC, "inf": 0x7C, "nan": 0x7E}
    results[places["-inf"]] = 0x7E  # 0 · (1 + erf(−∞)) is NaN, GELU's limit is −0
    results[places["inf"]] = 0x7B
    results[places["nan"]] = 0
    path = tmp_path / "kernel.bin"
    results.tofile(path)
    (row,) = gelu("check", path, "--all", "--dtype", "float8_e5m2").rows
    assert (row["wrong_nan"], row["wrong_inf"]) == ("2", "1")
    worst = gelu("check", path, "--all", "--dtype", "float8_e5m2", "--view", "worst").rows
    assert {row["x_bits"] for row in worst[:3]} == {"0x7c", "0xfc", "0x7e"}
    assert [row["ulp"] for row in worst[:3]] == [""] * 3


# Files of results beside files of inputs, and arrays of both


def kernel_of(dtype):
    """Inputs of a format in no order, some twice, NaN and infinities, and results of relu.

    One result is wrong by three units in its last place.
    """
    number_format = FORMATS[dtype]
    bits = np.random.default_rng(7).integers(0, 1 << number_format.width, 999, dtype=np.uint64)
    x = np.array([number_format.number(int(each)) for each in bits])
    x = np.concatenate([x, [-0.0, 1.0, np.nan, 1.0], [-np.inf] * number_format.infinite])
    got = np.where(np.isnan(x), x, np.maximum(x, 0))
    got[np.flatnonzero(x == 1)[0]] += 3 * 2.0 ** (1 - number_format.precision)
    return x, got


def stored(numbers, dtype, kind):
    """Numbers as a program stores them: patterns, in bytes or an array, or floats."""
    number_format = FORMATS[dtype]
    size = number_format.width // 8
    bits = np.array([number_format.bits(each) for each in numbers.tolist()], np.uint64)
    if kind == "bin":
        return bits.astype(f"<u{size}").tobytes()
    return bits.astype(f">u{size}") if kind == "patterns" else numbers


def save(path, data):
    path.write_bytes(data) if isinstance(data, bytes) else np.save(path, data)
    return path


def fields(**columns):
    record = [(name, column.dtype) for name, column in columns.items()]
    return np.array(list(zip(*columns.values(), strict=True)), record)


def as_relu(*words, **settings):
    """The row for results of relu, of which one is wrong."""
    return gelu("check", *words, "--form", "relu", **settings).rows[0]


@pytest.mark.parametrize("dtype", FORMATS)
def test_results_beside_inputs_are_judged_however_they_are_stored(tmp_path, dtype):
    x, got = kernel_of(dtype)
    rows = []
    for kind in ("bin", "patterns", "floats"):
        suffix = "bin" if kind == "bin" else "npy"
        inputs = save(tmp_path / f"x.{suffix}", stored(x, dtype, kind))
        results = save(tmp_path / f"results.{suffix}", stored(got, dtype, kind))
        rows.append(as_relu(results, "--inputs", inputs, "--dtype", dtype))
        columns = [stored(numbers, dtype, kind) for numbers in (x, got)]
        if kind != "bin":
            pairs = save(tmp_path / "pairs.npy", np.column_stack(columns))
            rows.append(as_relu(pairs, "--dtype", dtype))
            named = save(tmp_path / "named.npy", fields(x=columns[0], relu=columns[1]))
            rows.append(as_relu(named, "--dtype", dtype))
    for row in rows:
        assert int(row["inputs"]) == len(x)
        assert (row["max_ulp_x"], float(row["max_ulp"]), row["misrounded"]) == ("1.0", 3, "1")
        assert (row["wrong_nan"], row["wrong_inf"], row["exhaustive"]) == ("0", "0", "no")


def test_results_or_inputs_come_from_stdin(tmp_path):
    inputs, results = (stored(numbers, "float32", "bin") for numbers in kernel_of("float32"))
    x, got = save(tmp_path / "x.bin", inputs), save(tmp_path / "got.bin", results)
    words = ["--dtype", "float32", "--form", "relu", "-f", "csv", "--no-header"]
    answers = {
        gelu("check", got, "--inputs", x, *words).out.partition(",")[2],
        gelu("check", got, "--inputs", "-", *words, stdin=inputs).out.partition(",")[2],
        gelu("check", "-", "--inputs", x, *words, stdin=results).out.partition(",")[2],
    }
    assert len(answers) == 1
    for data, counts in [
        (results[:-4], "1003 results for 1004 inputs"),
        (results + bytes(4), "over 1004 results for 1004 inputs"),
    ]:
        refused = run_gelu("check", "-", "--inputs", x, "--dtype", "float32", stdin=data)
        assert_refused(refused, f"stdin holds {counts}: '{x}'")


def test_fields_of_an_array_are_judged_as_columns_of_a_table_are(tmp_path):
    words = ("--dtype", "float8_e5m2", "--form", "tanh")
    table = gelu("table", "-4:4:/99", *words).out
    x, *columns = np.loadtxt(StringIO(table), delimiter=",", skiprows=1).T
    names = table.splitlines()[0].split(",")[1:]
    path = save(tmp_path / "a.npy", fields(x=x, **dict(zip(names, columns, strict=True))))
    stream = BufferedReader(BytesIO(path.read_bytes()))
    for answer in (
        gelu("check", path, *words[:2]), gelu("check", "-", *words[:2], stdin=stream),
    ):  # fmt: skip
        assert answer.out == check(table, dtype="float8_e5m2").out
    assert nothing_wrong(answer.rows)
    assert [row["routine"] for row in answer.rows] == names


def test_a_file_of_gradients_is_judged_as_such(tmp_path):
    table = gelu("table", "-4:4:/9", "--dtype", "float32", "--form", "tanh").out
    x, _, gradient = np.loadtxt(StringIO(table), delimiter=",", skiprows=1).T
    path = save(tmp_path / "a.npy", np.column_stack([x, gradient]).astype("f4"))
    words = ["--dtype", "float32", "--form", "tanh", "--quantity", "gradient"]
    (row,) = gelu("check", path, *words).rows
    assert nothing_wrong([row])
    assert (row["routine"], row["quantity"]) == (str(path), "gradient")


# Results in a format of their own

TWO_FORMATS = [("float32", "float16"), ("float16", "float32"), ("float16", "float8_e5m2")]


def rounded_relu(dtype, result):
    """Inputs in a format, and the relu of each in another; that of 1 is off by three units."""
    x = np.concatenate([np.random.default_rng(3).normal(0, 9, 500), [0.0, 1, 1e9]]).astype("f8")
    x = np.array([FORMATS[dtype].from_float(each) for each in x.tolist()])
    number_format = FORMATS[result]
    got = np.array([number_format.from_float(max(each, 0.0)) for each in x.tolist()])
    got[x == 1] += 3 * 2.0 ** (1 - number_format.precision)
    return x, got


@pytest.mark.parametrize(("dtype", "result"), TWO_FORMATS)
def test_results_in_another_format_are_judged_in_it_in_files_of_every_kind(tmp_path, dtype, result):
    x, got = rounded_relu(dtype, result)
    formats = ("--dtype", dtype, "--result", result)
    pairs = [*zip(x.tolist(), got.tolist(), strict=True)]
    bits = FORMATS[dtype].hexadecimal, FORMATS[result].hexadecimal
    cells = [[(repr(a), repr(b)) for a, b in pairs], [(bits[0](a), bits[1](b)) for a, b in pairs]]
    words = [["named.csv"], ["bits.csv"], ["got.bin", "--inputs", "x.bin"], ["named.npy"]]
    for name, rows in zip(("named.csv", "bits.csv"), cells, strict=True):
        (tmp_path / name).write_text("x,relu\n" + "\n".join(map(",".join, rows)))
    save(tmp_path / "x.bin", stored(x, dtype, "bin"))
    save(tmp_path / "got.bin", stored(got, result, "bin"))
    patterns = stored(x, dtype, "patterns"), stored(got, result, "patterns")
    save(tmp_path / "named.npy", fields(x_bits=patterns[0], relu_bits=patterns[1]))
    for name, *others in words:
        paths = [tmp_path / word if word.endswith("bin") else word for word in others]
        row = as_relu(tmp_path / name, *paths, *formats)
        assert (row["dtype"], row["result"], row["inputs"]) == (dtype, result, str(len(x)))
        assert (row["max_ulp_x"], float(row["max_ulp"]), row["misrounded"]) == ("1.0", 3, "1")


# What cannot be meant


BAD_TABLES = [
    ("x\n1\n", "no column of results beside x"),
    ("x,exact,tanh\n1,,\n2,,\n", "holds no results"),
    ("x,exact\n1,2\n3,four\n", "line 3 of stdin, column 'exact'", "'four' is not a number"),
    ("x,exact\n,2\n", "a line without x: line 2"),
    ("x,exact\n1,0x3f5\n", "'0x3f5' is no bit pattern", "0x3f80"),
    ("x,exact_bits\n1,7\n", "'7' is no bit pattern", "0x3f80"),
    ("x,exact_bits\n1,0x12345\n", "more than the 16 bits"),
]


def test_a_bad_table_is_one_line():
    found = {text: refusal(check(text), *fragments) for text, *fragments in BAD_TABLES}
    assert not {text: fault for text, fault in found.items() if fault}


BAD_LINES = [
    ("a.bin --all --dtype bfloat16", "'a.bin' has 3 bytes", "bfloat16s, which have 2 each"),
    ("a.bin --all --dtype float8_e5m2", "'a.bin' holds 3 results", "256", "every float8_e5m2"),
    ("b.bin --all --inputs a.bin --dtype bfloat16", "--all and --inputs"),
    ("b.bin --inputs a.bin", "--inputs is for results in a format", "add --dtype"),
    ("b.bin --inputs a.bin --dtype float16", "'a.bin' has 3 bytes", "float16s, which have 2 each"),
    ("a.bin --inputs b.bin --dtype float8_e5m2", "'a.bin' holds 3 results for 4 inputs: 'b.bin'"),
    ("b.bin --inputs none.bin --dtype float16", "cannot read 'none.bin'"),
    ("b.bin --inputs short.npy --dtype float16", "'b.bin' holds 2 results for 3 inputs"),
    ("short.npy --inputs thirds.npy --dtype float16", "'short.npy' holds 3 results for 256 inputs"),
    ("thirds.npy --inputs thirds.npy --dtype float32", "0.333333", "number 1, is no float32"),
    ("empty.bin --inputs empty.bin --dtype float64", "'empty.bin' holds no results"),
    ("- --inputs - --dtype float32", "both stdin"),
    ("b.bin --inputs b.bin --dtype float16 --form self", "--form: unknown form 'self'"),
    ("thirds.npy --dtype float16", "no array of two columns", "--inputs", "--all"),
    ("fields.npy --dtype float32 --quantity value", "--quantity is for", "F_gradient"),
    ("fields.npy --dtype float64", "column 'exact_bits' of 'fields.npy' holds uint32"),
    ("others.npy --dtype float32", "column 'y' of 'others.npy'", "named after no form"),
    ("b.csv --result float32", "--result is for results in a format", "add --dtype"),
    ("b.bin --inputs b.bin --dtype float16 --result float32", "'b.bin' holds 1 result for 2 "),
    ("fields.npy --dtype float32 --result float17", "--result: ", "did you mean 'float16'"),
    ("nox.npy --dtype float32", "'nox.npy' has no column 'x'; it has: exact"),
    ("none.bin --all --dtype bfloat16", "cannot read 'none.bin'"),
    ("short.npy --all --dtype float16", "holds 3 results", "65536"),
    ("z.bin --dtype float16", "z.bin' is no table", "--inputs FILE", "--all"),
    ("p.bin --dtype float32", "p.bin is not text", "raw results, --inputs FILE", "--all"),
    ("b.bin --inputs m.csv --dtype float16", "'m.csv' is text, but inputs are .npy or raw"),
    ("m.csv --inputs b.bin --dtype float16", "'m.csv' is text", "neither --inputs nor --all"),
    ("m.csv --all --dtype float16", "'m.csv' is text, but results with --all are .npy or raw"),
    ("text.npy --all --dtype float16", "holds <U1", "neither floats"),
    ("thirds.npy --all --dtype float8_e5m2", "is no float8_e5m2"),
    ("a.bin --all --dtype float32", "16- and 8-bit formats"),
    ("a.bin --all", "add --dtype"),
    ("a.bin --dtype float16 --wrong", "--wrong is for printed figures"),
    ("a.bin --all --dtype float16 --quantity gate", "unknown quantity 'gate'"),
]


def test_a_bad_file_or_option_is_one_line(folder):
    for name, data in (("a", b"abc"), ("b", b"abcd"), ("p", b"\x00\x00\x80\x3f"),
                       ("z", bytes(4)), ("empty", b"")):  # fmt: skip
        (folder / f"{name}.bin").write_bytes(data)
    np.save("fields.npy", np.zeros(3, [("x", "f4"), ("exact_bits", "u4")]))
    np.save("others.npy", np.zeros(3, [("x", "f4"), ("y", "f4")]))
    np.save("nox.npy", np.zeros(3, [("exact", "f4")]))
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
