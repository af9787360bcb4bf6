"""torch and jax: bits there and back, autograd times upstream gradients, GLUs, faults."""

import runpy

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.kernels import call, facts
from gelu_cli.numbers import FORMATS
from tests.kernels.calls import array, every, fault, kernel
from tests.pages import ROOT

X, UPS = array([1.0, 2.0, -3.0]), array([4.0, -1.0, 0.5])


class OfTorch:
    """Kernels of PyTorch."""

    def __init__(self, torch):
        self.lib, self.math = torch, torch
        self.to = lambda x, dtype: x.to(getattr(torch, dtype))
        self.glu = torch.nn.functional.glu  # a·σ(b): the gate comes second


class OfJax:
    """Kernels of JAX."""

    def __init__(self, jax):
        self.lib, self.math = jax, jax.numpy
        self.to = lambda x, dtype: x.astype(dtype)
        self.glu = lambda x: x[: len(x) // 2] * jax.nn.sigmoid(x[len(x) // 2 :])


@pytest.fixture(params=["torch", "jax"])
def own(request):
    library = request.getfixturevalue(request.param)
    return {"torch": OfTorch, "jax": OfJax}[request.param](library)


@pytest.fixture
def of(own):
    """Describe a kernel of the library."""
    return lambda f, *formats, **how: kernel(f, *formats, backend=own.lib.__name__, **how)


def test_every_bit_pattern_arrives_and_comes_back(of):
    for dtype in FORMATS:
        x = every(dtype) if FORMATS[dtype].width <= 16 else array([1e-40, -0.0, 3.0], dtype)
        got = call(of(lambda x: x, dtype), x)
        assert got.dtype == x.dtype
        assert got.tobytes() == x.tobytes(), dtype


def test_values_and_gradients_times_upstream_gradients(of):
    """f = x³ on small integers, which every format has."""
    for dtype in ("float64", "float32", "float16", "bfloat16"):
        x = array([0.0, 1.0, -2.0, 4.0], dtype)
        assert call(of(lambda x: x * x * x, dtype), x).tolist() == [0, 1, -8, 64]
        slope = of(lambda x: x * x * x, dtype, quantity="gradient", upstream=-2.0)
        assert call(slope, x).tolist() == [0, -6, -24, -96]
        ups = array([3.0, 2.0, 1.0, 0.5], dtype)
        assert call(slope, x, ups).tolist() == [0, 6, 12, 24]


def test_gradients_of_glus(own, of):
    """f = max(gate, 0)·up."""
    relu = lambda x: own.math.maximum(x, 0 * x)  # noqa: E731
    both = lambda gate, up: relu(gate) * up  # noqa: E731
    swapped = lambda up, gate: relu(gate) * up  # noqa: E731
    halves = lambda x: relu(x[: x.shape[0] // 2]) * x[x.shape[0] // 2 :]  # noqa: E731
    pairs = lambda x: relu(x[::2]) * x[1::2]  # noqa: E731
    for f, how in (
        (both, {}),
        (swapped, {"up_first": True}),
        (halves, {"packed": "halves"}),
        (pairs, {"packed": "interleaved"}),
    ):
        by_gate, by_up = (
            of(f, glu=True, quantity=f"{name}_gradient", upstream=2.0, **how)
            for name in ("gate", "up")
        )
        assert call(by_gate, X, UPS).tolist() == [8, -2, 0], how
        assert call(by_up, X, UPS).tolist() == [2, 4, 0], how
        assert call(of(f, glu=True, **how), X, UPS).tolist() == [4, -2, 0], how


def test_a_packed_function_whose_up_comes_first(own, of):
    how = {"glu": True, "packed": "halves", "up_first": True}
    sigmoid = 1 / (1 + np.exp(-X.astype(float)))
    got = call(of(own.glu, **how), X, UPS)
    assert np.allclose(got, sigmoid * UPS, rtol=1e-6)
    by_up = call(of(own.glu, **how, quantity="up_gradient"), X, UPS)
    assert np.allclose(by_up, sigmoid, rtol=1e-6)


def test_backward_passes_get_upstream_gradients_first(of):
    back = {"backward": True, "upstream": 2.0}
    one = of(lambda up, x: up * x, quantity="gradient", **back)
    assert call(one, X).tolist() == [2, 4, -6]
    assert call(one, X, UPS).tolist() == [4, -2, -1.5]
    both = of(lambda d, gate, up: (d * up, d * gate), glu=True, quantity="up_gradient", **back)
    assert call(both, X, UPS).tolist() == [2, 4, -6]


def test_faults(own, of):
    wide = lambda x: own.to(x, "float16")  # noqa: E731
    in_place, overwrites = (lambda x: x.mul_(2)), "wrote into its input; let it return a new array"
    if own.lib.__name__ == "jax":
        in_place, overwrites = own.lib.jit(lambda x: x + 1, donate_argnums=0), "has been deleted"
    for f, how, part in (
        (wide, {}, "returned float16 for inputs of float32; return float32, or sweep --result"),
        (wide, {"quantity": "gradient"}, "returned float16 for inputs of float32"),
        (lambda x: np.ones(3, np.float32), {}, "returned ndarray, not an array of"),
        (lambda x: x[:2], {}, "returned the shape (2,) for inputs of (3,)"),
        (lambda x: x[:2], {"quantity": "gradient"}, "returned the shape (2,) for inputs of (3,)"),
        (in_place, {}, overwrites),
        (lambda a, b: 1 / 0, {"glu": True}, "from -3.0 to 4.0, and raised ZeroDivisionError: "),
    ):
        code, said = fault(of(f, **how), *([X, UPS] if "glu" in how else [X]))
        assert (code, part in said) == (4, True), said
    code, said = fault(
        of(lambda x: x, "float16", "float32", quantity="gradient"), array(X, "float16")
    )
    assert (code, "has the format of x; remove --result" in said) == (2, True)


def test_a_tensor_that_is_written_into_under_autograd(torch):
    code, said = fault(kernel(lambda x: x.mul_(2) + 0, backend="torch", quantity="gradient"), X)
    assert (code, "raised RuntimeError: a leaf Variable" in said) == (4, True)


def test_functions_of_autograd(torch, folder):
    (folder / "custom.py").write_text(
        "import torch\nclass Double(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(context, x): return 2 * x\n"
    )
    assert call(kernel("custom.py:Double.apply"), X).tolist() == [2, 4, -6]


def test_the_library_its_version_and_the_device_are_facts(own, of):
    name = own.lib.__name__
    found = facts(of(lambda x: x))
    assert found["library"] == f"{name} {own.lib.__version__}"
    assert "cpu" in found["device"].lower()
    for device in ("no-such-device", "cuda:77", "meta"):
        with pytest.raises(UsageError, match=f"^--device {device}: {name} does not have it"):
            call(of(lambda x: x, device=device), X)
    assert call(of(lambda x: x + x, device="cpu"), X).tolist() == [2, 4, -6]


def test_torchs_default_device_is_not_where_our_own_numbers_are(torch):
    with torch.device("meta"):
        runpy.run_path(str(ROOT / "gelu_cli/network/activations.py"))
