"""Kernels in C and CUDA: a function of a number, and one for arrays.

In C compilers vectorise the loop. CUDA's text runs in C as well, by a stand-in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gelu_cli.making.programs import Kernel, Program, table_rows

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
"""Operations that are signs or functions of the language; the others are in OPERATIONS."""

TYPES = {"float32": "float", "float16": "uint16_t", "bfloat16": "uint16_t"}

START = """\
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "this kernel was proved for IEEE 754 arithmetic; remove -ffast-math and the like"
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifndef GELU_KERNEL
#define GELU_KERNEL{linkage}
#endif
"""

PRELUDE = """\
#ifndef GELU_MA
#if defined(__FMA__) || defined(__AVX512F__) || defined(__ARM_FEATURE_FMA)
#define GELU_MA(a, b, c) __builtin_fmaf(a, b, c)
#define GELU_MA64(a, b, c) __builtin_fma(a, b, c)
#else
#define GELU_MA(a, b, c) ((a) * (b) + (c))
#define GELU_MA64(a, b, c) ((a) * (b) + (c))
#endif
#endif
#ifndef GELU_OPERATIONS
#define GELU_OPERATIONS
static inline float gelu_float(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
static inline uint32_t gelu_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static inline double gelu_double(uint64_t u) { double f; memcpy(&f, &u, 8); return f; }
static inline uint64_t gelu_bits64(double f) { uint64_t u; memcpy(&u, &f, 8); return u; }
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
{inline} double gelu_flip64(double y, float x) {{
    return gelu_double(gelu_bits64(y) ^ ((uint64_t)(~gelu_bits(x) & 0x80000000u) << 32));
}}
{inline} float gelu_scale(float y, float k) {{
    return gelu_float(gelu_bits(y) + (gelu_bits(k) << 23));
}}
{inline} double gelu_scale64(double y, double k) {{
    return gelu_double(gelu_bits64(y) + (gelu_bits64(k) << 52));
}}
{inline} float gelu_cut(float x) {{ return gelu_float(gelu_bits(x) & 0xffffe000u); }}
{inline} float gelu_nan(float y, float a) {{
    return gelu_float(gelu_bits(y) | (gelu_bits(a) > 0x7f800000u ? 0x7fc00000u : 0u));
}}
{inline} float gelu_patch(float x, uint32_t at, uint32_t result, float y) {{
    return gelu_bits(x) == at ? gelu_float(result) : y;
}}
"""
"""The operations of programs.Operation, in C and CUDA."""

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
static inline float {core}(float x) {{
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

TABLE = """\
static {const} uint8_t {name}_table[256] = {{
{rows}}};
{inline} uint8_t {name}_one(uint8_t x) {{ return {name}_table[x]; }}
"""

CUDA = """\
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif
#include <stddef.h>
#include <stdint.h>
{core}
#ifdef __cplusplus
extern "C"
#endif
__global__ void {name}(const {type} *x, {type} *y, size_t n) {{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) y[i] = {name}_one(x[i]);
}}
"""

CUDA_CORE = """\
#ifndef GELU_OPERATIONS
#define GELU_OPERATIONS
#define gelu_float __uint_as_float
#define gelu_bits __float_as_uint
#define gelu_double(u) __longlong_as_double((long long)(u))
#define gelu_bits64(f) ((uint64_t)__double_as_longlong(f))
{operations}#endif
__device__ __forceinline__ float {core}(float x) {{
    {body}
    return {result};
}}
{one}"""
CUDA_ONE = {
    "bfloat16": """\
__device__ __forceinline__ uint16_t {name}_one(uint16_t x) {{
    uint32_t u = gelu_bits({name}_float(gelu_float((uint32_t)x << 16)));
    return (uint16_t)((u + 0x8000u - (u >> 31)) >> 16);
}}
""",
    "float16": """\
__device__ __forceinline__ uint16_t {name}_one(uint16_t x) {{
    return __half_as_ushort(__float2half_rn({name}_float(__half2float(__ushort_as_half(x)))));
}}
""",
    "float32": "",
}

CUDA_IN_C = """\
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define __device__
#define __constant__ const
#define __global__ static
#define __forceinline__ static inline
#define __fmaf_rn __builtin_fmaf
#define __fmul_rn(a, b) ((a) * (b))
#define __fadd_rn(a, b) ((a) + (b))
#define __fsub_rn(a, b) ((a) - (b))
#define __fdiv_rn(a, b) ((a) / (b))
#define __fma_rn __builtin_fma
#define __dmul_rn __fmul_rn
#define __dadd_rn __fadd_rn
#define __dsub_rn __fsub_rn
#define __ddiv_rn __fdiv_rn
#define __double2float_rn(x) ((float)(x))
#define __ushort_as_half(h) (h)
#define __half_as_ushort(h) (h)
#define __half2float gelu_from_half
#define __float2half_rn gelu_to_half
#define gelu_float __uint_as_float
#define gelu_bits __float_as_uint
static struct {{ size_t x; }} blockIdx, blockDim = {{ 1 }}, threadIdx;
static inline float gelu_float(uint32_t u) {{ float f; memcpy(&f, &u, 4); return f; }}
static inline uint32_t gelu_bits(float f) {{ uint32_t u; memcpy(&u, &f, 4); return u; }}
static inline double __longlong_as_double(long long u) {{
    double f;
    memcpy(&f, &u, 8);
    return f;
}}
static inline long long __double_as_longlong(double f) {{
    long long u;
    memcpy(&u, &f, 8);
    return u;
}}
{halves}
{text}
void {name}_here(const void *x, void *y, size_t n) {{
    for (blockIdx.x = 0; blockIdx.x < n; blockIdx.x++) {name}(x, y, n);
}}
"""
"""Runs a text of CUDA in C, one thread after the other."""


def c_text(kernel: Kernel, name: str, dtype: str, linkage: str = "") -> str:
    """Write a kernel in C; `linkage` is that of the function for arrays."""
    if isinstance(kernel, bytes):
        table = TABLE.format(
            name=name, const="const", inline="static inline", rows=table_rows(kernel)
        )
        start = START.format(linkage=f" {linkage}".rstrip())
        return start + table + ARRAY.format(name=name, type="uint8_t")
    return _c(kernel, name, dtype, linkage, lambda each, wide: c_literal(kernel, each, wide))


def trial_text(program: Program, name: str, dtype: str) -> str:
    """Write a kernel whose constants are a global array, which a search sets."""
    places = {name: f"{CONSTANTS}[{place}]" for place, name in enumerate(program.constants)}
    text = _c(program, name, dtype, "", lambda each, wide: places[each])
    return f"float {CONSTANTS}[{len(places)}];\n{text}"


def _c(
    program: Program, name: str, dtype: str, linkage: str, literal: Callable[[str, bool], str]
) -> str:
    """Write a program in C."""
    core = f"{name}_one" if dtype == "float32" else f"{name}_float"
    body = "\n    ".join(c_lines(program, C_SIGNS, literal))
    parts = [
        START.format(linkage=f" {linkage}".rstrip()),
        PRELUDE,
        OPERATIONS.format(inline="static inline"),
        "#endif\n",
        f"#ifndef GELU_HALVES\n#define GELU_HALVES\n{HALVES}#endif\n" * (dtype == "float16"),
        CORE.format(core=core, body=body, result=program.result),
    ]
    array = ARRAY.format(name=name, type=TYPES[dtype])
    if dtype == "float16":
        parts.append(FLOAT16.format(name=name, array=array))
    else:
        parts += [BFLOAT16.format(name=name) if dtype == "bfloat16" else "", array]
    return "".join(parts)


def cuda_text(kernel: Kernel, name: str, dtype: str) -> str:
    """Write a kernel in CUDA."""
    inline = "__device__ __forceinline__"
    if isinstance(kernel, bytes):
        rows = table_rows(kernel)
        table = TABLE.format(name=name, const="__constant__", inline=inline, rows=rows)
        return CUDA.format(core=table, name=name, type="uint8_t")
    lines = c_lines(kernel, CUDA_SIGNS, lambda each, wide: c_literal(kernel, each, wide))
    core = CUDA_CORE.format(
        operations=OPERATIONS.format(inline=inline),
        core=f"{name}_one" if dtype == "float32" else f"{name}_float",
        body="\n    ".join(lines),
        result=kernel.result,
        one=CUDA_ONE[dtype].format(name=name),
    )
    return CUDA.format(core=core, name=name, type=TYPES[dtype])


def cuda_in_c(text: str, name: str) -> str:
    """Write C that runs a kernel of CUDA; its function is NAME_here."""
    return CUDA_IN_C.format(text=text, name=name, halves=HALVES)


def c_lines(
    program: Program, signs: Mapping[str, str], literal: Callable[[str, bool], str]
) -> list[str]:
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
