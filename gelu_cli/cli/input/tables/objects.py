"""Tables as objects of JSON, one for each row: in an array, or one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from gelu_cli.cli.input.lines import SHOWN, Unit
from gelu_cli.errors import UsageError

OBJECT = Unit("an object of JSON", "}]", 1 << 22)
SEPARATORS = " \t\r\n,[]"
BETWEEN = re.compile(r"[\s,\[\]]*")

AS_TYPED = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
"""Numbers stay text, with all the digits they have."""


class ObjectText:
    """Objects with a name for each cell: those of the first one are the columns."""

    unit = OBJECT

    def __init__(self, name: str) -> None:
        self.name = name
        """What the file is called in a message."""

        self._columns: list[str] = []
        self._number, self._begun = 1, ""  # an object that has not ended yet, and its line

    def header(self, number: int, text: str) -> tuple[list[str], int, str] | None:
        """Return the names in the first object, and the text of the rows, of which it is one."""
        number, text = self._whole(number, text)
        for _, value in self._objects(number, text):
            self._columns = list(value)
            return self._columns, number, text
        return None

    def rows(self, number: int, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of each object, with the number of the line in which it begins."""
        for at, value in self._objects(*self._whole(number, text)):
            cells = [value.pop(column, "") for column in self._columns]
            if value:
                raise UsageError(
                    f"line {at} of {self.name} has '{next(iter(value))}', "
                    "which the first object has not"
                )
            yield (
                at,
                [each.strip() if isinstance(each, str) else json.dumps(each) for each in cells],
            )

    def check_end(self) -> None:
        """Raise `UsageError` inside an object, where the text must not end."""
        if self._begun.strip():
            raise self._wrong(self._number, "it does not end")

    def plain_cells(self, text: str, index: int, width: int) -> list[str] | None:
        """Return one cell of each object in a text, or None if they must be read one by one.

        Between objects are commas alone, or ends of lines alone, and each has the same names.
        """
        if self._begun:
            return None
        objects = text.strip(SEPARATORS).replace("}\n{", "},{")  # no string has the end of a line
        try:
            found = AS_TYPED.decode(f"[{objects}]")
            cells = [each[self._columns[index]] for each in found]
        except (json.JSONDecodeError, RecursionError, KeyError, TypeError):
            return None
        are_alike = {*map(len, found)} <= {width}
        return (
            cells if are_alike and all(isinstance(each, str) and each for each in cells) else None
        )

    def _whole(self, number: int, text: str) -> tuple[int, str]:
        """Return a text with what has come before of its first object."""
        return (self._number, self._begun + text) if self._begun else (number, text)

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
                may_go_on = error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip())
                if len(text) - start > OBJECT.longest or not may_go_on:
                    raise self._wrong(number, error.msg.lower()) from None
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
