"""The output formats: one module each, whose name is the format's.

A module has `SUFFIXES`, the endings of files that mean it, `PEOPLE`, whether people read it
(numbers then have 6 digits unless asked otherwise), `HEADER`, whether its first line may be left
out, and `render(report, page)`, which yields the
text a block at a time and prints nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Protocol, cast

from gelu_cli.errors import unknown
from gelu_cli.registry import module_names
from gelu_cli.report import Page, Report


class Renderer(Protocol):
    """What a module of this package offers."""

    SUFFIXES: tuple[str, ...]
    PEOPLE: bool
    HEADER: bool

    def render(self, report: Report, page: Page) -> Iterator[str]:
        """Yield the report as text."""


def format_names() -> list[str]:
    """Return the names of the output formats."""
    return module_names(__path__)


def find_renderer(name: str) -> Renderer:
    """Return the renderer of that name; raises `UsageError` where there is none."""
    if name not in format_names():
        raise unknown("format", name, ["auto", *format_names()])
    return cast(Renderer, import_module(f"{__name__}.{name}"))


def formats_with_header() -> list[str]:
    """Return the formats whose header line may be left out."""
    return [name for name in format_names() if find_renderer(name).HEADER]


def suffixes() -> list[str]:
    """Return the endings of files that name a format.

    >>> ".csv" in suffixes()
    True
    """
    return [suffix for name in format_names() for suffix in find_renderer(name).SUFFIXES]


def name_for_suffix(suffix: str) -> str | None:
    """Return the format that files with this ending have, if any.

    >>> name_for_suffix(".md")
    'markdown'
    """
    for name in format_names():
        if suffix.lower() in find_renderer(name).SUFFIXES:
            return name
    return None
