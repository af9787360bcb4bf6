"""Kernels as words, callables, C functions and programs; and the options that are for them."""

import shutil
import subprocess
import sys
from functools import partial
from operator import pos

import numpy as np
import pytest

from gelu_cli import sweep
from gelu_cli.api.kernels import parse_kernel
from gelu_cli.errors import UsageError
from tests.runner import gelu

E5M2 = "float8_e5m2"
HERE = "tests.api.test_kernels"
RELU = {"dtype": E5M2, "form": "relu"}


def relu(x):
    return np.maximum(x, x.dtype.type(0))


def leaky(x, slope=0.5, mode="plain"):
    return np.where(x > 0, x, slope * x.astype(float)).astype(x.dtype)


def reglu(gate, up):
    return (np.maximum(gate.astype(float), 0) * up.astype(float)).astype(gate.dtype)


def columns(found):
    return {name: cell for name, cell in found.to_dict().items() if name != "kernel"}


ROUTINE, FUNCTION, LIBRARY = "routines", "Python functions", "C functions"
WORDS = {  # a word: its target, kind, settings and arguments
    "erfc": ("erfc", ROUTINE, {}, {}),
    "Erfc:compute=float32": ("Erfc", ROUTINE, {"compute": "float32"}, {}),
    "torch.nn.functional.gelu": ("torch.nn.functional:gelu", FUNCTION, {}, {}),
    "k.py:f:device=cuda:1:n=3": ("k.py:f", FUNCTION, {"device": "cuda:1"}, {"n": 3}),
    "m:Class.method": ("m:Class.method", FUNCTION, {}, {}),
    "a=b.py:f": ("a=b.py:f", FUNCTION, {}, {}),
    "./libk.so:f:signature=scalar": ("./libk.so:f", LIBRARY, {"signature": "scalar"}, {}),
    "libm.so.6:tanhf": ("libm.so.6:tanhf", LIBRARY, {}, {}),
}


def test_words_name_kernels_and_their_settings():
    for word, expected in WORDS.items():
        assert parse_kernel(word) == (word, *expected)


REFUSED = {
    ("erfc,tnah_sum",): "did you mean 'tanh_sum'?; or name MODULE:FUNCTION",
    ("tanh",): "did you mean 'tanh_sum'?",
    ("k.c",): "names no function; compile it",
    ("none.py:f", "--dtype", E5M2): "there is no file 'none.py'",
    ("numpy:tnah", "--dtype", E5M2): "unknown name 'tnah' in 'numpy'; did you mean 'tanh'?",
    ("erfc:speed=3",): "unknown setting 'speed' of 'erfc:speed=3'; choose from compute",
    ("./k.so:f:compute=float32",): "unknown setting 'compute'",
    ("erfc", "--kwarg", "a=1"): "and callables, not for erfc; remove --kwarg",
    ("erfc", "--timeout", 3): "--timeout is for Python functions and C functions and programs",
    ("erfc", "--signature", "scalar"): "--signature is for C functions, not for erfc",
    ("erfc", "--backward"): "--backward is for Python functions and callables and C functions, not",
    ("erfc", "k.py:f", "--up", 3): "and C functions, not for erfc; remove --up",
    ("k.py:f", "--compute", "float32"): "--compute is for routines, not for k.py:f",
    ("k.py:f", "--backend", "cupy"): "unknown backend 'cupy'; choose from numpy, torch, jax",
    ("./k.so:f", "--signature", "vector"): "unknown signature 'vector'",
    ("k.py:f", "--kwarg", "a"): "--kwarg is 'a'; write NAME=VALUE",
    ("k.py:f", "--timeout", 0): "--timeout is 0; give a number above 0",
    ("--exec", "no-such-program", "--dtype", E5M2): "there is no program 'no-such-program'",
    ("--exec", "cat", "--glu", "--packed", "halves"): "--packed is for Python functions",
    (f"{HERE}:relu", "--glu", "--dtype", E5M2): "add --packed halves or interleaved",
    (f"{HERE}:reglu", "--dtype", E5M2): "missing a required argument: 'up'; see --kwarg, --glu",
    (f"{HERE}:leaky:slop=1", "--dtype", E5M2): "unexpected keyword argument 'slop'",
}


def test_lines_that_name_no_kernel_or_that_none_can_use_end_with_2():
    for words, part in REFUSED.items():
        run = gelu("sweep", *words)
        assert (run.code, run.out) == (2, ""), words
        assert part in run.err, (words, run.err)


def test_an_option_is_for_the_kernels_that_can_use_it():
    both = sweep(
        ["erfc", "tests.api.test_kernels:leaky"],
        **RELU,
        compute="float32",
        kwarg=["slope=0"],
        range="-2:2",
    )
    assert [each.kernel for each in both] == ["erfc", f"{HERE}:leaky:slope=0"]
    assert columns(both[0]) == columns(sweep("erfc:compute=float32", **RELU, range="-2:2"))
    assert both[1].max_ulp == 0


def test_settings_follow_a_word_and_replace_those_for_all():
    zero = sweep(f"{HERE}:leaky:slope=0", **RELU, kwarg={"slope": 3})
    assert (zero.kernel, zero.max_ulp) == (f"{HERE}:leaky:slope=0", 0)
    three = sweep([f"{HERE}:leaky", f"{HERE}:leaky:slope=0:mode=a,b"], **RELU, kwarg={"slope": 3})
    assert [each.kernel for each in three] == [
        f"{HERE}:leaky:slope=3",
        f"{HERE}:leaky:slope=0:mode=a,b",
    ]
    assert [each.max_ulp > 0 for each in three] == [True, False]


def test_callables_have_names_and_arguments():
    found = sweep([relu, partial(leaky, slope=0), lambda x: relu(+x)], **RELU, range="1:2")
    assert [each.kernel for each in found[:2]] == ["relu", "leaky(slope=0)"]
    assert "<lambda> at test_kernels.py:" in found[2].kernel
    assert [each.kernel for each in sweep([relu], **RELU)] == ["relu"]
    assert [each.kernel for each in sweep([relu, relu], **RELU)] == ["relu (a)", "relu (b)"]
    assert sweep(leaky, **RELU, kwarg={"slope": 0}).kernel == "leaky:slope=0"
    with pytest.raises(UsageError, match="3 is not a kernel"):
        sweep([relu, 3], **RELU)


# C functions and programs

SOURCE = """
#include <stddef.h>
#include <stdint.h>
typedef uint8_t T;  /* bit patterns of float8_e5m2; the sign is the first bit */
static T positive(T x) { return x >> 7 ? 0 : x; }
void relu(const T *x, T *y, size_t n) { for (size_t i = 0; i < n; i++) y[i] = positive(x[i]); }
T one(T x) { return positive(x); }
void first(const T *a, const T *b, T *y, size_t n) {
    for (size_t i = 0; i < n; i++) y[i] = positive(a[i]);
}
void second(const T *a, const T *b, T *y, size_t n) { first(b, a, y, n); }
T second_of_two(T a, T b) { return positive(b); }
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The path of the functions above, compiled."""
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("library")
    (folder / "k.c").write_text(SOURCE)
    path = folder / "libk.so"
    subprocess.run([compiler, "-w", "-shared", "-fPIC", "-o", path, folder / "k.c"], check=True)
    return path


def test_c_functions_of_arrays_and_of_numbers(library):
    """A GLU with up 1 is the value itself; the gate is where the options say."""
    glu = {"glu": True, "up": 1}
    kernels = {
        "relu": {},
        "one": {"signature": "scalar"},
        "first": glu,
        "second": {**glu, "up_first": True},
        "second_of_two": {**glu, "up_first": True, "signature": "scalar"},
    }
    for name, options in kernels.items():
        found = sweep(f"{library}:{name}", **RELU, **options)
        assert (found.max_ulp, found.inputs, found.wrong_nan) == (0, 248, 0), name
    assert sweep(f"{library}:one:signature=scalar", **RELU).max_ulp == 0
    assert sweep(f"{library}:second", **RELU, **glu).max_ulp > 1


def test_a_c_function_of_one_number_names_the_signature(library):
    run = gelu("sweep", f"{library}:one", "--dtype", E5M2)
    assert run.code == 4
    assert "if it is uint8_t f(uint8_t x), add --signature scalar" in run.err


def program(place):
    """A ReLU of gates, which are first or second of their pairs."""
    read, write = f"sys.stdin.buffer.read()[{place}::2]", "sys.stdout.buffer.write"
    return f"{sys.executable} -S -c 'import sys; {write}(bytes(x * (x < 128) for x in {read}))'"


def test_programs_read_numbers_and_pairs():
    assert sweep(exec=r"env LC_ALL=C tr '\200-\377' '\0'", **RELU).max_ulp == 0
    glu = {**RELU, "glu": True, "up": 1, "range": "1:4"}
    assert sweep(exec=program(0), **glu).max_ulp == 0
    assert sweep(exec=program(1), **glu, up_first=True).max_ulp == 0
    run = gelu("sweep", "--exec", "head -c 5", "--dtype", E5M2)
    assert (run.code, run.out) == (4, "")
    assert "had written 5 results when it ended" in run.err
    failing = gelu("sweep", "--exec", "ls /nowhere-at-all", "--dtype", E5M2)
    assert failing.code == 4
    assert "gelu: stderr: " in failing.err


# Libraries


def test_an_array_library_is_the_functions_own_or_that_of_the_device(torch, jax):
    def library_of(kernel, **options):
        found = sweep(kernel, dtype="bfloat16", form="relu", range="1:2", **options)
        (kernel,) = found.record.environment["kernels"]
        return kernel["library"].split()[0]

    assert library_of(relu) == "numpy"
    assert library_of(pos) == "numpy"
    assert library_of(pos, device="cpu") == "torch"
    assert library_of(pos, backend="jax") == "jax"
    assert library_of(torch.nn.functional.relu) == "torch"
    with pytest.raises(UsageError, match="remove --backend"):
        sweep(torch.nn.functional.relu, dtype="bfloat16", backend="numpy")


def test_gradients_are_those_of_autograd_times_up(torch, jax):
    """Of relu the gradient is 1 where x > 0."""
    for kernel in (torch.nn.functional.relu, jax.nn.relu):
        options = {"dtype": "bfloat16", "form": "relu", "range": "1:2"}
        for up in (None, -3, ["1", "0.5"]):
            found = sweep(kernel, quantity="gradient", up=up, **options)
            assert (found.max_ulp, found.quantity) == (0, "gradient"), (kernel, up)


def test_a_packed_function_whose_up_comes_first(torch):
    """PyTorch's glu(a, b) is a·σ(b): the gate comes second; it rounds σ, then the product."""
    options = {"dtype": "bfloat16", "form": "logistic", "glu": True, "range": "-4:4", "up": [3]}
    found = sweep(torch.nn.functional.glu, packed="halves", up_first=True, **options)
    assert found.max_ulp < 2
    gradient = sweep(
        torch.nn.functional.glu,
        packed="halves",
        up_first=True,
        quantity="up_gradient",
        backend="torch",
        **options,
    )
    assert gradient.max_ulp < 2


def forever(x):
    while True:
        pass


def written(x):
    x[0] = 0
    return x


def wide(x):
    return x.astype("float32")


FAILING = {  # the kernel: the message, and the exit code
    "forever:timeout=0.1": ("did not return within 0.1 s (--timeout)", 4),
    "written": ("wrote into its input", 4),
    "wide": ("returned float32 for inputs of float8_e5m2", 4),
    "no_such_function": ("unknown name 'no_such_function'", 2),
}


def test_kernels_that_fail_say_how():
    for word, (part, code) in FAILING.items():
        run = gelu("sweep", f"{HERE}:{word}", "--dtype", E5M2)
        assert (run.code, run.out) == (code, ""), word
        assert part in run.err, (word, run.err)
