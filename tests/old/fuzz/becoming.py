"""How a copy of the nursery becomes a line, and how the line ends."""

import atexit
import io
import os
import resource
import sys
import sysconfig
import threading
from contextlib import suppress
from pathlib import Path

SCRIPT = Path(sysconfig.get_path("scripts"), "gelu")


def become(request, streams, is_ready):
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


def end(code):
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
