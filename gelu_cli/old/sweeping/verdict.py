"""What a sweep has found: a verdict, exact wherever a single input is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from fractions import Fraction
from math import copysign, inf, isfinite, isnan, nan
from typing import Any, NamedTuple, Protocol

import numpy as np

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.environment import State, standard_environment
from gelu_cli.old.stages import tell
from gelu_cli.old.sweeping.exact_errors import (
    ExactError,
    JudgedResult,
    error_by_jax,
    error_of,
    judged_result,
)
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.regions import Region
from gelu_cli.old.sweeping.tally import Failure, Tally
from gelu_cli.old.sweeping.truth import Question

SPARE = 16
"""Candidates for the worst inputs beyond those asked for; exact evaluation decides among them."""


class Changed(NamedTuple):
    """An input whose result depends on the surroundings: the first that differs from the usual."""

    x: float
    shape: str
    """The surrounding, as `guests.surroundings` names it."""

    got: float
    usual: float
    up: float = 1.0
    """The second input, of a kernel that has two."""


class ChangedResults(Protocol):
    """The inputs whose results depend on the surroundings, and how far off these results are."""

    @property
    def judged(self) -> Verdict:
        """The verdict on the lowest and the highest result at each of them, and on NaN."""

    def largest(self, most: int | None) -> Sequence[Changed]:
        """Return so many of the changes, or all that are known, the largest first."""

    def shape_of(self, x: float, got: float, up: float = 1.0) -> str:
        """Return the surrounding in which the function has returned a result that was judged."""


class CriterionResult(NamedTuple):
    """What a criterion says of a kernel."""

    name: str
    inputs: str
    """`judged`: all that were, alike; `N(0, 1)`: each as often as a draw rounds to it."""

    measure: str
    found: float
    threshold: float | None
    x: float | None
    """The input that decides: where most is measured, or where draws fail most often."""

    passes: bool | None
    """None where nothing can fail."""

    up: float | None = 1.0
    """The second input beside x, of a kernel that has two."""


@dataclass(eq=False)
class Verdict:
    """What a sweep has found, exact wherever a single input is named."""

    name: str
    question: Question
    exhaustive: bool
    """Whether every input in the range was to be taken; figures of a sample are lower bounds."""

    ftz: bool = False
    """Whether a machine that flushes subnormal inputs and results is right."""

    total: Tally = field(default_factory=Tally)
    regions: dict[Region, Tally] = field(default_factory=dict)
    complete: bool = True
    """False where an interrupt or a failure has ended the sweep."""

    failure: ComputationError | None = None
    """What made a kernel of the sweep fail, with its inputs."""

    changes: ChangedResults | None = None
    """What other surroundings have changed, where that was looked for."""

    criteria: Sequence[CriterionResult] = ()
    """What other people's checks say of the same results, where that was asked."""

    notes: list[str] = field(default_factory=list)
    """What else was seen that whoever reads the figures should know, a sentence each."""

    environments: Mapping[State, str] = field(default_factory=dict)
    """The floating-point environments of a function that was swept, each with since when."""

    provenance: Mapping[str, str] = field(default_factory=dict)
    """What results of the user's own depend on beside their kernel: a library, a device."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of libraries that were imported where the results come from."""

    inputs: Inputs | None = None
    """Which inputs were to be taken; None of results that were computed elsewhere."""

    asked: Mapping[str, Any] = field(default_factory=dict)
    """How the kernel was asked for: words and numbers by name, as JSON has them."""

    farthest_by_jax: Sequence[Failure] = ()
    """Results among which one has the largest error by JAX's rule, if the worst have not."""

    known: dict[tuple[float, ...], ExactError] = field(default_factory=dict, repr=False)
    """Exact errors that were asked for before, by inputs and result with their signs."""

    digest: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of all results, by its name in `digests`, if one was taken."""

    @property
    @standard_environment()
    def worst(self) -> list[JudgedResult]:
        """The rows of the view `worst`: first the `failures`, then the largest errors in ULP."""
        failed = [*map(self.judged, self.failures)]
        errors = self.errors(self.total)
        return failed + [judged_result(self.question, e.x, e.got, e, e.up) for e in errors]

    def judged(self, failure: Failure) -> JudgedResult:
        """Return what is due where a result fails."""
        return judged_result(self.question, failure.x, failure.got, up=failure.up)

    @standard_environment()
    def errors(self, tally: Tally) -> list[ExactError]:
        """Return the largest errors of a tally, exactly, the largest first."""
        tell(f"{self.name}: exact errors of the worst inputs")
        found = [self._error(entry.x, entry.got, entry.up) for entry in tally.worst]
        return sorted(found, key=lambda error: error.ulp, reverse=True)

    @standard_environment()
    def largest(self, tally: Tally) -> ExactError | None:
        """Return the largest error of a tally, exactly; None if there is no error.

        Errors that float64s tell from the largest are not evaluated.
        """
        tell(f"{self.name}: exact errors of the worst inputs")
        near = [each for each in tally.worst if 100 * each.ulp >= 99 * tally.worst[0].ulp - 1]
        found = (self._error(each.x, each.got, each.up) for each in near)
        return max(found, key=lambda error: error.ulp, default=None)

    @standard_environment()
    def error_at(self, x: float, got: float, up: float = 1.0) -> ExactError | None:
        """Return the error of a result at any x; None where it, or what is due, is no number."""
        if not (isfinite(got) and isfinite(up) and isfinite(self.question.at(up).want(x))):
            return None
        return self._error(x, got, up)

    def _error(self, x: float, got: float, up: float) -> ExactError:
        key = (*(copysign(1, each) for each in (x, got, up)), x, got, up)
        if key not in self.known:
            self.known[key] = self._exactly(x, got, up)
        return self.known[key]

    def _exactly(self, x: float, got: float, up: float) -> ExactError:
        error = error_of(self.question.at(up), x, got, self.ftz)._replace(up=up)
        if self.ftz and self.question.gating and 0 < abs(up) < 2.0**self.question.dtype.emin:
            flushed = error_of(self.question.at(copysign(0.0, up)), x, got, self.ftz)
            flushed = flushed._replace(up=up, exact=error.exact)
            return min(error, flushed, key=lambda each: each.ulp)
        return error

    @standard_environment()
    def farthest(self, name: str, tally: Tally | None = None) -> tuple[Fraction, float] | None:
        """Return the largest absolute (`abs`) or relative (`rel`) error, exactly, and its x.

        Relative errors are those of normal numbers.
        """
        error = self.farthest_error(name, tally)
        if not error:
            return None
        absolute = abs(Fraction(error.got) - error.exact) if error.ulp else Fraction(0)
        return absolute / (abs(error.exact) if absolute and name == "rel" else 1), error.x

    def farthest_error(self, name: str, tally: Tally | None = None) -> ExactError | None:
        """Return the result with the largest absolute (`abs`) or relative (`rel`) error."""
        _, x, got, up = (tally or self.total).farthest.get(name, (0.0, nan, nan, 1.0))
        return self.error_at(x, got, up)

    @property
    @standard_environment()
    def furthest(self) -> ExactError:
        """The largest ordinal distance."""
        _, x, got, up = self.total.furthest
        return self._error(x, got, up)

    @property
    def failures(self) -> list[Failure]:
        """The first results that are NaN or infinite, or should be."""
        return self.total.failures

    @property
    @standard_environment()
    def max_ulp(self) -> float:
        """The largest error in ULP of the results that have one; NaN where none has.

        A wrong NaN or infinity has none: `failures` lists those, and `within` fails on them.
        """
        largest = next(iter(self.errors(self.total)), None)
        return FLOAT64.exactly(largest.ulp) if largest else nan

    @property
    @standard_environment()
    def largest_by_jax(self) -> Fraction | float | None:
        """The largest error in ULP by the rule of `error_by_jax`, exactly; None of no result."""
        found: list[Fraction | float]
        found = [error.ulp for error in self.errors(self.total)[:1] if not self.ftz]
        results = {*self.failures, *self.farthest_by_jax}
        if self.ftz:
            results |= {Failure(error.x, error.got, error.up) for error in self.total.worst}
        found += map(self._error_by_jax, results)
        return max(found, default=None)

    def _error_by_jax(self, failure: Failure) -> Fraction | float:
        x, got, up = failure
        if not isfinite(up):
            return inf  # such pairs are there only if they fail
        tiny = self.ftz and abs(up) < 2.0**self.question.dtype.emin
        ups = {up, copysign(0.0, up) if tiny and self.question.gating else up}
        return min(error_by_jax(self.question.at(each), x, got, self.ftz) for each in ups)

    @property
    def max_ulp_jax(self) -> float:
        """The largest error in ULP as JAX's page on accuracy measures it; infinite for a NaN."""
        largest = self.largest_by_jax
        return FLOAT64.exactly(largest) if isinstance(largest, Fraction) else largest or 0.0

    def __eq__(self, other: object) -> bool:
        """Return whether the two have found the same, number by number; NaN is NaN."""
        return isinstance(other, Verdict) and same(
            *({**vars(each), "known": None} for each in (self, other))
        )

    __hash__ = None  # type: ignore[assignment]


def same(first: Any, second: Any) -> bool:
    """Return whether two values are equal, part by part; NaN is NaN.

    >>> same({"x": [float("nan"), -1.0]}, {"x": [float("nan"), -1.0]}), same([0.0], [1.0])
    (True, False)
    """
    if first is second or type(first) is not type(second):
        return first is second
    if isinstance(first, float):
        return first == second or (isnan(first) and isnan(second))
    parts, others = _parts(first), _parts(second)
    if parts is None or others is None:
        return bool(first == second)
    return len(parts) == len(others) and all(map(same, parts, others))


def _parts(value: Any) -> Sequence[Any] | None:
    """Return what a value is made of, None where == tells."""
    if isinstance(value, np.ndarray):
        return [value.dtype.str, value.tolist()]
    if isinstance(value, dict):
        return [part for name in sorted(value, key=repr) for part in (name, value[name])]
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, BaseException):
        return [value.args, vars(value)]
    ours = type(value).__module__.startswith(f"{__name__.partition('.')[0]}.")
    return [vars(value)] if ours or is_dataclass(value) else None
