"""What people see: narrow and wide, with colours and without, and never a number cut."""

import io
import re
import sys
from unittest import mock

import pytest

from gelu_cli.cli.output import output as _output
from gelu_cli.report import Column, Ending, Page, Report
from gelu_cli.report.formats import find_renderer, format_names
from tests.cli.runner import gelu, run_gelu
from tests.cli.test_help import examples

WIDTHS = [40, 80, 200]
LINES = {
    "table": "table -3 -1 0 0.5 1 3 1e-300 -38.5",
    "table of curvatures": "table -2:2:0.5 --form igelu --form sigmoid:beta=1.6 --show curvature",
    "table in a format": "table -3 1e-7 65504 --dtype float16 --bits --form exact",
    "table of gates": "table -3 nan inf --show gate --form tanh",
    "forms": "forms",
    "error": "error --form tanh --form sigmoid_taylor --view summary",
    "error by region": "error --form igelu --view regions",
    "error at points": "error -3 1/3 -12 --form tanh --quantity gradient --view points",
    "locate": "locate --form exact --form silu --form softplus",
    "variance": "variance",
    "variance, sampled": "variance --form elu --samples 1000 --momentum 0.9",
    "sweep": "sweep --dtype float8_e5m2 --view summary",
    "sweep by region": "sweep --routine exp_ratio --dtype float8_e4m3fn --view regions",
    "histogram": "sweep --routine erf_sum --dtype float8_e5m2 --view histogram",
    "worst": "sweep --routine erf_sum --dtype float16 --range -9:-3 --view worst",
    "sample": "sweep --routine tanh_sum --samples 1000 --view summary",
    "check": "check tests/data/published/000_gradients.csv --digits 6",
    "check results": "check kernel.csv --dtype bfloat16 --view worst",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, request):
    (tmp_path / "tests").symlink_to(request.config.rootpath / "tests")
    (tmp_path / "kernel.csv").write_text("x,exact,tanh\n-3,-0.004,-0.0037\n1,0.84,0.85\n")
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


def on_terminal(line, monkeypatch, width, **environment):
    """What a terminal of some width shows."""
    monkeypatch.setattr(_output, "_on_terminal", lambda stream=None: True)
    for name, value in {"COLUMNS": str(width), "TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    return run_gelu(*line.split())


def plain(text):
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def cells(line):
    """Every cell of the answer, whole, as Markdown has it."""
    rows = run_gelu(*line.split(), "-f", "markdown").out.splitlines()
    return {cell.strip() for row in rows[2:] for cell in row.strip("|").split(" | ")} - {""}


NUMBER = re.compile(r"-?(\d+(\.\d+)?(e[+-]?\d+)?|inf|0x[\da-f]+)|NaN")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_every_number_is_there_whole_and_no_line_is_too_wide(line, width, monkeypatch):
    numbers = {cell for cell in cells(line) if NUMBER.fullmatch(cell)}
    answer = on_terminal(line, monkeypatch, width)
    text = plain(answer.out)
    assert max(map(len, text.splitlines())) <= width
    assert numbers <= set(text.split())


@pytest.mark.parametrize("width", WIDTHS)
def test_every_word_of_a_definition_is_there(width, monkeypatch):
    words = {word for cell in cells("forms") for word in cell.split() if len(word) < 9}
    assert words <= set(plain(on_terminal("forms", monkeypatch, width).out).split())


def test_wide_terminals_have_one_table(monkeypatch):
    text = plain(on_terminal("variance", monkeypatch, 200).out)
    assert text.count("\nform ") == 1
    assert plain(on_terminal("variance", monkeypatch, 40).out).count("\nform ") > 1


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
@pytest.mark.parametrize("refusal", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colours_are_refused(line, refusal, monkeypatch):
    coloured = on_terminal(line, monkeypatch, 80).out
    assert "\x1b[" in coloured
    answer = on_terminal(line, monkeypatch, 80, **refusal)
    assert "\x1b" not in answer.out + answer.err
    assert answer.out == plain(coloured)


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "jsonl", "markdown", "latex"])
def test_in_a_pipe_there_are_no_colours_and_nothing_but_data(line, form):
    answer = run_gelu(*line.split(), "-f", form)
    assert "\x1b" not in answer.out + answer.err
    assert all(each.startswith("gelu: note: ") for each in answer.err.splitlines())


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_terminal_of_ascii_gets_ascii(line, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), "ascii", newline="")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(_output, "_on_terminal", lambda stream=None: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    with mock.patch("tests.cli.runner.TextIOWrapper", ascii_wrapper):
        answer = run_gelu(*line.split())
    assert answer.out.isascii()
    assert "\\u" not in answer.out
    assert "?" not in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80


def ascii_wrapper(buffer, encoding="ascii", **settings):
    return io.TextIOWrapper(buffer, "ascii", **settings)


EXAMPLES = [
    words for command in ("table", "error", "variance") for _, *words in examples(command)
    if "-o" not in words
]  # fmt: skip
MAGNITUDE = re.compile(r"\d+\.\d+(?:e[+-]\d+)?")


@pytest.mark.parametrize("form", format_names())
@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_in_a_pipe_of_ascii_every_number_is_what_it_is(words, form):
    with mock.patch("tests.cli.runner.TextIOWrapper", ascii_wrapper):
        answer = run_gelu(*words, "-f", form, "-q")
    assert answer.out.isascii()
    assert MAGNITUDE.findall(answer.out) == MAGNITUDE.findall(gelu(*words, "-f", form, "-q").out)


@pytest.mark.parametrize("form", format_names())
def test_a_pipe_has_no_width(form, monkeypatch):
    whole = run_gelu("error", "--form", "tanh", "-f", form).out
    monkeypatch.setenv("COLUMNS", "20")
    assert run_gelu("error", "--form", "tanh", "-f", form).out == whole


def test_titles_and_facts_stand_one_column_in_on_each_of_their_lines():
    report = Report("A title of words " * 4, [Column("x", "x")], [Ending({"fact": "word " * 30})])
    text = "".join(find_renderer("table").render(report, Page(width=40)))
    prose = [line for line in text.splitlines() if line and line != "x" and set(line) != {"─"}]
    assert len(prose) > 4
    assert all(line[0] == " " for line in prose)
