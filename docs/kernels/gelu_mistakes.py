"""What a test should notice: wrong kernels, for float16. docs/criteria.md sweeps them."""

import numpy as np
from scipy.special import erfc


def gelu(x):
    """Return GELU, computed in float64 and rounded."""
    wide = x.astype(np.float64)
    return (wide * erfc(-wide / np.sqrt(2)) / 2).astype(x.dtype)


def relu(x):
    """Return another activation."""
    return np.maximum(x, 0)


def sigmoid(x):
    """Return the sigmoid form, x·σ(1.702x)."""
    with np.errstate(over="ignore"):
        return (x / (1 + np.exp(-1.702 * x.astype(np.float64)))).astype(x.dtype)


def bad_binade(x):
    """Return GELU, and 0 from −4 to −2."""
    return np.where((x >= -4) & (x < -2), 0, gelu(x)).astype(x.dtype)


def nan_at_0(x):
    """Return GELU, and NaN at 0."""
    return np.where(x == 0, np.nan, gelu(x)).astype(x.dtype)


def tanh(x):
    """Return the tanh form, ½x·(1 + tanh(√(2/π)·(x + 0.044715x³)))."""
    wide = x.astype(np.float64)
    with np.errstate(over="ignore"):
        return (wide / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))).astype(
            x.dtype
        )
