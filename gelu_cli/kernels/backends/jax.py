"""JAX's arrays; gradients are jax.grad's.

numpy converts the numbers: JAX computes in threads of its own, which flush subnormal ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gelu_cli.arithmetic.formats import Format
from gelu_cli.kernels.backends import equal
from gelu_cli.kernels.backends.numpy import dtype_of

if TYPE_CHECKING:
    from gelu_cli.arithmetic.rounding import Floats
    from gelu_cli.kernels.backends import Function


def to_array(x: Floats, number_format: Format) -> Any:
    """Return an array of that format."""
    import jax  # type: ignore[import-not-found, unused-ignore]

    jax.config.update("jax_enable_x64", number_format.width == 64)
    return jax.numpy.array(x.astype(dtype_of(number_format)))  # a copy: asarray may share memory


def gradient(function: Function, array: Any) -> Any:
    """Return the derivative at each x."""
    import jax

    return jax.grad(lambda inputs: function(inputs).sum())(array)


def same(one: Any, other: Any) -> bool:
    """Return whether two arrays hold the same bits; one given away for the result holds none."""
    return not one.is_deleted() and equal(one, other)
