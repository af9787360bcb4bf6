"""MLX's GELU on Apple silicon, for arrays of numpy in float32 and float16.

gelu sweep gelu_mlx.py:gelu
"""

import mlx.core as mx
import numpy as np
from mlx import nn


def gelu(x):
    """Take an array to MLX, and the results back."""
    return np.array(nn.gelu(mx.array(x)))
