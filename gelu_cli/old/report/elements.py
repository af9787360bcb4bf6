"""Elements of HTML and SVG, in which a text from outside is never markup."""

from __future__ import annotations

from typing import TypeAlias
from xml.etree.ElementTree import Element, tostring

Content: TypeAlias = Element | str

LINES = {
    "body", "caption", "dd", "desc", "details", "div", "dl", "dt", "figcaption", "figure", "footer",
    "h1", "h2", "head", "header", "html", "li", "main", "meta", "ol", "p", "section", "style",
    "summary", "svg", "table", "tbody", "thead", "title", "tr", "ul",
}  # fmt: skip
"""Elements that end a line in the source."""


def element(tag: str, /, *content: Content, **attributes: str) -> Element:
    r"""Return an element; `class_` is the attribute class, `text_anchor` is text-anchor.

    >>> markup(element("p", "1 < 2, ", element("b", "bold", class_="name"), "."))
    '<p>1 &lt; 2, <b class="name">bold</b>.</p>\n'
    """
    names = {key: key.rstrip("_").replace("_", "-") for key in attributes}
    made = Element(tag, {names[key]: text for key, text in attributes.items()})
    made.tail = "\n" if tag in LINES else None
    for each in content:
        if isinstance(each, Element):
            made.append(each)
        elif len(made):
            made[-1].tail = each
        else:
            made.text = each
    return made


def markup(made: Element) -> str:
    """Return the source of an element, in ASCII, which no server and no terminal can misread."""
    source: bytes = tostring(made, encoding="us-ascii", method="html")
    return source.decode()
