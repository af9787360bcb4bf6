"""Runs of consecutive float32s to test: inputs, and the truth that polynomials give for them."""

import math
from functools import cache, lru_cache

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import ordinal
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.sweeping.runs import BINADE, RUN, Side
from gelu_cli.old.sweeping.truth import Question, truth_at
from tests.old.values.points import form_of

FLOAT32 = FORMATS["float32"]
RUNS = BINADE // RUN
WHOLE = slice(0, RUN)
FIELDS = [0, 1, 2, 6, 7, 8, 30, 100, 115, 120, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133,
          140, 254]  # fmt: skip
"""Exponent fields: subnormals, where ties end, all that GELUs do, where they are done."""


def question_of(case, quantity="value"):
    return Question(form_of(case), quantity, FLOAT32)


@lru_cache(maxsize=200)
def side_of(case, quantity, sign):
    return Side(question_of(case, quantity), sign)


@cache
def truth_of(case, quantity, sign, field, number):
    return side_of(case, quantity, sign).run(field, number)


def truths(case, quantity, sign, field):
    """The truth for the runs of a binade, in the order of the patterns."""
    return [truth_of(case, quantity, sign, field, number) for number in range(RUNS)]


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
        truth = truth_of(case, quantity, sign, field, number)
        if truth is not None:
            found += 1
            yield inputs(sign, field, number), truth


def moved_by(number_format, y, steps):
    """Return the number so many steps from another, which stays what it is if it is none."""
    if not math.isfinite(y):
        return y
    place = ordinal(number_format, y) + steps
    most = number_format.bits(number_format.largest)
    return math.copysign(number_format.number(min(abs(place), most)), place)


def results_near(question, x, generator, kind):
    """Return rounded results, some of them spoilt."""
    got = truth_at(question, x.astype(np.float64)).want
    if kind != "right":
        some = np.flatnonzero(generator.random(len(x)) < (0.05 if kind == "noisy" else 0.002))
        steps = generator.choice([-300, -5, -3, -1, 1, 2, 70], len(some)).tolist()
        spoilt = zip(got[some].tolist(), steps, strict=True)
        got[some] = [moved_by(question.result, *each) for each in spoilt]
    if kind == "broken":
        flipped, places = generator.integers(0, len(x), (2, 6))
        got[flipped] = -got[flipped]
        got[places] = [np.nan, np.inf, -np.inf, 0.0, -0.0, question.result.largest]
    return got.astype(np.float32)
