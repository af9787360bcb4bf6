"""The options of output, and the writing of an answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from gelu_cli.errors import Interrupted, JudgedError, UsageError, unknown
from gelu_cli.inputs.numbers import whole
from gelu_cli.output.destination import opened
from gelu_cli.output.messages import say
from gelu_cli.output.renderers import FOR_PEOPLE, RENDERERS, SUFFIXES, json_rows

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
        self.path, self.quiet, self.view = path, quiet, view
        self.format = _format(format, path, view, draws=draws)
        default = DIGITS_FOR_PEOPLE if self.format in FOR_PEOPLE else None
        self.digits = whole(digits, "--digits", 1, MOST_DIGITS) if digits else default
        known = [*views, "all"]
        if view is not None and view not in known:
            raise unknown("view", view, known)
        if view == "all" and self.format == "csv":
            raise UsageError(
                f"--view all: CSV has one table; take {' or '.join(views)}, or -f json"
            )

    def write(self, results: Shown, notes: Sequence[str] = ()) -> None:
        """Write an answer, notes, and where it went; broken bounds end with 1."""
        answer = results.answer
        if answer.complete or self.path is None:
            self._write(answer)
        for note in () if self.quiet else [*notes, *answer.notes]:
            say(f"note: {note}")
        if not answer.complete:
            raise Interrupted(f"interrupted; {answer.found or 'the answer is incomplete'}")
        if self.path is not None and not self.quiet:
            view = None if self.view == "all" else self.view
            found = answer.found or f"{len(answer.table(view)):,} rows"
            say(f"{found}; written to {self.path}")
        if answer.failures:
            raise JudgedError("\n".join(answer.failures))

    def _write(self, answer: Answer) -> None:
        if self.format == "picture":
            if answer.picture is None:
                raise UsageError(f"-o {self.path}: this answer has no picture; name FILE.csv, say")
            answer.picture().save(str(self.path))
            return
        with opened(self.path) as out:
            if drawing := self._drawing(answer):
                out.write(drawing)
            elif self.format == "json" and self.view in (None, "all"):
                self._write_json(answer, out)
            else:
                self._write_tables(answer, out)

    def _drawing(self, answer: Answer) -> str:
        """Draw curves as text, if asked for; a map is written as a table."""
        if self.format != "table" or self.view != "plot" or answer.picture is None:
            return ""
        from gelu_cli.output.canvas import draw

        picture = answer.picture()
        return draw(picture) if picture.y is None else ""

    def _write_json(self, answer: Answer, out: TextIO) -> None:
        """Write the record, all views by name, or the default view."""
        if self.view == "all":
            content: Any = {name: json_rows(make()) for name, make in answer.views.items()}
        elif answer.record and answer.complete:
            content = answer.record.plain()
        else:
            return RENDERERS["json"](answer.table(), out)
        json.dump(content, out, ensure_ascii=False, allow_nan=False, indent=1)
        out.write("\n")

    def _write_tables(self, answer: Answer, out: TextIO) -> None:
        """Write sentences and tables, with an empty line between tables."""
        tables: Sequence[Table]
        if self.format == "table" and self.path is None and self.view is None:
            from gelu_cli.output.terminal import print_sentences

            print_sentences(answer.sentences, out)
            tables = answer.screen() if answer.screen else [answer.table()]
        else:
            names = answer.views if self.view == "all" else [self.view]
            tables = [answer.table(name) for name in names]
        for place, table in enumerate(tables):
            out.write("\n" if place else "")
            if [*table.columns] == ["code"]:
                out.writelines(f"{line}\n" for (line,) in table.rows())
            else:
                RENDERERS[self.format](table, out)


def _format(format: str | None, path: str | None, view: str | None, *, draws: bool) -> str:
    """Choose the format by option, by suffix, or by what stdout is."""
    if view in PROGRAMS:
        if format is None:
            return "program"
        raise UsageError(f"--view {view} is a program, not a table; remove --format {format}")
    if format is not None:
        if format not in RENDERERS:
            raise unknown("format", format, RENDERERS)
        return format
    if path is None:
        return "table" if sys.stdout.isatty() else "csv"
    suffixes = SUFFIXES | (dict.fromkeys(PICTURES, "picture") if draws else {})
    suffix = Path(path).suffix.lower()
    if suffix in suffixes:
        return suffixes[suffix]
    if path.startswith("/dev/"):
        return "csv"
    raise UsageError(f"-o {path}: the suffix is not one of {' '.join(suffixes)}; add -f csv, say")
