"""Files and streams that gelu may be given, good ones and bad, and a folder that has them."""

import io
import os
import shutil

import numpy as np

from tests.old.cli.runner import run_gelu
from tests.old.fuzz.kernels import HOSTILE, IMPORTED, KERNELS, WAITING

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
    b'x,exact\n1,"0.8\n2,0.9\n',
    b'x,exact\n"1"2,0.8\n',
    b'"""\n',
    b"x,exact\r1,0.8413\r2,1.9545\r",
    b"x,exact\n\r\n1,0.8413\n\r\n",
    b"x,exact\n1," + b"9" * 5000 + b"\n",
    b"1" * 70_000,
    b"- " * 100,
    b"-" * 5000 + b"\n",
    b"1e" + b"9" * 4400 + b"\n",
    b"x,exact\n1,0x1p-99999999\n",
    b"x,exact,exact\n1,0.8,0.9\n",
    ",".join(["x", *(f"c{n}" for n in range(3000))]).encode() + b"\n1" + b",1" * 3000 + b"\n",
    b"x,\x1b[31mred,\xe2\x80\xaebidi,a\tb\n1,2,3,4\n",
    b"x,exact\n1,\x1b]0;title\x07\n",
    "x,exact\n1,0.8413\n".encode("utf-16"),
    '{"x": 1, "exact": "≈ 84.1%"}\n{"x": "inf", "exact": null}\n'.encode(),
    b'[{"x": 1, "exact": [1, {"y": 2}]}, {"exact": 0.8, "z": 1}]',
    b'{"x": ' + b"[" * 5000,
    "| x | exact | exact′ | bits |\n|---|---|-|-|\n| 1 | **0.8413** | 1.08(2) | 0x1 |\n".encode(),
    b"# made by hand\n# x,exact\n1,0.8413\n# two\n2,1.95 +- 0.01\n",
    b"x exact\n1 0.8413\n 2\t 1.9545 \n",
    "x,exact\n1,0.8413\n".encode("utf-16-be"),
    "x,exact\n1,0.8413\n".encode("utf-32"),
    "x,größe\n1,0.8413\n".encode("latin-1"),
    "x,exact\n１,٠٫٨\n".encode(),
    b"x,exact\n1_0,1_0\n 1 , +2 \n",
    b"# a comment\nx,exact\n1,2\n",
    b"x\n" + b"0.5\n" * 2000,
    b"1\x0c2\x0b3\xc2\x853\xe2\x80\xa84\n",
    b'{"x": [1, 2]}\n',
    b"\x1f\x8b\x08\x00",
    b"PK\x03\x04",
    bytes(range(256)),
]


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


NUMBERS = np.arange(-4, 4)
ARRAYS = {
    **{kind[1:]: NUMBERS.astype(kind) for kind in ("<f2", "<f4", "<f8", ">f8", "<i2", ">u4")},
    "complex": NUMBERS + 1j,
    "texts": NUMBERS.astype(str),
    "fields": np.zeros(4, "f4,f4"),
    "none": np.zeros(0, np.float32),
    "scalar": np.float64(1),
    "two": np.ones((4, 2)),
    "three": np.ones((2, 0, 2)),
    "fortran": np.asfortranarray(np.ones((4, 2))),
    "e5m2": np.arange(256, dtype=np.uint8),
    "half": np.zeros(65536, np.float16),
}
"""Those that lie about themselves are in tests/old/reading/test_npy.py, all of them."""


def record():
    """Return a record, as a sweep writes it."""
    words = ("erfc", "--dtype", "float8_e5m2", "--range", "1:2", "--max-ulp", "0")
    return run_gelu("sweep", *words, "--quiet", "--format", "record").out.encode()


BUDGETS = {
    "budget.toml": b"[[bound]]\nmax_ulp = 1\n",
    "loose.toml": b"[[bound]]\nmax_ulp = inf\n[[bound]]\nrange = '0:1'\nmax_ulp=9\nreason='so'\n",
    "stranger.toml": b"[[bound]]\nkernel = 'erf'\nmisrounded = 1\n",
    "wrong.toml": b"[[bound]]\nmax_ulp = nan\n",
    "broken.toml": b"[[bound]]\nmax_ulp = \xff",
}
RECORD = record()
RECORDS = {
    "record.json": RECORD,
    "half.json": RECORD[: len(RECORD) // 2],
    "later.json": RECORD.replace(b'"schema": 1', b'"schema": 2', 1),
    "more.json": RECORD.replace(b"{", b'{"later": 1, ', 1),
}
FILES = {
    **BUDGETS,
    **RECORDS,
    "points.txt": STREAMS[2],
    "points.csv": STREAMS[3],
    "figures.csv": STREAMS[4],
    "wrong.csv": STREAMS[7],
    "words.txt": STREAMS[12],
    "empty.txt": b"",
    "utf16.txt": STREAMS[13],
    "raw.bin": bytes(range(256)),
    "mykernel.py": KERNELS.replace("def right", "def gelu").encode(),
    "kernel.py": KERNELS.encode(),
    "hostile.py": HOSTILE.encode(),
    "waiting.py": WAITING.encode(),
    "published.csv": STREAMS[4],
    "kernel.csv": STREAMS[4],
    "kernel.bin": bytes(range(256)),
    "x.bin": bytes(range(256)),
    "points.npy": npy(np.linspace(-3, 3, 5)),
    "a\nb\x1b[31m.csv": STREAMS[4],
    "\N{RIGHT-TO-LEFT OVERRIDE}gnp.csv": STREAMS[12],
    "n" * 250 + ".csv": STREAMS[4],
    "-.csv": STREAMS[4],
    **{f"{name}.py": f"{code}\ndef f(x): return x\n".encode() for name, code in IMPORTED.items()},
    **{f"{name}.npy": npy(array) for name, array in ARRAYS.items()},
    "cut.npy": npy(NUMBERS)[:-3],
    "more.npy": npy(NUMBERS) + b"more",
    **{f"stream-{n}.csv": content for n, content in enumerate(STREAMS)},
}
FOLDERS = ["folder.npy", "folder.csv"]
LINKS = {"loop.csv": "loop.csv", "dangling.csv": "nowhere.csv", "link.csv": "points.csv"}
FIFO = "fifo.csv"
"""Nobody writes to it nor reads from it: only for lines that are sent a signal."""


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
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, content in FILES.items():
            (self.path / name).write_bytes(content)
        for name in FOLDERS:
            (self.path / name).mkdir()
        for name, target in LINKS.items():
            (self.path / name).symlink_to(target)
        os.mkfifo(self.path / FIFO)
        self.state = self._state()

    def changes(self):
        """Return the names of files that are new, gone or written."""
        return {name for name, _ in self.state ^ self._state()} - {"__pycache__"}

    def _state(self):
        return {
            (each.name, each.stat(follow_symlinks=False).st_mtime_ns)
            for each in os.scandir(self.path)
        }
