"""What people see: narrow and wide, with colours and without, and never a number cut."""

import os
import re
from functools import cache
from unittest import mock

import pytest

from gelu_cli.old.report import Column, Ending, Page, Report
from gelu_cli.old.report.formats import find_renderer
from tests.old.cli.runner import Terminal, run_gelu
from tests.old.cli.terminals import plain
from tests.old.report.documents import TEXT_FORMATS

WIDTHS = [40, 200]
LINES = {
    "table": "table -3 -1 0 0.5 1 3 1e-300 -38.5",
    "table of curvatures": "table -2:2:0.5 --form igelu,sigmoid:beta=1.6 --quantity curvature",
    "table in a format": "table -3 1e-7 65504 --dtype float16 --bits --form exact",
    "table of gates": "table -3 nan inf --quantity gate --form tanh",
    "forms": "forms",
    "a form": "forms igelu --view figures",
    "a form in words": "forms tanh --view about",
    "error": "error --form relu --target elu --view summary",
    "error by region": "error --form relu --target elu --range -1:1 --view regions",
    "error at points": "error -3 1/3 -12 --form tanh --quantity gradient --view points",
    "locate": "locate --form silu --form softplus",
    "variance": "variance --form relu --form exact",
    "variance, sampled": "variance --form relu --samples 1000 --momentum 0.9",
    "sweep": "sweep erfc --dtype float8_e5m2 --range=-2:2 --view summary",
    "sweep by region": "sweep exp_ratio --dtype float8_e5m2 --range=-2:2 --view regions",
    "histogram": "sweep erf_sum --dtype float8_e5m2 --range=-2:2 --view histogram",
    "worst": "sweep erf_sum --dtype float16 --range=-4:-3 --view worst",
    "sample": "sweep tanh_sum --range=1:2 --samples 100 --view summary",
    "check": "check tests/data/published/000_gradients.csv --digits 6",
    "check results": "check kernel.csv --dtype bfloat16 --view worst",
}
every_line = pytest.mark.parametrize("line", LINES.values(), ids=LINES)


@pytest.fixture(scope="module", autouse=True)
def work(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("widths")
    (folder / "tests").symlink_to(request.config.rootpath / "tests")
    (folder / "kernel.csv").write_text("x,exact,tanh\n-3,-0.004,-0.0037\n1,0.84,0.85\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("NO_COLOR", "FORCE_COLOR"):
            patch.delenv(name, raising=False)
        yield


@cache
def on_terminal(line, width, **environment):
    """Return what a terminal of some width shows."""
    environment = {"COLUMNS": str(width), "TERM": "xterm-256color", **environment}
    with mock.patch.dict(os.environ, environment):
        return run_gelu(*line.split(), stdout=Terminal)


@cache
def cells(line):
    """Return every cell of the answer, whole, as Markdown has it."""
    rows = run_gelu(*line.split(), "-f", "markdown").out.splitlines()
    return {cell.strip() for row in rows[2:] for cell in row.strip("|").split(" | ")} - {""}


def unpadded(text):
    return "\n".join(line.rstrip() for line in plain(text).split("\n"))


NUMBER = re.compile(r"-?(\d+(\.\d+)?(e[+-]?\d+)?|inf|0x[\da-f]+)|NaN")


@every_line
def test_every_number_is_there_whole_and_no_line_is_too_wide(line):
    numbers = {cell for cell in cells(line) if NUMBER.fullmatch(cell)}
    for width in WIDTHS:
        text = plain(on_terminal(line, width).out)
        assert max(map(len, text.splitlines())) <= width
        assert numbers <= set(text.split())


def test_every_word_of_a_definition_is_there():
    definitions = (cell.replace("\\|", "|") for cell in cells("forms"))  # Markdown's bars
    words = {word for cell in definitions for word in cell.split() if len(word) < 9}
    for width in WIDTHS:
        assert words <= set(plain(on_terminal("forms", width).out).split())


def test_wide_terminals_have_one_table():
    assert unpadded(on_terminal(LINES["variance"], 200).out).count("\nform ") == 1
    assert unpadded(on_terminal(LINES["variance"], 40).out).count("\nform ") > 1


@every_line
def test_colours_are_refused(line):
    coloured = on_terminal(line, 40).out
    assert "\x1b[" in coloured
    # Both refusals are one switch; tests/old/cli/process/test_terminals.py has each.
    answer = on_terminal(line, 40, NO_COLOR="1")
    assert "\x1b" not in answer.out + answer.err
    assert answer.out == unpadded(coloured)


@every_line
def test_a_terminal_of_ascii_gets_ascii(line):
    with mock.patch.dict(os.environ, {"COLUMNS": "80", "NO_COLOR": "1"}):
        answer = run_gelu(*line.split(), stdout=Terminal, encoding="ascii")
    assert answer.out.isascii()
    assert "\\u" not in answer.out
    assert "?" not in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80


MAGNITUDE = re.compile(r"\d+\.\d+(?:e[+-]\d+)?")
SHORT = [LINES[name] for name in ("table", "error at points", "variance", "check results")]


@pytest.mark.parametrize("form", TEXT_FORMATS)
@pytest.mark.parametrize("line", SHORT)
def test_in_a_pipe_there_are_no_colours_and_ascii_gets_the_same_numbers(line, form):
    words = [*line.split(), "-f", form]
    answer, spelled = run_gelu(*words), run_gelu(*words, encoding="ascii")
    assert "\x1b" not in answer.out + answer.err
    assert all(each.startswith("gelu: note: ") for each in answer.err.splitlines())
    assert spelled.out.isascii()
    assert MAGNITUDE.findall(spelled.out) == MAGNITUDE.findall(answer.out) != []


@pytest.mark.parametrize("form", sorted({*TEXT_FORMATS} - {"table"}))
def test_only_a_table_has_a_width(form, monkeypatch):
    words = [*LINES["table"].split(), "-f", form]
    whole = run_gelu(*words).out
    monkeypatch.setenv("COLUMNS", "20")
    assert run_gelu(*words).out == whole


def test_titles_and_facts_stand_one_column_in_on_each_of_their_lines():
    report = Report("A title of words " * 4, [Column("x", "x")], [Ending({"fact": "word " * 30})])
    text = "".join(find_renderer("table").render(report, Page(width=40)))
    prose = [line for line in text.splitlines() if line and line != "x" and set(line) != {"─"}]
    assert len(prose) > 4
    assert all(line[0] == " " for line in prose)
