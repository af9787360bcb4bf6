"""Nanoseconds a number of kernels, of a loop with erff, and of torch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.formulas import Form, find_form
from gelu_cli.making.compilers import Compiler, Function
from gelu_cli.making.writers import erff_text
from gelu_cli.numbers import Format

LENGTH = 100_000
ROUNDS = 100
"""Single calls of each in turn; the least time counts, on a busy machine too."""

FLAGS = ["-O3", "-march=native"]
TORCHS_OWN = ("exact", "tanh", "silu")


class Times(NamedTuple):
    """Nanoseconds per number; None if the library is missing."""

    ns: float | None = None
    ns_erff: float | None = None
    ns_torch: float | None = None


def time_kernel(
    text: str, name: str, form: Form, quantity: str, to: Format, compiler: Compiler, folder: Path
) -> Times:
    """Time a kernel in C and its rivals in turn, in one thread."""
    draws = np.random.default_rng(0).standard_normal(LENGTH).astype(np.float32)
    x = draws.astype(to.dtype).view(f"u{to.width // 8}")
    y = np.empty_like(x)

    def built(text: str, name: str) -> Callable[[], object]:
        function = Function(compiler.build(text, folder, FLAGS), name)
        return lambda: function(x, y)

    calls: list[Callable[[], object] | None] = [built(text, name), None, None]
    if to.width > 8:
        calls[1] = built(erff_text("erff_loop", to.name), "erff_loop")
        calls[2] = _torch(form, quantity, to, x)
    best = [math.inf] * 3
    for _ in range(ROUNDS):
        for place, call in enumerate(calls):
            if call:
                start = time.perf_counter()
                call()
                best[place] = min(best[place], time.perf_counter() - start)
    return Times(*(each / LENGTH * 1e9 if each < math.inf else None for each in best))


def _torch(form: Form, quantity: str, to: Format, bits: Any) -> Callable[[], object] | None:
    """Return a call of torch's own function in one thread, if it has one."""
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
