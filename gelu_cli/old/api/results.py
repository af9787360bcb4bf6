"""What functions return: figures by name, and the tables that the command of that name prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.api.messages import asked_in_python
from gelu_cli.old.report import Cell, Page, Report, read
from gelu_cli.old.report.elements import element, markup
from gelu_cli.old.report.formats import find_renderer, name_for_suffix, suffixes
from gelu_cli.old.report.numbers import human_text

if TYPE_CHECKING:
    from gelu_cli.old.formulas import Form

R = TypeVar("R", bound=float | Decimal)
"""A float64, or a Decimal where `digits` was given."""

SHOWN_DIGITS = 6
"""Significant digits of figures that are printed for people, as on the command line."""

WIDTH = 100


class Tabular:
    """What has the tables of a command.

    `print(answer)` shows the first as a terminal would, a notebook shows it in HTML, `rows()`
    has any of them as dictionaries, and `save` writes one to a file.
    """

    tables: Mapping[str, Callable[..., Report]]
    """The tables by name, computed when they are asked for, with `digits` as an argument."""

    digits: int | None

    @property
    def views(self) -> list[str]:
        """The names of the tables; `rows` and `save` take the first unless told otherwise."""
        return list(self.tables)

    def rows(self, view: str | None = None) -> list[dict[str, Cell]]:
        """Return a table as dictionaries, one a row, with the columns of the command line.

        Raises ValueError for a view that there is not.

        >>> from gelu_cli import variance
        >>> variance("relu").rows()[0]["second_moment"]
        0.5
        """
        report = self._report(view, self.digits)
        names = [column.name for column in report.columns]
        return [dict(zip(names, row, strict=True)) for row in read(report)[0]]

    def save(self, path: str | Path, view: str | None = None) -> None:
        """Write a table to a file, in the format that its suffix names: .csv, .json, .md, .tex, …

        Raises ValueError for a suffix or a view that is not known, OSError as `open` does.
        """
        name = name_for_suffix(Path(path).suffix)
        if name is None:
            raise UsageError(f"'{path}' names no format; end it with {', '.join(suffixes())}")
        renderer = find_renderer(name)
        report = self._report(view, self._shown_digits if renderer.people else self.digits)
        parts = renderer.render(report, Page())
        if renderer.binary:
            Path(path).write_bytes(b"".join(parts))
        else:
            Path(path).write_text("".join(parts), encoding="utf-8")

    def __str__(self) -> str:
        """Return the first table as a terminal shows it."""
        report = self._report(None, self._shown_digits)
        return "".join(find_renderer("table").render(report, Page(WIDTH))).rstrip()

    def _repr_html_(self) -> str:
        """Return the first table for a notebook."""
        report = self._report(None, self._shown_digits)
        head = element("tr", *(element("th", column.heading) for column in report.columns))
        rows = (element("tr", *(element("td", human_text(cell)) for cell in row))
                for row in read(report)[0])  # fmt: skip
        return markup(element("table", element("caption", report.title), head, *rows))

    @property
    def _shown_digits(self) -> int:
        return self.digits or SHOWN_DIGITS

    @asked_in_python
    def _report(self, view: str | None, digits: int | None) -> Report:
        name = view or self.views[0]
        if name not in self.tables:
            raise unknown("view", name, self.tables)
        report = self.tables[name](digits=digits)
        return report._replace(stream=read(report))


@dataclass(frozen=True)
class Answer(Tabular):
    """Figures as attributes, and the tables of the command that has the name of the function."""

    tables: Mapping[str, Callable[..., Report]] = field(repr=False, compare=False, kw_only=True)
    digits: int | None = field(default=None, repr=False, compare=False, kw_only=True)
    notes: Sequence[str] = field(default=(), repr=False, compare=False, kw_only=True)
    """What else was seen, a sentence each."""


class Table(Answer):
    """A table: its rows are dictionaries, `table["x"]` is a column, `table[0]` a row.

    >>> from gelu_cli import table
    >>> found = table([0.5, 1.0], "relu")
    >>> found["relu"], found[0], len(found)
    ([0.5, 1.0], {'x': 0.5, 'relu': 0.5, 'relu_gradient': 1.0}, 2)
    """

    def __len__(self) -> int:
        return len(self.rows())

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        return iter(self.rows())

    @overload
    def __getitem__(self, key: int) -> dict[str, Cell]: ...
    @overload
    def __getitem__(self, key: str) -> list[Cell]: ...
    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return self.rows()[key]
        if key not in self.columns:
            raise KeyError(key)
        return [row[key] for row in self.rows()]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self._report(None, self.digits).columns]

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self.columns)})"


@dataclass(frozen=True)
class ErrorSummary(Answer, Generic[R]):
    """The suprema of the error of a form, where they are, and its averages for X ~ N(μ, σ²)."""

    max_abs_error: R
    max_abs_error_x: R
    max_rel_error: R
    max_rel_error_x: R
    mean_abs_error: R
    rms_error: R
    max_rel_error_is_bounded: bool
    """False where the relative error has no bound; one beyond float64 is infinite, yet bounded."""


@dataclass(frozen=True)
class Landmark(Generic[R]):
    """A minimum or an inflection point, with what the form is there."""

    point: str
    """`minimum` or `inflection`."""

    x: R
    value: R
    gradient: R
    curvature: R
    residual: R
    """|f′| at the x given of a minimum, |f″| of an inflection point."""


@dataclass(frozen=True)
class Landmarks(Answer, Sequence[Landmark[R]]):
    """The landmarks of a form, from left to right."""

    landmarks: tuple[Landmark[R], ...]

    @overload
    def __getitem__(self, index: int) -> Landmark[R]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Landmark[R]]: ...
    def __getitem__(self, index: Any) -> Any:
        return self.landmarks[index]

    def __len__(self) -> int:
        return len(self.landmarks)


@dataclass(frozen=True)
class Moments(Answer, Generic[R]):
    """Moments of f(X) and f′(X), and the three gains 1/√Var f, 1/√E f² and 1/√E f′²."""

    gradient_second_moment: R
    gradient_mean: R
    gradient_variance: R
    mean: R
    second_moment: R
    variance: R
    gain_variance: R
    gain_second_moment: R
    gain_gradient: R


@dataclass(frozen=True)
class Change(Answer, Generic[R]):
    """How the output of a block changes, relatively to what it was, and how its gradient does."""

    relative_rms: R
    """r = √(E(g − f)²/E f²)."""

    db: R
    """20·log₁₀ r; −∞ for forms that are the same."""

    bits: R
    """−log₂ r, about the bits of the output that stay right."""

    relative_rms_centred: R
    """√(Var(g − f)/E f²): what remains of r where b₂ absorbs the mean of the change."""

    gain: R
    """√(E g²/E f²)."""

    one_minus_cosine: R
    """1 − E fg/√(E f²·E g²)."""

    gradient_relative_rms: R
    """√(E(g′ − f′)²/E f′²)."""

    gradient_db: R


@dataclass(frozen=True)
class Point(Generic[R]):
    """Where the error is largest, with its sign, and the weight of the point in the balance."""

    x: R
    error: R
    weight: float


@dataclass(frozen=True)
class Best(Answer, Generic[R]):
    """The best constants of a form by a criterion, and the form that they make."""

    parameters: Mapping[str, R]
    """The constants, correctly rounded, by the names of the parameters."""

    error: R
    """The error of `form`, which has the constants as printed."""

    lower_bound: R | None
    """No constants have an error below it; None where nothing proves one."""

    proof: str
    """`alternation`, `bound`, or how many searches found nothing better."""

    form: Form = field(repr=False)
    points: Sequence[Point[R]] = field(repr=False)

    @property
    def constants(self) -> list[R]:
        """The constants in the order of the parameters."""
        return list(self.parameters.values())
