"""What a sweep judges: the routines of the registry, or a function of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.narrow import NarrowArithmetic
from gelu_cli.arithmetic.rounding import Floats, nearest
from gelu_cli.environment import (
    FROM_THE_START,
    SINCE_A_CALL,
    STANDARD,
    Guest,
    State,
    callers_environment,
)
from gelu_cli.errors import UsageError
from gelu_cli.kernels.backends import Backend, Function
from gelu_cli.kernels.routines import Routine


class Implementation(Protocol):
    """What is judged: a routine, or a user's function, on arrays of numbers of a format."""

    @property
    def name(self) -> str:
        """What it is called in the report."""

    @property
    def environments(self) -> Mapping[State, str]:
        """The floating-point environments it was seen in, each with since when."""

    @property
    def notes(self) -> list[str]:
        """What else was seen that whoever reads the figures should know, a sentence each."""

    def __call__(self, x: Floats) -> Floats:
        """Return the results; numbers are held as float64s for float64, as float32s otherwise."""


class RoutineImplementation(NamedTuple):
    """A routine in the arithmetic of a format; its results are rounded to another if need be."""

    routine: Routine
    quantity: str
    arithmetic: NarrowArithmetic
    result: Format
    process: State = STANDARD
    """The floating-point environment that the process was found in; it is not computed in."""

    @property
    def name(self) -> str:
        """The name of the routine."""
        return self.routine.name

    @property
    def environments(self) -> Mapping[State, str]:
        """The standard one alone."""
        return {STANDARD: FROM_THE_START}

    @property
    def notes(self) -> list[str]:
        """A sentence where the process was found in another environment than the standard one."""
        if self.process == STANDARD:
            return []
        return [f"{self.process.effects} in this process; routines and judging are not affected"]

    def __call__(self, x: Floats) -> Floats:
        """Return the results at x."""
        a = self.arithmetic
        compute = self.routine.gradient if self.quantity == "gradient" else self.routine.value
        with np.errstate(all="ignore"):
            got = a.floats(compute(a, a.numbers(x)))
        if a.format is self.result:
            return got
        return nearest(self.result, got.astype(np.float64))[0].astype(x.dtype)


def routine_implementation(
    routine: Routine, quantity: str, result: Format, compute: Format | None = None
) -> RoutineImplementation:
    """Return a routine that rounds every operation to `compute`, and its results to `result`.

    >>> from gelu_cli.kernels.routines import find_routine
    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> f = routine_implementation(find_routine("erf_sum"), "value", FORMATS["bfloat16"])
    >>> f(np.array([-3.0, 1.0], np.float32)).tolist()
    [-0.005859375, 0.84375]
    """
    arithmetic = NarrowArithmetic(compute or result)
    process = callers_environment().state
    return RoutineImplementation(routine, quantity, arithmetic, result, process)


class FunctionImplementation:
    """A user's function: called by one thread at a time, its results checked.

    Raises `UsageError` where the function raises, returns something else than an array like its
    argument, or writes into it. The function, and nothing else, runs in the floating-point
    environment of `guest`, by default the caller's.
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
        self.result = result
        self.guest = guest or Guest()
        self.lock = Lock()

    @property
    def environments(self) -> Mapping[State, str]:
        """The floating-point environments it was seen in, each with since when."""
        return dict(self.guest.seen)

    @property
    def notes(self) -> list[str]:
        """A sentence where one of the environments is not the standard one."""
        others = {state: since for state, since in self.environments.items() if state != STANDARD}
        effects = "; ".join(f"{state.effects} ({since})" for state, since in others.items())
        return [f"while it runs, {effects}; judging is not affected"] if effects else []

    def __call__(self, x: Floats) -> Floats:
        """Return the results at x."""
        with self.lock:
            try:
                got = self._call(x)
            except UsageError as error:
                raise UsageError(f"{self.name}: {error}") from None
            except ModuleNotFoundError as error:
                raise UsageError(f"{self.name} needs '{error.name}', which is not here") from None
            except (Exception, SystemExit) as error:
                raise UsageError(
                    f"{self.name} raised {type(error).__name__}{self._where(x)}: {error}"
                    f"{self._hint(x)}"
                ) from None
        return got.astype(x.dtype)

    def _call(self, x: Floats) -> Floats:
        # What overflows is counted in the results. Kernels of other libraries may compute in
        # numpy as well (Triton's interpreter does).
        with np.errstate(all="ignore"):
            return self.backend(self.function, x, self.result, self.gradient, self.guest)

    def _hint(self, x: Floats) -> str:
        """Say what helps a function that takes one number at a time, but not two."""
        if not self._raises(np.resize(x, 2)):
            return ""
        try:
            with self.guest.running(SINCE_A_CALL):
                float(self.function(1.0))
        except (Exception, SystemExit):
            return ""
        return "; it takes numbers, but gets arrays: wrap it in numpy.vectorize"

    def _where(self, x: Floats) -> str:
        """Say at which input alone the function raises, found by halving."""
        while len(x) > 1:
            half = x[: len(x) // 2]
            x = half if self._raises(half) else x[len(x) // 2 :]
        return f" at x = {float(x[0])!r}" if self._raises(x) else ""

    def _raises(self, x: Floats) -> bool:
        try:
            self._call(x)
        except UsageError:
            return False
        except (Exception, SystemExit):
            return True
        return False
