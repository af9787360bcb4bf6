"""Kernels that do what they should not, each in workers; a program, whose output is what is wrong.

It has imported no library with threads, so its workers are forked: it takes some seconds.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from gelu_cli.errors import GeluError
from gelu_cli.kernels import workers
from tests.kernels.calls import Calls, Unit, array, kernel, program

SLEEP = f"31415{os.getpid()}"
"""Seconds that children of kernels sleep: by it those of this run are found."""

PRELUDE = """
import atexit, ctypes, gc, os, resource, signal, socket, subprocess, sys, threading, time, warnings
import numpy as np
libc = ctypes.CDLL(None)
"""
RIGHT, NAMED = "", "was given 3 inputs when "
SIGNAL = NAMED + "its process ended: "
EXITED = NAMED + "it ended its process, with exit code "
LATE = NAMED.replace("when", "and") + "did not return within 0.2 s (--timeout)"
BROKE = NAMED + "it broke its connection to gelu"
AT = "was given 3 inputs, from -3.0 to 2.0, and raised {}"

KERNELS = {  # what a kernel does before it returns x: what is said, nothing if it is right
    # exceptions
    "1 / 0": AT.format("ZeroDivisionError"),
    "raise KeyboardInterrupt": AT.format("KeyboardInterrupt"),
    "raise SystemExit(0)": AT.format("SystemExit"),
    "raise GeneratorExit": AT.format("GeneratorExit"),
    "raise BaseExceptionGroup('all', [KeyboardInterrupt()])": AT.format("BaseExceptionGroup"),
    "raise type('E', (Exception,), {'__reduce__': lambda self: 1 / 0})('odd')": AT.format("E"),
    "raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})": AT.format(
        "an exception without text"
    ),
    "raise Exception('x' * 10**6)": AT.format("Exception"),
    "raise Exception('a\\nb\\x1b[31m')": AT.format("Exception") + ": a b",
    "warnings.warn('hm')": RIGHT,
    "f(x)": AT.format("RecursionError"),
    # results
    "return None": "returned NoneType, not an array of numpy",
    "return x[:0]": "returned the shape (0,) for inputs of (3,)",
    "return x.astype(complex)": "returned complex128 for inputs of float32",
    "return x.astype('>f4')": RIGHT,
    "return np.ma.MaskedArray(x, x > 0)": "returned MaskedArray",
    "return np.broadcast_to(x[:1], 3) + x - x[:1]": RIGHT,
    "x[1] = 5": "wrote into its input",
    "x.flags.writeable = False": RIGHT,
    "yield x": "returned generator",
    # ends
    "os._exit(7)": EXITED + "7",
    "os.abort()": SIGNAL + "Aborted",
    "libc.exit(3)": EXITED + "3",
    "ctypes.string_at(0)": SIGNAL + "Segmentation fault",
    "os.kill(os.getpid(), signal.SIGKILL)": SIGNAL + "Killed",
    "os.kill(os.getpid(), signal.SIGINT)": RIGHT,
    "os.killpg(0, signal.SIGINT)": RIGHT,
    "os.killpg(0, signal.SIGKILL)": SIGNAL + "Killed",
    "signal.alarm(1); signal.pause()": SIGNAL + "Alarm clock",
    "os.execv('/bin/true', ['true'])": EXITED + "0",
    "resource.setrlimit(resource.RLIMIT_AS, (1, 1)); bytearray(10**9)": AT.format("MemoryError"),
    # hangs
    "time.sleep(1000)": LATE,
    "signal.pause()": LATE,
    "os.kill(os.getpid(), signal.SIGSTOP)": LATE,
    "ctypes.PyDLL(None).pause()": LATE,
    "threading.Lock().acquire(); lock = threading.Lock(); lock.acquire(); lock.acquire()": LATE,
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)": LATE,
    "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(1000)": LATE,
    # processes and threads
    f"subprocess.Popen(['sleep', '{SLEEP}'])": RIGHT,
    f"subprocess.Popen(['sleep', '{SLEEP}']); os._exit(5)": EXITED + "5",
    f"subprocess.run(['sleep', '{SLEEP}'])": LATE,
    "os.fork()": RIGHT,
    f"os.fork() or os.execlp('sleep', 'sleep', '{SLEEP}')": RIGHT,
    "threading.Thread(target=time.sleep, args=(1000,)).start()": RIGHT,
    "atexit.register(time.sleep, 1000)": RIGHT,
    "import multiprocessing; multiprocessing.Pool(1).map(abs, [1])": RIGHT,
    # descriptors and the interpreter
    "os.closerange(0, 100)": NAMED,
    "sys.stderr.close(); sys.stdout = None": RIGHT,
    "sys.stdin.read(); input('?') if 0 else None": RIGHT,
    "print('words'); os.write(1, b'words'); libc.puts(b'words')": RIGHT,
    "sys.modules.clear()": EXITED + "0",
    "import builtins; builtins.len = None": NAMED,
    "os.environ.clear(); os.chdir('/')": RIGHT,
    "np.seterr(all='raise'); np.exp(np.float32(99)) * x": AT.format("FloatingPointError"),
    "libc.fesetround(0x800)": RIGHT,
    "sys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)": RIGHT,
}
PROGRAMS = {
    f"sh -c 'sleep {SLEEP} & exit 3'": LATE,
    f"sleep {SLEEP}": LATE,
    f"sh -c 'cat; sleep {SLEEP} >&2 &'": RIGHT,
    "yes": "and wrote more than 12 bytes of results",
    "false": "it ended its process, with exit code 1",
}

X = array([1.0, 2.0, -3.0])


def message(described):
    """Return what is said of a kernel, nothing if its results are right."""
    try:
        for _, got in workers.run(Calls(described), [Unit((X,)), Unit((X,))], jobs=1):
            if got.tobytes() != X.tobytes():
                return f"returned {got}"
    except GeluError as error:
        return str(error)
    return ""


def sleepers():
    """Return the processes of kernels that are left."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
            parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if SLEEP.encode() in words or int(parent) == os.getpid():
            found.append((path.name, words))
    return found


def main():
    """Print what is said otherwise, and what is left."""
    os.chdir(tempfile.mkdtemp(prefix="hostile-"))
    wrong, before, limits = [], sys.stdout.fileno(), {}
    for i, (does, part) in enumerate(KERNELS.items()):
        name = f"k{i}.py"
        Path(name).write_text(f"{PRELUDE}\ndef f(x):\n    {does}\n    return x\n")
        limits[kernel(f"{name}:f", timeout=0.2 if part == LATE else None)] = does, part
    for command, part in PROGRAMS.items():
        limits[program(command, timeout=0.2 if part == LATE else None)] = command, part
    for described, (does, part) in limits.items():
        begun = time.monotonic()
        said = message(described)
        if (part not in said) or (not part and said):
            wrong.append(f"{does}: {said!r}, not {part!r}")
        took = time.monotonic() - begun
        if took > 5:
            wrong.append(f"{does}: took {took:.1f} s")
        while (left := sleepers()) and time.monotonic() - begun < 9:  # they are being killed
            time.sleep(0.01)
        if left:
            wrong.append(f"{does}: left {left}")
    left = {each.name for each in Path().iterdir()} - {f"k{i}.py" for i in range(len(KERNELS))}
    wrong += sorted(left - {"__pycache__"})
    assert before == sys.stdout.fileno()
    assert np.float32(2.0**-126) / np.float32(2) > 0
    print(f"{len(limits)} kernels", *wrong, sep="\n")


if __name__ == "__main__":
    main()
