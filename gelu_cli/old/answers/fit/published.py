"""How good are the constants in print, and is what is claimed of them true?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial

from gelu_cli.old.answers import report_of
from gelu_cli.old.arithmetic import Curve, Result
from gelu_cli.old.arithmetic.dual import slope_of
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.calculus.integrals import root_mean_square
from gelu_cli.old.calculus.suprema import Hill, supremum
from gelu_cli.old.formulas import Form, find_form
from gelu_cli.old.formulas.published import Claim, Measure, PublishedSet, all_sets
from gelu_cli.old.report import Ending, Report, Row
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import rounding_to

NAMES = "name form quantity criterion low high claim claimed error x verdict"
HOLDS, TOO_LOW, TOO_HIGH = "holds", "too low", "too high"
FACTS = {
    "error": "of the quantity, against GELU's: the supremum over the range and where it is, "
    "or the root mean square over the range",
    "claim": "a bound, which the error does not exceed, or a figure, to which it rounds",
}

Error = tuple[Result, Result | None]
"""An error, and where it is that large; an average is nowhere."""


def published(digits: int | None = None) -> Report:
    """Return a row for each claim on a published set: the true error, where, and the verdict.

    A set of which nothing is claimed has a row without. Errors are of real numbers, against GELU.

    >>> from gelu_cli.old.report import read
    >>> rows, ending = read(published())
    >>> [str(cell) for cell in next(row for row in rows if row[0] == "mlx_2023_fast")]
    ['mlx_2023_fast', 'sigmoid:beta=1.773', 'value', 'sup', '-6.0', '6.0', 'bound', '0.015', \
'0.013929709576254598', '0.8958546979783905', 'holds']
    """
    sets = all_sets().values()

    def stream() -> Iterator[list[Row] | Ending]:
        verdicts: list[str] = []
        for each in sets:
            with part(each.name):
                rows = list(_rows(each, digits))
            verdicts += [str(row[-1]) for row in rows if row[-1]]
            yield rows
        facts = {
            each.name: f"{each.form.definition}. {each.source}" if each.is_own_form else each.source
            for each in sets
        }
        wrong = sum(verdict != HOLDS for verdict in verdicts)
        yield Ending({**FACTS, **facts}, [f"{wrong} of {len(verdicts)} claims do not hold"])

    title = "Published constants, and what is claimed of them"
    return report_of(title, NAMES, stream(), digits)


def _rows(each: PublishedSet, digits: int | None) -> Iterator[Row]:
    error_of = cache(partial(_error, each.form))

    def key(measure: Measure) -> Row:
        quantity, low, high, criterion = measure
        return each.name, each.form.label, quantity, criterion, float(low), float(high)

    if not each.claims:
        yield *key(each.measure), None, None, *error_of(each.measure, digits), None
    for claim in each.claims:
        error, (judged, _) = error_of(claim.measure, digits), error_of(claim.measure, None)
        said = claim.kind, claim.number, *error, verdict(claim, judged)
        yield *key(claim.measure), *said


def _error(form: Form, measure: Measure, digits: int | None) -> Error:
    rounding = rounding_to(digits)
    quantity, low, high, criterion = measure
    target = find_form("exact")
    comparison = Comparison(form, target, "gate" if quantity == "erf" else quantity)
    if criterion == "rms":
        return root_mean_square(comparison.differences(low, high), rounding), None
    if form.symmetric and target.symmetric and low == -high:
        low = Fraction(0)  # the errors below 0 are the same, and of two places it is the positive
    parts = comparison.differences(low, high)
    if quantity == "erf":
        parts = [(stretch, _twice(curve)) for stretch, curve in parts]
    hills = [Hill(stretch, curve, slope_of(curve)) for stretch, curve in parts]
    value, x, _ = supremum(hills, rounding)
    return value, x


def _twice(curve: Curve) -> Curve:
    return lambda a, x: 2 * curve(a, x)


def verdict(claim: Claim, error: Result) -> str:
    """Return whether a claim holds for the true error, and on which side it is if not.

    >>> claims = all_sets()["page_1977"].claims
    >>> claims[0].number, verdict(claims[0], 0.000473235), verdict(claims[-1], 0.000473235)
    (Decimal('0.00041'), 'too low', 'holds')
    """
    number = claim.number
    off = Fraction(error) - Fraction(number)
    unit = Fraction(10) ** int(number.as_tuple().exponent)
    if off > (0 if claim.kind == "bound" else unit / 2):
        return TOO_LOW
    return TOO_HIGH if claim.kind == "figure" and -off > unit / 2 else HOLDS
