"""How large a feed-forward block is."""

from __future__ import annotations

from typing import NamedTuple


class Shape(NamedTuple):
    """The widths of a block: d inputs and outputs, d_ff hidden units between them."""

    width: int
    hidden: int

    @property
    def parameters(self) -> int:
        """The numbers in W₁, b₁, W₂ and b₂: 2·d·d_ff + d_ff + d.

        >>> Shape(768, 3072).parameters
        4722432
        """
        return 2 * self.width * self.hidden + self.hidden + self.width

    @property
    def flops(self) -> int:
        """The operations of both matrices for one input, additions and multiplications: 4·d·d_ff.

        >>> Shape(768, 3072).flops
        9437184
        """
        return 4 * self.width * self.hidden
