"""Search for the first rung of a ladder whose kernel keeps an error bound.

A rung is the degrees of a kernel's polynomials; a ladder lists rungs, few operations first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gelu_cli.making.builds import Compiler, Function
from gelu_cli.making.proofs import HALF_ULP, EveryFloat32, Expected, Mask
from gelu_cli.making.schemes import Rung, Scheme, ladder, saturation
from gelu_cli.making.writers import CONSTANTS, Program, c_text, trial_text
from gelu_cli.numbers import FORMATS

TRIALS, PATIENCE = 3000, 500  # most trials on a rung, and in a row without improvement
STEP_BITS = 5  # a trial changes coefficients by up to 2⁵ − 1 units in the last place
MOST_WRONG = 40  # no trials if interpolating polynomials are wrong at more inputs
MOST_PATCHES, MOST_OF_FLOAT32 = 4, 32  # most inputs with stored results: 16 bits, float32
SAMPLE = 1 << 16

Watch: TypeAlias = Callable[[int, int], None]

# Flags by which a·b + c is rounded once, or twice; a kernel must keep its bound with both.
FUSED = ["-O3", "-march=native", "-DGELU_FMA=1"]
APART = ["-O3", "-march=native", "-DGELU_FMA=0", "-ffp-contract=off"]


@dataclass(frozen=True)
class Try:
    """The result of one rung.

    `program` is the best kernel; if at most `most` inputs are wrong, it stores their results.
    `before` and `left` are the numbers of inputs whose errors exceed the bound before and after the
    search; `trials` is the number of changes of coefficients that were tried.
    """

    rung: Rung
    program: Program
    before: int
    left: int
    trials: int
    most: int = MOST_PATCHES

    @property
    def holds(self) -> bool:
        """True if the results of all inputs that are left can be stored."""
        return self.left <= self.most


def climb_ladder(
    expected: Expected,
    bound: float,
    compiler: Compiler,
    folder: Path,
    watch: Watch,
) -> Iterator[Try]:
    """Try the rungs for a 16-bit format in turn, until a rung holds."""
    form, quantity, to = expected.form, expected.quantity, expected.to
    rungs, reach = ladder(form, to), saturation(form, quantity, to)
    for number, rung in enumerate(rungs):
        watch(number, len(rungs))
        first = Scheme(to, reach, rung).program(form, quantity)
        text = trial_text(first, "f", to.name)
        functions = [Function(compiler.build(text, folder, each), "f") for each in (FUSED, APART)]
        found = _climb(first, rung, partial(_wrong, expected, bound, functions))
        if 0 < found.left <= MOST_PATCHES:
            wrong = _wrong(expected, bound, functions, found.program)
            right = expected.numbers(expected.results[wrong])
            found = replace(found, program=found.program.patched(_bits(expected.x[wrong], right)))
        yield found
        if found.holds:
            return


def _wrong(
    expected: Expected, bound: float, functions: Sequence[Function], program: Program
) -> Mask:
    """Mark inputs at which errors with or without fusion exceed the bound."""
    wrong = np.zeros(expected.patterns.shape, bool)
    for function in functions:
        function.floats(CONSTANTS, len(program.constants))[:] = list(program.constants.values())
        wrong |= expected.wrong(function(expected.patterns), bound)
    return wrong


def _climb(first: Program, rung: Rung, wrong: Callable[[Program], Mask]) -> Try:
    """Change coefficients by ulps; keep a change unless more inputs are wrong."""
    random = np.random.default_rng(1)
    best, names = first, first.coefficients
    before = left = int(wrong(best).sum())
    tried = improved = 0
    while left and before <= MOST_WRONG and tried < min(TRIALS, improved + PATIENCE):
        tried += 1
        changed = {}
        for name in random.choice(names, random.integers(1, 4), replace=False):
            value = np.float32(best.constants[name])
            steps = random.integers(1, 2 ** random.integers(1, STEP_BITS + 1))
            signed = np.float32(steps * random.choice([-1, 1]))
            changed[name] = float(value + signed * np.spacing(abs(value)))
        new = best.with_constants(changed)
        count = int(wrong(new).sum())
        if count <= left:
            improved = tried if count < left else improved
            best, left = new, count
    return Try(rung, best, before, left, tried)


def _bits(x: Any, y: Any) -> list[tuple[int, int]]:
    """Pair the bit patterns of x and y as float32s."""
    pairs = np.array([x, y], np.float32).view(np.uint32).T.tolist()
    return [(first, second) for first, second in pairs]


def climb_wide(
    measured: EveryFloat32, bound: float, compiler: Compiler, folder: Path, watch: Watch
) -> Iterator[Try]:
    """Try rungs for float32, first on a sample, then at every input."""
    form, quantity, to = measured.special.form, measured.special.quantity, measured.special.to
    reach, rungs = saturation(form, quantity, to), ladder(form, to)
    sample = Expected(form, quantity, to, _sample(reach))
    if bound <= HALF_ULP:
        rungs = rungs[-1:]  # no sample excludes misrounding, and all inputs take minutes
    for number, rung in enumerate(rungs):
        watch(number, len(rungs))
        kernel = Scheme(to, reach, rung).program(form, quantity)
        text = c_text(kernel, "f", "float32")
        functions = [Function(compiler.build(text, folder, each), "f") for each in (FUSED, APART)]
        left = max(int((sample.errors(f(sample.patterns)) > bound).sum()) for f in functions)
        most = 0
        if not left:  # the sample has one in 20,000 inputs
            beyond = {pair for each in functions for pair in measured.verdict(each)[1][3]}
            left, most = len(beyond), MOST_OF_FLOAT32
            if 0 < left <= most:
                kernel = kernel.patched(_bits(*zip(*sorted(beyond), strict=True)))
        found = Try(rung, kernel, left, left, 0, most)
        yield found
        if found.holds:
            return


def _sample(reach: float) -> Any:
    """Draw float32s, uniform in x and uniform in log |x|, as bit patterns."""
    random, least = np.random.default_rng(1), 2.0 ** FORMATS["float32"].emin
    spread = np.exp(random.uniform(np.log(least), np.log(reach), SAMPLE))
    both = np.concatenate([random.uniform(-reach, reach, SAMPLE), spread, -spread])
    return both.astype(np.float32).view(np.uint32)
