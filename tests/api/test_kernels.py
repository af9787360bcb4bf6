"""Kernels as words, callables, C functions and programs; and the options that are for them."""

import sys
from functools import partial

import numpy as np
import pytest

from gelu_cli import sweep
from gelu_cli.api.questions import parse_kernel
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
    "Erfc:compute=float32": ("erfc", ROUTINE, {"compute": "float32"}, {}),
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
    ("erfc", "tnah_sum"): "did you mean 'tanh_sum'?; or name MODULE:FUNCTION",
    ("erfc,tanh_sum",): "give one name, not a list",
    ("k.c",): "names no function; write MODULE:FUNCTION",
    ("./k.c:f",): "names no function; write MODULE:FUNCTION",
    ("none.py:f", "--dtype", E5M2): "there is no file 'none.py'",
    ("numpy:tnah", "--dtype", E5M2): "unknown name 'tnah' in 'numpy'; did you mean 'tanh'?",
    ("erfc:speed=3",): "unknown setting 'speed' of 'erfc:speed=3'; choose from compute",
    ("./k.so:f:compute=float32",): "unknown setting 'compute'",
    ("erfc", "--kwarg", "a=1"): "--kwarg is not for erfc; remove --kwarg",
    ("erfc", "--timeout", 3): "--timeout is not for erfc",
    ("erfc", "k.py:f", "--up", 3): "--up is not for erfc; remove --up",
    ("k.py:f", "--compute", "float32"): "--compute is not for k.py:f",
    ("k.py:f", "--backend", "cupy"): "unknown backend 'cupy'; choose from numpy, torch, jax",
    ("./k.so:f", "--signature", "vector"): "unknown signature 'vector'",
    ("k.py:f", "--kwarg", "a"): "--kwarg is 'a'; write NAME=VALUE",
    ("k.py:f", "--timeout", 0): "--timeout is 0; give a number above 0",
    ("--exec", "no-such-program", "--dtype", E5M2): "there is no program 'no-such-program'",
    ("--exec", "cat", "--glu", "--packed", "halves"): "--packed is not for cat",
    (f"{HERE}:reglu", "--dtype", E5M2): "missing a required argument: 'up'; see --kwarg, --glu",
    (f"{HERE}:leaky:slop={{[]:1}}", "--dtype", E5M2): "unexpected keyword argument 'slop'",
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
    assert [each.kernel for each in both] == ["erfc", f"{HERE}:leaky"]
    assert columns(both[0]) == columns(sweep("erfc:compute=float32", **RELU, range="-2:2"))
    assert both[1].max_ulp == 0


def test_settings_follow_a_word_and_replace_those_for_all():
    zero = sweep(f"{HERE}:leaky:slope=0", **RELU, kwarg={"slope": 3})
    assert (zero.kernel, zero.max_ulp) == (f"{HERE}:leaky:slope=0", 0)
    three = sweep([f"{HERE}:leaky", f"{HERE}:leaky:slope=0:mode=a,b"], **RELU, kwarg={"slope": 3})
    assert [each.kernel for each in three] == [f"{HERE}:leaky", f"{HERE}:leaky:slope=0:mode=a,b"]
    assert [each.max_ulp > 0 for each in three] == [True, False]


def test_callables_have_names_and_arguments():
    found = sweep([relu, partial(leaky, slope=0), relu], **RELU, range="1:2")
    assert [each.kernel for each in found] == ["relu", "leaky", "relu (3)"]
    assert "<lambda>" in sweep(lambda x: relu(+x), **RELU).kernel
    assert [each.kernel for each in sweep([relu], **RELU)] == ["relu"]
    assert sweep(leaky, **RELU, kwarg={"slope": 0}).max_ulp == 0
    with pytest.raises(UsageError, match="3 is not a kernel"):
        sweep([relu, 3], **RELU)


# C functions and programs


@pytest.mark.skipif(sys.platform != "linux", reason="the library is glibc's")
def test_a_c_function_of_one_number_names_the_signature():
    """The system's tanh is a function of one number."""
    run = gelu("sweep", "libm.so.6:tanhf", "--signature", "scalar", "--range", "1:1.0001")
    assert run.code == 0
    assert gelu("sweep", "libm.so.6:tanhf:signature=scalar", "--range", "1:1.0001").out != ""
    refused = gelu("sweep", "libm.so.6:tanhf", "--range", "1:1.0001")
    assert (refused.code, "add --signature scalar" in refused.err) == (4, True)


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
    assert "wrote 5 of 248 bytes of results" in run.err
    failing = gelu("sweep", "--exec", "ls /nowhere-at-all", "--dtype", E5M2)
    assert failing.code == 4
    assert "gelu: stderr: " in failing.err


# Libraries


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


FAILING = {  # the kernel: the message, and the exit code
    "forever:timeout=0.1": ("did not return within 0.1 s (--timeout)", 4),
    "no_such_function": ("unknown name 'no_such_function'", 2),
}


def test_kernels_that_fail_say_how():
    for word, (part, code) in FAILING.items():
        run = gelu("sweep", f"{HERE}:{word}", "--dtype", E5M2)
        assert (run.code, run.out) == (code, ""), word
        assert part in run.err, (word, run.err)
