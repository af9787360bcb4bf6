"""Runs of consecutive float32s to test: inputs, and the truth that polynomials give for them."""

from functools import lru_cache

import numpy as np

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.kernels.fitting import truth_by_runs
from gelu_cli.kernels.runs import RUN, RUNS
from gelu_cli.kernels.truth import Question
from tests.values.points import form_of

FLOAT32 = FORMATS["float32"]
WHOLE = slice(0, RUN)
FIELDS = [0, 1, 2, 6, 7, 8, 30, 100, 115, 120, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133,
          140, 254]  # fmt: skip
"""Exponent fields: subnormals, where ties end, all that GELUs do, where they are done."""


def question_of(case, quantity="value"):
    return Question(form_of(case), quantity, FLOAT32)


@lru_cache(maxsize=200)
def truths(case, quantity, sign, field):
    return truth_by_runs(question_of(case, quantity), sign, field)


def inputs(sign, field, number):
    bits = np.arange(RUN, dtype=np.uint32) + np.uint32((field << 23) + number * RUN)
    return (bits | np.uint32(0x8000_0000 if sign < 0 else 0)).view(np.float32)


def some_runs(case, quantity, count, seed, fields=FIELDS):
    """Yield (inputs, truth) for so many runs that have a polynomial or a line."""
    generator = np.random.default_rng([seed, *map(ord, case + quantity)])
    found = 0
    while found < count:
        sign, field = int(generator.choice([1, -1])), int(generator.choice(fields))
        number = int(generator.integers(RUNS))
        truth = truths(case, quantity, sign, field)[number]
        if truth is not None:
            found += 1
            yield inputs(sign, field, number), truth
