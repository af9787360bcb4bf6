"""Compare the answers of two versions of gelu, byte by byte: a change of plan changes no answer.

    python tools/compare_versions.py OLD_PYTHON NEW_PYTHON [--lines N] [--seed S]

Both arguments are Python interpreters with a version of gelu installed. The command lines are those
in README.md and docs/, through a pipe and on terminals, and N more that are drawn with a seed. Each
runs in both versions, in folders with the same files. Exit code, stdout, stderr and the files that
are written must be the same. Lines that take too long are listed and not compared.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import importlib
import json
import os
import pkgutil
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SECONDS = 20
PIPE = 0
WIDTHS = (PIPE, 80)
"""Where the lines of the documentation are shown."""
DRAWN_WIDTHS = (PIPE, PIPE, 40, 200)
"""Where the drawn lines are shown, in turn."""
SHOWN = 12
"""So many lines of a difference are printed."""
FEWER = {"1e6": "40", "1e99": "41"}
"""Counts that make a drawn line slow, and what stands for them."""


class Line(NamedTuple):
    """One command line: its words, its stdin, the width of its terminal or `PIPE`."""

    words: list[str]
    stdin: str = ""
    columns: int = PIPE


def written_lines() -> list[list[str]]:
    """Return the command lines of README and docs, among them the examples of every --help."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    found = re.findall(r"^(?:\$ | {4})gelu\b([^\n|>#]*)|`gelu\b([^`\n|>#]*)`", text, re.M)
    lines = dict.fromkeys((block or inline).strip() for block, inline in found)
    return [shlex.split(re.sub(r" (docs|tests)/", rf" {ROOT}/\1/", line)) for line in lines]


def drawn_lines(command: str, number: int, seed: int) -> list[Line]:
    """Return different lines of a command, no more than `number`."""
    import hypothesis

    from tests.old.fuzz.command_lines import command_lines, stdin_texts

    drawn: dict[str, Line] = {}

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=2 * number, deadline=None, database=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(command_lines(command), stdin_texts)
    def draw(words: list[str], stdin: bytes) -> None:
        words = [FEWER.get(word, word) for word in (command, *words)]
        text = stdin.decode("latin-1") if "-" in words else ""
        columns = DRAWN_WIDTHS[len(drawn) % len(DRAWN_WIDTHS)]
        drawn.setdefault(repr((words, text)), Line(words, text, columns))

    if number:
        draw()
    return list(drawn.values())[:number]


class Version:
    """A worker that runs command lines in one version of gelu, in a folder of its own."""

    def __init__(self, python: str, folder: Path) -> None:
        """Start the worker."""
        from tests.old.fuzz.files import Folder

        self.folder = Folder(folder)
        keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        settings = {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "OPENBLAS_NUM_THREADS": "1"}
        self.worker = subprocess.Popen(
            [python, "-P", __file__, "--serve"], cwd=folder, env=keep | settings, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def ask(self, line: Line) -> None:
        """Send a line to the worker, which may run it while another worker does."""
        self.folder.restore()
        print(json.dumps(line), file=self.worker.stdin, flush=True)

    def answer(self) -> dict[str, str] | None:
        """Return what the line has left, by name, or None if it took too long."""
        answer: dict[str, str] = json.loads(self.worker.stdout.readline())
        if answer["exit code"] == str(-signal.SIGALRM):
            return None
        for path in sorted(map(self.folder.path.joinpath, self.folder.changes())):
            answer[path.name] = path.read_bytes().decode("latin-1") if path.is_file() else "(gone)"
        here = str(self.folder.path)
        return {name: text.replace(here, "(folder)") for name, text in answer.items()}


def serve() -> None:
    """Run the lines that arrive on stdin, each in a fork of this process."""
    import gelu_cli

    for module in pkgutil.walk_packages(gelu_cli.__path__, "gelu_cli."):
        with suppress(ImportError):
            importlib.import_module(module.name)
    gc.freeze()
    (program,) = entry_points(group="console_scripts", name="gelu")
    main = program.load()
    for request in sys.stdin:
        print(json.dumps(run(main, Line(*json.loads(request)))), flush=True)


def run(main: Any, line: Line) -> dict[str, str]:
    """Return exit code, stdout and stderr of a line."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        master, slave = pty.openpty()
        process = os.fork()
        if not process:
            with tempfile.TemporaryFile() as stdin:
                stdin.write(line.stdin.encode("latin-1"))
                stdin.seek(0)
                stdout = slave if line.columns else out.fileno()
                become(main, line, (stdin.fileno(), stdout, err.fileno()))
        os.close(slave)
        ended = os.pidfd_open(process)
        shown = b"".join(iter(lambda: read_terminal(master, ended), b""))
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        os.close(master)
        os.close(ended)
        texts = [os.pread(f.fileno(), os.fstat(f.fileno()).st_size, 0) for f in (out, err)]
    texts[0] += shown
    names = ("exit code", "stdout", "stderr")
    return dict(zip(names, (str(code), *(text.decode("latin-1") for text in texts)), strict=True))


def become(main: Any, line: Line, descriptors: tuple[int, ...]) -> None:
    """Let this process be `gelu`, and end."""
    os.setsid()
    signal.alarm(SECONDS)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.argv = ["gelu", *line.words]
    if line.columns:
        os.environ["COLUMNS"] = str(line.columns)
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    with suppress(OSError):
        sys.stdout.flush()
    os._exit(code)  # at once: to take a process down that has everything imported takes longer


def read_terminal(master: int, ended: int) -> bytes:
    """Return what comes next on a terminal, nothing once its process has ended."""
    ready, _, _ = select.select([master, ended], [], [])
    with suppress(OSError):  # all who wrote to it are gone
        return os.read(master, 1 << 16) if master in ready else b""
    return b""


def difference(old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    """Yield the first lines of a unified diff for everything that differs."""
    for name in sorted(old.keys() | new.keys()):
        before, after = (
            answer.get(name, "(none)")
            .encode("latin-1")
            .decode(errors="backslashreplace")
            .split("\n")
            for answer in (old, new)
        )
        diff = difflib.unified_diff(before, after, f"old {name}", f"new {name}", lineterm="", n=1)
        yield from list(diff)[:SHOWN]


def main() -> int:
    """Compare, print what differs, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", help="a Python with the old version")
    parser.add_argument("new", help="a Python with the new version")
    parser.add_argument("--lines", type=int, default=3000, help="drawn lines (3000)")
    parser.add_argument("--seed", type=int, default=0, help="what they are drawn with (0)")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests.old.cli.examples import COMMANDS
    from tests.old.fuzz.files import FILES

    written = written_lines()
    results = {word for words in written for word in words if word.endswith(".bin")}
    FILES.update(dict.fromkeys(results - FILES.keys(), bytes(range(256)) * 512))
    written += [[command, "--help"] for command in COMMANDS]
    lines = [Line(words, "", columns) for words in written for columns in WIDTHS]
    for command in COMMANDS:
        lines += drawn_lines(command, options.lines // len(COMMANDS), options.seed)
    slow, different = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        versions = [
            Version(python, Path(scratch) / name)
            for name, python in (("old", options.old), ("new", options.new))
        ]
        for line in lines:
            for version in versions:
                version.ask(line)
            old, new = (version.answer() for version in versions)
            shown = f"gelu {shlex.join(line.words)} (columns: {line.columns or 'none'})"
            if old is None or new is None:
                slow += 1
                print(f"over {SECONDS} s, not compared: {shown}")
            elif old != new:
                different += 1
                print(shown, *difference(old, new), "", sep="\n", flush=True)
        for version in versions:
            version.worker.stdin.close()
            version.worker.wait()
    print(f"{len(lines) - slow} lines compared, {different} differ; {slow} not compared")
    return 1 if different else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        sys.exit(main())
