"""A function such as users have: GELU by a logistic function, in the arithmetic of its argument."""

import numpy as np


def rough(x: np.ndarray) -> np.ndarray:
    """Return x·σ(1.702·x)."""
    return x / (1 + np.exp(x.dtype.type(-1.702) * x))
