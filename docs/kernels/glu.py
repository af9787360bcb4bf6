"""Gated linear units as arrays of numpy, for docs/pairs.md: how products and clamps are rounded.

gelu sweep glu.py:geglu --glu --dtype bfloat16 --range=-4:8 --up=0.5,-3
gelu sweep glu.py:geglu_twice --glu --dtype bfloat16 --range=-4:8 --intermediate bfloat16
"""

import numpy as np
from scipy.special import erf, expit


def _gelu(x):
    return x / 2 * (1 + erf(x / np.sqrt(2)))


def geglu(gate, up):
    """Return GELU(gate)·up, computed in float64 and rounded once."""
    return (_gelu(gate.astype(np.float64)) * up.astype(np.float64)).astype(gate.dtype)


def geglu_twice(gate, up):
    """Return GELU(gate) rounded, times up: as frameworks compute it, an operation after another."""
    return _gelu(gate.astype(np.float64)).astype(gate.dtype) * up


def liger_geglu(x):
    """Return Liger's GEGLU, gates and ups in halves: the form in float32, rounded, times up."""
    gate, up = np.split(x, 2, axis=-1)
    wide = gate.astype(np.float32)
    return (np.float32(0.5) * wide * (1 + np.tanh(_inner(wide)))).astype(x.dtype) * up


def liger_geglu_backward(upstream, gate, up):
    """Return the gradients of both inputs as Liger's GEGLU has them."""
    wide, t = gate.astype(np.float32), np.tanh(_inner(gate.astype(np.float32)))
    value = (np.float32(0.5) * wide * (1 + t)).astype(gate.dtype)
    slope = np.float32(0.7978845608028654) * (1 + np.float32(3 * 0.044715) * wide * wide)
    slope = np.float32(0.5) * (1 + t) + np.float32(0.5) * wide * (1 - t * t) * slope
    dgate = (upstream * up).astype(np.float32) * slope
    return dgate.astype(gate.dtype), (upstream * value).astype(gate.dtype)


def liger_swiglu(gate, up):
    """Return Liger's SwiGLU: the form in float32, rounded, times up."""
    wide = gate.astype(np.float32)
    return (wide * expit(wide)).astype(gate.dtype) * up


def liger_swiglu_backward(upstream, gate, up):
    """Return the gradients of both inputs as Liger's SwiGLU has them."""
    wide = gate.astype(np.float32)
    s = expit(wide)
    dgate = upstream.astype(np.float32) * (wide * s * (1 - s) + s) * up.astype(np.float32)
    return dgate.astype(gate.dtype), (upstream.astype(np.float32) * wide * s).astype(gate.dtype)


def _inner(x):
    return np.float32(0.7978845608028654) * (x + np.float32(0.044715) * x * x * x)


def swiglu_oss(gate, up):
    """Return GPT-OSS's clamped SwiGLU, (up + 1)·gate·σ(1.702·gate), computed in float64."""
    gate, up = np.minimum(gate.astype(np.float64), 7), np.clip(up.astype(np.float64), -7, 7)
    return ((up + 1) * gate / (1 + np.exp(-1.702 * gate))).astype(np.float32)


def swiglu_oss_unclamped(gate, up):
    """Return the same without its clamps, as a port had it."""
    wide, other = gate.astype(np.float64), up.astype(np.float64)
    return ((other + 1) * wide / (1 + np.exp(-1.702 * wide))).astype(np.float32)
