"""The library's front door: GELU and its gradient on numbers and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from gelu_cli.activations import find_form
from gelu_cli.analysis.evaluate import evaluate
from gelu_cli.arithmetic.formats import FLOAT64, FORMATS, Format

if TYPE_CHECKING:
    import numpy as np

    Array = TypeVar("Array", bound=np.ndarray[Any, Any])


@overload
def gelu(x: float, approximate: str = "none") -> float: ...
@overload
def gelu(x: Array, approximate: str = "none") -> Array: ...
def gelu(x: Any, approximate: str = "none") -> Any:
    """Return GELU(x) = x·Φ(x), or another form of it, correctly rounded.

    `x` is a number or an array of any shape, of float64, float32, float16 or one of ml_dtypes'
    bfloat16, float8_e4m3fn and float8_e5m2; the result has the same shape and dtype. Integers
    are taken as float64. `approximate` names the form as the frameworks or `gelu forms` do:
    "none", "tanh", "sigmoid", "quick_gelu", …

    Raises TypeError for any other dtype, ValueError for an unknown form. Source: Hendrycks &
    Gimpel, arXiv:1606.08415.

    >>> gelu(-1.0), gelu(-1.0, approximate="tanh")
    (-0.15865525393145705, -0.1588080093917233)
    >>> import numpy as np
    >>> gelu(np.array([[0.5], [1.0]], dtype=np.float32))
    array([[0.34573123],
           [0.8413448 ]], dtype=float32)
    """
    return _apply(x, approximate, "value")


@overload
def gelu_gradient(x: float, approximate: str = "none") -> float: ...
@overload
def gelu_gradient(x: Array, approximate: str = "none") -> Array: ...
def gelu_gradient(x: Any, approximate: str = "none") -> Any:
    """Return GELU′(x) = Φ(x) + x·φ(x), or another form's derivative, correctly rounded.

    Arguments, result and errors are those of `gelu`. At a kink (ReLU at 0) the gradient is what
    the frameworks have there.

    >>> gelu_gradient(0.0), gelu_gradient(0.0, approximate="relu")
    (0.5, 0.0)
    """
    return _apply(x, approximate, "gradient")


def _apply(x: Any, approximate: str, quantity: str) -> Any:
    form = find_form(approximate)

    def at(point: float, rounding: Format) -> float:
        (result,) = evaluate(form, [quantity], point, rounding)
        return float(result)

    if isinstance(x, (int, float)) and not hasattr(x, "dtype"):
        return at(float(x), FLOAT64)

    import numpy as np

    array = np.asarray(x)
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype.name not in FORMATS:
        raise TypeError(f"gelu takes {', '.join(FORMATS)} or integers, not {array.dtype.name}")
    # Each bit pattern is computed once: unlike ==, patterns tell −0 from 0 and NaN from nothing.
    patterns = np.ascontiguousarray(array, dtype=np.float64).reshape(-1).view(np.uint64)
    distinct, where = np.unique(patterns, return_inverse=True)
    rounding = FORMATS[array.dtype.name]
    results = [at(point, rounding) for point in distinct.view(np.float64).tolist()]
    return np.array(results, dtype=np.float64)[where].astype(array.dtype).reshape(array.shape)[()]
