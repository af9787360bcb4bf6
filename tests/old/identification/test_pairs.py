"""What explains results of two inputs: mpmath and numpy compute them, each in another way."""

from decimal import Decimal

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.identification import explanations
from gelu_cli.old.identification.explanations import explained
from gelu_cli.old.identification.figures import Figures
from tests.old.every import every
from tests.old.identification.test_estimation import rounded
from tests.truth.mpmath import M

SINGLE = FORMATS["float32"]
GATES = [-3.5, -2.25, -1.375, -0.8125, -0.3125, 0.4375, 1.1875, 1.71875, 2.5625, 4.75, 9.5, 12.25]
UPS = [-9.25, -6.5, -2.625, -1.3125, 0.6875, 1.5625, 3.375, 6.75, 8.5, 11.75, -0.4375, 2.1875]


def gelu(x):
    return x * M.ncdf(x)


def tanh(x):
    return x / 2 * (1 + M.tanh(M.sqrt(2 / M.pi) * (x + M.mpf("0.044715") * x**3)))


def sigmoid(x, beta="1.702"):
    return x / (1 + M.exp(-M.mpf(beta) * x))


def half(y):
    return np.float64(np.float16(float(y)))


KERNELS = {
    "GEGLU": (lambda x, u: gelu(x) * u, "exact"),
    "SwiGLU": (lambda x, u: sigmoid(x, 1) * u, "silu"),
    "the GLU of 2016": (lambda x, u: u / (1 + M.exp(-x)), "logistic"),
    "GPT-OSS": (
        lambda x, u: sigmoid(min(x, 7)) * (max(-7, min(u, 7)) + 1),
        "sigmoid gate_limit=7, up_limit=7, up_offset=1",
    ),
    "without its clamps": (lambda x, u: sigmoid(x) * (u + 1), "sigmoid up_offset=1"),
    "without that of the up": (
        lambda x, u: sigmoid(min(x, 7)) * (u + 1), "sigmoid gate_limit=7, up_offset=1"
    ),
    "with that of the up alone": (lambda x, u: gelu(x) * max(-7, min(u, 7)), "exact up_limit=7"),
    "swapped": (lambda x, u: gelu(u) * x, "exact F(up)·gate"),
    "swapped and clamped": (
        lambda x, u: sigmoid(min(u, 7)) * (x + 1), "sigmoid F(up)·gate, gate_limit=7, up_offset=1"
    ),
    "swapped and rounded before": (lambda x, u: half(tanh(u)) * x, "tanh F(up)·gate in float16"),
    "a mistake": (lambda x, u: x * M.erf(x / M.sqrt(2)) * u, "x_times_erf"),
}  # fmt: skip


THE_SAME = {
    "logistic": ["silu_gate"],
    "tanh F(up)·gate in float16": ["fast_gelu", "tanh:c=0.04471"],
}  # fmt: skip
"""What has the same numbers of float16 at these gates, or is the same function."""


def all_pairs():
    return np.repeat(GATES, len(UPS)), np.tile(UPS, len(GATES))


def in_single(function):
    x, up = all_pairs()
    y = [
        np.float32(float(function(M.mpf(a), M.mpf(b))))
        for a, b in zip(x.tolist(), up.tolist(), strict=True)
    ]
    return Figures("", "value", x, np.array(y, np.float64), (SINGLE, SINGLE), up)


def name_of(explanation):
    candidate = explanation.candidate
    inner = f"in {candidate.compute.name}" if candidate.compute else ""
    return " ".join(filter(None, [candidate.label, candidate.parameter, inner]))


@pytest.fixture
def without_parameters(monkeypatch):
    """No parameter is looked for: that takes longest."""
    monkeypatch.setattr(explanations, "estimated", lambda *figures: None)


@every("kernel", KERNELS)
@pytest.mark.usefixtures("without_parameters")
def test_a_kernel_is_what_it_is(kernel):
    function, due = KERNELS[kernel]
    best, *others = explained(in_single(function)).explanations
    assert name_of(best) == due
    assert best.verdict == "explains all"
    same = [each.candidate.label for each in others if each.agrees.all()]
    assert same == THE_SAME.get(due, [])


def test_an_interval_of_beta_is_that_of_results_divided_by_what_they_are_multiplied_with():
    """At both ends some result changes, which mpmath computes; GPT-OSS's clamps are about it."""

    def results(beta):
        return in_single(lambda x, u: sigmoid(min(x, 7), beta) * (max(-7, min(u, 7)) + 1)).part(
            range(0, 144, 7)
        )

    figures = results("1.773")
    told = explained(figures).explanations[0].candidate.parameter
    low, high = map(Decimal, told.partition("[")[2].partition("]")[0].split(", "))
    for beta in (low, high):
        step = (high - low) / 50
        inside, outside = sorted(
            (beta - step, beta + step), key=lambda b: abs(b - (low + high) / 2)
        )
        assert np.array_equal(results(str(inside)).y, figures.y)
        assert not np.array_equal(results(str(outside)).y, figures.y)


@pytest.mark.usefixtures("without_parameters")
@every(("kernel", "due"), [
    ("GPT-OSS", "sigmoid gate_limit=7, up_limit=7, up_offset=1"), ("swapped", "exact F(up)·gate"),
])  # fmt: skip
def test_printed_figures_are_explained_as_well(kernel, due):
    x, up = ([Decimal(str(each)) for each in side[::7]] for side in all_pairs())
    function = KERNELS[kernel][0]
    y = [rounded(function(M.mpf(str(a)), M.mpf(str(b))), 6) for a, b in zip(x, up, strict=True)]
    best = explained(Figures("", "value", x, y, None, up)).explanations[0]
    assert (name_of(best), best.verdict) == (due, "explains all")
