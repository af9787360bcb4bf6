"""Files of kernels: a header that says what was proved, and the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gelu_cli import __version__
from gelu_cli.errors import UsageError
from gelu_cli.making.c_text import c_text, cuda_in_c, cuda_text
from gelu_cli.making.compilers import BUILDS, Function, Run, compiled, compilers
from gelu_cli.making.operations import Kernel, Program
from gelu_cli.making.proofs import Proof
from gelu_cli.making.python_text import load_numpy, load_triton, numpy_text, triton_text
from gelu_cli.numbers import Format

WIDTH = 96


@dataclass(frozen=True)
class Request:
    """The kernel to be made: form, quantity, format, bound.

    Attributes
    ----------
    form, definition
        Label and formula of the form.
    quantity, dtype, language
        Their names.
    bound
        Largest error in ULP.
    """

    form: str
    definition: str
    quantity: str
    dtype: str
    language: str
    bound: float

    @property
    def name(self) -> str:
        """The name of the function: letters, digits and underscores."""
        return re.sub(r"\W", "_", f"{self.form}_{self.quantity}_{self.dtype}")

    @property
    def command(self) -> str:
        """The command that makes the kernel anew."""
        return (
            f"gelu make {self.form} --quantity {self.quantity} --dtype {self.dtype} "
            f"--max-ulp {self.bound} --language {self.language}"
        )


class Shape(NamedTuple):
    """Format or table, degrees, numbers of operations and of patches."""

    inside: str
    degree: str
    operations: int
    patched: int

    @classmethod
    def of(cls, kernel: Kernel, inside: str = "table", degree: str = "none") -> Shape:
        """Describe a kernel."""
        if isinstance(kernel, bytes):
            return cls(inside, degree, 1, 0)
        return cls(inside, degree, len(kernel.operations), kernel.patches)


class Claim(NamedTuple):
    """What the header of a file says."""

    words: dict[str, str]
    name: str
    shape: Shape
    digests: frozenset[str]


class Language(NamedTuple):
    """A language: writes kernels and runs them here."""

    suffixes: tuple[str, ...]
    write: Callable[[Kernel, str, str], str]
    run: Callable[[str, str, Format, Path], Iterator[Run]]
    comment: str = ""
    warning: str = ""


def _run_numpy(text: str, name: str, to: Format, folder: Path) -> Iterator[Run]:
    """Run a text of numpy."""
    from numpy import __version__

    yield Run(f"numpy {__version__}", "", False, load_numpy(text, name, to.dtype))


def _run_triton(text: str, name: str, to: Format, folder: Path) -> Iterator[Run]:
    """Run a text of Triton by numpy."""
    yield Run("stand-in by numpy", "", True, load_triton(text, name, to.dtype))


def _run_c(text: str, name: str, to: Format, folder: Path) -> Iterator[Run]:
    """Build a text of C by every compiler that is here."""
    builds = BUILDS if to.width < 32 else BUILDS[::3]  # all float32s take a minute
    return compiled(text, name, folder, builds)


def _run_cuda(text: str, name: str, to: Format, folder: Path) -> Iterator[Run]:
    """Build a text of CUDA as C."""
    compiler, flags = compilers()[0], ["-O2", "-march=native", "-ffp-contract=off"]
    library = compiler.build(cuda_in_c(text, name), folder, flags)
    function = Function(library, f"{name}_here")
    yield Run(f"stand-in by {compiler.version}", " ".join(flags), True, function)


NO_GPU = (
    "No GPU has run this text. A stand-in ran the same operations on the CPU, in the order and "
    "with the roundings that are written here."
)
LANGUAGES = {
    "c": Language((".h", ".c"), c_text, _run_c),
    "cuda": Language((".cu", ".cuh"), cuda_text, _run_cuda, warning=NO_GPU),
    "triton": Language((), triton_text, _run_triton, "# ", NO_GPU),
    "numpy": Language((), numpy_text, _run_numpy, "# "),
}
"""The languages; one without suffixes is not known by the name of a file."""


def header(
    request: Request, kernel: Kernel, shape: Shape, proofs: Sequence[Proof], inputs: int
) -> str:
    """Write the comment on top of a file."""
    language = LANGUAGES[request.language]
    right = "correctly rounded" if request.bound <= 0.5 else f"within {request.bound:g} ULP"
    paragraphs = [
        f"{request.name}: {request.quantity} of {request.form}, {request.definition}, in "
        f"{request.dtype}, {right}.",
        "SPDX-License-Identifier: 0BSD",
        f"Made and proved by gelu {__version__}, which makes it anew:\n    {request.command}\n"
        "and proves this file again:\n    gelu make --check FILE",
        f"Inside: {shape.inside}; degree: {shape.degree}; operations: {shape.operations}; "
        f"patched: {shape.patched}.{_patches(kernel)}",
        f"Proved for every one of the {inputs:,} inputs, subnormal numbers, infinities and NaN "
        f"included:\n{_found(proofs)}",
        language.warning,
        "Not for machines that flush subnormal numbers to zero, other roundings than to nearest, "
        "or -ffast-math.",
    ]
    lines = [line for each in paragraphs if each for line in [*_wrapped(each), ""]][:-1]
    if language.comment:
        return "".join(f"{language.comment}{line}".rstrip() + "\n" for line in lines) + "\n"
    return "/* " + "\n".join(f" * {line}".rstrip() for line in lines)[3:] + "\n */\n"


def _patches(kernel: Kernel) -> str:
    """Name the inputs whose results are listed."""
    if isinstance(kernel, Program) and kernel.patches:
        listed = [each.operands[1] for each in kernel.operations if each.op == "patch"]
        return f" Results are listed for the float32 inputs {', '.join(listed)}."
    return ""


def _found(proofs: Sequence[Proof]) -> str:
    """List what was found, once for all builds that agree."""
    groups: dict[tuple[str, float, float, int], list[Proof]] = {}
    for each in proofs:
        key = each.digest, each.max_ulp, each.max_ulp_x, each.misrounded
        groups.setdefault(key, []).append(each)
    return "\n".join(
        f"    largest error {ulp:.6f} ULP at x = {x:.9g}, {misrounded:,} misrounded\n"
        f"    SHA-256 {digest}\n" + "\n".join(f"        {line}" for line in _builds(builds))
        for (digest, ulp, x, misrounded), builds in groups.items()
    )


def _builds(proofs: Sequence[Proof]) -> Iterator[str]:
    """Write a line for each compiler, with its flags."""
    for compiler in dict.fromkeys(each.compiler for each in proofs):
        mine = [each for each in proofs if each.compiler == compiler]
        flags = ", ".join(f"{each.flags}{' (fused)' * each.fused}" for each in mine)
        yield f"{compiler}: {flags}" if mine[0].flags else f"{compiler}{flags}"


def _wrapped(paragraph: str) -> Iterator[str]:
    """Wrap long lines at words; indented ones stay."""
    from textwrap import wrap

    for line in paragraph.split("\n"):
        yield from [line] if line.startswith("    ") else wrap(line, WIDTH)


def read_header(text: str, file: str) -> Claim:
    """Read what the header of a file claims.

    Raises
    ------
    UsageError
        If `gelu make` did not write the file.
    """
    name = re.match(r"(?:/\*|#) (\w+): ", text)
    command = re.search(r"^ *[*#] +gelu make (\S+) (--quantity .*)$", text, re.MULTILINE)
    shape = re.search(r"Inside: (.*); degree: (.*); operations: (\d+); patched: (\d+)\.", text)
    digests = re.findall(r"SHA-256 ([0-9a-f]{64})$", text, re.MULTILINE)
    if not name or not command or not shape or not digests:
        raise UsageError(f"'{file}' has no header of gelu make; check it with gelu sweep")
    words = dict(re.findall(r"--(\S+) (\S+)", command[2]))
    inside, degree, operations, patched = shape.groups()
    return Claim(
        {"form": command[1], **words},
        name[1],
        Shape(inside, degree, int(operations), int(patched)),
        frozenset(digests),
    )
