"""Values from a JSON file, read by a shape: what does not fit is refused by its path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.errors import UsageError


class Kind(NamedTuple):
    """A single value: what it must be in words, what must hold of it, and what reads it before.

    `read` may raise a `UsageError` that says what is wrong. Some values may be `null`.
    """

    due: str
    holds: Callable[[Any], bool] = lambda value: True
    read: Callable[[Any], Any] = lambda value: value
    null: bool = False


Shape: TypeAlias = "Kind | Mapping[Any, Any] | list[Any]"
"""What a value must be, written as the value itself is.

An object has the shapes of its members by name, of those that may be missing by `name?`, and of all
others by `...`. An array has the shape of its items, and `...` behind it if there must be some.
"""

ANYTHING = Kind("anything")


class Fields(NamedTuple):
    """The fields of one file, which are read by their shapes."""

    file: str
    remedy: str
    """What to do where something is missing or wrong."""

    def read(self, shape: Shape, value: Any, path: str = "") -> Any:
        """Return a value as its shape reads it; raises `UsageError`, which names file and path."""
        if isinstance(shape, Kind):
            return self._single(shape, value, path)
        if isinstance(shape, list):
            if not isinstance(value, list) or (... in shape and not value):
                raise self.wrong(path, "an array" + " with items" * (... in shape), value)
            return [self.read(shape[0], each, f"{path}[{i}]") for i, each in enumerate(value)]
        if not isinstance(value, dict):
            raise self.wrong(path, "an object", value)
        before = f"{path}." if path else ""
        for name in shape:
            if name is not ... and not name.endswith("?") and name not in value:
                raise self.no_record(f"{before}{name} is missing")
        others: Shape = shape.get(..., ANYTHING)
        return {
            name: self.read(shape.get(name, shape.get(f"{name}?", others)), each, before + name)
            for name, each in value.items()
        }

    def _single(self, kind: Kind, value: Any, path: str) -> Any:
        if kind.null and value is None:
            return None
        due = f"{kind.due} or null" if kind.null else kind.due
        try:
            found = kind.read(value)
        except UsageError as error:
            raise UsageError(f"{self.file}: {path}: {error}") from None
        except (AttributeError, TypeError):  # what is no text does not have its methods
            raise self.wrong(path, due, value) from None
        if not kind.holds(found):
            raise self.wrong(path, due, value)
        return found

    def wrong(self, path: str, due: str, value: Any) -> UsageError:
        """Return the error for a value of another kind than is due."""
        words: dict[type, str] = {dict: "an object", list: "an array" if value else "an empty one"}
        shown = words.get(type(value), repr(value)[:40])
        return self.no_record(f"{path} must be {due}, not {shown}")

    def no_record(self, fault: str) -> UsageError:
        """Return the error for a file in which something is missing or wrong."""
        return UsageError(f"{self.file} is no whole record: {fault}; {self.remedy}")
