"""A quantity of a form on one smooth piece, as power series."""

from __future__ import annotations

from typing import NamedTuple

from flint import arb, arb_series, fmpq

from gelu_cli.formulas import ORDERS, Form
from gelu_cli.numbers.far import Far, far_out


class Smooth(NamedTuple):
    """A quantity of a form on the piece i: k₀ + k₁·x + rest."""

    form: Form
    i: int
    quantity: str

    @property
    def line(self) -> tuple[fmpq, fmpq]:
        """The exact part, k₀ and k₁."""
        return self.form.line(self.i, self.quantity)

    @property
    def has_rest(self) -> bool:
        """True if the quantity is more than a straight line."""
        return self.form.has_rest(self.i, self.quantity)

    def expand(self, x: arb, length: int) -> arb_series:
        """Return `length` terms of the power series of the rest at x + h."""
        return self.form.expand(self.i, self.quantity, x, length)

    def meets_zero(self, right: bool) -> bool:
        """Return True if the piece ends at 0, seen from a side."""
        return any(cut.square == 0 and self.i - right == n for n, cut in enumerate(self.form.cuts))

    def far(self, right: bool) -> Far | None:
        """Return its behaviour far out, if this is the last piece on a side."""
        return (
            far_out(self.form, self.quantity, right) if self.i == self.form.outer(right) else None
        )

    def image(self, right: bool) -> tuple[Smooth, int] | None:
        """Return the mirrored piece and its sign s; None if this piece has none.

        The rest of this piece at x is s times the rest of that piece at −x.
        """
        piece = self.form.pieces[self.i]
        if not piece.reflected:
            return None
        odd = self.form.has_gate and self.quantity in (
            "value",
            "gradient",
            "curvature",
            "complement",
        )
        sign = -piece.sign if (ORDERS[self.quantity] + odd) % 2 else piece.sign
        sign = 1 if self.quantity == "mask_variance" else sign  # x²G(1 − G) on both sides
        return Smooth(self.form, len(self.form.pieces) - 1 - self.i, self.quantity), sign
