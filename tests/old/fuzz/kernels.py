"""Functions of a user's own that do to their process, and to who calls them, all that one may."""

import re

SAYS = "kernel says"
"""What is in each line that a kernel writes."""

RETURNED = {
    "right": "x * (x > 0)",
    "shape": "x[:1]", "longer": "np.concatenate([x, x])", "column": "x[:, None]",
    "scalar": "x.sum()", "text": "np.array(['1'] * len(x))", "none": "None",
    "objects": "x.astype(object)", "complexes": "x + 1j", "integers": "np.zeros(len(x), int)",
    "bits": "x.view(np.uint8)", "a_list": "x.tolist()", "a_generator": "(each for each in x)",
    "structured": "np.zeros(len(x), 'f4,f4')", "swapped": "x.astype(x.dtype.newbyteorder())",
    "masked": "np.ma.masked_less(x, 0)", "endless": "iter(int, 1)", "says": "Says(x)",
    "fails": "Fails(x)", "of_length": "x * len(x)", "much_memory": "np.zeros(1 << 60)",
    "random": "np.random.default_rng().random(len(x)).astype(x.dtype)",
    "stateful": "x * next(calls)", "recursion": "recursion(x)",
}  # fmt: skip
RAISED = {
    "boom": r"ValueError('no\nsuch \x1b[31mluck\u202e')", "long_text": "ValueError('long ' * 5000)",
    "memory": "MemoryError", "leaves": "SystemExit(0)", "interrupts": "KeyboardInterrupt",
    "generator_exit": "GeneratorExit", "broken_pipe": "BrokenPipeError", "mute": "Mute",
    "panics": "Panic('in Rust')", "named": "Named('oops')",
    "usage": r"gelu_cli.errors.UsageError('not \x1b[0m yours\nto raise')",
    "grouped": "ExceptionGroup('some', [ValueError('a'), Mute()])",
    "caused": "ValueError('because') from Mute()",
}  # fmt: skip
DONE = {
    # Ends of the process
    "exits": "os._exit(0)", "aborts": "os.abort()", "crashes": "ctypes.string_at(0)",
    "kills_all": "os.killpg(0, signal.SIGTERM)",
    "quits": "sys.stderr.flush(); signal.raise_signal(signal.SIGINT)",
    # What is printed
    "prints": f"print('{SAYS} print', flush=True)", "writes": rf"os.write(1, b'{SAYS} write\n')",
    "puts": f"libc.puts(b'{SAYS} puts'); libc.fflush(None)",
    "child": f"subprocess.run(['echo', '{SAYS} child'])",
    "nests": f"subprocess.run([sys.executable, '-c', 'print(\\'{SAYS} nested\\')'])",
    "warns": f"warnings.warn('{SAYS} warning'); x = x / 0",
    # What is left behind, or taken away
    "in_place": "x[:] = 0", "read_only": "x.flags.writeable = False",
    "closes": "os.closerange(0, 100)", "closes_streams": "sys.stderr.close(); sys.stdout = None",
    "reads": "sys.stdin.read()", "child_left": "subprocess.Popen(['sleep', '1000'])",
    "thread": "threading.Thread(target=time.sleep, args=(1000,)).start()",
    "forks": "next(forked, None) and os.fork()",  # the copy goes on, and would fork as well
    "forks_away": "next(forked, None) and (os.fork() or time.sleep(1000))",
    "handlers": "[signal.signal(sign, signal.SIG_IGN) for sign in (1, 2, 13, 15)]",
    "alarm": "signal.setitimer(signal.ITIMER_REAL, 0.001); time.sleep(1)",
    "folder": "os.chdir('/')", "umask": "os.umask(0o777)",
    "environment": "os.environ.clear(); sys.path.clear()",
    "modules": "[sys.modules.pop(each) for each in [*sys.modules] if each[:4] in ('gelu', 'pick')]",
    "patches": "np.asarray = np.array = None",
    "limits": "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
}  # fmt: skip
"""Functions by what they return, raise, or do before they return x."""

KERNELS = """
import ctypes, itertools, os, resource, signal, subprocess, sys, threading, time, warnings
import numpy as np
import gelu_cli.errors

calls, forked, libc = itertools.count(1), iter([True]), ctypes.CDLL(None)
class Says:
    def __init__(self, x): self.dtype, self.shape, self.x = x.dtype, x.shape, x
    def __array__(self, *args, **settings): return self.x.reshape(2, -1)
class Fails(Says):
    def __array__(self, *args, **settings): raise ValueError("no array")
class Panic(BaseException): pass
class Mute(Exception):
    def __str__(self): raise SystemExit(0)
    __repr__ = __str__
class Named(Exception): pass
Named.__name__ = "a\\nb\\x1b[2J"
class Made:
    def __init__(self, a=None): self.a = a
class Leaves:
    def __init__(self): raise SystemExit(0)
class Exits:
    def __init__(self): os._exit(0)
class Panics:
    def __init__(self): raise Panic("made")
class Meta(type):
    def __call__(cls, *args): raise SystemExit(0)
class OfMeta(metaclass=Meta): pass
""" + "".join(
    [
        *(f"def {name}(x, a=0): return {what}\n" for name, what in RETURNED.items()),
        *(f"def {name}(x): raise {what}\n" for name, what in RAISED.items()),
        *(f"def {name}(x):\n    {what}\n    return x\n" for name, what in DONE.items()),
    ]
)
HOSTILE = """
def right(x): return x
class Panic(BaseException): pass
class Hides:
    def __call__(self, x): return x
    def __getattr__(self, name): raise Panic(name)
    def __repr__(self): raise Panic("repr")
hides = Hides()
class Lies:
    __class__ = property(lambda self: 1 / 0)
    def __call__(self, x): return x
lies = Lies()
class Anything:
    def __call__(self, *args, **settings): return self
    def __getattr__(self, name): return self
    def __len__(self): return -1
anything = Anything()
"""
"""Objects that do not like to be looked at, beside a function that is right."""

WAITING = """
import signal, time
def spins(x):
    while True: pass
def sleeps(x): time.sleep(1000)
def deaf(x):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True: time.sleep(1000)
class Makes:
    def __init__(self): time.sleep(1000)
"""
"""Only for lines that are sent a signal."""

IMPORTED = {
    "leaving": "raise SystemExit(0)",
    "interrupting": "raise KeyboardInterrupt",
    "exiting": "import os; os._exit(0)",
    "crashing": "import ctypes; ctypes.string_at(0)",
    "panicking": "class Panic(BaseException): pass\nraise Panic('early')",
    "talking": f"print('{SAYS} import', flush=True)",
    "broken": "def f(:",
    "nul": "\0",
    "latin": "# -*- coding: nonsense -*-",
    "forking": "import os; os.fork()",
    "circular": "import circular; circular.f",
    "torch": "raise SystemExit('the wrong torch')",
    "numpy": "raise SystemExit('the wrong numpy')",
    "json": "raise SystemExit('the wrong json')",
}
"""What modules do before they define f; some are called as installed ones are."""

DEFINED = r"^(?:def |class )?(\w+)(?:\(| = |:)"
CALLABLES = [
    *(f"kernel.py:{name}" for name in re.findall(DEFINED, KERNELS, re.MULTILINE)),
    *(f"hostile.py:{name}" for name in re.findall(DEFINED, HOSTILE, re.MULTILINE)),
    *(f"{name}:f" for name in IMPORTED),
    *(f"{name}.py:f" for name in IMPORTED),
    *["kernel.py:nope", "os:_exit", "math:erf", "math:pi", "math", "math:", ":erf", "numpy:tanh"],
    *["missing.py:f", "points.txt:f", "gelu_cli:gelu", "a:b:c", "..:x", "", ".py:f", "numpy:where"],
    *["os:abort", "os:fork", "sys:exit", "builtins:exit", "builtins:input", "numpy:load", "no:f"],
    *["kernel.py:__name__", "kernel.py:Mute", "folder.npy:f", "loop.csv:f"],
    *["numpy.linalg:inv", "numpy:random", "builtins:breakpoint"],
    *["libm.so.6:erff", "libc.so.6:memcpy", "libc.so.6:abort", "libc.so.6:exit", "libc.so.6:nope"],
    *["libc.so.6:environ", "missing.so:f", "x.dll:f", "points.csv.so:f", "k.so", ":k.so", "k.so:"],
]  # fmt: skip
PROGRAMS = [
    *["cat", "true", "false", "yes", "head -c 7", "tail -c 9", "cat points.csv", "rev", "no-such"],
    *["sh -c 'cat; exit 3'", "sh -c 'kill -9 $$'", f"sh -c 'echo {SAYS} it >&2; exit 1'", "'", ""],
    *["./points.csv", ".", "\x1b[31m", "sh -c 'exec <&- >&-'", "sh -c 'sleep 1000 & cat'", "-"],
]  # fmt: skip
WAITING_CALLABLES = [f"waiting.py:{name}" for name in re.findall(DEFINED, WAITING, re.MULTILINE)]
