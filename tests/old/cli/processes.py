"""`gelu` as a process of its own: started, fed, read, watched; and what is compiled for it."""

import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from contextlib import contextmanager
from pathlib import Path
from select import select

import pytest

GELU = [sys.executable, "-m", "gelu_cli"]
SCRIPT = [str(Path(sysconfig.get_path("scripts"), "gelu"))]
RELU = ["table", "-3", "0.1", "--form", "relu"]
CSV = b"x,relu,relu_gradient\n-3.0,0.0,0.0\n0.1,0.1,1.0\n"
"""What RELU prints."""
LONG = ["table", "0:1:/1000000", "--form", "relu"]
STREAM = ["table", "-", "--form", "relu", "--quantity", "value"]

PLAIN = [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "PYTHONUTF8": "0"},
]
"""Environments whose encoding lacks some characters."""

MEBIBYTE = 1 << (20 if sys.platform == "darwin" else 10)
"""In the system's units of memory."""

linux = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="descriptors of processes are Linux's"
)
needs_dev_full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="the system has no /dev/full"
)

# What a shell or a terminal of whoever runs the tests would add.
FOREIGN = {"PYTHONUNBUFFERED", "PYTHONIOENCODING", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"}
FOREIGN |= {"CLICOLOR_FORCE", "LESS", "CI"}


def environment(**changes):
    """Return this process's environment without what would show in the answers, or a pager."""
    kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return {**kept, "PYTHONUTF8": "1", "TERM": "xterm-256color", "PAGER": "", **changes}


def run(*words, env=None, **settings):
    """Run gelu to its end."""
    settings = {"stdin": subprocess.DEVNULL} | settings if "input" not in settings else settings
    for stream in ("stdout", "stderr"):
        settings.setdefault(stream, subprocess.PIPE)
    return subprocess.run([*GELU, *words], env=environment(**env or {}), check=False, **settings)


def shell(redirections, *words, prefix="", **settings):
    """Run gelu from a shell, with its redirections."""
    script = f'{prefix} exec "$@" {redirections}'
    return subprocess.run(
        ["sh", "-c", script, "sh", *GELU, *words],
        # Under a limit of sizes Python would leave half of a compiled module.
        env=environment(PYTHONDONTWRITEBYTECODE="1"), capture_output=True, check=False, **settings,
    )  # fmt: skip


@contextmanager
def started(*words, env=None, program=GELU, **settings):
    """Start gelu with pipes; one that hangs is killed, so that the test fails and ends."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = environment(**env or {})
    with subprocess.Popen([*program, *words], env=env, **pipes | settings) as process:
        watchdog = threading.Timer(120, process.kill)
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()


def names(folder):
    """Return the names of what is in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


def write(process, data):
    """Write to a process's stdin at once."""
    process.stdin.write(data)
    process.stdin.flush()


MUCH = 1000
"""Lines of a thousand bytes: far more than a pipe holds, or than is read at once."""


def write_much(process, number=b"1"):
    """Write so many numbers: when the pipe has taken the last, the first have been answered."""
    write(process, MUCH * (number.ljust(999) + b"\n"))


def read_until(stream, text):
    """Read what a process writes until the text has come; fail if it ends before."""
    data = b""
    while text not in data:
        more = os.read(stream.fileno(), 1 << 16)
        assert more, f"ended without {text} after {data[-200:]}"
        data += more
    return data


def heard(fifo):
    """Return what a process writes to a FIFO, which waits until it is read."""
    descriptor = os.open(fifo, os.O_RDWR)
    try:
        assert select([descriptor], [], [], 60)[0], "nobody has written"
        return os.read(descriptor, 1 << 12).decode()
    finally:
        os.close(descriptor)


def has_ended(process, within=60.0):
    """Return whether any process has ended, by its number, or does so within some seconds."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select([descriptor], [], [], within)[0])
    finally:
        os.close(descriptor)


def compile_c(path, *sources, flags=()):
    """Compile a shared library, or what else the flags say; skip the test without a compiler."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler, cc")
    flags = flags or ("-O1", "-w", "-shared", "-fPIC")
    subprocess.run([compiler, *flags, "-o", path, *sources, "-lm"], check=True)
    return str(path)


def assert_one_line(done, code, *fragments):
    """Assert that a process ended with a code, printed nothing, and said why in one line."""
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.startswith(b"gelu: ")
    assert done.stderr.count(b"\n") == 1
    for fragment in fragments:
        assert fragment in done.stderr
