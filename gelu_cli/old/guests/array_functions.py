"""A function of arrays of a library, called in this process, and its results checked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Lock
from types import TracebackType
from typing import Any

import numpy as np

from gelu_cli.errors import ComputationError, GeluError, described
from gelu_cli.old.arithmetic.format_arrays import Bits, Floats, to_bits, to_floats
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.environment import SINCE_A_CALL, Guest
from gelu_cli.old.environment.host import versions
from gelu_cli.old.guests.backends import OVERWRITES, Backend, ResultError
from gelu_cli.old.guests.calling import (
    PACKINGS,
    SEPARATE,
    UP_GRADIENT,
    UPSTREAM,
    Calling,
    Surrounding,
    UsersFunction,
    arguments,
    was_given,
)
from gelu_cli.old.guests.surroundings import LENGTHS, OF_ROWS

LIBRARIES = (
    "torch", "triton", "jax", "jaxlib", "tensorflow", "keras", "cupy", "mlx", "numba",
    "onnxruntime", "numpy", "scipy", "ml_dtypes",
)  # fmt: skip
"""What a function may compute with: packages that are imported by the same name."""

View = Callable[[Any], Any]
"""What makes of an array another one of its numbers, in the same order."""


class RaisedError(Exception):
    """A function, or what differentiates it, has raised the error that is the argument."""


class FunctionImplementation(UsersFunction):
    """A user's function: called by one thread at a time, its results checked.

    It can be sent to another process if the function can, where it has a guest of its own.

    Raises `ComputationError` where the function raises, returns something else than an array like
    its argument, or writes into it; `UsageError` where a library is not here. The function, and
    nothing else, runs in the floating-point environment of `guest`, by default the caller's.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        backend: Backend,
        calling: Calling,
        guest: Guest | None = None,
    ) -> None:
        self.name = name
        self.function = function
        self.backend = backend
        self.calling = calling
        self.asked = {"function": name, **calling.asked, "backend": backend.library}
        self.differentiated = backend.differentiates and calling.backward != "own"
        packed = OF_ROWS if calling.second in PACKINGS else ()
        self.ways = [LENGTHS, *(each for each in backend.layouts if each not in packed)]
        self.guest = guest or Guest()
        self.environments = self.guest.seen
        self.provenance = backend.provenance
        self.lock = Lock()

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the libraries that this process has imported."""
        return versions(name for name in LIBRARIES if name in sys.modules)

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionImplementation, (self.name, self.function, self.backend, self.calling)

    def load(self, first: Floats) -> None:
        """Import the library and find the device; have a library that compiles do so."""
        self.backend.start(self.guest)
        if self.backend.compiles:
            with self.lock, suppress(Exception):  # what fails will fail again, and is told then
                self._results(first, self.calling.quantity != "value")

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        return self._checked(x, self.calling.quantity != "value")

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x."""
        return self._checked(x, gradient=False)

    def around(self, x: Floats, surrounding: Surrounding) -> Floats:
        """Return the results that are judged at x, called in another surrounding."""
        gradient = self.calling.quantity != "value"
        view: View | None = None
        if surrounding.name in self.backend.layouts:
            view = partial(self.backend.laid_out, layout=surrounding.name)
        with self.lock:
            try:
                return self._results(x, gradient, view, surrounding.length)
            except ResultError as error:
                raise ComputationError(f"it {error}") from None
            except (KeyboardInterrupt, GeluError):
                raise
            except BaseException as error:
                raised = error.args[0] if isinstance(error, RaisedError) else error
                raise ComputationError(described(raised)) from raised

    def _checked(self, x: Floats, gradient: bool) -> Floats:
        with self.lock:
            try:
                return self._results(x, gradient)
            except KeyboardInterrupt:
                raise
            except RaisedError as raised:
                where, hint = self._where(x, gradient), self._hint(x, gradient)
                (error,) = raised.args
                said = f"{self.name} raised {described(error, where)}{hint}"
                raise ComputationError(said) from error
            except ResultError as error:
                raise ComputationError(f"{was_given(self.name, x)} and {error}") from None
            except GeluError as error:
                raise type(error)(f"{self.name}: {error}") from None
            except BaseException as error:  # of a result that cannot be read
                said = f"{self.name}: its result raised {described(error)}"
                raise ComputationError(said) from error

    def _results(
        self, x: Floats, gradient: bool, view: View | None = None, length: int = 0
    ) -> Floats:
        """Return function(x), or function(upstream, x), or its derivative times the upstream.

        The function gets a view of x, and its result may have the shape of that: it has as many
        numbers, in the same order. A `length` cuts x into calls of that length.

        Raises `RaisedError` with what it raises, `ResultError` where the result is no array like x,
        or x is written into, `UsageError` where the library or its device lack something.
        """
        self.backend.start(self.guest)
        bits = to_bits(self.calling.dtype, x)
        calls = bits.reshape(*bits.shape[:-1], -1, length or bits.shape[-1])
        # What overflows is counted in the results. Kernels of other libraries may compute in
        # numpy as well (Triton's interpreter does).
        with np.errstate(all="ignore"):
            results = self._bits_of(calls, gradient and self.differentiated, view)
        return to_floats(self.calling.result, results.reshape(-1))

    def _bits_of(self, calls: Bits, differentiate: bool, view: View | None) -> Bits:
        """Return the bits of the results of calls, a row each, one after the other.

        What all calls need is done once: short ones are many. Of two inputs each has its rows.
        """
        backend, calling = self.backend, self.calling
        *_, count, length = calls.shape
        results = np.empty((count, length), f"u{calling.result.width // 8}")
        rows = arguments(calling.second, calls, up_first=calling.up_first)
        up = differentiate or calling.backward == "own"  # how many gradients from above there are
        if up and calling.second != UPSTREAM:
            upstream = to_bits(calling.dtype, np.array([calling.upstream]))
            rows.insert(0, np.full((count, length), upstream[0]))
        given = [[*map(backend.from_bits, map(np.copy, call))] for call in zip(*rows, strict=True)]
        with self.guest.running(SINCE_A_CALL):
            for arrays, into in zip(given, results, strict=True):
                try:
                    result = self._called(arrays[:up], arrays[up:], into.shape, differentiate, view)
                except (KeyboardInterrupt, ResultError):
                    raise
                except BaseException as error:
                    theirs = error.with_traceback(_theirs(error.__traceback__))
                    raise RaisedError(theirs) from None
                found = backend.to_bits(result)
                if found.shape != into.shape:
                    raise ResultError(f"returned an array of {found.shape} that says {into.shape}")
                into[:] = found
        for arrays, call in zip(given, zip(*rows, strict=True), strict=True):
            if not all(map(backend.same, arrays[up:], call[up:])):
                raise ResultError(OVERWRITES)
        return results

    def _called(
        self,
        above: Sequence[Any],
        arrays: Sequence[Any],
        shape: tuple[int, ...],
        differentiate: bool,
        view: View | None,
    ) -> Any:
        """Return what is judged of one call, on the device: results, or the gradient."""
        backend, calling = self.backend, self.calling
        due = calling.dtype if differentiate else calling.result
        place = int((calling.quantity == UP_GRADIENT) != calling.up_first)
        own, packed = calling.backward == "own", calling.second in PACKINGS

        def viewing(*given: Any) -> Any:
            views = [view(each) for each in given] if view else given
            result = self.function(*views)
            if own and calling.second == SEPARATE:
                if backend.is_array(result):
                    both = "(dup, dgate)" if calling.up_first else "(dgate, dup)"
                    raise ResultError(f"returned one array, not two, {both}")
                result = result[place]
            whole = own if packed else view
            self._check(result, tuple(views[-1].shape) if whole else shape, due)
            return result if tuple(result.shape) == shape else backend.shaped(result, -1)

        if not differentiate:
            result = viewing(*above, *arrays)
        elif calling.second == SEPARATE:
            others = [arrays[1 - place]]
            result = backend.gradient(
                lambda each: viewing(*others[:place], each, *others[place:]), arrays[place], *above
            )
        else:
            result = backend.gradient(viewing, arrays[-1], *above)
        if packed and (differentiate or own):
            part = slice(place, None, 2)
            if calling.second == "halves":
                part = slice(place * shape[0], (place + 1) * shape[0])
            result = result[part]
        backend.wait(result)
        self._check(result, shape, calling.result)
        return result

    def _check(self, result: Any, shape: tuple[int, ...], due: Format) -> None:
        backend = self.backend
        if not backend.is_array(result):
            raise ResultError(f"returned {type(result).__name__}, no array of {backend.library}")
        if tuple(result.shape) != shape:
            raise ResultError(f"returned the shape {tuple(result.shape)} for inputs of {shape}")
        name = backend.dtype_of(result)
        if name != due.name:
            raise ResultError(
                f"returned {name} for inputs of {self.calling.dtype.name}: return {due.name}, or "
                "name the format of results by --result"
            )

    def _hint(self, x: Floats, gradient: bool) -> str:
        """Say what helps a function of one number at a time, or of one array of pairs."""
        if self.calling.second == SEPARATE:
            return self._packed_hint(x, gradient)
        if self.calling.second or not self._raises(np.resize(x, 2), gradient):
            return ""
        try:
            with self.guest.running(SINCE_A_CALL):
                float(self.function(1.0))
        except KeyboardInterrupt:
            raise
        except BaseException:
            return ""
        return "; it takes numbers, but gets arrays: wrap it in numpy.vectorize"

    def _packed_hint(self, x: Floats, gradient: bool) -> str:
        """Name --packed if the function takes one array of gates and ups."""
        own, self.calling = self.calling, self.calling._replace(second="halves")
        try:
            takes = not self._raises(x[..., :2], gradient)
        finally:
            self.calling = own
        return "; if one array has gates and ups, add --packed halves or interleaved" * takes

    def _where(self, x: Floats, gradient: bool) -> str:
        """Say at which input alone the function raises, found by halving."""
        while (count := x.shape[-1]) > 1:
            half = x[..., : count // 2]
            x = half if self._raises(half, gradient) else x[..., count // 2 :]
        return f" at {self.calling.at(x[..., 0])}" if self._raises(x, gradient) else ""

    def _raises(self, x: Floats, gradient: bool) -> bool:
        try:
            self._results(x, gradient)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # another one is of a result that is none
            return isinstance(error, RaisedError)
        return False


def _theirs(traceback: TracebackType | None) -> TracebackType | None:
    """Return a traceback from the first line on that is not of this package."""
    ours = __name__.partition(".")[0]
    while traceback and traceback.tb_frame.f_globals.get("__name__", "").startswith(f"{ours}."):
        traceback = traceback.tb_next
    return traceback
