"""Sweeps against the judge in Arb, which was written from the definitions alone."""

import csv
from itertools import product
from math import inf, isfinite, nan
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pytest

from gelu_cli.old.answers.sweep import sweep_views
from gelu_cli.old.arithmetic.format_arrays import nearest
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.report import Page
from gelu_cli.old.report.formats.csv import render
from gelu_cli.old.sweeping.implementations import Implementation, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.routines import ROUTINES
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question
from tests.old.cli.runner import run_gelu
from tests.old.sweeping import arb_judge
from tests.old.sweeping.arb_judge import Comparison, Judgement

KEEP = 10
QUANTITIES = "value", "gradient"
TARGETS = "exact", "self", "elu", "sigmoid", "relu"
EIGHT_BITS = "float8_e4m3fn", "float8_e5m2"


def routine(name, dtype, quantity="value", compute=None):
    inner = FORMATS[compute] if compute else None
    return routine_implementation(ROUTINES[name], quantity, FORMATS[dtype], inner)


class Disturbed(NamedTuple):
    """A kernel whose results are moved by −2 … 2 numbers, one in 64 to something else.

    What is done at an input depends on the input alone.
    """

    kernel: Implementation
    dtype: str
    name: str = "disturbed"
    environments, notes, asked = MappingProxyType({}), (), MappingProxyType({})

    def __call__(self, x):
        line = arb_judge.FORMATS[self.dtype]
        magnitudes, got = arb_judge.magnitudes(line), self.kernel(x).astype(float)
        got = np.nan_to_num(got, posinf=line.largest, neginf=-line.largest)
        drawn = (x.view(np.uint32) >> 16).astype(np.int64) * 40503 >> 5
        place = line.ordinals(got) + drawn % 5 - 2
        moved = np.copysign(magnitudes[np.minimum(np.abs(place), len(magnitudes) - 1)], place)
        other = np.array([nan, 0.0, -0.0, *([inf, -inf] if line.beyond == inf else []), 1.0])
        other = np.where((drawn >> 12) % 2, other[(drawn >> 9) % len(other)], -got)
        return np.where((drawn >> 3) % 64 == 0, other, moved).astype(np.float32)


def tables(kernel, question, ftz=False, low=-inf, high=inf):
    """Return every view of a sweep as rows of texts."""
    verdict = sweep(kernel, question, Inputs(low, high), keep=KEEP, ftz=ftz)
    return {
        name: list(csv.DictReader("".join(render(view(), Page())).splitlines()))
        for name, view in sweep_views([verdict], None, KEEP).items()
    }


def judgement(kernel, question, ftz=False, low=-inf, high=inf):
    """Return what the judge in Arb says of the same."""
    form, quantity, dtype, *_ = question
    x = np.concatenate(arb_judge.halves(arb_judge.FORMATS[dtype.name], low, high))
    result = None if question.result is dtype else question.result.name
    given = form.name, quantity, dtype.name, kernel(x.astype(np.float32))
    return Judgement(*given, ftz, low, high, result, question.upstream)


def disagreements(kernel, question, *options):
    """Return upon what the tables of a sweep and the judge do not agree."""
    mine = judgement(kernel, question, *options)
    return Comparison(mine, tables(kernel, question, *options), KEEP).lines


def question_of(form, dtype, quantity="value", result=None, upstream=1.0):
    formats = FORMATS[dtype], FORMATS[result or dtype]
    return Question(find_form(form), quantity, *formats, upstream)


def all_disagreements(dtype, target, quantity, computes):
    """Return the disagreements upon every routine, by routine and options."""
    found = {}
    for name, compute, ftz in product(ROUTINES, computes, (False, True)):
        form = ROUTINES[name].form if target == "self" else target
        kernel = routine(name, dtype, quantity, compute)
        if lines := disagreements(kernel, question_of(form, dtype, quantity), ftz):
            found[name, compute, ftz] = lines
    return found


# Every input


@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", EIGHT_BITS)
def test_every_routine_in_8_bits(dtype, target, quantity):
    computes = [None, "bfloat16", "float32"]
    if target in ("exact", "self"):
        computes += ["float16", *sorted({*EIGHT_BITS} - {dtype})]
    assert all_disagreements(dtype, target, quantity, computes) == {}


@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("target", TARGETS)
def test_every_routine_in_bfloat16(target, quantity):
    computes = [None, "float16", "float32"] if target in ("exact", "self") else [None]
    assert all_disagreements("bfloat16", target, quantity, computes) == {}


@pytest.mark.slow
@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("target", ["exact", "elu", "sigmoid", "relu"])
@pytest.mark.parametrize("dtype", [*EIGHT_BITS, "bfloat16"])
def test_disturbed_results(dtype, target, quantity, ftz):
    kernel = Disturbed(routine("erfc", dtype, quantity, "float32"), dtype)
    assert disagreements(kernel, question_of(target, dtype, quantity), ftz) == []


# A sample


@pytest.mark.parametrize(
    ("name", "dtype", "form", "quantity", "compute", "ftz"),
    [
        ("erf_sum", "float8_e4m3fn", "exact", "value", None, False),
        ("tanh_sum", "float8_e5m2", "exact", "gradient", "float32", True),
        ("exp_ratio", "float8_e4m3fn", "elu", "value", "float16", True),
        ("erfc", "float8_e5m2", "relu", "gradient", None, False),
    ],
)
def test_some_results_in_8_bits(name, dtype, form, quantity, compute, ftz):
    kernel = Disturbed(routine(name, dtype, quantity, compute), dtype)
    assert disagreements(kernel, question_of(form, dtype, quantity), ftz, -6.0) == []


def scaled(name, quantity, result, upstream):
    """Return a routine in float32, times the gradient from above, rounded to a format."""
    kernel, number_format = routine(name, "float32", quantity), FORMATS[result]

    def call(x):
        return nearest(number_format, upstream * kernel(x).astype(float))[0].astype(np.float32)

    return call


TWO = [
    ("float8_e5m2", "float8_e4m3fn", "exact", "value", 1.0, False),
    ("float8_e5m2", "bfloat16", "exact", "gradient", -3.5, True),
    ("float8_e4m3fn", "float8_e4m3fn", "sigmoid", "gradient", 448.0, False),
    ("float8_e4m3fn", "float8_e5m2", "relu", "gradient", 0.0, True),
    ("float8_e5m2", "float16", "exact", "gradient", 57344.0, True),
]


@pytest.mark.parametrize(("dtype", "result", "form", "quantity", "upstream", "ftz"), TWO)
def test_some_results_in_two_formats(dtype, result, form, quantity, upstream, ftz):
    kernel = Disturbed(scaled("erfc", quantity, result, upstream), result)
    question = question_of(form, dtype, quantity, result, upstream)
    assert disagreements(kernel, question, ftz, -6.0) == []


@pytest.mark.slow
@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("result", ["float8_e4m3fn", "float8_e5m2", "float16"])
@pytest.mark.parametrize("upstream", [1.0, -1.0078125])
def test_every_bfloat16_in_other_formats(result, upstream, ftz):
    for quantity in QUANTITIES if upstream == 1 else ["gradient"]:
        kernel = Disturbed(scaled("erfc", quantity, result, upstream), result)
        question = question_of("exact", "bfloat16", quantity, result, upstream)
        assert disagreements(kernel, question, ftz) == []


@pytest.mark.parametrize(
    ("low", "high", "form", "quantity", "ftz"),
    [
        (-3.0e38, -2.98e38, "exact", "value", False),
        (-200.0, -196.0, "elu", "value", False),
        (-40.0, -39.25, "sigmoid", "value", True),  # here x·σ(1.702x) leaves the subnormals
        (-13.25, -12.75, "exact", "value", True),  # and here GELU the normal numbers
        (-0.77, -0.73, "exact", "value", False),
        (-0.77, -0.73, "exact", "gradient", False),
        (-1.1e-39, 1.1e-39, "exact", "value", False),
        (-1.1e-39, 1.1e-39, "exact", "value", True),
        (1.15e-38, 1.2e-38, "elu", "gradient", True),
        (15.75, 16.25, "exact", "value", False),
        (15.75, 16.25, "exact", "gradient", False),
        (1008.0, 1040.0, "sigmoid", "value", False),
        (2.0**120 - 2.0**115, 2.0**120 + 2.0**115, "exact", "value", True),
    ],
)
def test_slices_of_bfloat16(low, high, form, quantity, ftz):
    kernel = Disturbed(routine("erfc", "bfloat16", quantity, "float32"), "bfloat16")
    assert disagreements(kernel, question_of(form, "bfloat16", quantity), ftz, low, high) == []


def test_the_command_prints_what_is_judged():
    words = "erf_sum --dtype float8_e5m2 --range=-2:2 --ftz --format csv --view"
    views = {
        view: run_gelu("sweep", *words.split(), view).rows  # KEEP are listed unless asked otherwise
        for view in ("summary", "regions", "histogram", "worst", "profile")
    }
    given = routine("erf_sum", "float8_e5m2"), question_of("exact", "float8_e5m2"), True, -2.0, 2.0
    assert views == tables(*given)
    assert Comparison(judgement(*given), views, KEEP).lines == []


# The comparison itself: were it blind, nobody would know


DECIDING = ("max_abs_error", "max_abs_x", "max_rel_error", "rms_error", "noise_ratio")


def cells(views):
    """Yield every cell of the first and the last row of tables that names no question.

    Absolute errors, those of draws and the profile have a judge of their own: `test_profile`.
    """
    for view, rows in views.items():
        if view == "profile":
            continue
        for row in {0, len(rows) - 1}:
            for column in rows[row].keys() - {"routine", "dtype", "target", "quantity", *DECIDING}:
                yield view, row, column


def test_the_comparison_sees_every_cell():
    given = routine("exp_ratio", "float8_e5m2"), question_of("exact", "float8_e5m2")
    mine, views = judgement(*given), tables(*given)
    for view, row, column in list(cells(views)):
        rows = [dict(other) for other in views[view]]
        text = rows[row][column]
        rows[row][column] = other(text)
        lines = Comparison(mine, {**views, view: rows}, KEEP).lines
        assert lines, f"{view}, row {row}: {column} {text} → {rows[row][column]}"


def other(text):
    """Return another cell of the same kind."""
    if text == "yes" or "0x" in text:
        return {"yes": "no"}.get(text, "0x7b")
    if text.isdigit():
        return str(int(text) + 1)
    return repr(3 * float(text) + 2) if text and isfinite(float(text)) else "7"
