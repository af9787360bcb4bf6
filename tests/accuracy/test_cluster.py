"""A sweep under joblib's configuration: a local Dask cluster finds what this process finds."""

import os
from logging import CRITICAL

import numpy as np
import pytest

from gelu_cli import sweep
from gelu_cli.errors import ComputationError

joblib = pytest.importorskip("joblib", reason="joblib is not installed")
distributed = pytest.importorskip("distributed", reason="Dask is not installed")

FEW = {"dtype": "float32", "range": "1:1.05", "all": True}


def rough(x):
    return x / (1 + np.exp(x.dtype.type(-1.702) * x))


@pytest.fixture(scope="module", autouse=True)
def cluster():
    settings = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": CRITICAL}
    with distributed.LocalCluster(n_workers=2, **settings) as cluster, distributed.Client(cluster):
        yield cluster


def test_a_lambda_is_swept_by_other_processes():
    here = os.getpid()
    alone = sweep(rough, **FEW).to_dict()
    with joblib.parallel_config(backend="dask"):
        found = sweep(lambda x: rough(x) if os.getpid() != here else 0 * x, **FEW).to_dict()
    assert {**found, "kernel": "rough"} == alone


def test_a_function_that_raises_is_told_with_its_input():
    def raises(x):
        if (x > 1.01).any():
            raise ValueError("too large")
        return x

    with (
        joblib.parallel_config(backend="dask"),
        pytest.raises(ComputationError, match=r"raised ValueError: too large$"),
    ):
        sweep(raises, **FEW)
