"""Bounds on errors, tolerances, and the number of worst inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.inputs.numbers import finite, whole
from gelu_cli.old.comparison.checks import Tolerance
from gelu_cli.old.sweeping.rows import above, shown

WRONG = {"wrong_nan": "NaN", "wrong_inf": "infinity", "wrong_sign": "sign"}
"""Counts of results that break every bound."""

LIMITS = {"max_ulp": "max_ulp", "max_abs": "max_abs_error", "max_rel": "max_rel_error"}
"""The columns of summary that options bound."""

WORST, MOST_WORST = 10, 1000
UNITS = {"max_ulp": " ULP", "max_abs_error": " absolute error", "max_rel_error": " relative error"}


@dataclass(frozen=True)
class Errors:
    """The largest errors of a kernel, as bounds need them.

    Attributes
    ----------
    kernel
        Name of the kernel.
    largest
        The largest error and where it is by the column of summary; None if no result has one.
    counts
        Numbers of wrong results by the column of summary.
    first_wrong
        The first wrong result, in words, if it is known.
    """

    kernel: str
    largest: Mapping[str, tuple[Fraction, str] | None]
    counts: Mapping[str, int]
    first_wrong: str = ""


@dataclass(frozen=True)
class Bounds:
    """Largest errors that are allowed, by the column of summary."""

    limits: Mapping[str, Fraction]

    @classmethod
    def of(cls, max_ulp: Any = None, max_abs: Any = None, max_rel: Any = None) -> Bounds:
        """Parse the bounds that are given."""
        given = {"max_ulp": max_ulp, "max_abs": max_abs, "max_rel": max_rel}
        limits = {}
        for name, value in given.items():
            if value is not None:
                limits[LIMITS[name]] = _size(value, _option(LIMITS[name]))
        return cls(limits)

    def broken_by(self, errors: Errors) -> list[str]:
        """List the bounds that errors break, a sentence each.

        Raises
        ------
        UsageError
            If a bound cannot be judged: no result has such an error, or a record lacks it.
        """
        if not self.limits:
            return []
        return [*_wrong(errors), *self._exceeded(errors)]

    def _exceeded(self, errors: Errors) -> Iterator[str]:
        wrong = any(map(errors.counts.get, WRONG))
        for column, limit in self.limits.items():
            largest = errors.largest.get(column)
            if largest is None and not wrong:
                option = _option(column)
                raise UsageError(
                    f"{option} cannot be judged: {errors.kernel} has no {column}; remove {option}"
                )
            if largest is not None and largest[0] > limit:
                much = f"{above(limit, largest[0])}{UNITS[column]}"
                exceeds = f"exceeds {_option(column)} {shown(limit)}"
                yield f"{errors.kernel}: {much} at {largest[1]} {exceeds}"


NO_BOUNDS = Bounds({})


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

    bounds: Bounds = NO_BOUNDS
    baseline: Any = None
    ftz: bool = False
    worst: int = WORST
    tolerance: Tolerance | None = None

    @classmethod
    def of(
        cls,
        bounds: Bounds,
        baseline: Any = None,
        *,
        ftz: bool = False,
        worst: Any = WORST,
        rtol: Any = None,
        atol: Any = None,
    ) -> Judging:
        """Parse options."""
        sizes = {
            name: float(_size(value, f"--{name}"))
            for name, value in {"rtol": rtol, "atol": atol}.items()
            if value is not None
        }
        tolerance = Tolerance(**sizes) if sizes else None
        return cls(bounds, baseline, ftz, whole(worst, "--worst", 1, MOST_WORST), tolerance)


def _size(value: Any, name: str) -> Fraction:
    """Parse a number from 0 on."""
    found = finite(value, name)
    if found < 0:
        raise UsageError(f"{name} is {value}; give 0 or a number above it")
    return found


def _wrong(errors: Errors) -> Iterator[str]:
    """Yield a sentence if a NaN, an infinity or a sign is wrong."""
    counts = {name: count for name in WRONG if (count := errors.counts.get(name))}
    if counts:
        listed = ", ".join(
            f"{count:,} wrong {WRONG[name]}{'' if count == 1 else 's'}".replace("ys", "ies")
            for name, count in counts.items()
        )
        first = f": {errors.first_wrong}" if errors.first_wrong else ""
        yield f"{errors.kernel}: {listed}{first}; a wrong NaN, infinity or sign breaks each bound"


def _option(column: str) -> str:
    """Spell the option that bounds a column.

    >>> _option("max_abs_error")
    '--max-abs'
    """
    return f"--{column.removesuffix('_error').replace('_', '-')}"
