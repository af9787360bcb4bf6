"""Arrays on a device, where no GPU is at hand: a stand-in whose memory nobody here can read.

It computes in a stream, as a GPU does: a result is not there before somebody waits for it.
"""

import sys
import types

import numpy as np
import pytest

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.guests import backends
from gelu_cli.old.guests.array_functions import FunctionImplementation
from gelu_cli.old.guests.backends import Backend
from gelu_cli.old.guests.calling import Calling
from tests.old.asked import swept
from tests.old.every import every

POISON = 0xAA


class Memory:
    """Numbers on the device; what is computed there is done when the stream is waited for."""

    def __init__(self, gpu, shape, dtype):
        self.gpu, self.shape, self.dtype = gpu, shape, np.dtype(dtype)
        self.data = np.full(shape, 0, dtype)
        self.data.view(np.uint8)[...] = POISON

    def __array__(self, *args, **settings):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def numpy(self):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    __float__ = __iter__ = __len__ = numpy

    def reshape(self, *shape):
        new = Memory(self.gpu, np.empty(self.shape).reshape(*shape).shape, self.dtype)
        self.gpu.launch(lambda: new.data.__setitem__(..., self.data.reshape(*shape)))
        return new

    def _each(self, compute, *others, dtype=None):
        new = Memory(self.gpu, self.shape, dtype or self.dtype)
        values = lambda: [each.data if isinstance(each, Memory) else each for each in others]  # noqa: E731
        self.gpu.launch(
            lambda: new.data.__setitem__(..., compute(self.data, *values()).astype(new.dtype))
        )
        return new

    def __neg__(self):
        return self._each(np.negative)

    def __mul__(self, other):
        return self._each(np.multiply, other)

    def astype(self, dtype):
        return self._each(lambda data: data, dtype=dtype)

    def negate(self):
        self.gpu.launch(lambda: np.negative(self.data, out=self.data))
        return self

    def fails(self):
        self.gpu.launch(lambda: 1 / 0)
        return self


class Gpu(types.ModuleType):
    """The library: a stream of work, and copies between the two memories."""

    __version__ = "1.0"

    def __init__(self):
        super().__init__("standin")
        self.stream = []

    def launch(self, work):
        self.stream.append(work)

    def synchronize(self):
        while self.stream:
            self.stream.pop(0)()

    def upload(self, array):
        memory = Memory(self, array.shape, array.dtype)
        memory.data[...] = array
        return memory

    def download(self, memory):
        """Copy what is in the memory now, as a copy that waits for nobody does."""
        return memory.data.copy()


class Arrays(Backend):
    """What a file for the stand-in would have."""

    package = "standin-cuda"
    compiles = True

    def from_bits(self, bits):
        return self.module.upload(bits.view(self.dtype.name))

    def to_bits(self, array):
        return super().to_bits(self.module.download(array))

    def devices(self):
        return ["cuda:0", "cuda:1"]

    def find_device(self, name):
        return self.devices().index(name or "cuda:0")

    def wait(self, result):
        self.module.synchronize()

    def machine(self):
        return self.devices()[self.place]


@pytest.fixture
def gpu(monkeypatch):
    module = Gpu()
    monkeypatch.setitem(sys.modules, "standin", module)
    file = types.ModuleType("gelu_cli.old.guests.backends.standin")
    file.Arrays = Arrays
    monkeypatch.setitem(sys.modules, file.__name__, file)
    names = [*backends.backend_names(), "standin"]
    monkeypatch.setattr(backends, "backend_names", lambda: names)
    return module


def made(function, kind=Arrays, device=None, **calling):
    number_format = FORMATS["float32"]
    library = kind("standin", number_format, calling.get("result"), device)
    how = Calling(number_format, **{"result": number_format} | calling)
    return FunctionImplementation("f", function, library, how)


X = np.array([1.5, -0.0, -3.0], np.float32)


def test_results_come_back_from_a_device(gpu):
    for function in (lambda x: -x, lambda x: x * -1.0):
        assert made(function)(X).tolist() == (-X).tolist()
    assert np.signbit(made(lambda x: x)(X)).tolist() == [False, True, True]
    verdict = swept(lambda x: x, dtype="float16", form="relu", low=1, high=2, backend="standin")
    assert verdict.max_ulp == 0
    assert verdict.provenance == {"library": "standin 1.0", "device": "cuda:0"}
    own = made(lambda above, x: above * x, quantity="gradient", backward="own", upstream=2.0)
    assert own(X).tolist() == (2 * X).tolist()
    half = made(lambda x: x.astype("float16"), result=FORMATS["float16"])
    assert half(X).tolist() == X.tolist()


def test_what_a_kernel_does_later_is_seen(gpu):
    with pytest.raises(ComputationError, match=r"^f was given .* and wrote into its input"):
        made(lambda x: x.negate())(X)
    with pytest.raises(ComputationError, match=r"^f raised ZeroDivisionError at x = 1\.5: divis"):
        made(lambda x: x.fails())(X)


def test_a_device_that_is_not_there_is_refused_with_those_that_are(gpu):
    with pytest.raises(UsageError, match=r"^--device cuda:7: standin has cuda:0, cuda:1 here$"):
        made(lambda x: x, device="cuda:7").load(X)
    assert made(lambda x: -x, device="cuda:1")(X).tolist() == (-X).tolist()


@every("library", ["numpy", "torch", "jax"])
def test_a_gpu_that_is_not_here_is_one_line(library):
    pytest.importorskip(library, reason=f"{library} is not installed")
    for device in ("cuda:99", "nonsense", "meta"):
        with pytest.raises(UsageError, match=f"^--device {device}: {library} has (cpu|CPU:0)"):
            swept(lambda x: x, dtype="float8_e5m2", backend=library, device=device)


def test_a_library_that_is_not_here_is_named(monkeypatch):
    for library, package in (("jax", "jax"), ("torch", "torch")):
        monkeypatch.setitem(sys.modules, library, None)
        message = f"^--backend: {library} is not here: python -m pip install {package}"
        with pytest.raises(UsageError, match=message):
            swept(lambda x: x, dtype="float16", backend=library)
