"""The options for output, and the writing of an answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from gelu_cli.errors import Interrupted, JudgedError, OutputError, UsageError, unknown
from gelu_cli.inputs.numbers import to_digits
from gelu_cli.output.streams import opened, say
from gelu_cli.output.tables import FOR_PEOPLE, RENDERERS, SUFFIXES, json_rows

if TYPE_CHECKING:
    from gelu_cli.api.results import Answer, Shown
    from gelu_cli.output.tables import Table

DIGITS_FOR_PEOPLE = 6
PICTURES = (".png", ".svg", ".pdf")
PROGRAMS = {"c": ".c", "python": ".py"}
"""Views that are programs, with usual suffixes; suffixes of tables are refused for programs."""


class Output:
    """The options -f, -o, -d, --view and -q of a command, as typed.

    `views` are the names that --view takes, with the default first; `draws` is True if the command
    can write a picture.
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
        self.path, self.quiet, self.view = None if path == "-" else path, quiet, view
        self.format = self._format(format, views, draws)
        default = DIGITS_FOR_PEOPLE if self.format in FOR_PEOPLE else None
        self.digits = to_digits(digits) or default
        known = [*views, "all"]
        if view is not None and view not in known:
            raise unknown("view", view, known)
        if view == "all" and self.format == "csv":
            raise UsageError(
                f"--view all: CSV has one table; take {' or '.join(views)}, or -f json"
            )
        if path is not None and not Path(path).absolute().parent.is_dir():  # before the work
            raise OutputError(f"cannot write to {path}: there is no such folder")

    def _format(self, format: str | None, views: Sequence[str], draws: bool) -> str:
        """Choose the format by the option, the suffix, or the type of stdout."""
        suffixes = SUFFIXES | (dict.fromkeys(PICTURES, "picture") if draws else {})
        suffix = Path(self.path or "").suffix.lower()
        if self.view in PROGRAMS:
            if not format and suffix not in suffixes:
                return "program"
            remedy = f"remove --format {format}" if format else "name a file such as gelu.c"
            raise UsageError(f"--view {self.view} is a program, not a table; {remedy}")
        if format is not None:
            if format not in RENDERERS:
                raise unknown("format", format, RENDERERS)
            return format
        if self.path is None:
            return "table" if sys.stdout.isatty() else "csv"
        if suffix in suffixes:
            return suffixes[suffix]
        if self.path.startswith("/dev/"):
            return "csv"
        add = {PROGRAMS.get(name): f"--view {name}" for name in views}.get(suffix, "e.g. -f csv")
        raise UsageError(
            f"-o {self.path}: the suffix is not one of {' '.join(suffixes)}; add {add}"
        )

    def write(self, results: Shown, notes: Sequence[str] = ()) -> None:
        """Write an answer; raise if the answer is incomplete or has failures."""
        answer = results.answer
        if answer.complete or self.path is None:
            self.write_answer(answer)
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

    def write_answer(self, answer: Answer) -> None:
        """Write an answer, without its notes."""
        if self.format == "picture":
            if answer.picture is None:
                raise UsageError(f"-o {self.path}: this answer has no picture; name e.g. FILE.csv")
            answer.picture().save(str(self.path))
            return
        names = [*answer.views] if self.view == "all" else [self.view]
        with opened(self.path) as out:
            if self.format == "json" and self.view == "all":
                _write_json({name: json_rows(make()) for name, make in answer.views.items()}, out)
            elif self.format == "json" and self.view is None and answer.record and answer.complete:
                _write_json(answer.record.plain(), out)
            elif self.format == "table" and self.path is None and self.view is None:
                from gelu_cli.output.terminal import print_sentences

                print_sentences(answer.sentences, out)
                self._write_tables(answer.screen() if answer.screen else [answer.table()], out)
            elif not (self.view == "plot" and self._draw(answer, out)):
                self._write_tables([answer.table(name) for name in names], out)

    def _draw(self, answer: Answer, out: TextIO) -> bool:
        """Draw curves as text; return False for a heat map, or if -f is not table."""
        picture = answer.picture() if answer.picture and self.format == "table" else None
        if picture is None or picture.y is not None:
            return False
        from gelu_cli.output.pictures import draw

        out.write(draw(picture))
        return True

    def _write_tables(self, tables: Sequence[Table], out: TextIO) -> None:
        """Write tables, with an empty line between them, and programs as text."""
        for place, table in enumerate(tables):
            out.write("\n" if place else "")
            if [*table.columns] == ["code"]:
                out.writelines(f"{line}\n" for (line,) in table.rows())
            else:
                RENDERERS[self.format](table, out)


def _write_json(content: Any, out: TextIO) -> None:
    json.dump(content, out, ensure_ascii=False, allow_nan=False, indent=1)
    out.write("\n")
