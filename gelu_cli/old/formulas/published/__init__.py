"""Published constants and approximations: each set is an entry of `sets.toml`, read as a form.

Forms of their own among them are found by name like any other form, but are not listed with those
that one would choose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import starmap
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from gelu_cli.old.formulas import read_table, typed_form
from gelu_cli.old.formulas.form import Form


class Measure(NamedTuple):
    """An error in one number: its supremum over a range of x, or its root mean square there.

    The quantity `erf` is what a form has for erf(x/√2), 2G(x) − 1. The ends may be infinite.
    """

    quantity: str = "value"
    low: Fraction | float = -math.inf
    high: Fraction | float = math.inf
    criterion: Literal["sup", "rms"] = "sup"


class Claim(NamedTuple):
    """A number printed for an error: a bound on it, or a figure, rounded to the digits printed."""

    measure: Measure
    kind: Literal["bound", "figure"]
    number: Decimal


class PublishedSet(NamedTuple):
    """Constants in print: the form they make, who printed them, where, and what is claimed.

    `measure` is the error to look at where nothing is claimed.
    """

    name: str
    form: Form
    source: str
    claims: tuple[Claim, ...]
    measure: Measure

    @property
    def is_own_form(self) -> bool:
        """Whether no other form with parameters gives it."""
        return self.form.name == self.name


@cache
def all_sets() -> Mapping[str, PublishedSet]:
    """Return every published set by its name.

    >>> all_sets()["megatron"].form.label
    'tanh:a=0.79788456:c=0.044715'
    """
    entries = read_table("published/sets.toml")
    return MappingProxyType({name: _set(name, **entry) for name, entry in entries.items()})


def _set(
    name: str,
    source: str,
    form: str = "",
    claims: Sequence[Mapping[str, str]] = (),
    measure: Mapping[str, str] = MappingProxyType({}),
    *,
    form_source: str = "",
    definition: str = "",
    pieces: Sequence[Sequence[str]] = (),
    kinks: Sequence[Sequence[Any]] = (),
    symmetric: bool = False,
) -> PublishedSet:
    """Return a set from its entry: of a form with constants, or of pieces of its own."""
    if form:
        made = typed_form(form)
    else:
        from gelu_cli.old.formulas.published.curves import KINDS, kink

        places = tuple(starmap(kink, kinks))
        made = Form(
            name=name,
            definition=definition,
            pieces=tuple(piece for kind, *texts in pieces for piece in KINDS[kind](*texts)),
            kinks_at=lambda: places,
            symmetric=symmetric,
            source=form_source or source,
        )
    claimed = tuple(_claim(**claim) for claim in claims)
    return PublishedSet(name, made, source, claimed, _measure(**measure))


def _claim(bound: str = "", figure: str = "", **measure: Any) -> Claim:
    return Claim(_measure(**measure), "bound" if bound else "figure", Decimal(bound or figure))


def _measure(**entry: Any) -> Measure:
    entry |= {end: Fraction(entry[end]) for end in ("low", "high") if end in entry}
    return Measure(**entry)


@cache
def published_forms() -> Mapping[str, Form]:
    """Return the sets that are forms of their own, which no parameters of another form give.

    >>> published_forms()["puma"].definition[:21]
    '0 for x < −4, a cubic'
    """
    forms = {each.name: each.form for each in all_sets().values() if each.is_own_form}
    return MappingProxyType(forms)
