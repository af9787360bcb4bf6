"""Which library's arrays a function is called with."""

import functools
import sys
import types

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.kernels.backends import Backend, find_backend
from gelu_cli.kernels.functions import Calling
from gelu_cli.kernels.functions.arrays import FunctionImplementation
from gelu_cli.kernels.functions.origins import guess_backend
from gelu_cli.kernels.implementations import routine_implementation
from gelu_cli.kernels.routines import find_routine
from tests.truth.mpmath import truth

DEFINITIONS = """
import functools
{imports}

def f(x, by=1):
    return x

class Plain:
    def __call__(self, x):
        return x

    def method(self, x):
        return x

@functools.wraps(f)
def wrapper(*words):
    return f(*words)
"""


def library(name):
    """A stand-in for a library: a module, one inside it, a function and a class of its own."""
    module = types.ModuleType(name)
    module.inner = types.ModuleType(f"{name}.inner")

    def gelu(x):
        return x

    gelu.__module__ = f"{name}.inner"
    module.inner.gelu = gelu
    module.inner.Module = type("Module", (), {"__module__": f"{name}.inner"})
    return module


def user_module(imports="", **given):
    names = {"__name__": "mykernel", **given}
    exec(DEFINITIONS.format(imports=imports), names)
    return types.SimpleNamespace(**names)


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_a_function_of_a_library_is_called_with_its_arrays(name):
    inner = library(name).inner
    kernel = type("Kernel", (inner.Module,), {"__module__": "mykernel"})
    own = [inner.gelu, functools.partial(inner.gelu, approximate="tanh"), inner.Module(), kernel()]
    assert [guess_backend(each) for each in own] == [name] * len(own)


@pytest.mark.parametrize("name", ["torch", "jax"])
@pytest.mark.parametrize("imported", ["whole", "inner", "function", "class"])
def test_a_function_of_ones_own_is_called_with_what_its_module_imports(name, imported):
    module = library(name)
    value = {"whole": module, "inner": module.inner, "function": module.inner.gelu,
             "class": module.inner.Module}[imported]  # fmt: skip
    user = user_module(thing=value)
    own = [user.f, functools.partial(user.f, by=2), user.Plain(), user.Plain().method, user.wrapper]
    assert [guess_backend(each) for each in own] == [name] * len(own)


def test_objects_that_answer_badly_beside_a_function_do_not_matter():
    class Lies:
        __class__ = property(lambda self: 1 / 0)

        def __getattr__(self, name):
            raise ZeroDivisionError

    def function(x):
        return x

    own = types.FunctionType(function.__code__, {"lies": Lies(), "torch": library("torch")})
    assert guess_backend(own) == "torch"


def test_all_else_is_called_with_arrays_of_numpy():
    user = user_module("import numpy as np")
    own = [user.f, user.Plain(), np.tanh, np.vectorize(abs), abs, library("torches").inner.gelu]
    assert [guess_backend(each) for each in own] == ["numpy"] * len(own)


NAMING = """
def by_numpy(x):
    return np.tanh(x)

def by_torch(x):
    return torch.tanh(x)

def by_a_method(x):
    return np.tanh(x.torch.jax)

def by_a_helper(x):
    return by_torch(x) + by_a_helper(x)

def in_another(x):
    return [(lambda y: np.exp(y))(y) for y in x]

def by_an_import(x):
    from torch.nn import functional
    return functional.gelu(x)

def enclosing(tanh):
    return lambda x: tanh(x)

class Kernel:
    def __call__(self, x):
        return torch.tanh(x)
"""


def test_the_library_is_that_which_code_names_whatever_else_a_module_imports():
    names = {"np": np, "torch": library("torch"), "jax": library("jax"), "__name__": "mykernel"}
    exec(NAMING, names)
    found = {
        name: guess_backend(names[name])
        for name in ("by_numpy", "by_torch", "by_a_method", "by_a_helper", "in_another")
    }
    assert found == {
        "by_numpy": "numpy", "by_torch": "torch", "by_a_method": "numpy", "by_a_helper": "torch",
        "in_another": "numpy",
    }  # fmt: skip
    assert guess_backend(names["by_an_import"]) == "torch"
    assert guess_backend(names["enclosing"](np.tanh)) == "numpy"
    assert guess_backend(names["enclosing"](library("jax").inner.gelu)) == "jax"
    assert guess_backend(names["Kernel"]()) == "torch"


@pytest.mark.parametrize(
    ("body", "libraries"),
    [("np.exp(torch.tanh(x))", "numpy or torch"), ("2 * x", "jax or numpy or torch")],
)
def test_where_it_may_be_several_nobody_guesses(body, libraries):
    names = {"np": np, "torch": library("torch"), "jax": library("jax")}
    own = eval(f"lambda x: {body}", names)
    with pytest.raises(UsageError, match=f"^<lambda> at .* takes arrays of {libraries}: "):
        guess_backend(own)


def test_a_tensor_of_torch_is_kept_as_it_is_or_refused():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    one = torch.ones((), requires_grad=True)
    for dtype in ("float32", "bfloat16"):
        got = answer(("torch", None), dtype, "value", lambda x: torch.relu(x) * one, X)
        assert got.tolist() == np.maximum(X, 0).tolist()
    for function in (torch.from_numpy, lambda x: torch.from_numpy(x).bfloat16() * one):
        with pytest.raises(ComputationError, match="returned Tensor, no array of numpy"):
            answer(("numpy", None), "float32", "value", function, X)


# Functions that fail


def plain(dtype, quantity="value"):
    return Calling(FORMATS[dtype], FORMATS[dtype], quantity)


def implementation(function, dtype="float32"):
    return FunctionImplementation(
        "f", function, find_backend("numpy", FORMATS[dtype]), plain(dtype)
    )


X = np.array([3.0, -1.0, 0.5, 2.0, -7.0], np.float32)


@pytest.mark.parametrize("culprit", X.tolist())
@pytest.mark.parametrize("error", [ValueError, ZeroDivisionError, SystemExit, MemoryError])
def test_the_input_at_which_a_function_raises_is_named(culprit, error):
    def f(x):
        if (x == culprit).any():
            raise error("no")
        return x + 1

    with pytest.raises(
        ComputationError, match=rf"^f raised {error.__name__} at x = {culprit}: no$"
    ):
        implementation(f)(X)


def test_of_several_inputs_the_first_is_named():
    def f(x):
        if (x < 1).any():
            raise ValueError("no")
        return x + 1

    with pytest.raises(ComputationError, match=r"at x = -1\.0: no"):
        implementation(f)(X)


def test_no_input_is_named_where_none_alone_is_the_cause():
    def long(x):
        if len(x) > 3:
            raise ValueError("too long")
        return x + 1

    with pytest.raises(ComputationError, match=r"^f raised ValueError: too long$"):
        implementation(long)(X)

    calls = []

    def once(x):
        calls.append(x)
        if len(calls) == 1:
            raise ValueError("cold")
        return x + 1

    with pytest.raises(ComputationError, match=r"^f raised ValueError: cold$"):
        implementation(once)(X)


def test_an_overflow_is_a_result_and_no_warning_whatever_the_library():
    class Through(Backend):
        def __call__(self, function, x, **settings):
            return function(x)

    library = Through("numpy", FORMATS["float32"])
    kernel = FunctionImplementation("f", np.exp, library, plain("float32"))
    assert kernel(np.array([1.0, 1e4], np.float32)).tolist() == [
        float(np.exp(np.float32(1))),
        np.inf,
    ]


def test_an_interrupt_is_not_an_error_of_the_function():
    def f(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        implementation(f)(X)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda x: None, "returned NoneType"), (lambda x: x.tolist(), "returned list"),
        (lambda x: 1.0, "returned float"), (lambda x: x[0], "returned float32, no array of numpy"),
        (lambda x: np.ma.masked_less(x, 0), "returned MaskedArray, no array of numpy"),
        (lambda x: x[:, None], r"shape \(5, 1\)"), (lambda x: x[:-1], r"shape \(4,\)"),
        (lambda x: x.astype(np.float64), "returned float64 for inputs of float32"),
        (lambda x: x.astype(np.int32), "returned int32"), (lambda x: x > 0, "returned bool"),
        (lambda x: x.astype(object), "returned object"), (lambda x: x * 1j, "returned complex64"),
        (lambda x: np.negative(x, out=x), "wrote into its input; let it return a new array"),
    ],
)  # fmt: skip
def test_what_is_no_array_like_the_input_is_refused(result, message):
    given = r"^f was given 5 inputs, from -7\.0 to 3\.0, and .*"
    with pytest.raises(ComputationError, match=given + message):
        implementation(result)(X)


@pytest.mark.parametrize("dtype", FORMATS)
def test_numbers_arrive_in_the_format_and_come_back(dtype):
    seen = []

    def f(x):
        seen.append(x.dtype.name)
        return -x

    carrier = np.float64 if dtype == "float64" else np.float32
    x = np.array([0.0, 1.0, -1.5, FORMATS[dtype].largest, FORMATS[dtype].number(1)], carrier)
    got = implementation(f, dtype)(x)
    assert seen == [dtype]
    assert got.dtype == carrier
    assert (got == -x).all()
    assert np.signbit(got).tolist() == [True, True, False, True, True]


def test_the_results_of_a_routine_are_numbers_of_its_result_format():
    x = np.linspace(-8, 8, 999, dtype=np.float32)
    for result in ("float16", "bfloat16", "float8_e5m2", "float8_e4m3fn"):
        number_format = FORMATS[result]
        for compute in (None, FORMATS["float32"], FORMATS["float16"]):
            routine = find_routine("logistic")
            f = routine_implementation(routine, "value", number_format, compute)
            inside = np.array([number_format.from_float(v) for v in x.tolist()], np.float32)
            got = f(inside)
            assert got.dtype == np.float32
            finite = got[np.isfinite(got)].tolist()
            assert finite == [number_format.from_float(v) for v in finite]


def test_a_wider_inside_is_rounded_once_at_the_end():
    x = np.linspace(-8, 8, 999).astype("float16").astype(np.float32)
    half, single = FORMATS["float16"], FORMATS["float32"]
    routine = find_routine("erf_sum")
    wide = routine_implementation(routine, "value", single)(x)
    got = routine_implementation(routine, "value", half, single)(x)
    np.testing.assert_array_equal(got, wide.astype(np.float16).astype(np.float32))


# PyTorch and JAX themselves


@pytest.fixture(params=["torch", "jax"])
def real(request):
    """A library, its name, and GELU's tanh form in it, written by its user."""
    module = pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    tanh = (module if request.param == "torch" else module.numpy).tanh

    def gelu(x):
        return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))

    return request.param, gelu


def answer(real, dtype, quantity, function, x):
    name, _ = real
    return FunctionImplementation(
        "f", function, find_backend(name, FORMATS[dtype]), plain(dtype, quantity)
    )(x)  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_values_and_gradients_are_about_those_of_the_form(real, dtype):
    x = np.linspace(-2, 4, 25).astype(dtype).astype("float64" if dtype == "float64" else "float32")
    near = 16 * float(ml_dtypes.finfo(dtype).eps)
    for quantity in ("value", "gradient"):
        got = answer(real, dtype, quantity, real[1], x)
        want = [float(truth("tanh", quantity, each)) for each in x.tolist()]
        assert got.dtype == x.dtype
        np.testing.assert_allclose(got, want, atol=near)
        np.testing.assert_array_equal(got, got.astype(dtype).astype(got.dtype))


@pytest.mark.parametrize("quantity", ["value", "gradient"])
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda y: y[:-1], r"shape \(4,\)"), (lambda y: y.sum(), r"shape \(\)"),
        (lambda y: None, "NoneType"), (lambda y: [y], "list"),
    ],
)  # fmt: skip
def test_the_result_is_checked_before_its_gradient_is_taken(real, quantity, spoil, message):
    with pytest.raises(
        ComputationError, match=f"^f was given 5 inputs, .* and returned .*{message}"
    ):
        answer(real, "float32", quantity, lambda x: spoil(real[1](x)), X)


# Functions that write into their input


def halves(x):
    x *= 0.5
    return x


def loses_the_sign_of_zero(x):
    y = x * 1
    x += 0.0
    return y


def writes_nan(x):
    y = x * 1
    x[0] = float("nan")
    return y


def behind_autograd(x):
    y = x * 1
    getattr(x, "data", x)[:] = 7.0
    return y


@pytest.mark.parametrize("quantity", ["value", "gradient"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_function_that_writes_into_its_input_is_refused(library, dtype, quantity):
    pytest.importorskip(library, reason=f"{library} is not installed")
    x = np.array([1.0, -0.0, 2.0], np.float64 if dtype == "float64" else np.float32)
    functions = [halves, loses_the_sign_of_zero, writes_nan]
    for function in [*functions, behind_autograd] if library == "torch" else functions:
        given = r"^f was given 3 inputs, from -0\.0 to 2\.0, and"
        with pytest.raises(ComputationError, match=f"{given} wrote into its input; let it return"):
            answer((library, function), dtype, quantity, function, x)
        assert x.tolist() == [1.0, -0.0, 2.0]


@pytest.mark.parametrize("quantity", ["value", "gradient"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_a_function_of_jax_that_takes_its_input_for_the_result_is_refused(dtype, quantity):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    taking = jax.jit(lambda x: 2 * x, donate_argnums=0)
    x = np.linspace(-1, 1, 4096, dtype=np.float64 if dtype == "float64" else np.float32)
    before = x.copy()
    with pytest.raises(
        ComputationError, match=r"^f was given 4,096 inputs, .* and wrote into its input"
    ):
        answer(("jax", taking), dtype, quantity, taking, x)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_a_result_may_be_the_input_itself_or_memory_that_is_used_again(library, dtype):
    pytest.importorskip(library, reason=f"{library} is not installed")
    x = np.array([1.0, -0.0, 2.0], np.float64 if dtype == "float64" else np.float32)
    for itself in (lambda x: x, lambda x: x[:]):
        assert answer((library, itself), dtype, "value", itself, x).tolist() == x.tolist()
    kept = []

    def into_a_buffer(x):
        kept.append(x * 1 if not kept else kept[0])
        kept[0][:] = x
        return kept[0]

    if library != "jax":  # whose arrays nobody writes into
        call = find_backend(library, FORMATS[dtype])
        first = call(into_a_buffer, x)
        call(into_a_buffer, -x)
        assert first.tolist() == x.tolist()


def test_a_derivative_that_writes_into_its_input_is_refused():
    torch = pytest.importorskip("torch", reason="torch is not installed")

    class Halving(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            context.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(context, upstream):
            (x,) = context.saved_tensors
            return 2 * upstream * x.data.mul_(0.5)

    with pytest.raises(ComputationError, match="and wrote into its input"):
        answer(("torch", None), "float32", "gradient", Halving.apply, X)


def test_a_function_of_ones_own_in_a_library_is_recognised(real):
    assert guess_backend(real[1]) == real[0]  # by the function that it encloses
    module = pytest.importorskip(real[0])
    assert guess_backend(user_module(thing=module).f) == real[0]
    gelu = module.nn.functional.gelu if real[0] == "torch" else module.nn.gelu
    assert guess_backend(functools.partial(gelu, approximate=True)) == real[0]


def test_small_formats_need_ml_dtypes_and_the_others_do_not(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    x = np.array([0.5, 1.0], np.float32)
    with pytest.raises(UsageError, match="bfloat16 need ml_dtypes: python -m pip install"):
        find_backend("numpy", FORMATS["bfloat16"])(lambda y: y, x)
    same = find_backend("numpy", FORMATS["float16"])(lambda y: y, x)
    assert same.tolist() == [0.5, 1.0]
