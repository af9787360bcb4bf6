"""The x at which explanations differ: of a value, or of the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.formulas import find_form
from gelu_cli.formulas.catalog import FIRST
from gelu_cli.identification.candidates import FORM, Candidate, Explanation, explain, numbers_of
from gelu_cli.identification.explanations import FEW
from gelu_cli.identification.given import Given, places_of, text_of
from gelu_cli.numbers import Decimals, evaluate
from gelu_cli.numbers.patterns import ulps

SIZES = ("0.5", "1.5", "2.5", "4", "5", "6", "0.25", "8", "10", "0.1", "100")
ROUND = ("2", "1", "3", "-1", "-2", "-3", *(sign + x for x in SIZES for sign in ("", "-")))
"""Inputs that a person would type, in the order in which they come to mind."""

CLEARLY = 2
"""Units by which two values should differ; one that differs by fewer is taken if none does."""

MORE_PLACES = 12
"""The most decimals with which values are tried beyond those of the printed ones."""

SPARE = 30
"""Decimals that are computed and cut."""


class Telling(NamedTuple):
    """An x at which candidates differ, and their values there, as text.

    `places` is the number of decimals, if more than the printed values have; `given` the value
    there, if it is one of the data.
    """

    x: str
    values: Sequence[str]
    places: int | None = None
    given: str = ""


def distinguish(first: Explanation, second: Explanation, given: Given) -> Telling | None:
    """Find where two explanations differ: in the data, else at another x.

    Of the values that the first alone explains it is the one from which the second is farthest.
    """
    pair = first.candidate, second.candidate
    decisive = np.flatnonzero(first.agrees & ~second.agrees).tolist()
    if not decisive:
        return elsewhere(pair, given)
    place = max(decisive, key=lambda i: second.off[i])
    x, y = given.texts(place)
    places = 0 if given.result else places_of(given.y[place])
    return Telling(x, [text_at(each, given.part([place]), places) for each in pair], given=y)


def elsewhere(candidates: Sequence[Candidate], given: Given) -> Telling | None:
    """Find an x that is not among the points at which all candidates differ."""
    if given.result is not None:
        return best_round_x(candidates, given, 0)
    places = max(map(places_of, given.y))
    for more in range(MORE_PLACES + 1):
        if found := best_round_x(candidates, given, places + more):
            return found._replace(places=places + more) if more else found
    return None


def best_round_x(candidates: Sequence[Candidate], given: Given, places: int) -> Telling | None:
    """Return the first round x at which all candidates differ, or clearly."""
    known = set(given.at.tolist()) if len(given.y) <= FEW else set()
    best, most = None, 0.0
    for x in ROUND:
        held = given.result is None or given.result.from_float(float(x)) == Decimal(x)
        if float(x) in known or not held:
            continue
        here = replace(given, x=[Decimal(x)], y=[Decimal(0)])
        texts = [text_at(each, here, places) for each in candidates]
        values = np.sort([float(text) for text in texts])
        units = 10.0**-places if given.result is None else ulps(given.result, values[1:])
        with np.errstate(over="ignore"):  # near 0 the unit is the least
            apart = np.rint(np.min(np.diff(values) / units))
        if not np.isfinite(apart):  # a NaN and a number differ
            apart = CLEARLY * (np.isnan(values).sum() < len(values))
        if apart > most:
            best, most = Telling(x, texts), apart
        if most >= CLEARLY:
            break
    return best


def text_at(candidate: Candidate, given: Given, places: int) -> str:
    """Return a candidate's number at the first point: a decimal, or a result."""
    if given.result is not None:
        return text_of(float(numbers_of(candidate, given)[0]), given.result)
    more = SPARE if candidate.cut else 0
    to = Decimals(28 + more, least_exponent=-places - more)
    (found,) = evaluate(candidate.form, [candidate.quantity], given.points[0], to)
    return f"{found:f}"[:-more] if more else f"{found:f}"


def refuse_what_distinguishes_nothing(given: Given) -> None:
    """Raise UsageError if exact, tanh and sigmoid explain all values.

    >>> refuse_what_distinguishes_nothing(Given("", "value", [Decimal(0)], [Decimal(0)]))
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: 0=0 is what exact, tanh and sigmoid all give; add a value that \
distinguishes them, with 3 decimals at x = 2 (1.954, 1.955 and 1.936)
    """
    forms = [Candidate(find_form(name), given.quantity, name, FORM) for name in FIRST]
    if len(given.y) > FEW or not all(explain(given, each).agrees.all() for each in forms):
        return
    if found := elsewhere(forms, given):
        many = f"all {len(given.y)} values are"
        what = f"{'='.join(given.texts(0))} is" if len(given.y) == 1 else many
        decimals = "" if found.places is None else f", with {found.places} decimals"
        names, values = (f"{', '.join(each[:-1])} and {each[-1]}" for each in (FIRST, found.values))
        raise UsageError(
            f"{what} what {names} all give; add a value that distinguishes them{decimals} at "
            f"x = {found.x} ({values})"
        )
