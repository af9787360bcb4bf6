"""Verdicts on floating-point results: their views, and the limit that they have to keep."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.commands._output import Output
from gelu_cli.errors import GeluError

if TYPE_CHECKING:
    from gelu_cli.analysis.sweep import Verdict


def write_verdicts(
    verdicts: Sequence[Verdict],
    destination: Output,
    view: str | None,
    worst: int,
    limit: Fraction | None,
) -> None:
    """Write the views asked for; raises `GeluError` where an error exceeds the limit, in ULP."""
    from gelu_cli.analysis.sweep_report import sweep_views

    views = sweep_views(verdicts, destination.digits, worst)
    destination.write_views(views, view)
    if not all(verdict.complete for verdict in verdicts):
        raise KeyboardInterrupt
    if limit is not None:
        for verdict in verdicts:
            _hold(verdict, limit)


def _hold(verdict: Verdict, limit: Fraction) -> None:
    if verdict.failures:
        failure = verdict.failures[0]
        raise GeluError(f"{verdict.name}: {failure.got!r} at x = {failure.x!r}")
    if verdict.total.worst and verdict.worst[0].ulp > limit:
        error = verdict.worst[0]
        raise GeluError(
            f"{verdict.name}: {Decimals(6).exactly(error.ulp).normalize():g} ULP at "
            f"x = {error.x!r} exceeds --max-ulp {float(limit):g}"
        )
