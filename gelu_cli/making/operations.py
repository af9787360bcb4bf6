"""A kernel as a list of operations, a line each: `name op operands`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias


class Operation(NamedTuple):
    r"""A name for the result of an operation.

    | op | result |
    |---|---|
    | `ma a b c` | a·b + c, fused where the machine can |
    | `mul`, `add`, `sub`, `div`, `neg` | rounded once |
    | `abs x`, `clamp x T` | \\|x\\|; min(x, T) of x ≥ 0 by bit patterns: NaN becomes T |
    | `positive x`, `step x` | max(x, 0) with the sign of x; 1 if the sign bit of x is 0, else 0 |
    | `flip y x` | −y if the sign bit of x is 0, else y |
    | `scale y k` | y·2ⁿ, n the integer in the low bits of k |
    | `cut x` | x without its 13 low bits |
    | `widen x`, `narrow x` | float32 to float64 and back |
    | `nan y a` | a quiet NaN if a is NaN, else y |
    | `patch x B C y` | C if x is B, else y; B and C are bit patterns |
    """

    name: str
    op: str
    operands: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """Operations in order, the last one the result, and their constants."""

    operations: tuple[Operation, ...]
    constants: Mapping[str, float]

    @property
    def result(self) -> str:
        """The name of the result."""
        return self.operations[-1].name

    @property
    def patches(self) -> int:
        """Number of inputs whose results are listed."""
        return sum(each.op == "patch" for each in self.operations)

    @cached_property
    def wide(self) -> frozenset[str]:
        """The names that are float64; the others are float32."""
        found: set[str] = set()
        for name, op, operands in self.operations:
            if op == "widen" or (op != "narrow" and not found.isdisjoint(operands)):
                found.add(name)
        return frozenset(found)

    @property
    def coefficients(self) -> list[str]:
        """The names of the coefficients of polynomials: e0, e1, p0."""
        return [name for name in self.constants if name[0] in "epq" and name[1:].isdigit()]

    def with_constants(self, constants: Mapping[str, float]) -> Program:
        """Replace constants."""
        return replace(self, constants={**self.constants, **constants})

    def patched(self, patterns: Sequence[tuple[int, int]]) -> Program:
        """List results for inputs, both by their float32 bit patterns."""
        operations, last = list(self.operations), self.result
        for number, (x, y) in enumerate(patterns, 1):
            name = f"y_{number}"
            operations.append(Operation(name, "patch", ("x", f"{x:#010x}", f"{y:#010x}", last)))
            last = name
        return replace(self, operations=tuple(operations))


Kernel: TypeAlias = Program | bytes
"""A program, or the table of the results for the 256 bit patterns of a format."""


def parse(text: str, constants: Mapping[str, float]) -> Program:
    """Read a program; `P poly t p` is Horner's rule for p0 + p1·t + ….

    >>> parse("P poly x p", {"p0": 1.0, "p1": 2.0, "p2": 3.0}).operations[0]
    Operation(name='P_1', op='ma', operands=('p2', 'x', 'p1'))
    """
    operations: list[Operation] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        name, op, *operands = line.split()
        if op == "poly":
            x, letter = operands
            operations += _horner(name, x, letter, constants)
        else:
            operations.append(Operation(name, op, tuple(operands)))
    return Program(tuple(operations), dict(constants))


def _horner(name: str, x: str, letter: str, constants: Mapping[str, float]) -> Iterator[Operation]:
    """Yield the operations of Horner's rule."""
    degree = sum(each[0] == letter and each[1:].isdigit() for each in constants) - 1
    last = f"{letter}{degree}"
    for n in reversed(range(degree)):
        here = f"{name}_{n}" if n else name
        yield Operation(here, "ma", (last, x, f"{letter}{n}"))
        last = here
