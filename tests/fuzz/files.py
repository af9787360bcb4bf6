"""Files and streams that gelu may be given: good ones, damaged ones, and such as nobody writes."""

import io
import struct

import numpy as np

from tests.cli.runner import run_gelu
from tests.fuzz.kernels import HOSTILE, IMPORTED, KERNELS, WAITING

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


def npy(array, allow_pickle=False):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=allow_pickle)
    return stream.getvalue()


def npy_of(header, data=bytes(64), version=1, length=None):
    """Return a .npy file whose header is any text."""
    text = header.encode("latin-1") + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def header(descr="'<f4'", order="False", shape="(4,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}"


NUMBERS = np.arange(-4, 4)
ARRAYS = {
    **{
        f"{name}-{kind}": NUMBERS.astype(np.dtype(kind).newbyteorder(order))
        for name, order in (("little", "<"), ("big", ">"))
        for kind in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8")
    },
    "i1": NUMBERS.astype(np.int8),
    "bool": NUMBERS > 0,
    "complex": NUMBERS + 1j,
    "long": NUMBERS.astype(np.longdouble),
    "texts": NUMBERS.astype(str),
    "bytes": NUMBERS.astype(bytes),
    "void": NUMBERS.view("V8"),
    "times": NUMBERS.astype("datetime64[s]"),
    "fields": np.zeros(4, "f4,f4"),
    "subarrays": np.zeros(2, "(2,2)f4"),
    "none": np.zeros(0, np.float32),
    "scalar": np.float64(1),
    "two": np.ones((4, 2)),
    "three": np.ones((2, 0, 2)),
    "fortran": np.asfortranarray(np.ones((4, 2))),
    "strided": np.arange(16.0)[::2],
    "e5m2": np.arange(256, dtype=np.uint8),
    "half": np.zeros(65536, np.float16),
}
HEADERS = {
    "huge": header(shape="(" + "1" + "0" * 400 + ",)"),
    "large": header(shape=f"({2**62},)"),
    "product": header(shape=f"({2**32}, {2**32})"),
    "true": header(shape="(True,)"),
    "negative": header(shape="(-1,)"),
    "real": header(shape="(4.0,)"),
    "shapeless": header(shape="None"),
    "many": header(shape="(" + "1, " * 70 + ")"),
    "more": header(shape="(1000,)"),
    "fewer": header(shape="(1,)"),
    "order": header(order="7"),
    "descr": header(descr="'nonsense'"),
    "dict": header(descr="{'names': ['a']}"),
    "pairs": header(descr="[('a', '<f4'), ('a', '<f4')]"),
    "number": header(descr="4"),
    "object": header(descr="'|O'"),
    "wide": header(descr="'<f400'"),
    "control": header(descr="'\x1b[31m'"),
    "nul": header(descr="'<f4\0'"),
    "minus": "-" * 5000 + "1",
    "nested": "(" * 5000,
    "code": "__import__('os')._exit(0)",
    "list": "[]",
    "empty": "",
    "keys": "{'descr': '<f4'}",
    "spare": header()[:-1] + ", 'more': 1}",
}
DAMAGED = {
    "nothing": b"",
    "magic": b"\x93NUMPY",
    "version": npy_of(header(), version=9),
    "second": npy_of(header(), version=2),
    "third": npy_of(header(), version=3),
    "short": npy_of(header(), length=10),
    "long": npy_of(header(), length=60_000),
    "longest": npy_of(header(), version=2, length=2**32 - 1),
    "cut": npy(NUMBERS)[:-3],
    "trailing": npy(NUMBERS) + b"more",
    "pickled": npy(np.array([{}, None], dtype=object), allow_pickle=True),
    "text": b"1 2\n",
    "zipped": b"PK\x03\x04" + bytes(100),
}


def record():
    """Return a record, as a sweep writes it."""
    words = ("--routine", "erfc", "--dtype", "float8_e5m2", "--range", "1:2", "--max-ulp", "0")
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
    **{f"header-{name}.npy": npy_of(text) for name, text in HEADERS.items()},
    **{f"damaged-{name}.npy": content for name, content in DAMAGED.items()},
    **{f"stream-{n}.csv": content for n, content in enumerate(STREAMS)},
}
FOLDERS = ["folder.npy", "folder.csv"]
LINKS = {"loop.csv": "loop.csv", "dangling.csv": "nowhere.csv", "link.csv": "points.csv"}
FIFO = "fifo.csv"
"""Nobody writes to it nor reads from it: only for lines that are sent a signal."""
