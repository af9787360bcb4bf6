"""A sweep under way: its progress is shown, and signals end it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeVar

from gelu_cli.cli.output.progress import Progress
from gelu_cli.cli.output.signals import before_the_end, interruptible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gelu_cli.sweeping.implementations import Kernel
    from gelu_cli.sweeping.inputs import Inputs
    from gelu_cli.sweeping.sweep import Sweep

Found = TypeVar("Found")


def with_targets(kernels: Sequence[Kernel], inputs: Inputs, *, quiet: bool) -> list[Kernel]:
    """Return kernels with the forms that are found by their results, where --target auto asks."""
    from gelu_cli.sweeping.at import end_functions
    from gelu_cli.sweeping.nearest import with_nearest_forms

    with before_the_end(lambda: end_functions(kernels)), Progress(quiet):
        return with_nearest_forms(kernels, inputs.low, inputs.high)


def found_by(
    sweep: Sweep, find: Callable[[Callable[[int, int], None]], Found], name: str, *, quiet: bool
) -> Found:
    """Return what `find` finds while the sweep runs; an interrupt ends it early.

    `find` is given what to tell how many inputs of how many are judged; `name` is shown meanwhile.
    """
    with ExitStack() as started:
        started.enter_context(before_the_end(sweep.kill))
        with Progress(quiet):
            started.enter_context(sweep)
        with Progress(quiet) as progress, interruptible():
            return find(progress.over_inputs(name))
