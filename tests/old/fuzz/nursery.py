"""A process that has imported all that gelu does, and makes a copy of itself for each line.

The copy becomes `gelu`: it has the streams, limits and variables that are asked for, and calls what
the installed command calls. So descriptors, signals, threads and the exit are those of a process,
which starts in a millisecond. Every descendant that it leaves becomes a child of this one, which
finds it.

    python -m tests.old.fuzz.nursery < requests > answers
"""

import ctypes
import gc
import os
import pickle
import select
import signal
import sys
import time
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import gelu_cli
from gelu_cli.__main__ import main
from tests.old.fuzz.becoming import become, end
from tests.old.fuzz.contract import Ended
from tests.old.fuzz.streams import Stream

SECONDS = 120
"""That a line may take, until it is killed."""

SECONDS_AFTER = 20
"""That a line may take after a signal, and what it leaves behind after its end."""

BECOME_PARENT_OF_ORPHANS = 36
WARM_UP = [
    "table 1 2 --format table",
    "table 1 --digits 30",
    "table 1 --dtype bfloat16 --bits",
    "table 0:1:/600",
    "error",
    "locate --quiet",
    "variance",
    "sweep erfc --dtype float8_e5m2 --jobs 1",
    "plot",
    "plot -o /dev/null --format svg",
]
"""Lines that load what is loaded where it is used."""


def attend(request):
    """Return how a line ends, or the descriptor of `become` in the process that becomes it."""
    around = request.around
    streams = [
        Stream.of_stdin(around.stdin, request.stdin),
        Stream.to_read(around.stdout),
        Stream.to_read(around.stderr),
    ]
    ready, is_ready = os.pipe()
    line = os.fork()
    if not line:
        return become(request, streams, is_ready)
    os.close(is_ready)
    for stream in streams:
        stream.leave()
    os.read(ready, 1)
    os.close(ready)
    begin = time.monotonic()
    late = _watch(line, streams[1:], around, begin)
    _, status = os.waitpid(line, 0)
    seconds = time.monotonic() - begin
    left = _orphans()
    out, err = (stream.finish() for stream in streams[1:])
    streams[0].finish()
    return Ended(os.waitstatus_to_exitcode(status), out, err, late, left, seconds)


def _watch(line, streams, around, begin):
    """Read what a line writes until it ends, send it its signal; return whether it was killed."""
    due = begin + around.delay if around.sign else None
    end = begin + SECONDS
    watched = select.poll()
    descriptor = os.pidfd_open(line)
    watched.register(descriptor, select.POLLIN)
    for stream in streams:
        if stream.kind in ("pipe", "tty"):
            watched.register(stream.ours, select.POLLIN)
    late = False
    while True:
        until = end if due is None else due
        events = dict(watched.poll(max(0, until - time.monotonic()) * 1000))
        for stream in streams:
            if stream.ours in events:
                stream.drain()
                if events[stream.ours] & (select.POLLHUP | select.POLLERR):
                    watched.unregister(stream.ours)
        if descriptor in events:
            break
        if time.monotonic() >= until:
            sign, late = (signal.SIGKILL, True) if due is None else (around.sign, late)
            os.kill(line, sign)
            end, due = time.monotonic() + SECONDS_AFTER, None
    os.close(descriptor)
    return late


def _orphans():
    """Wait for what the line has left to end; return how many had to be killed."""
    end = time.monotonic() + SECONDS_AFTER
    killed = 0
    while children := _children():
        for child in children:
            descriptor = os.pidfd_open(child)
            ending = select.poll()
            ending.register(descriptor, select.POLLIN)
            if not ending.poll(max(0, end - time.monotonic()) * 1000):
                os.kill(child, signal.SIGKILL)
                killed += 1
            os.close(descriptor)
            os.waitpid(child, 0)
    return killed


def _children():
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return [int(child) for child in path.read_text().split()]


def _load():
    """Import all that a line may, and compute what every line would compute again."""
    from gelu_cli.old.cli.app import run

    for module in walk_packages(gelu_cli.__path__, "gelu_cli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    kept = sys.stdout
    with open(os.devnull, "w") as sys.stdout:
        for line in WARM_UP:
            code = run(line.split())
            assert code == 0, (line, code)
    sys.stdout = kept
    assert len(os.listdir("/proc/self/task")) == 1, "threads do not survive in a copy"


def _nurse():
    """Attend to requests until there are none; in the process of a line, return as `become`."""
    ctypes.CDLL(None).prctl(BECOME_PARENT_OF_ORPHANS, 1)
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _load()
    gc.collect()
    gc.freeze()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            os._exit(0)
        ended = attend(request)
        if isinstance(ended, int):
            return ended
        pickle.dump(ended, answers)
        answers.flush()


if __name__ == "__main__":
    ready = _nurse()
    try:
        os.write(ready, b"!")
        os.close(ready)
        main()
    except SystemExit as ending:
        end(ending.code)
    except KeyboardInterrupt as interrupt:
        if interrupt.__traceback__.tb_next:
            raise
        os._exit(128 + signal.SIGINT)  # it came before the line began
