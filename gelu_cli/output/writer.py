"""The options that say how an answer is written, and the writing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import Interrupted, JudgedError, UsageError, unknown
from gelu_cli.inputs.numbers import whole
from gelu_cli.output.destination import opened
from gelu_cli.output.messages import say
from gelu_cli.output.renderers import FOR_PEOPLE, RENDERERS, SUFFIXES, to_json

if TYPE_CHECKING:
    from gelu_cli.api.results import Answer, Shown
    from gelu_cli.output.tables import Table

DIGITS_FOR_PEOPLE = 6
MOST_DIGITS = 10_000
PICTURES = (".png", ".svg", ".pdf")
PROGRAMS = ("c", "python")
"""Views that are text: their lines are written as they are, whatever the suffix."""


class Output:
    """The options -f, -o, -d, --view and -q of a command.

    Parameters
    ----------
    format, path, digits, view, quiet
        As typed.
    views
        Names that --view takes; the first is the default.
    draws
        True if the command can write a picture.
    """

    def __init__(
        self,
        format: str | None,
        path: str | None,
        digits: str | None,
        quiet: bool,
        view: str | None = None,
        views: Sequence[str] = (),
        *,
        draws: bool = False,
    ) -> None:
        self.path = path
        self.quiet = quiet
        self.view = view
        suffix = Path(path).suffix.lower() if path else ""
        self.picture = draws and format is None and suffix in PICTURES
        self.format = "text"
        if view not in PROGRAMS:
            self.format = _format(format, path, suffix, draws=draws)
        elif format is not None:
            raise UsageError(f"--view {view} is a program, not a table; remove --format {format}")
        default = DIGITS_FOR_PEOPLE if self.format in FOR_PEOPLE else None
        self.digits = whole(digits, "--digits", 1, MOST_DIGITS) if digits else default
        if view is not None and view not in (known := [*views, "all"]):
            raise unknown("view", view, known)
        if view == "all" and self.format == "csv":
            raise UsageError(
                f"--view all: CSV has one table; take {' or '.join(views)}, or -f json"
            )

    @property
    def on_screen(self) -> bool:
        """True if a person reads the answer as it comes."""
        return self.format == "table" and self.path is None

    def write(self, results: Shown, notes: Sequence[str] = ()) -> None:
        """Write an answer, notes, and where it went; broken bounds end with 1."""
        answer = results.answer
        if self.picture and not answer.picture:
            raise UsageError(f"-o {self.path}: this answer has no picture; name FILE.csv, say")
        if answer.complete or self.path is None:
            self._write(answer)
        for note in () if self.quiet else [*notes, *answer.notes]:
            say(f"note: {note}")
        if not answer.complete:
            raise Interrupted(f"interrupted; {answer.found or 'the answer is incomplete'}")
        if self.path is not None and not self.quiet:
            say(f"{answer.found or _counted(answer.table(self._one_view))}; written to {self.path}")
        if answer.failures:
            raise JudgedError("\n".join(answer.failures))

    @property
    def _one_view(self) -> str | None:
        return None if self.view == "all" else self.view

    def _write(self, answer: Answer) -> None:
        if answer.picture and (self.picture or (self.format, self.view) == ("table", "plot")):
            from gelu_cli.output.pictures import show

            show(answer.picture(), self.path)
        elif self.format == "json":
            self._write_json(answer)
        elif self.format == "text":
            with opened(self.path) as out:
                out.writelines(f"{line}\n" for (line,) in answer.table(self.view).rows())
        else:
            with opened(self.path) as out:
                self._write_tables(answer, out)

    def _write_tables(self, answer: Answer, out: Any) -> None:
        tables = self._tables(answer)
        if self.format != "table":
            for table in tables:
                RENDERERS[self.format](table, out)
            return
        from gelu_cli.output.terminal import console_for, print_sentences, print_table

        console = console_for(out)
        if self.on_screen and self.view is None:
            print_sentences(answer.sentences, console)
        for above, table in zip([None, *tables], tables, strict=False):
            if above and above.meanings:
                console.print()
            print_table(table, console)

    def _tables(self, answer: Answer) -> Sequence[Table]:
        if self.view == "all":
            return [make() for make in answer.views.values()]
        if self.on_screen and self.view is None and answer.screen:
            return answer.screen()
        return [answer.table(self.view)]

    def _write_json(self, answer: Answer) -> None:
        if self.view is None and answer.record and answer.complete:
            return write_json(answer.record(), self.path)
        if self.view == "all":
            views = {name: _plain(make()) for name, make in answer.views.items()}
            return write_json(views, self.path)
        with opened(self.path) as out:
            RENDERERS["json"](answer.table(self.view), out)
        return None


def _format(format: str | None, path: str | None, suffix: str, *, draws: bool) -> str:
    """Choose a format: the one asked for, that of the suffix, or what stdout is for."""
    if format is not None:
        if format not in RENDERERS:
            raise unknown("format", format, RENDERERS)
        return format
    if path is None:
        return "table" if sys.stdout.isatty() else "csv"
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if (draws and suffix in PICTURES) or path.startswith("/dev/"):
        return "csv"
    known = [*SUFFIXES, *(PICTURES if draws else ())]
    raise UsageError(f"-o {path}: the suffix is not one of {' '.join(known)}; add -f csv, say")


def _counted(table: Table) -> str:
    return f"{len(table):,} row{'s' * (len(table) != 1)} of {', '.join(table.columns)}"


def _plain(table: Table) -> list[dict[str, Any]]:
    return [{name: to_json(cell) for name, cell in row.items()} for row in table.dicts()]


def write_json(answer: Any, path: str | None) -> None:
    """Write an object of plain data as indented JSON."""
    import json

    with opened(path) as out:
        json.dump(answer, out, ensure_ascii=False, allow_nan=False, indent=1)
        out.write("\n")
