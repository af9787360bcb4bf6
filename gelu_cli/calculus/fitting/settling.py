"""Rounding what two computations agree on, as Ziv does: if they do not, more bits are due."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

from gelu_cli.arithmetic import Result, Rounding, mpf
from gelu_cli.calculus.fitting.refinement import exactly

GUARD = 128
"""Bits beyond those of a rounding."""


def settled(first: Any, second: Any, rounding: Rounding) -> Result | None:
    """Return what a number rounds to that two precisions agree on, or None if they do not.

    A number that is as small as they differ, which are over a hundred bits, is 0.
    """
    one, other = exactly(first), exactly(second)
    return within(other, 2 * abs(one - other), rounding)


def within(value: Fraction, margin: Fraction, rounding: Rounding) -> Result | None:
    """Return what all numbers within a margin of a value round to, or None if they differ."""
    if abs(value) <= margin:
        return rounding.exactly(Fraction(0))
    low, high = (mpf.from_fraction(end, GUARD + 2 * rounding.precision, to)
                 for end, to in ((value - margin, mpf.DOWN), (value + margin, mpf.UP)))  # fmt: skip
    return rounding.settle(low, high)


Known = TypeVar("Known")


def all_known(found: Sequence[Known | None]) -> list[Known] | None:
    """Return what was found, or None if any of it is not known."""
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None
