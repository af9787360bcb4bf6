"""The x at which explanations differ: among the values, or where the next one should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.formulas import find_form
from gelu_cli.formulas.catalog import FIRST
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.identification.candidates import FORM, Candidate, Explanation, explain, numbers_of
from gelu_cli.identification.explanations import FEW
from gelu_cli.identification.given import Given, places_of, text_of
from gelu_cli.numbers import Places, evaluate, round_fraction
from gelu_cli.numbers.patterns import ulps

ROUND = tuple(map(Decimal, (
    "2", "1", "3", "-1", "-2", "-3", "0.5", "-0.5", "1.5", "-1.5", "2.5", "-2.5", "4", "-4", "5",
    "-5", "6", "-6", "0.25", "-0.25", "8", "-8", "10", "-10", "0.1", "-0.1", "100", "-100",
)))  # fmt: skip
"""Inputs that a person would type, in the order in which they come to mind."""

CLEARLY = 2
"""Units by which two values should differ; one that differs by fewer is taken if none does."""

MORE_PLACES = 12
"""The most decimals with which values are tried beyond those of the printed ones."""


class Telling(NamedTuple):
    """An x at which candidates differ, and their values there, as text.

    `places` is the number of decimals, if more than the printed values have; `given` the value
    there, if it is one of the data.
    """

    x: str
    values: Sequence[str]
    places: int | None = None
    given: str = ""


def input_that_tells(first: Explanation, second: Explanation, given: Given) -> Telling | None:
    """Find where two explanations differ: in the data if these decide, else at another x.

    Of the values that the first alone explains it is the one from which the second is farthest.
    """
    pair = first.candidate, second.candidate
    decisive = np.flatnonzero(first.agrees & ~second.agrees).tolist()
    if not decisive:
        return elsewhere(pair, given)
    with np.errstate(all="ignore"):  # what is no number is farther than any
        off = np.abs(second.numbers - given.about) / given.units
    place = max(decisive, key=lambda i: np.nan_to_num(off[i], nan=np.inf))
    x, y = given.texts(place)
    places = None if given.result else places_of(given.y[place])
    here = given.part([place])
    return Telling(x, [text_at(each, here, places) for each in pair], given=y)


def elsewhere(candidates: Sequence[Candidate], given: Given) -> Telling | None:
    """Find an x that is not among the points at which all candidates differ."""
    if given.result is not None:
        return best_round_x(candidates, given, None)
    places = max(map(places_of, given.y))
    for more in range(MORE_PLACES + 1):
        if found := best_round_x(candidates, given, places + more):
            return found._replace(places=places + more) if more else found
    return None


def refuse_what_distinguishes_nothing(given: Given) -> None:
    """Raise UsageError if exact, tanh and sigmoid explain all values, though others would not.

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
        few = len(given.y) == 1
        what = f"{'='.join(given.texts(0))} is" if few else f"all {len(given.y)} values are"
        decimals = "" if found.places is None else f", with {found.places} decimals"
        names, values = (f"{', '.join(each[:-1])} and {each[-1]}" for each in (FIRST, found.values))
        raise UsageError(
            f"{what} what {names} all give; add a value that distinguishes them{decimals} at "
            f"x = {found.x} ({values})"
        )


def best_round_x(
    candidates: Sequence[Candidate], given: Given, places: int | None
) -> Telling | None:
    """Return the first round x at which all candidates differ clearly, or else at all."""
    known = set(given.at.tolist()) if len(given.y) <= FEW else set()
    best, most = None, 0.0
    for x in ROUND:
        exact = given.result is None or given.result.from_float(float(x)) == Decimal(x)
        if float(x) in known or not exact:
            continue
        texts = [
            text_at(each, replace(given, x=[x], y=[Decimal(0)]), places) for each in candidates
        ]
        apart = units_apart(texts, given, places)
        if apart > most:
            best, most = Telling(str(x), texts), apart
        if apart >= CLEARLY:
            break
    return best


def units_apart(texts: Sequence[str], given: Given, places: int | None) -> float:
    """Return the units by which the two nearest values differ."""
    values = np.sort([float(text) for text in texts])
    if np.isnan(values).any():
        return 0.0 if np.isnan(values).all() else float(CLEARLY)
    if given.result is not None:
        with np.errstate(over="ignore"):  # near 0 the unit is the least
            return float(np.min(np.diff(values) / ulps(given.result, values[1:])))
    return float(np.rint(np.min(np.diff(values)) * 10.0 ** (places or 0)))


def text_at(candidate: Candidate, given: Given, places: int | None) -> str:
    """Return a candidate's number at the first point: a decimal, or a result."""
    to = Places(places or 0, 8)
    if given.result is not None or candidate.compute is not None:
        number = float(numbers_of(candidate, given)[0])
        if given.result is not None:
            return text_of(number, given.result)
        return str(round_fraction(to, to_fraction(number))) if np.isfinite(number) else "nan"
    names, x = [candidate.quantity], given.points[0]
    if candidate.truncated:
        (longer,) = evaluate(candidate.form, names, x, Places(to.places + 30, 8))
        return str(Decimal(longer).quantize(Decimal(1).scaleb(-to.places), ROUND_DOWN))
    return f"{evaluate(candidate.form, names, x, to)[0]:f}"
