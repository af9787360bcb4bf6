"""What arguments of the public functions are: numbers, forms and formats, checked where they enter.

An argument of the wrong kind is a TypeError, one that cannot be meant a ValueError.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from math import isfinite
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

from gelu_cli.errors import UsageError, briefly, unknown
from gelu_cli.old.arithmetic import Rounding
from gelu_cli.old.arithmetic.formats import FORMATS, Format, find_format
from gelu_cli.old.arithmetic.typed import MOST_DIGITS, Number, parse_number, real_number
from gelu_cli.old.formulas import Form, find_form
from gelu_cli.old.formulas.form import QUANTITIES
from gelu_cli.old.reading.names import parse_form
from gelu_cli.old.values.evaluate import rounding_to

if TYPE_CHECKING:
    from gelu_cli.old.api.results import Best
    from gelu_cli.old.comparison.checks import Tolerance

FormWord: TypeAlias = "str | Form | Best[Any]"
"""A form: its name, with parameters as in "tanh:c=0.044"; a `Form`; or what `fit` returns."""
Criteria: TypeAlias = bool | Mapping[str, float]


def form_of(argument: str, form: FormWord) -> Form:
    """Return the form that an argument means; raises ValueError for an unknown one.

    >>> form_of("form", "sigmoid:beta=1.6").settings["beta"]
    Fraction(8, 5)
    """
    found: object = getattr(form, "form", form)
    if isinstance(found, Form):
        return found
    if not isinstance(found, str):
        raise TypeError(f"{argument} must be a name, not {briefly(form)}")
    return parse_form(found) if ":" in found else find_form(found)


def forms_of(forms: FormWord | Iterable[FormWord]) -> list[Form]:
    """Return the forms that an argument means: one, or several in a list."""
    if isinstance(forms, str | Form) or not isinstance(forms, Iterable):
        return [form_of("form", forms)]
    return [form_of(f"forms[{i}]", form) for i, form in enumerate(forms)]


def format_of(argument: str, dtype: Any) -> Format:
    """Return a number format by name, or by a dtype of numpy, ml_dtypes, torch or JAX.

    Raises ValueError for an unknown one.

    >>> import numpy as np
    >>> format_of("dtype", np.float16).name, format_of("dtype", "bf16").name
    ('float16', 'bfloat16')
    """
    if isinstance(dtype, str):
        return find_format(dtype)
    # np.float32 and jnp.float32 have __name__, np.dtype("float32") has name, torch.float32 neither.
    word = getattr(dtype, "name", None) or getattr(dtype, "__name__", str(dtype))
    name = str(word).removeprefix("torch.")
    if name not in FORMATS:
        raise TypeError(
            f"{argument} must be a name or a dtype, {', '.join(FORMATS)}, not {briefly(dtype)}"
        )
    return FORMATS[name]


def check_names(**names: object) -> None:
    """Raise TypeError for an argument that is no text."""
    for argument, name in names.items():
        if not isinstance(name, str):
            raise TypeError(f"{argument} must be a name, not {briefly(name)}")


def quantity_of(quantity: str, known: Collection[str] = QUANTITIES) -> str:
    """Return the name of a quantity; raises ValueError for an unknown one."""
    check_names(quantity=quantity)
    if quantity not in known:
        raise unknown("quantity", quantity, known)
    return quantity


def listed(argument: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names, or the one that is given, as a tuple; raises TypeError for what is none."""
    if not isinstance(names, Iterable):
        raise TypeError(f"{argument} must be a list of names, not {briefly(names)}")
    found = (names,) if isinstance(names, str) else tuple(names)
    check_names(**{f"{argument}[{i}]": name for i, name in enumerate(found)})
    return found


def numbers_of(argument: str, points: Iterable[float | str]) -> list[Number]:
    """Return numbers, and the words that stand for some; raises TypeError for what is none.

    >>> numbers_of("points", [0.5, "1/3", -0.0])
    [Fraction(1, 2), Fraction(1, 3), -0.0]
    """
    if isinstance(points, str | float | int) or not isinstance(points, Iterable):
        raise TypeError(f"{argument} must be a list of numbers, not {briefly(points)}")

    def number(name: str, x: float | str) -> Number:
        if isinstance(x, str):
            return parse_number(x)
        return x if isinstance(x, float) and x == 0 else real_number(name, x)  # -0.0

    return [number(f"{argument}[{i}]", x) for i, x in enumerate(points)]


def setting(name: str, value: float | str) -> Fraction:
    """Return what a parameter is set to, exactly."""
    number = parse_number(value) if isinstance(value, str) else real_number(name, value)
    if isinstance(number, float) and isfinite(number):  # -0.0
        return Fraction(number)
    if not isinstance(number, Fraction):
        raise UsageError(f"{name} must be a decimal number or a fraction, not {briefly(value)}")
    return number


def whole(name: str, count: int, least: int, most: int) -> int:
    """Return a whole number; raises `UsageError` for any other."""
    if isinstance(count, bool) or not isinstance(count, Integral) or not least <= count <= most:
        raise UsageError(
            f"{name} must be a whole number from {least} to {most:,}, not {briefly(count)}"
        )
    return int(count)


def digits_of(digits: int | None) -> int | None:
    """Return how many significant digits are asked for, None for float64s."""
    return None if digits is None else whole("digits", digits, 1, MOST_DIGITS)


def rounding_of(digits: int | None) -> Rounding:
    """Return the rounding to so many significant digits, or to float64."""
    return rounding_to(digits_of(digits))


def finite(name: str, value: float) -> Fraction:
    """Return a finite number, exactly."""
    number = real_number(name, value)
    if not isinstance(number, Fraction):
        raise UsageError(f"{name} must be finite, not {number}")
    return number


def positive(name: str, value: float) -> Fraction:
    """Return a positive number, exactly."""
    number = real_number(name, value)
    if not (isinstance(number, Fraction) and number > 0):
        raise UsageError(f"{name} must be positive and finite, not {briefly(value)}")
    return number


def tolerance_of(criteria: Criteria) -> Tolerance | bool:
    """Return a tolerance of one's own, {"rtol": 0.1, "atol": 0.05}, or whether there are criteria.

    >>> tolerance_of({"rtol": 0.1})
    Tolerance(rtol=0.1, atol=0.0)
    """
    from gelu_cli.old.comparison.checks import Tolerance

    if not isinstance(criteria, Mapping):
        return bool(criteria)
    if others := {*criteria} - {*Tolerance._fields}:
        raise UsageError(f"criteria has rtol and atol, not {sorted(map(str, others))[0]!r}")
    for name, number in criteria.items():
        if finite(name, number) < 0:
            raise UsageError(f"{name} must be 0 or a positive number, not {number!r}")
    return Tolerance(**{name: float(number) for name, number in criteria.items()})
