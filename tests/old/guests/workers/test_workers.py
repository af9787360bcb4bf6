"""A worker makes an object in a process of its own, calls it, and its end is an error like any."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.guests import workers
from gelu_cli.old.guests.workers import Worker, WorkerEndedError, WorkerLateError
from tests.old.every import every
from tests.old.guests.workers.servant import Servant
from tests.old.processes import has_ended, linux


@pytest.fixture(scope="module")
def worker():
    with Worker(Servant, "s") as worker:
        yield worker


def test_a_method_is_called_in_another_process(worker):
    assert worker.call("name") == "s"
    assert worker.call("process") != os.getpid()


def test_the_object_stays_the_same(worker):
    first = worker.call("count")
    assert worker.call("count") == first + 1


@every("dtype", ["f8", "f4", "<u2", ">i4", "?", "c16"])
@every("shape", [(0,), (1,), (), (3, 5), (1 << 16,)])
def test_arrays_come_back_as_they_went(worker, dtype, shape):
    array = np.arange(np.prod(shape), dtype=float).astype(dtype).reshape(shape)
    got = worker.call("echo", array)
    assert (got.dtype, got.shape, got.tobytes()) == (array.dtype, array.shape, array.tobytes())


def test_large_and_scattered_arrays_come_back_as_well(worker):
    """Those that exceed the memory they share go by the socket."""
    large = np.ones(1 << 20)
    arrays = [np.arange(400.0), np.arange(300.0)[::-3], np.asfortranarray(np.eye(5)), large]
    got = worker.call("echo", arrays)
    assert [each.tolist() for each in got] == [each.tolist() for each in arrays]


def test_errors_of_ours_come_back_as_they_are(worker):
    for kind in (UsageError, ComputationError):
        with pytest.raises(kind, match=r"^no$"):
            worker.call("fail", kind, "no")
    assert worker.call("name") == "s"


def test_other_exceptions_come_back_as_what_they_say(worker):
    with pytest.raises(RuntimeError, match=r"^ZeroDivisionError: no$"):
        worker.call("fail", ZeroDivisionError, "no")
    with pytest.raises(RuntimeError, match=r"^SystemExit: 0$"):
        worker.call("fail", SystemExit, 0)


def test_calls_of_several_threads_take_turns(worker):
    got = {}
    threads = [
        threading.Thread(target=lambda n=n: got.update({n: int(worker.call("echo", n))}))
        for n in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert got == {n: n for n in range(8)}


@every(
    ("call", "how"),
    [
        (["leave"], "it ended its process, with exit code 3"),
        (["abort"], "its process ended: Aborted"),
        (["crash"], "its process ended: Segmentation fault"),
        (["disturb", b"\xff" * 100, "hang"], "it broke its connection to gelu"),
        (["disturb", b"\n"], "it broke its connection to gelu"),
        (["leave_a_child_behind"], "it ended its process, with exit code 5"),
    ],
)
def test_how_a_process_ended_is_told(call, how):
    with Worker(Servant, "s") as worker, pytest.raises(WorkerEndedError, match=f"^{how}$"):
        worker.call(*call)


BROKE = "^it broke its connection to gelu$"
FORGED = [5, "ab", (b"12345678", 5), np.arange(3.0), []]


@every("reply", FORGED, ids=repr)
def test_a_reply_that_answers_no_call_is_none(reply):
    with Worker(Servant, "s") as worker, pytest.raises(WorkerEndedError, match=BROKE):
        worker.call("reply", reply)


@every("length", [1, 1 << 36, (1 << 64) - 1000])
@every("then", ["hang", "nothing"])
def test_a_reply_that_does_not_go_on_is_not_waited_for(length, then):
    with Worker(Servant, "s") as worker, pytest.raises(WorkerEndedError, match=BROKE):
        worker.call("reply", 5, length, then)


def test_a_method_that_takes_too_long_is_not_waited_for():
    with Worker(Servant, "s") as worker, pytest.raises(WorkerLateError):
        worker.call("hang", within=0.1)


@every("then", ["leave", "leave_a_child_behind"])
def test_a_process_that_ends_amid_a_reply_has_ended(then):
    with Worker(Servant, "s") as worker, pytest.raises(WorkerEndedError, match="with exit code"):
        worker.call("reply", 5, 1000, then)


def test_an_object_that_cannot_be_made_is_an_error():
    made = Worker(Servant, UsageError("no such thing"))
    with made as worker, pytest.raises(UsageError, match=r"^no such thing$"):
        worker.call("name")


@linux
def test_a_process_ends_with_its_worker_and_so_do_its_children():
    with Worker(Servant, "s") as worker:
        processes = [worker.call("process"), worker.call("child")]
        assert not any(has_ended(each, within=0) for each in processes)
    assert all(map(has_ended, processes))


@linux
def test_a_process_at_work_is_ended_without_grace(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    worker = Worker(Servant, "s")
    process = worker.call("process")
    errors = []

    def call():
        try:
            worker.call("release", tmp_path / "fifo", "hang")
        except WorkerEndedError as error:
            errors.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    open(tmp_path / "fifo").close()
    worker.close()
    caller.join(60)
    assert len(errors) == 1
    assert has_ended(process)


PROGRAM = """
import os, signal
from gelu_cli.old.guests.workers import Worker
from tests.old.guests.workers.servant import Servant
worker = Worker(Servant, "s")
{}
"""
LEFT = "print(worker._process.pid, flush=True)\nos._exit(0)"
"""Before it began."""
KILLED = """print(worker.call("process"), flush=True)
worker.ask("hang")
os.kill(os.getpid(), signal.SIGKILL)"""


@linux
@every(("ends", "code"), [(LEFT, 0), (KILLED, -signal.SIGKILL)])
def test_a_process_ends_when_the_program_is_gone(ends, code):
    words = [sys.executable, "-c", PROGRAM.format(ends)]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == code
    assert has_ended(int(done.stdout))


@pytest.mark.parametrize(("name", "before"), [("", ""), ("it", "it: ")])
def test_streams_are_not_those_of_the_program(capfd, name, before):
    """What is written stands behind the name of a worker that has one."""
    with Worker(Servant, "s", name=name) as worker:
        assert worker.call("read") == ""
        worker.call("write")
    out, err = capfd.readouterr()
    assert out == ""
    assert sorted(err.splitlines()) == [
        f"{before}{word}" for word in ("child", "descriptor", "print")
    ]


def test_a_worker_is_closed_when_all_that_it_said_is_written(capfd, monkeypatch):
    """Nothing is written here before somebody waits for it."""
    wanted = threading.Event()
    run, join = workers.Relay.run, workers.Relay.join

    def late(relay):
        wanted.wait()
        run(relay)

    def joined(relay, timeout):
        wanted.set()
        join(relay, timeout)

    monkeypatch.setattr(workers.Relay, "run", late)
    monkeypatch.setattr(workers.Relay, "join", joined)
    with Worker(Servant, "s", name="it") as worker:
        worker.call("write")
    assert "it: print\n" in capfd.readouterr().err


def test_a_process_whose_words_nobody_can_hear_is_none(monkeypatch):
    def refuse(relay):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(workers.Relay, "start", refuse)
    with pytest.raises(
        ComputationError, match=r"^no thread can be started: can't start new thread$"
    ):
        Worker(Servant, "s", name="it")


def test_what_is_installed_comes_before_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "/first", *sys.path])  # as python -c has it
    with Worker(Servant, "s") as worker:
        path = worker.call("import_path")
    assert (path[0], path[-1]) == ("/first", "")
    assert path.count("") == 1
