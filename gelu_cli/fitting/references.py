"""Points at which errors are compared: all over a range, at kinks, and where errors are large."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from flint import arb

from gelu_cli.arithmetic.balls import working
from gelu_cli.calculus.comparison import End
from gelu_cli.fitting.families import Family, Pieces
from gelu_cli.fitting.newton import TWICE, Peak, jet_of, middle_of, variables
from gelu_cli.fitting.samples import sampled
from gelu_cli.forms import Form
from gelu_cli.forms.form import signed_square

FARTHEST = 32
"""Members are compared at points up to here."""

LEAST_TOP = 0.25
"""Extrema that are as high as this share of the largest error are followed."""

POINTS = 160
"""All over the range."""

DOUBLE = 53
"""Bits of what only says where to look."""


class Reference(NamedTuple):
    """A point at which errors are looked at, on its right or its left: a number, or a kink.

    One that follows an extremum moves with the middle of a box, at a speed for each parameter.
    """

    x: Fraction
    right: bool = True
    kink: int | None = None
    speeds: tuple[float, ...] = ()


def references(
    family: Family, values: Sequence[float], low: End, high: End, peaks: Sequence[Peak] = ()
) -> list[Reference]:
    """Return points at which members are compared: near the peaks, over the range, at kinks."""
    samples = sampled(family, values, low, high)
    heights = np.abs(samples.error)
    inside = (np.abs(samples.x) <= FARTHEST) & (np.abs(samples.x) >= 1 / FARTHEST)
    thinned = np.flatnonzero(inside)
    thinned = thinned[:: max(1, len(thinned) // POINTS)]
    tops = [i for i in range(1, len(heights) - 1)
            if inside[i] and heights[i] >= LEAST_TOP * samples.largest
            and heights[i - 1] <= heights[i] >= heights[i + 1]
            and samples.part[i - 1] == samples.part[i] == samples.part[i + 1]]  # fmt: skip
    places = {Fraction(samples.x[i]) for i in thinned}
    found = [Reference(x, right=x < high) for x in sorted(places) if low <= x <= high]
    found += [reference for peak in peaks if (reference := at_peak(peak))]
    for i in tops:
        pieces, x = samples.pieces[samples.part[i]], float(samples.x[i])
        for _ in range(2):  # steps of Newton's method
            slope, bends = _slopes(family, pieces, x, values)
            x -= slope / (bends[-1] or inf)
        found.append(Reference(Fraction(x), speeds=speeds(family, pieces, x, values)))
    if family.form.kinks:
        found += [Reference(Fraction(0), right, kink)
                  for kink in range(len(family.form.kinks)) for right in (False, True)]  # fmt: skip
    return found


def _slopes(
    family: Family, pieces: Pieces, x: float, values: Sequence[float]
) -> tuple[float, list[float]]:
    """Return e_x, and the derivatives of that in the parameters and in x, about."""
    with working(DOUBLE):
        *given, point = variables([*map(arb, values), arb(x)])
        jet = jet_of(family.error_at(pieces, TWICE, point, given), len(values) + 1)
    return float(jet.slopes[-1]), list(map(float, jet.bends[-1]))


def at_peak(peak: Peak) -> Reference | None:
    """Return a contact as a reference; None at a kink that moves, at infinity, at an irrational."""
    end = peak.contact.end
    if end and (end.kink is not None or end.place.infinite):
        return None
    x = end.place.rational if end else middle_of(peak.x)
    return None if x is None else Reference(x, right=peak.contact.side <= 0)


def speeds(family: Family, pieces: Pieces, x: float, best: Sequence[float]) -> tuple[float, ...]:
    """Return how an extremum moves with each parameter, −e_xv/e_xx, about."""
    _, (*slopes, bend) = _slopes(family, pieces, x, best)
    return tuple(-slope / (bend or inf) for slope in slopes)


def piece_beside(form: Form, reference: Reference) -> int:
    """Return which piece of a form holds beside a point."""
    square = signed_square(reference.x)
    if reference.right:
        return form.piece_from(square)
    return sum(kink.square < square for kink in form.kinks)
