"""The site of the pages: complete, in the order of the index, loading nothing from elsewhere."""

import os
import re
import runpy
import subprocess
import sys
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.old.report.browser import Browser

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LOADED = {"link": "href", "script": "src", "img": "src", "source": "srcset", "iframe": "src"}


class Elements(HTMLParser):
    """The elements of a page, each with its attributes."""

    def __init__(self, path):
        super().__init__()
        self.found = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def values(self, attribute, *tags):
        return [a[attribute] for tag, a in self.found if tag in tags and a.get(attribute)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, made as CONTRIBUTING.md says; a warning of Sphinx is an error."""
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason="the site is made with it")
    folder = tmp_path_factory.mktemp("site")
    (line,) = re.findall(
        r"^ {4}python (-m sphinx .*)$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M
    )
    *words, made = line.split()
    assert made == "build/site"
    done = subprocess.run(
        [sys.executable, *words, "-q", "-d", folder / "read", folder / "html"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Elements(path) for path in site.rglob("*.html")}


def test_every_page_is_there_in_the_order_of_the_index(site, pages):
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[.*?\]\(([^)]*)\.md\)", index, re.M)
    above = {f"../{name.upper()}": name for name in ("changelog", "contributing")}
    expected = [f"{above.get(name, name)}.html" for name in ["README", *listed]]
    tree = [
        attributes["href"]
        for tag, attributes in pages[site / "index.html"].found
        if tag == "a" and "internal" in attributes.get("class", "").split()
    ]
    assert [href for href in tree if "#" not in href][: len(expected)] == expected
    made = {path.relative_to(site).as_posix() for path in pages}
    assert made - {"genindex.html", "search.html"} == {*expected, "index.html"}


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for path, page in pages.items():
        loaded = [url for tag, name in LOADED.items() for url in page.values(name, tag)]
        assert loaded
        assert [url for url in loaded if urlsplit(url).netloc] == [], path
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.findall(r"""(?:url\(|@import)\s*["']?(?:https?:)?//""", text), style


def test_links_lead_somewhere(pages):
    ids = {
        path: {*page.values("id", *{tag for tag, _ in page.found})} for path, page in pages.items()
    }
    for path, page in pages.items():
        for url in map(urlsplit, page.values("href", "a")):
            if url.scheme or url.netloc:
                continue
            to = Path(os.path.normpath(path.parent / unquote(url.path))) if url.path else path
            assert to.is_file(), (path, to)
            assert not url.fragment or unquote(url.fragment) in {*ids[to], ""}, (path, url)


def test_a_picture_for_light_and_dark_is_one_of_the_theme(site):
    conf = runpy.run_path(str(DOCS / "conf.py"))
    text = """<picture>
  <source media="(prefers-color-scheme: dark)" srcset="pictures/a-dark.svg">
  <img alt="A gate" src="pictures/a-light.svg">
</picture>"""
    images = conf["PICTURE"].sub(conf["pair_of_pictures"], text).split("\n\n")
    for mode, image in zip(("light", "dark"), images, strict=True):
        head = [f"```{{image}} pictures/a-{mode}.svg", f":class: only-{mode}", ":alt: A gate"]
        assert image.splitlines()[:3] == head
    written = {ROOT / "README.md": "index.html"} | {
        page: f"{page.relative_to(DOCS).with_suffix('')}.html" for page in DOCS.rglob("*.md")
    }
    for source, page in written.items():
        shown = [
            attributes["class"].split()
            for tag, attributes in Elements(site / page).found
            if tag == "img" and "only-" in attributes.get("class", "")
        ]
        pairs = source.read_text(encoding="utf-8").count("<picture>")
        for mode in ("only-light", "only-dark"):
            assert sum(mode in classes for classes in shown) == pairs, source


def test_no_page_is_wider_than_a_phone_or_asks_for_anything(pages, tmp_path):
    with closing(Browser(tmp_path)) as browser:
        for path in pages:
            browser.open(path, width=390)
            assert browser.value("document.documentElement.scrollWidth") <= 390, path
            assert {urlsplit(url).scheme for url in browser.requested} <= {"file", "data"}, path
            assert browser.complaints == [], path
