"""Changes of a block W₂·f(W₁x + b₁) + b₂ by another form or format.

`changes` measures the change of the output and of the gradient, `noise` the rounding noise of a
format, with which changes are compared.
"""

from gelu_cli.network.changes import Change, change
from gelu_cli.network.rounding_noise import DIGITS, noise

__all__ = ["DIGITS", "Change", "change", "noise"]
