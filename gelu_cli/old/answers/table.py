"""Which values does a form have at these points?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import UsageError
from gelu_cli.old.answers import report_of
from gelu_cli.old.arithmetic import Result
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.exact import nearest
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.formulas import OF_GATES, QUANTITIES, Form
from gelu_cli.old.parallel import in_order
from gelu_cli.old.report import Block, Cell, Report, Row
from gelu_cli.old.values.evaluate import Point
from gelu_cli.old.values.points import Points

if TYPE_CHECKING:
    from gelu_cli.old.sweeping.gating import Gating
    from gelu_cli.old.sweeping.pairs import PairPoints

DEFAULT_QUANTITIES = ("value", "gradient")

HEADINGS = {
    "value": "{}",
    "gradient": "{}′",
    "curvature": "{}″",
    "gate": "{} gate",
    "complement": "x - {}",
    "gate_gradient": "{} gate′",
    "mask_variance": "{} mask variance",
    "up_gradient": "{} up′",
}
QUANTITIES_OF_GLU = ("value", "gate_gradient", "up_gradient")
ALL = "all"
"""The word for every quantity."""


def table(
    points: Iterable[Points | PairPoints],
    forms: Sequence[Form],
    quantities: Sequence[str] = DEFAULT_QUANTITIES,
    *,
    digits: int | None = None,
    dtype: Format | None = None,
    bits: bool = False,
    jobs: int = 1,
    gating: Gating | None = None,
) -> Report:
    """Return a row for each point: x, then the quantities of each form, correctly rounded.

    With `gating` the points are pairs, and the quantities those of a GLU, F(x)·up.
    `points` comes in blocks, and so do the rows; blocks of many points are shared by `jobs`
    threads. Results are float64s, or numbers of `dtype`, to which x is rounded as well, with their
    bit patterns if `bits` is set; with `digits` they are decimals of so many significant digits.
    Raises `UsageError` for a gate, or what belongs to it, of a form without one.

    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.report import read
    >>> from gelu_cli.old.values.points import points_of
    >>> report = table([points_of([0.0, 1.0])], [find_form("exact")])
    >>> read(report)[0]
    [(0.0, 0.0, 0.5), (1.0, 0.8413447460685429, 1.0833154705876864)]
    """
    if bits and dtype is None:
        raise UsageError("--bits shows the bit patterns of a format; add --dtype, e.g. bfloat16")
    for form in () if gating else forms:
        form.require(quantities)
    decimals = Decimals(digits) if digits else None
    inputs = ("x", "up") if gating else ("x",)

    def cells(numbers: Sequence[Any]) -> Row:
        row: list[Cell] = [x_cell(each, decimals) for each in numbers[: len(inputs)]]
        results: Sequence[Result] = numbers[len(inputs) :]
        row += [decimals.from_float(y) if decimals and isinstance(y, float) else y for y in results]
        if not (bits and dtype):
            return tuple(row)
        patterns = [dtype.hexadecimal(float(number)) for number in numbers]
        return tuple(chain.from_iterable(zip(row, patterns, strict=True)))

    def rows(points: Points | PairPoints) -> Block:
        if dtype:
            points = points.rounded(dtype)
        rounding = dtype or decimals or FLOAT64
        columns = [
            column for form in forms for column in points.evaluate(form, quantities, rounding)
        ]
        if not len(points):
            return []
        if decimals is None and not bits:
            return points.block(columns)
        return [*map(cells, points.rows(columns))]

    blocks = in_order(rows, points, jobs, is_large=lambda block: block.many)
    title, headings = _title(quantities, dtype), _headings(inputs, forms, quantities, bits)
    facts = {"rounding": _rounding(digits, dtype)}
    if gating:
        facts = {"GLU": gating.formula("value").removeprefix("results are "), **facts}
    return report_of(title, headings, blocks, digits, keys=len(inputs), facts=facts)


def chosen_quantities(
    words: Sequence[str], forms: Sequence[Form], *, glu: bool = False
) -> list[str]:
    """Return the quantities that words name, each once: `all` is every one that all forms have.

    Those of a GLU are its value and both gradients. Without words they are the usual ones. Raises
    `UsageError` for a quantity of one that the other has not.

    >>> from gelu_cli.old.formulas import find_form
    >>> chosen_quantities(["gradient", "all"], [find_form("exact"), find_form("elu")])
    ['gradient', 'value', 'curvature', 'complement']
    """
    gated = all(form.has_gate for form in forms)
    every = [quantity for quantity in QUANTITIES if gated or quantity not in OF_GATES]
    every = [*QUANTITIES_OF_GLU] if glu else every
    words = words or (every if glu else DEFAULT_QUANTITIES)
    known = (*(QUANTITIES_OF_GLU if glu else QUANTITIES), ALL)
    if others := [word for word in words if word not in known]:
        remedy = f"of points x; a GLU has {', '.join(known)}" if glu else "of pairs; add --glu"
        raise UsageError(f"--quantity {others[0]} is {remedy}")
    names = (name for word in words for name in (every if word == ALL else [word]))
    return list(dict.fromkeys(names))


def x_cell(x: Point, decimals: Decimals | None) -> Cell:
    """Return a float64 as it is, an exact number as the decimal that it is or comes nearest to."""
    if isinstance(x, float) or decimals is None:
        return float(x)
    if not isinstance(x, Fraction):
        return nearest(x, decimals)
    numerator, denominator = Decimal(x.numerator), Decimal(x.denominator)
    generous = Context(prec=decimals.digits + 100, traps=[])
    quotient = generous.divide(numerator, denominator).normalize(generous)
    if generous.flags[Inexact]:
        return decimals.exactly(x)
    whole = 0 <= quotient.adjusted() < decimals.digits and quotient == quotient.to_integral()
    return quotient.quantize(Decimal(1), context=generous) if whole else quotient


def _headings(
    inputs: Sequence[str], forms: Sequence[Form], quantities: Sequence[str], bits: bool
) -> dict[str, str]:
    headings = dict(zip(inputs, inputs, strict=True))
    for form in forms:
        for quantity in quantities:
            name = form.label if quantity == "value" else f"{form.label}_{quantity}"
            headings[name] = HEADINGS[quantity].format(form.label)
    if not bits:
        return headings
    pairs = [((name, heading), (f"{name}_bits", "bits")) for name, heading in headings.items()]
    return dict(chain.from_iterable(pairs))


def _title(quantities: Sequence[str], dtype: Format | None) -> str:
    words = [f"{quantity}s".replace("_", " ") for quantity in quantities]
    listed = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    return listed.capitalize() + (f" in {dtype.name}" if dtype else "")


def _rounding(digits: int | None, dtype: Format | None) -> str:
    exact = f"each correctly rounded to {dtype.name}" if dtype else ""
    shown = f"{digits} significant digits" + ("" if dtype else ", each right") if digits else ""
    return ", ".join(filter(None, (exact, shown))) or "each correctly rounded to float64"
