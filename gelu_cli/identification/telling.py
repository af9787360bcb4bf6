"""At which input explanations differ: among the figures, or where the next one should be."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_DOWN, Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.decimals import Places
from gelu_cli.arithmetic.ulp import ulps
from gelu_cli.errors import UsageError
from gelu_cli.forms import FIRST, find_form
from gelu_cli.identification.candidates import FORM, Candidate, numbers_of
from gelu_cli.identification.explanations import FEW
from gelu_cli.identification.figures import Figures, Printed, Results, in_text, roughly
from gelu_cli.identification.judges import Explanation, judge_of
from gelu_cli.values.evaluate import Point, evaluate
from gelu_cli.values.figures import places_of

ROUND = (
    "2", "1", "3", "-1", "-2", "-3", "0.5", "-0.5", "1.5", "-1.5", "2.5", "-2.5", "4", "-4",
    "5", "-5", "6", "-6", "0.25", "-0.25", "8", "-8", "10", "-10", "0.1", "-0.1", "100", "-100",
)  # fmt: skip
"""Inputs that a person would type, in the order in which they come to mind."""

CLEARLY = 2
"""Units by which two values should differ; one that differs by fewer is taken if none does."""

MORE_PLACES = 12
"""Values are tried with up to so many more decimals than the figures have."""


class Telling(NamedTuple):
    """An input at which candidates differ, and their values there, all as text."""

    x: str
    values: Sequence[str]
    places: int | None = None
    """How many decimals they have; None for results in a format."""

    given: str = ""
    """The figure there, if it is one of the data."""

    more: bool = False
    """Whether these are more decimals than the figures have."""


def input_that_tells(first: Explanation, second: Explanation, figures: Figures) -> Telling | None:
    """Return where two explanations differ: in the data if these decide, else at another input.

    None where no input that a person would type tells them apart.
    """
    pair = first.candidate, second.candidate
    decisive = np.flatnonzero(first.agrees & ~second.agrees)
    if len(decisive):
        return _in_data(pair, figures, decisive.tolist())
    return elsewhere(pair, figures)


def elsewhere(candidates: Sequence[Candidate], figures: Figures) -> Telling | None:
    """Return an input that is not among the figures at which all candidates differ."""
    if isinstance(figures, Results):
        return _best(candidates, figures, None)
    places = max(map(places_of, figures.y))
    for more in range(MORE_PLACES + 1):
        found = _best(candidates, figures, places + more)
        if found:
            return found._replace(more=more > 0)
    return None


def refuse_what_tells_nothing(figures: Figures) -> None:
    """Raise `UsageError` where every form of GELU explains all figures, though others would tell.

    >>> figures = Printed("", "value", [Decimal(0)], [Decimal(0)])
    >>> refuse_what_tells_nothing(figures)
    Traceback (most recent call last):
        ...
    gelu_cli.errors.UsageError: 0=0 is what exact, tanh and sigmoid all give: add a figure that \
tells them apart, with 3 decimals at x = 2 (1.954, 1.955 and 1.936)
    """
    forms = [Candidate(find_form(name), figures.quantity, name, FORM) for name in FIRST]
    held_against = judge_of(figures)
    if len(figures.y) > FEW or not all(held_against(each).agrees.all() for each in forms):
        return
    found = elsewhere(forms, figures)
    if found is None:
        return
    names = f"{', '.join(FIRST[:-1])} and {FIRST[-1]}"
    what = "=".join(figures.texts(0)) if len(figures.y) == 1 else f"all {len(figures.y)} figures"
    verb = "is" if len(figures.y) == 1 else "are"
    with_places = "" if found.places is None else f", with {found.places} decimals"
    values = f"{', '.join(found.values[:-1])} and {found.values[-1]}"
    raise UsageError(
        f"{what} {verb} what {names} all give: add a figure that tells them apart{with_places} at "
        f"x = {found.x} ({values})"
    )


def _in_data(pair: tuple[Candidate, Candidate], figures: Figures, places: list[int]) -> Telling:
    """Return the figure that the first candidate explains and from which the second is farthest."""
    few = places[:: max(1, len(places) // FEW)]
    part = figures.part(few)
    number_format = figures.result if isinstance(figures, Results) else None
    x, y = roughly(part)[:2]
    numbers = numbers_of(pair[1], x, number_format)
    if isinstance(part, Printed):
        off = np.abs(numbers - y) * np.array([10.0 ** places_of(each) for each in part.y])
    else:
        with np.errstate(all="ignore"):  # what is no number is farther than any
            off = np.abs(numbers - y) / ulps(part.result, y)
    at = few[int(np.argmax(np.nan_to_num(off, nan=np.inf)))]
    x_text, given = figures.texts(at)
    decimals = places_of(figures.y[at]) if isinstance(figures, Printed) else None
    point = figures.points[at] if isinstance(figures, Printed) else float(figures.x[at])
    values = [_text(each, point, figures, decimals) for each in pair]
    return Telling(x_text, values, decimals, given)


def _best(candidates: Sequence[Candidate], figures: Figures, places: int | None) -> Telling | None:
    """Return the first round input at which all candidates differ clearly, or else at all."""
    known = {float(each) for each in roughly(figures)[0]} if len(figures.y) <= FEW else set()
    best: tuple[float, Telling] | None = None
    for word in ROUND:
        x = Fraction(word)
        if isinstance(figures, Results) and figures.dtype.exactly(x) != float(x):
            continue
        if float(x) in known:
            continue
        texts = [_text(each, x, figures, places) for each in candidates]
        apart = _apart(texts, figures, places)
        if apart >= CLEARLY:
            return Telling(word, texts, places)
        if apart > 0 and (best is None or apart > best[0]):
            best = apart, Telling(word, texts, places)
    return best[1] if best else None


def _apart(texts: Sequence[str], figures: Figures, places: int | None) -> float:
    """Return how many units the two that are nearest to one another differ by."""
    values = sorted(map(float, texts))
    if any(map(np.isnan, values)):
        return 0.0 if all(map(np.isnan, values)) else float(CLEARLY)
    steps = np.diff(values)
    if isinstance(figures, Results):
        return float(np.min(steps / ulps(figures.result, np.array(values[1:]))))
    return float(np.rint(np.min(steps) * 10.0 ** (places or 0)))


def _text(candidate: Candidate, x: Point, figures: Figures, places: int | None) -> str:
    """Return what a candidate is at x: printed to so many decimals, or a result in a format."""
    if isinstance(figures, Results):
        (number,) = numbers_of(candidate, np.array([float(x)]), figures.result)
        return in_text(figures.result, float(number))
    rounding = Places(places or 0, 8)
    if candidate.compute is not None:
        (number,) = numbers_of(candidate, np.array([float(x)]), None)
        return str(rounding.exactly(Fraction(float(number)))) if np.isfinite(number) else "nan"
    if candidate.truncated:
        longer = evaluate(candidate.form, [candidate.quantity], x, Places(rounding.places + 30, 8))
        return str(Decimal(longer[0]).quantize(Decimal(1).scaleb(-rounding.places), ROUND_DOWN))
    (value,) = evaluate(candidate.form, [candidate.quantity], x, rounding)
    return f"{value:f}"
