"""How gradients come about: by a library, by the function itself, with a gradient from above."""

import re
from functools import partial

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.kinds import sign_of_a_backward
from gelu_cli.old.guests.python_functions import implementation_of, load_function
from tests.old.every import every

FLOAT32 = FORMATS["float32"]
GRADIENT = Calling(FLOAT32, FLOAT32, "gradient")


def named(name, arguments="x"):
    names = {}
    exec(f"def {name}({arguments}): return {arguments.split(',')[0].split('=')[0]}", names)
    return names[name]


@every(
    "name",
    [
        "gelu_backward", "backward", "bwd_gelu", "gelu_bwd_kernel", "geluBackward", "gelu_grad",
        "gradient", "grad_of_gelu", "gelu_prime", "derivative", "dgelu", "gelu_vjp", "GELUGrad",
    ],
)  # fmt: skip
def test_a_name_says_that_a_function_is_a_backward_pass(name):
    assert sign_of_a_backward(named(name)) == f"'{name}'"
    kind = type(name, (), {"__call__": lambda self, x: x})
    assert sign_of_a_backward(kind()) == f"'{name}'"
    owner = type(name, (), {"apply": classmethod(lambda cls, x: x)})
    assert sign_of_a_backward(owner.apply) == f"'{name}'"


@every(
    "name",
    ["gelu", "gelu_with_backward", "no_grad", "gelu_custom_vjp", "primed",
     "upgrade", "degrade", "forward", "gradual", "f", "degelu", "graded_gelu", "primes"],
)  # fmt: skip
def test_other_names_say_nothing(name):
    assert sign_of_a_backward(named(name)) == ""
    assert sign_of_a_backward(abs, name) == ""


@every("typed", ["gelu_bwd", "GeluBackward.apply", "kernels.gelu_grad"])
def test_the_name_that_is_typed_says_so_too(typed):
    for function in (lambda x: x, partial(max, 0), np.vectorize(abs), named("gelu")):
        assert sign_of_a_backward(function, typed) in [f"'{each}'" for each in typed.split(".")]


FILES = {
    "backward.py": """
import functools, torch
def f(x, y: float = 0.0): return x + y
one = one_bwd = lambda x: x
two = two_bwd = functools.partial(f, y=1)
three = three_bwd = torch.nn.GELU()
class Double(torch.autograd.Function):
    @staticmethod
    def forward(context, x): return 2 * x
""",
    "functions.py": "def f(upstream, x): return upstream * x\ndef g(x): return x\n",
}


@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_a_backward_by_its_typed_name_alone_is_not_differentiated_in_silence(torch, folder, name):
    word = f"backward.py:{name}"
    assert load_function(word, word, {}, GRADIENT).differentiated
    with pytest.raises(UsageError, match=rf"^'{name}_bwd' looks like a backward pass; add --b"):
        load_function(word, f"{word}_bwd", {}, GRADIENT)


def test_arguments_say_that_a_function_is_a_backward_pass():
    for name in ("upstream", "grad_output", "dy", "dout", "cotangent", "g"):
        for function in (named("f", f"{name}, x"), partial(named("f", f"{name}, x, y=1"), y=2)):
            assert sign_of_a_backward(function) == f"a function of '{name}'"
    for arguments in ("x", "x, gain", "x, y", "x, alpha=1, inplace=False", "x, g=None"):
        assert sign_of_a_backward(named("f", arguments)) == ""
    for builtin in (abs, np.tanh, partial(max, 0), np.vectorize(abs)):
        assert sign_of_a_backward(builtin) == ""


@pytest.fixture(params=["torch", "jax"])
def library(request):
    pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    return request.param


def test_it_is_not_differentiated_again_in_silence(library):
    backward = named("gelu_bwd")
    how = GRADIENT._replace(backend=library)
    with pytest.raises(UsageError, match=r"^'gelu_bwd' looks like a backward pass; add --b"):
        implementation_of("f", backward, how)
    assert implementation_of("f", backward, how._replace(backward="autograd")).differentiated
    assert not implementation_of("f", backward, how._replace(backward="own")).differentiated
    assert implementation_of("f", backward, how._replace(quantity="value"))
    with pytest.raises(UsageError, match=f"^--result: a gradient by {library} has the format of"):
        implementation_of("f", named("f"), how._replace(result=FORMATS["float64"]))


def test_numpy_has_the_gradient_itself_or_a_backward_pass():
    x = np.array([0.5, 3.0], np.float32)
    assert implementation_of("f", named("gelu_grad"), GRADIENT)(x).tolist() == [0.5, 3.0]
    own = GRADIENT._replace(backward="own", upstream=-2.0)
    for result in (FLOAT32, FORMATS["float16"]):
        times = implementation_of(
            "f", lambda dy, x, to=result.name: (dy * x).astype(to), own._replace(result=result)
        )
        assert times(x).tolist() == [-1.0, -6.0]


@every(
    ("changed", "told"),
    [
        ({"backward": "autograd"}, "^a function of numpy is not differentiated; add --backward"),
        ({"upstream": 2.0}, "^--up: a function of numpy gets x alone"),
    ],
)
def test_what_numpy_cannot_do_is_refused(changed, told):
    with pytest.raises(UsageError, match=told):
        implementation_of("f", named("f"), GRADIENT._replace(**changed))


WRONG = {
    "numpy:tanh": (
        {"backend": "torch"},
        "--backend torch: numpy:tanh is of numpy; remove --backend",
    ),
    "functions.py:f": (
        {},
        "'functions.py:f' cannot be called so: missing a required argument: 'x'; if it is "
        "f(gate, up), add --glu; if a backward pass, --backward",
    ),
    "functions.py:g": (
        {"quantity": "gradient", "backward": "own"},
        "'functions.py:g' cannot be called so: too many positional arguments; --backward "
        "takes (upstream, x) → dx",
    ),
    "functions.py:h": ({}, "unknown name 'h' in 'functions.py'; choose from f, g"),
}


@pytest.mark.parametrize("word", WRONG)
def test_a_function_of_another_library_or_number_of_arrays_is_refused(folder, word):
    settings, told = WRONG[word]
    with pytest.raises(UsageError, match=f"^{re.escape(told)}"):
        load_function(word, word, {}, Calling(FLOAT32, FLOAT32)._replace(**settings))


def test_an_argument_that_a_function_does_not_take_is_a_wrong_word(folder):
    with pytest.raises(
        UsageError, match=r"^'functions\.py:g' cannot be called so: .*'by'; see --k"
    ):
        load_function("g", "functions.py:g", {"by": 2}, Calling(FLOAT32, FLOAT32))


def test_a_function_of_autograd_is_applied(torch, folder):
    how = Calling(FLOAT32, FLOAT32)
    told = "^'backward.py:Double' is applied, not called; take 'backward.py:Double.apply'$"
    with pytest.raises(UsageError, match=told):
        load_function("f", "backward.py:Double", {}, how)
    double = load_function("f", "backward.py:Double.apply", {}, how)
    assert double(np.array([0.5, 3], np.float32)).tolist() == [1, 6]
