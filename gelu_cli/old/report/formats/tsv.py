"""Tab-separated values, lossless."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.old.report import Page, Report
from gelu_cli.old.report.formats import csv

SUFFIXES = (".tsv", ".tab")
HEADER = True


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as TSV."""
    return csv.render(report, page, "\t")
