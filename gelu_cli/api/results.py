"""Results of the API's functions: frozen dataclasses, and lists of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, fields, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from gelu_cli.errors import unknown
from gelu_cli.formulas import Form
from gelu_cli.inputs.names import FormLike
from gelu_cli.kernels.environment import standard_environment
from gelu_cli.output.tables import Table

if TYPE_CHECKING:
    import pandas

    from gelu_cli.api.records import Record
    from gelu_cli.output.pictures import Picture

Real: TypeAlias = float | Decimal
"""A number of a result: a float64, or a decimal whose digits are all right."""


@dataclass(frozen=True)
class Answer:
    """The parts of a call's answer that are not fields of its results.

    Attributes
    ----------
    views
        By the name of a view, the function that makes its table; the first is the default.
    words
        The answer in sentences, for a terminal, or a function that makes the sentences.
    screen
        Function that makes the tables of a terminal; None for the default view.
    notes, failures
        Notes, each a sentence; broken bounds, each a sentence, for which the exit code is 1.
    found
        The answer in one line, printed when a file is written.
    record
        The record, if kernels were measured: a JSON file has it instead of a view. Else None.
    picture
        Function that makes the picture of `--view plot` and of files like .png; None without one.
    complete
        False if an interrupt ended the work.
    """

    views: Mapping[str, Callable[[], Table]]
    words: Sequence[str] | Callable[[], Sequence[str]] = ()
    screen: Callable[[], Sequence[Table]] | None = None
    notes: Sequence[str] = ()
    failures: Sequence[str] = ()
    found: str = ""
    record: Record | None = None
    picture: Callable[[], Picture] | None = None
    complete: bool = True

    @property
    def sentences(self) -> Sequence[str]:
        """The answer in sentences."""
        return self.words() if callable(self.words) else self.words

    @standard_environment()
    def table(self, view: str | None = None) -> Table:
        """Make a view; None is the default."""
        name = next(iter(self.views)) if view is None else view
        if name not in self.views:
            raise unknown("view", name, self.views, " of this answer")
        return self.views[name]()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the tables of all views in place of the functions that make them."""
        views = {name: partial(replace, self.table(name)) for name in self.views}
        picture = self.picture if self.record else None  # pickle refuses pictures of curves
        made = {"views": views, "words": self.sentences, "screen": None, "picture": picture}
        return {**vars(self), **made}


class Shown:
    """Methods of results and of lists of results."""

    answer: Answer

    def view(self, name: str) -> list[dict[str, Any]]:
        """List the rows of a view, each a dictionary by column."""
        return self.answer.table(name).dicts()

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that the command line prints on stderr."""
        return self.answer.notes

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of the default view, each a list."""
        return {name: list(cells) for name, cells in self.answer.table().columns.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """Return the default view as a DataFrame."""
        import pandas

        return pandas.DataFrame(dict(self.answer.table().columns))

    def save(self, path: str | Path, view: str | None = None) -> None:
        """Write a file; as for `-o FILE`, its suffix decides the format.

        Raise UsageError if the suffix or the view is unknown, OutputError if writing fails.
        """
        from gelu_cli.output.writer import Output

        draws = self.answer.picture is not None
        out = Output(None, str(path), None, True, view, list(self.answer.views), draws=draws)
        out.write_answer(self.answer)

    def __str__(self) -> str:
        """Lay out the default view as a table, with all digits of numbers."""
        from io import StringIO

        from gelu_cli.output.tables import as_table

        text = StringIO()
        as_table(self.answer.table(), text)
        return text.getvalue().rstrip("\n")


@dataclass(frozen=True, kw_only=True)
class Result(Shown):
    """A row of an answer; subclasses have a field for each column."""

    answer: InitVar[Answer | None] = None

    def __post_init__(self, answer: Answer | None) -> None:
        """Set the answer; it is not a field, since every field is a column."""
        object.__setattr__(self, "answer", answer or Answer({"summary": self._row}))

    def _row(self) -> Table:
        row = self.to_dict()
        return Table.of_rows(type(self).__name__, row, [row])

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


R = TypeVar("R", bound=Result)


class Results(list[R], Shown, Generic[R]):
    """A list of results that prints as one table."""

    def __init__(self, results: Iterable[R], answer: Answer) -> None:
        super().__init__(results)
        self.answer = answer

    __str__ = Shown.__str__


def one_or_all(
    form: FormLike | Sequence[FormLike], found: Sequence[R], answer: Answer
) -> R | Results[R]:
    """Return the result of a single form, or a list for several forms."""
    if len(found) == 1 and isinstance(form, str | Form):
        return replace(found[0], answer=answer)
    return Results(found, answer)
