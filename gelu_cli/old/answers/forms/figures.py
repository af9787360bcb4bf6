"""What is known of one form in numbers: values, limits, kinks, landmarks, error and moments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from gelu_cli.old.answers import report_of
from gelu_cli.old.arithmetic import Arithmetic, Real, Result, Rounding
from gelu_cli.old.arithmetic.exact import RATIONAL
from gelu_cli.old.calculus.comparison import compare
from gelu_cli.old.calculus.landmarks import landmarks
from gelu_cli.old.calculus.moments import gaussian_moments
from gelu_cli.old.formulas import Form, all_functions, find_form
from gelu_cli.old.formulas.form import Kink
from gelu_cli.old.report import Ending, Report, Row
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import evaluate, rounded_constant, rounding_to

TARGET = "exact"
SHOWN: Mapping[float | Fraction, Mapping[str, str]] = {
    Fraction(0): {"value": "value", "gradient": "gradient", "curvature": "curvature"},
    -math.inf: {"left_limit": "value", "left_slope": "gradient"},
    math.inf: {"right_limit": "value", "right_slope": "gradient"},
}
"""What is evaluated where, by the name of the figure; at ±∞ these are limits."""

LIMITS = {
    "value, gradient, curvature": "f, f′, f″ at 0",
    "left, right": "what f and f′ tend to at −∞ and ∞",
}
MEANINGS = {
    "kink": "where f is not smooth, and f there",
    "max_abs_error": f"the supremum of |f − {TARGET}| on the whole line",
    "second_moment": "E f(X)² for X ~ N(0, 1)",
}


def figures(form: Form, *, digits: int | None = None) -> Report:
    """Return a row for each figure of a form, with its place x: where none is due, None.

    `value`, `gradient` and `curvature` are f, f′ and f″ at 0; limits and slopes are what f and f′
    tend to at ±∞. Every number is correctly rounded, to float64 or to `digits` significant digits.

    >>> from gelu_cli.old.report import read
    >>> rows, _ = read(figures(find_form("relu")))
    >>> rows[-3:]
    [('kink', 0.0, 0.0), ('max_abs_error', 0.7517915246935645, 0.16997120747990366), \
('second_moment', None, 0.5)]
    """
    rounding = rounding_to(digits)

    def stream() -> Iterator[list[Row] | Ending]:
        rows: list[Row] = []
        with part(form.label):
            for row in _figures(form, rounding):
                rows.append(row)
                yield [row]
        present = {row[0] for row in rows}
        meanings = {name: text for name, text in MEANINGS.items() if name in present}
        yield Ending({**LIMITS, **meanings})

    return report_of(f"Figures of {form.label}", "figure x value", stream(), digits, keys=2)


def _figures(form: Form, rounding: Rounding) -> Iterator[Row]:
    for x, names in SHOWN.items():
        place = rounding.exactly(x) if isinstance(x, Fraction) else x
        results = evaluate(form, list(names.values()), x, rounding)
        for name, result in zip(names, results, strict=True):
            yield name, place, result
    for index, kink in enumerate(form.kinks):
        yield "kink", *_at_kink(form, index, kink, rounding)
    for landmark in landmarks(form, rounding):
        yield landmark.point, landmark.x, landmark.value
    target = find_form(TARGET)
    if form.function != target.function and form.name not in all_functions():
        extreme = compare(form, target, "value").largest_difference(-math.inf, math.inf, rounding)
        yield "max_abs_error", extreme.x, extreme.value
    moments = gaussian_moments(form, Fraction(0), Fraction(1), rounding)
    yield "second_moment", None, moments.second_moment


def _at_kink(form: Form, index: int, kink: Kink, rounding: Rounding) -> tuple[Result, Result]:
    """Return where the kink between the pieces `index` and `index` + 1 is, and f there."""
    place = kink.position(RATIONAL)
    if isinstance(place, Fraction):
        (value_there,) = evaluate(form, ["value"], place, rounding)
        return rounding.exactly(place), value_there
    piece = index + (kink.takes == "right")

    def value(a: Arithmetic) -> Real:
        return form.on_piece(piece, a, kink.position(a), 0).value

    return rounded_constant(kink.position, rounding), rounded_constant(value, rounding)
