"""A sweep under joblib's configuration is judged by joblib's backend: a Dask cluster, threads."""

import os
from logging import CRITICAL

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from tests.old.asked import swept
from tests.old.sweeping.test_executors import found

joblib = pytest.importorskip("joblib", reason="joblib is not installed")


def rough(x):
    return x / (1 + np.exp(x.dtype.type(-1.702) * x))


FEW = {"low": 1.0, "high": 1.2, "every": True}


@pytest.fixture(scope="module")
def alone():
    """The verdict of this process alone, on that function by any name."""
    return found(swept(rough, **FEW))[1:]


def test_threads_of_joblib_come_to_the_same_verdict(alone):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert found(swept(lambda x: rough(x) + 0, **FEW))[1:] == alone


def test_joblib_alone_changes_nothing(alone):
    """It is imported, as scikit-learn does, and not configured."""
    processes = set()
    assert found(swept(lambda x: processes.add(os.getpid()) or rough(x), **FEW))[1:] == alone
    assert processes == {os.getpid()}


def test_what_a_backend_raises_is_an_error_of_ours(monkeypatch):
    class Parallel:
        n_jobs = 2

        def __init__(self, **settings):
            pass

        def __call__(self, calls):
            raise OSError("no cluster")

    monkeypatch.setattr(joblib, "Parallel", Parallel)
    with pytest.raises(ComputationError, match=r"^joblib's backend raised OSError: no cluster$"):
        swept(rough, **FEW)


# Dask


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    settings = {
        "threads_per_worker": 1,
        "dashboard_address": ":0",
        "silence_logs": CRITICAL,
    }
    with distributed.LocalCluster(n_workers=2, **settings) as cluster, distributed.Client(cluster):
        yield cluster


@pytest.fixture
def dask(cluster):
    with joblib.parallel_config(backend="dask"):
        yield cluster


@pytest.mark.usefixtures("dask")
def test_a_lambda_is_swept_by_other_processes(alone):
    here = os.getpid()

    def elsewhere(x):
        return rough(x) if os.getpid() != here else 0 * x

    assert found(swept(lambda x: elsewhere(x) + 0, **FEW))[1:] == alone


@pytest.mark.usefixtures("dask")
def test_a_function_that_raises_is_told_with_its_input():
    def raises(x):
        if (x > 1.1).any():
            raise ValueError("too large")
        return x

    with pytest.raises(ComputationError, match=r"raised ValueError at x = 1\.1\d*: too large$"):
        swept(raises, **FEW)


@pytest.mark.usefixtures("dask")
def test_a_worker_that_dies_is_replaced(alone, tmp_path):
    here, dead = os.getpid(), tmp_path / "dead"

    def dies_once(x):
        if os.getpid() != here and not dead.exists():
            dead.touch()
            os._exit(1)
        return rough(x)

    assert found(swept(dies_once, **FEW))[1:] == alone
    assert dead.exists()
