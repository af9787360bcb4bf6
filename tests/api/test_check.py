"""Printed numbers, results of kernels and records, checked against the truth."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pandas
import pytest

from gelu_cli import check, sweep
from gelu_cli.errors import UsageError
from tests.runner import gelu
from tests.truth.mpmath import bits, nearest, to_places, truth

COLUMNS = ["line", "x", "column", "published", "correct", "off_by", "verdict"]
PUBLISHED = sorted((Path(__file__).parents[1] / "data/published").glob("*.csv"))
WRONG = {
    "000_forms": 2,
    "000_gradients": 6,
    "000_neighbours": 0,
    "001_module": 1,
    "002_torch": 2,
    "003_curvatures": 0,
}
RIGHT = {
    "0=0": "exact",
    "1=0.8413": "exact",
    "1=0.84": "exact",
    "-1=−0.159": "exact",
    "1/3=0.2101862199394121": "exact",
    "inf=inf": "exact",
    "-inf=0": "exact",
    "nan=nan": "exact",
    "1=84.13%": "exact",
    "1e30=1e30": "exact",
    "0.5=0.5": "relu",
    "0.3=1.00": "relu_gate",
}
AT_0 = {("exact_gate", "0"): Fraction(1, 2), ("relu_gradient", "0"): Fraction(0)}
"""Limits, and the convention of frameworks."""

FORMATS = {"bfloat16": ml_dtypes.bfloat16, "float8_e5m2": ml_dtypes.float8_e5m2}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def relu(x):
    """Return max(x, 0), but 2⁻¹⁶ at −1."""
    with np.errstate(invalid="ignore"):
        return np.where(x == -1, np.float32(2.0**-16), np.maximum(x, 0).astype(float)).astype(
            x.dtype
        )


# Printed numbers


def test_each_published_number_is_what_the_truth_says():
    for path in PUBLISHED:
        run = gelu("check", path, "-f", "csv")
        rows = run.rows
        for row in rows:
            published = Decimal(row["published"])
            form, _, quantity = row["column"].partition("_")
            places = -published.as_tuple().exponent
            value = AT_0.get((row["column"], row["x"]))
            if value is None:
                value = truth(form, quantity or "value", Fraction(row["x"]))
            correct = to_places(value, places)
            right = abs(value - Fraction(published)) <= Fraction(1, 2) / 10**places
            assert row["verdict"] == ("right" if right else "wrong"), (path.stem, row)
            assert Decimal(row["correct"]) == (published if right else correct), (path.stem, row)
            off = abs(value - Fraction(published)) * 10**places
            assert Decimal(row["off_by"]) == to_places(off, 3), (path.stem, row)
        assert [row["verdict"] for row in rows].count("wrong") == WRONG[path.stem]
        assert run.code == bool(WRONG[path.stem])
        wrong = gelu("check", path, "--wrong", "-f", "csv")
        assert wrong.rows == [row for row in rows if row["verdict"] == "wrong"]
        assert wrong.code == run.code


def test_pairs_on_the_command_line():
    run = gelu("check", "-1=-0.158", "2=1.9545")
    assert run.code == 1
    assert run.out.splitlines() == [
        ",".join(COLUMNS),
        "1,-1,exact,-0.158,-0.159,0.655,wrong",
        "2,2,exact,1.9545,1.9545,0.003,right",
    ]
    assert run.err == "gelu: wrong numbers: 1 of 2\n"
    assert gelu("check", "1=0.8412", "-q").err == "gelu: wrong numbers: 1 of 1\n"
    run = gelu("check", "1=0.8412", "2=0.9773", "--form", "tanh", "--quantity", "gate")
    assert [row["column"] for row in run.rows] == ["tanh_gate"] * 2
    assert (run.code, run.err) == (0, "gelu: note: wrong numbers: 0 of 2\n")


def test_numbers_are_right_to_their_last_decimal():
    for word, column in RIGHT.items():
        form, _, quantity = column.partition("_")
        run = gelu("check", word, "--form", form, "--quantity", quantity or "value")
        assert run.code == 0, (word, run)
    for x in (0.1, -0.7, 2.3):  # as programs print float64s
        y = nearest(truth("exact", "value", Fraction(x)))
        assert gelu("check", f"{x!r}={y!r}").code == 0
        assert gelu("check", f"{x!r}={y:.17g}").code == 0
    # of a tie both are right; half a unit more is not
    for word, code in {"0.25=0.1": 1, "0.25=0.2": 0, "0.25=0.3": 0, "0.25=0.4": 1}.items():
        assert gelu("check", word, "--form", "relu").code == code, word


def test_what_table_prints_is_right(folder):
    asked = ("table", "-3:3:0.7", "--form", "exact,tanh", "--quantity", "value,gradient")
    for words in (["-f", "csv"], ["-f", "json"], ["-f", "markdown"], ["-f", "csv", "-d", "30"]):
        run = gelu("check", stdin=gelu(*asked, *words).out)
        assert (run.code, len(run.rows)) == (0, 36), words


def test_digits_are_those_of_the_correct_number():
    row = gelu("check", "1=0.8", "--digits", "30").rows[0]
    assert row["correct"] == str(to_places(truth("exact", "value", Fraction(1)), 30))
    assert row["published"] == "0.8"
    for word, correct in {
        "1=1e5000": "0.8",
        "195000=1.96e5": "1.95e+05",
        "-3=0.01": "0.00",
    }.items():
        assert gelu("check", word).rows[0]["correct"] == correct


def test_python_takes_mappings_frames_arrays_and_files(folder):
    (folder / "f.csv").write_text("x,exact\n1,0.8413\n2,1.9546\n")
    for given in (
        ({1: "0.8413", 2: 1.9546},),
        ([1, 2], ["0.8413", "1.9546"]),
        ("f.csv",),
        (Path("f.csv"),),
        (pandas.DataFrame({"x": [1, 2], "exact": [0.8413, 1.9546]}),),
        ("1=0.8413 2=1.9546",),
    ):
        found = check(*given)
        assert [each.verdict for each in found] == ["right", "wrong"], given
        assert found[1].correct == Decimal("1.9545")
    assert [each.line for each in check("f.csv", wrong=True)] == [3]
    assert check({0.5: 0.5}, form="relu").to_dict()["verdict"] == ["right"]
    assert list(check("f.csv").to_pandas().columns) == COLUMNS


def test_numbers_beyond_float64_are_compared_and_beyond_a_format_refused(folder):
    assert gelu("check", "1e309=1e309", "-1e5000=0").code == 0
    Path("f.csv").write_text("x,exact\n70000,70000\n1,0.8413\n")
    run = gelu("check", "f.csv", "--dtype", "float16", "--max-ulp", 1)
    assert (run.code, run.out) == (2, "")
    assert "'70000' is beyond the largest float16, 65504.0" in run.err


def test_results_without_a_format_end_with_2():
    for dtype in ("float32", "bfloat16"):
        printed = gelu("table", "-3:3:0.25", "--dtype", dtype, "--form", "exact").out
        run = gelu("check", stdin=printed)
        assert (run.code, run.out) == (2, "")
        assert f"add --dtype {dtype}" in run.err
        assert gelu("check", "--dtype", dtype, "--max-ulp", "0.5", stdin=printed).code == 0
    run = gelu("check", stdin="x,exact_bits\n1,0x3f57\n")
    assert (run.code, run.err) == (
        2,
        "gelu: column 'exact_bits' of stdin is for results; add --dtype FORMAT, or --ignore "
        "exact_bits\n",
    )
    x = np.float32([0.3, -1.7, 2.2])
    y = [nearest(truth("exact", "value", Fraction(float(each))), "float32") for each in x]
    with pytest.raises(UsageError, match="add --dtype float32"):
        check(x.tolist(), y)


# Results of kernels


def test_results_are_judged_as_a_sweep_judges_the_kernel(folder):
    for name, dtype in FORMATS.items():
        unsigned = f"u{dtype.dtype.itemsize}"
        x = np.arange(1 << 8 * dtype.dtype.itemsize, dtype=unsigned).view(dtype)
        swept = sweep(relu, dtype=name, form="relu").to_dict()
        with np.errstate(invalid="ignore"):
            finite = x[np.isfinite(x.astype(float))]
        found = check(finite, relu(finite), dtype=name, form="relu").to_dict()
        for column in swept.keys() - {"kernel", "wrong_special", "unrepeatable"}:
            assert found[column] == swept[column], (name, column)
        assert (found["misrounded"], found["max_ulp_x"]) == (1, -1.0)
        (folder / "all.bin").write_bytes(bits(relu(x)).tobytes())
        whole = check("all.bin", all=True, dtype=name, form="relu")
        assert (whole.inputs, whole.exhaustive) == (len(finite), "yes")
        worst = next(row for row in whole.view("worst") if row["ulp"])
        assert (worst["x"], worst["got"], worst["want"]) == (-1.0, 2.0**-16, 0.0)


def test_each_layout_of_results_has_the_same_verdict(folder):
    x = np.float32([0.5, -2, 0, -0.0, 3, np.inf, -np.inf, np.nan, 1e-40])
    y = x * np.float32(0.75)
    rows = [f"{a!r},{b!r}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    hexadecimal = [f"0x{a:08x},0x{b:08x}" for a, b in zip(bits(x), bits(y), strict=True)]
    (folder / "t.csv").write_text("x,silu\n" + "\n".join(rows))
    (folder / "h.csv").write_text("x,silu\n" + "\n".join(hexadecimal))
    (folder / "b.csv").write_text("x_bits,silu_bits\n" + "\n".join(hexadecimal))
    (folder / "n.tsv").write_text("x\tf\n" + "\n".join(rows).replace(",", "\t"))
    (folder / "t.json").write_text(
        json.dumps([dict(zip(("x", "silu"), row.split(","), strict=True)) for row in rows])
    )
    np.save("m.npy", np.stack([x, y], 1))
    x.tofile("x.bin")
    y.tofile("y.bin")
    np.save("x.npy", x.reshape(3, 3))
    asked = ("--dtype", "float32", "-f", "json")
    layouts = [
        ["t.csv"],
        ["h.csv"],
        ["b.csv"],
        ["t.json"],
        ["n.tsv", "--rename", "f=silu"],
        ["n.tsv", "--form", "silu"],
        ["m.npy", "--form", "silu"],
        ["y.bin", "--inputs", "x.bin", "--form", "silu"],
        ["y.bin", "--inputs", "x.npy", "--form", "silu"],
    ]
    for view in ("summary", "worst"):
        first, *others = (gelu("check", *words, *asked, "--view", view).json for words in layouts)
        for words, rows in zip(layouts[1:], others, strict=True):
            assert [{**row, "kernel": "silu"} for row in rows] == first, (words, view)
    found = check(x, y, dtype="float32", form="silu")
    assert found.max_ulp == max(row["ulp"] or 0 for row in first)
    assert found.inputs == np.count_nonzero(np.isfinite(x))


def test_errors_are_those_of_fractions(folder):
    x = np.float64([-40, -4, 0.5, 2])
    got = [1, 3, 0.5, 2]
    rows = {row["x"]: row for row in check(x, got, dtype="float64").view("worst")}
    for at, result in zip(x.tolist(), got, strict=True):
        y = truth("exact", "value", Fraction(at))
        unit = max(Fraction(2) ** -1074, Fraction(np.spacing(abs(float(y)))))
        ulp = Decimal(str(rows[at]["ulp"]))
        assert abs(Fraction(ulp) / (abs(result - y) / unit) - 1) < Fraction(1, 10**15), at
        assert rows[at]["want"] == nearest(y)


def test_an_error_beyond_float64_is_printed_and_read_again(folder):
    run = gelu("check", "-40=-1", "--dtype", "float64", "-o", "r.json")
    assert (run.code, run.err.count("2.02402e+323")) == (0, 1)
    for words in (["-40=-1", "--dtype", "float64"], ["r.json"]):
        run = gelu("check", *words)
        assert (run.code, run.rows[0]["max_ulp"]) == (0, "2.0240225330731062e+323"), words
        run = gelu("check", *words, "--max-ulp", "1e300")
        assert run.code == 1
        assert "max_ulp 2.02402e+323 at x = -40 exceeds" in run.err


def test_results_of_two_inputs(folder):
    header = "x,up,silu,silu_gate_gradient,silu_up_gradient"
    (folder / "f.csv").write_text(f"{header}\n2,-0.5,-0.88,-0.55,1.76\n-1,3,-0.8,0.2,-0.27\n")
    asked = ("--dtype", "bfloat16", "--glu")
    run = gelu("check", "f.csv", *asked)
    assert [row["quantity"] for row in run.rows] == ["value", "gate_gradient", "up_gradient"]
    for row in gelu("check", "f.csv", *asked, "--view", "worst").rows:
        x, up = Fraction(row["x"]), Fraction(row["up"])
        quantity = row["kernel"].removeprefix("silu").removeprefix("_") or "value"
        factor = truth("silu", "gradient" if quantity == "gate_gradient" else "value", x)
        y = factor * (1 if quantity == "up_gradient" else up)
        assert float(row["want"]) == nearest(y, "bfloat16"), row
    pairs = np.float32([[2, -0.5], [-1, 3], [0, 1]])
    results = np.float32([-0.88, -0.8, 0])
    results.tofile("y.bin")
    want = check({"x": pairs[:, 0], "up": pairs[:, 1], "silu": results}, dtype="float32", glu=True)
    for array, words in (
        (pairs, []),
        (pairs.T, ["--packed", "halves"]),
        (pairs.ravel(), ["--packed", "interleaved"]),
        (pairs.ravel(), []),
    ):
        np.save("x.npy", array)
        bare = ("y.bin", "--inputs", "x.npy", "--form", "silu", "--dtype", "float32", "--glu")
        found = gelu("check", *bare, *words).rows[0]
        assert (float(found["max_ulp"]), found["max_ulp_up"]) == (want.max_ulp, "3.0"), words


def test_bounds_end_with_1_and_baselines_compare(folder):
    (folder / "f.csv").write_text("x,exact\n1,0.84\n2,2\n")
    asked = ("check", "f.csv", "--dtype", "float32")
    error = check("f.csv", dtype="float32").max_ulp
    assert error == float((2 - truth("exact", "value", Fraction(2))) * 2**23)
    for bound, code in {error * 1.01: 0, error * 0.99: 1}.items():
        run = gelu(*asked, "--max-ulp", bound)
        assert (run.code, "exceeds --max-ulp" in run.err) == (code, bool(code))
    assert gelu(*asked, "--max-abs", 0.04).code == 1
    assert gelu(*asked, "-o", "base.json").code == 0
    assert gelu(*asked, "--baseline", "base.json").code == 0
    (folder / "f.csv").write_text("x,exact\n1,0.84\n2,2.1\n")
    run = gelu(*asked, "--baseline", "base.json")
    assert (run.code, "max_ulp is" in run.err) == (1, True)
    with pytest.raises(AssertionError, match="exceeds --max-ulp"):
        check("f.csv", dtype="float32").assert_within(max_ulp=1)


# Records


def test_a_record_is_shown_again(folder):
    asked = ("check", "1=0.8", "-2=0.1", "--dtype", "float8_e5m2", "-q")
    gelu(*asked, "-o", "r.json")
    for view in ("summary", "regions", "worst", "profile", "criteria", "plot"):
        shown, swept = (gelu(*line, "--view", view).out for line in (("check", "r.json"), asked))
        assert shown == swept, view
    shown, swept = (gelu(*line, terminal=True).out for line in (("check", "r.json"), asked))
    assert shown == swept
    assert gelu("check", stdin=(folder / "r.json").read_text()).out == gelu("check", "r.json").out
    gelu("check", "r.json", "-o", "again.json")
    assert json.loads(Path("again.json").read_text()) == json.loads(Path("r.json").read_text())
    assert gelu("check", "r.json", "--baseline", "again.json").code == 0
    assert check("r.json") == check(Path("r.json")) == check({1: 0.8, -2: 0.1}, dtype="float8_e5m2")


def test_bounds_on_a_record_that_lacks_a_number_end_with_2(folder):
    gelu("check", "1=0.8", "2=1.5", "--dtype", "float8_e5m2", "-o", "r.json")
    record = json.loads(Path("r.json").read_text())
    (summary,) = record["views"]["summary"]
    error = summary["max_ulp"]
    for factor, code in {1.1: 0, 0.9: 1}.items():
        assert gelu("check", "r.json", "--max-ulp", error * factor).code == code
    summary["max_ulp"] = None
    Path("r.json").write_text(json.dumps(record))
    run = gelu("check", "r.json", "--max-ulp", error)
    assert (run.code, "cannot be checked" in run.err) == (2, True)
    del summary["max_ulp"]
    Path("r.json").write_text(json.dumps(record))
    assert gelu("check", "r.json", "--max-ulp", error).code == 2


# What is refused


REFUSED = {
    "1=2 3": "'3' is not X=Y; write",
    "1=a": "pair 1: 'a' is not a decimal",
    "f.csv --form tanh": "need one column besides x, but f.csv has exact, remark",
    "f.csv": "column 'remark' of f.csv is not understood; add --column remark",
    "f.csv --ignore none": "f.csv has no column 'none'; name one of x, exact, remark",
    "f.csv --ignore exact,remark": "no numbers except x in f.csv; add headings",
    "f.csv --ignore remark --rename exact=elu_gate": "'elu' has no gate",
    "f.csv --column t": "f.csv has no column 't'",
    "1=1 --max-ulp 1": "--max-ulp is for results; add --dtype FORMAT",
    "1=1 --all": "--all is for results; add --dtype FORMAT",
    "1=1 --quantity slope": "unknown quantity 'slope'",
    "1=1 --view worst": "unknown view 'worst'",
    "1=1 --dtype float32 --wrong": "--wrong is for printed numbers",
    "1=1 --dtype float32 --all": "--all and --inputs read results from a file; name one",
    "1=1 --dtype float32 --packed halves": "--packed",
    "1=1 --dtype float32 --glu --packed halves": "--packed is for --inputs",
    "f.bin --dtype float32 --all": "--all is for one input of 16 or 8 bits",
    "f.bin --dtype float16 --all": "f.bin holds 2 results for 65536 inputs; write one result",
    "f.bin --dtype float16 --inputs f.csv": "f.csv is a table",
    "f.csv --dtype float16 --inputs f.bin": "f.csv is a table",
    "f.bin --dtype float32 --inputs f.bin --column x": "--column is for tables",
    "u.csv": "column 'up' of u.csv is for results; add --dtype FORMAT",
    "u.csv --dtype float32": "column 'up' of u.csv holds up, which is none of x, value",
    "none.csv": "'none.csv' is not X=Y, and there is no such file; write",
    "f.csv 1=2": "'f.csv' is not X=Y; write",
    "e.json": "e.json has no column x",
    "--input none.csv": "cannot read 'none.csv': No such file",
}


def test_what_is_refused_names_the_remedy(folder):
    (folder / "f.csv").write_text("x,exact,remark\n1,0.84,a\n")
    (folder / "u.csv").write_text("x,up,exact\n1,2,1.68\n")
    (folder / "f.bin").write_bytes(bytes(4))
    (folder / "e.json").write_text("[{}]")
    for words, message in REFUSED.items():
        run = gelu("check", *words.split())
        assert (run.code, run.out) == (2, ""), (words, run)
        assert message in " ".join(run.err.split()), (words, run.err)
