"""A folder with files to read, good and bad, the same before each command line."""

import io
import shutil

import numpy as np

STREAMS = [
    b"",
    b"1 2 3\n",
    b"-3,0.5;1/3\n0x1.8p+1\tinf nan\n",
    b"x,y\n1,2\n\n-3,4\n",
    b"x,exact,tanh_gradient\n1,0.8413,1.083\n-0.5,-0.1543,\n",
    b"x;exact\r\n1;0.85\r\n",
    b"x\trelu_bits\n0x3f80\t0x3f80\n",
    b"x,exact\nnan,nan\ninf,inf\n-inf,-0.0\n0,1e99\n",
    b'x,"exact"\n"1\n","0.8413"\n',
    b"x,exact\n1\n",
    b"x,x\n1,2\n",
    b"\xef\xbb\xbfx,exact\n1e400,0\n",
    b"1 oops\n",
    b"\xff\xfe1\x00",
    b"1\x002\n",
    b",,,\n",
]


def _npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


SAID_BY_KERNEL = "on stdout"
KERNELS = b"""
import warnings
import numpy as np

def gelu(x, a=0):
    return x * (x > 0)

def boom(x):
    raise ValueError("no\\nsuch luck")

def shape(x):
    return x[:1]

def text(x):
    return np.array(["1"] * len(x))

def none(x):
    return None

def loud(x):
    print("on stdout")
    return x

def warn(x):
    warnings.warn("watch out")
    return x / 0

def out(x):
    raise SystemExit(3)

class Made:
    def __init__(self, a=None):
        self.a = a
"""
FILES = {
    "points.txt": STREAMS[2],
    "points.csv": STREAMS[3],
    "figures.csv": STREAMS[4],
    "wrong.csv": STREAMS[7],
    "words.txt": STREAMS[12],
    "empty.txt": b"",
    "utf16.txt": STREAMS[13],
    "points.npy": _npy(np.linspace(-3, 3, 5)),
    "ints.npy": _npy(np.arange(4)),
    "text.npy": b"1 2\n",
    "raw.bin": bytes(range(256)),
    "bits.npy": _npy(np.arange(256, dtype=np.uint8)),
    "half.npy": _npy(np.zeros(65536, np.float16)),
    "kernel.py": KERNELS,
    "mykernel.py": KERNELS,
    "published.csv": STREAMS[4],
    "kernel.csv": STREAMS[4],
    "kernel.bin": bytes(range(256)),
    "broken.py": b"def f(:\n",
}


class Folder:
    """The folder, and what a command line has changed in it."""

    def __init__(self, path):
        self.path = path
        self.path.mkdir()
        self.state = set()
        self.restore()

    def restore(self):
        """Make the folder what it was, unless it still is."""
        if self.state and not self.changes():
            return
        for path in self.path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, content in FILES.items():
            (self.path / name).write_bytes(content)
        self.state = self._state()

    def changes(self):
        """Return the names of files that are new, gone or written."""
        return {name for name, _ in self.state ^ self._state()} - {"__pycache__"}

    def _state(self):
        return {(path.name, path.stat().st_mtime_ns) for path in self.path.iterdir()}
