"""A value in a JSON file, and the path to it: what a message names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from gelu_cli.errors import UsageError

NUMBER = re.compile(r"-?(?:inf|nan|\d+(?:\.\d+)?(?:e[+-]\d+)?)")
"""A number as text: not finite, or longer than a float64."""


@dataclass(frozen=True)
class Field:
    """A value in a file, and the path to it: views.worst[3].x."""

    value: Any
    file: str
    remedy: str
    """What to do where something is missing or wrong."""

    path: str = ""
    key: str = ""

    def __getitem__(self, key: str) -> Field:
        """Return a member of an object; raises `UsageError` where it has none of that name."""
        path = f"{self.path}.{key}" if self.path else key
        if not isinstance(self.value, dict) or key not in self.value:
            raise UsageError(f"{self.file} is no whole record: {path} is missing; {self.remedy}")
        return replace(self, value=self.value[key], path=path, key=key)

    def wrong(self, due: str) -> UsageError:
        """Return the error for a value of another kind than is due."""
        said = type(self.value).__name__ if isinstance(self.value, dict | list) else self.value
        words = {"dict": "an object", "list": "an array"}
        shown = words.get(str(said), repr(said)[:40])
        return UsageError(
            f"{self.file} is no whole record: {self.path} must be {due}, not {shown}; {self.remedy}"
        )

    def a_text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.wrong("text")
        return self.value

    def a_flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def a_count(self) -> int:
        """Return a whole number from 0 up."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or self.value < 0:
            raise self.wrong("a whole number from 0 up")
        return self.value

    def a_number(self) -> float:
        """Return a number, one that is not finite from text."""
        value = number_in(self.value)
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise self.wrong("a number")
        return float(value)

    def an_object(self) -> Field:
        """Return the field itself, if it is an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return self

    def members(self) -> list[Field]:
        """Return the members of an object."""
        return [self[key] for key in self.value]

    def items(self) -> list[Field]:
        """Return the items of an array."""
        if not isinstance(self.value, list):
            raise self.wrong("an array")
        return [
            replace(self, value=each, path=f"{self.path}[{i}]") for i, each in enumerate(self.value)
        ]

    def bits(self) -> int:
        """Return a bit pattern."""
        try:
            return int(self.a_text(), 16)
        except ValueError:
            raise self.wrong("a bit pattern, 0x and hexadecimal digits") from None


def number_in(value: Any) -> Any:
    """Return a value, text that is a number as that.

    >>> number_in("-inf"), number_in("0x3f80"), number_in("0.12345678901234567890")
    (-inf, '0x3f80', Decimal('0.12345678901234567890'))
    """
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        return value
    number = Decimal(value)
    return number if number.is_finite() else float(value)
