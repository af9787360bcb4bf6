"""`gelu plot`, and pictures of sweeps and checks, as a user runs them."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gelu_cli.forms import QUANTITIES, all_forms
from gelu_cli.report.plots import PICTURES
from tests.cli.runner import assert_all_refused, assert_refused, gelu, run_gelu

SWEEP = ["sweep", "--routine", "erfc", "--dtype", "float8_e5m2"]
HEADERS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def svg_texts(path):
    root = ElementTree.parse(path)
    return {"".join(element.itertext()).strip() for element in root.iter()
            if element.tag.endswith("}text")}  # fmt: skip


# What is drawn


def test_the_default_is_gelu_and_its_gradient():
    lines = gelu("plot").out.splitlines()
    assert lines[0] == "GELU and its gradient"
    assert lines[-1] == " ⠤o⠤ exact   ⠤x⠤ exact′"
    assert lines[-2].strip() == "x"
    assert lines[-3].split() == [str(n).replace("-", "−") for n in range(-4, 5)]
    assert (len(lines), max(map(len, lines))) == (23, 80)


@pytest.mark.parametrize("name", all_forms())
def test_every_form_can_be_drawn(name):
    assert f"⠤o⠤ {name}   ⠤x⠤ {name}′" in gelu("plot", "--form", name, "--range", "-3:3").out


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_can_be_drawn(quantity):
    title = "GELU" if quantity == "value" else f"{quantity.replace('_', ' ').capitalize()} of GELU"
    assert gelu("plot", "--show", quantity).out.startswith(f"{title}\n")


def test_a_range_is_that_of_the_picture():
    out = gelu("plot", "--range", "-1/2:1e1", "--form", "silu", "--show", "value").out
    assert re.search(r"^ +0 +2 .* 8 +10$", out, re.M)


@pytest.mark.parametrize("kind", ["absolute", "relative"])
def test_errors_are_of_tanh_and_sigmoid_unless_others_are_named(kind):
    out = gelu("plot", "--error", kind, "--range", "1:2").out
    error = {"absolute": "Error", "relative": "Relative error"}[kind]
    assert out.startswith(f"{error} of tanh and sigmoid against GELU\n")
    assert out.endswith(" ⠤o⠤ tanh   ⠤x⠤ sigmoid\n")
    other = gelu("plot", "--error", kind, "--form", "relu", "--target", "silu", "--show",
                 "gradient", "--range", "1:2").out  # fmt: skip
    assert other.startswith(f"{error} of the gradient of relu against that of silu\n")
    assert other.endswith(" ⠤⠤⠤ relu\n")


REFUSED = [
    ("--range 1:1", "empty"),
    ("--range 2:1", "empty"),
    ("--range -inf:1", "finite range"),
    ("--range nan:1", "nan"),
    ("--range 1", "must be A:B"),
    ("--form tnah", "did you mean 'tanh'"),
    ("--form sigmoid:beta=x", "'x'"),
    ("--show valu", "did you mean 'value'"),
    ("--form elu --show gate", "no gate"),
    ("--error absolut", "--error: unknown error 'absolut'; did you mean 'absolute'"),
    ("--error absolute --form exact", "0 by definition"),
    ("--error absolute --target tnah", "did you mean 'tanh'"),
    ("--error absolute --show gate", "--show: unknown quantity 'gate'"),
    ("--error absolute --show value --show gradient", "--show one"),
    ("--error absolute --range 0:inf", "finite range"),
    ("--target tanh", "add --error"),
    ("-o x.gif", ".txt, .png, .svg, .pdf"),
    ("-o x", ".txt, .png, .svg, .pdf"),
    ("-o .", "is a directory"),
    ("-f csv", "--format: unknown format 'csv'"),
    ("-f png -o a.svg", "--format png contradicts --output 'a.svg', whose suffix says svg"),
    ("-f svg -o a.txt", "--format svg contradicts --output 'a.txt', whose suffix says text"),
    ("-f png -o a.csv", "--format png contradicts --output 'a.csv', whose suffix says csv"),
    ("-f text -o a.PDF", "--format text contradicts --output 'a.PDF', whose suffix says pdf"),
    ("-f q", "choose from auto, text, png, svg, pdf"),
    ("-f pgn", "did you mean 'png'"),
    ("1", "cannot read"),
]


def test_what_cannot_be_meant_is_refused_in_one_line(folder):
    assert_all_refused("plot", cases=REFUSED)
    assert not [*folder.iterdir()]


@pytest.mark.parametrize("words", [["plot"], [*SWEEP, "--view", "plot"]], ids=" ".join)
def test_a_plain_encoding_gets_plain_signs(words):
    text = gelu(*words, encoding="ascii").out
    assert text.isascii()
    assert "?" not in text
    assert "+----" in text


# Files


@pytest.mark.parametrize("kind", PICTURES)
def test_the_suffix_names_the_format(folder, kind):
    assert gelu("plot", "-o", f"a.{kind.upper()}").out == ""
    assert Path(f"a.{kind.upper()}").read_bytes().startswith(HEADERS[kind])
    assert len([*folder.iterdir()]) == 1


@pytest.mark.parametrize("words", [["plot", "--error", "relative"], SWEEP], ids=" ".join)
def test_every_run_writes_the_same(folder, words):
    for name in ("a.svg", "b.svg"):
        assert gelu(*words, "-o", name).out == ""
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes() != b""


def test_a_picture_in_a_text_file_is_that_of_a_pipe(folder):
    gelu("plot", "-o", "a.txt")
    assert Path("a.txt").read_text(encoding="utf-8") == gelu("plot").out


def test_a_format_that_is_asked_for_beats_the_suffix(folder):
    gelu("plot", "-o", "a.dat", "-f", "svg")
    assert Path("a.dat").read_bytes().startswith(HEADERS["svg"])


def test_a_picture_goes_into_a_pipe():
    png = gelu("plot", "-f", "png").out.encode(errors="surrogateescape")
    assert png.startswith(HEADERS["png"])
    assert gelu("plot", "-f", "svg", "-o", "-").out.startswith("<?xml")


def test_an_svg_holds_title_labels_and_legend(folder):
    gelu("plot", "--form", "exact", "--form", "silu", "--show", "value", "-o", "a.svg")
    assert {"GELU and silu", "x", "f(x)", "exact", "silu", "−4", "4"} <= svg_texts("a.svg")


def test_a_closed_stdout_is_an_output_that_cannot_be_written():
    for words in (["plot"], ["plot", "-f", "svg"]):
        answer = run_gelu(*words, stdout=None)
        assert_refused(answer, "cannot write the output: ", code=3)


def test_a_place_where_no_file_can_be_is_an_output_that_cannot_be_written(folder):
    for path in ("missing/a.svg", "/proc/a.svg"):
        assert_refused(run_gelu("plot", "-o", path), f"cannot write '{path}'", code=3)


def test_a_full_device_leaves_no_file(folder):
    done = run_gelu("plot", "-f", "svg", "-o", "/dev/full")
    assert_refused(done, "'/dev/full': No space left", code=3)


@pytest.mark.parametrize("words", [["plot"], [*SWEEP, "--view", "plot"]], ids=" ".join)
def test_without_matplotlib_one_line_says_what_to_install(folder, monkeypatch, words):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "gelu_cli.report.plots.image", raising=False)
    assert_refused(run_gelu(*words, "-o", "a.svg"), "pip install matplotlib")
    assert not [*folder.iterdir()]
    assert gelu(*words).out


# Sweeps and checks


def test_a_sweep_is_drawn_on_demand():
    out = gelu(*SWEEP, "--view", "plot").out
    assert out.startswith("Largest errors in float8_e5m2, every input\n")
    row = gelu(*SWEEP, "--view", "worst").rows[0]
    assert f" 1 {float(row['ulp']):.6g} ULP at x = {row['x'].replace('-', '−')}\n" in out
    assert "½ ULP" in out


def test_the_picture_of_a_sweep_still_holds_the_limit(folder):
    answer = run_gelu(*SWEEP, "-o", "a.svg", "--max-ulp", "0.5")
    assert answer.code == 1
    assert "exceeds --max-ulp" in answer.err
    assert any("ULP at x = " in text for text in svg_texts("a.svg"))


def test_the_bound_is_drawn_and_a_record_keeps_it(folder):
    run_gelu(*SWEEP, "--max-ulp", "2.5", "-q", "-o", "a.json")
    for words in (
        [*SWEEP, "--max-ulp", "2.5", "--view", "plot"],
        ["compare", "erfc", "erf_sum", *SWEEP[3:], "--max-ulp", "2.5", "--view", "plot"],
        ["plot", "a.json"],
    ):
        assert "bound: 2.5 ULP" in run_gelu(*words).out
    run_gelu("check", "a.json", "--max-ulp", "7", "-q", "-o", "a.svg")
    assert {"½ ULP", "bound: 7 ULP"} <= {*svg_texts("a.svg")}


def test_results_of_a_kernel_are_drawn_too(folder):
    Path("kernel.bin").write_bytes(bytes(256))
    words = ["check", "kernel.bin", "--all", "--dtype", "float8_e5m2"]
    assert "⠤ kernel.bin" in gelu(*words, "--view", "plot").out
    gelu(*words, "-o", "a.png")
    assert Path("a.png").read_bytes().startswith(HEADERS["png"])


@pytest.mark.parametrize("view", ["summary", "regions", "histogram", "worst"])
def test_a_table_is_no_picture(folder, view):
    assert_refused(run_gelu(*SWEEP, "--view", view, "-o", "a.svg"), f"--view {view} is a table")
    assert_refused(run_gelu(*SWEEP, "--view", "plot", "-f", "csv"), "not csv", "svg")
    assert_refused(run_gelu(*SWEEP, "--view", "plot", "-o", "a.csv"), "a picture ends in")


def test_an_answer_that_is_a_table_does_not_become_a_picture_by_its_name(folder):
    lines = ("table 1", "error 1", "locate", "variance", "forms")
    assert_all_refused(
        cases=[
            (f"{line} -o a.{kind}", f"'a.{kind}'", "gelu plot")
            for line in lines
            for kind in PICTURES
        ]
    )
    assert not [*folder.iterdir()]


def test_the_format_text_draws_a_sweep_as_its_view_does():
    words = ["sweep", "--routine", "erfc", "--dtype", "float8_e5m2"]
    assert gelu(*words, "-f", "text").out == gelu(*words, "--view", "plot").out
