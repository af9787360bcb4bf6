"""`gelu identify`: pairs, tables, results in files and kernels."""

import struct

import pytest

from tests.old.cli.runner import Terminal, assert_all_refused, gelu, run_gelu

COLUMNS = ["form", "parameter", "routine", "compute", "agree", "of", "max_off", "verdict"]


def best(answer, column="form"):
    return answer.rows[0][column]


@pytest.mark.parametrize(("figure", "form", "twin"), [
    ("2=1.9546", "tanh", "exact 1.9545"), ("2=1.9545", "exact", "tanh 1.9546"),
])  # fmt: skip
def test_one_figure_tells_exact_from_tanh(figure, form, twin):
    answer = run_gelu("identify", figure)
    assert (answer.code, answer.columns) == (0, COLUMNS)
    assert "0" not in {row["agree"] for row in answer.rows}
    assert (best(answer), best(answer, "verdict")) == (form, "explains all")
    assert f"x = 2 tells {form} from" in answer.err
    assert f"{form} gives {figure[2:]}, {twin}" in answer.err


def test_the_figure_that_tells_most_is_named():
    """By mpmath tanh and exact are 153 units of the sixth decimal apart at 1, and 440 at 2.5."""
    answer = run_gelu("identify", "1=0.841192", "2.5=2.484916")
    assert "x = 2.5 tells tanh from exact" in answer.err


def test_figures_that_do_not_decide_are_said_to_with_an_x_that_does():
    answer = run_gelu("identify", "1=0.84")
    assert {"exact", "tanh"} <= {row["form"] for row in answer.rows}
    assert "these figures do not tell exact from tanh; x = " in answer.err


def test_negative_and_fractional_points_are_pairs_anywhere_on_the_line():
    answer = run_gelu("identify", "-1=-0.159", "1/2=0.34573", "--rows", "1", "0x1p1=1.95", "-inf=0")
    assert (best(answer), best(answer, "agree")) == ("exact", "4")


def test_cut_digits_are_known():
    answer = run_gelu("identify", "1=0.8411", "2=1.9545", "3=2.9963")
    assert (best(answer), best(answer, "routine")) == ("tanh", "truncated")
    cut, rounded = (
        run_gelu("identify", *figures, "-f", "table").out
        for figures in (["1=0.8411", "2=1.9545", "3=2.9963"], ["2=1.9546"])
    )
    assert "are cut after the last decimal" in cut
    assert "are cut" not in rounded


def test_what_a_converter_and_a_test_suite_printed():
    assert best(run_gelu("identify", "1=0.5401", "2=1.3582")) == "swapped_constants"
    dropped = run_gelu("identify", "0=0.5", "1=0.841192", "3=0.9987875", "9=1")
    assert best(dropped) == "tanh_gate"


def test_expected_values_in_float32_are_traced_to_their_erf():
    answer = run_gelu("identify", "-2.12131504=-0.03595117852091789", "--dtype", "float32")
    assert (best(answer), best(answer, "max_off")) == ("erf_as", "0.0")


def test_each_column_of_a_table_is_identified_whatever_its_name(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x,theirs,grad\n1,0.84134,1.08296\n2,1.95450,1.08610\n-1,-0.15866,-0.08296\n")
    answer = run_gelu("identify", table)
    assert answer.columns == ["column", *COLUMNS]
    firsts = {row["column"]: row["form"] for row in reversed(answer.rows)}
    assert firsts == {"theirs": "exact", "grad": "tanh"}
    said = "the gradients do not belong to the values: the values are those of exact, the "
    assert said + "gradients those of tanh" in answer.err
    alone = run_gelu("identify", table, "--column", "grad")
    assert (alone.columns, best(alone)) == (COLUMNS, "tanh")


def test_a_kernel_is_called_at_every_number_of_a_small_format(folder):
    (folder / "kernel.py").write_text(
        "import numpy as np\ndef silu(x):\n    z = x.astype(np.float64)\n"
        "    return (z / (1 + np.exp(-z))).astype(x.dtype)\n"
    )
    answer = run_gelu("identify", "kernel.py:silu", "--dtype", "float8_e5m2")
    assert best(answer) == "silu"
    assert int(best(answer, "of")) == 250


def test_few_digits_of_contradicting_figures_still_get_an_answer():
    answer = run_gelu("identify", "1=5.000", "2=7.000")
    assert answer.code == 0
    assert "nothing explains any of 2 figures: the rows are the nearest" in answer.err


def test_what_cannot_be_identified_is_refused_in_one_line(tmp_path):
    (tmp_path / "no_x.csv").write_text("a,b\n1,2\n")
    (tmp_path / "empty.csv").write_text("x,y\n")
    (tmp_path / "y.csv").write_text("x,y\n1,0.8413\n")
    (tmp_path / "raw.bin").write_bytes(struct.pack("<3f", 1, 2, 3))
    assert_all_refused("identify", cases=[
        ("", "no figures", "2=1.9546"),
        ("2", "'2' is neither a pair nor a file", "X=Y"),
        ("2=1.9546 3", "'3' is no pair"),
        ("2=abc", "pair 1: 'abc' is not a number"),
        ("x=1", "pair 1, column 'x': 'x' is not a number"),
        ("nan=1", "pair 1, column 'x': 'nan' is no x"),
        ("2=inf", "pair 1: 'inf'", "--dtype"),
        ("2=1.95 2=1.96", "two figures at x = 2 contradict each other, 1.95 and 1.96"),
        ("0=0", "0=0 is what exact, tanh and sigmoid all give", "x = 2"),
        ("0=0 100=100", "all 2 figures are what exact, tanh and sigmoid all give"),
        ("2=1.9546 --all", "--all", "--dtype"),
        ("2=1.9546 --column y", "--column"),
        ("2=1.9546 a.py:f", "X=Y is for figures; leave a.py:f out"),
        ([str(tmp_path / "no_x.csv")], "has no column 'x'"),
        ([str(tmp_path / "empty.csv")], "holds no figures"),
        ([str(tmp_path / "y.csv"), "--column", "z"], "no column 'z'", "it has: x, y"),
        ([str(tmp_path / "raw.bin"), "--dtype", "bfloat16", "--all"], "65536 inputs"),
    ])  # fmt: skip


def test_figures_far_out_and_long_ones_get_an_answer():
    far = run_gelu("identify", "1e30=1e30")
    assert (far.code, best(far, "verdict")) == (0, "explains all")
    long = run_gelu("identify", "2=1.95450000000000000000000000001")
    assert (long.code, best(long, "verdict"), "but c in" in long.err) == (0, "explains all", False)
    assert_all_refused(
        "identify", cases=[("2=1e400", "'1e400' is too long"), ("2=1e-400", "'1e-400' is too long")]
    )


def test_figures_may_be_cut_or_rounded_and_a_note_says_which():
    answer = run_gelu("identify", "1=0.8458", "2=1.9356")  # 0.845796 and 1.935659
    first = answer.rows[0]
    assert [first[name] for name in ("form", "routine", "verdict")] == [
        "sigmoid", "truncated", "explains all",
    ]  # fmt: skip
    assert "if figures are cut, not rounded: 2=1.9356 is 1.935658…" in answer.err
    both = run_gelu("identify", "-1=-0.1542", "2=1.9356")  # both are cut, or rounded
    assert both.rows[0]["form"] == "sigmoid"
    assert run_gelu("identify", "1=0.8459", "2=1.9356").rows[0]["routine"] != "truncated"


def test_a_terminal_shows_three_rows_of_those_that_do_not_explain_all():
    words = ["identify", "-1=-0.1586", "2=1.9544", "0=0"]
    rows = gelu(*words, "-q").rows
    assert [row["verdict"] for row in rows[:2]] == ["explains all"] * 2
    assert len(rows) == 10
    shown = run_gelu(*words, "-f", "markdown", stdout=Terminal)
    assert shown.out.count("\n| ") == 1 + 2 + 3
    assert "more: --rows" in shown.err
    every = run_gelu(*words, "-f", "markdown", "--rows", "10", stdout=Terminal)
    assert every.out.count("\n| ") == 1 + 10


GLUS = """
import numpy as np

def twice(x):  # as Liger has it: the gate in float16, halves of one array
    gate, up = np.split(x, 2)
    wide = gate.astype(np.float64)
    inner = np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)
    return (wide / 2 * (1 + np.tanh(inner))).astype(np.float16) * up

def gradient(gate, up):  # of silu, by the gate
    s = 1 / (1 + np.exp(-gate.astype(np.float64)))
    return (up * (s + gate * s * (1 - s))).astype(gate.dtype)
"""


def test_kernels_of_two_inputs_are_explained_with_the_command_that_judges_them(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.py").write_text(GLUS)
    words = ["identify", "--glu", "--dtype", "float16", "--rows", "1"]
    answer = run_gelu(*words, "k.py:twice", "--packed", "halves")
    assert answer.columns == COLUMNS
    assert [best(answer, name) for name in ("form", "routine", "compute", "verdict")] == [
        "tanh", "", "float16", "explains all",
    ]  # fmt: skip
    assert "gelu sweep … --glu --form tanh --intermediate float16 judges by that" in answer.err
    answer = run_gelu(*words, "k.py:gradient", "--quantity", "gradient")
    assert (best(answer), best(answer, "compute")) == ("silu", "")
    assert "--glu --form silu --quantity gate_gradient judges by that" in answer.err


def test_figures_of_two_inputs_are_pairs_or_columns(tmp_path):
    """(up + 1)·x·σ(1.702x) by mpmath, gates above 7 clamped: 12 is 7."""
    rows = [("1", "2", "2.537387"), ("-1", "0.5", "-0.231306"), ("12", "3", "27.999813"),
            ("0.5", "-9", "-2.102331"), ("3", "9", "23.855430")]  # fmt: skip
    (tmp_path / "f.csv").write_text("y,up,x\n" + "".join(f"{y},{u},{x}\n" for x, u, y in rows))
    pairs = [f"{x},{u}={y}" for x, u, y in rows]
    for words in (pairs, [str(tmp_path / "f.csv")]):
        answer = run_gelu("identify", "--glu", *words)
        assert (best(answer), best(answer, "verdict")) == ("sigmoid", "explains all")
        assert best(answer, "parameter").endswith("gate_limit=7, up_limit=7, up_offset=1")
    assert best(run_gelu("identify", "--glu", "2,1=1.682690", "0.5,-1=-0.079328", "3,2=5.8635"),
                "parameter") == "F(up)·gate"  # fmt: skip


def test_pairs_that_cannot_be_identified_are_refused_in_one_line(tmp_path):
    (tmp_path / "x.csv").write_text("x,y\n1,2\n")
    assert_all_refused("identify", "--glu", cases=[
        ("1=2", "'1=2' is no figure at a pair", "X,U=Y"),
        ("1,5,2=3", "'1,5,2=3' is no figure at a pair", "X,U=Y"),
        ("1,inf=2", "pair 1, column 'up': 'inf' is not finite"),
        ("1,2=1.68 1,2=1.67", "two figures at x = 1, up = 2 contradict each other, 1.68 and 1.67"),
        ("0,3=0", "0,3=0 is what exact, tanh and sigmoid all give", "x = 2, up = "),
        ("1,2=1.68 --packed halves", "--packed is for a kernel of two inputs"),
        ("1,2=1.68 2,3=5.86 --all --dtype float16", "--all"),
        ([str(tmp_path / "x.csv")], "has no column 'up'"),
        (["erfc"], "the kernel erfc is a routine of one input"),
    ])  # fmt: skip
