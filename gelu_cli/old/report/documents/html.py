"""A page for a browser, with tables and pictures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from typing import Any
from xml.etree.ElementTree import Element

import gelu_cli
from gelu_cli.old.report import Sentence, in_words
from gelu_cli.old.report.documents import Document, Finding, Table, in_short
from gelu_cli.old.report.elements import element, markup
from gelu_cli.old.report.numbers import at_the_point, human_text, numeric_columns
from gelu_cli.old.report.plots.svg import figure

SUFFIXES = (".html", ".htm")
PEOPLE = True

SHORT = 12
"""Tables of more rows, and longer lists, are shown when they are opened."""

LONG = 300
"""Characters of a value that is shown when it is opened."""


def render(document: Document) -> Iterator[str]:
    """Yield the page: what was found first, how it was computed last."""
    notes = element("ul", *(element("li", note) for note in document.remarks))
    page = element(
        "html",
        _head(document.title),
        element(
            "body",
            element("header", element("h1", document.title), _asked(document.question)),
            element(
                "main",
                *_words(document.words),
                *(_verdict(document.findings) if document.question else []),
                *([element("h2", "Notes"), notes] if document.remarks else []),
                *_tables(document),
                *_origin(document),
            ),
            element("footer", element("p", f"gelu {document.gelu or gelu_cli.__version__}")),
        ),
        lang="en",
    )
    yield f"<!DOCTYPE html>\n{markup(page)}"


def _head(title: str) -> Element:
    """Return the head of a page that may load nothing and run nothing."""
    style = files("gelu_cli.old.report.documents").joinpath("page.css").read_text("utf-8")
    known = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{known}'; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", style),
    )


# What was found


def _words(words: Sequence[Sentence]) -> Iterator[Element]:
    """Yield the answer in short: a paragraph for each kernel."""
    for kernel, said in in_words(words).items():
        name = [element("b", f"{kernel}: ")] if kernel else []
        yield element("p", *name, said, class_="words")


def _verdict(findings: Sequence[Finding]) -> Iterator[Element]:
    def listed(some: Sequence[Finding]) -> Element:
        return element("ul", *map(_finding, some), class_="findings")

    yield element("h2", "Verdict")
    yield element("p", in_short(findings), class_="verdict")
    failing = [finding for finding in findings if not finding.holds or finding.warns]
    holding = [finding for finding in findings if finding.holds and not finding.warns]
    if failing:
        yield listed(failing)
    if len(holding) > SHORT:
        yield element("details", element("summary", f"{len(holding)} hold"), listed(holding))
    elif holding:
        yield listed(holding)


def _finding(finding: Finding) -> Element:
    kernel = "" if finding.kernel in finding.said else finding.kernel
    lines = [(kernel, ""), (finding.said, ""), (finding.place, "soft")]
    return element(
        "li",
        element("b", finding.word),
        element("code", finding.limit),
        *(element("span", said, class_=kind) for said, kind in lines if said),
        class_="holds" if finding.holds else "fails",
    )


# Tables


def _tables(document: Document) -> Iterator[Element]:
    """Yield all tables: the first one, the pictures, and the others, to be opened if long."""
    views, plots = document.views, document.plots
    all_facts = [table.facts for table in views.values()]
    shared = {
        name: said for name, said in (all_facts[0] if all_facts else {}).items()
        if all(each.get(name) == said for each in all_facts)
    }  # fmt: skip
    figures = [figure(plot, f"plot{i}") for i, plot in enumerate(plots, 1)]
    if not views:
        yield from figures
    for number, (name, table) in enumerate(views.items()):
        own = {fact: said for fact, said in table.facts.items() if fact not in shared}
        content = [_box(name, table), *_facts(own)]
        if not number:
            title = [element("h2", table.title)] if table.title != document.title else []
            yield element("section", *title, *content, *_facts(shared))
            yield from figures
            continue
        count = f" ({len(table.rows):,} row{'' if len(table.rows) == 1 else 's'})"
        summary = element("summary", table.title, element("span", count, class_="soft"))
        is_open = {"open": "open"} if len(table.rows) <= SHORT else {}
        yield element("details", summary, *content, **is_open)


def _box(name: str, table: Table) -> Element:
    """Return a table in a box in which it scrolls, by keys too."""
    on_its_side = table.reads_better_turned
    parts = _turned(table) if on_its_side else _by_kernel(table)
    caption = element("caption", table.title, id=f"table-{name}")
    made = element("table", caption, *parts, **({"class_": "sides"} if on_its_side else {}))
    return element("div", made, class_="scroll", tabindex="0", role="region",
                   aria_labelledby=f"table-{name}")  # fmt: skip


def _turned(table: Table) -> Iterator[Element]:
    """Yield the parts of a table whose rows stand side by side."""
    sides = table.turned()
    head, *kernels = (column.heading for column in sides.columns)
    names = [element("th", name, scope="col", class_="number") for name in kernels]
    yield element("thead", element("tr", element("th", head, scope="col"), *names))
    rows = [
        element("tr", element("th", str(heading), scope="row"),
                *(element("td", str(cell), class_="number") for cell in cells))
        for heading, *cells in sides.rows
    ]  # fmt: skip
    yield element("tbody", *rows)


def _by_kernel(table: Table) -> Iterator[Element]:
    """Yield the parts of a table; the name that the first of several keys repeats heads rows."""
    numeric = numeric_columns(table.report(), table.rows)
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    cells = [[*map(human_text, column)] for column in columns]
    aligned = [at_the_point(texts) if n else texts for texts, n in zip(cells, numeric, strict=True)]
    named = table.keys > 1 and not numeric[0]
    classes = ["number" if n else "text" for n in numeric]
    headings = [
        element("th", column.heading, scope="col", class_=kind)
        for column, kind in zip(table.columns, classes, strict=True)
    ]
    yield element("thead", element("tr", *headings[named:]))
    rows = [*zip(*aligned, strict=True)]
    for name, group in groupby(rows, key=lambda row: row[0] if named else ""):
        head = element("th", element("span", name), scope="rowgroup", colspan=str(len(numeric) - 1))
        lines = [
            element("tr", *(element("td", cell, class_=kind)
                            for cell, kind in [*zip(row, classes, strict=True)][named:]))
            for row in group
        ]  # fmt: skip
        yield element("tbody", *([element("tr", head, class_="kernel")] if named else []), *lines)


# Where it comes from


def _asked(question: Mapping[str, Any]) -> Element:
    """Return in short what was asked: what is one word, or is wanted."""
    pairs = [
        element("div", element("dt", name), element("dd", _text(value)))
        for name, value in question.items()
        if value is True or isinstance(value, str | float) or type(value) is int
    ]
    return element("dl", *pairs, class_="asked")


def _origin(document: Document) -> Iterator[Element]:
    yield element("h2", "How to repeat it")
    yield element("p", element("code", document.command, class_="command"))
    for title, facts in (
        ("What was asked, in full", document.question),
        ("Where it was computed", document.made),
    ):
        if facts:
            yield element("h2", title)
            yield from _facts(facts)


def _facts(facts: Mapping[str, Any]) -> Iterator[Element]:
    """Yield names and values as a list of definitions, without those that are empty."""
    if facts:
        pairs = [
            (element("dt", name), element("dd", *_value(value)))
            for name, value in facts.items()
            if value is not None and value not in ({}, [], "")
        ]
        yield element("dl", *(each for pair in pairs for each in pair))


def _value(value: Any) -> Iterator[Element | str]:
    """Yield a value of JSON, a long one to be opened."""
    if isinstance(value, Mapping):
        yield from _facts(value)
        return
    if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        for each in value:
            yield from _value(each)
        return
    text = _text(value)
    if len(text) > LONG:
        yield element("details", element("summary", f"{text[:40]}…"), element("p", text))
    else:
        yield text


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_text, value))
    return human_text(value) if isinstance(value, float | int | str | None) else str(value)
