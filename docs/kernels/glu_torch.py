"""Gated linear units of PyTorch, for docs/glu.md: compositions of its operators.

gelu sweep glu_torch.py:swiglu --glu --form silu --dtype bfloat16 --intermediate bfloat16
"""

import torch
from torch.nn import functional


def geglu(gate, up):
    """Return GELU(gate)·up: two operators, each rounds."""
    return functional.gelu(gate) * up


def geglu_tanh(gate, up):
    """Return the same with the tanh form."""
    return functional.gelu(gate, approximate="tanh") * up


def swiglu(gate, up):
    """Return SiLU(gate)·up."""
    return functional.silu(gate) * up


def swiglu_oss(gate, up):
    """Return GPT-OSS's clamped SwiGLU, an operator after another."""
    gate, up = gate.clamp(max=7.0), up.clamp(min=-7.0, max=7.0)
    return (up + 1) * (gate * torch.sigmoid(gate * 1.702))
