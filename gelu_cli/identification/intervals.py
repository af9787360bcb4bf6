"""The parameters that explain the most values, by branch and bound.

For all parameters in a box the form at x is f(middle) + ∂f/∂p·(box − middle), one ball, which lies
between the bounds of the value, beyond them, or neither; then the box is halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from flint import arb, arb_series, fmpq

from gelu_cli.errors import UsageError
from gelu_cli.formulas import ORDERS, Form
from gelu_cli.numbers.points import enclose

LARGEST = fmpq(100)
"""Parameters are looked for from minus this to this, positive ones from its inverse."""

CLOSELY = fmpq(1, 1 << 18)
"""An end is too far out by this share of the interval at most, or so."""


@lru_cache(64)
def member(form: Form, name: str, p: fmpq) -> Form:
    """Return a form with a parameter, the same object for many x."""
    return form.with_settings(name, {name: p})


@dataclass(frozen=True)
class Family:
    """A quantity at x as a function of a parameter, 0 and 1 at its bounds."""

    form: Form
    name: str
    quantity: str
    x: fmpq
    low: fmpq
    high: fmpq

    def at(self, p: fmpq) -> arb:
        """Return a ball around the quantity; exactly 0 or 1 at a bound."""
        form, width = member(self.form, self.name, p), self.high - self.low
        exact, rest = enclose(form, [self.quantity], self.x)[self.quantity]
        y = arb((exact - self.low) / width)
        return y if rest is None else y + rest / arb(width)

    def piece(self, p: fmpq) -> int:
        """Return the index of the piece at x, as cuts may depend on p."""
        cuts = self.form.cuts_at(**{**self.form.fractions, self.name: p})
        return sum(bool(cut.square < self.x * abs(self.x)) for cut in cuts)

    def on(self, low: fmpq, high: fmpq) -> arb:
        """Return a ball around the quantity for all parameters from low to high."""
        i, middle, box = self.piece(low), (low + high) / 2, arb(low).union(arb(high))
        if i != self.piece(high):
            return arb.nan()
        if self.form.is_polynomial(i):  # it is linear in the parameter
            return self.at(low).union(self.at(high))
        try:
            slope = self.slope(i, box) / arb(self.high - self.low)
        except (ValueError, ZeroDivisionError):  # it divides by what may be 0
            return arb.nan()
        return self.at(middle) + slope * (box - arb(middle))

    def slope(self, i: int, p: arb) -> arb:
        """Return ∂f/∂p of a piece with a tail, for all parameters in a ball."""
        x, piece, fractions = arb(self.x), self.form.pieces[i], self.form.fractions
        along_p = self.tail(i, [x], [p, 1])
        lines = (piece.polynomial(**{**fractions, self.name: fmpq(k)})[0] for k in (0, 1))
        at_0, at_1 = lines  # the offset is linear in the parameter
        total = arb(along_p[1]) + arb(at_1 - at_0)
        if not ORDERS[self.quantity]:
            return x * total if piece.gated else total
        # ∂²t/∂x∂p, as t(x + h, p + h) has the coefficient t_xx/2 + t_xp + t_pp/2 of h².
        mixed = self.tail(i, [x, 1], [p, 1])[2] - self.tail(i, [x, 1], [p])[2] - along_p[2]
        return total + x * mixed if piece.gated else arb(mixed)

    def tail(self, i: int, x: Sequence[arb | int], p: Sequence[arb | int]) -> Any:
        """Return three terms of a piece's tail on a line in x and p."""
        parameters = {**self.form.balls(), self.name: arb_series(list(p), prec=3)}
        return arb_series([0], prec=3) + self.form.tail(i, arb_series(list(x), prec=3), parameters)


class Box(NamedTuple):
    """Parameters from low to high that explain `sure` to `possible` values."""

    low: fmpq
    high: fmpq
    sure: int
    possible: int


def explain_most(families: Sequence[Family]) -> Box | None:
    """Find the parameters that explain the most values, if over half of them.

    Families are one form at several x. The ends of the interval are rounded outward.
    """
    first = families[0]
    share = min(abs(each.high - each.low) / max(abs(each.low), abs(each.high)) for each in families)
    left, found = [(*domain(first.form, first.name), 0, list(families))], list[Box]()
    while left:
        a, b, sure, in_doubt = left.pop()
        values, in_doubt = [(each, each.on(a, b)) for each in in_doubt], []
        for family, y in values:
            if y >= 0 and y <= 1:
                sure += 1
            elif not (y < 0 or y > 1):
                in_doubt.append(family)
        box, middle = Box(a, b, sure, sure + len(in_doubt)), (a + b) / 2
        if 2 * box.possible <= len(families):
            continue
        if in_doubt and b - a > min(share, fmpq(1)) * CLOSELY * max(abs(a), abs(b), CLOSELY):
            left += [(middle, b, sure, in_doubt), (a, middle, sure, in_doubt)]
        else:
            found.append(box)  # in ascending order
    return joined(found, len(families))


def joined(boxes: Sequence[Box], count: int) -> Box | None:
    """Join the first box that explains the most values to its neighbours."""
    most = max((box.sure for box in boxes), default=0)
    if 2 * most <= count:
        return None
    runs: list[list[Box]] = []
    for box in boxes:
        if box.possible >= most:
            if runs and runs[-1][-1].high == box.low:
                runs[-1].append(box)
            else:
                runs.append([box])
    run = next(run for run in runs if any(box.sure == most for box in run))
    return Box(run[0].low, run[-1].high, most, most)


def domain(form: Form, name: str) -> tuple[fmpq, fmpq]:
    """Return the ends of the parameters that are looked at."""
    for low in (-LARGEST, fmpq(0)):
        try:
            form.with_settings(name, {name: low})
        except UsageError:  # one of this sign makes no sense
            continue
        return low, LARGEST
    return 1 / LARGEST, LARGEST
