"""The site of these pages, made by Sphinx: `sphinx-build -W -n docs site`.

The pages are written for GitHub. Here README, changelog and contributing become pages, links lead
to pages of the site, and README.md of this folder gives the order of the pages.
"""

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
ROOT = DOCS.parent
INDEX = DOCS / "README.md"

project = "gelu"
author = "The gelu maintainers"
project_copyright = "2026, The gelu maintainers"
release = re.search(
    r'^__version__ = "(.*)"$', (ROOT / "gelu_cli/__init__.py").read_text(encoding="utf-8"), re.M
)[1]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".txt": "markdown"}
myst_heading_anchors = 4
smartquotes = False  # --help has two hyphens
highlight_language = "sh"  # of indented blocks

html_theme = "furo"
html_title = f"gelu {release}"
html_copy_source = False

FROM_ABOVE = {
    "index": ROOT / "README.md",
    "changelog": ROOT / "CHANGELOG.md",
    "contributing": ROOT / "CONTRIBUTING.md",
}
"""Pages that are files of the folder above. Sphinx wants a file here: NAME.txt."""

LINK = re.compile(r"(\]\()([^)#:]+)")
NAMED = re.compile(r"\[[\w/.]+\.md\](?=\()")
ENTRY = re.compile(r"^- \[`?(.*?)`?\]\((.*?)\.\w+\)", re.M)
LIST = re.compile(r"^([^:,\n]+).*\n\n((?:- .*\n(?:  .*\n)*)+)", re.M)


def text_of(file: Path, page: Path) -> str:
    """Read a file with links that lead from its page; those named like a file get its title."""
    pages = {path: DOCS / f"{name}.txt" for name, path in FROM_ABOVE.items()}

    def leading(match: re.Match[str]) -> str:
        to = Path(os.path.normpath(file.parent / match[2]))
        if not to.exists():  # what a program prints
            return match[0]
        return match[1] + Path(os.path.relpath(pages.get(to, to), page.parent)).as_posix()

    return NAMED.sub("[]", LINK.sub(leading, file.read_text(encoding="utf-8")))


def navigation() -> str:
    """Make the lists of the index trees of pages."""
    trees = [
        [
            f":caption: {caption}",
            "",
            *(f"{name} <{page}>" if name else page for name, page in ENTRY.findall(pages)),
        ]
        for caption, pages in LIST.findall(text_of(INDEX, INDEX))
    ]
    return "".join(
        "\n".join(["", "```{toctree}", ":hidden:", *lines, "```", ""])
        for lines in [["All pages <README>"], *trees]
    )


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Put what the site has for a page in place of what is in its file."""
    page = DOCS / f"{name}.md"
    file = FROM_ABOVE.get(name, page)
    app.env.note_dependency(str(file))
    source[0] = text_of(file, page)
    if name == "index":
        source[0] += navigation()


def setup(app: Sphinx) -> None:
    """Read every page so."""
    app.connect("source-read", read)
