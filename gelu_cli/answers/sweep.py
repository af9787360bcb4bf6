"""What sweeps have found, as reports: a summary, regions, a histogram and the worst inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import Format
from gelu_cli.kernels.inputs import Region
from gelu_cli.kernels.tally import Tally
from gelu_cli.kernels.verdict import ExactError, Verdict
from gelu_cli.report import Cell, Column, Report, Row, stream_of
from gelu_cli.values.evaluate import rounding_to

DEFINITION = (
    "|got − y|/ulp(y), y the true value, ulp(y) = 2^(max(⌊log₂|y|⌋, emin) − p + 1); "
    "ordinal: steps in the format from got to y rounded"
)
MEAN_DIGITS = 6

SUMMARY = {
    "routine": "routine", "dtype": "dtype", "target": "target", "quantity": "quantity",
    "inputs": "inputs", "exhaustive": "every input", "max_ulp": "max ULP", "max_ulp_x": "at x",
    "max_ulp_x_bits": "x bits", "max_ordinal": "max ordinal", "max_ordinal_x": "ordinal at x",
    "mean_ulp": "mean ULP", "over_half_ulp": "over ½ ULP", "over_1_ulp": "over 1 ULP",
    "misrounded": "misrounded", "wrong_nan": "wrong NaN", "wrong_inf": "wrong inf",
    "wrong_sign": "wrong sign", "wrong_zero": "wrong zero", "non_monotone": "non-monotone",
}  # fmt: skip
REGIONS = {
    "routine": "routine", "low": "low", "high": "high", "inputs": "inputs", "max_ulp": "max ULP",
    "max_ulp_x": "at x", "mean_ulp": "mean ULP", "over_1_ulp": "over 1 ULP",
}  # fmt: skip
HISTOGRAM = {"routine": "routine", "low": "over", "high": "up to", "count": "count"}
WORST = {
    "routine": "routine", "x": "x", "x_bits": "x bits", "got": "got", "got_bits": "got bits",
    "want": "want", "want_bits": "want bits", "exact": "exact", "ulp": "ULP", "ordinal": "ordinal",
}  # fmt: skip


def sweep_views(
    verdicts: Sequence[Verdict], digits: int | None, worst: int
) -> Mapping[str, Callable[[], Report]]:
    """Return the views of what sweeps have found, by name; the first is the default."""
    number_format = verdicts[0].question.number_format
    number = _Number(digits, number_format)
    sampled = not all(verdict.exhaustive for verdict in verdicts)

    def report(title: str, columns: Mapping[str, str], rows: list[Row], keys: int = 1) -> Report:
        if sampled:  # what was not looked at may be worse
            columns = {**columns, "max_ulp": "max ULP ≥"} if "max_ulp" in columns else columns
        return Report(
            title,
            [Column(*pair) for pair in columns.items()],
            stream_of([rows], facts={"ulp": DEFINITION}),
            digits,
            keys,
        )

    def each(make: Callable[[Verdict], list[Row]]) -> list[Row]:
        return [row for verdict in verdicts for row in make(verdict)]

    return {
        "summary": lambda: report(
            f"Errors of floating-point results in {number_format.name}", SUMMARY,
            each(lambda verdict: [_summary(verdict, number)]),
        ),
        "regions": lambda: report(
            "By region of x", REGIONS, each(lambda verdict: _regions(verdict, number)), keys=2
        ),
        "histogram": lambda: report(
            "Results by their error in ULP", HISTOGRAM, each(_histogram), keys=2
        ),
        "worst": lambda: report(
            "The worst inputs", WORST, each(lambda verdict: _worst(verdict, number, worst)), keys=2
        ),
    }  # fmt: skip


class _Number:
    """Turns exact numbers into cells: float64s, or decimals of so many digits."""

    def __init__(self, digits: int | None, number_format: Format) -> None:
        self.digits = digits
        self.number_format = number_format
        self.rounding = rounding_to(digits)

    def __call__(self, value: Fraction | None) -> Cell:
        return None if value is None else self.rounding.exactly(value)

    def of_format(self, value: float) -> Cell:
        """Return a number of the format: for people in so many digits, or more if it takes more."""
        if self.digits is None:
            return value
        return in_few_digits(value, self.number_format, self.digits)

    def mean(self, tally: Tally) -> Cell:
        """Return the mean error, to the digits that a sum of float64s is sure of."""
        if not tally.judged:
            return None
        mean = tally.sum_ulp / tally.judged
        if not isfinite(mean):
            return mean
        return rounding_to(min(self.digits or MEAN_DIGITS, MEAN_DIGITS)).exactly(Fraction(mean))


def in_few_digits(value: float, number_format: Format, least: int) -> float | Decimal:
    """Return a number of a format in so many digits, or in as many more as tell it from others.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> print(in_few_digits(1 / 1024, FORMATS["bfloat16"], 3))
    0.000977
    """
    if value == 0 or not isfinite(value):
        return value
    for digits in range(least, 18):
        short = Decimals(digits).exactly(Fraction(value))
        if number_format.exactly(Fraction(short)) == value:
            return short.normalize()
    return value


def _summary(verdict: Verdict, number: _Number) -> Row:
    question, total = verdict.question, verdict.total
    hexadecimal = question.number_format.hexadecimal
    worst = verdict.worst[0] if total.worst else None
    furthest = verdict.furthest if total.judged else None
    every = "yes" if verdict.exhaustive else "no"
    return (
        verdict.name, question.number_format.name, question.form.label, question.quantity,
        total.inputs, every if verdict.complete else "partial",
        number(worst and worst.ulp), worst and number.of_format(worst.x),
        worst and hexadecimal(worst.x), furthest and furthest.ordinal,
        furthest and number.of_format(furthest.x), number.mean(total),
        total.over_half_ulp, total.over_1_ulp, total.misrounded, total.wrong_nan, total.wrong_inf,
        total.wrong_sign, total.wrong_zero, total.non_monotone,
    )  # fmt: skip


def _regions(verdict: Verdict, number: _Number) -> list[Row]:
    rows: list[Row] = []
    for region, tally in sorted(verdict.regions.items(), key=lambda item: _ends(item[0])):
        worst = next(iter(verdict.errors(tally)), None)
        rows.append((
            verdict.name, *map(number.of_format, _ends(region)), tally.inputs,
            number(worst and worst.ulp), worst and number.of_format(worst.x), number.mean(tally),
            tally.over_1_ulp,
        ))  # fmt: skip
    return rows


def _ends(region: Region) -> tuple[float, float]:
    return (region.low, region.high) if region.sign > 0 else (-region.high, -region.low)


def _histogram(verdict: Verdict) -> list[Row]:
    counts = verdict.total.histogram.tolist()
    ends = [0.0, 0.5, *(2.0**n for n in range(len(counts) - 2)), inf]
    rows = list(zip(ends, ends[1:], counts, strict=False))
    last = max((i for i, count in enumerate(counts) if count), default=0)
    return [(verdict.name, *row) for row in rows[: last + 1]]


def _worst(verdict: Verdict, number: _Number, count: int) -> list[Row]:
    """Return first the results that are no numbers, or wrongly finite, then the largest errors."""
    question = verdict.question
    rows: list[Row] = [
        _result(verdict, number, x, got, question.exactly(x) if isfinite(x) else None, None)
        for x, got in verdict.failures
    ]
    rows += [
        _result(verdict, number, error.x, error.got, error.exact, error) for error in verdict.worst
    ]
    return rows[:count]


def _result(
    verdict: Verdict,
    number: _Number,
    x: float,
    got: float,
    exact: Fraction | None,
    error: ExactError | None,
) -> Row:
    bits = verdict.question.number_format.hexadecimal
    want = verdict.question.want(x)
    return (
        verdict.name, number.of_format(x), bits(x), number.of_format(got), bits(got),
        number.of_format(want), bits(want), number(exact), number(error and error.ulp),
        error and error.ordinal,
    )  # fmt: skip
