"""A function of the user's own in a process of its own, where it can harm nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.environment import State
from gelu_cli.errors import ComputationError
from gelu_cli.guests.calling import Calling, UsersFunction, was_given
from gelu_cli.guests.libraries import names_library
from gelu_cli.guests.python import load_function
from gelu_cli.guests.surroundings import Surrounding
from gelu_cli.guests.symbols import SymbolImplementation, declaration
from gelu_cli.guests.workers import Worker, WorkerEndedError, WorkerLateError
from gelu_cli.stages import tell

TO_COMPILE = 60.0
"""Seconds that the call before all others may take longer: libraries compile in it."""


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
        self._provenance: Mapping[str, str] = {}
        self._versions: Mapping[str, str] = {}
        self._loaded = name, word, dict(arguments), calling
        self._hint = _hint(calling) if names_library(word) else ""
        self._settings: Mapping[str, str] = {}
        self._own_session = True
        self._worker: Worker | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_worker": None}

    @property
    def asked(self) -> Mapping[str, Any]:
        """The word, the arguments, and how the function is called."""
        _, word, arguments, calling = self._loaded
        if names_library(word):
            return {"impl": word, "signature": calling.signature, **super().asked}
        return {"impl": word, "kwargs": arguments, **super().asked}

    @property
    def provenance(self) -> Mapping[str, str]:
        """What its results depend on beside itself, known when it is loaded."""
        return self._provenance

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of libraries in its process, known when it is loaded."""
        return self._versions

    def of_a_worker(self, settings: Mapping[str, str]) -> GuestImplementation:
        """Return one to be sent to a worker: it is in its session, with variables of its own."""
        sent = copy(self)
        sent._settings, sent._own_session = settings, False
        return sent

    def load(self, first: Floats) -> None:
        """Start the process and have it load the function, if it has not done so."""
        limit = self.calling.timeout
        within = None if limit is None else limit + TO_COMPILE
        self._provenance, self._versions = self._asked("load", first, within)

    def _loaded_worker(self) -> Worker:
        if self._worker:
            return self._worker
        tell(f"{self.name}: loading")
        self._worker = worker = Worker(
            _Hosted,
            *self._loaded,
            settings=self._settings,
            own_session=self._own_session,
            name=self.name,
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

        Raises `WorkerEndedError` where that ends the process; the next call starts another one.
        """
        worker = self._loaded_worker()
        limit = self.calling.timeout
        try:
            got, self.environments = worker.call(
                "around", x, surrounding, within=None if limit is None else limit + TO_COMPILE
            )
        except WorkerLateError:
            self.close()
            raise WorkerEndedError(self._was_late(x, limit)) from None
        except WorkerEndedError as error:
            self.close()
            raise WorkerEndedError(f"{was_given(self.name, x)} when {error}") from None
        results: Floats = got
        return results

    def _results(self, method: str, x: Floats) -> Floats:
        results: Floats
        results, self.environments = self._asked(method, x, self.calling.timeout)
        return results

    def _asked(self, method: str, x: Floats, within: float | None) -> Any:
        worker = self._loaded_worker()
        try:
            return worker.call(method, x, within=within)
        except WorkerLateError:
            worker.kill()
            raise ComputationError(self._was_late(x, within)) from None
        except WorkerEndedError as error:
            raise ComputationError(f"{was_given(self.name, x)} when {error}{self._hint}") from None

    def _was_late(self, x: Floats, limit: float | None) -> str:
        return f"{was_given(self.name, x)} and did not return within {limit:g} s (--timeout)"


class _Hosted:
    """The function in its own process."""

    def __init__(self, name: str, word: str, arguments: dict[str, Any], calling: Calling) -> None:
        self._function = _loaded(name, word, arguments, calling)

    def is_differentiated(self) -> bool:
        return self._function.differentiated

    def load(self, first: Floats) -> tuple[Mapping[str, str], Mapping[str, str]]:
        with self._interrupts():
            self._function.load(first)
        return dict(self._function.provenance), dict(self._function.versions)

    def judged(self, x: Floats) -> tuple[Floats, Mapping[State, str]]:
        return self._called(self._function, x)

    def values(self, x: Floats) -> tuple[Floats, Mapping[State, str]]:
        return self._called(self._function.values, x)

    def ways(self) -> Sequence[str]:
        return self._function.ways

    def around(self, x: Floats, surrounding: Surrounding) -> tuple[Floats, Mapping[State, str]]:
        return self._called(lambda x: self._function.around(x, surrounding), x)

    def _called(
        self, function: Callable[[Floats], Floats], x: Floats
    ) -> tuple[Floats, Mapping[State, str]]:
        with self._interrupts():
            return function(x), self._function.environments

    @contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Tell of an interrupt, which nobody but the function can have meant for this process."""
        try:
            yield
        except KeyboardInterrupt as error:
            raise ComputationError(f"{self._function.name} raised KeyboardInterrupt") from error


def _hint(calling: Calling) -> str:
    """Say what else may be wrong where a C function crashes."""
    return f"; it is called as {declaration(calling)}, see --signature"


def _loaded(name: str, word: str, arguments: dict[str, Any], calling: Calling) -> UsersFunction:
    """Return the function that a word names, in this process."""
    if names_library(word):
        return SymbolImplementation(name, word, calling)
    return load_function(name, word, arguments, calling)
