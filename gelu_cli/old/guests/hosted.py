"""A function of the user's own in a process of its own, where it can harm nobody."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.format_arrays import Floats
from gelu_cli.old.environment import State
from gelu_cli.old.guests.c_functions import SymbolImplementation, declaration, of_numbers
from gelu_cli.old.guests.calling import NOTHING, Calling, Surrounding, UsersFunction, was_given
from gelu_cli.old.guests.libraries import names_library
from gelu_cli.old.guests.python_functions import load_function
from gelu_cli.old.guests.workers import Worker, WorkerEndedError, WorkerLateError
from gelu_cli.old.stages import tell

TO_COMPILE = 60.0
"""Seconds that the call before all others may take longer: libraries compile in it."""


class GuestImplementation(UsersFunction):
    """The function that a word like `mykernel.py:gelu` names, loaded and called by a worker.

    `name` is what it is called in the report, `arguments` are given to it by name, or to the class
    that it is. It is loaded when it is first used, and its process ends with a `with` statement.
    What is sent to another process is loaded there once more.

    Raises `UsageError` where there is no such function, `ComputationError` where loading or calling
    it fails, or ends its process.

    >>> import numpy as np
    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> calling = Calling(FORMATS["float16"], FORMATS["float16"])
    >>> with GuestImplementation("tanh", "numpy:tanh", {}, calling) as f:
    ...     f(np.array([0, 1], np.float32)).tolist()
    [0.0, 0.76171875]
    """

    versions: Mapping[str, str] = NOTHING

    def __init__(
        self, name: str, word: str, arguments: Mapping[str, Any], calling: Calling
    ) -> None:
        self.name = name
        self.calling = calling
        self.environments: Mapping[State, str] = {}
        self._loaded = name, word, dict(arguments), calling
        self._hint = ""
        self.asked = {"impl": word, "kwargs": dict(arguments), **calling.asked}
        if names_library(word):
            self._hint = f"; it is called as {declaration(calling)}{of_numbers(calling)}"
            self.asked = {"impl": word, "signature": calling.signature, **calling.asked}
        self._as_worker: dict[str, Any] = {}
        """How its worker is started, where not as usual."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "process": None}

    def of_a_worker(self, settings: Mapping[str, str]) -> GuestImplementation:
        """Return one to be sent to a worker: it is in its session, with variables of its own."""
        sent = copy(self)
        sent._as_worker = {"settings": settings, "own_session": False}
        return sent

    def load(self, first: Floats) -> None:
        """Start the process and have it load the function, if it has not done so."""
        self._asked("load", first, longer=True)
        facts = self.process.call("facts")
        self.provenance, self.versions, self.differentiated, self.ways = facts

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        return self._asked("__call__", x)

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x."""
        return self._asked("values", x)

    def around(self, x: Floats, surrounding: Surrounding) -> Floats:
        """Return the results that are judged at x, called in another surrounding.

        Raises `WorkerEndedError` where that ends the process; the next call starts another one.
        """
        return self._asked("around", x, surrounding, longer=True)

    def _asked(self, method: str, x: Floats, *others: Any, longer: bool = False) -> Floats:
        """Return what a method of the function returns, if `longer` where a library compiles."""
        result: Floats
        if not self.process:
            self._start()
        worker, limit, around = self.process, self.calling.timeout, method == "around"
        within = limit and limit + TO_COMPILE * longer
        try:
            result, self.environments = worker.call("called", method, x, *others, within=within)
        except WorkerLateError:
            how = f"and did not return within {limit if around else within:g} s (--timeout)"
        except WorkerEndedError as error:
            how = f"when {error}" + ("" if around else self._hint)
        else:
            return result
        worker.kill()
        kind = ComputationError
        if around:
            self.close()
            kind = WorkerEndedError
        raise kind(f"{was_given(self.name, x)} {how}")

    def _start(self) -> None:
        """Start the process and have it find the function."""
        tell(f"{self.name}: loading")
        self.process = Worker(_Hosted, *self._loaded, name=self.name, **self._as_worker)
        try:
            self.process.answer()
        except WorkerEndedError as error:
            self.close()
            raise ComputationError(f"{self.name} was being loaded when {error}") from None
        except BaseException:
            self.close()
            raise


class _Hosted:
    """The function in its own process."""

    def __init__(self, name: str, word: str, arguments: dict[str, Any], calling: Calling) -> None:
        self._function: UsersFunction = (
            SymbolImplementation(name, word, calling)
            if names_library(word)
            else load_function(name, word, arguments, calling)
        )

    def facts(self) -> tuple[Any, ...]:
        """Return what its results depend on, and what else is known of it once it is loaded."""
        function = self._function
        return (
            dict(function.provenance), dict(function.versions), function.differentiated,
            function.ways,
        )  # fmt: skip

    def called(self, method: str, *arguments: Any) -> tuple[Any, Mapping[State, str]]:
        """Return what a method of the function returns, and the environments it was seen in."""
        function = self._function
        try:
            result = getattr(function, method)(*arguments)
        except KeyboardInterrupt as error:  # nobody but the function can have meant this process
            raise ComputationError(f"{function.name} raised KeyboardInterrupt") from error
        return result, function.environments


def label(function: str, arguments: Mapping[str, Any]) -> str:
    """Return what a function with arguments is called in an answer, as a call of Python.

    >>> label("mykernel.py:gelu", {"approximate": "tanh", "fast": True})
    "mykernel.py:gelu(approximate='tanh', fast=True)"
    >>> label("mykernel.py:gelu", {})
    'mykernel.py:gelu'
    """
    listed = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"{function}({listed})" if arguments else function
