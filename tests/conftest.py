"""Settings of all tests, and what several of them share."""

import os
import signal

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

# Else each process that a test starts would compile the program anew, threads of linear algebra
# would slow each other, and JAX would take most of a GPU's memory.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest.register_assert_rewrite("tests.truth")

# The first call fills caches: time is not a property of a result.
settings.register_profile("usual", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("usual")  # another one: pytest --hypothesis-profile=thorough


@pytest.fixture
def folder(tmp_path, monkeypatch, request):
    """Make an empty working directory, with the module's FILES: texts by their names."""
    monkeypatch.chdir(tmp_path)
    for name, text in getattr(request.module, "FILES", {}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def torch():
    """Import PyTorch and take a first gradient once, at no single test's expense."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.ones(1, requires_grad=True)
    torch.autograd.grad(x.exp(), x, torch.ones(1))
    return torch


@pytest.fixture(scope="session")
def jax():
    """Import JAX once."""
    return pytest.importorskip("jax", reason="JAX is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Leave out the doctests of tests: they have none."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


def pytest_collection_modifyitems(items):
    """Let slow tests take their time."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(0))


if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell starts background jobs so; the processes that tests start must heed Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    # Under nohup: a handler that does nothing keeps the tests alive, and is not inherited.
    signal.signal(signal.SIGHUP, lambda number, frame: None)
