"""Tests with the fixture of gelu's plugin for pytest. docs/budgets.md runs them."""

from gelu_mistakes import tanh


def test_tanh(gelu_sweep):
    """The kernel keeps its bounds."""
    gelu_sweep(tanh, dtype="float16", form="exact", low=-1, high=1)
