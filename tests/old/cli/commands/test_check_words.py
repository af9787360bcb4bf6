"""What `gelu check` judges: figures on the line, a bare pipe, some columns of a table."""

import subprocess

import mpmath

from tests.old.cli.processes import GELU, assert_one_line, shell
from tests.old.cli.runner import assert_refused, gelu, run_gelu


def test_figures_may_be_typed():
    answer = run_gelu("check", "-1=-0.158", "2=1.9545", "--column", "exact")
    assert answer.code == 1
    assert [(row["line"], row["x"], row["column"], row["verdict"]) for row in answer.rows] == [
        ("1", "-1", "exact", "wrong"),
        ("2", "2", "exact", "right"),
    ]
    assert run_gelu("check", "-1=-0.158", "2=1.9545").rows == answer.rows
    gradients = gelu("check", "1=1.0830", "--column", "tanh_gradient", "--quiet")
    assert gradients.rows[0]["verdict"] == "right"
    percent = gelu("check", "-1=≈ -15.9%", "--quiet")
    assert percent.rows[0]["published"] == "-0.159"


def test_typed_figures_may_be_results_in_a_format():
    words = ["--dtype", "bfloat16", "--max-ulp", "0.5", "--quiet"]
    assert gelu("check", "1=0.83984375", "-1=0xbe22", *words).rows[0]["inputs"] == "2"
    assert run_gelu("check", "1=0.84765625", *words).code == 1


def test_a_figure_may_be_longer_than_any_name_of_a_file():
    """300 digits of ½·erfc(−1/√2), by mpmath: the system refuses a file of such a name."""
    with mpmath.workdps(400):
        value = mpmath.ncdf(1)
        printed, wrong = (mpmath.nstr(each, 300, strip_zeros=False) for each in (value, value / 3))
    assert gelu("check", f"1={printed}", "--quiet").rows[0]["verdict"] == "right"
    assert run_gelu("check", f"1={wrong}", "--quiet").code == 1
    assert run_gelu("identify", f"1={printed[:90]}", f"2={'1' * 300}").code == 2


WRONG = [
    (["1=abc"], "pair 1, column 'exact': 'abc' is not a number"),
    (["1=1", "oops=1"], "pair 2, column 'x': 'oops'"),
    (["1=0.84", "b.csv"], "'b.csv' is no pair"),
    (["1=0.84", "--column", "exact,tanh"], "--column", "one column"),
    (["1=0.84", "--column", "exat"], "column 'exat'", "did you mean 'exact'?"),
    (["1=0.84", "--all", "--dtype", "bfloat16"], "FILE is for tables"),
]


def test_a_typed_figure_that_cannot_be_meant_is_named():
    for words, *said in WRONG:
        assert_refused(run_gelu("check", *words), *said)


TABLE = b"name,x,exact,tanh,tanh_gradiant\nfirst,1,0.8413,0.8412,1\nsecond,2,1.9545,1.9546,2\n"


def test_a_column_of_no_form_is_left_alone_and_said_to_be():
    answer = run_gelu("check", "-", stdin=TABLE)
    assert (answer.code, len(answer.rows)) == (0, 4)
    assert answer.err.splitlines()[0] == (
        "gelu: note: columns 'name', 'tanh_gradiant' of stdin are left alone: they are named after "
        "no form; did you mean 'tanh_gradient' for 'tanh_gradiant'?"
    )
    assert run_gelu("check", "-", "-q", stdin=TABLE).err == ""
    results = run_gelu("check", "-", "--dtype", "float16", stdin=TABLE)
    assert answer.err.splitlines()[0] == results.err.splitlines()[0]
    assert [row["routine"] for row in results.rows] == ["exact", "tanh"]


def test_columns_that_are_named_are_judged_alone_and_must_be_there():
    answer = run_gelu("check", "-", "--column", "tanh", stdin=TABLE)
    assert {row["column"] for row in answer.rows} == {"tanh"}
    assert answer.err == "gelu: note: 2 figures, none of them wrong\n"
    results = gelu("check", "-", "--column", "tanh", "--dtype", "float16", stdin=TABLE)
    assert [row["routine"] for row in results.rows] == ["tanh"]
    for words in ([], ["--dtype", "float16"]):
        refused = run_gelu("check", "-", "--column", "tanh_gradient", *words, stdin=TABLE)
        assert_refused(refused, "stdin has no column 'tanh_gradient'")


# A pipe without a word


def piped(text, *words):
    return subprocess.run([*GELU, *words], input=text, capture_output=True, check=False)


def test_a_bare_pipe_is_read_where_something_is_due():
    for text, words, said in (
        (b"0.5\n", ["table", "--form", "relu", "--quantity", "value"], b"x,relu\n0.5,0.5\n"),
        (
            b"a,b\n1,2\n",
            ["table", "--column", "b", "--form=relu", "--quantity=value"],
            b"2.0,2.0\n",
        ),
        (b"2\n", ["error", "--view", "points", "--form", "tanh"], b"tanh,value,2.0,"),
        (b"x,relu\n1,1\n", ["check"], b"2,1,relu,1,1,"),
        (b"x,y\n1,0.8413\n2,1.9545\n", ["identify"], b"exact"),
    ):
        done = piped(text, *words)
        assert (done.returncode, said in done.stdout) == (0, True), words


def test_a_pipe_is_not_read_where_nothing_is_due():
    """Of a loop it would take the lines, and of what never ends it would wait for the end."""
    loop = (
        "printf '1\\n2\\n' | while read x; do %s $x --form relu --quantity value --no-header; done"
    )
    done = subprocess.run(
        ["bash", "-c", loop % f"{GELU[0]} {' '.join(GELU[1:])} table"],
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.stdout == b"1.0,1.0\n2.0,2.0\n"
    with subprocess.Popen(["sleep", "60"], stdout=subprocess.PIPE) as endless:
        words = [*GELU, "error", "--form", "tanh", "--range", "0:1"]
        done = subprocess.run(
            words, stdin=endless.stdout, capture_output=True, timeout=50, check=True
        )
        endless.kill()
    assert b"max_abs_error" in done.stdout


def test_where_nothing_comes_the_message_says_what_to_give():
    for words, said in (("table", b"no points; give numbers"), ("check", b"no file; give FILE"),
                        ("identify", b"no figures; give pairs")):  # fmt: skip
        for stdin in ("</dev/null", "<&-"):
            assert_one_line(shell(stdin, words), 2, said)
        assert piped(b"", words).stderr.startswith(b"gelu: " + said)


def test_a_table_leaves_columns_alone_in_one_note():
    text = b"name,x,exact,remark\nfirst,1,0.8413,\n"
    answer = run_gelu("table", "-", "--form", "relu", "--quantity", "value", stdin=text)
    assert answer.err == "gelu: note: columns 'name', 'remark' of stdin are left alone\n"
    assert answer.out == "x,relu\n1.0,1.0\n"
    quiet = gelu("table", "-", "-q", "--form", "relu", "--quantity", "value", stdin=text)
    assert quiet.out == answer.out
