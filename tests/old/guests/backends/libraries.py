"""The same small kernels in each library, and what must hold of them on any device.

`test_libraries.py` runs the cases on the CPU.
"""

import importlib
from typing import Any, NamedTuple

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.format_arrays import every_number, to_bits
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.guests.array_functions import FunctionImplementation
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.conduct import Batches
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.inputs import sample

DIFFERENTIATING = ("torch", "jax")
NATIVE = ("float64", "float32", "float16")
LEAST = 2.0**-6
"""Libraries flush smaller results in some formats."""

CLOSE = {"float64": 32, "float32": 16}
"""Units in the last place: JAX's tanh of float64s is 13 off on a CPU. What is computed in float32
and rounded once, to a narrower format, is half a unit off and hardly more."""

SMALL = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


class Library:
    """Kernels of one library; its module is imported when an object is made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = importlib.import_module(name)
        self.dtypes = NATIVE + SMALL
        self.math = self.module.numpy if name == "jax" else self.module

    def cast(self, x: Any, dtype: str) -> Any:
        """Return numbers in another format."""
        if self.name == "torch":
            return x.to(getattr(self.module, dtype))
        if dtype in NATIVE:
            return x.astype(dtype)
        import ml_dtypes

        return x.astype(getattr(ml_dtypes, dtype))

    def gelu(self, x: Any) -> Any:
        """The tanh form, in float32 inside."""
        own = str(getattr(x.dtype, "name", x.dtype)).rpartition(".")[2]
        wide = self.cast(x, "float64" if own == "float64" else "float32")
        u = 0.7978845608028654 * (wide + 0.044715 * wide * wide * wide)
        return self.cast(0.5 * wide * (1 + self.math.tanh(u)), own)

    def scaled(self, upstream: Any, x: Any) -> Any:
        """A backward pass, of x²/2."""
        return upstream * x

    def compiled(self, traces: list[int]) -> Any:
        """Return a compiled function that notes the length of each shape that is compiled."""

        def function(x):
            traces.append(int(x.shape[0]))
            return x + x

        return self.module.jit(function) if self.name == "jax" else function


class Case(NamedTuple):
    """What is asked: of a library, in a format, on a device."""

    library: Library
    dtype: str
    device: str | None = None

    def made(self, function: Any, **calling: Any) -> FunctionImplementation:
        """Return a function as a sweep calls it."""
        number_format = FORMATS[self.dtype]
        result = FORMATS[calling.pop("result", self.dtype)]
        how = Calling(
            number_format, result, backend=self.library.name, device=self.device, **calling
        )
        return implementation_of("f", function, how)

    def x(self, least: float = 0.0, most: float = np.inf) -> Any:
        """Return all numbers of a small format, some of others, in a range of sizes."""
        number_format = FORMATS[self.dtype]
        few = number_format.width <= 16
        x = every_number(number_format) if few else sample(number_format, 20_000, 0)
        return x[(least <= abs(x)) & (abs(x) <= most)].astype(
            np.float64 if number_format.width == 64 else np.float32
        )


def tanh_form(x: Any) -> Any:
    """x's GELU in the tanh form, in float64."""
    x = x.astype(np.float64)
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def slope_of_it(x: Any) -> Any:
    """The derivative of that."""
    x = x.astype(np.float64)
    tanh = np.tanh(0.7978845608028654 * (x + 0.044715 * x**3))
    inner = 0.7978845608028654 * (1 + 3 * 0.044715 * x**2)
    return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh**2) * inner


def off(got: Any, want: Any, dtype: str) -> float:
    """Return the largest error, in units of the format's precision at sizes of 1 and more."""
    near = 2.0 ** (1 - FORMATS[dtype].precision) * np.maximum(abs(want), 1)
    return float(np.max(abs(got.astype(np.float64) - want) / near))


def values(case: Case) -> str:
    """Values are about those of the form."""
    x = case.x(LEAST, 8)
    got = off(case.made(case.library.gelu)(x), tanh_form(x), case.dtype)
    assert got < CLOSE.get(case.dtype, 0.51), got
    return f"{got:.2f} units off at most, of {len(x):,}"


def bits_there_and_back(case: Case) -> str:
    """Every number arrives and comes back bit for bit."""
    x = case.x()
    got = case.made(lambda x: x)(x)
    assert np.array_equal(to_bits(FORMATS[case.dtype], got), to_bits(FORMATS[case.dtype], x))
    return f"{len(x):,} numbers"


def gradients_with_an_upstream(case: Case) -> str:
    """The library's gradient is multiplied by what comes from above."""
    x = case.x(LEAST, 2)
    function = case.made(case.library.gelu, quantity="gradient", upstream=-2.0)
    got = off(function(x), -2 * slope_of_it(x), case.dtype)
    assert got < CLOSE.get(case.dtype, 0.51), got
    return f"{got:.2f} units off at most, of {len(x):,}"


def own_backward(case: Case) -> str:
    """A backward pass gets what comes from above, in the format of x, and x."""
    x = case.x(LEAST, 100)
    function = case.made(case.library.scaled, quantity="gradient", backward="own", upstream=2.0)
    assert np.array_equal(function(x), 2 * x)
    return "exact"


def two_formats(case: Case) -> str:
    """Results come in another format than x."""
    result = "float32" if case.dtype != "float32" else "float16"
    x = case.x(LEAST, 1000)
    got = case.made(lambda x: case.library.cast(x, result), result=result)(x)
    assert np.array_equal(got, x.astype(result).astype(got.dtype))
    return f"to {result}"


def wrong_format(case: Case) -> str:
    """A result in another format than is due is refused, and what helps is told."""
    due = "float16" if case.dtype != "float16" else "float32"
    message = f"returned {due} for inputs of {case.dtype}: .* --result"
    with pytest.raises(ComputationError, match=message):
        case.made(lambda x: case.library.cast(x, due))(case.x(most=1))
    return "refused"


def one_length(case: Case) -> str:
    """Calls of any length are cut and filled up: a function is compiled for one shape."""
    traces: list[int] = []
    function = Batches(case.made(case.library.compiled(traces)), 100)
    some = case.x(LEAST, 100)[:500]
    for length in (100, 7, 250, 1):
        assert np.array_equal(function(some[:length]), 2 * some[:length])
    assert set(traces) == {100}, traces
    compiles = case.library.name == "jax"
    assert not compiles or len(traces) == 1, traces
    return f"{len(traces)} traces"


def record(case: Case) -> str:
    """The library is named with its version, and the device."""
    function = case.made(case.library.gelu)
    function.load(case.x()[:4])
    facts = dict(function.provenance)
    assert facts["library"] == f"{case.library.name} {case.library.module.__version__}"
    return "; ".join(facts.values())


EVERY_DTYPE = (values, bits_there_and_back)
BY_DTYPE = {
    gradients_with_an_upstream: (*NATIVE, "bfloat16"),
    own_backward: ("float64", "float32", "bfloat16"),
    two_formats: ("float64", "float32", "bfloat16", "float8_e4m3fn"),
    wrong_format: ("float32", "bfloat16"),
    one_length: ("float32",),
    record: ("float32",),
}


def cases_of(library: Library, device: str | None = None):
    """Yield each question with its case."""
    for dtype in library.dtypes:
        if device == "mps" and dtype == "float64":
            continue
        for question in (*EVERY_DTYPE, *BY_DTYPE):
            if question is gradients_with_an_upstream and library.name not in DIFFERENTIATING:
                continue
            if dtype in BY_DTYPE.get(question, library.dtypes):
                yield question, Case(library, dtype, device)
