"""GELU and its derivative, correctly rounded in the dtype of x."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from gelu_cli.formulas import Form
from gelu_cli.inputs.names import FormLike, to_form
from gelu_cli.inputs.numbers import to_float
from gelu_cli.numbers import FLOAT64, FORMATS, Format, evaluate

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

Opened: TypeAlias = "tuple[np.ndarray, Format, Callable[[np.ndarray], Any]]"
"""(Float64s from a container, their format, function that puts results in a new container)."""


def gelu(x: T, approximate: FormLike = "none") -> T:
    """Compute GELU(x) = x·Φ(x) or an approximation, correctly rounded.

    Parameters
    ----------
    x
        A number, or an array, tensor, Series or DataFrame of any shape and of dtype float64,
        float32, float16, bfloat16, float8_e4m3fn or float8_e5m2. Integers and lists become
        float64s.
    approximate
        `none`, `tanh` or `sigmoid`, as in frameworks, or another form, as `"tanh:c=0.044"`.

    Returns
    -------
    float or array
        Results with the shape, dtype and device of `x`, detached from autograd, in its container
        (numpy, torch, jax, pandas); a numpy array for other containers.

    Raises
    ------
    TypeError
        If `x` has another dtype.
    UsageError
        If `approximate` is unknown. A UsageError is a ValueError.

    References
    ----------
    D. Hendrycks and K. Gimpel, Gaussian Error Linear Units, 2016, arXiv:1606.08415.

    Examples
    --------
    >>> gelu(-1.0), gelu(-1.0, approximate="tanh")
    (-0.15865525393145705, -0.1588080093917233)
    >>> import numpy as np
    >>> gelu(np.array([[0.5], [1.0]], dtype=np.float32))
    array([[0.34573123],
           [0.8413448 ]], dtype=float32)
    """
    found: T = _apply(x, approximate, "value")
    return found


def gelu_gradient(x: T, approximate: FormLike = "none") -> T:
    """Compute GELU′(x) = Φ(x) + x·φ(x), or an approximation's derivative.

    Parameters, results and errors are those of `gelu`. At a kink the gradient is that of
    frameworks: 0 for ReLU at 0.

    Examples
    --------
    >>> gelu_gradient(0.0), gelu_gradient(0.0, approximate="relu")
    (0.5, 0.0)
    """
    found: T = _apply(x, approximate, "gradient")
    return found


def _apply(x: Any, approximate: FormLike, quantity: str) -> Any:
    if not isinstance(approximate, str | Form):
        raise TypeError(f"approximate is {approximate!r}; pass 'none', 'tanh' or 'sigmoid'")
    form = to_form(approximate)
    if type(x) in (int, float):
        return evaluate(form, [quantity], to_float(x), FLOAT64)[0]
    from gelu_cli.numbers.arrays import evaluate_array  # imports numpy

    numbers, number_format, put_back = _opened(x)
    found = evaluate_array(form, quantity, numbers.ravel(), number_format)
    return put_back(found.reshape(numbers.shape))


def _opened(x: Any) -> Opened:
    """Take the numbers out of a container; integers become float64s."""
    library = type(x).__module__.partition(".")[0]
    if library == "torch":
        return _tensor(x)
    import numpy as np

    array = np.asarray(x)
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    number_format = _format(array.dtype.name)
    with np.errstate(invalid="ignore"):  # no warning for signalling NaNs
        numbers = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)

    def put_back(results: np.ndarray) -> Any:
        found = results.astype(array.dtype)
        if library == "pandas":
            labels = {"columns": x.columns} if x.ndim == 2 else {"name": x.name}
            labels |= {"index": x.index} if hasattr(x, "index") else {}
            return type(x)(found, **labels)
        if library in ("jax", "jaxlib"):
            import jax

            return jax.device_put(found, x.sharding)
        return found[()]

    return numbers, number_format, put_back


def _tensor(x: Any) -> Opened:
    import torch

    is_real = x.dtype.is_floating_point or x.dtype.is_complex
    dtype = x.dtype if is_real else torch.float64
    number_format = _format(str(dtype).removeprefix("torch."))
    # numpy has no bfloat16; each number of these formats is exact in float64.
    numbers = x.detach().cpu().to(torch.float64).contiguous().numpy()
    return numbers, number_format, lambda found: torch.from_numpy(found).to(dtype).to(x.device)


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise TypeError(f"gelu takes {', '.join(FORMATS)} or integers, not {name}")
    return FORMATS[name]
