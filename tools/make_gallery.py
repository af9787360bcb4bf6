"""Draw the pictures of the pages, each by the command that stands above it.

    python tools/make_gallery.py [NAME]...

A page has `gelu … -o NAME.svg` in an indented block and, below it, a picture `pictures/NAME.svg`,
which is drawn into docs/pictures, and for dark screens as NAME-dark.svg. Tests compare them with
what the commands draw.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

BLOCK = re.compile(r"(?:^ {4}gelu .*\n)+", re.M)
DRAWS = re.compile(r" -o ([\w-]+)\.svg$")


class Drawn(NamedTuple):
    """A picture: its page, its name, and the commands that make it, the last one draws it."""

    page: Path
    name: str
    commands: list[list[str]]

    def draw(self, folder: Path, dark: bool = False) -> Path:
        """Draw it into a folder, and return its file."""
        *before, last = self.commands
        file = folder / f"{self.name}{'-dark' if dark else ''}.svg"
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        with tempfile.TemporaryDirectory() as here:
            for name in ("docs", "tests"):
                (Path(here) / name).symlink_to(ROOT / name)
            words = [*last[:-1], str(file), *(["--theme", "dark"] if dark else [])]
            for command in (*before, words):
                done = subprocess.run(
                    [sys.executable, "-m", "gelu_cli", *command[1:], "--quiet"],
                    cwd=here, env=environment, stderr=subprocess.PIPE, text=True, check=False,
                )  # fmt: skip
                if done.returncode > 1:  # 1: an error exceeds --max-ulp, as pages show
                    raise SystemExit(f"{shlex.join(command)}\n{done.stderr}")
        return file


def pictures() -> list[Drawn]:
    """Return every picture that a page shows below its command."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.findall(text):
            commands = [shlex.split(line) for line in block.splitlines()]
            name = DRAWS.search(block.rstrip())
            if name and f'pictures/{name[1]}.svg"' in text:
                found.append(Drawn(page, name[1], commands))
    return found


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for picture in pictures():
        if picture.name in sys.argv[1:] or not sys.argv[1:]:
            print(*(picture.draw(PICTURES, dark).name for dark in (False, True)))
