"""What `gelu sweep` and `gelu compare` answer, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, TypeAlias, overload

from gelu_cli.errors import UsageError
from gelu_cli.old.answers.compare.kernels import TABLES, compare_views
from gelu_cli.old.answers.compare.records import compare_records
from gelu_cli.old.answers.sweep import report_at
from gelu_cli.old.api.arguments import Criteria, FormWord, numbers_of, tolerance_of
from gelu_cli.old.api.kernels import (
    NOTHING,
    GluWord,
    UpstreamWord,
    inputs_of,
    jobs_of,
    kernel_of,
    question_of,
    sides_of,
)
from gelu_cli.old.api.messages import asked_in_python, in_python
from gelu_cli.old.api.results import Table
from gelu_cli.old.api.verdicts import WORST, Comparison, Record, Verdict
from gelu_cli.old.comparison.criteria import CriteriaObserver
from gelu_cli.old.comparison.differences import Comparison as Found
from gelu_cli.old.comparison.differences import comparison, sweep_of_two
from gelu_cli.old.reading.numbers import points_at
from gelu_cli.old.report import Report
from gelu_cli.old.sweeping import sweep as sweeping
from gelu_cli.old.sweeping.at import pairs_at, results_at
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.nearest import with_nearest_forms
from gelu_cli.old.sweeping.verdict import Verdict as FoundVerdict

Pair: TypeAlias = tuple[Any, Any] | None
"""One for each of two kernels."""
PointWord: TypeAlias = float | str | tuple[float | str, float | str]

ALL_INPUTS = {-inf, inf, None}


@overload
def sweep(
    function: Any, *, at: None = None, dtype: Any = "float32", result: Any = None,
    form: FormWord = "exact", quantity: str | None = None, backend: str | None = None,
    backward: str | None = None, upstream: UpstreamWord = 1.0, device: str | None = None,
    batch: int | None = None, signature: str | None = None, kwargs: Mapping[str, Any] = ...,
    timeout: float | None = None, compute: Any = None, truncate: bool = False, flush: bool = False,
    low: float = -inf, high: float = inf, every: bool = False, samples: int | None = None,
    seed: int | None = None, infinities: bool = False, ftz: bool = False, shapes: bool = False,
    criteria: Criteria = False, glu: GluWord = False,
) -> Verdict: ...  # fmt: skip
@overload
def sweep(
    function: Any, *, at: Iterable[PointWord], dtype: Any = "float32", result: Any = None,
    form: FormWord = "exact", quantity: str | None = None, backend: str | None = None,
    backward: str | None = None, upstream: UpstreamWord = 1.0, device: str | None = None,
    batch: int | None = None, signature: str | None = None, kwargs: Mapping[str, Any] = ...,
    timeout: float | None = None, compute: Any = None, truncate: bool = False, flush: bool = False,
    ftz: bool = False,
) -> Table: ...  # fmt: skip
@asked_in_python
def sweep(
    function: Any, *, at: Iterable[PointWord] | None = None, dtype: Any = "float32",
    result: Any = None, form: FormWord = "exact", quantity: str | None = None,
    backend: str | None = None, backward: str | None = None, upstream: UpstreamWord = 1.0,
    device: str | None = None, batch: int | None = None, signature: str | None = None,
    kwargs: Mapping[str, Any] = NOTHING, timeout: float | None = None, compute: Any = None,
    truncate: bool = False, flush: bool = False, low: float = -inf, high: float = inf,
    every: bool = False, samples: int | None = None, seed: int | None = None,
    infinities: bool = False, ftz: bool = False, shapes: bool = False, criteria: Criteria = False,
    glu: GluWord = False,
) -> Verdict | Table:  # fmt: skip
    """Return how far results of a function are from the truth, |got − y|/ulp(y), and what fails.

    `function` takes and returns arrays of `dtype` of its own library, "numpy", "torch", "jax",
    "cupy" or "tensorflow" (`backend`; found out if None), on a `device` in that library's words,
    and `batch` numbers at a time (as the sweep is cut if None). It is called by this thread, in the
    caller's floating-point environment (flush-to-zero, rounding), on which judging does not depend.
    A word names a function that runs in a process of its own and cannot harm this one:
    "mykernel.py:gelu", "torch.nn.functional:gelu", or in C "./libkernel.so:gelu", declared as
    void f(const T *x, T *y, size_t n), or with `signature` "scalar" as T f(T x); "erfc" and its
    like are routines of `gelu sweep`, which compute in the format `compute`; their operations round
    toward zero with `truncate`, and what is subnormal is 0 with `flush`. A list of words is the
    command of a program, ["./mykernel", "--fast"], which reads raw numbers and writes as many. A
    call of these may take `timeout` seconds (any time if None). Large sweeps of a word take every
    core. Under `joblib.parallel_config` a function that is no word is called by joblib's backend
    instead, a Dask cluster for example. `kwargs` are further arguments of the function.

    16- and 8-bit formats are swept whole, and so are ranges with no more than `samples` numbers,
    a million by default; of float32 and float64 so many inputs are taken, and neighbours of the
    worst, of float32 `every` one if so asked; with `infinities` ±∞ and NaN as well. With `at`
    nothing is swept: a `Table` has the results at these numbers, or words such as "1/3", or at
    pairs of them.

    Results are numbers of `result`, by default of `dtype`. `quantity` is "value" or "gradient":
    autograd's, or the function's own where `backward` is "own" and it is a backward pass
    (upstream, x) → dx. Gradients are judged as `upstream`·f′(x), of several upstreams in a list,
    or "all" of the format, each with each x. Results should be those of `form`: "auto" is the form
    that they are nearest to. The verdict has `within`, which says whether bounds are kept,
    `max_ulp`, `exhaustive`, `failures` (a NaN or an infinity that is wrong), `worst`, `total` with
    all counts, `regions` and `notes`. With `shapes` the function is called in other surroundings as
    well, and `changes` has inputs whose results differ there; with `criteria`, `criteria` has what
    other people's checks say of the results, and yours with `criteria={"rtol": 0.1, "atol": 0.05}`.

    A kernel of two inputs (gate, up), a gated linear unit, has `glu=True`, or a dictionary with
    any of "packed" ("halves", "interleaved": one array), "up" (second inputs, or "all"),
    "gate_limit", "up_limit", "up_offset", "intermediate": results should be F(gate)·up, F being
    `form`; `quantity` may be "gate_gradient" or "up_gradient".

    Raises ValueError for an unknown name, RuntimeError where the function raises (what it raised is
    the `__cause__`) or returns no such array, TypeError for what is no name or number at all; an
    interrupt goes on as KeyboardInterrupt.
    Source: the measure is that of Arm's optimized routines and of the OpenCL conformance tests.

    >>> import numpy as np
    >>> def rough(x):
    ...     return x / (1 + np.exp(-1.702 * x))
    >>> bool(sweep(rough, dtype="float16").within(max_ulp=2))
    False
    """
    options = {
        "backend": backend, "backward": backward, "device": device, "batch": batch,
        "signature": signature, "kwarg": kwargs or None, "timeout": timeout, "compute": compute,
        "truncate": truncate or None, "flush": flush or None,
    }  # fmt: skip
    question, notes = question_of(dtype, result, form, quantity, backward, upstream, glu)
    others = every or infinities or shapes or criteria
    if at is not None and (others or {low, high, samples, seed} - ALL_INPUTS):
        names = "low, high, every, samples, seed, infinities, shapes and criteria"
        raise UsageError(f"at is for single inputs; leave {names} out")
    tolerance = tolerance_of(criteria)
    with ExitStack() as guests:
        kernel = kernel_of(function, question, options, guests)
        if at is not None:
            return _results_at(kernel, at, notes, ftz=ftz)
        inputs, about_ups = inputs_of(
            question, low, high, glu, upstream,
            every=every, infinities=infinities, samples=samples, seed=seed,
        )  # fmt: skip
        found = sweeping.sweep(
            *kernel,
            inputs=inputs,
            jobs=jobs_of([function]),
            ftz=ftz,
            shapes=shapes,
            observers=[CriteriaObserver([question], tolerance=tolerance)] if tolerance else [],
        )
    return _verdict(found, [*notes, *about_ups])


@overload
def compare(a: Record, b: Record) -> Table: ...
@overload
def compare(
    a: Any, b: Any, *, dtype: Any = "float32", result: Any = None, form: FormWord = "exact",
    quantity: str | None = None, backend: str | Pair = None, backward: str | Pair = None,
    upstream: float = 1.0, device: str | Pair = None, batch: int | Pair = None,
    signature: str | Pair = None, kwargs: Mapping[str, Any] | Pair = ...,
    timeout: float | Pair = None, compute: Any = None, truncate: bool | Pair = False,
    flush: bool | Pair = False, low: float = -inf, high: float = inf, every: bool = False,
    samples: int | None = None, seed: int | None = None, infinities: bool = False,
    ftz: bool = False, glu: GluWord = False,
) -> Comparison: ...  # fmt: skip
@asked_in_python
def compare(
    a: Any, b: Any, *, dtype: Any = "float32", result: Any = None, form: FormWord = "exact",
    quantity: str | None = None, backend: str | Pair = None, backward: str | Pair = None,
    upstream: float = 1.0, device: str | Pair = None, batch: int | Pair = None,
    signature: str | Pair = None, kwargs: Mapping[str, Any] | Pair = NOTHING,
    timeout: float | Pair = None, compute: Any = None, truncate: bool | Pair = False,
    flush: bool | Pair = False, low: float = -inf, high: float = inf, every: bool = False,
    samples: int | None = None, seed: int | None = None, infinities: bool = False,
    ftz: bool = False, glu: GluWord = False,
) -> Comparison | Table:  # fmt: skip
    """Return where the results of two kernels differ, and which is nearer the true value there.

    Kernels and arguments are those of `sweep`. An argument that says how a kernel is called is for
    both, or a tuple has one for each: `kwargs=({}, {"approximate": "tanh"})`; `glu` is for both.
    The result has the verdicts `a` and `b`, counts, and the tables of `gelu compare`. Of two
    records, which `load` returns, a `Table` has the figures that differ.

    Raises what `sweep` does.

    >>> import numpy as np
    >>> found = compare("logistic", lambda x: x / (1 + np.exp(-x)), dtype="float16", form="silu")
    >>> found.a.name, found.differ > 0
    ('logistic', True)
    """
    if isinstance(a, Record) and isinstance(b, Record):
        return Table(tables={"figures": partial(compare_records, a.content, b.content)})
    options = {
        "backend": backend, "backward": backward, "device": device, "batch": batch,
        "signature": signature, "kwarg": kwargs or None, "timeout": timeout, "compute": compute,
        "truncate": truncate or None, "flush": flush or None,
    }  # fmt: skip
    sides = sides_of([a, b], options)
    own = next((each["backward"] for each in sides if each["backward"]), None)
    question, notes = question_of(dtype, result, form, quantity, own, upstream, glu)
    inputs, about_ups = inputs_of(
        question, low, high, glu, upstream,
        every=every, infinities=infinities, samples=samples, seed=seed,
    )  # fmt: skip
    with ExitStack() as guests:
        pair = zip([a, b], sides, strict=True)
        two = [kernel_of(each, question, asked, guests) for each, asked in pair]
        one, other = with_nearest_forms(two, inputs.low, inputs.high)
        two = [one, other._replace(question=one.question)]
        with sweep_of_two(two, inputs, jobs=jobs_of([a, b]), keep=WORST, ftz=ftz) as run:
            found = comparison(run)
    found.a, found.b = (_verdict(each, [*notes, *about_ups]) for each in found.verdicts)
    if found.a.name == found.b.name:
        found.a.name, found.b.name = f"{found.a.name} (a)", f"{found.b.name} (b)"
    count, tables = found.total, {name: partial(_compared, found, name) for name in TABLES}
    counts = count.inputs, count.differ, count.nearer_a, count.nearer_b, count.largest
    return Comparison(found.a, found.b, *counts, found, tables=tables)


def _compared(found: Found, name: str, digits: int | None) -> Report:
    return compare_views(found, digits, WORST)[name]()


def _verdict(found: FoundVerdict, notes: Sequence[str]) -> Verdict:
    """Return a verdict for Python; raises what has ended the sweep before its end."""
    if found.failure:
        raise found.failure
    if not found.complete:
        raise KeyboardInterrupt
    said = [in_python(each) for each in (*found.notes, *notes)]
    return Verdict(**vars(replace(found, notes=said)))


def _results_at(
    kernel: Kernel, points: Iterable[PointWord], notes: Sequence[str], *, ftz: bool
) -> Table:
    """Return the results of a kernel at single inputs."""
    typed: Any = points
    x: Sequence[Any]
    if (question := kernel.question).gating:
        typed = [each for pair in typed for each in (pair if isinstance(pair, tuple) else [pair])]
    x, rounded = points_at(numbers_of("at", typed), question.dtype)
    if question.gating:
        x = pairs_at(x, question.names[1])
    found = [results_at(each, x, ftz=ftz) for each in with_nearest_forms([kernel])]
    said = [*notes, *rounded, *found[0].verdict.notes]
    return Table(tables={"at": partial(report_at, found)}, notes=[*map(in_python, said)])
