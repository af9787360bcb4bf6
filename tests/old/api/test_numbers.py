"""A number at a time is computed on another way than arrays: with the same digits."""

import math
import random
import struct

import numpy as np
import pytest

from gelu_cli import gelu, gelu_gradient
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.formulas import all_forms
from gelu_cli.old.values.evaluate_arrays import evaluate_many

EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    3.0,
    -3.0,
    5e-324,
    -5e-324,
    1.7e308,
    -1e300,
    -38.57,
    math.inf,
    -math.inf,
]


@pytest.mark.parametrize("name", all_forms())
def test_single_numbers_are_those_of_arrays(name):
    rng = random.Random(name)
    x = [rng.uniform(-40, 10) for _ in range(8)]
    x += [struct.unpack("d", rng.randbytes(8))[0] for _ in range(6)] + EDGES
    for function, quantity in ((gelu, "value"), (gelu_gradient, "gradient")):
        (want,) = evaluate_many(all_forms()[name], [quantity], np.array(x), FLOAT64, 1)
        assert list(map(repr, (function(each, name) for each in x))) == list(
            map(repr, want.tolist())
        )
        few = function(np.array(x[:5]), name)
        assert few.tolist() == want[:5].tolist()
