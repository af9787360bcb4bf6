"""The x at which explanations differ: of a value, or of the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product

import numpy as np

from gelu_cli.identification.candidates import Candidate, Explanation, numbers_of
from gelu_cli.identification.given import Given, places_of, text_of
from gelu_cli.numbers import Decimals, evaluate

SIZES = ("0.5", "1.5", "2.5", "4", "5", "6", "0.25", "8", "10", "0.1", "100")
ROUND = ("2", "1", "3", "-1", "-2", "-3", *(sign + x for x in SIZES for sign in ("", "-")))
"""Inputs that a person would type, in the order in which they come to mind."""

CLEARLY, MORE_PLACES, SPARE = 2, 12, 30
"""Units by which two decimals should differ; decimals that are tried beyond those of the values;
decimals that are computed and cut."""


def distinguish(first: Explanation, second: Explanation, given: Given) -> str:
    """Name an x at which two explanations differ, in the data or elsewhere.

    Of the values that the first alone explains it is the one from which the second is farthest.
    """
    pair = first.candidate, second.candidate
    names = " from ".join(each.words for each in pair)
    decisive = np.flatnonzero(first.agrees & ~second.agrees).tolist()
    if decisive:
        here = given.part([max(decisive, key=lambda i: second.off[i])])
        x, y = (text_of(each[0], given.result) for each in (here.x, here.y))
        places = 0 if given.result else places_of(here.y[0])
        said = f"x = {x} distinguishes {names}: the value is {y}"
        return f"{said}, {values_of(pair, [text_at(each, here, places) for each in pair])}"
    same = f"these values do not distinguish {names}"
    for x, texts, decimals in elsewhere(pair, given) if given.result is None else ():
        return f"{same}; x = {x} would{decimals}: {values_of(pair, texts)}"
    return same


def values_of(pair: Sequence[Candidate], texts: Sequence[str]) -> str:
    """Say what two candidates give."""
    return f"{pair[0].words} gives {texts[0]}, {pair[1].words} {texts[1]}"


def elsewhere(pair: Sequence[Candidate], given: Given) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield round x at which two candidates differ, and their values.

    Also yield how many decimals are needed, if more than the printed values have.
    """
    known = {*given.at.tolist()}
    points = [Decimal(x) for x in ROUND if float(x) not in known]
    least = max(map(places_of, given.y))
    for places, x in product(range(least, least + MORE_PLACES), points):
        here = replace(given, x=[x], y=[Decimal(0)])
        texts = [text_at(each, here, places) for each in pair]
        if abs(Decimal(texts[0]) - Decimal(texts[1])).scaleb(places) >= CLEARLY:
            yield str(x), texts, f", with {places} decimals" if places > least else ""


def text_at(candidate: Candidate, given: Given, places: int) -> str:
    """Return a candidate's number at the first point: a decimal, or a result."""
    if given.result is not None:
        return text_of(float(numbers_of(candidate, given)[0]), given.result)
    more = SPARE if candidate.cut else 0
    to = Decimals(28 + more, least_exponent=-places - more)
    (found,) = evaluate(candidate.form, [candidate.quantity], given.points[0], to)
    return f"{found:f}"[:-more] if more else f"{found:f}"
