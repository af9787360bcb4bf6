# exact_value_float16: value of exact, x·Φ(x), in float16, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make exact --quantity value --dtype float16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 5 6; operations: 29; patched: 2. Results are listed for the float32
# inputs 0x3aaf8000, 0xbaaf8000.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.500000 ULP at x = 5.96046448e-08, 0 misrounded
#     SHA-256 6e527d1f66e760d19ef6ecd2793f6cdc0164c9e8b09e183a4229bcc7b67b95a0
#         NVIDIA H200 by triton 3.6.0 (fused)
#
# Not for x and y that overlap, machines that flush subnormal numbers to zero, other roundings
# than to nearest, or fast-math modes.

import triton
import triton.language as tl


@triton.jit
def B(x):
    return x.to(tl.uint32, bitcast=True)


@triton.jit
def F(bits):
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def double(number: tl.constexpr):  # by itself tl.fma takes a number as a float32
    return tl.full((), number, tl.float64)


@triton.jit
def right(x):
    return ~(x.to(tl.int32, bitcast=True) >> 31).to(tl.uint32, bitcast=True)


@triton.jit
def exact_value_float16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x40b74000))
    R = F(B(x) & (right(x) | 0x80000000))
    z = t * t
    kf = tl.fma(z, -0.7213475108146667, 12582912.0)
    nk = 12582912.0 - kf
    r0 = tl.fma(z, -0.75, nk)
    r = tl.fma(z, 0.028652479872107506, r0)
    X_4 = tl.fma(0.00133908458519727, r, 0.009676014073193073)
    X_3 = tl.fma(X_4, r, 0.05550350248813629)
    X_2 = tl.fma(X_3, r, 0.24022021889686584)
    X_1 = tl.fma(X_2, r, 0.6931470632553101)
    X = tl.fma(X_1, r, 0.9999995231628418)
    E = F(B(X) + (B(kf) << 23))
    d = t + 4.0
    i = tl.div_rn(1.0, d)
    v = tl.fma(-8.0, i, 1.0)
    N_5 = tl.fma(0.005998271983116865, v, 0.009185743518173695)
    N_4 = tl.fma(N_5, v, -0.05995476245880127)
    N_3 = tl.fma(N_4, v, 0.18652336299419403)
    N_2 = tl.fma(N_3, v, -0.3871541917324066)
    N_1 = tl.fma(N_2, v, 0.6078954935073853)
    N = tl.fma(N_1, v, -0.7552855610847473)
    w0 = E * t
    w = w0 * i
    y0 = tl.fma(w, N, R)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y0)
    y_1 = tl.where(B(x) == 0x3aaf8000, F(tl.full(x.shape, 0x3a2fa000, tl.uint32)), y)
    y_2 = tl.where(B(x) == 0xbaaf8000, F(tl.full(x.shape, 0xba2f6000, tl.uint32)), y_1)
    y = y_2.to(tl.float16)
    tl.store(y_pointer + index, y, mask=index < n)
