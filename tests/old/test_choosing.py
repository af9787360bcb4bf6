"""The table of docs/choosing.md: commands print its figures, formulas have its operations."""

import math
import operator
from collections import Counter

import pytest

from gelu_cli.old.sweeping.routines import ROUTINES, sigmoid
from tests.old.cli.runner import gelu
from tests.old.test_pages import DOCS, table_rows

ROWS = {row[0].strip("`"): row[1:] for row in table_rows(DOCS / "choosing.md", "Choosing a form")}
FORMATS = ("bfloat16", "float16", "float32")
DONE = Counter()
"""How often each operation was done."""


def counting(sign, operate):
    def operation(*numbers):
        DONE[sign] += 1
        return Counted(operate(*map(float, numbers)))

    return operation


class Counted(float):
    """A number that counts the operations that it goes through; to change its sign is none."""

    __add__ = __radd__ = counting("+", operator.add)
    __mul__ = __rmul__ = counting("×", operator.mul)
    __truediv__ = counting("÷", operator.truediv)
    __rtruediv__ = counting("÷", lambda divisor, number: number / divisor)

    def __neg__(self):
        return Counted(-float(self))


class Arithmetic:
    """What routines compute with: constants cost nothing."""

    pi, sqrt, rational = math.pi, math.sqrt, float
    exp, erfc, tanh = (
        staticmethod(counting(f.__name__, f)) for f in (math.exp, math.erfc, math.tanh)
    )
    min, max = (staticmethod(counting(f.__name__, f)) for f in (min, max))
    sign = staticmethod(counting("sign", lambda x: math.copysign(1.0, x)))
    clip = staticmethod(counting("clip", lambda x: min(max(x, 0.0), 6.0)))


def by_igelu(a, x):
    z = x * math.sqrt(0.5)
    least = a.min(abs(float(z)), 1.769) + -1.769
    return 0.5 * x * (1 + a.sign(z) * (-0.2888 * least * least + 1))


FORMULAS = {
    "exact": ROUTINES["erfc"].value,
    "tanh": ROUTINES["tanh_sum"].value,
    "sigmoid": ROUTINES["sigmoid"].value,
    "igelu": by_igelu,
    "hard": lambda a, x: x * a.clip(1.702 * x + 3) * (1 / 6),
    "silu": lambda a, x: x * sigmoid(a, x),
    "relu": lambda a, x: a.max(x, 0.0),
}


@pytest.mark.parametrize("form", FORMULAS)
def test_the_operations_are_those_of_a_formula_that_computes_the_form(form):
    DONE.clear()
    value = float(FORMULAS[form](Arithmetic, Counted(1.3)))
    assert value == pytest.approx(gelu("table", "1.3", "--form", form).floats(form)[0], rel=1e-12)
    said = (each.rpartition(" ") for each in ROWS[form][5].split(", "))
    assert {sign: int(count or 1) for count, _, sign in said} == DONE


def test_the_figures_are_those_that_commands_print():
    (_, exact), *others = ROWS.items()
    assert [*ROWS] == [*FORMULAS]
    assert exact[:5] == ["0"] * 5
    asked = ["--form", ",".join(form for form, _ in others), "-f", "csv", "-q", "-d", "3"]
    swaps = gelu("block", "--dtype", ",".join(FORMATS), *asked).rows
    errors = gelu("error", "--range", "-inf:inf", "--view", "summary", *asked).rows
    largest = [row["value"] for row in errors if row["metric"] == "max_abs_error"]
    figures = ("relative_rms", *(f"times_{each}" for each in FORMATS))
    for swap, error, (form, cells) in zip(swaps, largest, others, strict=True):
        assert cells[:5] == [*(swap[name] for name in figures), error], form
