"""numpy, PyTorch, JAX and TensorFlow themselves, on the CPU."""

import pytest

from tests.kernels.libraries import BY_DTYPE, EVERY_DTYPE, Library, cases_of

NAMES = ["numpy", "torch", "jax", "tensorflow"]


@pytest.fixture(scope="module", params=NAMES)
def library(request):
    pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    return Library(request.param)


@pytest.mark.parametrize("question", [*EVERY_DTYPE, *BY_DTYPE], ids=lambda each: each.__name__)
def test_what_holds_on_any_device_holds_on_the_cpu(library, question):
    asked = [case for each, case in cases_of(library) if each is question]
    for case in asked:
        assert question(case)
    assert asked or library.name == "numpy"
