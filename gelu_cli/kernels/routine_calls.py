"""Routines as kernels."""

from __future__ import annotations

from collections.abc import Sequence

from gelu_cli.errors import unknown
from gelu_cli.kernels.arithmetic import Arithmetic, Array, rounded
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.loaded import Loaded
from gelu_cli.kernels.routines import ROUTINES
from gelu_cli.numbers.formats import find_format


class RoutineCalls(Loaded):
    """A routine whose operations round to one format, and its results to another."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        name = str(kernel.target).lower()
        if name not in ROUTINES:
            raise unknown("routine", name, ROUTINES)
        self._arithmetic = Arithmetic(find_format(kernel.compute or kernel.dtype))
        routine = ROUTINES[name]
        self._compute = routine.gradient if kernel.quantity == "gradient" else routine.value

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Compute the routine."""
        (x,) = inputs
        y = self._compute(self._arithmetic, rounded(x, self._arithmetic.format))
        return rounded(y, self.kernel.formats[1])
