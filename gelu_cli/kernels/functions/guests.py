"""A function of the user's own in a process of its own, where it can harm nobody."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.environment import Guest, State
from gelu_cli.errors import ComputationError, UsageError, described
from gelu_cli.kernels.backends import Function, find_backend, guess_backend
from gelu_cli.kernels.functions import Calling, UsersFunction
from gelu_cli.kernels.functions.arrays import FunctionImplementation
from gelu_cli.kernels.functions.callables import load_callable
from gelu_cli.kernels.functions.surroundings import Surrounding
from gelu_cli.stages import tell
from gelu_cli.workers import Worker, WorkerEndedError


class GuestImplementation(UsersFunction):
    """The function that a word like `mykernel.py:gelu` names, loaded and called by a worker.

    `name` is what it is called in the report, `arguments` are given to it by name, or to the class
    that it is. It is loaded when it is first used, and ends by a
    `with` statement. What is sent to another process is loaded there once more.

    Raises `UsageError` where there is no such function, `ComputationError` where loading or calling
    it fails, or ends its process.

    >>> import numpy as np
    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> calling = Calling(FORMATS["float16"], FORMATS["float16"])
    >>> with GuestImplementation("tanh", "numpy:tanh", {}, calling) as f:
    ...     f(np.array([0, 1], np.float32)).tolist()
    [0.0, 0.76171875]
    """

    def __init__(
        self,
        name: str,
        word: str,
        arguments: Mapping[str, Any],
        calling: Calling,
    ) -> None:
        self.name = name
        self.calling = calling
        self.environments: Mapping[State, str] = {}
        self._loaded = name, word, dict(arguments), calling
        self._settings: Mapping[str, str] = {}
        self._own_session = True
        self._worker: Worker | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_worker": None}

    def __enter__(self) -> GuestImplementation:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def of_a_worker(self, settings: Mapping[str, str]) -> GuestImplementation:
        """Return one to be sent to a worker: it is in its session, with variables of its own."""
        sent = copy(self)
        sent._settings, sent._own_session = settings, False
        return sent

    def load(self) -> None:
        """Start the process and have it load the function, if it has not done so."""
        self._loaded_worker()

    def _loaded_worker(self) -> Worker:
        if self._worker:
            return self._worker
        tell(f"{self.name}: loading")
        self._worker = worker = Worker(
            _Hosted, *self._loaded, settings=self._settings, own_session=self._own_session
        )
        try:
            self.differentiated = worker.call("is_differentiated")
            self.ways = worker.call("ways")
        except WorkerEndedError as error:
            self.close()
            raise ComputationError(f"{self.name} was being loaded when {error}") from None
        except BaseException:
            self.close()
            raise
        return worker

    def close(self) -> None:
        """End the process, with what its libraries do at their exit."""
        if self._worker:
            self._worker.close()
            self._worker = None

    def kill(self) -> None:
        """End the process and its children at once."""
        if self._worker:
            self._worker.kill()

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        return self._results("judged", x)

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x."""
        return self._results("values", x)

    def around(self, x: Floats, surrounding: Surrounding) -> Floats:
        """Return the results that are judged at x, called in another surrounding.

        Raises `WorkerEndedError` where that ends the process; there will be another one.
        """
        worker = self._loaded_worker()
        try:
            got, self.environments = worker.call("around", x, surrounding)
        except WorkerEndedError:
            self.close()
            raise
        results: Floats = got
        return results

    def _results(self, method: str, x: Floats) -> Floats:
        worker = self._loaded_worker()
        try:
            got, self.environments = worker.call(method, x)
        except WorkerEndedError as error:
            raise ComputationError(
                f"{self.name} was given {len(x):,} inputs, from {float(x[0])!r} to "
                f"{float(x[-1])!r}, when {error}"
            ) from None
        results: Floats = got
        return results


class _Hosted:
    """The function in its own process."""

    def __init__(self, name: str, word: str, arguments: dict[str, Any], calling: Calling) -> None:
        self._function = _loaded(name, word, arguments, calling)

    def is_differentiated(self) -> bool:
        return self._function.differentiated

    def judged(self, x: Floats) -> tuple[Floats, Mapping[State, str]]:
        return self._called(self._function, x)

    def values(self, x: Floats) -> tuple[Floats, Mapping[State, str]]:
        return self._called(self._function.values, x)

    def ways(self) -> Sequence[str]:
        return self._function.ways

    def around(
        self, x: Floats, surrounding: Surrounding
    ) -> tuple[Floats, Mapping[State, str]]:
        return self._called(partial(self._function.around, surrounding=surrounding), x)

    def _called(
        self, function: Callable[[Floats], Floats], x: Floats
    ) -> tuple[Floats, Mapping[State, str]]:
        try:
            return function(x), self._function.environments
        except KeyboardInterrupt:  # nobody else can have meant this process
            raise ComputationError(f"{self._function.name} raised KeyboardInterrupt") from None


def _loaded(name: str, word: str, arguments: dict[str, Any], calling: Calling) -> UsersFunction:
    """Return the function that a word names, in this process."""
    guest = Guest()
    function = load_callable(word, arguments, guest)
    try:
        library = find_backend(calling.backend or guess_backend(function))
    except UsageError:
        raise
    except BaseException as error:  # a function may answer for its attributes by itself
        raise ComputationError(f"{name} raised {described(error)}") from None
    return FunctionImplementation(name, _without_copies(function), library, calling, guest)


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
