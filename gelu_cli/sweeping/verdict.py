"""What a sweep has found: a verdict, exact wherever a single input is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from fractions import Fraction
from math import copysign, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import ordinal
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.environment import State, standard_environment
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.stages import tell
from gelu_cli.sweeping.regions import Region
from gelu_cli.sweeping.tally import Failure, Tally
from gelu_cli.sweeping.truth import EXACT_DIGITS, MOST_DIGITS, Question

if TYPE_CHECKING:
    import os

    from gelu_cli.budgets import Budget, Judgement
    from gelu_cli.sweeping.inputs import Inputs
    from gelu_cli.sweeping.records import RecordedChanges
    from gelu_cli.sweeping.shapes import Changes

SPARE = 16
"""Candidates for the worst inputs beyond those asked for; exact evaluation decides among them."""


class ExactError(NamedTuple):
    """The error of the result `got` at one input x."""

    x: float
    got: float
    want: float
    """The correctly rounded result."""

    exact: Fraction
    """The true value y, to at least 60 digits."""

    ulp: Fraction
    """|got − y|/ulp(y)."""

    ordinal: int
    """The steps along the numbers of the format of results from `got` to `want`."""


class JudgedResult(NamedTuple):
    """A result beside the truth: an `ExactError`, or None where there is no such number."""

    x: float
    got: float
    want: float
    exact: Fraction | None
    """None at NaN and the infinities."""

    ulp: Fraction | None
    """None where the result is NaN or infinite, or should be, as is `ordinal`."""

    ordinal: int | None


class Changed(NamedTuple):
    """An input whose result depends on the surroundings: the first that differs from the usual."""

    x: float
    shape: str
    """The surrounding, as `guests.surroundings` names it."""

    got: float
    usual: float


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


@dataclass(eq=False)
class Verdict:
    """What a sweep has found, exact wherever a single input is named.

    >>> import numpy as np
    >>> from gelu_cli.api import sweep
    >>> verdict = sweep(lambda x: np.maximum(x, 0), dtype="float16", target="relu")
    >>> verdict.exhaustive, verdict.max_ulp, verdict.total.inputs, verdict.total.misrounded
    (True, 0.0, 63488, 0)
    """

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

    changes: Changes | RecordedChanges | None = None
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

    digest: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of all results, by its name in `digests`, if one was taken."""

    @property
    @standard_environment()
    def worst(self) -> list[JudgedResult]:
        """The rows of the view `worst`: first the `failures`, then the largest errors in ULP."""
        failed = [judged_result(self.question, *failure) for failure in self.failures]
        errors = self.errors(self.total)
        return failed + [judged_result(self.question, each.x, each.got, each) for each in errors]

    @standard_environment()
    def errors(self, tally: Tally) -> list[ExactError]:
        """Return the largest errors of a tally, exactly, the largest first."""
        tell(f"{self.name}: exact errors of the worst inputs")
        found = [self._error(entry.x, entry.got) for entry in tally.worst]
        return sorted(found, key=lambda error: error.ulp, reverse=True)

    @standard_environment()
    def error_at(self, x: float, got: float) -> ExactError | None:
        """Return the error of a result at any x; None where it, or what is due, is no number."""
        if not (isfinite(got) and isfinite(self.question.want(x))):
            return None
        return self._error(x, got)

    def _error(self, x: float, got: float) -> ExactError:
        error = exact_error(self.question, x, got)
        if not self.ftz:
            return error
        if got == 0 and self.question.is_subnormal(x, error.exact):
            return error._replace(want=0.0, ulp=Fraction(0), ordinal=0)
        if 0 < abs(x) < 2.0**self.question.dtype.emin:
            flushed = exact_error(self.question, copysign(0.0, x), got)
            flushed = flushed._replace(x=x, exact=error.exact)
            return min(error, flushed, key=lambda error: error.ulp)
        return error

    @property
    @standard_environment()
    def furthest(self) -> ExactError:
        """The largest ordinal distance."""
        _, x, got = self.total.furthest
        return self._error(x, got)

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
        from gelu_cli.sweeping.jax_ulp import error_by_jax

        found: list[Fraction | float]
        found = [error.ulp for error in self.errors(self.total)[:1] if not self.ftz]
        results = {*self.failures, *self.farthest_by_jax}
        if self.ftz:
            results |= {Failure(error.x, error.got) for error in self.total.worst}
        found += [error_by_jax(self.question, *each, self.ftz) for each in results]
        return max(found, default=None)

    @property
    def max_ulp_jax(self) -> float:
        """The largest error in ULP as JAX's page on accuracy measures it; infinite for a NaN."""
        largest = self.largest_by_jax
        return FLOAT64.exactly(largest) if isinstance(largest, Fraction) else largest or 0.0

    @standard_environment()
    def to_dict(self) -> dict[str, Any]:
        """Return all that was found as JSON has it: texts, numbers, lists, dictionaries.

        `summary`, `regions`, `histogram`, `worst` and `plot` are lists of rows with the columns of
        the views of `gelu sweep`; `question`, `provenance` and what else says where results come
        from have the names that records have for them. A number that is not finite is the text
        "inf", "-inf" or "nan". All of the worst that are kept are there, more than views show.

        >>> import json
        >>> import numpy as np
        >>> from gelu_cli.api import sweep
        >>> found = sweep(lambda x: np.maximum(x, 0), dtype="float16", target="relu").to_dict()
        >>> found["summary"][0]["max_ulp"], found["question"]["target"]
        (0.0, 'relu')
        >>> len(json.dumps(found, allow_nan=False)) > 1000
        True
        """
        from gelu_cli.sweeping.records import dict_of

        return dict_of(self)

    def __eq__(self, other: object) -> bool:
        """Return whether the two have found the same, number by number; NaN is NaN."""
        return isinstance(other, Verdict) and same(vars(self), vars(other))

    __hash__ = None  # type: ignore[assignment]

    @standard_environment()
    def within(
        self,
        budget: Budget | str | os.PathLike[str] | None = None,
        *,
        max_ulp: float | None = None,
    ) -> Judgement:
        r"""Return whether results keep a largest error in ULP and a budget, or the one in a file.

        The result is true if every bound is kept; a wrong NaN or infinity exceeds every `max_ulp`.
        It has the `breaches`, each with what was found and with the file and the line of the bound,
        and the known failures that have `vanished`; as a text it is the breaches.

        Raises ValueError, which names file and line, for a budget that cannot be read or meant, or
        of which no bound is for these results, and where there is no bound at all.

        >>> import numpy as np
        >>> from gelu_cli import Budget, sweep
        >>> def relu(x):
        ...     return np.maximum(x, 0)
        >>> verdict = sweep(relu, dtype="float16", target="silu")
        >>> print(verdict.within(Budget.of("[[bound]]\nwrong_zero = 9", "budget.toml")))
        budget.toml:2: relu: wrong_zero 19732 exceeds 9
        >>> print(verdict.within(max_ulp=2))
        relu: max_ulp 2048 at x = -0.0019550323486328125 exceeds 2
        """
        from gelu_cli.budgets import budget_of
        from gelu_cli.budgets.entries import largest_error
        from gelu_cli.budgets.figures import FiguresOfVerdict
        from gelu_cli.budgets.judging import judge

        figures = FiguresOfVerdict(self)
        said = [] if budget is None else [budget_of(budget).judge(figures)]
        if max_ulp is not None:
            said.append(judge([largest_error(max_ulp, figures.names)], figures))
        if not said:
            raise UsageError("nothing bounds the results; give a budget, or max_ulp=2")
        return replace(said[0], checked=[each for part in said for each in part.checked])


def judged_result(
    question: Question, x: float, got: float, error: ExactError | None = None
) -> JudgedResult:
    """Return a result beside the truth, with its error if it has one."""
    want = question.want(x)
    if error:  # whose `want` may be flushed
        return JudgedResult(x, got, want, error.exact, error.ulp, error.ordinal)
    exact = question.exactly(x) if isfinite(x) else None
    return JudgedResult(x, got, want, exact, None, None)


def exact_error(question: Question, x: float, got: float) -> ExactError:
    """Return the error of a finite result, from as many digits of the truth as it takes.

    The error in ULP has 20 digits, unless it is below 1e-400.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> from gelu_cli.forms import find_form
    >>> relu = Question(find_form("relu"), "value", FORMATS["bfloat16"])
    >>> error = exact_error(relu, 1.0, 1.015625)
    >>> error.want, error.ulp, error.ordinal
    (1.0, Fraction(2, 1), 2)
    """
    want = question.want(x)
    digits = EXACT_DIGITS
    while True:
        exact = question.exactly(x, digits)
        error = abs(Fraction(got) - exact) / question.unit(x, exact, digits)
        # A unit is over 10⁻¹⁶ of the value.
        if error * 10 ** (digits - 36) >= 1 or digits > MOST_DIGITS:
            break
        digits *= 2
    steps = abs(ordinal(question.result, got) - ordinal(question.result, want))
    return ExactError(x, got, want, exact, error, steps)


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
