"""`gelu plot`, and pictures of sweeps and checks, as a user runs them."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gelu_cli.old.formulas import QUANTITIES
from gelu_cli.old.report.plots import PICTURES
from tests.old.cli.runner import assert_all_refused, assert_refused, gelu, run_gelu

SWEEP = ["sweep", "erfc", "--dtype", "float8_e5m2"]
HEADERS = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-"}


def svg_texts(path):
    root = ElementTree.parse(path)
    return {"".join(element.itertext()).strip() for element in root.iter()
            if element.tag.endswith("}text")}  # fmt: skip


# What is drawn


def test_the_default_is_gelu_and_its_gradient():
    lines = gelu("plot").out.splitlines()
    assert lines[0] == "GELU and its gradient"
    assert lines[-1] == " ⠤o⠤ GELU   ⠤x⠤ GELU′"
    assert lines[-2].strip() == "x"
    assert lines[-3].split() == [str(n).replace("-", "−") for n in range(-4, 5)]
    assert (len(lines), max(map(len, lines))) == (23, 80)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_can_be_drawn(quantity):
    title = "GELU" if quantity == "value" else f"{quantity.replace('_', ' ').capitalize()} of GELU"
    assert gelu("plot", "--quantity", quantity).out.startswith(f"{title}\n")


def test_a_range_is_that_of_the_picture():
    out = gelu("plot", "--range", "-1/2:1e1", "--form", "silu", "--quantity", "value").out
    assert re.search(r"^ +0 +2 .* 8 +10$", out, re.M)


@pytest.mark.parametrize("kind", ["absolute", "relative"])
def test_errors_are_of_tanh_and_sigmoid_unless_others_are_named(kind):
    out = gelu("plot", "--error", kind, "--range", "1:2").out
    error = {"absolute": "Error", "relative": "Relative error"}[kind]
    assert out.startswith(f"{error} of tanh and sigmoid against GELU\n")
    assert out.endswith(" ⠤o⠤ tanh   ⠤x⠤ sigmoid\n")
    other = gelu("plot", "--error", kind, "--form", "relu", "--target", "silu", "--quantity",
                 "gradient", "--range", "1:2").out  # fmt: skip
    assert other.startswith(f"{error} of the gradient of relu against that of silu\n")
    assert other.endswith(" ⠤⠤⠤ relu\n")


REFUSED = [
    ("--range 1:1", "empty"),
    ("--range -inf:1", "finite range"),
    ("--range 1", "must be A:B"),
    ("--form elu --quantity gate", "no gate"),
    ("--error absolut", "--error: unknown error 'absolut'; did you mean 'absolute'"),
    ("--error absolute --form exact", "0 by definition"),
    ("--error absolute --quantity gate", "--quantity: unknown quantity 'gate'"),
    ("--error absolute --quantity value --quantity gradient", "--quantity one"),
    ("--error absolute --range 0:inf", "finite range"),
    ("--target tanh", "add --error"),
    ("-o x.gif", ".txt, .png, .svg, .pdf"),
    ("-o .", "is a directory"),
    ("-f csv", "--format: unknown format 'csv'"),
    ("-f png -o a.svg", "--format png contradicts --output 'a.svg', whose suffix says svg"),
    ("-f png -o a.csv", "--format png contradicts --output 'a.csv', whose suffix says csv"),
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


@pytest.mark.parametrize("words", [["plot"], SWEEP], ids=" ".join)
def test_every_run_writes_the_same(folder, words):
    for name in ("a.svg", "b.svg"):
        assert gelu(*words, "--range", "1:2", "-o", name).out == ""
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes() != b""


def test_a_picture_in_a_text_file_is_that_of_a_pipe_unless_a_format_is_asked_for(folder):
    gelu("plot", "-o", "a.txt")
    assert Path("a.txt").read_text(encoding="utf-8") == gelu("plot").out
    gelu("plot", "-o", "a.dat", "-f", "svg")
    assert Path("a.dat").read_bytes().startswith(HEADERS["svg"])


def test_a_picture_goes_into_a_pipe():
    png = gelu("plot", "-f", "png").out.encode(errors="surrogateescape")
    assert png.startswith(HEADERS["png"])
    assert gelu("plot", "-f", "svg", "-o", "-").out.startswith("<?xml")


def test_an_svg_holds_title_labels_and_legend(folder):
    gelu("plot", "--form", "exact", "--form", "silu", "--quantity", "value", "-o", "a.svg")
    assert {"GELU and silu", "x", "f(x)", "GELU", "silu", "−4", "4"} <= svg_texts("a.svg")


def test_of_several_forms_values_are_drawn_unless_quantities_are_named(folder):
    assert gelu("plot", "--form", "exact,silu").out.splitlines()[-1] == " ⠤o⠤ GELU   ⠤x⠤ silu"
    both = gelu("plot", "--form", "exact,silu", "--quantity", "value,gradient").out.splitlines()[-1]
    assert both == " ⠤o⠤ GELU   ⠤x⠤ GELU′   ⠤+⠤ silu   ⠤*⠤ silu′"


def test_title_and_labels_are_as_asked_for(folder):
    words = ["--title", "Mine", "--x-label", "input", "--y-label", "output"]
    lines = gelu("plot", *words).out.splitlines()
    assert [lines[n].strip() for n in (0, 1, -2)] == ["Mine", "output", "input"]
    gelu("plot", *words, "-o", "a.svg")
    assert {"Mine", "input", "output"} <= svg_texts("a.svg")


def test_marks_on_one_spot_are_one_mark_with_all_that_is_to_be_said_of_it(folder):
    minima = ["GELU: minimum −0.169971 at x = −0.751792; ",
              "tanh: minimum −0.170041 at x = −0.752461"]  # fmt: skip
    words = ["plot", "--form", "exact,tanh,silu", "--mark", "minimum"]
    assert f" 1 {''.join(minima)} 2 silu: minimum" in " ".join(gelu(*words).out.split())
    gelu(*words, "-o", "a.svg")
    assert svg_texts("a.svg") >= {"1", "2"}


@pytest.mark.parametrize("path", ["missing/a.svg", "/proc/a.svg", "/dev/full"])
def test_a_place_where_no_file_can_be_is_an_output_that_cannot_be_written(folder, path):
    assert_refused(run_gelu("plot", "-f", "svg", "-o", path), f"'{path}'", code=3)
    assert not [*folder.iterdir()]


@pytest.mark.parametrize("words", [["plot"], [*SWEEP, "--view", "plot"]], ids=" ".join)
def test_without_matplotlib_one_line_says_what_to_install(folder, monkeypatch, words):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "gelu_cli.old.report.plots.image", raising=False)
    assert_refused(run_gelu(*words, "-o", "a.png"), "pip install matplotlib")
    assert not [*folder.iterdir()]
    assert gelu(*words).out
    gelu(*words, "-o", "a.svg")
    assert "1" in svg_texts("a.svg")


# Sweeps and checks


def test_a_sweep_is_drawn_on_demand():
    out = gelu(*SWEEP, "--view", "plot").out
    assert out.startswith("Largest errors in float8_e5m2, every input\n")
    row = gelu(*SWEEP, "--view", "worst").rows[0]
    assert f" 1 {float(row['ulp']):.6g} ULP at x = {row['x'].replace('-', '−')}\n" in out
    assert "½ ULP" in out


def test_the_bound_is_held_and_drawn_and_a_record_keeps_it(folder):
    words = [*SWEEP, "--range", "-8:8", "--max-ulp", "0.25"]
    answer = run_gelu(*words, "-o", "a.svg")
    assert answer.code == 1
    assert "exceeds --max-ulp" in answer.err
    run_gelu(*words, "-q", "-o", "a.json")
    assert "bound: 0.25 ULP" in run_gelu(*words, "--view", "plot").out
    assert "bound: 0.25 ULP" in gelu("plot", "a.json").out
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
    assert_all_refused(cases=[(f"{line} -o a.svg", "'a.svg'", "gelu plot") for line in lines])
    assert not [*folder.iterdir()]


def test_the_format_text_draws_a_sweep_as_its_view_does():
    assert gelu(*SWEEP, "-f", "text").out == gelu(*SWEEP, "--view", "plot").out
