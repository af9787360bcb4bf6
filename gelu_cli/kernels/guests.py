"""A function of the user's own in a process of its own, where it can harm nobody."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from gelu_cli.arithmetic.formats import find_format
from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.environment import Guest, State
from gelu_cli.errors import ComputationError, UsageError, described
from gelu_cli.kernels.backends import Function, find_backend, guess_backend
from gelu_cli.kernels.callables import load_callable
from gelu_cli.kernels.functions import FunctionImplementation, UsersFunction
from gelu_cli.stages import tell
from gelu_cli.workers import Worker, WorkerEndedError


class GuestImplementation(UsersFunction):
    """The function that a word like `mykernel.py:gelu` names, loaded and called by a worker.

    `name` is what it is called in the report, `arguments` are given to it by name, or to the class
    that it is. `backend` is found out if None. It is loaded, and ends, by a `with` statement.

    Raises `UsageError` where there is no such function, `ComputationError` where loading or calling
    it fails, or ends its process.

    >>> import numpy as np
    >>> with GuestImplementation("tanh", "numpy:tanh", {}, None, "value", "float16") as f:
    ...     f(np.array([0, 1], np.float32)).tolist()
    [0.0, 0.76171875]
    """

    def __init__(
        self,
        name: str,
        word: str,
        arguments: Mapping[str, Any],
        backend: str | None,
        quantity: str,
        number_format: str,
    ) -> None:
        self.name = name
        self._worker = Worker(
            _Hosted, name, word, dict(arguments), backend, quantity, number_format
        )
        self.environments: Mapping[State, str] = {}

    def __enter__(self) -> GuestImplementation:
        tell(f"{self.name}: loading")
        try:
            self.differentiated = self._worker.call("is_differentiated")
        except WorkerEndedError as error:
            self.close()
            raise ComputationError(f"{self.name} was being loaded when {error}") from None
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, with what its libraries do at their exit."""
        self._worker.close()

    def kill(self) -> None:
        """End the process and its children at once."""
        self._worker.kill()

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        return self._results("judged", x)

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x."""
        return self._results("values", x)

    def _results(self, method: str, x: Floats) -> Floats:
        try:
            got, self.environments = self._worker.call(method, x)
        except WorkerEndedError as error:
            raise ComputationError(
                f"{self.name} was given {len(x):,} inputs, from {float(x[0])!r} to "
                f"{float(x[-1])!r}, when {error}"
            ) from None
        copy: Floats = got.copy()  # the memory is used again
        return copy


class _Hosted:
    """The function in its own process."""

    def __init__(
        self,
        name: str,
        word: str,
        arguments: dict[str, Any],
        backend: str | None,
        quantity: str,
        number_format: str,
    ) -> None:
        guest = Guest()
        function = load_callable(word, arguments, guest)
        try:
            library = find_backend(backend or guess_backend(function))
        except UsageError:
            raise
        except BaseException as error:  # a function may answer for its attributes by itself
            raise ComputationError(f"{name} raised {described(error)}") from None
        result = find_format(number_format)
        self._function = FunctionImplementation(
            name, _without_copies(function), library, quantity, result, guest
        )

    def is_differentiated(self) -> bool:
        return self._function.differentiated

    def judged(self, x: Floats) -> tuple[Floats, Mapping[State, str]]:
        return self._called(self._function, x)

    def values(self, x: Floats) -> tuple[Floats, Mapping[State, str]]:
        return self._called(self._function.values, x)

    def _called(
        self, function: Callable[[Floats], Floats], x: Floats
    ) -> tuple[Floats, Mapping[State, str]]:
        try:
            return function(x), self._function.environments
        except KeyboardInterrupt:  # nobody else can have meant this process
            raise ComputationError(f"{self._function.name} raised KeyboardInterrupt") from None


def _without_copies(function: Function) -> Function:
    """Return a function that ends a copy of this process, if one comes back from it by a fork."""
    process = os.getpid()

    def called(x: Any) -> Any:
        try:
            return function(x)
        finally:
            if os.getpid() != process:
                os._exit(0)

    return called
