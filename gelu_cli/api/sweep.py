"""Accuracy of kernels, in ULP, over every input of a format."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gelu_cli.accuracy.hints import hints
from gelu_cli.accuracy.measure import measure
from gelu_cli.accuracy.nearest import form_of
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.verdict import Verdict as Found
from gelu_cli.api.bounds import require_same, to_base, to_limits
from gelu_cli.api.kernels import KernelLike, to_jobs, to_kernels
from gelu_cli.api.questions import Asked, to_asked
from gelu_cli.api.records import question_of, record_on
from gelu_cli.api.results import Results
from gelu_cli.api.verdicts import results_on
from gelu_cli.inputs.names import FormLike
from gelu_cli.kernels import Kernel, workers
from gelu_cli.numbers.cells import Floats

Progress = Callable[[int, int], None]

FEW = 3
"""Errors in ULP up to which results are no other function's."""


def sweep(
    kernel: KernelLike | Sequence[KernelLike] | None = None,
    *,
    exec: str | Sequence[str] | None = None,
    dtype: Any = "float32",
    result: Any = None,
    compute: Any = None,
    form: FormLike = "exact",
    quantity: str | None = None,
    backend: str | None = None,
    device: str | None = None,
    kwarg: Mapping[str, Any] | Sequence[str] | None = None,
    signature: str | None = None,
    range: str | Sequence[Any] = "-inf:inf",
    all: bool = False,
    samples: Any = None,
    seed: Any = None,
    ftz: bool = False,
    timeout: Any = None,
    jobs: Any = None,
    worst: Any = 10,
    mean: Any = 0,
    sigma: Any = 1,
    glu: bool = False,
    packed: str | None = None,
    up_first: bool = False,
    backward: bool = False,
    up: Any = None,
    gate_limit: Any = None,
    up_limit: Any = None,
    up_offset: Any = None,
    intermediate: Any = None,
    rtol: Any = None,
    atol: Any = None,
    criteria: bool | None = None,
    max_ulp: Any = None,
    max_abs: Any = None,
    max_rel: Any = None,
    baseline: Any = None,
    digits: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Measure the errors of kernels in ULP against the exact value.

    Parameters
    ----------
    kernel
        A function of arrays, or a word: a routine (`"erfc"`), `"module:function"`,
        `"file.py:function"`, `"./lib.so:symbol"`; or several. A word may be followed by settings
        of its own: `"torch.nn.functional:gelu:approximate=tanh"`. What a word names runs in a
        process of its own.
    exec
        Command of a program that reads raw numbers and writes raw results.
    dtype, result
        Formats of x and, if another, of results.
    compute
        Format in which routines compute.
    form, quantity
        What results should be; `"auto"` is the form that they are nearest to.
    backend, device
        Library of the arrays, and where they are.
    kwarg
        Arguments of functions, by name.
    signature
        `"array"` or `"scalar"`, of C functions.
    range, all, samples, seed
        Inputs: 16- and 8-bit formats are taken whole, of others each number or a sample.
    ftz
        Accept inputs and results that are flushed to 0.
    timeout, jobs
        Seconds that a call may take, and processes.
    worst
        Number of inputs that the view `worst` has.
    mean, sigma
        The distribution N(M, S²) of the inputs that averages are for.
    glu, packed, up_first
        The kernel takes (gate, up), or (up, gate), or one array of both.
    backward
        The kernel takes the upstream gradient first.
    up
        Second inputs: ups, or upstream gradients; `"all"` is each number of the format.
    gate_limit, up_limit, up_offset, intermediate
        Clamps of a GLU, what is added to its up, and the format of F(gate).
    rtol, atol
        A tolerance of the view `criteria`.
    criteria
        Make the view `criteria`; by default unless each float32 is taken, which it slows down.
    max_ulp, max_abs, max_rel, baseline
        Bounds; a broken one is among `answer.failures`.
    digits
        Round numbers to decimals of so many digits.
    progress
        Called with the numbers of inputs that are done and of all; Ctrl-C then ends the sweep with
        what was measured so far, instead of raising KeyboardInterrupt.

    Returns
    -------
    Verdict or Results[Verdict]
        A list of several kernels; of a list too.

    Raises
    ------
    UsageError
        If a word names no kernel, or an option cannot be meant.
    ComputationError
        If a kernel raises, crashes, or returns something else than as many results.

    Examples
    --------
    >>> found = sweep("erfc", dtype="bfloat16")
    >>> found.max_ulp_x, found.misrounded
    (-12.5, 1232)
    >>> import numpy as np
    >>> sweep(np.abs, dtype="float16", form="relu").assert_within(max_ulp=2)
    Traceback (most recent call last):
        ...
    AssertionError: absolute: 1.09897e+12 ULP at x = -65504.0 exceeds --max-ulp 2
    """
    options = locals()  # by name
    asked, limits, base = to_asked(options), to_limits(options), None
    if baseline is not None:  # before the sweep, which may take minutes
        base = to_base(baseline)
        here, there = question_of(asked, asked.inputs), base[0].question
        require_same({**there, "form": here["form"]}, here, base[1])
    kernels = to_kernels(kernel, exec, options, asked)
    found: list[Found] = []
    for question, some in by_form(asked, kernels):
        measured = measure(
            question,
            asked.inputs,
            some,
            jobs=to_jobs(jobs, kernels),
            progress=progress,
            **asked.judging,
        )
        found += with_hints(asked, some, measured.verdicts, up_first=up_first)
    record = record_on("sweep", asked, found, kernels, digits=digits)
    results = results_on(record, limits, base)
    if isinstance(kernel, list | tuple) or isinstance(exec, list | tuple):
        return results if isinstance(results, list) else Results([results], results.answer)
    return results


USUAL = {name: each.default for name, each in inspect.signature(sweep).parameters.items()}
"""The defaults of the options."""


def refuse_others(function: str, options: Mapping[str, Any], known: Set[str]) -> None:
    """Raise TypeError for an option that a function does not share."""
    for name in options.keys() - known:
        raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")


def by_form(asked: Asked, kernels: Sequence[Kernel]) -> Iterator[tuple[Question, Sequence[Kernel]]]:
    """Yield kernels by question: that of the nearest form, if it is `auto`."""
    if not asked.auto:
        yield asked.question, kernels
        return
    inputs = asked.inputs
    for kernel in kernels:
        results = partial(_results, kernel, bool(inputs.ups))
        form = form_of(asked.question, results, inputs.low, inputs.high)
        yield asked.question._replace(form=form), [kernel]


def with_hints(
    asked: Asked, kernels: Sequence[Kernel], found: Sequence[Found], *, up_first: bool
) -> Iterator[Found]:
    """Add notes to verdicts with errors above 3 ULP: what results are instead."""
    inputs = asked.inputs
    for kernel, each in zip(kernels, found, strict=True):
        worst = each.largest()
        wrong = each.question.glu or asked.auto or (worst and worst.ulp and worst.ulp > FEW)
        if not (wrong and each.complete):
            yield each
            continue
        notes = [*each.notes]
        if asked.auto:
            why = "the form that its results are nearest to"
            if not each.total["judged"]:
                why = "as no result is a number: no form is near"
            notes.append(f"judged against {each.question.form.label}, {why}")
        results = partial(_results, kernel, bool(inputs.ups))
        notes += hints(each.question, results, inputs.low, inputs.high, up_first=up_first)
        yield replace(each, notes=notes)


def _results(kernel: Kernel, pairs: bool, x: Floats, up: Floats) -> Floats:
    """Call a kernel once, in a worker if it has to run there."""
    arrays = [each.astype(kernel.formats[0].dtype) for each in (x, up)[: 1 + pairs]]
    ((_, got),) = workers.run(partial(_called, kernel), [arrays], isolated=kernel.isolated)
    found: Floats = got
    return found


def _called(kernel: Kernel, arrays: list[Any]) -> Floats:
    from gelu_cli.kernels import call

    return np.asarray(call(kernel, *arrays), np.float64)
