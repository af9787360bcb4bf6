"""Published constants and approximations.

Each set is an entry of `published.toml`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
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
    """An error: its supremum over a range of x, or its root mean square there.

    The quantity `erf` is the erf(x/√2) of a form, 2G(x) − 1. The ends may be infinite.
    """

    quantity: str = "value"
    low: Fraction | float = -math.inf
    high: Fraction | float = math.inf
    criterion: Literal["sup", "rms"] = "sup"


class Claim(NamedTuple):
    """A bound on an error, or its value rounded to the digits printed."""

    measure: Measure
    kind: Literal["bound", "figure"]
    number: Decimal


class PublishedSet(NamedTuple):
    """Constants in print: their form, their source, and what is claimed."""

    name: str
    form: Form
    source: str
    claims: tuple[Claim, ...]

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
    own = published_forms()
    return MappingProxyType(
        {
            name: PublishedSet(
                name,
                own.get(name) or typed_form(entry["form"]),
                entry["source"],
                tuple(_claim(**claim) for claim in entry.get("claims", ())),
            )
            for name, entry in read_table("published.toml").items()
        }
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
    whole, cuts = with_zero(pieces, list(starmap(cut, entry.get("kinks", ()))))
    return Form(
        name,
        entry["definition"],
        whole,
        lambda: cuts,
        symmetric=entry.get("symmetric", False),
        source=entry.get("form_source", entry["source"]),
    )


def _claim(bound: str = "", figure: str = "", **measure: Any) -> Claim:
    ends: dict[str, Any] = {
        end: Fraction(measure[end]) for end in ("low", "high") if end in measure
    }
    kind: Literal["bound", "figure"] = "bound" if bound else "figure"
    return Claim(Measure(**measure | ends), kind, Decimal(bound or figure))
