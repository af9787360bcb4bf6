"""Python functions as kernels: of numpy's, torch's or jax's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.kernels.array_libraries import LIBRARIES
from gelu_cli.kernels.calling import Array, Fault, Loaded, same
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.finding import find_function, guess_library


class PythonFunction(Loaded):
    """A function of arrays of a library, and checks of its results."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        with self.environment.running():
            self._function = find_function(kernel)
            name = guess_library(self._function, kernel)
            self._library = LIBRARIES[name](kernel)
        self.facts = self._library.facts
        self.differentiates = self._library.differentiates and not kernel.backward
        if self.differentiates and kernel.quantity != "value" and kernel.result != kernel.dtype:
            fault = f"--result: a gradient by {name} has the format of x"
            raise UsageError(f"{fault}; remove --result, or add --backward if it takes upstream, x")

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call the function with copies of the arrays, or differentiate it."""
        library = self._library
        arrays = [library.array(each.copy()) for each in inputs]
        above = [] if upstream is None else [library.array(upstream.copy())]
        with self.environment.running():
            got = library.numbers(self._called(above, arrays))
        if not all(map(same, map(library.numbers, arrays), inputs)):
            raise Fault("wrote into its input; let it return a new array")
        return got

    def _called(self, above: list[Any], arrays: list[Any]) -> Any:
        """Return the library's array of the kernel's quantity."""
        kernel, function, several = self.kernel, self._function, len(arrays) > 1
        count = arrays[0].shape[0] // (2 if kernel.packed else 1)
        if not above or not (kernel.backward or self.differentiates):
            return self._checked(function(*arrays), count)
        if kernel.backward:
            y = function(*above, *arrays)
            if several:
                if not (isinstance(y, tuple | list) and len(y) == 2):
                    raise Fault(f"returned {type(y).__name__}, not the two gradients")
                y = y[kernel.place]
            y = self._checked(y, arrays[0].shape[0])
        else:
            checked = lambda *given: self._checked(function(*given), count)  # noqa: E731
            y = self._library.gradient(checked, arrays, kernel.place if several else 0, *above)
        if kernel.packed == "halves":
            return y[kernel.place * count : (kernel.place + 1) * count]
        return y[kernel.place :: 2] if kernel.packed else y

    def _checked(self, y: Any, count: int) -> Any:
        library, kernel = self._library, self.kernel
        if not library.is_array(y):
            raise Fault(f"returned {type(y).__name__}, not an array of {library.name}")
        if tuple(y.shape) != (count,):
            raise Fault(f"returned the shape {tuple(y.shape)} for inputs of {(count,)}")
        if (name := library.dtype(y)) != kernel.result:
            remedy = f"return {kernel.result}, or add --result {name}"
            raise Fault(f"returned {name} for inputs of {kernel.dtype}; {remedy}")
        return y
