"""Python functions as kernels: of numpy's, torch's or jax's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.kernels.arithmetic import Array
from gelu_cli.kernels.array_libraries import LIBRARIES, OVERWRITES
from gelu_cli.kernels.description import UP_GRADIENT, Kernel
from gelu_cli.kernels.finding import find_function, guess_library
from gelu_cli.kernels.loaded import Fault, Loaded, RaisedError, same


class PythonFunction(Loaded):
    """A function of arrays of a library, and checks of its results."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        with self.environment.running("since its import"):
            self._function = find_function(kernel)
            name = kernel.backend or guess_library(self._function, kernel)
            self._library = library = LIBRARIES[name](kernel)
        self.facts["library"] = f"{name} {library.module.__version__}"
        if machine := library.machine():
            self.facts["device"] = machine
        self.compiles = library.compiles
        self.differentiates = library.differentiates and not kernel.backward
        if self.differentiates and kernel.quantity != "value" and kernel.result != kernel.dtype:
            raise UsageError(
                f"--result: a gradient by {name} has the format of x; remove --result, or add "
                "--backward if it is a function (upstream, x) → dx"
            )

    def results(self, upstream: Array | None, inputs: Sequence[Array]) -> Array:
        """Call the function with copies of the arrays, or differentiate it."""
        library = self._library
        arrays = [library.array(each.copy()) for each in inputs]
        above = [] if upstream is None else [library.array(upstream.copy())]
        try:
            with self.environment.running("since a call"):
                y = self._called(above, arrays)
                library.wait(y)
            got = library.numbers(y)
        except Fault:
            raise
        except BaseException as error:
            raise RaisedError(error) from None
        if not all(same(library.numbers(a), b) for a, b in zip(arrays, inputs, strict=True)):
            raise Fault(OVERWRITES)
        return got

    def _called(self, above: list[Any], arrays: list[Any]) -> Any:
        """Return the array of the library that has the kernel's quantity."""
        kernel, function = self.kernel, self._function
        count = arrays[0].shape[0]
        if kernel.packed:
            count //= 2
        if not above or not (kernel.backward or self.differentiates):
            return self._checked(function(*arrays), count)
        place = int((kernel.quantity == UP_GRADIENT) != kernel.up_first)
        several = len(arrays) > 1
        if not kernel.backward:
            y = self._library.gradient(
                lambda *given: self._checked(function(*given), count),
                arrays, place if several else 0, *above,
            )  # fmt: skip
        else:
            y = function(*above, *arrays)
            if several:
                if not isinstance(y, tuple | list) or len(y) != 2:
                    both = "(dup, dgate)" if kernel.up_first else "(dgate, dup)"
                    raise Fault(f"returned {type(y).__name__}, not two arrays, {both}")
                y = y[place]
            y = self._checked(y, arrays[0].shape[0])
        if kernel.packed == "halves":
            return y[place * count : (place + 1) * count]
        return y[place::2] if kernel.packed else y

    def _checked(self, y: Any, count: int) -> Any:
        library = self._library
        if not library.is_array(y):
            raise Fault(f"returned {type(y).__name__}, not an array of {library.name}")
        if tuple(y.shape) != (count,):
            raise Fault(f"returned the shape {tuple(y.shape)} for inputs of {(count,)}")
        if (name := library.dtype(y)) != self.kernel.result:
            raise Fault(
                f"returned {name} for inputs of {self.kernel.dtype}; return {self.kernel.result}, "
                "or name the format of results by --result"
            )
        return y

    def remedy(self, upstream: Array | None, inputs: Sequence[Array]) -> str:
        """Try packed inputs, and a number alone."""
        if len(inputs) > 1:
            packed = copy(self)
            packed.kernel = replace(self.kernel, packed="halves")
            if not packed._raises(upstream, [np.concatenate(inputs)]):
                return "; if one array has gates and ups, add --packed halves or interleaved"
        elif self._raises(upstream, [np.resize(inputs[0], 2)]):
            with suppress(Exception, SystemExit), self.environment.running("since a call"):
                float(self._function(1.0))
                return "; it takes numbers, but gets arrays: wrap it in numpy.vectorize"
        return ""

    def _raises(self, upstream: Array | None, inputs: Sequence[Array]) -> bool:
        try:
            self.results(upstream, inputs)
        except RaisedError:
            return True
        except Fault:
            pass
        return False
