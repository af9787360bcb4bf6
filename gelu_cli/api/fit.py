"""The best constants of a form, with a proof if there is one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gelu_cli import fitting
from gelu_cli.api.results import Answer, Real, Result
from gelu_cli.calculus.averages import Normal, normal
from gelu_cli.calculus.curves import float_of
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, choose, to_form
from gelu_cli.inputs.numbers import (
    distribution,
    listed,
    normal_text,
    parse_interval,
    to_digits,
    whole,
)
from gelu_cli.making.sources import LANGUAGES, all_programs, code_of
from gelu_cli.numbers import rounding_to
from gelu_cli.output.tables import Table

REAL_AXIS = (-math.inf, math.inf)
HIGHEST_DEGREE = 15
COLUMNS = (
    "form quantity criterion range parameter fitted published error_fitted error_published gain "
    "lower_bound proof"
)


@dataclass(frozen=True, kw_only=True)
class Fit(Result):
    """The best constants of a form.

    Attributes
    ----------
    form, quantity, criterion
        Name of the form, the quantity that is fitted, and the error that is minimized.
    range
        Interval of x, or for `rms` without an interval the distribution of x.
    parameters, published
        The best constants by name; the constants in use by name, or None.
    error_fitted, error_published, gain
        The error with the best constants, as printed; the error with the constants in use; the
        ratio error_published/error_fitted.
    lower_bound
        No constants have an error below this bound; None without a proof.
    proof
        `equioscillation` (theorem of de La Vallée Poussin) or `convex` (the mean square error is
        convex in the constants); `best of N starts` without a proof.
    """

    form: str
    quantity: str
    criterion: str
    range: str
    parameters: dict[str, Real]
    published: dict[str, Real] | None
    error_fitted: Real
    error_published: Real | None
    gain: float | None
    lower_bound: Real | None
    proof: str


def fit(
    form: FormLike,
    free: str | Sequence[str] | None = None,
    *,
    criterion: str = "sup",
    quantity: str = "value",
    range: str | Sequence[Any] = REAL_AXIS,
    mean: Any = 0,
    sigma: Any = 1,
    degree: Any = None,
    digits: int | None = None,
) -> Fit:
    """Find the constants with which a form is nearest to GELU.

    Parameters
    ----------
    form
        A form; a parameter that is set, as in `"tanh:a=0.8"`, keeps its value.
    free
        Names of the parameters to fit. Default: c of tanh; A, c1, c3 and c5 of polynomial; all
        parameters of other forms.
    criterion
        `sup`, the largest |error| on the range, or `rms`, √E error(X)². X is uniform over the
        range if one is given, else X ~ N(mean, sigma²).
    quantity
        `value`, `gradient` or `gate`.
    range
        Interval of x, `"-4:4"` or (-4, 4); the real axis by default.
    mean, sigma
        Mean and standard deviation of X for `rms` without a range.
    degree
        For polynomial: fit A and the coefficients of the gate up to this odd degree.
    digits
        Return decimals of `digits` significant digits instead of float64s; constants are decimals
        only if `digits` > 17.

    Raises
    ------
    UsageError
        If a name is unknown, no parameter is free, a range is empty, or options contradict.
    ComputationError
        If no best constants are found.

    References
    ----------
    E. W. Cheney, Introduction to Approximation Theory, 1966: the theorem of de La Vallée Poussin.

    Examples
    --------
    >>> best = fit("tanh", quantity="gate")
    >>> best.parameters, best.proof
    ({'c': 0.04471491122763249}, 'equioscillation')
    """
    chosen, names, digits = to_form(form), listed(free or ()), to_digits(digits)
    if degree is not None:
        if chosen.name != "polynomial" or names:
            raise UsageError("--degree is for polynomial without --free; remove --degree or --free")
        chosen, names = fitting.of_degree(chosen, whole(degree, "--degree", 1, HIGHEST_DEGREE))
    choose("quantity", quantity, ("value", "gradient", "gate"))
    low, high, of = _domain(criterion, range, mean, sigma)
    family = fitting.family_of(chosen, names, quantity, criterion, low, high, of)
    published = fitting.constants_in_use(family, digits)
    best = fitting.best_constants(family, digits)
    error = family.error(chosen, rounding_to(digits)) if published else None
    found = Fit(
        form=chosen.label.partition(":")[0],
        quantity=quantity,
        criterion=criterion,
        range=normal_text(*map(float_of, of)) if of else f"{float(low):.12g}:{float(high):.12g}",
        parameters=dict(best.parameters),
        published=published,
        error_fitted=best.error,
        error_published=error,
        gain=float(f"{float(error) / float(best.error):.4g}") if error and best.error else None,
        lower_bound=best.lower_bound,
        proof=best.proof,
    )
    return replace(found, answer=_answer(best, found))


def _domain(criterion: str, range: Any, mean: Any, sigma: Any) -> tuple[Any, Any, Normal | None]:
    """Return the ends of the range, and the distribution of X if normal."""
    choose("criterion", criterion, ("sup", "rms"))
    low, high = parse_interval(range)
    of = normal(*distribution(mean, sigma))
    if criterion == "rms" and (low, high) == REAL_AXIS:
        return low, high, of
    if of != normal():
        raise UsageError("--mean, --sigma are for --criterion rms without --range; remove them")
    if criterion == "rms" and math.inf in (-low, high):
        raise UsageError("--range has an infinite end; rms takes finite ends, e.g. -4:4")
    return low, high, None


def _answer(best: fitting.Best, found: Fit) -> Answer:
    error, bound = float(best.error), found.lower_bound
    claim = f"{found.criterion} error {error:.6g} of the {found.quantity} over {found.range}; "
    if bound is not None:
        claim += f"no constants have less than {float(bound):.6g} (proof: {found.proof})"
    else:
        claim += f"no proof that these constants are best: they are the {found.proof}"
    views = {"summary": partial(_summary, found, COLUMNS)}
    screen = [_summary(found, "parameter fitted published")]
    if best.points:
        x, errors = zip(*best.points, strict=True)
        screen.append(Table("Where the error is largest", {"x": x, "error": errors}))
        views["points"] = partial(replace, screen[-1])
    for language in LANGUAGES if best.form.name in all_programs() else ():
        views[language] = partial(_program, best, claim, language)
    said = f"{best.form.label}: {claim}"
    return Answer(views, words=[f"{said}."], screen=lambda: screen, found=said)


def _summary(found: Fit, columns: str) -> Table:
    """Make a row for each parameter."""
    used = found.published or {}
    rows = [
        {**found.to_dict(), "parameter": name, "fitted": value, "published": used.get(name)}
        for name, value in found.parameters.items()
    ]
    return Table.of_rows("Best constants", columns, rows, columns.split().index("fitted"))


def _program(best: fitting.Best, claim: str, language: str) -> Table:
    """Write a program whose comment states the error of the fit."""
    note = f"{claim}. Then constants are rounded to float32."
    code = code_of(best.form, language, note[0].upper() + note[1:])
    return Table(f"A program in {language}", {"code": code.splitlines()})
