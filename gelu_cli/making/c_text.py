"""Kernels in C: an inline scalar function, and one for arrays that compilers vectorise."""

from __future__ import annotations

from collections.abc import Mapping

from gelu_cli.making.programs import ARITHMETIC, Program

CONSTANTS = "gelu_constants"
SIGNS = {
    "ma": "GELU_MA({0}, {1}, {2})",
    "mul": "{0} * {1}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
}

PRELUDE = """\
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "this kernel was proved for IEEE 754 arithmetic; remove -ffast-math and the like"
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifndef GELU_KERNEL
#define GELU_KERNEL{linkage}
#endif
#ifndef GELU_MA
#if defined(__FMA__) || defined(__AVX512F__) || defined(__ARM_FEATURE_FMA)
#define GELU_MA(a, b, c) __builtin_fmaf(a, b, c)
#else
#define GELU_MA(a, b, c) ((a) * (b) + (c))
#endif
#endif
#ifndef GELU_OPERATIONS
#define GELU_OPERATIONS
static inline float gelu_float(uint32_t u) {{ float f; memcpy(&f, &u, 4); return f; }}
static inline uint32_t gelu_bits(float f) {{ uint32_t u; memcpy(&u, &f, 4); return u; }}
"""

OPERATIONS = """\
{inline} float gelu_abs(float x) {{ return gelu_float(gelu_bits(x) & 0x7fffffffu); }}
{inline} float gelu_clamp(float x, float most) {{
    return gelu_float(gelu_bits(x) > gelu_bits(most) ? gelu_bits(most) : gelu_bits(x));
}}
{inline} uint32_t gelu_right(float x) {{ return ~(uint32_t)((int32_t)gelu_bits(x) >> 31); }}
{inline} float gelu_positive(float x) {{
    return gelu_float(gelu_bits(x) & (gelu_right(x) | 0x80000000u));
}}
{inline} float gelu_step(float x) {{ return gelu_float(gelu_right(x) & 0x3f800000u); }}
{inline} float gelu_flip(float y, float x) {{
    return gelu_float(gelu_bits(y) ^ (~gelu_bits(x) & 0x80000000u));
}}
{inline} float gelu_scale(float y, float k) {{
    return gelu_float(gelu_bits(y) + (gelu_bits(k) << 23));
}}
{inline} float gelu_cut(float x) {{ return gelu_float(gelu_bits(x) & 0xffffe000u); }}
{inline} float gelu_nan(float y, float a) {{
    return gelu_float(gelu_bits(y) | (gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : 0u));
}}
{inline} float gelu_patch(float x, uint32_t at, uint32_t result, float y) {{
    return gelu_bits(x) == at ? gelu_float(result) : y;
}}
"""
"""The operations of programs.Operation that are no signs, in C and CUDA."""

HALVES = """\
static inline uint32_t gelu_choose(int c, uint32_t a, uint32_t b) {
    uint32_t mask = 0u - (uint32_t)c;
    return (a & mask) | (b & ~mask);
}
static inline float gelu_from_half(uint16_t h) {
    uint32_t m = h & 0x7fffu;
    float small = gelu_float((m << 13) + (113u << 23)) - gelu_float(113u << 23);
    uint32_t large = (m << 13) + gelu_choose(m < 0x7c00u, 112u << 23, 224u << 23);
    uint32_t u = gelu_choose(m < 0x400u, gelu_bits(small), large);
    return gelu_float(u | (uint32_t)(h & 0x8000u) << 16);
}
static inline uint16_t gelu_to_half(float f) {
    uint32_t u = gelu_bits(f) & 0x7fffffffu;
    uint32_t small = gelu_bits(gelu_float(u) + 0.5f) - (126u << 23);
    uint32_t large = (u + 0xfffu + (u >> 13 & 1u) - (112u << 23)) >> 13;
    uint32_t special = gelu_choose(u > 0x7f800000u, 0x7e00u, 0x7c00u);
    uint32_t r = gelu_choose(u < 0x7f800000u, large, special);
    return (uint16_t)(gelu_choose(u < 113u << 23, small, r) | (gelu_bits(f) >> 31 << 15));
}
"""
"""float16 without an instruction: the type _Float16 of gcc 12 is not vectorised."""

CORE = """\
static inline float {name}_float(float x) {{
    {body}
    return {result};
}}
"""

ARRAY = """\
GELU_KERNEL void {name}(const {type} *restrict x, {type} *restrict y, size_t n) {{
    for (size_t i = 0; i < n; i++) y[i] = {name}_one(x[i]);
}}
"""

BFLOAT16 = """\
static inline uint16_t {name}_one(uint16_t x) {{
    uint32_t u = gelu_bits({name}_float(gelu_float((uint32_t)x << 16)));
    return (uint16_t)((u + 0x8000u - (u >> 31)) >> 16);
}}
"""
"""A tie in float32 is f(x) = x/2 + …, which is above it: ties are rounded up, not to even."""

FLOAT16 = """\
static inline uint16_t {name}_one(uint16_t x) {{
    return gelu_to_half({name}_float(gelu_from_half(x)));
}}
#ifdef __F16C__
#include <immintrin.h>
GELU_KERNEL void {name}(const uint16_t *restrict x, uint16_t *restrict y, size_t n) {{
    float b[64];
    uint16_t h[64];
    for (size_t i = 0; i < n; i += 64) {{
        size_t k = n - i < 64 ? n - i : 64;
        const uint16_t *from = x + i;
        uint16_t *to = k < 64 ? h : y + i;
        if (k < 64) {{
            memset(h, 0, sizeof h);
            memcpy(h, from, 2 * k);
            from = h;
        }}
        for (int j = 0; j < 64; j += 8)
            _mm256_storeu_ps(b + j, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + j))));
        for (int j = 0; j < 64; j++) b[j] = {name}_float(b[j]);
        for (int j = 0; j < 64; j += 8)
            _mm_storeu_si128((__m128i *)(to + j), _mm256_cvtps_ph(_mm256_loadu_ps(b + j), 0));
        if (k < 64) memcpy(y + i, h, 2 * k);
    }}
}}
#else
{array}#endif
"""


def c_text(program: Program, name: str, dtype: str, linkage: str = "") -> str:
    """Write a kernel of a 16-bit format; `linkage` is that of the function for arrays."""
    literals = {name: c_literal(value) for name, value in program.constants.items()}
    return _text(program, name, dtype, linkage, literals)


def trial_text(program: Program, name: str, dtype: str) -> str:
    """Write a kernel whose constants are a global array, which a search sets."""
    places = {name: f"{CONSTANTS}[{place}]" for place, name in enumerate(program.constants)}
    return f"float {CONSTANTS}[{len(places)}];\n{_text(program, name, dtype, '', places)}"


def _text(
    program: Program, name: str, dtype: str, linkage: str, literals: Mapping[str, str]
) -> str:
    names = {"name": name, "type": "uint16_t"}
    body = "\n    ".join(c_lines(program, SIGNS, literals))
    core = CORE.format(name=name, body=body, result=program.result)
    array = ARRAY.format(**names)
    if dtype == "bfloat16":
        halves, loop = "", BFLOAT16.format(**names) + array
    else:
        halves, loop = HALVES, FLOAT16.format(**names, array=array)
    return f"{prelude(linkage)}{halves}#endif\n{core}{loop}"


def prelude(linkage: str) -> str:
    """Write what kernels share, each definition once in a program that includes several."""
    start = PRELUDE.format(linkage=f" {linkage}".rstrip())
    return start + OPERATIONS.format(inline="static inline")


def c_lines(program: Program, signs: Mapping[str, str], literals: Mapping[str, str]) -> list[str]:
    """Write a declaration for each operation."""
    lines = []
    for name, op, operands in program.operations:
        words = [literals.get(each, each) for each in operands]
        if op == "patch":
            words[1:3] = [f"{word}u" for word in words[1:3]]
        call = signs[op].format(*words) if op in ARITHMETIC else f"gelu_{op}({', '.join(words)})"
        lines.append(f"float {name} = {call};")
    return lines


def c_literal(value: float) -> str:
    """Write a float32 exactly.

    >>> c_literal(-0.75), c_literal(12582912.0)
    ('-0x1.8p-1f', '0x1.8p+23f')
    """
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}f"


CUDA_SIGNS = {
    "ma": "__fmaf_rn({0}, {1}, {2})",
    "mul": "__fmul_rn({0}, {1})",
    "add": "__fadd_rn({0}, {1})",
    "sub": "__fsub_rn({0}, {1})",
    "div": "__fdiv_rn({0}, {1})",
    "neg": "-{0}",
}

CUDA = """\
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif
#include <stddef.h>
#include <stdint.h>
#ifndef GELU_OPERATIONS
#define GELU_OPERATIONS
#define gelu_float __uint_as_float
#define gelu_bits __float_as_uint
{operations}#endif
__device__ __forceinline__ float {name}_float(float x) {{
    {body}
    return {result};
}}
__device__ __forceinline__ uint16_t {name}_one(uint16_t x) {{
    {one}
}}
#ifdef __cplusplus
extern "C"
#endif
__global__ void {name}(const uint16_t *x, uint16_t *y, size_t n) {{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) y[i] = {name}_one(x[i]);
}}
"""
CUDA_ONE = {
    "bfloat16": """\
uint32_t u = gelu_bits({name}_float(gelu_float((uint32_t)x << 16)));
    return (uint16_t)((u + 0x8000u - (u >> 31)) >> 16);""",
    "float16": """\
return __half_as_ushort(__float2half_rn({name}_float(__half2float(__ushort_as_half(x)))));""",
}

CUDA_STAND_IN = """\
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define __device__
#define __global__ static
#define __forceinline__ static inline
#define __fmaf_rn __builtin_fmaf
#define __fmul_rn(a, b) ((a) * (b))
#define __fadd_rn(a, b) ((a) + (b))
#define __fsub_rn(a, b) ((a) - (b))
#define __fdiv_rn(a, b) ((a) / (b))
#define __ushort_as_half(h) (h)
#define __half_as_ushort(h) (h)
#define __half2float gelu_from_half
#define __float2half_rn gelu_to_half
#define gelu_float __uint_as_float
#define gelu_bits __float_as_uint
static struct {{ size_t x; }} blockIdx, blockDim = {{ 1 }}, threadIdx;
static inline float gelu_float(uint32_t u) {{ float f; memcpy(&f, &u, 4); return f; }}
static inline uint32_t gelu_bits(float f) {{ uint32_t u; memcpy(&u, &f, 4); return u; }}
{halves}
{text}
void {name}_here(const uint16_t *x, uint16_t *y, size_t n) {{
    for (blockIdx.x = 0; blockIdx.x < n; blockIdx.x++) {name}(x, y, n);
}}
"""
"""Runs a text of CUDA in C, a thread after the other."""


def cuda_text(program: Program, name: str, dtype: str) -> str:
    """Write a kernel of a 16-bit format in CUDA."""
    literals = {each: c_literal(value) for each, value in program.constants.items()}
    return CUDA.format(
        name=name,
        operations=OPERATIONS.format(inline="__device__ __forceinline__"),
        body="\n    ".join(c_lines(program, CUDA_SIGNS, literals)),
        result=program.result,
        one=CUDA_ONE[dtype].format(name=name),
    )


def cuda_in_c(text: str, name: str) -> str:
    """Write C that runs a kernel of CUDA; its function is called NAME_here."""
    return CUDA_STAND_IN.format(text=text, name=name, halves=HALVES)
