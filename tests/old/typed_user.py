"""What a user of the functions writes: `.ci/run` checks its types, strictly."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, assert_type

import numpy as np

import gelu_cli

if TYPE_CHECKING:
    from gelu_cli import swep  # type: ignore[attr-defined] # noqa: F401 # a misspelt name is found

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def use(x: Floats) -> None:
    """Use every function of the line once."""
    assert_type(gelu_cli.gelu(1.0), float)
    assert_type(gelu_cli.gelu(x, "tanh"), Floats)
    assert_type(gelu_cli.error("tanh"), gelu_cli.ErrorSummary[float])
    assert_type(gelu_cli.error("tanh", digits=30).max_abs_error, Decimal)
    assert_type(gelu_cli.error("tanh", points=[1.0]), gelu_cli.Table)
    assert_type(gelu_cli.locate()[0].x, float)
    assert_type(gelu_cli.locate(digits=30)[0].x, Decimal)
    assert_type(gelu_cli.variance("relu").mean, float)
    best = gelu_cli.fit("tanh", "c", quantity="gate")
    assert_type(best.parameters["c"], float)
    assert_type(best.points[0], gelu_cli.Point[float])
    assert_type(gelu_cli.error(best, digits=9).rms_error, Decimal)
    assert_type(gelu_cli.block(best.form).relative_rms, float)
    assert_type(gelu_cli.plot([best, "exact"], error="absolute"), gelu_cli.Picture)
    for row in gelu_cli.table([0.5], [best, "tanh"], quantities="value").rows():
        print(row["x"])


def use_kernels(x: Floats) -> None:
    """Use every function of kernels and figures once."""
    verdict = gelu_cli.sweep(np.tanh, dtype=np.float16, kwargs={"casting": "same_kind"})
    assert_type(verdict, gelu_cli.Verdict)
    assert_type(verdict.max_ulp, float)
    assert_type(verdict.within(max_ulp=2), gelu_cli.Judgement)
    assert_type(gelu_cli.load_budget("gelu.toml").tightened(verdict), gelu_cli.Budget)
    verdict.assert_within(max_ulp=2)
    verdict.save("gelu.json")
    record = gelu_cli.load("gelu.json")
    assert_type(record, gelu_cli.Record)
    assert_type(gelu_cli.sweep(["./kernel"], at=[1.0, "1/3"]), gelu_cli.Table)
    assert_type(gelu_cli.compare(record, record), gelu_cli.Table)
    found = gelu_cli.compare("erfc", np.tanh, dtype="bfloat16", compute="float32")
    assert_type(found, gelu_cli.Comparison)
    assert_type(found.a, gelu_cli.Verdict)
    assert_type(found.differ, int)
    assert_type(gelu_cli.plot(found), gelu_cli.Picture)
    assert_type(gelu_cli.check({1: "0.8413"}), gelu_cli.Table)
    assert_type(gelu_cli.check((x, np.tanh(x)), dtype="float32", form="tanh"), gelu_cli.Verdict)
    assert_type(gelu_cli.identify(np.tanh, dtype="float16", rows=3), gelu_cli.Table)
    gelu_cli.sweep(np.tanh, target="tanh")  # type: ignore[call-overload]
    gelu_cli.sweep(np.tanh, at=[1.0], samples=3)  # type: ignore[call-overload]
