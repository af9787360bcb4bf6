"""What a verdict says, as rows of figures: a summary, regions, a histogram, the worst inputs.

A row has its cells by the names of columns, which are the same wherever an answer goes: in tables,
in records, in `Verdict.to_dict`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import inf, isfinite, isinf, isnan
from typing import TYPE_CHECKING, TypeAlias

from gelu_cli.old.arithmetic.decimals import Decimals

# Numerical libraries are imported late: help lists the views.
if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.sweeping.exact_errors import JudgedResult
    from gelu_cli.old.sweeping.regions import Region
    from gelu_cli.old.sweeping.tally import Tally
    from gelu_cli.old.sweeping.verdict import Verdict

Cell: TypeAlias = float | int | Decimal | str | None
Cells: TypeAlias = Mapping[str, Cell]
"""The cells of a row, by the names of their columns."""

MEAN_DIGITS, RMS_DIGITS, SHARE_DIGITS = 6, 4, 11
MEASURED_DIGITS = 10
FEW_DIGITS = {
    "mean_ulp": MEAN_DIGITS, "max_abs_error": MEAN_DIGITS, "max_rel_error": MEAN_DIGITS,
    "rms_error": RMS_DIGITS, "noise_ratio": RMS_DIGITS, "nearer_share": RMS_DIGITS,
    "share": SHARE_DIGITS,
}  # fmt: skip
"""The digits that columns are sure of."""
TEXT_DIGITS = 6
FLOAT64_DIGITS = 17

INPUTS = (
    "x", "up", "low", "high", "up_low", "up_high", "max_ulp_x", "max_ulp_up", "max_ordinal_x",
    "max_ordinal_up", "max_abs_x", "max_abs_up",
)  # fmt: skip
SQUARE = ("low", "high", "up_low", "up_high")
RESULTS = ("got", "want")
"""Columns with numbers of the formats of x and of results."""


class Numbers:
    """Turns exact numbers into cells: float64s, or decimals of so many digits.

    Inputs are numbers of `dtype`, results of `result`.
    """

    def __init__(self, digits: int | None, dtype: Format, result: Format) -> None:
        from gelu_cli.old.values.evaluate import rounding_to

        self.digits = digits
        self.dtype = dtype
        self.result_format = result
        self.rounding = rounding_to(digits)

    def exact(self, value: Fraction | float | None) -> Cell:
        """Return an exact number, rounded, a decimal beyond float64; infinity or None as it is."""
        if not isinstance(value, Fraction):
            return value
        cell = self.rounding.exactly(value)
        beyond = isinstance(cell, float) and isinf(cell)
        return Decimals(FLOAT64_DIGITS).exactly(value) if beyond else cell

    def float64(self, value: float) -> Cell:
        """Return a float64, rounded to the digits asked for."""
        return self.rounding.exactly(Fraction(value)) if isfinite(value) else value

    def x(self, value: float | None) -> Cell:
        """Return an input: for people in so many digits, or more if it takes more."""
        return self._in_few_digits(value, self.dtype)

    def x_bits(self, value: float | None) -> Cell:
        """Return the bit pattern of an input."""
        return None if value is None else self.dtype.hexadecimal(value)

    def result(self, value: float | None) -> Cell:
        """Return a result, in as many digits as inputs have."""
        return self._in_few_digits(value, self.result_format)

    def result_bits(self, value: float | None) -> Cell:
        """Return the bit pattern of a result."""
        return None if value is None else self.result_format.hexadecimal(value)

    def _in_few_digits(self, value: float | None, number_format: Format) -> Cell:
        if value is None or self.digits is None:
            return value
        return in_few_digits(value, number_format, self.digits)

    def again(self, column: str, cell: Cell) -> Cell:
        """Return a cell that is a float64 already: inputs and results as such, others rounded."""
        if not isinstance(cell, float) or not isfinite(cell) or column == "bound":
            return cell
        if column in FEW_DIGITS:
            return self.in_few(cell, FEW_DIGITS[column])
        if self.digits is None:
            return cell
        if column in INPUTS:
            return self.x(cell)
        return self.result(cell) if column in RESULTS else self.rounding.exactly(Fraction(cell))

    def in_few(self, value: Fraction | float | None, digits: int) -> Cell:
        """Return a number in the digits that it is sure of, or fewer if asked for; no NaN."""
        from gelu_cli.old.values.evaluate import rounding_to

        if value is None or isnan(value):
            return None
        few = rounding_to(min(self.digits or digits, digits))
        finite = isinstance(value, Fraction) or isfinite(value)
        return few.exactly(Fraction(value)) if finite else float(value)

    def mean(self, tally: Tally) -> Cell:
        """Return the mean error, to the digits that a sum of float64s is sure of."""
        return self.in_few(tally.sum_ulp / tally.judged if tally.judged else None, MEAN_DIGITS)

    def measured(self, value: float, *, up: bool) -> Cell:
        """Return what a criterion measures, to the digits that float64s are sure of.

        What a tolerance has to be is rounded up: so much is enough.
        """
        if not isfinite(value) or not value:
            return value
        digits = min(self.digits or MEASURED_DIGITS, MEASURED_DIGITS)
        rounding = Context(digits, ROUND_CEILING if up else ROUND_HALF_EVEN)
        return rounding.create_decimal(value).normalize()


def in_few_digits(value: float, number_format: Format, least: int) -> float | Decimal:
    """Return a number of a format in so many digits, or in as many more as tell it from others.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> print(in_few_digits(1 / 1024, FORMATS["bfloat16"], 3))
    0.000977
    """
    if value == 0 or not isfinite(value) or least > 17:
        return value
    found = Decimal(number_format.shortest(value, least)).normalize()
    whole = found == Decimal(value) and 0 <= found.adjusted() < least
    return found.quantize(Decimal(1)) if whole and found == found.to_integral() else found


def summary_rows(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield one row: the largest errors, and counts of failures."""
    question, total = verdict.question, verdict.total
    furthest = verdict.furthest if total.judged else None
    every = "yes" if verdict.exhaustive else "no"
    yield {
        "routine": verdict.name,
        "dtype": question.dtype.name,
        "result": question.result.name,
        "target": question.form.label,
        "quantity": question.quantity,
        "exhaustive": every if verdict.complete else "partial",
        "max_ordinal": furthest and furthest.ordinal,
        "max_ordinal_x": numbers.x(furthest and furthest.x),
        "max_ordinal_up": numbers.x(furthest and furthest.up),
        **_counted(verdict, total, numbers),
        "max_ulp_jax": numbers.exact(verdict.largest_by_jax),
        **_absolute(verdict, numbers),
    }


def _absolute(verdict: Verdict, numbers: Numbers) -> dict[str, Cell]:
    """Return the cells of absolute and relative errors, and of those for inputs that are drawn."""
    largest = {name: verdict.farthest(name) for name in ("abs", "rel")}
    (absolute, x), (relative, _) = (each or (None, None) for each in largest.values())
    drawn, error = verdict.total.drawn, verdict.farthest_error("abs")
    return {
        "max_abs_error": numbers.in_few(absolute, MEAN_DIGITS),
        "max_abs_x": numbers.x(x),
        "max_abs_up": numbers.x(error and error.up),
        "max_rel_error": numbers.in_few(relative, MEAN_DIGITS),
        "rms_error": numbers.in_few(drawn.rms, RMS_DIGITS),
        "noise_ratio": numbers.in_few(drawn.noise_ratio, RMS_DIGITS),
    }


def _counted(verdict: Verdict, tally: Tally, numbers: Numbers) -> dict[str, Cell]:
    """Return the cells of a tally that the summary and the regions share."""
    largest = verdict.largest(tally)
    x = largest and largest.x
    return {
        "inputs": tally.inputs,
        "max_ulp": numbers.exact(largest and largest.ulp),
        "max_ulp_x": numbers.x(x),
        "max_ulp_x_bits": numbers.x_bits(x),
        "max_ulp_up": numbers.x(largest and largest.up),
        "max_ulp_up_bits": numbers.x_bits(largest and largest.up),
        "mean_ulp": numbers.mean(tally),
        **tally.counts,
    }


def region_rows(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield a row for each region that has inputs, in the order of x."""
    for region, tally in sorted(verdict.regions.items(), key=lambda item: item[0].place):
        cells = _counted(verdict, tally, numbers)
        yield {"routine": verdict.name, **ends_of(region, numbers), **cells}


def ends_of(region: Region, numbers: Numbers) -> Cells:
    """Return the cells that say where a region is."""
    ends = *region.ends, *(region.up.ends if region.up else (None, None))
    return dict(zip(("low", "high", "up_low", "up_high"), map(numbers.x, ends), strict=True))


def histogram_rows(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield a row for each range of errors, up to the last that has any."""
    counts = verdict.total.histogram.tolist()
    ends = [0.0, 0.5, *(2.0**n for n in range(len(counts) - 2)), inf]
    last = max((i for i, count in enumerate(counts) if count), default=0)
    for low, high, count in zip(ends, ends[1:], counts[: last + 1], strict=False):
        yield {"routine": verdict.name, "low": low, "high": high, "count": count}


def worst_rows(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield the worst results, as a verdict has them."""
    for result in verdict.worst[:most]:
        yield result_row(verdict, numbers, result)


def result_row(verdict: Verdict, numbers: Numbers, result: JudgedResult) -> Cells:
    """Return the row of one result, and of its error if it has one."""
    x, got, want, exact, ulp, ordinal, up = result
    return {
        "routine": verdict.name,
        "x": numbers.x(x),
        "x_bits": numbers.x_bits(x),
        "up": numbers.x(up),
        "up_bits": numbers.x_bits(up) if verdict.question.gating else None,
        "got": numbers.result(got),
        "got_bits": numbers.result_bits(got),
        "want": numbers.result(want),
        "want_bits": numbers.result_bits(want),
        "exact": numbers.exact(exact),
        "ulp": numbers.exact(ulp),
        "ordinal": ordinal,
    }


def profile_rows(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield the interval of inputs around 0 in which every error is within a bound."""
    from gelu_cli.old.sweeping.profile import profile

    for bound, low, high, share in profile(verdict):
        ends = {"low": numbers.x(low), "high": numbers.x(high)}
        few = numbers.in_few(share, SHARE_DIGITS)
        yield {"routine": verdict.name, "bound": bound, **ends, "share": few}


def shape_rows(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield a row for each input whose result depends on the surroundings, the largest first."""
    for change in verdict.changes.largest(most) if verdict.changes is not None else ():
        yield {
            "routine": verdict.name,
            "x": numbers.x(change.x),
            "x_bits": numbers.x_bits(change.x),
            "up": numbers.x(change.up),
            "up_bits": numbers.x_bits(change.up) if verdict.question.gating else None,
            "shape": change.shape,
            "got": numbers.result(change.got),
            "got_bits": numbers.result_bits(change.got),
            "usual_bits": numbers.result_bits(change.usual),
        }


def criterion_rows(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield a row for each criterion of other people's checks."""
    for result in verdict.criteria:
        said = None if result.passes is None else "passes" if result.passes else "fails"
        yield {
            "routine": verdict.name,
            "criterion": result.name,
            "inputs": result.inputs,
            "verdict": said,
            "found": numbers.measured(result.found, up=result.passes is None),
            "threshold": result.threshold,
            "x": numbers.x(result.x),
            "up": numbers.x(result.up),
            "measure": result.measure,
        }


def plot_rows(verdict: Verdict, numbers: Numbers, most: int | None) -> Iterator[Cells]:
    """Yield the largest error in each cell that has inputs, infinite where one failed.

    These are the steps of the picture, in the order of x. A cell has a sixteenth of the numbers of
    a region, those of its end that is farther from 0 left out; the last one has the largest number.
    Of pairs they are the squares of a map.
    """
    from gelu_cli.old.sweeping.regions import Region, cell_starts

    starts, peaks = cell_starts(verdict.question.dtype).tolist(), verdict.total.peaks
    half = len(starts) - 1
    if not verdict.question.gating:
        places = {cell: divmod(cell, half) for cell in peaks}
        peaks = {Region(1 - 2 * sign, *starts[place : place + 2]).ends: peaks[cell]
                 for cell, (sign, place) in places.items()}  # fmt: skip
    for ends, peak in sorted(peaks.items()):
        yield {"routine": verdict.name, **dict(zip(SQUARE, ends, strict=False)), "max_ulp": peak}


PICTURE = "plot"
"""The view whose rows a picture is drawn from."""

ROWS: Mapping[str, Callable[[Verdict, Numbers, int | None], Iterator[Cells]]] = {
    "summary": summary_rows,
    "regions": region_rows,
    "histogram": histogram_rows,
    "worst": worst_rows,
    "profile": profile_rows,
    "shapes": shape_rows,
    "criteria": criterion_rows,
    PICTURE: plot_rows,
}
"""By the names of views."""


ERROR_DIGITS, LIMIT_DIGITS = 6, 20
"""Errors beside a limit have ERROR_DIGITS, or up to LIMIT_DIGITS so that they exceed it."""


def above(limit: Fraction, ulp: Fraction) -> str:
    """Return an error in so many digits that it is seen to exceed the limit.

    >>> above(Fraction(2), Fraction(3)), above(Fraction(2), 2 + Fraction(1, 10**8))
    ('3', '2.00000001')
    """
    for digits in range(ERROR_DIGITS, LIMIT_DIGITS):
        if Fraction(text := shown(ulp, digits)) > limit:
            return text
    return f"a little over {shown(limit)}"


def shown(number: Fraction, digits: int = LIMIT_DIGITS) -> str:
    """Return a number in so many digits, or in fewer if they say as much.

    >>> shown(Fraction(5, 2)), shown(Fraction(1, 3), 3)
    ('2.5', '0.333')
    """
    from gelu_cli.old.arithmetic.decimals import Decimals

    text = Decimals(digits).exactly(number).normalize()
    return f"{text:f}" if 0 <= text.adjusted() < ERROR_DIGITS else f"{text:g}"
