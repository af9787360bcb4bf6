"""Several workers share calls: all results come, in order, and an error comes in its place."""

import os

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.guests.workers import WorkerEndedError
from gelu_cli.old.guests.workers.pool import Pool
from tests.old.guests.workers.servant import Servant
from tests.old.processes import has_ended, linux


@pytest.fixture(scope="module")
def pool():
    with Pool(3, Servant, "s") as pool:
        yield pool


@pytest.fixture
def fifo(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    return tmp_path / "fifo"


def test_results_come_in_the_order_of_the_items(pool, fifo):
    """Though the first waits for the last: a worker that is free takes the next."""
    orders = [f"wait {fifo}", *["nothing"] * 50, f"release {fifo}"]
    assert list(pool.map("obey", orders)) == orders


def test_there_may_be_less_to_do_than_workers(pool):
    assert list(pool.map("echo", [])) == []
    assert list(pool.map("echo", ["once"])) == ["once"]
    assert len({*pool.each("process")}) == 3


def test_arrays_stay_what_they_are(pool):
    arrays = [np.full(1000, i) for i in range(20)]
    for one, other in zip(arrays, list(pool.map("echo", arrays)), strict=True):
        assert one.tolist() == other.tolist()


def test_an_error_comes_in_its_place(fifo):
    """After the results before it, which may be later."""
    orders = [f"wait {fifo}", "refuse second", f"release {fifo}", *["refuse later"] * 20]
    with Pool(3, Servant, "s") as pool:
        results = pool.map("obey", orders)
        assert next(results) == orders[0]
        with pytest.raises(UsageError, match=r"^second$"):
            next(results)


@linux
def test_a_worker_that_dies_is_an_error_and_all_processes_end():
    with Pool(2, Servant, "s") as pool:
        processes = pool.each("process")
        ended = r"^it ended its process, with exit code 3$"
        with pytest.raises(WorkerEndedError, match=ended):
            list(pool.map("obey", ["nothing", "leave", *["hang"] * 3]))
    assert all(map(has_ended, processes))


def test_an_object_that_cannot_be_made_is_an_error():
    with (
        pytest.raises(UsageError, match=r"^no such thing$"),
        Pool(2, Servant, UsageError("no such thing")),
    ):
        pass
