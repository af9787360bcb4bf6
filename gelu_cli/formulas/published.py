"""Published constants and approximations.

Each set is an entry of `published.toml`.
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

from gelu_cli.formulas.catalog import read_table, typed_form
from gelu_cli.formulas.form import Form
from gelu_cli.formulas.pieces import with_zero


class Measure(NamedTuple):
    """An error in one number.

    Its supremum over a range of x, or its root mean square there.

    The quantity `erf` is the erf(x/√2) of a form, 2G(x) − 1. The ends may be infinite.
    """

    quantity: str = "value"
    low: Fraction | float = -math.inf
    high: Fraction | float = math.inf
    criterion: Literal["sup", "rms"] = "sup"


class Claim(NamedTuple):
    """A number printed for an error.

    A bound, or a figure rounded to the digits printed.
    """

    measure: Measure
    kind: Literal["bound", "figure"]
    number: Decimal


class PublishedSet(NamedTuple):
    """Constants in print.

    The form they make, who printed them, where, and what is claimed.

    `measure` is the error to look at where nothing is claimed.
    """

    name: str
    form: Form
    source: str
    claims: tuple[Claim, ...]
    measure: Measure

    @property
    def is_own_form(self) -> bool:
        """True if no other form with parameters gives it."""
        return self.form.name == self.name


@cache
def all_sets() -> Mapping[str, PublishedSet]:
    """Return every published set by its name.

    >>> all_sets()["megatron"].form.label
    'tanh:a=0.79788456:c=0.044715'
    """
    entries = read_table("published.toml")
    own = published_forms()
    return MappingProxyType(
        {name: _set(name, own.get(name), entry) for name, entry in entries.items()}
    )


@cache
def published_forms() -> Mapping[str, Form]:
    """Return the sets that no parameters of another form give.

    >>> published_forms()["puma"].definition[:21]
    '0 for x < −4, a cubic'
    """
    entries = read_table("published.toml")
    forms = {name: _form(name, entry) for name, entry in entries.items() if "form" not in entry}
    return MappingProxyType(forms)


def _form(name: str, entry: Mapping[str, Any]) -> Form:
    from gelu_cli.formulas.kinds import KINDS, cut

    pieces = [piece for kind, *texts in entry["pieces"] for piece in KINDS[kind](*texts)]
    all_pieces, cuts = with_zero(pieces, list(starmap(cut, entry.get("kinks", ()))))
    return Form(
        name,
        entry["definition"],
        all_pieces,
        lambda: cuts,
        symmetric=entry.get("symmetric", False),
        source=entry.get("form_source", entry["source"]),
    )


def _set(name: str, own: Form | None, entry: Mapping[str, Any]) -> PublishedSet:
    form = own or typed_form(entry["form"])
    claims: Sequence[Mapping[str, str]] = entry.get("claims", ())
    claimed = tuple(_claim(**claim) for claim in claims)
    return PublishedSet(name, form, entry["source"], claimed, _measure(**entry.get("measure", {})))


def _claim(bound: str = "", figure: str = "", **measure: Any) -> Claim:
    return Claim(_measure(**measure), "bound" if bound else "figure", Decimal(bound or figure))


def _measure(**entry: Any) -> Measure:
    entry |= {end: Fraction(entry[end]) for end in ("low", "high") if end in entry}
    return Measure(**entry)
