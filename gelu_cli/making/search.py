"""The search for a kernel of a 16-bit format: the cheapest degrees that misround no input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gelu_cli.making.c_text import CONSTANTS, trial_text
from gelu_cli.making.compilers import Compiler, Function
from gelu_cli.making.programs import Program
from gelu_cli.making.proofs import Expected, Mask
from gelu_cli.making.schemes import Rung, ladder, program, saturation

TRIALS = 3000
"""Changes of coefficients that are tried on one rung; 1 ms each."""

PATIENCE = 1000
"""Trials without an improvement that end a search."""

HOPELESS = 100
"""Wrong inputs of minimax coefficients that are not worth a search."""

MOST_PATCHES = 4
LARGEST_STEP = 5
"""A coefficient changes by up to 2⁵ − 1 units in its last place."""

FUSED = ["-O3", "-march=native", "-DGELU_MA(a,b,c)=__builtin_fmaf(a,b,c)"]
APART = ["-O3", "-march=native", "-DGELU_MA(a,b,c)=((a)*(b)+(c))", "-ffp-contract=off"]
"""Flags of the two ways to compute a·b + c; a kernel must be right by both."""


@dataclass(frozen=True)
class Try:
    """What came of one rung.

    Attributes
    ----------
    rung, program
        The degrees, and the best kernel with patches, if there are few.
    start, left
        Inputs beyond the bound with minimax coefficients, and after the search.
    trials
        Changes of coefficients that were tried.
    """

    rung: Rung
    program: Program
    start: int
    left: int
    trials: int

    @property
    def holds(self) -> bool:
        """True if every input that is left can be patched."""
        return self.left <= MOST_PATCHES


def climb_ladder(
    expected: Expected,
    bound: float,
    compiler: Compiler,
    folder: Path,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Try]:
    """Try one rung after the other, until one holds."""
    form, quantity, to = expected.form, expected.quantity, expected.to
    rungs, reach = ladder(form, quantity), saturation(form, quantity, to)
    for number, rung in enumerate(rungs):
        watch(number, len(rungs))
        first = program(form, quantity, to, reach, rung)
        found = _climb(first, rung, expected, bound, Trials(first, expected, compiler, folder))
        yield found
        if found.holds:
            return


class Trials:
    """A kernel compiled once for all constants."""

    def __init__(
        self, program: Program, expected: Expected, compiler: Compiler, folder: Path
    ) -> None:
        text = trial_text(program, "f", expected.to.name)
        self.patterns = expected.patterns
        self.results = np.empty_like(self.patterns)
        self.libraries: list[tuple[Function, Any]] = []
        for flags in (FUSED, APART):
            function = Function(compiler.build(text, folder, flags), "f")
            self.libraries.append((function, function.floats(CONSTANTS, len(program.constants))))

    def wrong(self, program: Program, expected: Expected, bound: float) -> Mask:
        """Mark inputs whose result exceeds the bound with or without fused operations."""
        wrong = np.zeros(self.patterns.shape, bool)
        for function, constants in self.libraries:
            constants[:] = list(program.constants.values())
            wrong |= expected.wrong(function(self.patterns, self.results), bound)
        return wrong


def _climb(first: Program, rung: Rung, expected: Expected, bound: float, trials: Trials) -> Try:
    """Change coefficients by units in the last place as long as fewer inputs are wrong."""
    random = np.random.default_rng(1)
    best, names = first, first.coefficients
    start = left = int(trials.wrong(best, expected, bound).sum())
    tried = improved = 0
    while left and start <= HOPELESS and tried < min(TRIALS, improved + PATIENCE):
        tried += 1
        changed = {}
        for name in random.choice(names, random.integers(1, 4), replace=False):
            unit = np.spacing(np.float32(abs(best.constants[name])))
            steps = random.integers(1, 2 ** random.integers(1, LARGEST_STEP + 1))
            changed[name] = float(
                np.float32(best.constants[name]) + np.float32(steps * random.choice([-1, 1])) * unit
            )
        new = best.with_constants(changed)
        count = int(trials.wrong(new, expected, bound).sum())
        if count <= left:
            improved = tried if count < left else improved
            best, left = new, count
    if 0 < left <= MOST_PATCHES:
        best = patched(best, expected, trials.wrong(best, expected, bound))
    return Try(rung, best, start, left, tried)


def patched(program: Program, expected: Expected, wrong: Mask) -> Program:
    """List the correctly rounded results of some inputs."""

    def bits(numbers: Any) -> list[int]:
        return [int(each) for each in np.asarray(numbers, np.float32).view(np.uint32)]

    results = expected.numbers(expected.results[wrong])
    return program.patched([*zip(bits(expected.x[wrong]), bits(results), strict=True)])
