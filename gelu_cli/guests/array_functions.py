"""A function of arrays of a library, called in this process, and its results checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from gelu_cli.arithmetic.format_arrays import Floats
from gelu_cli.environment import SINCE_A_CALL, Guest
from gelu_cli.environment.host import imported
from gelu_cli.errors import ComputationError, GeluError, described
from gelu_cli.guests.backends import Backend, Function, RaisedError, ResultError, as_it_is
from gelu_cli.guests.calling import LIBRARIES, Calling, Surrounding, UsersFunction, was_given
from gelu_cli.guests.surroundings import COLUMNS, LENGTHS

View = Callable[[Any], Any]
"""What makes of an array another one of its numbers, in the same order."""

VIEWS: Mapping[str, Callable[[Backend, Any], Any]] = {
    "unaligned": lambda backend, array: backend.module.concatenate([array[:1], array])[1:],
    "strided": lambda backend, array: backend.flat(backend.module.stack([array, array], 1))[::2],
    "2-D": lambda backend, array: backend.shaped(array, (-1, COLUMNS)),
    "2-D transposed": lambda backend, array: (
        backend.shaped(backend.flat(backend.shaped(array, (-1, COLUMNS)).T), (COLUMNS, -1)).T
    ),
}
"""How other arrays of the same numbers are made, by the names of `surroundings.LAYOUTS`."""

OF_WHOLE_ARRAYS = ("2-D",)
"""Those of libraries that make a new array of every part of one."""


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
        function: Function,
        backend: Backend,
        calling: Calling,
        guest: Guest | None = None,
    ) -> None:
        self.name = name
        self.function = function
        self.backend = backend
        self.calling = calling
        self.differentiated = backend.differentiates and calling.backward != "own"
        self.ways = (LENGTHS, *(VIEWS if backend.has_views else OF_WHOLE_ARRAYS))
        self.guest = guest or Guest()
        self.environments = self.guest.seen
        self.lock = Lock()

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the function is called, and how it is."""
        backend = {"backend": self.backend.library}
        return {"function": self.name, **super().asked, **backend}

    @property
    def provenance(self) -> Mapping[str, str]:
        """The library and the device, known when it is loaded."""
        return self.backend.provenance

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the libraries that this process has imported."""
        return imported(LIBRARIES)

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionImplementation, (self.name, self.function, self.backend, self.calling)

    def load(self, first: Floats) -> None:
        """Import the library and find the device; have a library that compiles do so."""
        self.backend.start(self.guest)
        if self.backend.compiles:
            with self.lock, suppress(Exception):  # what fails will fail again, and is told then
                self._call(first, self.calling.quantity == "gradient")

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        return self._checked(x, self.calling.quantity == "gradient")

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x."""
        return self._checked(x, gradient=False)

    def around(self, x: Floats, surrounding: Surrounding) -> Floats:
        """Return the results that are judged at x, called in another surrounding."""
        gradient = self.calling.quantity == "gradient"
        with self.lock:
            try:
                if surrounding.length:
                    return self._call(x, gradient, length=surrounding.length)
                view = partial(VIEWS[surrounding.name], self.backend)
                return self._call(x, gradient, view)
            except ResultError as error:
                raise ComputationError(f"it {error}") from None
            except (KeyboardInterrupt, GeluError):
                raise
            except BaseException as error:
                raised = error.error if isinstance(error, RaisedError) else error
                raise ComputationError(described(raised)) from raised

    def _checked(self, x: Floats, gradient: bool) -> Floats:
        with self.lock:
            try:
                return self._call(x, gradient)
            except KeyboardInterrupt:
                raise
            except RaisedError as raised:
                where, hint = self._where(x, gradient), self._hint(x, gradient)
                said = f"{self.name} raised {described(raised.error, where)}{hint}"
                raise ComputationError(said) from raised.error
            except ResultError as error:
                raise ComputationError(f"{was_given(self.name, x)} and {error}") from None
            except GeluError as error:
                raise type(error)(f"{self.name}: {error}") from None
            except BaseException as error:  # of a result that cannot be read
                raise ComputationError(
                    f"{self.name}: its result raised {described(error)}"
                ) from error

    def _call(
        self, x: Floats, gradient: bool, view: View = as_it_is, length: int | None = None
    ) -> Floats:
        differentiate = gradient and self.differentiated
        above = differentiate or self.calling.backward == "own"
        # What overflows is counted in the results. Kernels of other libraries may compute in
        # numpy as well (Triton's interpreter does).
        with np.errstate(all="ignore"):
            return self.backend(
                self.function,
                x,
                upstream=self.calling.upstream if above else None,
                differentiate=differentiate,
                guest=self.guest,
                view=view,
                length=length,
            )

    def _hint(self, x: Floats, gradient: bool) -> str:
        """Say what helps a function that takes one number at a time, but not two."""
        if not self._raises(np.resize(x, 2), gradient):
            return ""
        try:
            with self.guest.running(SINCE_A_CALL):
                float(self.function(1.0))
        except KeyboardInterrupt:
            raise
        except BaseException:
            return ""
        return "; it takes numbers, but gets arrays: wrap it in numpy.vectorize"

    def _where(self, x: Floats, gradient: bool) -> str:
        """Say at which input alone the function raises, found by halving."""
        while len(x) > 1:
            half = x[: len(x) // 2]
            x = half if self._raises(half, gradient) else x[len(x) // 2 :]
        return f" at x = {float(x[0])!r}" if self._raises(x, gradient) else ""

    def _raises(self, x: Floats, gradient: bool) -> bool:
        try:
            self._call(x, gradient)
        except KeyboardInterrupt:
            raise
        except RaisedError:
            return True
        except BaseException:  # it does not raise, but its result is none
            return False
        return False
