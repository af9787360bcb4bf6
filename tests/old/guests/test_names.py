"""However a function is wrapped, an answer calls it by a name that a person can read."""

from dataclasses import dataclass
from functools import lru_cache, partial, wraps

import numpy as np
import pytest

from gelu_cli.old.guests.kinds import name_of
from tests.old.asked import swept
from tests.old.every import every


def gelu(x, approximate="none"):
    return x


@wraps(gelu)
def wrapped(x):
    return x


class Plain:
    def __call__(self, x):
        return x

    def forward(self, x):
        return x


@dataclass
class Kernel:
    beta: float = 1.702

    def __call__(self, x):
        return x


class Long(Plain):
    def __repr__(self):
        return "Long(\n" + 200 * "x" + ")"


class Lines(Plain):
    def __repr__(self):
        return "Lines(\n  a=1,\n  b=2\n)"


class Hostile(Plain):
    def __repr__(self):
        raise RuntimeError

    def __getattr__(self, name):
        raise ValueError(name)


OBJECTS = {
    "gelu": gelu,
    "gelu(approximate='tanh')": partial(gelu, approximate="tanh"),
    "gelu(1.5, approximate='tanh')": partial(partial(gelu, 1.5), approximate="tanh"),
    "tanh": np.tanh,
    "str.join": str.join,
    "Plain": Plain(),
    "Plain.forward": Plain().forward,
    "Plain.forward(scale=2)": partial(Plain().forward, scale=2),
    "Kernel(beta=1.5)": Kernel(1.5),
    "Long": Long(),
    "Lines( a=1, b=2 )": Lines(),
    "Hostile": Hostile(),
}


@every("name", OBJECTS)
def test_names(name):
    assert name_of(OBJECTS[name]) == name


def test_what_wraps_a_function_has_its_name():
    assert name_of(wrapped) == name_of(lru_cache(gelu)) == "gelu"


def test_a_lambda_is_called_by_its_place():
    here = name_of(lambda x: x)
    assert here.endswith(f"<lambda> at test_names.py:{(lambda: 0).__code__.co_firstlineno - 1}")


def test_a_sweep_calls_a_function_so():
    verdict = swept(partial(np.maximum, 0), dtype="float16", low=1, high=1.5, form="relu")
    assert (verdict.name, verdict.max_ulp) == ("maximum(0)", 0.0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch.compile's own, as it is imported
def test_those_of_pytorch(torch):
    function = torch.nn.functional.gelu
    tanh = partial(function, approximate="tanh")
    assert name_of(tanh) == "gelu(approximate='tanh')"
    assert name_of(torch.nn.GELU(approximate="tanh")) == "GELU(approximate='tanh')"
    assert name_of(torch.nn.Sequential(torch.nn.GELU())).startswith("Sequential( (0): GELU(")
    assert name_of(torch.compile(function)) == "torch.compile(gelu)"
    assert name_of(torch.compile(gelu)) == "torch.compile(gelu)"
    assert name_of(torch.compile(tanh)) == "torch.compile(gelu(approximate='tanh'))"
    module = torch.compile(torch.nn.GELU(approximate="tanh"))
    assert name_of(module) == "torch.compile(GELU(approximate='tanh'))"


def test_those_of_jax(jax):
    assert name_of(jax.jit(gelu)) == "jax.jit(gelu)"
    tanh = partial(jax.nn.gelu, approximate=True)
    assert name_of(jax.jit(tanh)) == f"jax.jit({name_of(jax.nn.gelu)}(approximate=True))"
