"""A page of every command: the figures of its tables, its picture, what was said, nothing else."""

import re
from html.parser import HTMLParser

import pytest

from tests.old.cli.runner import assert_refused, gelu, run_gelu

PAGES = {
    "table": ["-1", "0.5", "--form", "exact,tanh"],
    "forms": ["tanh"],
    "error": ["--form", "tanh"],
    "locate": ["--form", "tanh"],
    "variance": ["--form", "exact"],
    "fit": ["tanh", "--free", "c"],
    "block": ["--form", "tanh"],
    "identify": ["2=1.9546"],
    "check": ["2=1.9545"],
}
DRAWN = {"forms", "error", "locate", "fit", "plot"}
"""Those that have a picture."""


class Page(HTMLParser):
    """The words of a page in their elements, and the addresses that it would load."""

    def __init__(self, text):
        super().__init__()
        self.words, self.loaded, self._open = {}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self._open.append(tag)
        self.words.setdefault(tag, [])
        self.loaded += [value for name, value in attrs if name in ("src", "href", "srcset")]

    def handle_data(self, data):
        if data.strip():
            self.words.setdefault(self._open[-1], []).append(data.strip())


def page_of(folder, *words, code=0):
    answer = run_gelu(*words, "-o", folder / "a.html")
    assert answer.code == code, answer.err
    return Page((folder / "a.html").read_text(encoding="utf-8"))


def numbers(text):
    return set(re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text))


@pytest.mark.parametrize("command", PAGES)
def test_a_page_has_the_figures_of_the_table(tmp_path, command):
    words = [command, *PAGES[command]]
    page = page_of(tmp_path, *words)
    found = numbers(" ".join(page.words["td"] + page.words["th"]))
    of_table = numbers(run_gelu(*words, "-f", "markdown").out)
    assert of_table
    assert of_table <= found
    assert not page.loaded
    assert ("svg" in page.words) == (command in DRAWN)


def test_a_page_has_all_views_or_the_one_that_is_named(tmp_path):
    both = page_of(tmp_path, "error", "--form", "tanh")
    assert "by region" in " ".join(both.words["summary"])
    one = page_of(tmp_path, "error", "--form", "tanh", "--view", "regions")
    assert "summary" not in one.words
    assert "Error of the value against exact by region" in one.words["h1"]
    assert "h2" not in one.words or one.words["h2"] == ["How to repeat it"]


def test_a_picture_alone_is_a_page_too(tmp_path):
    words = ["plot", "--title", "Mine", "--y-label", "up"]
    page = page_of(tmp_path, *words)
    assert page.words["h1"] == ["Mine"]
    assert "up" in page.words["p"]
    assert "td" not in page.words
    assert gelu(*words, "-f", "html").out.startswith("<!DOCTYPE html>")


def test_notes_are_on_the_page_and_what_fails_keeps_its_code(tmp_path):
    page = page_of(tmp_path, "check", "2=1.9544", "1=0.8413", code=1)
    assert "1 of 2 figures is wrong" in page.words["li"]
    assert "nothing is judged" not in " ".join(page.words["p"])


def test_digits_are_those_asked_for(tmp_path):
    assert "0.841344746069" in page_of(tmp_path, "table", "1", "-d", "12").words["td"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("table 1 -o a.html --no-header", "--no-header is for csv and tsv, not for html"),
        ("plot -o a.html --theme dark", "--theme is for pictures in files"),
        ("plot -f svg -o a.html", "--format svg contradicts --output 'a.html'"),
    ],
)
def test_what_a_page_is_not_is_refused(tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    assert_refused(run_gelu(*words.split()), why)
    assert not [*tmp_path.iterdir()]
