"""A page in a real browser: nothing overflows, is loaded, runs or cannot be read."""

from itertools import combinations

import pytest

from gelu_cli.old.report.numbers import human_text
from tests.old.report.browser import LABELS
from tests.old.report.documents import DOCUMENT, HOSTILE, NOTHING, overlap

OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
CONTRASTS = """
(() => {
  const probe = document.createElement("canvas").getContext("2d");
  const channels = colour => {
    probe.clearRect(0, 0, 1, 1); probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data];
  };
  const light = colour => {
    const [r, g, b] = channels(colour).map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    const colour = getComputedStyle(element).backgroundColor;
    return channels(colour)[3] ? colour : behind(element.parentElement);
  };
  const contrast = (ink, element) => {
    const [low, high] = [light(ink), light(behind(element))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const found = {text: [], line: []};
  for (const element of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(element), svg = element.closest("svg");
    const said = [...element.childNodes].some(node => node.nodeType == 3 && node.data.trim());
    if (said && (!svg || element.localName == "text"))
      found.text.push([contrast(svg ? style.fill : style.color, element), element.outerHTML]);
    if (element.matches(".trace, .level, circle"))
      found.line.push([contrast(style.stroke, element), element.outerHTML]);
  }
  return found;
})()
"""
POINTS = """
[...document.querySelectorAll('table')].map(table => [...table.tBodies].flatMap(body =>
  [...body.rows]).filter(row => !row.matches('.kernel')).map(row => {
    const cell = row.querySelector('td:nth-child(3)');
    if (!cell) return null;
    const range = document.createRange(), at = cell.textContent.search(/[.e]|(?<=[0-9f]) |$/);
    range.setStart(cell.firstChild, at);
    range.setEnd(cell.firstChild, at);
    return range.getBoundingClientRect().left;
  }))
"""
ROWS = """
[...document.querySelectorAll('table')].map(table => [...table.rows].map(row =>
  [...row.cells].map(cell => cell.textContent.trim())))
"""


@pytest.mark.parametrize(
    ("width", "mode"), [(width, mode) for width in (360, 1200) for mode in ("light", "dark")]
)
def test_a_page_fits_and_is_readable(opened, width, mode):
    browser = opened(DOCUMENT, width, mode)
    browser.value(OPEN_ALL)
    assert browser.value("innerWidth") == width
    assert browser.value("document.documentElement.scrollWidth") <= width
    contrasts = browser.value(CONTRASTS)
    assert min(contrasts["text"])[0] >= 4.5, min(contrasts["text"])
    assert min(contrasts["line"])[0] >= 3, min(contrasts["line"])
    dark = browser.value("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (mode == "dark")
    boxes = browser.value(LABELS)
    assert len(boxes) > 8
    assert all(0 <= left < right <= width for left, right, *_ in boxes)
    assert not any(overlap(*pair) for pair in combinations(boxes, 2))


def test_names_are_no_markup_even_where_a_browser_would_run_it(browser, opened):
    browser.ask("Page.setBypassCSP", enabled=True)
    try:
        opened()
        assert browser.value("document.querySelectorAll('script, img, [onerror]').length") == 0
        assert browser.value("document.title") == f"Errors of {HOSTILE}"
    finally:
        browser.ask("Page.setBypassCSP", enabled=False)


def test_the_policy_of_a_page_stops_what_is_added_to_it(opened, tmp_path):
    browser, page = opened(), tmp_path / "page.html"
    page.write_text(page.read_text().replace("<body>", f"<body>{HOSTILE}"))
    browser.open(page)
    assert browser.value("document.querySelectorAll('script, img').length") == 2
    assert browser.value("window.hacked") is None
    assert len(browser.complaints) >= 2
    assert not [each for each in browser.methods("Network.responseReceived")
                if each["response"]["url"].startswith("http")]  # fmt: skip


def test_every_table_is_whole(opened):
    browser = opened()
    summary, *others = browser.value(ROWS)
    first, *rest = DOCUMENT.views.values()
    headings = [column.heading for column in first.columns]
    table = [headings, *([*map(human_text, row)] for row in first.rows)]
    assert summary == [[*column] for column in zip(*table, strict=True)]  # turned
    for rows, table in zip(others, rest, strict=True):
        assert rows[0] == [column.heading for column in table.columns[1:]]
        name, found = "", []
        for row in rows[1:]:
            if len(row) == 1:
                (name,) = row
            else:
                found.append([name, *row])
        assert found == [[*map(human_text, row)] for row in table.rows]


def test_numbers_stand_with_their_points_in_one_column(opened):
    browser = opened()
    browser.value(OPEN_ALL)
    places = browser.value(POINTS)[1]
    assert len(places) == 18
    assert max(places) - min(places) < 1


def test_a_picture_says_in_words_what_it_shows(opened):
    browser = opened()
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    images = [node for node in nodes if node.get("role", {}).get("value") in ("image", "img")]
    names = [node["name"]["value"] for node in images]
    assert any("Largest errors" in name and HOSTILE in name and "beside it" in name
               for name in names)  # fmt: skip


def test_paper_has_what_a_screen_hides(opened):
    browser = opened(mode="dark")
    seen = "[...document.querySelectorAll('table')].map(table => table.checkVisibility())"
    assert browser.value(seen) == [True, False, True]
    browser.show("print", "dark")
    assert browser.value(seen) == [True, True, True]
    assert browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_what_scrolls_is_reached_by_keys(opened):
    browser = opened(NOTHING, 360)
    browser.value(OPEN_ALL)
    boxes = browser.value(
        "[...document.querySelectorAll('*')].filter(each => each.scrollWidth > each.clientWidth + 1"
        " && getComputedStyle(each).overflowX == 'auto').map(each => [each.tabIndex,"
        " document.getElementById(each.getAttribute('aria-labelledby')).textContent])"
    )
    assert [0, "The worst inputs"] in boxes
    assert all(index == 0 for index, _ in boxes)
