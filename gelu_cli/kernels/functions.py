"""A function of the user's own, called in this process, and its results checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from threading import Lock
from typing import Any

import numpy as np

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.environment import SINCE_A_CALL, STANDARD, Guest, State
from gelu_cli.errors import ComputationError, GeluError, UsageError, described
from gelu_cli.kernels.backends import Backend, Function, RaisedError, own_gradient


class UsersFunction(ABC):
    """A function of the user's own as an `Implementation`, in whatever process it runs."""

    name: str
    """What it is called in the report."""

    differentiated: bool
    """Whether its gradients are its library's, so that it returns values itself."""

    environments: Mapping[State, str]
    """The floating-point environments it was seen in, each with since when."""

    @property
    def notes(self) -> list[str]:
        """A sentence where one of the environments is not the standard one."""
        return environment_notes(self.environments)

    @abstractmethod
    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x, in its type; raises `ComputationError`.

        They stay what they are until the next call.
        """

    @abstractmethod
    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x, even where gradients are judged."""


def environment_notes(environments: Mapping[State, str]) -> list[str]:
    """Return a sentence where one of the environments of a function is not the standard one."""
    others = {state: since for state, since in environments.items() if state != STANDARD}
    effects = "; ".join(f"{state.effects} ({since})" for state, since in others.items())
    return [f"while it runs, {effects}; judging is not affected"] if effects else []


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
        quantity: str,
        result: Format,
        guest: Guest | None = None,
    ) -> None:
        self.name = name
        self.function = function
        self.backend = backend
        self.gradient = quantity == "gradient"
        self.differentiated = backend.gradient is not own_gradient
        self.result = result
        self.guest = guest or Guest()
        self.environments = self.guest.seen
        self.lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        quantity = "gradient" if self.gradient else "value"
        return FunctionImplementation, (
            self.name, self.function, self.backend, quantity, self.result
        )  # fmt: skip

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        return self._checked(x, self.gradient)

    def values(self, x: Floats) -> Floats:
        """Return what the function itself returns at x."""
        return self._checked(x, gradient=False)

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
            return self.backend(self.function, x, self.result, gradient, self.guest)

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
