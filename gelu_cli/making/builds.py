"""Kernels in C and numpy: compile, load, run and time their source texts."""

from __future__ import annotations

import ctypes
import math
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.errors import ComputationError, described
from gelu_cli.formulas import Form, find_form
from gelu_cli.making.writers import erff_text
from gelu_cli.numbers import Format

# Compilers define one of these macros if the target has an instruction for a·b + c.
FUSES = ("__FMA__", "__AVX512F__", "__ARM_FEATURE_FMA")
LENGTH, ROUNDS = 100_000, 100  # numbers per call; calls, of which the fastest is kept
FLAGS = ["-O3", "-march=native"]
TORCHS_OWN = ("exact", "tanh", "silu")

# Flags of the builds that are proved; x86-64 fuses a·b + c only with -march=native.
BUILDS = (["-O2"], ["-O3"], ["-O2", "-march=native"], ["-O3", "-march=native"])


@dataclass(frozen=True)
class Compiler:
    """A C compiler: its command, and its name with version."""

    command: tuple[str, ...]
    version: str

    def build(self, text: str, folder: Path, flags: Sequence[str]) -> Path:
        """Compile C into a shared library; raise ComputationError on failure."""
        source = folder / f"{len(list(folder.iterdir()))}.c"
        library = source.with_suffix(".so")
        source.write_text(text, encoding="utf-8")
        words: list[str | Path] = [*self.command, *flags, "-shared", "-fPIC", "-o"]
        words += [library, source, "-lm"]
        own = {**os.environ, "TMPDIR": str(folder)}  # for the compiler's temporary files
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=own)
        if done.returncode:
            lines = (
                line for line in done.stderr.splitlines() if re.search("error|undefined", line)
            )
            first = next(lines, done.stderr.strip() or "no message").removeprefix(f"{source}:")
            raise ComputationError(f"{self.version} {' '.join(flags)}: {first}")
        return library

    def fuses(self, flags: Sequence[str]) -> bool:
        """Return True if flags give an instruction for a·b + c."""
        words = [*self.command, *flags, "-dM", "-E", "-x", "c", os.devnull]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return any(f"#define {name} " in done.stdout for name in FUSES)


@cache
def compilers() -> tuple[Compiler, ...]:
    """Find C compilers: $CC, gcc, clang, cc; each once.

    Raises ComputationError if $CC names no compiler that is here, or there is no C compiler.
    """
    found: dict[str, Compiler] = {}
    own = os.environ.get("CC", "").strip()
    try:
        commands = [shlex.split(words) for words in (own, "gcc", "clang", "cc") if words]
    except ValueError as error:
        raise ComputationError(f"CC is '{own}': {error}; mend or unset it") from None
    if own and shutil.which(commands[0][0]) is None:
        raise ComputationError(f"CC is '{own}', which is not here; unset it")
    for command in commands:
        if shutil.which(command[0]) is None:
            continue
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout:
            version = " ".join([_version(done.stdout.splitlines()[0]), *command[1:]])
            found.setdefault(version, Compiler(tuple(command), version))
    if not found:
        raise ComputationError("no C compiler is here; install gcc or clang, or set CC")
    return tuple(found.values())


def _version(line: str) -> str:
    """Shorten the first line of --version; `cc (Debian …) 12.2.0` is gcc."""
    if clang := re.search(r"clang version (\S+)", line):
        return f"clang {clang[1]}"
    gcc = re.match(r"g?cc .*?\) (\S+)", line)
    return f"gcc {gcc[1]}" if gcc else line


class Function:
    """A function `void f(const T *x, T *y, size_t n)` of a library.

    If `result` is `ctypes.c_char_p`, the function returns an error message, or NULL.
    """

    def __init__(self, library: Path, name: str, result: Any = None) -> None:
        # Forks of `sweep` load the kernel named `word`; CUDA (it has a `result`) fails there.
        self.word = None if result else f"{library}:{name}"
        try:
            self.library = ctypes.CDLL(str(library))
            self.function = self.library[name]
        except (OSError, AttributeError):
            raise ComputationError(f"the file has no function {name}") from None
        self.function.restype = result

    def __call__(self, x: Any) -> Any:
        """Apply the function to an array of bit patterns."""
        y = np.append(~x, ~x[:1])  # so that a result that is not written is wrong
        self.fill(x, y)
        if np.any(y[len(x) :] != ~x[:1]):
            raise ComputationError(f"{self.function.__name__} writes beyond the end of y")
        return y[: len(x)]

    def fill(self, x: Any, y: Any) -> None:
        """Write the results at x to y, unguarded, as a caller in C would."""
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in (x, y)]
        if fault := self.function(*pointers, ctypes.c_size_t(len(x))):
            raise ComputationError(f"{self.function.__name__}: {fault.decode()}")

    def floats(self, name: str, length: int) -> Any:
        """Return a global array of float32s of the library."""
        array: Any = (ctypes.c_float * length).in_dll(self.library, name)
        return np.frombuffer(array, np.float32)


class Run(NamedTuple):
    """A built kernel: compiler, flags, whether a·b + c is fused, a loader."""

    by: str
    flags: str
    fused: bool
    load: Callable[[], Callable[[Any], Any]]

    def __str__(self) -> str:
        return f"{self.by} {self.flags}".rstrip()


def compiled(text: str, name: str, folder: Path, builds: Sequence[list[str]]) -> Iterator[Run]:
    """Build a kernel by each compiler, with the flags of each build."""
    for compiler in compilers():
        for flags in builds:
            library = compiler.build(text, folder, flags)
            fused = compiler.fuses(flags)
            yield Run(compiler.version, " ".join(flags), fused, partial(Function, library, name))


class Times(NamedTuple):
    """Nanoseconds per number of a kernel, erff, torch; None if not measured."""

    ns: float | None = None
    ns_erff: float | None = None
    ns_torch: float | None = None


def time_kernel(
    text: str, name: str, form: Form, quantity: str, to: Format, compiler: Compiler, folder: Path
) -> Times:
    """Time a kernel in C, erff and torch in turn, in one thread.

    Call this function in a worker: afterwards torch keeps one thread.
    """
    draws = np.random.default_rng(0).standard_normal(LENGTH).astype(np.float32)
    x = draws.astype(to.dtype).view(f"u{to.width // 8}")
    y = np.empty_like(x)

    def built(text: str, name: str) -> Callable[[], object]:
        return partial(Function(compiler.build(text, folder, FLAGS), name).fill, x, y)

    calls = {"ns": built(text, name)}
    if to.width > 8:
        calls["ns_erff"] = built(erff_text("erff_loop", to.name), "erff_loop")
        if own := _torch(form, quantity, to, x):
            calls["ns_torch"] = own
    best = dict.fromkeys(calls, math.inf)
    for _ in range(ROUNDS):
        for each, call in calls.items():
            start = time.perf_counter()
            call()
            best[each] = min(best[each], time.perf_counter() - start)
    return Times(**{each: float(f"{s / LENGTH * 1e9:.3g}") for each, s in best.items()})


def _torch(form: Form, quantity: str, to: Format, bits: Any) -> Callable[[], object] | None:
    """Return a call of torch's function, if any; limit torch to one thread."""
    names = {name for name in TORCHS_OWN if find_form(name).function == form.function}
    if not names or find_spec("torch") is None:
        return None
    import torch

    torch.set_num_threads(1)
    aten, (name,) = torch.ops.aten, names
    x = torch.from_numpy(bits.view(f"i{to.width // 8}")).view(getattr(torch, to.name))
    forward, backward, given = aten.gelu, aten.gelu_backward, {"approximate": name}
    if name == "exact":
        given["approximate"] = "none"
    if name == "silu":
        forward, backward, given = aten.silu, aten.silu_backward, {}
    if quantity == "value":
        return lambda: forward(x, **given)
    up = torch.ones_like(x)
    return lambda: backward(up, x, **given)


def load_numpy(text: str, name: str, dtype: Any) -> Callable[[Any], Any]:
    """Run a numpy text; return a function of bit patterns."""
    function = defined(text, name, {})[name]

    def apply(bits: Any) -> Any:
        y = np.asarray(function(bits.view(dtype)))
        if (y.shape, y.itemsize) != (bits.shape, bits.itemsize):
            raise TypeError(f"the results are an array {y.shape} of {y.dtype}")
        return y.view(bits.dtype)

    return attempted(apply)


def defined(text: str | CodeType, name: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a Python text, which may have been edited; return its definitions."""
    attempted(exec)(text, names)
    if name not in names:
        raise ComputationError(f"the file has no function {name}")
    return names


def attempted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose exceptions become ComputationErrors."""

    def attempt(*values: Any) -> Any:
        try:
            return function(*values)
        except BaseException as error:  # SystemExit, too; Ctrl-C does not reach a worker
            raise ComputationError(f"the file does not run: {described(error)}") from error

    return attempt
