"""`gelu table --glu` and `gelu check --glu`: golden vectors and dumps of pairs."""

import itertools
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import gelu_cli
from gelu_cli.old.arithmetic.format_arrays import every_number
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.sweeping.gating import Gating
from tests.old.cli.runner import assert_all_refused, gelu, refusal, run_gelu
from tests.old.sweeping.test_pairs import careless, slow, slow_truth
from tests.truth.mpmath import decimal_of, nearest, truth

PAIRS = [("0.3", "2"), ("-1", "1/3"), ("2.7", "-0.1"), ("-3.1", "-7"), ("0.001", "1e-3")]
OF_FORM = {"": "value", "_gate_gradient": "gradient", "_up_gradient": "value"}
COUNTS = ("inputs", "misrounded", "over_half_ulp", "over_1_ulp", "wrong_nan", "wrong_inf",
          "wrong_zero", "wrong_sign", "saturated")  # fmt: skip


def words_of(pairs):
    return [",".join(map(str, pair)) for pair in pairs]


def due(form, ending, x, up):
    """Return what a column of a table should have, a fraction."""
    return truth(form, OF_FORM[ending], x) * (1 if ending == "_up_gradient" else up)


# Tables


@pytest.mark.parametrize("form", ["exact", "silu"])
def test_every_digit_is_that_of_the_product_of_what_was_typed(form):
    rows = gelu("table", "--glu", *words_of(PAIRS), "--form", form, "--digits", "50").rows
    for (x, up), row in zip(PAIRS, rows, strict=True):
        for ending in OF_FORM:
            right = decimal_of(due(form, ending, Fraction(x), Fraction(up)), 50)
            assert Fraction(row[form + ending]) == Fraction(right)


@pytest.mark.parametrize("count", [5, 600])
@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_results_are_rounded_once(dtype, count):
    generator = np.random.default_rng(4)
    typed = generator.normal(size=(count, 2)) * [2, 30]
    table = "x,up\n" + "\n".join(f"{x!r},{up!r}" for x, up in typed.tolist())
    rows = gelu(
        "table", "-", "--glu", "--dtype", dtype, "--form", "tanh", stdin=table.encode()
    ).rows
    for row in rows[:: count // 5]:
        x, up = Fraction(float(row["x"])), Fraction(float(row["up"]))
        for ending in OF_FORM:
            assert float(row["tanh" + ending]) == nearest(due("tanh", ending, x, up), dtype)
    rounded = [nearest(Fraction(number), dtype) for number in typed.ravel().tolist()]
    assert [float(row[name]) for row in rows for name in ("x", "up")] == rounded


@pytest.mark.parametrize("gating", [
    Gating(gate_limit=2.0, up_limit=3.0, up_offset=1.0),
    Gating(intermediate=FORMATS["float16"]),
    Gating(up_offset=-0.5, intermediate=FORMATS["bfloat16"]),
])  # fmt: skip
def test_clamps_offsets_and_roundings_in_between(gating):
    options = [f"--{name.replace('_', '-')}={value}" for name, value in gating.asked.items()]
    pairs = [(0.3, 2), (2.5, -4), (-1.5, 3.5), (2.0, -2.75)]
    rows = gelu("table", "--glu", *words_of(pairs), "--form", "silu", *options).rows
    for (x, up), row in zip(pairs, rows, strict=True):
        for quantity in ("value", "gate_gradient", "up_gradient"):
            name = "silu" if quantity == "value" else f"silu_{quantity}"
            right = slow_truth("silu", quantity, gating, float(x), float(up))
            assert float(row[name]) == float(right)


@pytest.mark.parametrize("count", [1, 20])
def test_zeros_and_infinities_are_those_of_ieee_products(count):
    """A table of many pairs is computed in another way than one of few."""
    special = [np.inf, -np.inf, np.nan, 2.5, -3.0, 0.0]
    pairs = [*itertools.product(special, [*special, -0.0])] * count
    table = "x,up\n" + "\n".join(map("{0[0]},{0[1]}".format, pairs))
    words = ["-", "--glu", "--form", "relu", "--quantity", "value", "--dtype", "float16"]
    got = np.array(gelu("table", *words, stdin=table.encode()).floats("relu"))
    x, up = np.array(pairs).T
    with np.errstate(invalid="ignore"):
        want = np.where(x > 0, x, np.where(np.isnan(x), x, 0.0)) * up
    np.testing.assert_array_equal(got, want)
    there = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got)[there], np.signbit(want)[there])


def test_bits_stand_behind_both_inputs_and_columns_that_are_kept_in_front():
    table = "name,x,up\nfirst,1,-2\n"
    words = ["--glu", "--dtype", "bfloat16", "--bits", "--form", "relu", "--keep", "name"]
    (row,) = gelu("table", "-", *words, stdin=table.encode()).rows
    assert [*row.items()] == [
        ("name", "first"), ("x", "1.0"), ("x_bits", "0x3f80"), ("up", "-2.0"),
        ("up_bits", "0xc000"), ("relu", "-2.0"), ("relu_bits", "0xc000"),
        ("relu_gate_gradient", "-2.0"), ("relu_gate_gradient_bits", "0xc000"),
        ("relu_up_gradient", "1.0"), ("relu_up_gradient_bits", "0x3f80"),
    ]  # fmt: skip


def test_cells_that_are_no_pair_are_named_or_left_out():
    table = b"x,up\n1,2\n1,oops\n,3\n4,5\n"
    refusal(run_gelu("table", "-", "--glu", stdin=table), "line 3 of stdin, column 'up'", "'oops'")
    answer = run_gelu("table", "-", "--glu", "--skip-unreadable", stdin=table)
    assert [row["up"] for row in answer.rows] == ["2.0", "5.0"]
    assert "2 cells cannot be read" in answer.err


def test_all_takes_every_gate_with_each_up_in_the_order_of_their_bits():
    words = ["--all", "--glu", "--form", "relu", "--quantity", "value"]
    rows = gelu("table", *words, "--dtype", "float8_e4m3fn").rows
    numbers = every_number(FORMATS["float8_e4m3fn"]).tolist()
    pairs = [*itertools.product(numbers, numbers)]
    assert [(float(row["x"]), float(row["up"])) for row in rows] == pairs
    for row in rows[::97]:
        product = max(Fraction(row["x"]), Fraction(0)) * Fraction(row["up"])
        if abs(product) <= 464:  # half a unit beyond the largest, to the even number
            assert float(row["relu"]) == nearest(product, "float8_e4m3fn")
        else:
            assert row["relu"] == "NaN"


def test_all_takes_the_ups_that_are_named():
    words = ["--all", "--glu", "--form", "relu", "--quantity", "value", "--dtype", "float16"]
    rows = gelu("table", *words, "--up", "3,-0.5").rows
    assert [float(row["up"]) for row in rows[:4]] == [3, -0.5, 3, -0.5]
    assert len(rows) == 2 * 63488


TABLES = [
    ("1", "'1' is no pair: write GATE,UP"),
    ("1,a", "pair 1, column 'up': 'a'"),
    ("1,2 --quantity gradient", "a GLU has value, gate_gradient, up_gradient"),
    ("1,2 --up 3", "--up is for --all"),
    ("1,pi --digits 20", "is no fraction"),
    ("1,2 --packed halves", "--packed"),
    ("--all", "--all takes every number of a 16- or 8-bit --dtype"),
    ("--all --dtype float8_e5m2 --up all,1", "--up all has every number"),
]


def test_what_cannot_be_meant_is_refused():
    assert_all_refused("table", "--glu", cases=[(line.split(), said) for line, said in TABLES])
    assert_all_refused("table", "1", cases=[
        (["--quantity", "up_gradient"], "add --glu"), (["--up-limit", "3"], "add --glu"),
    ])  # fmt: skip


# Results in a format


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_the_table_of_every_pair_is_right(dtype, folder):
    gelu("table", "--glu", "--all", "--dtype", dtype, "--form", "exact", "-o", "golden.csv")
    rows = gelu("check", "golden.csv", "--glu", "--dtype", dtype, "--max-ulp", "0.5", "-q").rows
    finite = 2 * FORMATS[dtype].top
    assert [row["routine"] for row in rows] == [f"exact{ending}" for ending in OF_FORM]
    assert {(row["inputs"], row["exhaustive"]) for row in rows} == {(str(finite**2), "yes")}
    assert {row[name] for row in rows for name in COUNTS[1:]} == {"0"}


def dump(dtype):
    """Write results at pairs in all the ways that there are; return the words that name each."""
    ups = [0.5, 3.0, -0.5, -0.0]
    x = every_number(FORMATS[dtype])
    kind = getattr(ml_dtypes, dtype)
    gates, seconds = np.repeat(x, len(ups)).astype(kind), np.tile(ups, len(x)).astype(kind)
    order = np.random.default_rng(7).permutation(len(gates))
    gates, seconds = gates[order], seconds[order]
    got, both = careless(gates, seconds), np.stack([gates, seconds])
    rows = np.stack([*both, got], 1).astype(float).tolist()
    lines = ["x,up,exact", *(",".join(map(repr, row)) for row in rows)]
    Path("f.csv").write_text("\n".join(lines))
    got.tofile("got.bin")
    both.T.copy().tofile("pairs.bin")
    both.tofile("halves.bin")
    np.save("pairs.npy", both.T.astype(np.float32))
    np.save("halves.npy", both.view(np.uint8))
    np.save("all.npy", np.stack([*both, got], 1).astype(np.float32))
    named = np.zeros(len(got), [("x", "f4"), ("up_bits", "u1"), ("exact", "f4")])
    named["x"], named["up_bits"], named["exact"] = gates, seconds.view(np.uint8), got
    np.save("named.npy", named)
    beside = ["pairs.bin", "pairs.bin --packed interleaved", "halves.bin --packed halves",
              "pairs.npy", "halves.npy"]  # fmt: skip
    files = ["f.csv", *(f"got.bin --inputs {each}" for each in beside), "all.npy", "named.npy"]
    return files, slow(dtype, "exact", "value", Gating(), ups, careless)[0]


def test_dumps_of_every_kind_have_the_counts_of_the_slow_way(folder):
    files, counts = dump("float8_e5m2")
    for line in files:
        (row,) = run_gelu("check", *line.split(), "--glu", "--dtype", "float8_e5m2", "-q").rows
        found = {name: int(row[name]) for name in COUNTS}
        assert (line, found) == (line, {name: counts[name] for name in COUNTS})


def test_a_dump_of_every_pair_of_bit_patterns(folder):
    e5m2, patterns = ml_dtypes.float8_e5m2, np.arange(256, dtype=np.uint8)
    x, up = (each.astype(np.float32) for each in np.meshgrid(*2 * [patterns.view(e5m2)]))
    with np.errstate(all="ignore"):
        y = np.where(np.isnan(x), x, np.maximum(x, 0)) * up
    got = y.T.ravel().astype(e5m2)
    words = ["--all", "--glu", "--dtype", "float8_e5m2", "--form", "relu", "-q", "--view"]
    got.tofile("got.bin")
    (row,) = gelu("check", "got.bin", *words, "summary").rows
    assert [row[name] for name in COUNTS] == ["65536", *"0" * 8]
    got.view(np.uint8)[0x44 * 256 + 0xC5] ^= 1  # 4·−5
    got.view(np.uint8)[0x7C * 256] ^= 0x80  # ∞·0
    got[0x7C * 256] = 0
    got.tofile("got.bin")
    rows = run_gelu("check", "got.bin", *words, "worst").rows[:2]
    assert [(row["x_bits"], row["up_bits"]) for row in rows] == [("0x7c", "0x00"), ("0x44", "0xc5")]


def test_a_kernel_that_rounds_before_the_product_is_told(folder):
    x, up = np.random.default_rng(1).normal(size=(2, 500)).astype(np.float16)
    np.save("all.npy", np.stack([x, up, np.tanh(x) * up], 1))
    words = ["all.npy", "--glu", "--dtype", "float16", "--form", "tanh_fn"]
    answer = run_gelu("check", *words)
    assert "F(gate) is rounded to float16 before the product" in answer.err
    assert int(answer.rows[0]["misrounded"]) > 50
    (row,) = run_gelu("check", *words, "--intermediate", "float16").rows
    assert int(row["misrounded"]) < 5


CHECKS = [
    ("figures.csv", "no column 'up'"),
    ("figures.csv --dtype float16", "no column 'up'"),
    ("pairs.csv --packed halves", "--packed is for"),
    ("pairs.csv --dtype float16 --packed halves", "--packed is for --inputs"),
    ("pairs.csv --dtype float16 --form auto", "--form auto is for kernels of one input"),
    ("odd.bin --dtype float16 --all", "--all of pairs is for 8-bit formats"),
    ("odd.bin --dtype float8_e5m2 --all", "for 65536 pairs"),
    ("odd.bin --dtype float16 --inputs odd.bin", "no pairs"),
    (
        "odd.bin --dtype float16 --inputs odd.bin --quantity gradient",
        "with --glu there are two gradients",
    ),
    ("two.npy --dtype float16", "no array of three columns, x, up and results"),
    ("infinite.csv", "'inf' is not finite; pairs with ±∞ and NaN are judged with --dtype"),
]


def test_files_that_are_no_pairs_are_refused(folder):
    for name, text in (("figures", "x,exact\n1,2\n"), ("pairs", "x,up,exact\n1,2,3\n"),
                       ("infinite", "x,up,exact\ninf,2,3\n")):  # fmt: skip
        (folder / f"{name}.csv").write_text(text)
    (folder / "odd.bin").write_bytes(b"123456")
    np.save("two.npy", np.zeros((3, 2), np.float16))
    assert_all_refused("check", "--glu", cases=[(line.split(), said) for line, said in CHECKS])


# Figures in print


def test_figures_are_judged_to_their_last_decimal():
    table = "x,up,exact,silu_up_gradient,exact_gate_gradient\n"
    rows = []
    for pair in PAIRS:
        x, up = (str(float(Fraction(word))) for word in pair)
        figures = [f"{float(due(form, ending, Fraction(x), Fraction(up))):.4f}"
                   for form, ending in (("exact", ""), ("silu", "_up_gradient"),
                                        ("exact", "_gate_gradient"))]  # fmt: skip
        rows.append([x, up, *figures])
    lines = [",".join(row) for row in rows]
    answer = run_gelu("check", "-", "--glu", stdin=(table + "\n".join(lines)).encode())
    assert (answer.code, {row["verdict"] for row in answer.rows}) == (0, {"right"})
    rows[2][3] = f"{float(rows[2][3]) + 0.0001:.4f}"
    lines = [",".join(row) for row in rows]
    words = ["check", "-", "--glu", "--wrong"]
    answer = run_gelu(*words, stdin=(table + "\n".join(lines)).encode())
    (row,) = answer.rows
    assert answer.code == 1
    assert (row["line"], row["x"], row["up"], row["column"]) == (
        "4", "2.7", "-0.1", "silu_up_gradient"
    )  # fmt: skip


@pytest.mark.parametrize("digits", [[], ["--digits", "30"]], ids=["", "30"])
def test_what_the_table_prints_is_right(digits):
    table = gelu("table", "--glu", *words_of(PAIRS), "0.1,0.3", "--gate-limit=2", *digits).out
    answer = run_gelu("check", "-", "--glu", "--gate-limit=2", stdin=table.encode())
    assert {row["verdict"] for row in answer.rows} == {"right"}
    assert run_gelu("check", "-", "--glu", stdin=table.encode()).code == 1  # 2.7 is clamped


def test_a_column_up_is_left_alone_unless_pairs_are_meant():
    answer = run_gelu("check", "-", stdin=b"x,up,relu\n1,2,1\n")
    assert (answer.code, len(answer.rows)) == (0, 1)
    assert "column 'up' of stdin is left alone" in answer.err
    assert "--glu" in answer.err


def test_figures_at_pairs_on_the_command_line_are_judged():
    rows = run_gelu("check", "1,2=1.6827", "-1,0.5=-0.0794", "--glu").rows
    assert [(row["x"], row["up"], row["verdict"]) for row in rows] == [
        ("1", "2", "right"), ("-1", "0.5", "wrong"),
    ]  # fmt: skip
    (row,) = run_gelu("check", "1,2=1.6796875", "--glu", "--dtype", "bfloat16").rows
    assert (row["inputs"], row["misrounded"]) == ("1", "0")
    clamped = ["--glu", "--gate-limit", "0.1", "--column", "relu"]
    assert run_gelu("check", "1,2=0.2", *clamped).rows[0]["verdict"] == "right"


@pytest.mark.parametrize("command", ["check", "identify"])
def test_a_pair_is_no_number_with_a_decimal_comma(command):
    answer = run_gelu(command, "1,2=1.683")
    assert answer.code == 2
    assert "'1,2=1.683' has a comma and a point: write 1.2=1.683, or add --glu" in answer.err
    assert run_gelu("check", "1,5=1,39979").rows[0]["x"] == "1.5"


def test_columns_of_pairs_alone_ask_for_the_option():
    answer = run_gelu("check", "-", stdin=b"x,up,y\n1,2,1.6827\n")
    assert answer.code == 2
    assert "add --glu to judge pairs" in answer.err


# In Python


def test_functions_take_pairs():
    rows = gelu_cli.table([(2.0, 3.0), (-1, "1/4")], "relu", glu={"up_offset": 1}).rows()
    assert [row["relu"] for row in rows] == [8.0, 0.0]
    assert [row["relu_gate_gradient"] for row in rows] == [4.0, 0.0]
    with pytest.raises(TypeError, match="pairs"):
        gelu_cli.table([1.0], "relu", glu=True)
    figures = {"x": [2.0, -1.0], "up": [3.0, 0.25], "relu": [6.0, 0.5]}
    assert gelu_cli.check(figures, glu=True)["verdict"] == ["right", "wrong"]
    verdict = gelu_cli.check(figures, glu=True, dtype="float16")
    assert (verdict.worst[0].x, verdict.worst[0].up, verdict.total.misrounded) == (-1, 0.25, 1)
