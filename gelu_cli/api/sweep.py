"""Accuracy of kernels, in ULP, over every input of a format."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import repeat
from typing import Any

from gelu_cli.accuracy.measure import measure
from gelu_cli.accuracy.nearest import with_hints, with_nearest_form
from gelu_cli.accuracy.verdict import Verdict as Found
from gelu_cli.api.questions import KernelLike, to_asked, to_jobs, to_kernels
from gelu_cli.api.records import question_of, record_on
from gelu_cli.api.verdicts import require_same, results_on, to_base, to_limits
from gelu_cli.inputs.names import FormLike


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
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """Measure the errors of kernels in ULP against the exact value.

    Parameters
    ----------
    kernel
        A function of arrays; a word that names a routine (`"erfc"`) or a function
        (`"module:function"`, `"file.py:function"`, `"./lib.so:symbol"`); or a list of kernels.
        Settings may follow a word: `"torch.nn.functional:gelu:approximate=tanh"`. A function that a
        word names runs in another process.
    exec
        Command of a program that reads raw numbers and writes raw results.
    dtype, result, compute
        Format of x; format of results, by default that of x; format of the operations of routines.
    form, quantity
        What the kernel should compute; the form `"auto"` is the form nearest to its results.
    backend, device
        Library and device of the arrays.
    kwarg
        Arguments of Python functions, by name.
    signature
        For C functions: `"array"`, or `"scalar"` if they take one number.
    range, all, samples, seed
        The inputs in the interval `range`: of 8- and 16-bit formats every number; of float32 every
        number with `all`; else a sample of `samples` numbers, drawn with `seed`.
    ftz
        Accept subnormal inputs and results that are flushed to 0.
    timeout, jobs
        Seconds that a call may take; number of processes.
    worst
        Number of rows in the view `worst`.
    mean, sigma
        Distribution N(mean, sigma²) of x for `rms_error`, `noise_ratio` and probabilities.
    glu, packed, up_first
        True for kernels of (gate, up). `"halves"` or `"interleaved"` if gates and ups are in one
        array. True if the up comes before the gate.
    backward
        True for kernels whose first argument is the upstream gradient.
    up
        Second inputs: ups, or upstream gradients; `"all"` is each number of the format.
    gate_limit, up_limit, up_offset, intermediate
        With `glu` the expected result is ○(F(min(gate, L)))·(clamp(up, −M, M) + B): L, M, B and
        the format to which ○ rounds.
    rtol, atol, criteria
        Tolerance that the view `criteria` checks; True to make this view, False not to. By default
        the view is made, unless `all` sweeps every float32 (slow) and rtol and atol are None.
    max_ulp, max_abs, max_rel, baseline
        Bounds; `answer.failures` lists the broken ones.
    digits
        Return decimals of `digits` significant digits instead of float64s.
    progress
        Called as progress(done, total) with numbers of inputs. If it is given, Ctrl-C ends the
        sweep with the results so far, if any, instead of raising KeyboardInterrupt.

    Returns
    -------
    Verdict or Results[Verdict]
        A verdict on one kernel; a list of verdicts if `kernel` or `exec` is a list.

    Raises
    ------
    UsageError
        If a word names no kernel, or an option does not apply.
    ComputationError
        If a kernel raises, crashes, or does not return one result for each input.

    Examples
    --------
    >>> found = sweep("erfc", dtype="bfloat16")
    >>> found.max_ulp_x, found.misrounded
    (-12.5, 1232)
    >>> import numpy as np
    >>> sweep(np.abs, dtype="float16", form="relu").assert_within(max_ulp=2)
    Traceback (most recent call last):
        ...
    AssertionError: absolute: max_ulp 1.09897e+12 at x = -65504 exceeds --max-ulp 2
    """
    options = locals()
    asked, limits, base = to_asked(options), to_limits(options), None
    if baseline is not None:  # check the baseline first: a sweep may take minutes
        base = to_base(baseline)
        here, there = question_of(asked, asked.inputs), base[0].question
        require_same({**there, "form": here["form"]}, here, base[1])
    inputs, kernels = asked.inputs, to_kernels(kernel, exec, options, asked)
    groups = [(asked.question, kernels)]
    if asked.auto:
        groups = [(with_nearest_form(asked.question, inputs, each), [each]) for each in kernels]
    found: list[Found] = []
    for question, group in groups:
        how = {**asked.judging, "jobs": to_jobs(jobs, kernels), "progress": progress}
        verdicts = measure(question, inputs, group, **how).verdicts
        if question.glu or not asked.auto:  # auto took the nearest form
            verdicts = list(map(with_hints, verdicts, repeat(inputs), group))
        taken = [f"measured against {question.form.label}, the nearest form"] * asked.auto
        found += (replace(each, notes=[*taken, *each.notes]) for each in verdicts)
    record = record_on("sweep", asked, found, digits=digits)
    several = isinstance(kernel, list | tuple) or isinstance(exec, list | tuple)
    return results_on(record, limits, base, several=several)


USUAL = {name: each.default for name, each in inspect.signature(sweep).parameters.items()}
"""Default values of the options of `sweep`, by name."""


def refuse_others(function: str, options: Mapping[str, Any], known: Set[str]) -> None:
    """Raise TypeError if `options` has a name that the function does not take."""
    for name in options.keys() - known:
        raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
