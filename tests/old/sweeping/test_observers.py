"""Observers of a sweep see each result once, in the order of the inputs, whoever judges it."""

from typing import NamedTuple

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.comparison.criteria import CriteriaObserver
from gelu_cli.old.comparison.differences import Differences
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping import executors
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs, Stretch, units_of
from gelu_cli.old.sweeping.observers import Digests, Sight
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question


class All(NamedTuple):
    """Keeps what it sees: inputs, results of two kernels, and every so many of the true results."""

    step: int

    def see(self, sight: Sight):
        some = np.arange(0, len(sight.x), self.step)
        wants = [sight.judge(place).due.want[some] for place in (0, 1)]
        columns = sight.x, sight.got[0], sight.got[1], sight.x[some], *wants
        return [np.array(column, np.float64) for column in columns]

    def add(self, first, second):
        return [np.concatenate(pair) for pair in zip(first, second, strict=True)]

    def finish(self, verdicts, seen):
        for verdict in verdicts:
            verdict.notes.append(f"{len(seen[0])} inputs seen")


def kernels(dtype):
    names = {"erfc": "exact", "tanh_sum": "tanh"}
    number_format = FORMATS[dtype]
    return [
        Kernel(
            routine_implementation(find_routine(name), "value", number_format),
            Question(find_form(form), "value", number_format),
        )
        for name, form in names.items()
    ]


@pytest.mark.parametrize(
    ("dtype", "inputs"),
    [
        ("bfloat16", Inputs(-4, 4, every=True)),
        ("float32", Inputs(1, 1 + 2.0**-5, every=True)),
        ("float64", Inputs(1, 1.5, every=False, samples=500)),
    ],
)
def test_every_result_is_seen_once_whoever_judges_it(dtype, inputs, monkeypatch):
    monkeypatch.setattr(executors, "WORTH", 1)
    number_format, swept = FORMATS[dtype], kernels(dtype)
    found = []
    for jobs in (1, 2):
        observers = [
            All(step=499),
            Differences(swept[0].question, 10, False),
            CriteriaObserver([each.question for each in swept]),
            *[Digests(number_format, number_format)] * inputs.every,
        ]
        with Sweep(swept, inputs, jobs=jobs, observers=observers) as sweep:
            verdicts = sweep.verdicts()
        everything, differences = sweep.seen[:2]
        check(everything, swept, dtype, inputs)
        assert all(f"{len(everything[0])} inputs seen" in each.notes for each in verdicts)
        assert all(each.criteria for each in verdicts)
        assert all(each.digest for each in verdicts) == inputs.every
        found.append((differences, [(repr(each.criteria), each.digest) for each in verdicts]))
    assert found[0] == found[1]


def check(everything, swept, dtype, inputs):
    x, *got, some, exact, tanh = everything
    unit_inputs = [
        np.arange(unit.first, unit.end, dtype=np.uint32).view(np.float32)
        if isinstance(unit, Stretch) else unit
        for unit in units_of(FORMATS[dtype], inputs)
    ]  # fmt: skip
    np.testing.assert_array_equal(x, np.concatenate(unit_inputs))
    with np.errstate(all="ignore"):
        for kernel, results in zip(swept, got, strict=True):
            held = x if dtype == "float64" else x.astype(np.float32)
            np.testing.assert_array_equal(results, kernel.implementation(held))
    for kernel, wants in zip(swept, (exact, tanh), strict=True):
        assert wants.tolist() == [kernel.question.want(point) for point in some.tolist()]
