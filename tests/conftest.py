import os
import signal

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

# Hundreds of processes start here. Each would compile the program anew, and the threads of linear
# algebra would get into each other's way.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest_plugins = ["tests.old.costs"]

# The helpers assert too; a failure shall show the values.
pytest.register_assert_rewrite("tests.old.cli", "tests.truth")

# A first call fills caches, and the machine may be busy: time is no property of a result.
settings.register_profile("usual", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("usual")  # another one: pytest --hypothesis-profile=thorough


@pytest.fixture
def folder(tmp_path, monkeypatch, request):
    """An empty working directory, but for the module's FILES: texts by their names."""
    monkeypatch.chdir(tmp_path)
    for name, text in getattr(request.module, "FILES", {}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def torch():
    """PyTorch: its import and its first gradient are dear, and to be paid by no single test."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.ones(1, requires_grad=True)
    torch.autograd.grad(x.exp(), x, torch.ones(1))  # which imports more
    return torch


@pytest.fixture(scope="session")
def jax():
    """JAX, in the same way."""
    return pytest.importorskip("jax", reason="JAX is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Leave out the doctests of tests: there are none, and every module would be searched."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(0))


if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # As a shell has it that runs the tests in the background; what they start shall heed Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    # As nohup has it. A handler that does nothing keeps the tests alive, and is not inherited.
    signal.signal(signal.SIGHUP, lambda number, frame: None)
