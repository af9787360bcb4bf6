"""What a sweep judges: a routine of the registry, or a function of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import Floats, held, nearest
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.arithmetic.narrow import NarrowArithmetic
from gelu_cli.old.environment import FROM_THE_START, STANDARD, State, callers_environment
from gelu_cli.old.sweeping.routines import Routine
from gelu_cli.old.sweeping.truth import Question


class Kernel(NamedTuple):
    """What is swept: an implementation, and what its results should be."""

    implementation: Implementation
    question: Question


class Implementation(Protocol):
    """What is judged: a routine, or a user's function, on arrays of numbers of a format."""

    @property
    def name(self) -> str:
        """What it is called in the report."""

    @property
    def environments(self) -> Mapping[State, str]:
        """The floating-point environments it was seen in, each with since when."""

    @property
    def asked(self) -> Mapping[str, Any]:
        """How it was asked for: words and numbers by name, as JSON has them."""

    @property
    def notes(self) -> list[str]:
        """What else was seen that whoever reads the figures should know, a sentence each."""

    def __call__(self, x: Floats) -> Floats:
        """Return the results; numbers are held as float64s for float64, as float32s otherwise.

        So are x by their format, and results by theirs.
        """


class RoutineImplementation(NamedTuple):
    """A routine in the arithmetic of a format; its results are rounded to another if need be.

    They are held as float64s if they are, else as float32s.
    """

    routine: Routine
    quantity: str
    arithmetic: NarrowArithmetic
    result: Format
    process: State = STANDARD
    """The floating-point environment that the process was found in; it is not computed in."""

    label: str = ""
    """What it is called in the report, if not as the routine."""

    def __reduce__(self) -> tuple[Any, ...]:
        a = self.arithmetic
        return routine_implementation, (
            self.routine, self.quantity, self.result, a.format, self.process, a.truncate, a.flush,
            self.label,
        )  # fmt: skip

    @property
    def name(self) -> str:
        """What it is called in the report."""
        return self.label or self.routine.name

    @property
    def asked(self) -> Mapping[str, Any]:
        """The routine, and the arithmetic inside it."""
        a = self.arithmetic
        how = {"truncate": a.truncate, "flush": a.flush}
        asked = {name: True for name, given in how.items() if given}
        return {"routine": self.routine.name, "compute": a.format.name, **asked}

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
            return self._rounded(a.floats(compute(a, a.numbers(x))))

    def _rounded(self, got: Floats) -> Floats:
        if self.arithmetic.format is self.result:
            return got
        if got.dtype == np.float32 and self.result.width < 32:
            result = NarrowArithmetic(self.result)
            return result.floats(result.numbers(got))
        rounded = nearest(self.result, got.astype(np.float64))[0]
        return held(self.result, rounded)


def routine_implementation(
    routine: Routine,
    quantity: str,
    result: Format,
    compute: Format | None = None,
    process: State | None = None,
    truncate: bool = False,
    flush: bool = False,
    label: str = "",
) -> RoutineImplementation:
    """Return a routine that rounds every operation to `compute`, and its results to `result`.

    Operations round toward zero with `truncate`, and with `flush` what is subnormal is 0. `process`
    is the floating-point environment that the process was found in, this one by default. Raises
    `UsageError` for float64s that should be truncated.

    >>> from gelu_cli.old.sweeping.routines import find_routine
    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> f = routine_implementation(find_routine("erf_sum"), "value", FORMATS["bfloat16"])
    >>> f(np.array([-3.0, 1.0], np.float32)).tolist()
    [-0.005859375, 0.84375]
    """
    inner = compute or result
    if truncate and inner.width == 64:
        raise UsageError("--truncate: float64 rounds to nearest; take --compute float32")
    arithmetic = NarrowArithmetic(inner, truncate=truncate, flush=flush)
    process = process or callers_environment().state
    return RoutineImplementation(routine, quantity, arithmetic, result, process, label)
