"""Pictures in files look as they are asked to: colours, size, dots, and room for the legend."""

import re
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from gelu_cli.errors import UsageError
from gelu_cli.old.answers.plot.sweeps import BEYOND, SHADES
from gelu_cli.old.report import documents
from gelu_cli.old.report.plots import Axis, Mark, Plot, Trace, terminal
from gelu_cli.old.report.plots import file_of as render
from gelu_cli.old.report.plots.look import DARK, LIGHT, THEMES, USUAL, Look
from gelu_cli.old.report.plots.scales import linear
from tests.old.cli.runner import assert_all_refused, gelu

X = np.linspace(0, 1, 11)
CUBE = (0, 95, 135, 175, 215, 255)
"""The steps of red, green and blue among xterm's 256 colours, from 16 on."""
PLOT = Plot(
    "Title", Axis("x", linear()), Axis("y", linear()), [Trace("a", X, X), Trace("b", X, -X)]
)


def luminance(*rgb):
    """Return the relative luminance as WCAG 2.2 defines it, of parts from 0 to 255."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (part / 255 for part in rgb)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted(luminance(*bytes.fromhex(each[1:])) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_and_curves_are_seen_on_the_paper(theme):
    assert all(contrast(each, theme.paper) >= 4.5 for each in (theme.ink, theme.soft))
    assert all(contrast(each, theme.paper) >= 3 for each in theme.curves)
    assert contrast(theme.grid, theme.paper) < 2  # it must not be taken for a curve
    assert len(set(theme.curves)) == len(theme.curves)
    assert all(contrast(theme.ink, each) >= 4 for each in theme.shades)  # of numbers on a map
    steps = [contrast(each, theme.paper) for each in theme.shades[:-1]]
    assert steps == sorted(steps)
    assert len({*theme.shades}) == len(SHADES) + len(BEYOND)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48


@pytest.mark.parametrize("number", {*terminal.COLOURS, *terminal.SIGN_COLOURS})
def test_colours_of_a_terminal_are_readable_on_black_and_on_white(number):
    red, green, blue = (CUBE[(number - 16) // step % 6] for step in (36, 6, 1))
    colour = f"#{red:02x}{green:02x}{blue:02x}"
    assert min(contrast(colour, "#000000"), contrast(colour, "#ffffff")) >= 3


def test_pages_have_the_same_colours():
    css = Path(documents.__file__).with_name("page.css").read_text(encoding="utf-8")
    for theme, block in zip((LIGHT, DARK), re.findall(r"--c0: .*?\}", css, re.S), strict=True):
        assert re.findall(r"--c\d: (#\w+)", block) == list(theme.curves)
        assert re.findall(r"--s\d: (#\w+)", block) == list(theme.shades)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_a_picture_has_the_colours_of_its_theme_alone(theme):
    plot = PLOT._replace(marks=[Mark(0.5, 0.5, "a mark")])
    svg = render(plot, "svg", Look(theme)).decode()
    found = {each.lower() for each in re.findall(r"(?:stroke|fill): (#\w{6})", svg)}
    assert found <= {theme.paper, theme.ink, theme.soft, theme.grid, *theme.curves}
    assert {theme.paper, theme.ink, *theme.curves[:2]} <= found
    png = Image.open(BytesIO(render(plot, "png", Look(theme)))).convert("RGB")
    pixels = {f"#{bytes(rgb).hex()}": count for count, rgb in png.getcolors(png.width * png.height)}
    assert pixels.keys() >= {theme.paper, *theme.curves[:2]}
    assert max(pixels, key=pixels.get) == theme.paper


def test_a_size_and_dots_are_as_asked_for():
    for look, size in ((Look(), (1050, 690)), (Look(LIGHT, (5, 3), 100), (500, 300))):
        assert Image.open(BytesIO(render(PLOT, "png", look))).size == size
    svg = ElementTree.fromstring(render(PLOT, "svg", Look(inches=(5, 3))))
    assert (svg.get("width"), svg.get("height")) == ("360pt", "216pt")


def test_a_legend_has_room_or_the_message_says_how_much_it_needs():
    many = PLOT._replace(marks=[Mark(0.1 * n, 0.1 * n, f"a long label {n} " * 4) for n in range(9)])
    height = Image.open(BytesIO(render(many, "png", USUAL))).size[1]
    assert height > Image.open(BytesIO(render(PLOT, "png", USUAL))).size[1]
    for kind in ("png", "svg"):
        with pytest.raises(UsageError, match=r"--size 5x3 has no room .* inches high") as error:
            render(many, kind, Look(inches=(5, 3)))
        enough = float(re.search(r"(\d\.\d) inches", str(error.value))[1])
        assert render(many, kind, Look(inches=(5, enough + 0.1)))


def test_a_title_replaces_ours(tmp_path):
    path = tmp_path / "a.svg"
    gelu("plot", "--title", "My kernel & co", "-o", path)
    assert "My kernel &amp; co" in path.read_text(encoding="utf-8")
    assert gelu("plot", "--title", "Mine").out.splitlines()[0] == "Mine"
    sweep = ["sweep", "erfc", "--dtype", "float8_e5m2", "--view", "plot"]
    assert gelu(*sweep, "--title", "Mine").out.splitlines()[0] == "Mine"


def test_text_has_the_columns_and_the_lines_asked_for():
    lines = gelu("plot", "--size", "50x16").out.splitlines()
    assert max(map(len, lines)) == 50
    assert len(lines) == 16


REFUSED = [
    ("--theme blue", "--theme", "choose from light, dark"),
    ("--theme dark", "--theme is for pictures in files"),
    ("--dpi 100", "--dpi is for"),
    ("--dpi 100 -o a.svg", "--dpi is for PNG", "leave --dpi out"),
    ("--dpi 1 -o a.png", "--dpi 1 must be a whole number"),
    ("--size 7 -o a.png", "--size '7' must be width x height"),
    ("--size 7xx -o a.png", "--size"),
    ("--size 7x1000 -o a.png", "--size 7x1000 is out of bounds", "inches"),
    ("--size 7x4", "--size 7x4 is out of bounds", "columns and lines"),
    ("--size 80.5x24", "whole columns"),
]


def test_what_a_picture_cannot_look_like_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_all_refused("plot", cases=REFUSED)
    of_tables = [
        (f"erfc --dtype float8_e5m2 {option}", f"{option.split()[0]} is for pictures")
        for option in ("--title T", "--dpi 100", "--size 5x4 -o a.html", "--theme dark -o a.csv")
    ]
    assert_all_refused("sweep", cases=of_tables)
    assert not [*tmp_path.iterdir()]
