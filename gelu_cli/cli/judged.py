"""What `gelu check` judges, as its words and options name it: a file, stdin, or figures X=Y."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.cli import entries, sections
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.cli.input.tables.table import Skipped, Table

DEFAULT_COLUMN = "exact"
"""What Y is in X=Y."""


class Judged(NamedTuple):
    """A file, `-`, or pairs; which columns, all if none is named; what becomes of bad cells."""

    words: Sequence[str]
    columns: Sequence[str]
    skips: bool

    @property
    def path(self) -> str:
        """The file, or `-` for stdin, also if it is piped in without a word; "" for pairs."""
        from gelu_cli.cli.input.streams import comes_in
        from gelu_cli.cli.input.tables.pairs import is_pair

        if not self.words:
            if not comes_in():
                raise UsageError("no file; give FILE, X=Y, or - for stdin")
            return "-"
        if is_pair(self.words[0]):
            return ""
        if len(self.words) > 1:
            raise UsageError(f"unexpected '{self.words[1]}'; gelu check takes one FILE")
        return self.words[0]

    def left_out(self) -> Mapping[str, Skipped]:
        """Return what counts the cells that are left out, by what they are."""
        from gelu_cli.cli.input.tables.table import Skipped

        null = {"null": Skipped("may be infinite or NaN, which JSON writes as null,")}
        return null | ({"unreadable": Skipped("cannot be read")} if self.skips else {})

    def table(
        self, left_out: Mapping[str, Skipped], path: str = "", *, in_a_format: bool = False
    ) -> Table:
        """Return the table in the file, or that of the pairs, whose cells left out are counted.

        Raises `UsageError` where there is none; of a file of results it says what raw ones need.
        """
        from gelu_cli.cli.input.tables.pairs import pair_table
        from gelu_cli.cli.input.tables.table import read_table

        path = path or self.path
        if path:
            table = _raw_or_table(path) if in_a_format else read_table(path)
        elif len(self.columns) > 1:
            raise UsageError("--column: pairs are figures of one column; name one")
        else:
            table = pair_table(self.words, *(self.columns or [DEFAULT_COLUMN]))
        return table._replace(nulls=left_out["null"], skipped=left_out.get("unreadable"))


def _raw_or_table(path: str) -> Table:
    from gelu_cli.cli.input.lines import NotTextError
    from gelu_cli.cli.input.streams import name_of
    from gelu_cli.cli.input.tables.table import read_table

    remedy = (
        "if it holds raw results, --inputs FILE names a file with x, --all says that there is a "
        "result for every bit pattern"
    )
    try:
        table = read_table(path)
    except NotTextError as error:
        raise UsageError(f"{error}; {remedy}") from None
    if any("\0" in name for name in table.header):  # as the bits of 0 have it
        raise UsageError(f"{name_of(path)} is no table; {remedy}")
    return table


def say_left_out(left_out: Mapping[str, Skipped], say: Callable[[str], object]) -> None:
    """Say how many cells have been left out, and where the first is."""
    for skipped in left_out.values():
        if skipped.count:
            say(str(skipped))


JUDGED: Any = entries.Group(
    lambda source, column, skip_unreadable: Judged(source or (), column or (), skip_unreadable),
    {
        "source": entries.argument(
            many=True,
            metavar="[FILE]...",
            reads_stdin=True,
            help="A table with x and columns named as `gelu table` names them, in CSV, Markdown or "
            "JSON, or - for stdin; with --dtype raw results and .npy as well. Or figures X=Y, such "
            "as 2=1.9545. Or a record, .json.",
        ),
        "column": entries.option(
            None,
            "--column",
            many=True,
            metavar="NAME",
            help="Judge this column alone, may be repeated. Of X=Y it says what Y is. "
            f"Default: every column; {DEFAULT_COLUMN}.",
        ),
        "skip_unreadable": entries.flag(
            "--skip-unreadable", help="Leave out cells that cannot be read, and count them."
        ),
    },
    section=sections.INPUTS,
)
