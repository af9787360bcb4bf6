"""Files of kernels: a header (a comment with the proof) and code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from gelu_cli import __version__
from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.making.builds import BUILDS, Run, compiled, load_numpy
from gelu_cli.making.gpus import STAND_IN, run_cuda, run_triton
from gelu_cli.making.proofs import Proof
from gelu_cli.making.writers import (
    Kernel,
    Program,
    c_text,
    cuda_text,
    numpy_text,
    triton_text,
)
from gelu_cli.numbers import Format

WIDTH = 96
WORDS = {"quantity", "dtype", "max-ulp", "language"}  # options of the command in a header


@dataclass(frozen=True)
class Request:
    """The kernel to be made.

    `to` is the format of inputs and results, `language` a name, `bound` the largest error in ULP.
    """

    form: Form
    quantity: str
    to: Format
    language: str
    bound: float

    @property
    def name(self) -> str:
        """The name of the function: letters, digits and underscores."""
        return re.sub(r"\W", "_", f"{self.form.label}_{self.quantity}_{self.to.name}")

    @property
    def command(self) -> str:
        """The command that makes the kernel again."""
        return (
            f"gelu make {self.form.label} --quantity {self.quantity} --dtype {self.to.name} "
            f"--max-ulp {self.bound} --language {self.language}"
        )


class Shape(NamedTuple):
    """Properties of a kernel; `patched` counts inputs with stored results.

    `inside` is the format of the operations, or "table"; `degree` has the degrees of polynomials.
    """

    inside: str
    degree: str
    operations: int
    patched: int


class Claim(NamedTuple):
    """The text of a file, and what its header claims.

    `words` has the form and the options of the header's command `gelu make`, by name.
    """

    text: str
    name: str
    words: Mapping[str, str]
    shape: Shape
    digests: frozenset[str]


class Language(NamedTuple):
    """A language: suffixes of files; functions that write and run texts."""

    suffixes: tuple[str, ...]
    write: Callable[[Kernel, str, str], str]
    run: Callable[[str, str, Format, Path], Iterator[Run]]
    comment: str = ""


def _run_numpy(text: str, name: str, to: Format, folder: Path) -> Iterator[Run]:
    from numpy import __version__

    yield Run(f"numpy {__version__}", "", False, partial(load_numpy, text, name, to.dtype))


def _run_c(text: str, name: str, to: Format, folder: Path) -> Iterator[Run]:
    """Build a C text by every installed compiler."""
    builds = BUILDS if to.width < 32 else BUILDS[::3]  # all float32s take a minute per build
    return compiled(text, name, folder, builds)


NO_GPU = (
    "No GPU has run this text. A stand-in on the CPU did the same operations in the same order."
)
LANGUAGES = {
    "c": Language((".h", ".c"), c_text, _run_c),
    "cuda": Language((".cu", ".cuh"), cuda_text, run_cuda),
    "triton": Language((), triton_text, run_triton, "# "),
    "numpy": Language((), numpy_text, _run_numpy, "# "),
}
"""The languages; a language without suffixes must be named by --language."""


def header(
    request: Request, kernel: Kernel, shape: Shape, proofs: Sequence[Proof], inputs: int
) -> str:
    """Write the comment at the top of a file."""
    language, form = LANGUAGES[request.language], request.form
    definition = form.definition.partition(",")[0] if form.chosen else form.definition
    right = "correctly rounded" if request.bound <= 0.5 else f"within {request.bound:g} ULP"
    patches = ""
    if isinstance(kernel, Program) and kernel.patches:
        listed = [each.operands[1] for each in kernel.operations if each.op == "patch"]
        patches = f" Results are listed for the float32 inputs {', '.join(listed)}."
    paragraphs = [
        f"{request.name}: {request.quantity} of {form.label}, {definition}, in {request.to.name}, "
        f"{right}.",
        "SPDX-License-Identifier: 0BSD",
        f"Made and proved by gelu {__version__}, which makes it anew:\n    {request.command}\n"
        "and proves this file again:\n    gelu make --check FILE",
        f"Inside: {shape.inside}; degree: {shape.degree}; operations: {shape.operations}; "
        f"patched: {shape.patched}.{patches}",
        f"Proved for every one of the {inputs:,} inputs, subnormal numbers, infinities and NaN "
        f"included:\n{_found(proofs)}",
        NO_GPU if proofs[0].compiler.startswith(STAND_IN) else "",
        "Not for x and y that overlap, machines that flush subnormal numbers to zero, other "
        "roundings than to nearest, or fast-math modes.",
    ]
    lines: list[str] = []
    for each in filter(None, paragraphs):
        for line in each.split("\n"):  # indented lines stay
            lines += [line] if line.startswith("    ") else wrap(line, WIDTH)
        lines.append("")
    if language.comment:
        return "".join(f"{language.comment}{line}".rstrip() + "\n" for line in lines[:-1]) + "\n"
    return "/* " + "\n".join(f" * {line}".rstrip() for line in lines[:-1])[3:] + "\n */\n"


def _found(proofs: Sequence[Proof]) -> str:
    """List the results of proofs, each result once, with all its builds."""
    lines: dict[str, list[Proof]] = {}
    for each in proofs:
        found = (
            f"    largest error {each.max_ulp:.6f} ULP at x = {each.max_ulp_x:.9g}, "
            f"{each.misrounded:,} misrounded\n    SHA-256 {each.digest}\n"
        )
        lines.setdefault(found, []).append(each)
    return "\n".join(
        found + "\n".join(f"        {line}" for line in _builds(builds))
        for found, builds in lines.items()
    )


def _builds(proofs: Sequence[Proof]) -> Iterator[str]:
    """Write a line for each compiler, with the flags of its builds."""
    for compiler in dict.fromkeys(each.compiler for each in proofs):
        mine = [each for each in proofs if each.compiler == compiler]
        flags = ", ".join(f"{each.flags}{' (fused)' * each.fused}" for each in mine)
        yield f"{compiler}: {flags}" if mine[0].flags else f"{compiler}{flags}"


def read_claim(path: Path) -> Claim:
    """Read a file and what its header claims.

    Raises UsageError if the file cannot be read, or has no header of `gelu make`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"cannot read '{path}': {reason}") from None
    name = re.match(r"(?:/\*|#) (\w+): ", text)
    command = re.search(r"^ *[*#] +gelu make (\S+)(?= --quantity)(.*)$", text, re.MULTILINE)
    words = dict(re.findall(r"--(\S+) (\S+)", command[2])) if command else {}
    shape = re.search(r"Inside: (.*); degree: (.*); operations: (\d+); patched: (\d+)\.", text)
    digests = re.findall(r"SHA-256 ([0-9a-f]{64})$", text, re.MULTILINE)
    if not name or not command or not shape or not digests or not {*words} >= WORDS:
        raise UsageError(f"'{path}' has no header of gelu make; check it with gelu sweep")
    inside, degree, operations, patched = shape.groups()
    numbers = Shape(inside, degree, int(operations), int(patched))
    return Claim(text, name[1], {"form": command[1], **words}, numbers, frozenset(digests))
