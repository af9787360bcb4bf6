"""Apache Parquet, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from gelu_cli.report import Page, Report
from gelu_cli.report.formats._columns import Kind, columns_of

SUFFIXES = (".parquet",)
BINARY = True
NEEDS = "pyarrow"

GROUP = 1 << 17
"""Least number of rows in a group, which readers load at once; the last may have fewer."""


def render(report: Report, page: Page) -> Iterator[bytes]:
    """Yield the report as one Parquet file; a cell that is empty is null."""
    import pyarrow as pa
    from pyarrow import parquet

    with columns_of(report) as columns:
        schema = pa.schema([(kind.name, _type(kind)) for kind in columns.kinds])
        written = BytesIO()
        with parquet.ParquetWriter(written, schema) as writer:
            waiting = []
            for parts in columns.parts():
                arrays = [*map(pa.array, parts, schema.types)]
                waiting.append(pa.record_batch(arrays, schema=schema))
                if sum(map(len, waiting)) >= GROUP:
                    writer.write_table(pa.Table.from_batches(waiting).combine_chunks())
                    waiting.clear()
                    yield _taken(written)
            if waiting:
                writer.write_table(pa.Table.from_batches(waiting).combine_chunks())
        yield _taken(written)


def _type(kind: Kind) -> Any:
    """Return the type of a column; bit patterns are unsigned integers of their width."""
    import pyarrow as pa

    if kind.bits:
        return getattr(pa, f"uint{kind.bits}")()
    return {int: pa.int64(), float: pa.float64(), str: pa.string()}[kind.holds]


def _taken(written: BytesIO) -> bytes:
    """Return what has been written since the last time, and forget it; the writer counts alone."""
    content = written.getvalue()
    written.seek(0)
    written.truncate()
    return content
