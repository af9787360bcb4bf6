"""What is said on stderr: one line, in which every sign is seen, and a remedy that is not cut."""

import pytest

from gelu_cli.old.writing.messages import LONGEST, complain, note
from tests.old.cli.runner import assert_refused, run_gelu

HOSTILE = "k\x1b[2J\n\r\t\x9b\u202e\u2028\u200b\udcff"
ESCAPED = r"k\x1b[2J\n\r\t\x9b\u202e\u2028\u200b\udcff"


def test_what_is_not_seen_is_said_as_an_escape(capsys):
    assert complain(f"'{HOSTILE}' is wrong", 2) == 2
    note(HOSTILE)
    assert capsys.readouterr().err == f"gelu: '{ESCAPED}' is wrong\ngelu: note: {ESCAPED}\n"


def test_what_githubs_runner_heeds_is_said_as_an_escape(capsys):
    note("##[error]k.py:f: ##[group]")
    complain("::error::k.py", 2)
    error = "gelu: note: ##\\x5berror]k.py:f: ##\\x5bgroup]\ngelu: \\x3a:error::k.py\n"
    assert capsys.readouterr().err == error


@pytest.mark.parametrize("word", ["a" * 10**6, "漢" * 10**6, "\x1b" * 10**5, "a b " * 10**5])
def test_a_word_without_end_leaves_room_for_the_file_and_the_remedy(capsys, word):
    complain(f"line 3 of a.csv: '{word}' is not a number; numbers look like 2, .5", 2)
    said = capsys.readouterr().err
    assert len(said) <= LONGEST + len("gelu: \n")
    assert said.startswith("gelu: line 3 of a.csv: '")
    assert said.endswith("' is not a number; numbers look like 2, .5\n")


def test_every_way_a_name_comes_in_is_a_way_it_is_seen(folder):
    (folder / "h.csv").write_text(f"x,{HOSTILE[:6]}\n1,2\n", newline="")
    name, seen = HOSTILE.replace("\n", "").replace("\r", ""), ESCAPED.replace(r"\n\r", "")
    for line in (
        ["table", HOSTILE], ["table", "--input", HOSTILE], ["table", "1", "--form", HOSTILE],
        ["table", "1", "--form", f"tanh:{HOSTILE}=1"], ["table", "1", "-f", HOSTILE],
        ["table", "1", "-o", f"{HOSTILE}/a.csv"], ["table", "1", "-o", f"a.{HOSTILE}"],
        ["locate", HOSTILE], ["check", HOSTILE],
        ["sweep", f"{HOSTILE}:f"], ["sweep", f"math:{HOSTILE}"],
        ["sweep", "math:erf", "--kwarg", HOSTILE], ["error", "--range", HOSTILE],
    ):  # fmt: skip
        assert_refused(run_gelu(*line), ESCAPED, code=3 if f"{HOSTILE}/a.csv" in line else 2)
    for line in (["table", f"--{HOSTILE}"], [HOSTILE]):  # click has a way of its own for some
        answer = run_gelu(*line)
        assert_refused(answer, r"k\x1b[2J", r"\u202e\u2028\u200b\udcff")
        assert answer.err[:-1].isprintable()
    assert_refused(run_gelu("check", "h.csv"), r"column 'k\x1b[2J'")
    (folder / name).write_bytes(b"oops")
    assert_refused(run_gelu("table", "--input", name), f"line 1 of {seen}: 'oops'")


KERNEL = "import numpy as np\ndef f(x, **kw): return np.full_like(x, np.nan)\n"


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "jsonl", "markdown", "latex"])
def test_a_kernel_of_any_name_has_one_line_in_answers_and_notes(folder, form):
    (folder / "k\x1b\u202e.py").write_text(KERNEL)
    words = [
        "k\x1b\u202e.py:f",
        "--kwarg",
        "a=\n\x9b|",
        "--dtype",
        "float8_e5m2",
        "--range=1:1",
    ]
    answer = run_gelu("sweep", *words, "--max-ulp", "1", "--view", "summary", "-f", form)
    assert answer.code == 1
    assert answer.out.replace("\n", "").replace("\t", "").isprintable()
    assert r"k\x1b\u202e.py:f(a='\n\x9b|')" in answer.err
    escapes = answer.out.replace(r"\textbackslash{}", "\\").replace("\\\\", "\\")
    assert r"k\x1b\u202e.py:" in escapes
