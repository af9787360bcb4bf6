"""At which input explanations differ: among the figures, or where the next one should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.decimals import Places
from gelu_cli.old.arithmetic.format_arrays import ulps
from gelu_cli.old.formulas import FIRST, find_form
from gelu_cli.old.identification.candidates import (
    FORM,
    Candidate,
    Explanation,
    held_against,
    numbers_of,
    question_of,
)
from gelu_cli.old.identification.explanations import FEW
from gelu_cli.old.identification.figures import Figures, in_text, located
from gelu_cli.old.values.evaluate import evaluate
from gelu_cli.old.values.figures import places_of

ROUND = (
    "2", "1", "3", "-1", "-2", "-3", "0.5", "-0.5", "1.5", "-1.5", "2.5", "-2.5", "4", "-4",
    "5", "-5", "6", "-6", "0.25", "-0.25", "8", "-8", "10", "-10", "0.1", "-0.1", "100", "-100",
)  # fmt: skip
"""Inputs that a person would type, in the order in which they come to mind."""

UPS = ("1", "10", "-10", "0.5")
"""Second inputs of the same kind."""

CLEARLY = 2
"""Units by which two values should differ; one that differs by fewer is taken if none does."""

MORE_PLACES = 12
"""The most decimals with which values are tried beyond those that the figures have."""


class Telling(NamedTuple):
    """Where candidates differ, and their values there, all as text."""

    where: str
    values: Sequence[str]
    places: int | None = None
    """How many decimals they have; None for results in a format."""

    given: str = ""
    """The figure there, if it is one of the data."""

    more: bool = False
    """Whether these are more decimals than the figures have."""


def input_that_tells(first: Explanation, second: Explanation, figures: Figures) -> Telling | None:
    """Return where two explanations differ: in the data if these decide, else at another input.

    Of the figures that the first alone explains it is the one from which the second is farthest.
    None where no input that a person would type tells them apart.
    """
    pair = first.candidate, second.candidate
    decisive = np.flatnonzero(first.agrees & ~second.agrees).tolist()
    if not decisive:
        return elsewhere(pair, figures)
    part = figures.part(decisive[:: max(1, len(decisive) // FEW)])
    with np.errstate(all="ignore"):  # what is no number is farther than any
        off = np.abs(numbers_of(pair[1], part) - part.about) / part.units
    place = int(np.argmax(np.nan_to_num(off, nan=np.inf)))
    point, given = part.texts(place)
    places = None if part.result is not None else places_of(part.y[place])
    values = [text_at(each, part.part([place]), places) for each in pair]
    return Telling(located(point), values, places, given)


def elsewhere(candidates: Sequence[Candidate], figures: Figures) -> Telling | None:
    """Return an input that is not among the figures at which all candidates differ."""
    if figures.result is not None:
        return _best(candidates, figures, None)
    places = max(map(places_of, figures.y))
    for more in range(MORE_PLACES + 1):
        found = _best(candidates, figures, places + more)
        if found:
            return found._replace(more=more > 0)
    return None


def refuse_what_tells_nothing(figures: Figures) -> None:
    """Raise `UsageError` where every form of GELU explains all figures, though others would tell.

    >>> figures = Figures("", "value", [Decimal(0)], [Decimal(0)])
    >>> refuse_what_tells_nothing(figures)
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: 0=0 is what exact, tanh and sigmoid all give: add a figure that \
tells them apart, with 3 decimals at x = 2 (1.954, 1.955 and 1.936)
    """
    count = len(figures.y)
    forms = [Candidate(find_form(name), figures.quantity, name, FORM) for name in FIRST]
    if count > FEW or not all(held_against(figures, each).agrees.all() for each in forms):
        return
    found = elsewhere(forms, figures)
    if found is None:
        return
    what = f"{'='.join(figures.texts(0))} is" if count == 1 else f"all {count} figures are"
    with_places = "" if found.places is None else f", with {found.places} decimals"
    names, values = (f"{', '.join(each[:-1])} and {each[-1]}" for each in (FIRST, found.values))
    raise UsageError(
        f"{what} what {names} all give: add a figure that tells them apart{with_places} at "
        f"{found.where} ({values})"
    )


def _best(candidates: Sequence[Candidate], figures: Figures, places: int | None) -> Telling | None:
    """Return the first round input at which all candidates differ clearly, or else at all."""
    few = len(figures.y) <= FEW
    known = {*zip(figures.at.tolist(), figures.up_at.tolist(), strict=True)} if few else set()
    best, most = None, 0.0
    for up, word in product(["1"] if figures.up is None else UPS, ROUND):
        x = Fraction(word)
        held = figures.formats is None or figures.formats[0].exactly(x) == x
        if (float(x), float(up)) in known or not held:
            continue
        ups = None if figures.up is None else [Decimal(up)]
        here = replace(figures, x=[Decimal(word)], up=ups)
        texts = [text_at(each, here, places) for each in candidates]
        apart = _apart(texts, figures, places)
        if apart > most:
            typed, _ = replace(here, formats=None).texts(0)
            best, most = Telling(located(typed), texts, places), apart
        if apart >= CLEARLY:
            break
    return best


def _apart(texts: Sequence[str], figures: Figures, places: int | None) -> float:
    """Return how many units the two that are nearest to one another differ by."""
    values = sorted(map(float, texts))
    if any(map(np.isnan, values)):
        return 0.0 if all(map(np.isnan, values)) else float(CLEARLY)
    steps = np.diff(values)
    if figures.result is not None:
        with np.errstate(over="ignore"):  # beside 0 the unit is the least
            return float(np.min(steps / ulps(figures.result, np.array(values[1:]))))
    return float(np.rint(np.min(steps) * 10.0 ** (places or 0)))


def text_at(candidate: Candidate, figures: Figures, places: int | None) -> str:
    """Return what a candidate is at the first figure: in so many decimals, or as a result."""
    (x, up), names, rounding = figures.points[0], [candidate.quantity], Places(places or 0, 8)
    form = question_of(candidate, figures).at(up).multiple
    if figures.result is not None or candidate.compute is not None:
        number = float(numbers_of(candidate, figures)[0])
        if figures.result is not None:
            return in_text(figures.result, number)
        return str(rounding.exactly(Fraction(number))) if np.isfinite(number) else "nan"
    if candidate.truncated:
        longer = evaluate(form, names, x, Places(rounding.places + 30, 8))
        return str(Decimal(longer[0]).quantize(Decimal(1).scaleb(-rounding.places), ROUND_DOWN))
    return f"{evaluate(form, names, x, rounding)[0]:f}"
