"""The search for the cheapest degrees that keep a bound everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gelu_cli.formulas import Form
from gelu_cli.making.c_text import CONSTANTS, c_text, trial_text
from gelu_cli.making.compilers import Compiler, Function
from gelu_cli.making.operations import Program
from gelu_cli.making.proofs import HALF_ULP, EveryFloat32, Expected, Mask
from gelu_cli.making.schemes import Rung, Scheme, ladder, saturation
from gelu_cli.numbers import FORMATS
from gelu_cli.numbers.units import in_units_array

TRIALS = 3000
"""Changes of coefficients that are tried on one rung; 1 ms each."""

PATIENCE = 500
"""Trials without an improvement that end a search."""

MOST_OF_FLOAT32 = 32
"""Inputs of float32 that may be patched."""

SAMPLE = 1 << 16
HOPELESS = 40
"""Wrong inputs of interpolating polynomials that are not worth a search."""

MOST_PATCHES = 4
LARGEST_STEP = 5
"""A coefficient changes by up to 2⁵ − 1 units in its last place."""

FUSED = ["-O3", "-march=native", "-DGELU_FMA=1"]
APART = ["-O3", "-march=native", "-DGELU_FMA=0", "-ffp-contract=off"]
"""Flags of the two ways to compute a·b + c; a kernel must be right by both."""


@dataclass(frozen=True)
class Try:
    """The result of one rung.

    Attributes
    ----------
    rung, program
        The degrees, and the best kernel with patches, if there are few.
    start, left
        Inputs beyond the bound with interpolating polynomials, and after the search.
    trials
        Changes of coefficients that were tried.
    most
        Number of inputs that may be patched.
    """

    rung: Rung
    program: Program
    start: int
    left: int
    trials: int
    most: int = MOST_PATCHES

    @property
    def holds(self) -> bool:
        """True if every input that is left can be patched."""
        return self.left <= self.most


def climb_ladder(
    expected: Expected,
    bound: float,
    compiler: Compiler,
    folder: Path,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Try]:
    """Try one rung after the other, until one holds."""
    form, quantity, to = expected.form, expected.quantity, expected.to
    rungs, reach = ladder(form, to), saturation(form, quantity, to)
    for number, rung in enumerate(rungs):
        watch(number, len(rungs))
        first = Scheme(to, reach, rung).program(form, quantity)
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
        """Mark inputs that exceed the bound, fused or not."""
        wrong = np.zeros(self.patterns.shape, bool)
        for function, constants in self.libraries:
            constants[:] = list(program.constants.values())
            wrong |= expected.wrong(function(self.patterns, self.results), bound)
        return wrong


def _climb(first: Program, rung: Rung, expected: Expected, bound: float, trials: Trials) -> Try:
    """Change coefficients by ulps as long as fewer inputs are wrong."""
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
    return program.patched(_bits(expected.x[wrong], expected.numbers(expected.results[wrong])))


def _bits(x: Any, y: Any) -> list[tuple[int, int]]:
    """Pair bit patterns of float32s."""
    pairs = np.array([x, y], np.float32).view(np.uint32).T.tolist()
    return [(first, second) for first, second in pairs]


def climb_wide(
    form: Form,
    quantity: str,
    bound: float,
    measured: EveryFloat32,
    compiler: Compiler,
    folder: Path,
) -> Iterator[Try]:
    """Try degrees for float32 on a sample, then on all numbers."""
    to = FORMATS["float32"]
    reach, rungs = saturation(form, quantity, to), ladder(form, to)
    for rung in rungs if bound > HALF_ULP else rungs[-1:]:  # of misrounded ones no sample tells
        kernel = Scheme(to, reach, rung).program(form, quantity)
        text = c_text(kernel, "f", "float32")
        functions = [Function(compiler.build(text, folder, each), "f") for each in (FUSED, APART)]
        left, most = max(_beyond(form, quantity, bound, reach, each) for each in functions), 0
        if not left:  # one of the sample stands for 20,000
            beyond = {pair for each in functions for pair in measured.verdict(each)[1][3]}
            left, most = len(beyond), MOST_OF_FLOAT32
            if 0 < left <= most:
                kernel = kernel.patched(_bits(*zip(*sorted(beyond), strict=True)))
        found = Try(rung, kernel, left, left, 0, most)
        yield found
        if found.holds:
            return


def _beyond(form: Form, quantity: str, bound: float, reach: float, function: Function) -> int:
    """Count inputs beyond the bound: uniform ones, and in all binades."""
    to, random = FORMATS["float32"], np.random.default_rng(1)
    spread = np.exp(random.uniform(math.log(2.0**to.emin), math.log(reach), SAMPLE))
    both = np.concatenate([random.uniform(-reach, reach, SAMPLE), spread, -spread])
    x = both.astype(np.float32)
    m, low, exponent, _ = in_units_array(form, quantity, x.astype(np.float64), to)
    errors = np.abs(np.ldexp(function(x).astype(np.float64), -exponent) - m - low)
    return int((errors > bound).sum())
