"""Comma-separated values, lossless."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.report import Page, Report
from gelu_cli.report.formats._delimited import render_delimited

SUFFIXES = (".csv",)
HEADER = True


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as CSV (RFC 4180, with line feeds)."""
    return render_delimited(report, page, ",")
