"""Write what commands print into the pages: python tools/update_pages.py [PAGE...]

Outputs with `...`, and those of lines that need a library that is missing, stay as they are.
"""

import importlib.util
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pages import PAGES, agree, make_folder, printed, shown_in


def main() -> None:
    """Update the pages named, or all."""
    pages = [Path(word).resolve() for word in sys.argv[1:]] or PAGES
    with tempfile.TemporaryDirectory() as name:
        folder = make_folder(Path(name))
        os.chdir(folder)
        for page in pages:
            update(page, folder)


def update(page: Path, folder: Path) -> None:
    """Replace the outputs of a page that differ."""
    text = page.read_text(encoding="utf-8")
    shown = [each for each in shown_in(text) if all(map(importlib.util.find_spec, each.needs))]
    outputs = [printed(each.line, folder) for each in shown]  # in order: some make files for others
    for each, output in reversed([*zip(shown, outputs, strict=True)]):
        if agree(output, each.output):
            continue
        if "..." in each.output:
            print(f"{page.name}: by hand: $ {each.line}\n{output}")
            continue
        start, end = each.place
        text = text[:start] + output + text[end:]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
