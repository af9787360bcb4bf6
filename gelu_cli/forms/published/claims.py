"""What is in print: constants of a form or a form of its own, where, and what is claimed of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from gelu_cli.forms.form import Form

End: TypeAlias = Fraction | float


class Measure(NamedTuple):
    """An error in one number: its supremum over a range of x, or its root mean square there.

    The quantity `erf` is what a form has for erf(x/√2), 2G(x) − 1. The ends may be infinite.
    """

    quantity: str = "value"
    low: End = -math.inf
    high: End = math.inf
    criterion: Literal["sup", "rms"] = "sup"


VALUE = Measure()
"""The supremum of the error of the value on the whole line."""


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
    claims: tuple[Claim, ...] = ()
    measure: Measure = VALUE

    @property
    def is_own_form(self) -> bool:
        """Whether no other form with parameters gives it."""
        return self.form.name == self.name


def bound(number: str, measure: Measure = VALUE) -> Claim:
    """Return the claim that an error is no larger than a number.

    >>> bound("1.5e-7", Measure("erf")).number
    Decimal('1.5E-7')
    """
    return Claim(measure, "bound", Decimal(number))


def figure(number: str, measure: Measure = VALUE) -> Claim:
    """Return the claim that an error is a number, rounded to the digits printed.

    >>> figure("4.7e-4").measure.quantity
    'value'
    """
    return Claim(measure, "figure", Decimal(number))


def constants(form: Form, **settings: str) -> Form:
    """Return a form with its parameters set to constants as printed, decimals or quotients.

    Its label is what one types for it.

    >>> from gelu_cli.forms import find_form
    >>> constants(find_form("sigmoid"), beta="1.773").label
    'sigmoid:beta=1.773'
    """
    values: Mapping[str, Fraction] = {name: Fraction(text) for name, text in settings.items()}
    label = ":".join([form.name, *(f"{name}={text}" for name, text in settings.items())])
    return form.with_settings(label, values)
