# silu_value_float32: value of silu, x·σ(x), in float32, within 0.501 ULP.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make silu --quantity value --dtype float32 --max-ulp 0.501 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float64; degree: 8; operations: 24; patched: 0.
#
# Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
# included:
#     largest error 0.500012 ULP at x = -30.5694942, 733 misrounded
#     SHA-256 d2472744541b63b8740eb42f05a56635b7f2c7ac4f7291e5f48cc785d9d3dfd8
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
def silu_value_float32(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t0 = F(tl.minimum(B(a), 0x42d95214))
    t = t0.to(tl.float64)
    R0 = F(B(x) & (right(x) | 0x80000000))
    R = R0.to(tl.float64)
    kf = tl.fma(t, double(-1.4426950408889634), double(6755399441055744.0))
    nk = double(6755399441055744.0) - kf
    r0 = tl.fma(t, double(-1.442695040255785), nk)
    r = tl.fma(t, double(-6.331783986013306e-10), r0)
    X_7 = tl.fma(double(1.3255224878668817e-06), r, double(1.5310079402249296e-05))
    X_6 = tl.fma(X_7, r, double(0.00015403455852453838))
    X_5 = tl.fma(X_6, r, double(0.0013333450568000645))
    X_4 = tl.fma(X_5, r, double(0.009618129159402558))
    X_3 = tl.fma(X_4, r, double(0.05550410941205933))
    X_2 = tl.fma(X_3, r, double(0.2402265069581299))
    X_1 = tl.fma(X_2, r, double(0.6931471805459335))
    X = tl.fma(X_1, r, double(0.9999999999999999))
    E = (X.to(tl.uint64, bitcast=True) + (kf.to(tl.uint64, bitcast=True) << 52)).to(tl.float64, bitcast=True)
    w = t * E
    Q = E + double(1.0)
    g = w / Q
    y0 = R - g
    y1 = y0.to(tl.float32)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y1)
    y = y
    tl.store(y_pointer + index, y, mask=index < n)
