"""Best constants of a family (forms that differ in constants), with proof."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from typing import NamedTuple, cast

from flint import arb, fmpq

from gelu_cli.errors import ComputationError
from gelu_cli.fitting.families import STARTS, Family
from gelu_cli.fitting.optima import NOT_FOUND, least_error, least_mean_square
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FLOAT64, Decimals, Rounded, Target, round_fraction, rounding_to
from gelu_cli.numbers.rounding import exact_ball, round_ball, working

FLOAT64_DIGITS, SAME = 17, 1 + 2.0**-20
"""Constants of up to FLOAT64_DIGITS digits are float64s. If the sup error exceeds SAME times the
largest |error| at the peaks, a peak was not found."""

SEARCHES = {"sup": (least_error, "equioscillation"), "rms": (least_mean_square, "convex")}
"""For each criterion: the search for the constants, and the name of its proof."""


class Best(NamedTuple):
    """The best constants of a family.

    Attributes
    ----------
    form
        The form with the rounded constants, also in its label.
    parameters
        The rounded constants by name: float64s, or decimals if more than 17 digits are asked for.
    error
        The criterion of `form`, correctly rounded.
    lower_bound
        Lower bound, rounded down, of the criterion at all constants; None without a proof.
    proof
        `equioscillation`, `convex` or `best of N starts`.
    points
        x and error, with unrounded constants, at each point where |error| is largest; empty for the
        criterion `rms`.
    """

    form: Form
    parameters: Mapping[str, Rounded]
    error: Rounded
    lower_bound: Rounded | None
    proof: str
    points: Sequence[tuple[Rounded, Rounded]]


def constants_target(digits: int | None) -> Target:
    """Return the format of constants: float64, or decimals of over 17 digits."""
    return Decimals(digits) if digits and digits > FLOAT64_DIGITS else FLOAT64


def best_constants(family: Family, digits: int | None = None) -> Best:
    """Find the constants that minimize the criterion of a family.

    Raises ComputationError if no search finds an optimum.
    """
    to, to_constants = rounding_to(digits), constants_target(digits)
    search, proof = SEARCHES[family.criterion]
    optimum = search(family, to_constants.bits_needed)
    constants = [round_fraction(to_constants, value) for value in optimum.values]
    form = family.named(constants)
    peaks = [(exact_ball(p.x), exact_ball(p.error)) for p in optimum.peaks]
    heights = [abs(float(e.p) / float(e.q)) for _, e in peaks]
    if peaks and float(family.error(form, FLOAT64)) > SAME * max(heights):
        raise ComputationError(NOT_FOUND)  # |error| is larger at a point that was not found
    return Best(
        form,
        dict(zip(family.free, constants, strict=True)),
        family.error(form, to),
        None if optimum.bound is None else down(to, optimum.bound),
        f"best of {STARTS} starts" if optimum.bound is None else proof,
        [(round_fraction(to, x), round_fraction(to, e)) for x, e in peaks],
    )


def constants_in_use(family: Family, digits: int | None = None) -> dict[str, Rounded] | None:
    """Return published constants, rounded like best ones; None if missing."""
    if not family.rules.published:
        return None
    to = constants_target(digits)
    with working(to.bits_needed + 64):
        given = family.form.arguments()
        balls = {name: arb(given[name]) for name in family.free}
        return {name: cast(Rounded, round_ball(to, y)) for name, y in balls.items()}


def down(to: Target, value: fmpq) -> Rounded:
    """Round a positive fraction down."""
    result = round_fraction(to, value)
    if to_fraction(result) <= value:  # type: ignore[arg-type]
        return result
    if isinstance(result, Decimal):
        return result.next_minus(Context(prec=len(result.as_tuple().digits)))
    return math.nextafter(result, 0.0)
