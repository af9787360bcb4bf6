"""GELU and its derivative on numbers and arrays, each result correctly rounded in its own type."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, TypeVar, overload

from flint import acb

from gelu_cli.old.api.arguments import FormWord, form_of
from gelu_cli.old.arithmetic.balls import BALLS, working
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.environment import standard_environment
from gelu_cli.old.formulas import ORDERS, Form
from gelu_cli.old.parallel import available_cores
from gelu_cli.old.values.evaluate import evaluate

T = TypeVar("T")

BITS = 96
"""Of balls around a float64: few results are so near to the middle of two that more are needed."""

FEW = 24
"""So many numbers are computed one by one as fast as together."""


@overload
def gelu(x: float, approximate: FormWord = "none") -> float: ...
@overload
def gelu(x: T, approximate: FormWord = "none") -> T: ...
@standard_environment()
def gelu(x: Any, approximate: FormWord = "none") -> Any:
    """Return GELU(x) = x·Φ(x), or another form of it, correctly rounded.

    `x` is a number or an array of any shape, of float64, float32, float16 or one of ml_dtypes'
    bfloat16, float8_e4m3fn and float8_e5m2; the result has the same shape and dtype. A tensor of
    PyTorch, an array of JAX, a Series or a DataFrame comes back as what it was, where it was;
    integers and lists are taken as float64. `approximate` names the form as the frameworks or
    `gelu forms` do: "none", "tanh", "quick_gelu", "sigmoid:beta=1.6", …

    Raises TypeError for any other dtype, ValueError for an unknown form, OverflowError for an int
    beyond float64. Source: Hendrycks & Gimpel, arXiv:1606.08415.

    >>> gelu(-1.0), gelu(-1.0, approximate="tanh")
    (-0.15865525393145705, -0.1588080093917233)
    >>> import numpy as np
    >>> gelu(np.array([[0.5], [1.0]], dtype=np.float32))
    array([[0.34573123],
           [0.8413448 ]], dtype=float32)
    """
    return _apply(x, approximate, "value")


@overload
def gelu_gradient(x: float, approximate: FormWord = "none") -> float: ...
@overload
def gelu_gradient(x: T, approximate: FormWord = "none") -> T: ...
@standard_environment()
def gelu_gradient(x: Any, approximate: FormWord = "none") -> Any:
    """Return GELU′(x) = Φ(x) + x·φ(x), or another form's derivative, correctly rounded.

    Arguments, result and errors are those of `gelu`. At a kink (ReLU at 0) the gradient is what
    the frameworks have there.

    >>> gelu_gradient(0.0), gelu_gradient(0.0, approximate="relu")
    (0.5, 0.0)
    """
    return _apply(x, approximate, "gradient")


def _apply(x: Any, approximate: FormWord, quantity: str) -> Any:
    form = form_of("approximate", approximate)
    if isinstance(x, (int, float)) and not hasattr(x, "dtype"):
        return _one_by_one(form, quantity, [float(x)])[0]
    from gelu_cli.old.api.containers import taken_apart

    points, number_format, put_back = taken_apart(x)
    import numpy as np

    from gelu_cli.old.values.evaluate_arrays import evaluate_many

    flat = points.reshape(-1)
    if len(flat) <= FEW and number_format is FLOAT64:
        few = np.array(_one_by_one(form, quantity, flat.tolist()))
        return put_back(few.reshape(points.shape))
    (results,) = evaluate_many(form, [quantity], flat, number_format, available_cores())
    return put_back(results.reshape(points.shape))


def _one_by_one(form: Form, quantity: str, points: Sequence[float]) -> list[float]:
    """Return a quantity at points: the float64 that both ends of a ball round to, or `evaluate`'s.

    What lies between them then rounds to it too. Arb is several times as fast as `evaluate`, which
    also knows limits, ties and the signs of zeros.
    """
    found, order = [], ORDERS[quantity]
    with working(BITS):
        for x in points:
            low, high = 0.0, 0.0
            if isfinite(x):
                y = getattr(form.evaluate(BALLS, acb(x), Fraction(x), order), quantity).real
                low, high = float(y.lower()), float(y.upper())
            sure = low == high != 0
            found.append(low if sure else float(evaluate(form, [quantity], x, FLOAT64)[0]))
    return found
