"""Kernels as operations, and their texts in C, CUDA, numpy and Triton.

An operation is a line, `name op operands`; `languages.toml` has its text in each language. The text
of a kernel is a file with a function of one number, a function of arrays, or both. C compilers
vectorise the loop over an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pkgutil import get_data
from string import Template
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.formulas import read_table


class Operation(NamedTuple):
    r"""A name for the result of an operation.

    | op | result |
    |---|---|
    | `ma a b c` | a·b + c, fused, or rounded twice (numpy; C without FMA) |
    | `mul`, `add`, `sub`, `div` | rounded once |
    | `abs x`, `clamp x T` | \|x\|; min(x, T) of x ≥ 0 by bit patterns: NaN becomes T |
    | `positive x`, `step x` | max(x, 0) with the sign of x; 1 if the sign bit of x is 0, else 0 |
    | `flip y x` | −y if the sign bit of x is 0, else y |
    | `scale y k` | y·2ⁿ, n the integer in the low bits of k |
    | `cut x` | x with its 13 low bits set to 0 |
    | `widen x`, `narrow x` | float32 to float64 and back |
    | `nan y a` | a quiet NaN if a is NaN, else y |
    | `patch x B C y` | C if x is B, else y; B and C are bit patterns |
    """

    name: str
    op: str
    operands: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """Operations in order, and constants; the last operation is the result."""

    operations: tuple[Operation, ...]
    constants: Mapping[str, float]

    @property
    def result(self) -> str:
        """The name of the result."""
        return self.operations[-1].name

    @property
    def patches(self) -> int:
        """Number of inputs whose results are stored."""
        return sum(each.op == "patch" for each in self.operations)

    @cached_property
    def wide(self) -> frozenset[str]:
        """The names whose numbers are float64s, not float32s."""
        found: set[str] = set()
        for name, op, operands in self.operations:
            if op == "widen" or (op != "narrow" and not found.isdisjoint(operands)):
                found.add(name)
        return frozenset(found)

    @property
    def coefficients(self) -> list[str]:
        """The names of the coefficients of polynomials: e0, e1, p0."""
        return [name for name in self.constants if name[0] in "epq" and name[1:].isdigit()]

    def with_constants(self, constants: Mapping[str, float]) -> Program:
        """Replace constants."""
        return replace(self, constants={**self.constants, **constants})

    def patched(self, patterns: Sequence[tuple[int, int]]) -> Program:
        """Store results of inputs; `patterns` has (input, result) as float32 bits."""
        operations, last = list(self.operations), self.result
        for number, (x, y) in enumerate(patterns, 1):
            name = f"y_{number}"
            operations.append(Operation(name, "patch", ("x", f"{x:#010x}", f"{y:#010x}", last)))
            last = name
        return replace(self, operations=tuple(operations))


Kernel: TypeAlias = Program | bytes
"""A program, or the table of the results for the 256 bit patterns of an 8-bit format."""


def parse(text: str, constants: Mapping[str, float]) -> Program:
    """Read a program; `P poly t p` is Horner's rule for p0 + p1·t + ….

    >>> parse("P poly x p", {"p0": 1.0, "p1": 2.0, "p2": 3.0}).operations[0]
    Operation(name='P_1', op='ma', operands=('p2', 'x', 'p1'))
    """
    operations: list[Operation] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        name, op, *operands = line.split()
        if op == "poly":
            x, letter = operands
            operations += _horner(name, x, letter, constants)
        else:
            operations.append(Operation(name, op, tuple(operands)))
    return Program(tuple(operations), dict(constants))


def _horner(name: str, x: str, letter: str, constants: Mapping[str, float]) -> Iterator[Operation]:
    degree = sum(each[0] == letter and each[1:].isdigit() for each in constants) - 1
    last = f"{letter}{degree}"
    for n in reversed(range(degree)):
        here = f"{name}_{n}" if n else name
        yield Operation(here, "ma", (last, x, f"{letter}{n}"))
        last = here


Literal: TypeAlias = Callable[[str, bool], str]
"""Function that writes a constant, given its name and True if it is a float64."""

CONSTANTS = "gelu_constants"
TYPES = {"float32": "float", "float16": "uint16_t", "bfloat16": "uint16_t"}


@cache
def read(file: str) -> str:
    """Read a file of the folder `templates`."""
    return (get_data("gelu_cli.making", f"templates/{file}") or b"").decode()


def signs_of(language: str) -> Mapping[str, Any]:
    """Read how a language writes operations."""
    signs: Mapping[str, Any] = read_table("templates/languages.toml", "gelu_cli.making")[language]
    return signs


def fill(*files: str, **words: str) -> str:
    """Fill templates and join them."""
    return "".join(Template(read(file)).substitute(words) for file in files)


def statements(
    program: Program, language: str, literal: Literal
) -> Iterator[tuple[bool, str, str]]:
    """Yield each operation: True if it is in float64, its name, its text."""
    signs = signs_of(language)
    for name, op, operands in program.operations:
        wide = name in program.wide
        words = [literal(each, wide) if each in program.constants else each for each in operands]
        own = f"{op}64" if wide else op
        sign = signs.get(own) or signs.get(op)
        call = sign.format(*words) if sign else f"gelu_{own}({', '.join(words)})"
        yield wide, name, call


def rows(table: bytes) -> str:
    """Write the numbers of a table, 16 in a line."""
    lines = (table[start : start + 16] for start in range(0, len(table), 16))
    return "".join(f"    {', '.join(f'{each:#04x}' for each in line)},\n" for line in lines)


def c_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel in C."""
    if isinstance(kernel, bytes):
        words = {"name": name, "type": "uint8_t", "rows": rows(kernel)}
        start = fill("start.h") + "#define GELU_TABLE const\n"
        text = start + fill("table.c", "array.c", **words)
    else:
        text = _c_file(_core(kernel, name, dtype, "c", _hexadecimal(kernel)), name, dtype)
    return fill("once.h", name=name, text=text)


def trial_text(program: Program, name: str, dtype: str) -> str:
    """Write a kernel in C whose constants are a global array, set by a search."""
    places = {name: f"{CONSTANTS}[{place}]" for place, name in enumerate(program.constants)}
    core = _core(program, name, dtype, "c", lambda each, wide: places[each])
    return f"float {CONSTANTS}[{len(places)}];\n{_c_file(core, name, dtype)}"


def erff_text(name: str, dtype: str) -> str:
    """Write a kernel in C that computes 0.5·x·(1 + erff(x/√2))."""
    line = "return 0.5f * x * (1.0f + erff(x * 0x1.6a09e6p-1f));"
    core = f"#include <math.h>\nGELU_INLINE float {_core_name(name, dtype)}(float x) {{ {line} }}\n"
    return _c_file(core, name, dtype)


def cuda_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel in CUDA."""
    if isinstance(kernel, bytes):
        words = {"name": name, "type": "uint8_t", "rows": rows(kernel)}
        text = fill("start.cuh", "table.c", "array.cu", **words)
    else:
        core = _core(kernel, name, dtype, "cuda", _hexadecimal(kernel))
        array = fill("array.cu", name=name, type=TYPES[dtype])
        text = fill("start.cuh", "operations.h") + core + _one(name, dtype) + array
    return fill("once.h", name=name, text=text)


def cuda_in_c(text: str, name: str) -> str:
    """Write C whose function NAME_here runs a CUDA kernel on the CPU."""
    return fill("on_cpu.c", text=text, name=name, halves=fill("halves.h"))


def _c_file(core: str, name: str, dtype: str) -> str:
    """Add conversions and the loop to the text of a float32 function."""
    array = fill("array.c", name=name, type=TYPES[dtype])
    halves = ""
    if dtype == "float16":
        array, halves = fill("array_f16c.c", name=name, array=array), fill("halves.h")
    start = fill("start.h", "bits.h", "operations.h")
    return start + halves + core + _one(name, dtype) + array


def _core_name(name: str, dtype: str) -> str:
    """Name the float32 function of a kernel."""
    return f"{name}_one" if dtype == "float32" else f"{name}_float"


def _one(name: str, dtype: str) -> str:
    """Write the function of one number of a 16-bit format; float32 needs none."""
    return "" if dtype == "float32" else fill(f"{dtype}.c", name=name)


def _core(program: Program, name: str, dtype: str, language: str, literal: Literal) -> str:
    """Write the float32 function of a kernel."""
    lines = [
        f"{'double' if wide else 'float'} {each} = {call};"
        for wide, each, call in statements(program, language, literal)
    ]
    body = "\n    ".join(lines)
    return fill("program.c", core=_core_name(name, dtype), body=body, result=program.result)


def _hexadecimal(program: Program) -> Literal:
    """Return a function that writes constants exactly, in hexadecimal."""

    def literal(name: str, wide: bool) -> str:
        mantissa, exponent = program.constants[name].hex().split("p")
        return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}{'' if wide else 'f'}"

    return literal


def numpy_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel for numpy arrays."""

    def literal(value: float, each: str, wide: bool) -> str:
        return f"{'F64' if wide else 'F32'}({value!r})"

    return _python(kernel, name, dtype, "numpy", literal)


def triton_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel for Triton; the constant T of clamp is written as bits."""

    def literal(value: float, each: str, wide: bool) -> str:
        if each == "T":
            return hex(int(np.float32(value).view(np.uint32)))
        return f"double({value!r})" if wide else repr(value)

    return _python(kernel, name, dtype, "triton", literal)


def _python(
    kernel: Kernel, name: str, dtype: str, language: str, written: Callable[[float, str, bool], str]
) -> str:
    if isinstance(kernel, bytes):
        return fill(f"{language}_table.txt", name=name, rows=rows(kernel))
    constants, signs = kernel.constants, signs_of(language)
    found = statements(kernel, language, lambda each, wide: written(constants[each], each, wide))
    body = "\n    ".join(f"{each} = {call}" for _, each, call in found)
    load, store = signs["load"][dtype], signs["store"][dtype].format(result=kernel.result)
    return fill(f"{language}.txt", name=name, body=body, load=load, store=store)
