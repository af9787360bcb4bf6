"""What a terminal of 80 columns shows first: the words, some figures, the worst inputs, no more."""

import json
from html import unescape

import pytest

from tests.old.cli.runner import Terminal, gelu, run_gelu
from tests.old.cli.terminals import plain

KERNELS = """
import numpy as np

def relu(x):
    return np.maximum(x, x.dtype.type(0))

def half_of_the_inputs_are_doubled_and_the_name_is_long(x):
    return relu(x) * np.where(x > 1, 2, 1).astype(x.dtype)

def holes(x):
    return np.where(np.abs(x) > 3, x.dtype.type(np.nan), relu(x))
"""
LONG = "kernels.py:half_of_the_inputs_are_doubled_and_the_name_is_long"
LINES = [
    "sweep erf_sum --dtype float16",
    "sweep erfc --samples 3000",
    "sweep erfc --dtype bfloat16 --max-ulp 4 --infinities",
    "sweep erf_sum erfc logistic --dtype float16",
    f"sweep {LONG} --dtype float16",
    f"sweep {LONG} kernels.py:holes --dtype bfloat16",
    f"compare {LONG} kernels.py:holes --dtype float16",
    "compare erf_sum erfc --dtype bfloat16",
    "compare erf_sum erfc --samples 3000",
    "check results.csv --dtype float16",
    "error --form tanh,sigmoid",
    "error -3 -1 0.5 --form tanh",
    "fit tanh --free c",
    "identify 2=1.9546",
]


@pytest.fixture(autouse=True)
def work(tmp_path, monkeypatch):
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "results.csv").write_text("x,exact\n-3,-0.004\n1,0.84\n2,1.95\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")


def shown(line, **settings):
    return plain(run_gelu(*line.split(), "-q", stdout=Terminal, **settings).out)


@pytest.mark.parametrize("line", LINES)
def test_an_answer_is_one_screen(line):
    lines = shown(line).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("line", [line for line in LINES if "kernels.py" in line])
def test_the_name_of_a_kernel_is_written_once_and_whole(line):
    screen = shown(line)
    first = screen.partition("worst inputs")[0]
    for name in {word for word in line.split() if word.startswith("kernels.py")}:
        assert sum(each.endswith(name) for each in first.splitlines()) == 1


def test_words_come_first_and_say_where_more_is():
    lines = shown("sweep erf_sum --dtype float16").splitlines()
    assert lines[0] == " erf_sum"
    assert lines[1].startswith(" Every result is within 1 ULP for −0.")
    assert lines[-1] == " more: --view regions, histogram, worst, profile; all of it: --view all"


def test_a_pipe_and_a_file_have_no_words():
    words = "sweep", "erf_sum", "--dtype", "float16"
    assert gelu(*words).out.startswith("routine,dtype,")
    assert "Every result" not in gelu(*words, "-f", "table").out
    gelu(*words, "-o", "a.csv")
    with open("a.csv", encoding="utf-8") as file:
        assert file.read() == gelu(*words).out


def test_a_record_has_the_words_and_shows_them_again():
    line = "sweep erf_sum --dtype float16"
    gelu(*line.split(), "-o", "a.json")
    with open("a.json", encoding="utf-8") as file:
        verdict = json.load(file)["verdict"]
    assert [each["about"] for each in verdict] == ["within", "outside", "matters"]
    assert {each["kernel"] for each in verdict} == {"erf_sum"}
    assert (verdict[0]["bound"], verdict[1]["max_ulp_x"]) == (1.0, -3.83203125)
    assert shown("check a.json") == shown(line)
    page = unescape(gelu("check", "a.json", "-f", "html").out)
    assert all(each["text"].split(",")[0] in page for each in verdict)


def test_junit_and_github_have_the_words():
    words = "sweep", "erf_sum", "--dtype", "float16"
    said = 'name="verdict" value="Every result is within 1 ULP for &#8722;0.'
    assert said in gelu(*words, "-f", "junit").out
    annotations = gelu(*words, "-f", "github").out
    assert "::notice title=erf_sum::Every result is within 1 ULP" in annotations


def test_more_kernels_than_three_have_a_row_each_and_no_words():
    lines = shown("sweep erf_sum erfc logistic tanh_sum --dtype float16").splitlines()
    assert [each.split()[0] for each in lines[4:8]] == ["erf_sum", "erfc", "logistic", "tanh_sum"]


def test_a_number_of_worst_inputs_is_shown_where_it_is_asked_for():
    few, many = (shown(f"sweep erfc --dtype float16{more}") for more in ("", " --worst 7"))
    assert len(many.splitlines()) == len(few.splitlines()) + 4


def test_several_tables_are_refused_where_there_is_one():
    done = run_gelu("sweep", "erfc", "--dtype", "float16", "--view", "all", "-f", "csv")
    assert done.code == 2
    assert "--view all is several tables, and csv has one" in done.err


def test_errors_blocks_fits_and_figures_have_words_too():
    said = {
        "error --form tanh": "tanh is farthest from exact at x = 2.699, by 0.000473;",
        "block --form tanh,silu": "tanh: r = 0.000197 is 0.119 times the rounding noise of bfloat",
        "fit tanh --free c": "sup error 0.0003874 over -inf:inf; the published",
        "identify 2=1.9546": "tanh, c in [0.044630, 0.044808] explains the figure, as 4 more do.",
        "identify 2=1.9546 1=0.1": "Nothing explains all 2 figures; ",
    }
    for line, text in said.items():
        assert text in " ".join(shown(line).split())[:400], line
