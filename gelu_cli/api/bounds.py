"""Bounds on errors, tolerances, and the number of worst inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from gelu_cli.accuracy.criteria import Tolerance
from gelu_cli.api.questions import option
from gelu_cli.api.verdict_cells import above, plain
from gelu_cli.errors import UsageError
from gelu_cli.inputs.numbers import finite, whole

WRONG = {
    "wrong_nan": ("NaN", "NaNs"),
    "wrong_inf": ("infinity", "infinities"),
    "wrong_sign": ("sign", "signs"),
}
"""Counts of results that break every bound, and the words for one and for several."""

LIMITS = {"max_ulp": "max_ulp", "max_abs": "max_abs_error", "max_rel": "max_rel_error"}
"""The columns of summary that options bound."""

UNITS = {"max_ulp": "ULP", "max_abs": "absolute error", "max_rel": "relative error"}


@dataclass(frozen=True)
class Errors:
    """The largest errors of a kernel, as bounds need them.

    Attributes
    ----------
    kernel
        Name of the kernel.
    largest
        The largest error and where it is by the column of summary.
    counts
        Numbers of wrong results by the column of summary.
    first_wrong
        The first wrong result, in words, if it is known.
    """

    kernel: str
    largest: Mapping[str, tuple[Fraction, str]]
    counts: Mapping[str, int]
    first_wrong: str = ""


@dataclass(frozen=True)
class Bounds:
    """Largest errors that are allowed, by the name of the bound."""

    limits: Mapping[str, Fraction] = field(default_factory=dict)

    @classmethod
    def of(cls, max_ulp: Any = None, max_abs: Any = None, max_rel: Any = None) -> Bounds:
        """Parse the bounds that are given."""
        given = {"max_ulp": max_ulp, "max_abs": max_abs, "max_rel": max_rel}
        return cls(
            {each: _size(given[each], option(each)) for each in given if given[each] is not None}
        )

    def broken_by(self, errors: Errors) -> list[str]:
        """List the bounds that errors break, a sentence each.

        Raises
        ------
        UsageError
            If a bound cannot be judged: no result has such an error, or a record lacks it.
        """
        counts = {name: count for name in WRONG if (count := errors.counts.get(name))}
        broken = []
        if counts and self.limits:
            listed = [f"{n:,} wrong {WRONG[name][n != 1]}" for name, n in counts.items()]
            said = ": ".join(filter(None, [errors.kernel, ", ".join(listed), errors.first_wrong]))
            broken.append(f"{said}; a wrong NaN, infinity or sign breaks each bound")
        for name, limit in self.limits.items():
            if largest := errors.largest.get(LIMITS[name]):
                if largest[0] > limit:
                    much = f"{above(limit, largest[0])} {UNITS[name]} at {largest[1]}"
                    broken.append(f"{errors.kernel}: {much} exceeds {option(name)} {plain(limit)}")
            elif not counts:
                raise UsageError(
                    f"{option(name)} cannot be judged: {errors.kernel} has no {LIMITS[name]}; "
                    f"remove {option(name)}"
                )
        return broken


@dataclass(frozen=True)
class Judging:
    """How results are judged.

    Attributes
    ----------
    bounds
        Largest errors that are allowed.
    baseline
        A record, or the name of its file, that no error may exceed.
    ftz
        True if inputs and results that are flushed to 0 are right.
    worst
        Number of inputs in the view `worst`.
    tolerance
        The user's own in the view `criteria`, if there is one.
    """

    bounds: Bounds = Bounds()
    baseline: Any = None
    ftz: bool = False
    worst: int = 10
    tolerance: Tolerance | None = None

    @classmethod
    def of(
        cls,
        bounds: Bounds,
        baseline: Any = None,
        *,
        ftz: bool = False,
        worst: Any = 10,
        rtol: Any = None,
        atol: Any = None,
    ) -> Judging:
        """Parse options; of two tolerances the one that is not given is 0."""
        given = (rtol, atol) != (None, None)
        sizes = float(_size(rtol or 0, "--rtol")), float(_size(atol or 0, "--atol"))
        tolerance = Tolerance(*sizes) if given else None
        return cls(bounds, baseline, ftz, whole(worst, "--worst", 1, 1000), tolerance)


def _size(value: Any, name: str) -> Fraction:
    found = finite(value, name)
    if found < 0:
        raise UsageError(f"{name} is {value}; give 0 or a number above it")
    return found
