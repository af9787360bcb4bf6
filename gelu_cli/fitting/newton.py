"""Newton's method with many bits and difference quotients.

With as many bits a difference quotient is as good as a derivative. No proof rests on what is found:
bounds hold for any constants, and errors are enclosed at those that are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from flint import arb, arb_mat, fmpq

from gelu_cli.errors import ComputationError
from gelu_cli.numbers.formats import power_of_two
from gelu_cli.numbers.rounding import exact_ball

Equations: TypeAlias = "Callable[[Sequence[fmpq]], list[arb]]"

STEPS = 40
SHRINKS = 256
"""The matrix of derivatives is kept while each step is as much smaller than the one before."""


def moved(values: Sequence[fmpq], bits: int) -> Iterator[tuple[list[fmpq], fmpq]]:
    """Yield the values with each increased by a share 2^−bits, and the step."""
    for i, value in enumerate(values):
        step = abs(value or fmpq(1)) * power_of_two(-bits)
        yield [*values[:i], value + step, *values[i + 1 :]], step


def derivatives(equations: Equations, z: Sequence[fmpq], left: Sequence[arb], bits: int) -> arb_mat:
    """Return the matrix of derivatives at z, where the equations are `left`."""
    columns = [
        [(there - here) / arb(step) for here, there in zip(left, equations(more), strict=True)]
        for more, step in moved(z, bits)
    ]
    return arb_mat([list(row) for row in zip(*columns, strict=True)])


def solve(equations: Equations, start: Sequence[fmpq], bits: int, accuracy: int) -> list[fmpq]:
    """Find a root near a start.

    Parameters
    ----------
    equations
        As many as unknowns, of fractions, at the working precision.
    start
        The unknowns to begin with.
    bits
        Difference quotients are taken with steps of a share of 2^−bits.
    accuracy
        The last step is at most a share of 2^−accuracy.

    Raises
    ------
    ComputationError
        If the steps do not get as small.

    Examples
    --------
    >>> from gelu_cli.numbers.rounding import working
    >>> with working(256):
    ...     (root,) = solve(lambda z: [arb(z[0] * z[0] - 2)], [fmpq(3, 2)], 85, 85)
    >>> float(root.p) / float(root.q)
    1.4142135623730951
    """
    z, matrix, last = list(start), None, None
    for _ in range(STEPS):
        left = equations(z)
        if matrix is None:
            matrix = derivatives(equations, z, left, bits)
        try:
            step = matrix.solve(arb_mat(len(z), 1, left)).entries()
        except ZeroDivisionError:
            break
        if not all(part.is_finite() for part in step):
            break
        steps = [exact_ball(part) for part in step]
        size = max(abs(part / (value or fmpq(1))) for value, part in zip(z, steps, strict=True))
        z = [exact_ball(arb(value - part)) for value, part in zip(z, steps, strict=True)]
        if size < power_of_two(-accuracy):
            return z
        matrix = matrix if last is None or size * SHRINKS < last else None
        last = size
    raise ComputationError("no best constants are found; take another --range, or fewer --free")
