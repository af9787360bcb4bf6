"""What is asked: one question a file, each a pure function from values to a `Report`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from gelu_cli.report import Column, Report

if TYPE_CHECKING:
    from gelu_cli.report import Stream


def report_of(
    title: str,
    columns: Iterable[str] | Mapping[str, str],
    stream: Stream,
    digits: int | None = None,
    keys: int = 1,
) -> Report:
    """Return a report with these columns: their headings by name, or names that are headings too.

    >>> report_of("", ["x"], []).columns, report_of("", {"x": "at x"}, []).columns
    ([Column(name='x', heading='x')], [Column(name='x', heading='at x')])
    """
    headings = columns if isinstance(columns, Mapping) else {name: name for name in columns}
    return Report(title, [Column(*pair) for pair in headings.items()], stream, digits, keys)
