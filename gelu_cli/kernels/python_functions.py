"""Python functions as kernels: of numpy's, torch's or jax's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.kernels.array_libraries import LIBRARIES, OVERWRITES
from gelu_cli.kernels.calling import Array, Fault, Loaded, RaisedError, same
from gelu_cli.kernels.description import Kernel
from gelu_cli.kernels.finding import find_function, guess_library


class PythonFunction(Loaded):
    """A function of arrays of a library, and checks of its results."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        with self.environment.running("since its import"):
            self._function = find_function(kernel)
            name = guess_library(self._function, kernel)
            self._library = LIBRARIES[name](kernel)
        self.facts = self._library.facts
        self.compiles = self._library.compiles
        self.differentiates = self._library.differentiates and not kernel.backward
        if self.differentiates and kernel.quantity != "value" and kernel.result != kernel.dtype:
            raise UsageError(
                f"--result: a gradient by {name} has the format of x; remove --result, or add "
                "--backward if it is a function (upstream, x) → dx"
            )

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call the function with copies of the arrays, or differentiate it."""
        library = self._library
        try:
            arrays = [library.array(each.copy()) for each in inputs]
            above = [] if upstream is None else [library.array(upstream.copy())]
            with self.environment.running("since a call"):
                got = library.numbers(self._called(above, arrays))
            unchanged = all(map(same, map(library.numbers, arrays), inputs))
        except Fault:
            raise
        except BaseException as error:
            raise RaisedError from error
        if not unchanged:
            raise Fault(OVERWRITES)
        return got

    def _called(self, above: list[Any], arrays: list[Any]) -> Any:
        """Return the library's array of the kernel's quantity."""
        kernel, function, several = self.kernel, self._function, len(arrays) > 1
        count = arrays[0].shape[0] // (2 if kernel.packed else 1)
        if not above or not (kernel.backward or self.differentiates):
            return self._checked(function(*arrays), count)
        if kernel.backward:
            y = function(*above, *arrays)
            if several and not (isinstance(y, tuple | list) and len(y) == 2):
                both = "(dup, dgate)" if kernel.up_first else "(dgate, dup)"
                raise Fault(f"returned {type(y).__name__}, not two arrays, {both}")
            y = self._checked(y[kernel.place] if several else y, arrays[0].shape[0])
        else:
            y = self._library.gradient(
                lambda *given: self._checked(function(*given), count),
                arrays,
                kernel.place if several else 0,
                *above,
            )
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
            raise Fault(
                f"returned {name} for inputs of {kernel.dtype}; return {kernel.result}, or name "
                "the format of results by --result"
            )
        return y

    def remedy(self, error: BaseException) -> str:
        """Return a remedy for a function that takes one array, or numbers."""
        if self.kernel.glu and not self.kernel.packed:
            return "; if one array has gates and ups, add --packed halves or interleaved"
        numbers = isinstance(error, TypeError | ValueError)
        if numbers and any(word in str(error) for word in ("scalar", "truth value", "real number")):
            return "; if it takes numbers, wrap it in numpy.vectorize"
        return ""
