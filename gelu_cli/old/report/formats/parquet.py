"""Apache Parquet, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from gelu_cli.old.report import Page, Report
from gelu_cli.old.report.formats._columns import Typed, columns_of

SUFFIXES = (".parquet",)
BINARY = True
NEEDS = "pyarrow"

GROUP = 1 << 17
"""Rows in a group, which readers load at once; the last may have fewer."""


def render(report: Report, page: Page) -> Iterator[bytes]:
    """Yield the report as one Parquet file; a cell that is empty is null."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = columns_of(report)
    schema = pa.schema([(column.name, _type(column)) for column in columns])
    arrays = [
        pa.chunked_array([pa.array(part, kind) for part in column.parts], kind)
        for column, kind in zip(columns, schema.types, strict=True)
    ]
    out = BytesIO()
    table = pa.Table.from_arrays(arrays, schema=schema).combine_chunks()
    parquet.write_table(table, out, row_group_size=GROUP)
    yield out.getvalue()


def _type(column: Typed) -> Any:
    """Return the type of a column; bit patterns are unsigned integers of their width."""
    import pyarrow as pa

    if column.bits:
        return getattr(pa, f"uint{column.bits}")()
    return {int: pa.int64(), float: pa.float64(), str: pa.string()}[column.holds]
