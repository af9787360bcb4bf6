"""A backward pass of GELU in its tanh form, for arrays of numpy: (upstream, x) → dx.

gelu sweep --impl gelu_backward.py:gelu_backward --backward own --upstream 2 \
    --quantity gradient --target tanh --dtype float16
"""

import numpy as np


def gelu_backward(upstream, x):
    """Return upstream·f′(x), f′ = (1 + t)/2 + x·(1 − t²)·u′/2 with t = tanh u, in float32."""
    z, above = x.astype(np.float32), upstream.astype(np.float32)
    t = np.tanh(np.float32(0.7978845608) * (z + np.float32(0.044715) * z**3))
    slope = np.float32(0.7978845608) * (1 + np.float32(3 * 0.044715) * z**2)
    return (above * (0.5 * (1 + t) + 0.5 * z * (1 - t * t) * slope)).astype(x.dtype)
