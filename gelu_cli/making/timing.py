"""Nanoseconds a number of kernels, of a loop with erff, and of torch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.making.c_text import erff_text
from gelu_cli.making.compilers import Compiler, Function
from gelu_cli.numbers import Format

LENGTH = 100_000
ROUNDS = 100
"""Single calls of each in turn; the least time counts, on a busy machine too."""

FLAGS = ["-O3", "-march=native"]


class Times(NamedTuple):
    """Nanoseconds a number; None for what is not here."""

    ns: float | None = None
    ns_erff: float | None = None
    ns_torch: float | None = None


def time_kernel(
    text: str, name: str, form: str, quantity: str, to: Format, compiler: Compiler, folder: Path
) -> Times:
    """Time a kernel in C and its rivals in turn, in one thread."""
    draws = np.random.default_rng(0).standard_normal(LENGTH).astype(np.float32)
    x = draws.astype(to.dtype).view(f"u{to.width // 8}")
    y = np.empty_like(x)

    def built(text: str, name: str) -> Callable[[], object]:
        function = Function(compiler.build(text, folder, FLAGS), name)
        return lambda: function(x, y)

    erff = None if to.width == 8 else built(erff_text("erff_loop", to.name), "erff_loop")
    calls = [built(text, name), erff, _torch(form, quantity, to, x)]
    best = [math.inf] * 3
    for _ in range(ROUNDS):
        for place, call in enumerate(calls):
            best[place] = min(best[place], _seconds(call) if call else math.inf)
    return Times(*(each / LENGTH * 1e9 if each < math.inf else None for each in best))


def _seconds(call: Callable[[], object]) -> float:
    """Time a call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _torch(form: str, quantity: str, to: Format, bits: Any) -> Callable[[], object] | None:
    """Return a call of torch's own function in one thread, if it has one."""
    if form not in ("exact", "tanh", "silu") or to.width == 8 or find_spec("torch") is None:
        return None
    import torch

    torch.set_num_threads(1)
    signed = bits.view(f"i{to.width // 8}")
    x = torch.from_numpy(signed).view(getattr(torch, to.name))
    up = torch.ones_like(x)
    if form == "silu":
        if quantity == "value":
            return lambda: torch.nn.functional.silu(x)
        return lambda: torch.ops.aten.silu_backward(up, x)
    which = "none" if form == "exact" else "tanh"
    if quantity == "value":
        return lambda: torch.nn.functional.gelu(x, approximate=which)
    return lambda: torch.ops.aten.gelu_backward(up, x, approximate=which)
