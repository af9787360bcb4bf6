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
NOT_FOUND = (
    "no best constants are found: the error does not depend on them, or falls without end; take "
    "another --range or another --criterion, or fewer --free"
)


def moved(values: Sequence[fmpq], bits: int) -> Iterator[tuple[list[fmpq], fmpq]]:
    """Yield the values with each increased by a share 2^−bits, and the step."""
    for i, value in enumerate(values):
        step = abs(value or fmpq(1)) * power_of_two(-bits)
        yield [*values[:i], value + step, *values[i + 1 :]], step


def quotients(
    equations: Equations, z: Sequence[fmpq], left: Sequence[arb], bits: int
) -> list[list[arb]]:
    """Return the derivatives in each unknown at z; `left` are the values."""
    return [
        [(there - here) / arb(step) for here, there in zip(left, equations(more), strict=True)]
        for more, step in moved(z, bits)
    ]


def solve(
    equations: Equations, start: Sequence[fmpq], bits: int, accuracy: int
) -> tuple[list[fmpq], arb_mat]:
    """Find a root near a start; also return the last matrix of derivatives.

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
    ...     (root,), _ = solve(lambda z: [arb(z[0] * z[0] - 2)], [fmpq(3, 2)], 85, 85)
    >>> float(root.p) / float(root.q)
    1.4142135623730951
    """
    z = list(start)
    for number in range(STEPS):
        try:
            left = equations(z)
            if number % 2 == 0:  # every second step keeps the matrix
                matrix = arb_mat(quotients(equations, z, left, bits)).transpose()
            step = matrix.solve(arb_mat(len(z), 1, left)).entries()
            sizes = [abs(exact_ball(part) / (v or 1)) for v, part in zip(z, step, strict=True)]
            z = [exact_ball(arb(v - part)) for v, part in zip(z, step, strict=True)]
        except (LookupError, ValueError, ZeroDivisionError):
            break  # a kink leaves the range, a step is too long, the matrix is singular
        if max(sizes) < power_of_two(-accuracy):
            return z, matrix
    raise ComputationError(NOT_FOUND)
