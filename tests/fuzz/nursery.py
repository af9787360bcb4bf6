"""A process that has imported all that gelu does, and makes a copy of itself for each line.

The copy becomes `gelu`: it has the streams, limits and variables that are asked for, and calls what
the installed command calls. So descriptors, signals, threads and the exit are those of a process,
which starts in a millisecond. Every descendant that it leaves becomes a child of this one, which
finds it.

    python -m tests.fuzz.nursery < requests > answers
"""

import atexit
import ctypes
import gc
import io
import os
import pickle
import resource
import select
import signal
import sys
import sysconfig
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import gelu_cli
from gelu_cli.__main__ import main
from tests.fuzz.lines import Ended

SECONDS = 120
"""That a line may take, until it is killed."""

SECONDS_AFTER = 20
"""That a line may take after a signal, and what it leaves behind after its end."""

END = b"\4"
"""What ends input at a terminal: Ctrl-D."""

BECOME_PARENT_OF_ORPHANS = 36
SCRIPT = Path(sysconfig.get_path("scripts"), "gelu")
WARM_UP = [
    "table 1 2 --format table",
    "table 1 --digits 30",
    "table 1 --dtype bfloat16 --bits",
    "table 0:1:/600",
    "error",
    "locate",
    "variance",
    "sweep --routine erfc --dtype float8_e5m2 --jobs 1",
    "plot",
    "plot -o /dev/null --format svg",
]
"""Lines that load what is loaded where it is used."""


class Stream:
    """One of the descriptors 0, 1, 2 of a line, and our side of it."""

    def __init__(self, kind, content=b""):
        self.kind, self.ours, self.theirs, self.text = kind, None, None, b""
        if kind == "tty":
            self.ours, self.theirs = os.openpty()
            os.set_blocking(self.ours, False)
        elif kind in ("pipe", "silent", "broken"):
            reader, writer = os.pipe()
            self.ours, self.theirs = reader, writer
        elif kind == "file":
            self.ours = os.memfd_create("stream")
            os.write(self.ours, content)
            self.theirs = os.open(f"/proc/self/fd/{self.ours}", os.O_RDWR)
        elif kind != "closed":
            flags = {"writing": os.O_WRONLY, "full": os.O_RDWR}.get(kind, os.O_RDONLY)
            path = {"full": "/dev/full", "zeros": "/dev/zero"}.get(kind, os.devnull)
            self.theirs = os.open(path, os.O_RDWR if kind == "null" else flags)

    @classmethod
    def of_stdin(cls, kind, content):
        """Return a stream to read; what is in a pipe was written before anybody reads."""
        stream = cls(kind, content)
        if kind == "tty":
            os.write(stream.ours, content.replace(END, b"")[:1000] + b"\n" + END * 2)
        if kind in ("pipe", "silent"):
            stream.ours, stream.theirs = stream.theirs, stream.ours
            os.set_blocking(stream.ours, False)
            os.write(stream.ours, content[:65536])
            if kind == "pipe":
                stream._close_ours()
        return stream

    @classmethod
    def to_read(cls, kind):
        """Return a stream to which a line writes."""
        stream = cls(kind)
        if kind == "broken":
            stream._close_ours()
        if kind == "pipe":
            os.set_blocking(stream.ours, False)
        return stream

    def leave(self):
        """Close the line's side, which the line has."""
        if self.theirs is not None:
            os.close(self.theirs)

    def drain(self):
        """Take what has been written so far."""
        try:
            while self.ours is not None and (data := os.read(self.ours, 1 << 16)):
                self.text += data
        except OSError:  # nothing more as yet, or a terminal that nobody has open
            pass

    def finish(self):
        """Return all that was written."""
        if self.kind == "file":
            os.lseek(self.ours, 0, os.SEEK_SET)
        self.drain()
        self._close_ours()
        return self.text.replace(b"\r\n", b"\n") if self.kind == "tty" else self.text

    def _close_ours(self):
        if self.ours is not None:
            os.close(self.ours)
        self.ours = None


def attend(request):
    """Return how a line ends, or the descriptor of `_become` in the process that becomes it."""
    around = request.around
    streams = [
        Stream.of_stdin(around.stdin, request.stdin),
        Stream.to_read(around.stdout),
        Stream.to_read(around.stderr),
    ]
    ready, is_ready = os.pipe()
    line = os.fork()
    if not line:
        return _become(request, streams, is_ready)
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


# The line's side


def _become(request, streams, is_ready):
    """Give this process what surrounds the line, and nothing else that is open.

    Return the descriptor that waits to be told when the line begins.
    """
    around = request.around
    os.setsid()
    os.chdir(request.folder)
    # Above the numbers that are to be given away.
    high = 900
    os.dup2(is_ready, high)
    for number, stream in enumerate(streams):
        if stream.theirs is not None:
            os.dup2(stream.theirs, high + 1 + number)
    os.closerange(0, high)
    for number, stream in enumerate(streams):
        if stream.theirs is not None:
            os.dup2(high + 1 + number, number)
    os.closerange(high + 1, high + 10)
    os.set_inheritable(high, False)
    os.environ.update(around.variables)
    _limit(around.limit)
    if around.executed:
        os.write(high, b"!")
        os.execve(SCRIPT, ["gelu", *request.words], os.environ)
    sys.argv = ["gelu", *request.words]
    sys.path[0] = str(SCRIPT.parent)
    if digits := around.variables.get("PYTHONINTMAXSTRDIGITS"):
        sys.set_int_max_str_digits(int(digits))
    _open_streams(around.variables.get("PYTHONIOENCODING", "utf-8"))
    return high


def _end(code):
    """End as Python does, but for the modules, which take 50 ms to be taken down."""
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        code = 120
    os._exit(code)


def _limit(limit):
    if limit:
        name, amount = limit
        sys.dont_write_bytecode = True  # or half of a compiled module may be left
        if name == "AS":
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            amount += pages * resource.getpagesize()
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (amount, amount))


def _open_streams(encoding):
    """Make the streams that Python makes of 0, 1 and 2 when it starts."""
    encoding, _, errors = encoding.partition(":")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = None
        with suppress(OSError):  # None, where it is closed
            raw = io.FileIO(number, "w" if number else "r", closefd=False)
            stream = io.TextIOWrapper(
                io.BufferedWriter(raw) if number else io.BufferedReader(raw),
                encoding,
                "backslashreplace" if number == 2 else errors or "strict",
                newline="\n" if number else None,
                line_buffering=number == 2 or raw.isatty(),
            )
            stream.mode = "w" if number else "r"
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


# The nursery's


def _load():
    """Import all that a line may, and compute what every line would compute again."""
    from gelu_cli.cli.app import run

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
    """Attend to requests until there are none; in the process of a line, return as `_become`."""
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
    except SystemExit as end:
        _end(end.code)
    except KeyboardInterrupt as interrupt:
        if interrupt.__traceback__.tb_next:
            raise
        os._exit(128 + signal.SIGINT)  # it came before the line began
