"""Which constants of a format are best, and what it costs to round the best real ones instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gelu_cli.answers.fit.best import HEADINGS, SHORT, SUMMARY, Solve, range_text
from gelu_cli.arithmetic import Result
from gelu_cli.arithmetic.formats import Format
from gelu_cli.fitting.bounds import below
from gelu_cli.fitting.families import Best
from gelu_cli.fitting.rounded import Rounded, constants_in
from gelu_cli.report import Column, Ending, Report, Row
from gelu_cli.stages import part

NAIVE, BEST = "naive", "best"
COLUMNS = (*SUMMARY[:4], "written", "constants", *SUMMARY[4:])
"""`written` says of which constants the form is made, `constants` how they were chosen."""


def rounded(solve: Solve, number_format: Format, *, digits: int | None = None) -> Report:
    """Return a row for each constant: of the best real ones rounded, and of the best of a format.

    Errors are those of the constants of the format; published ones are rounded to it, too.
    """

    def stream() -> Iterator[list[Row] | Ending]:
        best = solve()
        with part(f"{best.family.form.label} in {number_format.name}"):
            ways = constants_in(best, number_format, digits)
        for way in ways:
            yield [*_rows(best, way, NAIVE), *_rows(best, way, BEST)]
        yield Ending(_facts(best, ways), list(_notes(ways)))

    columns = [Column(name, HEADINGS.get(name, name)) for name in COLUMNS]
    return Report(f"Best constants in {number_format.name}", columns, stream(), digits, keys=7)


def _rows(best: Best, way: Rounded, chosen: str) -> Iterator[Row]:
    family, criterion = best.family, best.criterion
    is_best = chosen == BEST
    values, error = (way.best, way.error) if is_best else (way.naive, way.error_naive)
    bound = below(error) if way.is_proved and error else None
    proof = (bound, way.proof) if is_best else (None, None)
    key = (family.form.typed_name, family.quantity, criterion.name, range_text(criterion))
    published = way.published or (None,) * len(values)
    gain = _ratio(way.error_published, error)
    for name, value, usual in zip(way.names, values, published, strict=True):
        written = ", ".join(way.constants(way.best))
        yield (*key, written, chosen, name, value, usual, error, way.error_published, gain, *proof)


def _ratio(one: Result | None, other: Result) -> float | None:
    if one is None or not other:
        return None
    return float(f"{float(one) / float(other):.{SHORT}g}")


def _facts(best: Best, ways: list[Rounded]) -> Mapping[str, str]:
    facts = {"target": best.family.target.label}
    for way in ways:
        words = [f"{name} = {value!r}, rounded and not fitted" for name, value in way.fixed.items()]
        if best.error:
            words.insert(0, _cost(best, way))
        facts[", ".join(way.constants(way.best))] = "; ".join(words)
    return facts


def _cost(best: Best, way: Rounded) -> str:
    rounded, chosen = (float(each) / float(best.error) for each in (way.error_naive, way.error))
    return (
        f"{chosen:.4g} times the error of the best real constants, "
        f"{rounded:.4g} times if these are rounded"
    )


def _notes(ways: list[Rounded]) -> Iterator[str]:
    if all(way.is_proved for way in ways):
        name = ways[0].number_format.name
        yield f"no other {name} constants have a smaller error: all of them are covered"
    for way in ways:
        if not way.is_proved:
            yield f"nothing proves {', '.join(way.names)} best: they are the {way.proof}"
