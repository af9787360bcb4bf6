"""A function of arrays of a library, called in this process, and its results checked."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.environment import SINCE_A_CALL, Guest
from gelu_cli.errors import ComputationError, GeluError, UsageError, described
from gelu_cli.kernels.backends import (
    Backend,
    Function,
    RaisedError,
    check_result,
    own_gradient,
)
from gelu_cli.kernels.functions import Calling, UsersFunction
from gelu_cli.kernels.functions.surroundings import (
    OF_VIEWS,
    OF_WHOLE_ARRAYS,
    Layout,
    Surrounding,
)


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
        self.differentiated = backend.gradient is not own_gradient
        self.ways = OF_VIEWS if backend.views else OF_WHOLE_ARRAYS
        self.guest = guest or Guest()
        self.environments = self.guest.seen
        self.lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionImplementation, (self.name, self.function, self.backend, self.calling)

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        return self._checked(x, self.calling.quantity == "gradient")

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x."""
        return self._checked(x, gradient=False)

    def around(self, x: Floats, surrounding: Surrounding) -> Floats:
        """Return the results that are judged at x, called in another surrounding."""
        call = self._in_parts if surrounding.length else self._laid_out
        with self.lock, np.errstate(all="ignore"):
            try:
                floats = call(x, surrounding.length or surrounding.layout)
                return floats.astype(x.dtype, copy=False)
            except (KeyboardInterrupt, GeluError):
                raise
            except BaseException as error:
                raise ComputationError(described(error)) from None

    def _in_parts(self, x: Floats, length: int) -> Floats:
        """Return the results of calls with each so many numbers, one after the other."""
        backend, dtype = self.backend, self.calling.dtype
        if backend.in_parts:
            array = backend.to_array(x, dtype)
            with self.guest.running(SINCE_A_CALL):
                result = backend.in_parts(self._judged, array, length)
            return backend.to_floats(result)
        arrays = [backend.to_array(part, dtype) for part in x.reshape(-1, length)]
        with self.guest.running(SINCE_A_CALL):
            results = [self._judged(array) for array in arrays]
        return np.concatenate([backend.to_floats(result) for result in results])

    def _laid_out(self, x: Floats, layout: Layout) -> Floats:
        """Return the results of one call with a view of the array that is in memory."""
        array = self.backend.to_array(layout.stored(x), self.calling.dtype)
        with self.guest.running(SINCE_A_CALL):
            result = self._judged(array, layout.view)
        return self.backend.to_floats(result).reshape(-1)

    def _judged(self, array: Any, view: Callable[[Any], Any] = lambda array: array) -> Any:
        """Return what is judged of the function at a view of an array, the gradient if so asked."""

        def checked(stored: Any) -> Any:
            inputs = view(stored)
            result = self.function(inputs)
            check_result(result, inputs.dtype, inputs)
            return result

        if self.calling.quantity != "gradient" or not self.differentiated:
            return checked(array)
        return view(self.backend.gradient(checked, array))

    def _checked(self, x: Floats, gradient: bool) -> Floats:
        with self.lock:
            try:
                return self._call(x, gradient).astype(x.dtype, copy=False)
            except KeyboardInterrupt:
                raise
            except RaisedError as raised:
                where, hint = self._where(x, gradient), self._hint(x, gradient)
                said = f"{self.name} raised {described(raised.error, where)}{hint}"
                raise ComputationError(said) from None
            except GeluError as error:
                raise type(error)(f"{self.name}: {error}") from None
            except ModuleNotFoundError as error:
                raise UsageError(f"{self.name} needs '{error.name}', which is not here") from None
            except BaseException as error:  # of a result that cannot be read
                raise ComputationError(
                    f"{self.name}: its result raised {described(error)}"
                ) from None

    def _call(self, x: Floats, gradient: bool) -> Floats:
        # What overflows is counted in the results. Kernels of other libraries may compute in
        # numpy as well (Triton's interpreter does).
        with np.errstate(all="ignore"):
            return self.backend(self.function, x, self.calling.dtype, gradient, self.guest)

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
