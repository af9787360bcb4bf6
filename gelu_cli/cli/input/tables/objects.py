"""Tables as objects of JSON, one for each row: in an array, or one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from gelu_cli.cli.input.lines import Unit
from gelu_cli.cli.input.tables.layout import Header, Layout
from gelu_cli.errors import UsageError

OBJECT = Unit("an object of JSON", "}]", 1 << 22)
SEPARATORS = " \t\r\n,[]"
BETWEEN = re.compile(r"[\s,\[\]]*")
SHOWN = 40

AS_TYPED = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
"""Numbers stay text, with all the digits they have."""


class ObjectText(Layout):
    """Objects with a name for each cell: those of the first one are the columns."""

    unit = OBJECT

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._columns: list[str] = []
        self._number, self._begun = 1, ""

    def header(self, number: int, text: str) -> Header | None:
        """Return the names in the first object."""
        number, text = self._whole(number, text)
        for _, value in self._objects(number, text):
            self._columns, self._begun = list(value), ""
            return Header(self._columns, number, text)
        return None

    def rows(self, number: int, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of each object, with the number of the line in which it begins."""
        for at, value in self._objects(*self._whole(number, text)):
            cells = [_cell(value.pop(column, "")) for column in self._columns]
            if value:
                raise UsageError(
                    f"line {at} of {self.name} has '{next(iter(value))}', "
                    "which the first object has not"
                )
            yield at, cells

    def plain_cells(self, text: str, index: int, width: int) -> list[str] | None:
        """Return one cell of each object in a text, or None if they must be read one by one.

        Between objects are commas alone, or ends of lines alone, and each has the same names.
        """
        if self._begun:
            return None
        objects = text.strip(SEPARATORS).replace("}\n{", "},{")  # no string has the end of a line
        try:
            found = AS_TYPED.decode(f"[{objects}]")
            if any(len(each) != len(self._columns) for each in found):
                return None
            cells = [each[self._columns[index]] for each in found]
        except (json.JSONDecodeError, RecursionError, KeyError, TypeError):
            return None
        return cells if all(isinstance(each, str) and each for each in cells) else None

    def _whole(self, number: int, text: str) -> tuple[int, str]:
        """Return a text with what has come before of its first object."""
        if not self._begun:
            return number, text
        return self._number, self._begun + text

    def _objects(self, number: int, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
        end, self._begun = 0, ""
        while True:
            start = BETWEEN.match(text, end).end()  # type: ignore[union-attr]
            number += text.count("\n", end, start)
            if start == len(text):
                return
            try:
                value, end = AS_TYPED.raw_decode(text, start)
            except json.JSONDecodeError as error:
                if len(text) - start > OBJECT.longest or not _may_go_on(error, text):
                    raise self._wrong(number, f"{error.msg.lower()}") from None
                self._number, self._begun = number, text[start:]
                return
            except RecursionError:
                raise self._wrong(number, "it is nested too deeply") from None
            if not isinstance(value, dict):
                raise self._wrong(number, f"it is {str(value)[:SHOWN]}")
            yield number, value
            number += text.count("\n", start, end)

    def _wrong(self, number: int, why: str) -> UsageError:
        return UsageError(
            f"line {number} of {self.name}: not an object of JSON, as each row of a table is: {why}"
        )

    def check_end(self) -> None:
        """Raise `UsageError` inside an object."""
        if self._begun.strip():
            raise self._wrong(self._number, "it does not end")


def _may_go_on(error: json.JSONDecodeError, text: str) -> bool:
    """Return whether what is wrong with a text is that it has not ended yet."""
    return error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip())


def _cell(value: Any) -> str:
    """Return a value as the text of a cell."""
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value)
