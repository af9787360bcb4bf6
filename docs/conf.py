"""The site of these pages, made by Sphinx: `sphinx-build -W -n docs site`.

The pages are written for GitHub. What a site needs beyond that is derived here: README, changelog
and the like are pages, pictures follow the theme, and the order of the pages is that of README.md
of this folder.
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
html_static_path = ["site"]
html_css_files = ["site.css"]

FROM_ABOVE = {
    "index": ROOT / "README.md",
    "changelog": ROOT / "CHANGELOG.md",
    "contributing": ROOT / "CONTRIBUTING.md",
}
"""Pages that are files of the folder above. Sphinx wants a file here: NAME.txt."""

LINK = re.compile(r"""(\]\(|\b(?:src|srcset)=")([^)#:"]+)""")
NAMED = re.compile(r"\[[\w/.]+\.md\](?=\()")
PICTURE = re.compile(r"^<picture>.*?</picture>$", re.M | re.S)
ENTRY = re.compile(r"^- \[`?(.*?)`?\]\((.*?)\.\w+\)", re.M)
LIST = re.compile(r"^([^:,\n]+).*\n\n((?:- .*\n(?:  .*\n)*)+)", re.M)


def text_of(file: Path, page: Path) -> str:
    """Return the text of a file with links that lead from its page on the site.

    A link that is named like the file has the title of the page there.
    """
    pages = {path: DOCS / f"{name}.txt" for name, path in FROM_ABOVE.items()}

    def leading(match: re.Match[str]) -> str:
        to = Path(os.path.normpath(file.parent / match[2]))
        if not to.exists():  # no link, but what a program prints
            return match[0]
        return match[1] + Path(os.path.relpath(pages.get(to, to), page.parent)).as_posix()

    return NAMED.sub("[]", LINK.sub(leading, file.read_text(encoding="utf-8")))


def pair_of_pictures(match: re.Match[str]) -> str:
    """Return a picture for light and dark as two, of which the theme shows one."""
    said = dict(re.findall(r'\b(srcset|src|alt)="([^"]*)"', match[0]))
    return "\n\n".join(
        f"```{{image}} {said[which]}\n:class: {shown}\n:alt: {said['alt']}\n```"
        for which, shown in {"src": "only-light", "srcset": "only-dark"}.items()
    )


def navigation() -> str:
    """Return the lists of the index as trees of pages; commands are named by their names."""
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
    source[0] = PICTURE.sub(pair_of_pictures, text_of(file, page))
    if name == "index":
        source[0] += navigation()


def setup(app: Sphinx) -> None:
    """Read every page so."""
    app.connect("source-read", read)
