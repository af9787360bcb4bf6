"""Which library's arrays a function is called with, and what holds of each library on the CPU."""

import functools
import sys
import types

import numpy as np
import pytest

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.guests.array_functions import FunctionImplementation
from gelu_cli.old.guests.backends import backend_class
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.kinds import guess_backend
from tests.old.every import every
from tests.old.guests.backends.libraries import BY_DTYPE, EVERY_DTYPE, Library, cases_of

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


def stand_in(name):
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


@every("name", ["torch", "jax"])
def test_a_function_of_a_library_is_called_with_its_arrays(name):
    inner = stand_in(name).inner
    kernel = type("Kernel", (inner.Module,), {"__module__": "mykernel"})
    own = [inner.gelu, functools.partial(inner.gelu, approximate="tanh"), inner.Module(), kernel()]
    assert [guess_backend(each) for each in own] == [name] * len(own)


@every("name", ["torch", "jax"])
@every("imported", ["whole", "inner", "function", "class"])
def test_a_function_of_ones_own_is_called_with_what_its_module_imports(name, imported):
    module = stand_in(name)
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

    own = types.FunctionType(function.__code__, {"lies": Lies(), "torch": stand_in("torch")})
    assert guess_backend(own) == "torch"


def test_all_else_is_called_with_arrays_of_numpy():
    user = user_module("import numpy as np")
    own = [user.f, user.Plain(), np.tanh, np.vectorize(abs), abs, stand_in("torches").inner.gelu]
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
    names = {"np": np, "torch": stand_in("torch"), "jax": stand_in("jax"), "__name__": "mykernel"}
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
    assert guess_backend(names["enclosing"](stand_in("jax").inner.gelu)) == "jax"
    assert guess_backend(names["Kernel"]()) == "torch"


@every(
    ("body", "libraries"),
    [("np.exp(torch.tanh(x))", "numpy or torch"), ("2 * x", "jax or numpy or torch")],
)
def test_where_it_may_be_several_nobody_guesses(body, libraries):
    names = {"np": np, "torch": stand_in("torch"), "jax": stand_in("jax")}
    own = eval(f"lambda x: {body}", names)
    with pytest.raises(UsageError, match=f"^<lambda> at .* takes arrays of {libraries}: "):
        guess_backend(own)


# What holds of every library


@pytest.fixture(scope="module", params=["numpy", "torch", "jax"])
def library(request):
    pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    return Library(request.param)


@every("question", [*EVERY_DTYPE, *BY_DTYPE], ids=lambda each: each.__name__)
def test_what_holds_on_any_device_holds_on_the_cpu(library, question):
    asked = [case for each, case in cases_of(library) if each is question]
    for case in asked:
        assert question(case)
    assert asked or library.name == "numpy"


def test_its_functions_and_those_beside_it_are_recognised(library):
    module = library.module
    own = {"torch": lambda: module.nn.functional.gelu, "jax": lambda: module.nn.gelu}
    gelu = own.get(library.name, lambda: module.tanh)()
    assert guess_backend(functools.partial(gelu, approximate=True)) == library.name
    assert guess_backend(user_module(thing=module).f) == library.name


# Functions that fail


def implementation(function, dtype="float32", library="numpy", quantity="value"):
    number_format = FORMATS[dtype]
    calling = Calling(number_format, number_format, quantity)
    backend = backend_class(library)(library, number_format)
    return FunctionImplementation("f", function, backend, calling)


X = np.array([3.0, -1.0, 0.5, 2.0, -7.0], np.float32)


@every("culprit", X.tolist())
@every("error", [ValueError, ZeroDivisionError, SystemExit, MemoryError])
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


@pytest.mark.filterwarnings("error")
def test_an_overflow_is_a_result_and_no_warning():
    got = implementation(np.exp)(np.array([1.0, 1e4], np.float32))
    assert got.tolist() == [float(np.exp(np.float32(1))), np.inf]


def test_an_interrupt_is_not_an_error_of_the_function():
    def f(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        implementation(f)(X)


@every(
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


@every("dtype", FORMATS)
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


def test_a_tensor_of_torch_is_kept_as_it_is_or_refused():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    one = torch.ones((), requires_grad=True)
    for dtype in ("float32", "bfloat16"):
        got = implementation(lambda x: torch.relu(x) * one, dtype, "torch")(X)
        assert got.tolist() == np.maximum(X, 0).tolist()
    for function in (torch.from_numpy, lambda x: torch.from_numpy(x).bfloat16() * one):
        with pytest.raises(ComputationError, match="returned Tensor, no array of numpy"):
            implementation(function)(X)


@every("library", ["torch", "jax"])
@every("quantity", ["value", "gradient"])
@every(
    ("spoil", "message"),
    [
        (lambda y: y[:-1], r"shape \(4,\)"), (lambda y: y.sum(), r"shape \(\)"),
        (lambda y: None, "NoneType"), (lambda y: [y], "list"),
    ],
)  # fmt: skip
def test_the_result_is_checked_before_its_gradient_is_taken(library, quantity, spoil, message):
    pytest.importorskip(library, reason=f"{library} is not installed")
    message = f"^f was given 5 inputs, .* and returned .*{message}"
    with pytest.raises(ComputationError, match=message):
        implementation(lambda x: spoil(2 * x), "float32", library, quantity)(X)


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


@every("quantity", ["value", "gradient"])
@every("dtype", ["float64", "float32", "bfloat16"])
@every("library", ["numpy", "torch"])
def test_a_function_that_writes_into_its_input_is_refused(library, dtype, quantity):
    pytest.importorskip(library, reason=f"{library} is not installed")
    x = np.array([1.0, -0.0, 2.0], np.float64 if dtype == "float64" else np.float32)
    functions = [halves, loses_the_sign_of_zero, writes_nan]
    for function in [*functions, behind_autograd] if library == "torch" else functions:
        given = r"^f was given 3 inputs, from -0\.0 to 2\.0, and"
        with pytest.raises(ComputationError, match=f"{given} wrote into its input; let it return"):
            implementation(function, dtype, library, quantity)(x)
        assert x.tolist() == [1.0, -0.0, 2.0]


@every("quantity", ["value", "gradient"])
@every("dtype", ["float64", "float32", "bfloat16"])
def test_a_function_of_jax_that_takes_its_input_for_the_result_is_refused(dtype, quantity):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    taking = jax.jit(lambda x: 2 * x, donate_argnums=0)
    x = np.linspace(-1, 1, 4096, dtype=np.float64 if dtype == "float64" else np.float32)
    before = x.copy()
    with pytest.raises(
        ComputationError, match=r"^f was given 4,096 inputs, .* and wrote into its input"
    ):
        implementation(taking, dtype, "jax", quantity)(x)
    np.testing.assert_array_equal(x, before)


@every("library", ["numpy", "torch", "jax"])
@every("dtype", ["float64", "float32", "bfloat16"])
def test_a_result_may_be_the_input_itself_or_memory_that_is_used_again(library, dtype):
    pytest.importorskip(library, reason=f"{library} is not installed")
    x = np.array([1.0, -0.0, 2.0], np.float64 if dtype == "float64" else np.float32)
    for itself in (lambda x: x, lambda x: x[:]):
        assert implementation(itself, dtype, library)(x).tolist() == x.tolist()
    kept = []

    def into_a_buffer(x):
        kept.append(x * 1 if not kept else kept[0])
        kept[0][:] = x
        return kept[0]

    if library != "jax":  # whose arrays nobody writes into
        call = implementation(into_a_buffer, dtype, library)
        first = call(x)
        call(-x)
        assert first.tolist() == x.tolist()


def test_small_formats_need_ml_dtypes_and_the_others_do_not(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    x = np.array([0.5, 1.0], np.float32)
    with pytest.raises(UsageError, match="bfloat16 need ml_dtypes: python -m pip install"):
        implementation(lambda y: y, "bfloat16")(x)
    same = implementation(lambda y: y, "float16")(x)
    assert same.tolist() == [0.5, 1.0]
