"""GELU's tanh form in numpy, with a flaw of many vectorised kernels: a tail of its own.

    gelu sweep gelu_tail.py:gelu --dtype float16 --range 1:1.9 --form tanh --shapes

Vectors of 8 numbers are computed in float64, what is left of a block in the format of x.
"""

import numpy as np


def gelu(x):
    """Return ½x·(1 + tanh u), computed in two ways."""
    whole = len(x) // 8 * 8
    vectors = tanh_form(x[:whole].astype(np.float64)).astype(x.dtype)
    return np.concatenate([vectors, tanh_form(x[whole:])])


def tanh_form(x):
    """Return ½x·(1 + tanh u), u = √(2/π)·(x + 0.044715x³), in the format of x."""
    c = x.dtype.type
    return c(0.5) * x * (1 + np.tanh(c(np.sqrt(2 / np.pi)) * (x + c(0.044715) * x * x * x)))
