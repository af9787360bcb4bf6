"""Console blocks of the pages: their command lines, and what these print."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.runner import Run, gelu

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```console\n(.*?)```", re.S)
NEEDS = {"torch": r"torch\b|gelu model", "jax": r"jax\.", "onnxruntime": r"onnx"}
"""Libraries that not every machine has, and how a line shows that it needs one."""


class Shown(NamedTuple):
    """A command line of a page and what the page shows below it."""

    line: str
    output: str
    place: tuple[int, int]
    """Where the output is in the text."""

    @property
    def needs(self) -> list[str]:
        return [name for name, pattern in NEEDS.items() if re.search(pattern, self.line)]


def shown_in(text: str) -> list[Shown]:
    """List the command lines of a page in order."""
    found = []
    for block in BLOCK.finditer(text):
        starts = [match.start() for match in re.finditer(r"^\$ ", block[1], re.M)]
        for start, end in zip(starts, [*starts[1:], len(block[1])], strict=True):
            line, _, output = block[1][start:end].removeprefix("$ ").partition("\n")
            at = block.start(1) + start + 2 + len(line) + 1
            found.append(Shown(line, output, (at, at + len(output))))
    return found


def printed(line: str, folder: Path) -> str:
    """Run a line in a folder: gelu as on a terminal of 80 columns, all else in a shell."""
    first, _, last = line.rpartition(" | ")
    if first and last.startswith("gelu ") and not re.search(r" [|<>&] ", last):
        given = run(first, folder)
        done = gelu(*shlex.split(last)[1:], stdin=given.out)
        return tidied(done.out + given.err + done.err)
    if line.startswith("gelu ") and not re.search(r" [|<>&] ", line):
        done = gelu(*shlex.split(line)[1:], terminal=True)
        return tidied(done.out + done.err)
    done = run(line, folder)
    return tidied(done.out + done.err)


def run(line: str, folder: Path) -> Run:
    """Run a line whose stdout is no terminal, in a shell unless it is gelu alone."""
    if line.startswith("gelu ") and not re.search(r" [|<>&] ", line):
        return gelu(*shlex.split(line)[1:])
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "COLUMNS": "80"}
    done = subprocess.run(
        line, shell=True, env=environment, capture_output=True, text=True, check=False
    )
    return Run(done.returncode, done.stdout, done.stderr)


def tidied(text: str) -> str:
    """Strip spaces at the ends of lines, and blank lines around all."""
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(lines).strip("\n") + "\n" if any(lines) else ""


def agree(output: str, shown: str) -> bool:
    """Compare an output with what a page shows, where `...` is any text."""
    return doctest.OutputChecker().check_output(shown, output, doctest.ELLIPSIS)


def make_folder(folder: Path) -> Path:
    """Fill a folder with `gelu` and `python` for a shell and the repository's data."""
    (folder / "bin").mkdir()
    for name, words in {"gelu": "-m gelu_cli", "python": ""}.items():
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    for name in ("docs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder
