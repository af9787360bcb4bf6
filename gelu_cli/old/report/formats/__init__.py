"""The output formats: one file each, whose name is the format's.

A file has `render(report, page)`, which yields text and prints nothing, and a docstring whose first
line help shows. In the texts of the report that it gets, what is not seen is an escape already. It
may have `SUFFIXES`, the endings of files that mean the format; `PEOPLE`, whether people read it
(numbers then have 6 digits unless asked otherwise); `HEADER`, whether its first line may be left
out; `BINARY`, whether it yields bytes; `NEEDS`, a module that may not be installed; and `PAGED`,
whether the user's pager shows what is longer than the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from gelu_cli.errors import unknown
from gelu_cli.old.registry import module_names, module_settings
from gelu_cli.old.report import Page, Report
from gelu_cli.old.report.text import with_texts


class Renderer(NamedTuple):
    """What turns a report into text of one format, or into bytes if it is `binary`."""

    name: str
    render: Callable[[Report, Page], Iterator[Any]]
    suffixes: tuple[str, ...] = ()
    people: bool = False
    header: bool = False
    binary: bool = False
    needs: str = ""
    paged: bool = False


def format_names() -> list[str]:
    """Return the names of the output formats."""
    return module_names(__path__)


def find_renderer(name: str) -> Renderer:
    """Return the renderer of that name; raises `UsageError` where there is none.

    Whatever the format, what is not seen in a text leaves as an escape.
    """
    if name not in format_names():
        raise unknown("format", name, ["auto", *format_names()])
    module = import_module(f"{__name__}.{name}")

    def render(report: Report, page: Page) -> Iterator[Any]:
        return module.render(with_texts(report), page)  # type: ignore[no-any-return]

    return Renderer(name, render, **module_settings(module, Renderer._field_defaults))


def suffixes() -> list[str]:
    """Return the endings of files that name a format.

    >>> ".csv" in suffixes()
    True
    """
    return [suffix for name in format_names() for suffix in find_renderer(name).suffixes]


def name_for_suffix(suffix: str) -> str | None:
    """Return the format that files with this ending have, if any.

    >>> name_for_suffix(".md")
    'markdown'
    """
    names = (name for name in format_names() if suffix.lower() in find_renderer(name).suffixes)
    return next(names, None)
