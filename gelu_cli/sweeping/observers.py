"""What looks at the results of a sweep beside their errors: one file each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.format_arrays import Floats
from gelu_cli.sweeping.judging import Judge
from gelu_cli.sweeping.verdict import Verdict

Indices: TypeAlias = NDArray[np.int64]


class Sight(NamedTuple):
    """Results of kernels at some inputs, in the order of their bits: 65,536 at most.

    The truth is that which they are judged against, so that an observer has it at little cost.
    """

    x: Floats
    got: Mapping[int, Floats]
    """The results of each kernel, by its place among those swept."""

    judge: Callable[[int], Judge]
    """Gives the judge of a kernel, with the truth that is `due` at all of the inputs."""


class Observer(Protocol):
    """Sees all inputs of a sweep, part by part, in whatever process has the part.

    It goes to other processes, and what it has seen comes back; neither changes once it is made.
    """

    def see(self, sight: Sight) -> Any:
        """Return what is seen at some inputs."""

    def add(self, first: Any, second: Any) -> Any:
        """Return what is seen at the inputs of both, those of the second following."""

    def finish(self, verdicts: Sequence[Verdict], seen: Any) -> None:
        """Give the verdicts on all kernels what was seen at all inputs."""


def added(observers: Sequence[Observer], first: list[Any], second: list[Any]) -> list[Any]:
    """Return what observers have seen in two parts, either of which may be nothing yet."""
    if not (first and second):
        return first or second
    return [each.add(*both) for each, *both in zip(observers, first, second, strict=True)]


def look(observers: Sequence[Observer], seen: list[Any], sight: Sight) -> list[Any]:
    """Return what observers have seen so far, and in a further sight."""
    return added(observers, seen, [each.see(sight) for each in observers])
