"""What is in print: constants of a form or a form of its own, where, and what is claimed of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from gelu_cli.forms.form import Form

End: TypeAlias = Fraction | float


class Claim(NamedTuple):
    """A figure printed for the error of a quantity over a range of x, which may be infinite.

    A `bound` is a number that the error nowhere exceeds; a `maximum` is the largest error itself,
    and an `rms` its root mean square, both rounded to the digits printed. The quantity `erf` is
    that of erf(x/√2) = 2G(x) − 1.
    """

    quantity: str
    kind: Literal["bound", "maximum", "rms"]
    figure: Decimal
    low: End = -math.inf
    high: End = math.inf


class PublishedSet(NamedTuple):
    """Constants in print: the form they make, who printed them, where, and what is claimed.

    The error of a set without claims is that of `quantity` from `low` to `high`, for which it is
    made.
    """

    name: str
    form: Form
    source: str
    claims: tuple[Claim, ...] = ()
    quantity: str = "value"
    low: End = -math.inf
    high: End = math.inf

    @property
    def is_own_form(self) -> bool:
        """Whether no other form with parameters gives it."""
        return self.form.name == self.name


def bound(quantity: str, figure: str, low: End = -math.inf, high: End = math.inf) -> Claim:
    """Return the claim that the error is nowhere larger.

    >>> bound("erf", "1.5e-7").figure
    Decimal('1.5E-7')
    """
    return Claim(quantity, "bound", Decimal(figure), low, high)


def maximum(quantity: str, figure: str, low: End = -math.inf, high: End = math.inf) -> Claim:
    """Return the claim that the largest error rounds to a figure.

    >>> maximum("value", "4.7e-4").kind
    'maximum'
    """
    return Claim(quantity, "maximum", Decimal(figure), low, high)


def constants(form: Form, **settings: str) -> Form:
    """Return a form with its parameters set to constants as printed, a quotient of two as well.

    Its label is what one types for it.

    >>> from gelu_cli.forms import find_form
    >>> constants(find_form("sigmoid"), beta="1.773").label
    'sigmoid:beta=1.773'
    """
    values: Mapping[str, Fraction] = {name: Fraction(text) for name, text in settings.items()}
    label = ":".join([form.name, *(f"{name}={text}" for name, text in settings.items())])
    return form.with_settings(label, values)
