"""Python functions: found by words, called with arrays of a library, and how they fail."""

import functools

import numpy as np
import pytest

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.kernels import call, facts
from tests.kernels.calls import array, every, fault, kernel

FILES = {
    "k.py": """
import functools
import numpy as np
from gelu_cli.errors import JudgedError

def right(x): return x
def zero(x): return x * x.dtype.type(0)
def scaled(x, by=2.0): return x * x.dtype.type(by)
def reglu(gate, up): return np.maximum(gate, gate.dtype.type(0)) * up
def halves(x): return reglu(*np.split(x, 2))
def interleaved(x): return reglu(x[::2], x[1::2])
def backward(upstream, x): return upstream * x
def both(upstream, gate, up): return upstream * up, upstream * gate
def both_packed(upstream, x): return np.concatenate(both(upstream, *np.split(x, 2)))
def both_up_first(upstream, up, gate): return upstream * gate, upstream * up
class Scale:
    def __init__(self, by=3.0): self.by = by
    def __call__(self, x): return x * x.dtype.type(self.by)
    method = staticmethod(right)
scale = Scale()
table = {1: 2}

def half_wrong(x): return x[: len(x) // 2]
def wide(x): return x.astype("float64")
def a_list(x): return x.tolist()
def masked(x): return np.ma.MaskedArray(x, x > 1)
def written(x):
    x[x == 2] = 0
    return x
def one_gradient(upstream, gate, up): return upstream
def of_numbers(x): return 0.0 if x < 0 else x
def at_two(x):
    if (x == 2).any(): raise ValueError("no kernel")
    return x
def raises_ours(x): raise JudgedError("1 ULP")
def leaves(x): raise SystemExit(0)
class Panic(BaseException): pass
def panics(x): raise Panic("in Rust")
class Mute(Exception):
    def __str__(self): raise ValueError
def mute(x): raise Mute
class Answers:
    def __call__(self, x): return x
    def __getattr__(self, name): raise Panic(name)
answers = Answers()
""",
    "broken.py": "\n1 / 0\n",
    "leaving.py": "raise SystemExit(0)",
    "needing.py": "import no_such_module",
    "beside.py": "import k\nf = k.right",
    "mixed.py": """
import numpy as np, torch
def n(x): return np.tanh(x)
def t(x): return torch.tanh(x)
def e(x): return x
""",
    "numpy.py": """
from dataclasses import dataclass
import pickle
@dataclass
class A:
    by: float = 1.0
def f(x): return x * x.dtype.type(pickle.loads(pickle.dumps(A())).by)
""",
}

X = array([1.0, 2.0, -3.0])
GLU = {"glu": True, "quantity": "value"}


@pytest.fixture(autouse=True)
def _here(folder):
    return folder


RESULTS = {
    ("k.py:right",): [1, 2, -3],
    ("k.py:scaled", ("arguments", (("by", -1.0),))): [-1, -2, 3],
    ("k.py:Scale",): [3, 6, -9],
    ("k.py:Scale", ("arguments", (("by", 0.5),))): [0.5, 1, -1.5],
    ("k.py:scale.method",): [1, 2, -3],
    ("beside.py:f",): [1, 2, -3],
    ("numpy.py:f",): [1, 2, -3],
    ("operator:neg",): [-1, -2, 3],
    ("k.py:backward", ("backward", True), ("quantity", "gradient"), ("upstream", -2.0)): [
        -2,
        -4,
        6,
    ],
    ("k.py:scaled", ("quantity", "gradient")): [2, 4, -6],
}


def test_words_name_functions_and_classes():
    for (word, *how), want in RESULTS.items():
        described = kernel(word, **dict(how))
        assert call(described, X).tolist() == want, (word, how)
        assert facts(described)["library"] == f"numpy {np.__version__}"


UPS = array([4.0, -1.0, 0.5])
VALUE = [4.0, -2.0, 0.0]
BY_GATE, BY_UP = [8.0, -2.0, 1.0], [2.0, 4.0, -6.0]
BACK = {"backward": True, "upstream": 2.0}
OF_PAIRS = {
    ("reglu",): VALUE,
    ("halves", ("packed", "halves")): VALUE,
    ("interleaved", ("packed", "interleaved")): VALUE,
    ("both", *BACK.items(), ("quantity", "gate_gradient")): BY_GATE,
    ("both", *BACK.items(), ("quantity", "up_gradient")): BY_UP,
    ("both_packed", *BACK.items(), ("quantity", "gate_gradient"), ("packed", "halves")): BY_GATE,
    ("both_packed", *BACK.items(), ("quantity", "up_gradient"), ("packed", "halves")): BY_UP,
    ("both_up_first", *BACK.items(), ("quantity", "gate_gradient"), ("up_first", True)): BY_GATE,
    ("both_up_first", *BACK.items(), ("quantity", "up_gradient"), ("up_first", True)): BY_UP,
}


def test_functions_of_a_gate_and_an_up():
    for (name, *how), want in OF_PAIRS.items():
        got = call(kernel(f"k.py:{name}", **{**GLU, **dict(how)}), X, UPS)
        assert got.tolist() == want, (name, how)
    swapped = kernel("k.py:reglu", **GLU, up_first=True)
    assert call(swapped, UPS, X).tolist() == VALUE


def test_upstream_gradients_may_be_an_array():
    backward = kernel("k.py:backward", backward=True, quantity="gradient")
    assert call(backward, X, UPS).tolist() == [4, -2, -1.5]
    both = kernel("k.py:both", **{**GLU, "quantity": "up_gradient"}, backward=True)
    assert call(both, X, UPS, array([1, 2, 3])).tolist() == [1, 4, -9]
    code, said = fault(kernel("k.py:right", quantity="gradient", upstream=2.0), X)
    assert (code, "--up: k.py:right takes no upstream gradient; add --glu" in said) == (2, True)


GIVEN = "was given 3 inputs, from -3.0 to 2.0, and "
FAILING = {  # the function: the exit code and the message
    "half_wrong": (4, GIVEN + "returned the shape (1,) for inputs of (3,)"),
    "wide": (
        4,
        "returned float64 for inputs of float32; return float32, or sweep --result float64",
    ),
    "a_list": (4, GIVEN + "returned list, not an array of numpy"),
    "masked": (4, GIVEN + "returned MaskedArray, not an array of numpy"),
    "written": (4, GIVEN + "wrote into its input; let it return a new array"),
    "of_numbers": (4, "Use a.any() or a.all(); wrap a function of one number in numpy.vectorize"),
    "at_two": (4, GIVEN + "raised ValueError: no kernel"),
    "raises_ours": (4, "raised JudgedError: 1 ULP"),
    "leaves": (4, "raised SystemExit: 0"),
    "panics": (4, "raised Panic: in Rust"),
    "mute": (4, "raised an exception without text"),
    "answers": (4, "k.py:answers was being loaded and raised Panic: __"),
    "righ": (2, "unknown name 'righ' in 'k.py'; did you mean 'right'?"),
    "table": (2, "'k.py:table' is of dict, not a function; write MODULE:FUNCTION"),
    "reglu": (2, "missing a required argument: 'up'; see --kwarg, --glu, --backward and --packed"),
    "": (2, "'k.py:' names no function; write MODULE:FUNCTION"),
}


def test_functions_that_fail_say_how():
    for name, (code, part) in FAILING.items():
        found, said = fault(kernel(f"k.py:{name}"), X)
        assert (found, part in said) == (code, True), (name, found, said)


CALLED_SO = {  # a word and how it is called: the message
    ("k.py:scaled", ("arguments", (("slop", 1),))): "keyword argument 'slop'; see --kwarg",
    ("k.py:halves", *GLU.items()): "see --kwarg, --glu, --backward and --packed",
    ("k.py:both", *GLU.items()): "missing a required argument: 'up'; see --kwarg, --glu",
    ("k.py:right", *BACK.items()): "too many positional arguments; see --kwarg, --glu, --backward",
    ("k.py:Scale", ("arguments", (("too", 1),))): "unexpected keyword argument 'too'; see --kwarg",
    ("nowhere.py:f",): "there is no file 'nowhere.py'",
    ("no_such_module:f",): "importing 'no_such_module' failed: there is no module 'no_such_module'",
    ("no-name:f",): "importing 'no-name' failed: there is no module 'no-name' here",
    ("needing.py:f",): "importing 'needing.py' failed: there is no module 'no_such_module' here",
    ("k.py:right", ("device", "tpu")): "--device tpu: ",
    ("k.py:right", ("backend", "numpy"), ("device", "cuda")): "numpy does not have it",
}


def test_functions_that_cannot_be_called_so_are_refused():
    for (word, *how), part in CALLED_SO.items():
        arrays = [X, UPS] if ("glu", True) in how else [X]
        found, said = fault(kernel(word, **dict(how)), *arrays)
        assert (found, part in said) == (2, True), (word, how, said)


def test_code_that_fails_as_it_is_imported_is_named():
    for name, part in {"broken": "ZeroDivisionError: division", "leaving": "SystemExit: 0"}.items():
        code, said = fault(kernel(f"{name}.py:f"), X)
        assert (code, f"importing '{name}.py' failed: {part}" in said) == (4, True), said
    _, said = fault(kernel("k.py:one_gradient", **{**GLU, "quantity": "up_gradient"}, **BACK), X, X)
    assert "was given 3 pairs, from -3.0 to 2.0, and returned ndarray, not the two gradi" in said


def test_the_cause_is_the_exception():
    def failing(x):
        raise ValueError("no kernel")

    with pytest.raises(ComputationError) as raised:
        call(kernel(failing), X)
    assert type(raised.value.__cause__) is ValueError


def test_ctrl_c_in_this_process_is_ctrl_c():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(kernel(interrupted), X)


def test_every_bit_pattern_arrives_and_comes_back():
    for dtype in ("float16", "bfloat16", "float8_e5m2", "float8_e4m3fn"):
        x = every(dtype)
        got = call(kernel(lambda x: x, dtype), x)
        assert got.tobytes() == x.tobytes(), dtype


def test_callables_may_have_no_hash_and_arguments():
    class Unhashable:
        __hash__ = None

        def __call__(self, x, by):
            return x * by

    described = kernel(Unhashable(), arguments=(("by", np.float32(2)),))
    assert call(described, X).tolist() == [2, 4, -6]
    assert call(kernel(functools.partial(np.maximum, np.float32(0))), X).tolist() == [1, 2, 0]


def test_the_array_library_is_that_of_the_code(torch):
    for word, library in {
        "mixed.py:n": "numpy",
        "mixed.py:t": "torch",
        "torch:tanh": "torch",
        "numpy:tanh": "numpy",
        "torch.nn:GELU": "torch",
        "jax.nn:relu": "jax",
        "jax:numpy.tanh": "jax",
        "operator:neg": "numpy",
    }.items():
        if library == "jax":
            pytest.importorskip("jax", reason="JAX is not installed")
        assert facts(kernel(word))["library"].split()[0] == library, word
    with pytest.raises(UsageError, match="arrays of numpy or torch; say which by --backend"):
        call(kernel("mixed.py:e"), X)
    assert facts(kernel("mixed.py:e", backend="torch"))["library"].startswith("torch")
    assert facts(kernel("operator:neg", device="cpu"))["library"].startswith("torch")


def test_an_attribute_names_no_library(torch):
    function = eval("lambda x: np.tanh(x)", {"np": np, "tanh": torch.tanh})
    assert facts(kernel(function))["library"].startswith("numpy")
