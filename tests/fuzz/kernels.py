"""Functions of a user's own that do to their process, and to who calls them, all that one may."""

import re

SAYS = "kernel says"
"""What is in each line that a kernel writes."""

KERNELS = r"""
import ctypes, os, signal, subprocess, sys, threading, time, warnings
import numpy as np

def right(x, a=0): return x * (x > 0)

# Wrong results
def shape(x): return x[:1]
def longer(x): return np.concatenate([x, x])
def column(x): return x[:, None]
def scalar(x): return x.sum()
def text(x): return np.array(["1"] * len(x))
def none(x): return None
def objects(x): return x.astype(object)
def complexes(x): return x + 1j
def integers(x): return np.zeros(len(x), int)
def bits(x): return x.view(np.uint8)
def a_list(x): return x.tolist()
def a_generator(x): return (each for each in x)
def read_only(x):
    x.flags.writeable = False
    return x
def in_place(x):
    x[:] = 0
    return x
def structured(x): return np.zeros(len(x), "f4,f4")
def swapped(x): return x.astype(x.dtype.newbyteorder())
def masked(x): return np.ma.masked_less(x, 0)
def endless(x): return iter(int, 1)
class Says:
    def __init__(self, x): self.dtype, self.shape, self.x = x.dtype, x.shape, x
    def __array__(self, *args, **settings): return self.x.reshape(2, -1)
def says(x): return Says(x)
class Fails(Says):
    def __array__(self, *args, **settings): raise ValueError("no array")
def fails(x): return Fails(x)

# Results that change
calls = [0]
def random(x): return np.random.default_rng().random(len(x)).astype(x.dtype)
def stateful(x):
    calls[0] += 1
    return x * calls[0]
def of_length(x): return x * len(x)

# Errors
def boom(x): raise ValueError("no\nsuch \x1b[31mluck\u202e")
def long_text(x): raise ValueError("long " * 5000)
def recursion(x): return recursion(x)
def memory(x): raise MemoryError
def much_memory(x): return np.zeros(1 << 60)
def leaves(x): raise SystemExit(0)
def interrupts(x): raise KeyboardInterrupt
def generator_exit(x): raise GeneratorExit
def broken_pipe(x): raise BrokenPipeError
def usage(x):
    from gelu_cli.errors import UsageError
    raise UsageError("not \x1b[0m yours\nto raise")
class Panic(BaseException): pass
def panics(x): raise Panic("in Rust")
class Mute(Exception):
    def __str__(self): raise SystemExit(0)
    __repr__ = __str__
def mute(x): raise Mute
class Named(Exception): pass
Named.__name__ = "a\nb\x1b[2J"
def named(x): raise Named("oops")
def grouped(x): raise ExceptionGroup("some", [ValueError("a"), Mute()])
def caused(x):
    try:
        raise Mute
    except Mute:
        raise ValueError("because")

# Ends of the process
def exits(x): os._exit(0)
def exits_with_3(x): os._exit(3)
def aborts(x): os.abort()
def crashes(x): ctypes.string_at(0)
def kills(x): os.kill(os.getpid(), signal.SIGKILL)
def kills_all(x): os.killpg(0, signal.SIGTERM)
def quits(x):
    sys.stderr.flush()
    signal.raise_signal(signal.SIGINT)
    return x

# What is printed
def prints(x):
    print("kernel says print")
    sys.stdout.flush()
    return x
def writes(x):
    os.write(1, b"kernel says write\n")
    return x
def puts(x):
    libc = ctypes.CDLL(None)
    libc.puts(b"kernel says puts")
    libc.fflush(None)
    return x
def child(x):
    subprocess.run(["echo", "kernel says child"])
    return x
def warns(x):
    warnings.warn("kernel says warning")
    return x / 0

# What is left behind, or taken away
def closes(x):
    os.closerange(0, 100)
    return x
def closes_streams(x):
    sys.stderr.close()
    sys.stdout = None
    return x
def reads(x):
    sys.stdin.read()
    return x
forked = []
def forks(x):
    if not forked:  # the copy goes on, and would fork as well
        forked.append(True)
        os.fork()
    return x
def forks_away(x):
    if not forked:
        forked.append(True)
        if not os.fork():
            time.sleep(1000)
    return x
def child_left(x):
    subprocess.Popen(["sleep", "1000"])
    return x
def thread(x):
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return x
def handlers(x):
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(sign, signal.SIG_IGN)
    return x
def alarm(x):
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    time.sleep(1)
    return x
def folder(x):
    os.chdir("/")
    return x
def umask(x):
    os.umask(0o777)
    return x
def environment(x):
    os.environ.clear()
    sys.path.clear()
    return x
def modules(x):
    for name in list(sys.modules):
        if name.startswith(("gelu_cli", "pickle")):
            del sys.modules[name]
    return x
def patches(x):
    np.asarray = np.array = None
    return x
def limits(x):
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    return x
def nests(x):
    subprocess.run([sys.executable, "-c", "print('kernel says nested')"])
    return x

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
"""
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
