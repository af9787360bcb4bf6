"""Gated linear units of JAX, for docs/glu.md: compositions of its functions.

gelu sweep glu_jax.py:swiglu --glu --form silu --dtype bfloat16 --intermediate bfloat16
"""

import jax


def geglu(gate, up):
    """Return GELU(gate)·up with the tanh form, JAX's default: each function rounds."""
    return jax.nn.gelu(gate) * up


def swiglu(gate, up):
    """Return SiLU(gate)·up."""
    return jax.nn.silu(gate) * up
