"""Pictures of the pages are those that their commands draw: axes, ticks, legends, curves, marks."""

import re
from xml.etree import ElementTree

import pytest

from gelu_cli.old.report.plots.look import DARK, LIGHT
from tests.old.cli.runner import run_gelu
from tools.make_gallery import DOCS, PAGES, PICTURES, ROOT, pictures

DRAWN = pictures()
NUMBER = r"-?\d+\.?\d*(?:e-?\d+)?"
BLOCK = re.compile(r'<picture>.*?srcset="(.*?)".*?src="(.*?)".*?</picture>', re.S)


def text(name):
    return (PICTURES / f"{name}.svg").read_text(encoding="utf-8")


def words_and_numbers(svg):
    """What an SVG says, and the numbers in it."""
    return re.split(NUMBER, svg), [float(number) for number in re.findall(NUMBER, svg)]


def texts(svg):
    """Every text of a picture: title, labels of axes and ticks, names and numbers of marks."""
    root = ElementTree.fromstring(svg)
    return sorted("".join(each.itertext()).strip() for each in root.iter("{*}text"))


def test_every_picture_has_a_command_and_stands_on_its_page_for_light_and_dark():
    names = [picture.name for picture in DRAWN]
    assert len(names) == len(set(names)) >= 15
    files = sorted(path.name for path in PICTURES.iterdir())
    assert files == sorted(f"{name}{theme}.svg" for name in names for theme in ("", "-dark"))
    shown = {(page, *found) for page in PAGES
             for found in BLOCK.findall(page.read_text(encoding="utf-8"))}  # fmt: skip
    for page, dark, light in shown:
        for path in (dark, light):
            assert (page.parent / path).is_file(), (page, path)
        assert dark == light.replace(".svg", "-dark.svg")
    assert len(shown) == len(names)
    assert not [*DOCS.glob("*.svg")]


@pytest.mark.parametrize("picture", DRAWN, ids=lambda picture: picture.name)
def test_a_picture_is_the_one_that_gelu_draws(picture, tmp_path, monkeypatch):
    for name in ("docs", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    for command in picture.commands:
        assert run_gelu(*command[1:], "--quiet").code <= 1
    kept, drawn = text(picture.name), (tmp_path / f"{picture.name}.svg").read_text("utf-8")
    assert texts(drawn) == texts(kept)
    (words, numbers), (drawn_words, drawn_numbers) = map(words_and_numbers, (kept, drawn))
    assert drawn_words == words
    assert drawn_numbers == pytest.approx(numbers, abs=0.11)  # points, 72 to an inch


@pytest.mark.parametrize("name", [picture.name for picture in DRAWN])
def test_a_dark_picture_differs_from_the_light_one_by_its_colours_alone(name):
    light, dark = text(name), text(f"{name}-dark")
    assert f"fill: {DARK.paper}" in dark
    assert f"fill: {LIGHT.paper}" in light
    inks = re.compile(r"#[0-9a-f]{6}\b")
    assert inks.sub("", dark) == inks.sub("", light)
