"""The best constants as a program: a function in C and in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gelu_cli.answers.fit.best import Solve, range_text
from gelu_cli.arithmetic.formats import Format
from gelu_cli.calculus.fitting.best import Best
from gelu_cli.calculus.fitting.names import CRITERIA
from gelu_cli.code import code_of
from gelu_cli.report import Column, Ending, Report, Row


def programs(solve: Solve, languages: Sequence[str], dtype: Format) -> Iterator[str]:
    """Yield a file with the function in each language; raises `UsageError` as `code_of` does."""
    best = solve()
    for number, language in enumerate(languages):
        text = code_of(best.form, language, dtype, note=_note(best))
        yield "\n" + text if number else text


def code(solve: Solve, languages: Sequence[str], dtype: Format) -> Report:
    """Return a row for each line of the files, for formats that hold tables."""

    def stream() -> Iterator[list[Row] | Ending]:
        for language in languages:
            (text,) = programs(solve, [language], dtype)
            lines = enumerate(text.splitlines(), 1)
            yield [(language, dtype.name, number, line) for number, line in lines]
        yield Ending({"fitted": solve().form.label})

    columns = [Column(name, name) for name in ("language", "dtype", "line", "code")]
    return Report("A function with these constants", columns, stream(), keys=3)


def _note(best: Best) -> str:
    family, criterion = best.family, best.criterion
    return (
        f"Fitted to {family.target.label} by {criterion.name} ({CRITERIA[criterion.name]}) of the "
        f"{family.quantity}, {range_text(criterion)}: {float(best.error):.6g} before constants are "
        f"rounded to a format. {_proof(best)}"
    )


def _proof(best: Best) -> str:
    if best.lower_bound is None:
        return f"Not proved best: {best.proof}."
    if best.proof == "member":
        return "The target is a member of the form."
    return f"No constants have less than {float(best.lower_bound):.6g}, by {best.proof}."
