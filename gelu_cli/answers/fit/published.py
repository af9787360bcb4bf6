"""How good are the constants in print, and is what is claimed of them true?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.calculus.mean_squares import root_mean_square
from gelu_cli.calculus.stretches import Curve
from gelu_cli.calculus.suprema import supremum
from gelu_cli.forms import find_form
from gelu_cli.forms.published import Claim, PublishedSet, all_sets
from gelu_cli.report import Column, Ending, Report, Row
from gelu_cli.stages import part
from gelu_cli.values.evaluate import Result, Rounding, rounding_to

NAMES = ("name", "form", "quantity", "low", "high", "claim", "claimed", "error", "x", "verdict")
HOLDS, TOO_LOW, TOO_HIGH = "holds", "too low", "too high"
FACTS = {
    "error": "the supremum of |form − GELU| over the range, or of what the quantity is of both; "
    "of an rms the root mean square over the range",
    "bound": "claimed to be nowhere exceeded",
    "maximum, rms": "claimed to be the error, to the digits printed",
}


class _Error(NamedTuple):
    """The error that a claim is about, and where it is that large; an average is nowhere."""

    value: Result
    x: Result | None


def published(digits: int | None = None) -> Report:
    """Return a row for each claim on a published set: the true error, where, and the verdict.

    A set of which nothing is claimed has a row without. Errors are against GELU, as real numbers.

    >>> from gelu_cli.report import read
    >>> rows, ending = read(published())
    >>> [str(cell) for cell in next(row for row in rows if row[0] == "mlx_2023_fast")]
    ['mlx_2023_fast', 'sigmoid:beta=1.773', 'value', '-6.0', '6.0', 'bound', '0.015', \
'0.013929709576254598', '0.8958546979783905', 'holds']
    """
    sets = all_sets().values()

    def stream() -> Iterator[list[Row] | Ending]:
        verdicts: list[str] = []
        for each in sets:
            with part(each.name):
                rows = [_row(each, claim, digits) for claim in each.claims or [None]]
            verdicts += [str(row[-1]) for row in rows if row[-1] is not None]
            yield rows
        facts = {each.name: _words(each) for each in sets}
        yield Ending({**FACTS, **facts}, notes=[_summed_up(verdicts)])

    return Report(
        title="Published constants, and what is claimed of them",
        columns=[Column(name, name) for name in NAMES],
        stream=stream(),
        digits=digits,
        keys=7,
    )


def _row(each: PublishedSet, claim: Claim | None, digits: int | None) -> Row:
    asked = claim or Claim(each.quantity, "maximum", Decimal(0), each.low, each.high)
    error = _error(each, asked, rounding_to(digits))
    key = each.name, each.form.label, asked.quantity, float(asked.low), float(asked.high)
    if claim is None:
        return *key, None, None, *error, None
    judged = _error(each, claim, FLOAT64) if digits else error
    return *key, claim.kind, claim.figure, *error, verdict(claim, judged.value)


def _error(each: PublishedSet, claim: Claim, rounding: Rounding) -> _Error:
    quantity = "gate" if claim.quantity == "erf" else claim.quantity
    comparison = Comparison(each.form, find_form("exact"), quantity)
    if claim.kind == "rms":
        ends = Fraction(claim.low), Fraction(claim.high)
        return _Error(root_mean_square(comparison, *ends, rounding), None)
    factor = 2 if claim.quantity == "erf" else 1
    curves = [
        (stretch, _multiple(factor, comparison.difference(stretch)))
        for stretch in comparison.stretches(claim.low, claim.high)
    ]
    return _Error(*supremum(curves, rounding)[:2])


def _multiple(factor: int, curve: Curve) -> Curve:
    return lambda a, x: factor * curve(a, x)


def verdict(claim: Claim, error: Result) -> str:
    """Return whether a claim holds for the true error, and on which side it is if not.

    >>> verdict(Claim("value", "maximum", Decimal("4.1e-4")), 0.00047323552068728487)
    'too low'
    >>> verdict(Claim("value", "bound", Decimal("5e-4")), 0.00047323552068728487)
    'holds'
    """
    off = Fraction(error) - Fraction(claim.figure)
    if claim.kind == "bound":
        return TOO_LOW if off > 0 else HOLDS
    half = Fraction(10) ** int(claim.figure.as_tuple().exponent) / 2
    if abs(off) <= half:
        return HOLDS
    return TOO_LOW if off > 0 else TOO_HIGH


def _words(each: PublishedSet) -> str:
    """Return what a set is and who printed it."""
    return f"{each.form.definition}. {each.source}" if each.is_own_form else each.source


def _summed_up(verdicts: Sequence[str]) -> str:
    wrong = sum(verdict != HOLDS for verdict in verdicts)
    return f"{wrong} of {len(verdicts)} claims do not hold"
