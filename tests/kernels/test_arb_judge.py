"""Sweeps against the judge in Arb, which was written from the definitions alone."""

import csv
from fractions import Fraction
from itertools import product
from math import inf, nan
from typing import NamedTuple

import numpy as np
import pytest
from flint import arb, fmpq

from gelu_cli.answers.sweep import sweep_views
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.forms import find_form
from gelu_cli.kernels.implementations import Implementation, routine_implementation
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.routines import ROUTINES
from gelu_cli.kernels.sweep import sweep
from gelu_cli.kernels.truth import Question
from gelu_cli.report import Page
from gelu_cli.report.formats.csv import render
from tests.cli.runner import run_gelu
from tests.kernels import arb_judge
from tests.kernels.arb_judge import Comparison, Judgement

KEEP = 10
QUANTITIES = "value", "gradient"
EIGHT_BITS = "float8_e4m3fn", "float8_e5m2"


def routine(name, dtype, quantity="value", compute=None):
    inner = FORMATS[compute] if compute else None
    return routine_implementation(ROUTINES[name], quantity, FORMATS[dtype], inner)


class Disturbed(NamedTuple):
    """A kernel whose results are moved by −2 … 2 numbers of the format, one in 64 to something else.

    What is done at an input depends on the input alone.
    """

    kernel: Implementation
    dtype: str
    name: str = "disturbed"

    def __call__(self, x):
        line = arb_judge.FORMATS[self.dtype]
        magnitudes, got = line.magnitudes(), np.nan_to_num(self.kernel(x).astype(float))
        drawn = (x.view(np.uint32) >> np.uint32(16)).astype(np.uint64) * np.uint64(40503) >> 5
        place = line.ordinals(got) + (drawn % np.uint64(5)).astype(int) - 2
        moved = np.copysign(magnitudes[np.minimum(np.abs(place), len(magnitudes) - 1)], place)
        other = np.array([nan, 0.0, -0.0, *([inf, -inf] if line.beyond == inf else []), 1.0])
        chosen = other[(drawn >> 9).astype(int) % len(other)]
        chosen = np.where((drawn >> 12) % 2, chosen, -got)
        return np.where((drawn >> 3) % 64 == 0, chosen, moved).astype(np.float32)


def disagreements(kernel, form, dtype, quantity="value", ftz=False, low=-inf, high=inf):
    """Return what the tables of a sweep and the judge in Arb do not agree upon."""
    question = Question(find_form(form), quantity, FORMATS[dtype])
    verdict = sweep(kernel, question, Inputs(low, high), keep=KEEP, ftz=ftz)
    views = {
        name: list(csv.DictReader("".join(render(view(), Page())).splitlines()))
        for name, view in sweep_views([verdict], None, KEEP).items()
    }
    x = np.concatenate(arb_judge.halves(arb_judge.FORMATS[dtype], low, high))
    got = kernel(x.astype(np.float32))
    return Comparison(Judgement(form, quantity, dtype, got, ftz, low, high), views, KEEP).lines


def all_disagreements(dtype, target, quantity, computes):
    """Return the disagreements on every routine with something to say, by its options."""
    found = {}
    for name, compute, ftz in product(ROUTINES, computes, (False, True)):
        form = ROUTINES[name].form if target == "self" else target
        lines = disagreements(routine(name, dtype, quantity, compute), form, dtype, quantity, ftz)
        if lines:
            found[name, compute, ftz] = lines
    return found


@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("target", ["exact", "self", "elu", "sigmoid", "relu"])
@pytest.mark.parametrize("dtype", EIGHT_BITS)
def test_every_routine_in_8_bits(dtype, target, quantity):
    computes = [None, "float16", "bfloat16", "float32", *set(EIGHT_BITS) - {dtype}]
    assert all_disagreements(dtype, target, quantity, computes) == {}


@pytest.mark.slow
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("target", ["exact", "self", "elu", "sigmoid", "relu"])
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
    assert disagreements(kernel, target, dtype, quantity, ftz) == []
