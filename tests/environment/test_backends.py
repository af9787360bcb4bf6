"""Numbers reach a function and come back unharmed, whatever its library's threads flush."""

import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.arithmetic.patterns import numbers, patterns
from gelu_cli.environment import FROM_THE_START, SINCE_A_CALL, STANDARD, Guest, State, current_state
from gelu_cli.kernels.backends import find_backend

DTYPES = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_patterns_are_those_of_the_numbers(dtype):
    number_format = FORMATS[dtype]
    top = number_format.bits(number_format.largest)
    magnitudes = np.unique(np.linspace(0, top, 1000).astype(np.int64))
    signed = magnitudes | (-1 << (number_format.width - 1))  # as integers of that width have it
    for bits in (magnitudes, signed):
        x = numbers(number_format, bits)
        found = patterns(number_format, x).astype(f"i{number_format.width // 8}")
        assert (found == bits).all()


@pytest.mark.parametrize(
    ("dtype", "quantity"),
    [(dtype, quantity) for dtype in DTYPES for quantity in ("value", "gradient")],
)
def test_pytorch_may_flush_in_all_its_threads(dtype, quantity):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    number_format = FORMATS[dtype]
    carrier = np.float64 if dtype == "float64" else np.float32
    # Enough subnormal numbers to be shared among threads.
    bits = np.arange(100_000) % ((1 << (number_format.precision - 1)) - 1) + 1
    x = numbers(number_format, bits).astype(carrier)

    class Given(torch.autograd.Function):
        """x itself, and x as its own derivative."""

        @staticmethod
        def forward(context, tensor):
            context.save_for_backward(tensor)
            return tensor.clone()

        @staticmethod
        def backward(context, upstream):
            return context.saved_tensors[0].clone()

    def flushes(tensor):
        torch.set_flush_denormal(True)
        torch.ones(100_000) + 1  # in the threads as well
        return Given.apply(tensor)

    guest = Guest()
    for _ in range(2):
        settings = {"upstream": 1.0, "differentiate": True} if quantity == "gradient" else {}
        got = find_backend("torch", number_format)(flushes, x, guest=guest, **settings)
        assert current_state() == STANDARD
        assert (got == x).all()
    assert guest.seen == {STANDARD: FROM_THE_START, State(True, True): SINCE_A_CALL}
