# tanh_value_float32: value of tanh, ½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715,
# d = 0, in float32, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make tanh --quantity value --dtype float32 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float64; degree: 10; operations: 31; patched: 4. Results are listed for the float32
# inputs 0xc0773385, 0xb7b0a46f, 0x00000001, 0x37b0a46f.
#
# Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
# included:
#     largest error 0.500000 ULP at x = 1.40129846e-45, 0 misrounded
#     SHA-256 931bac63839fdc86ceb141eeb4ba7e3b76791670dedb8da021533e425367d1d5
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
def tanh_value_float32(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t0 = F(tl.minimum(B(a), 0x412c557a))
    t = t0.to(tl.float64)
    R0 = F(B(x) & (right(x) | 0x80000000))
    R = R0.to(tl.float64)
    z = t * t
    s = tl.fma(z, double(-0.1029432395800235), double(-2.302208198144325))
    kf = tl.fma(t, s, double(6755399441055744.0))
    nk = double(6755399441055744.0) - kf
    r = tl.fma(t, s, nk)
    X_9 = tl.fma(double(7.072585949269223e-09), r, double(1.0208690299958306e-07))
    X_8 = tl.fma(X_9, r, double(1.321544258792169e-06))
    X_7 = tl.fma(X_8, r, double(1.5252657260200837e-05))
    X_6 = tl.fma(X_7, r, double(0.0001540353044173605))
    X_5 = tl.fma(X_6, r, double(0.0013333558230164974))
    X_4 = tl.fma(X_5, r, double(0.009618129107606888))
    X_3 = tl.fma(X_4, r, double(0.05550410866444772))
    X_2 = tl.fma(X_3, r, double(0.24022650695910097))
    X_1 = tl.fma(X_2, r, double(0.69314718055995))
    X = tl.fma(X_1, r, double(0.9999999999999999))
    E = (X.to(tl.uint64, bitcast=True) + (kf.to(tl.uint64, bitcast=True) << 52)).to(tl.float64, bitcast=True)
    w = t * E
    Q = E + double(1.0)
    g = w / Q
    y0 = R - g
    y1 = y0.to(tl.float32)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y1)
    y_1 = tl.where(B(x) == 0xc0773385, F(tl.full(x.shape, 0xb90b96f9, tl.uint32)), y)
    y_2 = tl.where(B(x) == 0xb7b0a46f, F(tl.full(x.shape, 0xb730a3ad, tl.uint32)), y_1)
    y_3 = tl.where(B(x) == 0x00000001, F(tl.full(x.shape, 0x00000001, tl.uint32)), y_2)
    y_4 = tl.where(B(x) == 0x37b0a46f, F(tl.full(x.shape, 0x3730a531, tl.uint32)), y_3)
    y = y_4
    tl.store(y_pointer + index, y, mask=index < n)
