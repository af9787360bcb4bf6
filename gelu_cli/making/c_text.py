"""Kernels in C and CUDA: a function of a number, and one for arrays.

In C compilers vectorise the loop. CUDA's text runs in C as well, by a stand-in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pkgutil import get_data
from string import Template
from typing import TypeAlias

from gelu_cli.making.operations import Kernel, Program, table_rows

Literal: TypeAlias = Callable[[str, bool], str]
"""Writes a constant by its name; True if it is a float64."""

CONSTANTS = "gelu_constants"

C_SIGNS = {
    "ma": "GELU_MA({0}, {1}, {2})",
    "ma64": "GELU_MA64({0}, {1}, {2})",
    "mul": "{0} * {1}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "widen": "(double){0}",
    "narrow": "(float){0}",
}
CUDA_SIGNS = C_SIGNS | {
    "ma": "__fmaf_rn({0}, {1}, {2})",
    "mul": "__fmul_rn({0}, {1})",
    "add": "__fadd_rn({0}, {1})",
    "sub": "__fsub_rn({0}, {1})",
    "div": "__fdiv_rn({0}, {1})",
    "ma64": "__fma_rn({0}, {1}, {2})",
    "mul64": "__dmul_rn({0}, {1})",
    "add64": "__dadd_rn({0}, {1})",
    "sub64": "__dsub_rn({0}, {1})",
    "div64": "__ddiv_rn({0}, {1})",
    "narrow": "__double2float_rn({0})",
}
"""Operations that are signs or functions of the language; the others are in operations.h."""

TYPES = {"float32": "float", "float16": "uint16_t", "bfloat16": "uint16_t"}


@cache
def template(file: str) -> Template:
    """Read a template of this package."""
    return Template((get_data("gelu_cli.making", f"templates/{file}") or b"").decode())


def fill(*files: str, **words: str) -> str:
    """Fill templates and join them."""
    return "".join(template(file).substitute(words) for file in files)


def c_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel in C."""
    if isinstance(kernel, bytes):
        start = fill("start.h") + "#define GELU_TABLE const\n"
        return start + fill(
            "table.c", "array.c", name=name, type="uint8_t", rows=table_rows(kernel)
        )
    return _c_file(_core(kernel, name, dtype, C_SIGNS, partial(c_literal, kernel)), name, dtype)


def trial_text(program: Program, name: str, dtype: str) -> str:
    """Write a kernel whose constants are a global array, which a search sets."""
    places = {name: f"{CONSTANTS}[{place}]" for place, name in enumerate(program.constants)}
    core = _core(program, name, dtype, C_SIGNS, lambda each, wide: places[each])
    return f"float {CONSTANTS}[{len(places)}];\n{_c_file(core, name, dtype)}"


def erff_text(name: str, dtype: str) -> str:
    """Write the loop 0.5·x·(1 + erff(x/√2))."""
    line = "return 0.5f * x * (1.0f + erff(x * 0x1.6a09e6p-1f));"
    core = f"#include <math.h>\nGELU_INLINE float {_core_name(name, dtype)}(float x) {{ {line} }}\n"
    return _c_file(core, name, dtype)


def cuda_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel in CUDA."""
    if isinstance(kernel, bytes):
        files = "start.cuh", "table.c", "array.cu"
        return fill(*files, name=name, type="uint8_t", rows=table_rows(kernel))
    core = _core(kernel, name, dtype, CUDA_SIGNS, partial(c_literal, kernel))
    array = fill("array.cu", name=name, type=TYPES[dtype])
    return fill("start.cuh", "operations.h") + core + _one(name, dtype) + array


def cuda_in_c(text: str, name: str) -> str:
    """Write C that runs a kernel of CUDA by a function NAME_here."""
    return fill("on_cpu.c", text=text, name=name, halves=fill("halves.h"))


def _c_file(core: str, name: str, dtype: str) -> str:
    """Complete the text of a function of float32s: conversions, and the loop."""
    array = fill("array.c", name=name, type=TYPES[dtype])
    halves = ""
    if dtype == "float16":
        array, halves = fill("array_f16c.c", name=name, array=array), fill("halves.h")
    start = fill("start.h", "bits.h", "operations.h")
    return start + halves + core + _one(name, dtype) + array


def _core_name(name: str, dtype: str) -> str:
    """Name the function of float32s."""
    return f"{name}_one" if dtype == "float32" else f"{name}_float"


def _one(name: str, dtype: str) -> str:
    """Write the function of a number of a narrower format."""
    return "" if dtype == "float32" else fill(f"{dtype}.c", name=name)


def _core(
    program: Program, name: str, dtype: str, signs: Mapping[str, str], literal: Literal
) -> str:
    """Write the function of float32s."""
    body = "\n    ".join(c_lines(program, signs, literal))
    return fill("program.c", core=_core_name(name, dtype), body=body, result=program.result)


def c_lines(program: Program, signs: Mapping[str, str], literal: Literal) -> list[str]:
    """Write a declaration for each operation."""
    lines = []
    for name, op, operands in program.operations:
        wide = name in program.wide
        words = [literal(each, wide) if each in program.constants else each for each in operands]
        if op == "patch":
            words[1:3] = [f"{word}u" for word in words[1:3]]
        sign = signs.get(f"{op}64" if wide else op) or signs.get(op)
        suffix = "64" if wide else ""
        call = sign.format(*words) if sign else f"gelu_{op}{suffix}({', '.join(words)})"
        lines.append(f"{'double' if wide else 'float'} {name} = {call};")
    return lines


def c_literal(program: Program, name: str, wide: bool) -> str:
    """Write a constant exactly."""
    mantissa, exponent = program.constants[name].hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}{'' if wide else 'f'}"
