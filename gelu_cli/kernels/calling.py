"""Calls of kernels: arrays of the format in, an array of results out, faults as one message."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module

import numpy as np

from gelu_cli.errors import ComputationError, GeluError, UsageError, described
from gelu_cli.kernels import workers
from gelu_cli.kernels.description import FUNCTION, LIBRARY, PROGRAM, ROUTINE, Kernel
from gelu_cli.kernels.loaded import Array, Fault, Loaded, RaisedError

KINDS = {  # modules that are imported late, and their classes
    ROUTINE: ("arithmetic", "RoutineCalls"),
    FUNCTION: ("python_functions", "PythonFunction"),
    LIBRARY: ("c_functions", "CFunction"),
    PROGRAM: ("programs", "Program"),
}
TO_COMPILE = 60.0  # seconds that the first call of what compiles may take longer


def call(kernel: Kernel, *arrays: Array) -> Array:
    """Call a kernel.

    Parameters
    ----------
    kernel
        The description; the kernel is loaded once in each process.
    arrays
        x, or gates and ups; then, for gradients, upstream gradients if they are not all
        `kernel.upstream`. One-dimensional, of the dtype of `kernel.dtype`.

    Returns
    -------
    array
        The results, of the dtype of `kernel.result`. They may be a view of an input.

    Raises
    ------
    UsageError
        If there is not such a kernel, or it cannot be called so.
    ComputationError
        If the kernel fails, or returns something else than results.

    Examples
    --------
    >>> kernel = Kernel("erfc", "erfc", ROUTINE, "float16", "float16")
    >>> call(kernel, np.array([-1, 0, 1], np.float16)).tolist()
    [-0.15869140625, 0.0, 0.8408203125]
    """
    loaded = load(kernel)
    scaled = kernel.upstream != 1 or len(arrays) > 1 + kernel.glu
    if scaled and not (kernel.backward or loaded.differentiates):
        raise UsageError(
            f"--up: {kernel.label} gets no upstream gradient; add --backward if it is a function "
            "(upstream, x) → dx"
        )
    upstream, inputs = _arranged(kernel, arrays)
    within = kernel.timeout
    if within and loaded.compiles:
        within += TO_COMPILE
    loaded.compiles = False
    held = workers.Held(f"{kernel.label} was given {{}}", loaded.declared, within)
    try:
        with workers.holding(held), np.errstate(all="ignore"):
            return loaded.results(upstream, inputs)
    except Fault as fault:
        said = f"{_was_given(kernel, arrays)} and {fault}"
        raise ComputationError(said, said=fault.said) from fault.__cause__
    except RaisedError as raised:
        if isinstance(raised.error, KeyboardInterrupt) and not workers.is_worker():
            raise raised.error from None
        where = _where(loaded, arrays)
        said = described(raised.error, where) + loaded.remedy(raised.error)
        raise ComputationError(f"{kernel.label} raised {said}") from raised.error


@lru_cache(maxsize=64)
def load(kernel: Kernel) -> Loaded:
    """Load a kernel into this process, once; raises as `call` does."""
    within = kernel.timeout and kernel.timeout + TO_COMPILE
    module, name = KINDS[kernel.kind]
    try:
        with workers.holding(workers.Held(f"{kernel.label} was being loaded", "", within)):
            loaded: Loaded = getattr(import_module(f"gelu_cli.kernels.{module}"), name)(kernel)
            return loaded
    except (GeluError, KeyboardInterrupt):
        raise
    except BaseException as error:  # an object may answer for its attributes by itself
        said = described(error, " while it was loaded")
        raise ComputationError(f"{kernel.label} raised {said}") from error


def notes(kernel: Kernel) -> list[str]:
    """List changes that a kernel makes to the floating-point environment of this process."""
    seen = load(kernel).environment.seen
    effects = "; ".join(f"{state.effects} ({since})" for state, since in seen.items())
    return [f"while it runs, {effects}; judging is not affected"] if effects else []


def facts(kernel: Kernel) -> dict[str, str]:
    """Name the library, version and device that results of a kernel depend on."""
    return load(kernel).facts


def _arranged(kernel: Kernel, arrays: Sequence[Array]) -> tuple[Array | None, list[Array]]:
    """Arrange arrays as the function takes them: upstream gradients, and the others."""
    count = 1 + kernel.glu
    inputs = [*arrays[:count]]
    upstream = arrays[count] if len(arrays) > count else None
    if upstream is None and kernel.quantity != "value":
        upstream = np.full_like(inputs[0], kernel.upstream)
    if kernel.up_first:
        inputs.reverse()
    if kernel.packed == "halves":
        inputs = [np.concatenate(inputs)]
    elif kernel.packed:
        inputs = [np.stack(inputs, 1).ravel()]
    return upstream, inputs


def _was_given(kernel: Kernel, arrays: Sequence[Array]) -> str:
    """Begin a sentence on a call that failed."""
    least, most = (
        float(pick.reduce([pick.reduce(each.astype(np.float64)) for each in arrays]))
        for pick in (np.fmin, np.fmax)
    )
    what = "pairs of inputs" if len(arrays) > 1 else "inputs"
    return f"{kernel.label} was given {len(arrays[0]):,} {what}, from {least!r} to {most!r},"


def _where(loaded: Loaded, arrays: Sequence[Array]) -> str:
    """Say at which input alone a kernel raises, found by halving."""

    def raises(some: Sequence[Array]) -> bool:
        try:
            with np.errstate(all="ignore"):
                loaded.results(*_arranged(loaded.kernel, some))
        except RaisedError as raised:
            return not isinstance(raised.error, KeyboardInterrupt)
        except Fault:
            pass
        return False

    while (count := len(arrays[0])) > 1:
        half = [each[: count // 2] for each in arrays]
        arrays = half if raises(half) else [each[count // 2 :] for each in arrays]
    return f" at {loaded.kernel.at([each[0] for each in arrays])}" if raises(arrays) else ""
