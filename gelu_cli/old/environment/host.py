"""Where figures are computed: the machine, its system, versions, and variables that matter."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

CPUINFO = "/proc/cpuinfo"
"""What Linux tells of its processors."""

MODELS = ("model name", "Model", "Processor", "cpu model", "cpu")
FLAGS = ("flags", "Features", "isa")
"""How it calls the model, and what the processor can do: on x86, Arm, RISC-V, Power."""

JUDGES = ("numpy", "scipy", "mpmath", "orjson", "ml_dtypes")
"""The libraries that judging itself uses, by the names of their packages."""

FAMILIES = (
    "ATEN", "BLIS", "CUBLAS", "CUDA", "CUDNN", "DNNL", "GOMP", "GOTO", "HIP", "HSA", "JAX", "KMP",
    "LIBTORCH", "MKL", "MLX", "MPS", "NCCL", "NPY", "NUMBA", "NUMEXPR", "NVIDIA", "OMP", "ONEDNN",
    "OPENBLAS", "ORT", "PYTORCH", "ROCM", "TENSORFLOW", "TORCH", "TORCHDYNAMO",
    "TORCHINDUCTOR", "TRITON", "VECLIB", "XLA",
)  # fmt: skip
"""With what the names of variables begin that decide how libraries compute, before a `_`."""

MORE = (
    "GLIBC_TUNABLES", "LD_PRELOAD", "TF_CPP_", "TF_CUDNN_", "TF_DETERMINISTIC_", "TF_DISABLE_",
    "TF_ENABLE_", "TF_FORCE_", "TF_GPU_", "TF_NUM_", "TF_XLA_",
)  # fmt: skip
"""The beginnings of others: Terraform has variables in TF_ as well."""

SECRET = re.compile(r"TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|SESSION", re.I)
"""What the names of variables have that may hold secrets: they are left out."""

ACCOUNT = re.compile(r"://[^/\s]*@")
"""In an address, a name and a password."""


def host() -> dict[str, Any]:
    """Return the machine: its system, architecture and CPU, and what the CPU can do.

    `flags` are those of the first processor, as Linux names them; there are none elsewhere.

    >>> sorted(host())
    ['cpu', 'flags', 'machine', 'system']
    """
    text = ""
    with suppress(OSError, UnicodeDecodeError):
        text = Path(CPUINFO).read_text(encoding="utf-8")
    model, flags = processor(text)
    machine = platform.machine()
    return {
        "system": platform.platform(),
        "machine": machine,
        "cpu": model or platform.processor() or machine,
        "flags": flags,
    }


def processor(text: str) -> tuple[str, list[str]]:
    r"""Return the model of the first processor and what it can do, from what Linux tells.

    >>> processor("processor : 0\nmodel name : A CPU\nflags : sse2 avx512_bf16\n")
    ('A CPU', ['avx512_bf16', 'sse2'])
    """
    facts: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), value.strip())
    model = next((facts[name] for name in MODELS if facts.get(name)), "")
    flags = next((facts[name] for name in FLAGS if facts.get(name)), "")
    return model, sorted(set(flags.split()))


def python() -> str:
    """Return the version of Python, and what it is where it is not CPython.

    >>> python().partition(".")[0]
    '3'
    """
    name = platform.python_implementation()
    return platform.python_version() + (f" ({name})" if name != "CPython" else "")


def versions(packages: Iterable[str] = JUDGES) -> dict[str, str]:
    """Return the versions of packages that are installed, by their names.

    >>> list(versions(["numpy", "no-such-package"]))
    ['numpy']
    """
    return {package: found for package in packages if (found := _version(package))}


@cache
def _version(package: str) -> str:
    with suppress(PackageNotFoundError):
        return version(package)
    return ""


def variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment variables that decide how libraries compute, by name.

    These are those of some families. Variables whose name or value may be a secret are left out.

    >>> variables({"OMP_NUM_THREADS": "4", "HOME": "/home/me", "JAX_TOKEN": "x"})
    {'OMP_NUM_THREADS': '4'}
    """
    told = {}
    for name, value in sorted((os.environ if environment is None else environment).items()):
        family = name.partition("_")[0]
        known = (family != name and family in FAMILIES) or name.startswith(MORE)
        if known and not SECRET.search(name) and not ACCOUNT.search(value):
            told[name] = value
    return told
