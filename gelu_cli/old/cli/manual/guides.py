"""The guides: the pages of docs/, which the wheel has as well, and their index with a line on each.

Their source is Markdown, which a pipe gets as it is. A page of a command is `commands/sweep`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, ClassVar

import gelu_cli
from gelu_cli.old.writing.streams import in_colour

LISTED = re.compile(r"^- \[[^\]]*\]\(([\w/]+)\.md\): (.*(?:\n  .*)*)$", re.M)
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)#]*?)(?:\.md)?(?:#[^)]*)?\)")
PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n|<picture>.*?</picture>\n", re.M | re.S)
WIDEST = 100


def _folder() -> Path:
    """Return where the pages are: in the package, or beside it in the repository."""
    package = Path(gelu_cli.__file__).parent
    shipped = package / "docs"
    return shipped if shipped.is_dir() else package.parent / "docs"


@cache
def pages() -> dict[str, str]:
    """Return the names of all pages, each with what the index says of it.

    >>> pages()["glossary"]
    'our words beside those of the field, defined'
    """
    index = (_folder() / "README.md").read_text(encoding="utf-8")
    return {name: " ".join(about.split()) for name, about in LISTED.findall(index)}


def guides() -> list[tuple[str, str]]:
    """Return the pages that `gelu help` lists: all but those of commands, which have help."""
    return [(name, about) for name, about in pages().items() if "/" not in name]


def markdown(name: str) -> str:
    """Return the text of a page."""
    return (_folder() / f"{name}.md").read_text(encoding="utf-8")


def on_screen(text: str) -> str:
    """Return Markdown as a terminal shows it; a link to a page is the command that shows it.

    >>> LINK.sub(_spoken, "[budgets.md](../budgets.md) has them, see [ULP](errors.md#ulp)")
    '`gelu help budgets` has them, see ULP'
    """
    from rich.console import Console
    from rich.markdown import Markdown, TableElement
    from rich.theme import Theme

    class Folded(TableElement):
        """A table of which no word is cut."""

        def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
            for table in super().__rich_console__(console, options):
                for column in table.columns:  # type: ignore[union-attr]
                    column.overflow = "fold"
                yield table

    class Page(Markdown):
        elements: ClassVar[dict[str, Any]] = {**Markdown.elements, "table_open": Folded}

    plain = {"markdown.code": "cyan", "markdown.code_block": "none", "markdown.h2": "bold"}
    width, colour = min(get_terminal_size().columns, WIDEST), in_colour()
    console = Console(
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        theme=Theme(plain),
        highlight=False,
        emoji=False,
    )
    shown = Page(LINK.sub(_spoken, PICTURE.sub("", text)), code_theme="ansi_dark", hyperlinks=False)
    with console.capture() as printed:
        console.print(shown)
    return "\n".join(line.rstrip() for line in printed.get().splitlines())


def _spoken(link: re.Match[str]) -> str:
    name = link[2].rpartition("docs/")[2].removeprefix("../").removeprefix("commands/")
    if link[1].endswith(".md") and name in pages():
        return f"`gelu help {name}`"
    return link[1]
