"""Explanations: ranked candidates, and an x at which two of them differ.

A candidate (a form, a mistake or a routine) explains a given value if it rounds to that value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import NamedTuple

import numpy as np

from gelu_cli.formulas import Form, all_forms
from gelu_cli.identification.candidates import (
    FITTED,
    FORM,
    ROUTINE,
    Candidate,
    Explanation,
    Given,
    explain,
    forms_for,
    places_of,
    text_of,
    values_by,
)
from gelu_cli.identification.parameters import estimate
from gelu_cli.kernels import ROUTINES
from gelu_cli.numbers import FORMATS, Decimals, evaluate

TWINS = {"exact": "tanh", "tanh": "exact"}
"""Forms that are easily confused with each other."""

ROWS = 20
"""Largest number of explanations: nearly every form explains a value with few digits."""

ALONE = {"tanh": ("c", "a")}
"""Parameters, by form, to estimate one at a time. Of other forms only a single one is estimated."""

SIZES = ("0.5", "1.5", "2.5", "4", "5", "6", "0.25", "8", "10", "0.1", "100")
ROUND = ("2", "1", "3", "-1", "-2", "-3", *(sign + x for x in SIZES for sign in ("", "-")))
"""Round inputs, in the order in which they are tried."""

CLEARLY, MORE_PLACES, SPARE = 2, 12, 30
"""Least difference of the values of two candidates, in units of the last decimal. Number of
precisions that are tried: as many decimals as the given values have, one more, two more, and so on.
Number of decimals that are computed and then cut off."""


class Answer(NamedTuple):
    """Explanations, best first; a rival to distinguish from the best, or None."""

    given: Given
    explanations: Sequence[Explanation]
    rival: Explanation | None


def explained(given: Given) -> Answer:
    """Rank forms that explain any value, other candidates if over half.

    Return at most ROWS explanations; if no candidate qualifies, the best three. A routine is
    omitted if it explains the same values as its form.
    """
    forms = [explain(given, each) for each in forms_for(given.quantity)]
    found = [*others(given, forms), *forms]
    add_parameters(found, given)
    found.sort(key=lambda each: each.rank)
    n = len(given.y)
    rows = [e for e in found if 2 * e.agree > n or (e.agree and e.candidate.kind == FORM)]
    rows = rows[:ROWS] or found[:3]
    best = rows[0].candidate
    twins = [each for each in forms if each.candidate.label == TWINS.get(best.label)]
    rivals = [each for each in twins or rows if each.candidate.function != best.function]
    return Answer(given, rows, rivals[0] if rivals else None)


def others(given: Given, forms: Sequence[Explanation]) -> Iterator[Explanation]:
    """Yield routines if results are given, else forms whose cut decimals fit.

    Decimals are cut, not rounded, only for two or more printed values, and must fit all of them.
    """
    if given.result is None:
        for each in forms if len(given.y) > 1 else ():
            if each.max_off < 1 and not each.agrees.all():
                cut = explain(given, each.candidate._replace(cut=True))
                yield from [cut] * bool(cut.agrees.all())
        return
    itself = {each.candidate.function: each.agrees for each in forms}
    for compute in FORMATS.values():
        for routine in ROUTINES.values() if compute.precision >= given.result.precision else ():
            form, name = all_forms()[routine.form], routine.name
            candidate = Candidate(form, given.quantity, form.label, ROUTINE, name, compute)
            found = explain(given, candidate)
            if not np.array_equal(found.agrees, itself[candidate.function]):
                yield found


def add_parameters(found: list[Explanation], given: Given) -> None:
    """Estimate parameters; note each interval at a form it holds, or add one.

    The added form has the simplest parameter in the interval. It is added only if no candidate
    explains all values, and either the interval does, or the form explains more than any candidate.
    """
    most = max(each.agree for each in found)
    for form, name in estimated():
        interval = estimate(form, name, given)
        if interval is None:
            continue
        inside = [
            (each.kind, i)
            for i, (each, *_) in enumerate(found)
            if each.quantity == "value" and not (each.cut or each.routine or each.parameter)
            if interval.holds(each.form)
        ]
        if inside:
            i = min(inside)[1]
            candidate = found[i].candidate._replace(parameter=interval.words)
            found[i] = found[i]._replace(candidate=candidate)
        elif most < len(given.y):
            member, words = interval.form, interval.words
            row = explain(given, Candidate(member, "value", member.label, FITTED, parameter=words))
            if interval.all or row.agree > most:
                found.append(row)


def estimated() -> Iterator[tuple[Form, str]]:
    """Yield forms, each with the name of a parameter to be estimated."""
    for form in all_forms().values():
        only = [each.name for each in form.parameters] if len(form.parameters) == 1 else ()
        yield from ((form, name) for name in ALONE.get(form.name, only))


def distinguish(first: Explanation, second: Explanation, given: Given) -> str:
    """Name an x at which two explanations differ, in the data or elsewhere.

    Among the given values that only `first` explains, take the value that `second` misses most.
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
    """Write the values of two candidates in a sentence."""
    return f"{pair[0].words} gives {texts[0]}, {pair[1].words} {texts[1]}"


def elsewhere(pair: Sequence[Candidate], given: Given) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield round x at which two candidates differ, and their values.

    Also yield a phrase: the number of decimals if the given values have fewer, else an empty one.
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
    """Return a candidate's value at the first point, as a decimal or a result."""
    if given.result is not None:
        return text_of(float(values_by(candidate, given)[0]), given.result)
    more = SPARE if candidate.cut else 0
    to = Decimals(28 + more, least_exponent=-places - more)
    (found,) = evaluate(candidate.form, [candidate.quantity], given.points[0], to)
    return f"{found:f}"[:-more] if more else f"{found:f}"
