"""A backward pass of GELU in its tanh form, for arrays of numpy: (upstream, x) → dx.

gelu sweep gelu_backward.py:gelu_backward --backward --up 2 --form tanh --dtype float16
"""

import numpy as np


def gelu_backward(upstream, x):
    """Return upstream·f′(x), f′ = s + 2x·s·(1 − s)·u′ with s = σ(2u), rounded before as well."""
    z = x.astype(np.float64)
    s = 1 / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
    slope = s + 2 * z * s * (1 - s) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * z**2)
    return upstream * slope.astype(x.dtype)
