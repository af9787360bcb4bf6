# tanh_value_float16: value of tanh, ½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715,
# d = 0, in float16, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make tanh --quantity value --dtype float16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 5; operations: 28; patched: 2. Results are listed for the float32
# inputs 0x33800000, 0xbe7fc000.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.500000 ULP at x = 5.96046448e-08, 0 misrounded
#     SHA-256 b960970d1fcb8595c33732297040e9b7b2c452f52e56dab055936555d8b609f0
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
def tanh_value_float16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x40a94000))
    R = F(B(x) & (right(x) | 0x80000000))
    z = t * t
    s = tl.fma(z, -0.10294324159622192, -2.302208185195923)
    kf = tl.fma(t, s, 12582912.0)
    nk = 12582912.0 - kf
    h = F(B(z) & 0xFFFFE000)
    l = z - h
    u = t * h
    d0 = tl.fma(t, -2.30224609375, nk)
    d1 = tl.fma(u, -0.09375, d0)
    v0 = tl.fma(h, -0.009193239733576775, 3.7895606510574e-05)
    v = tl.fma(l, -0.10294324159622192, v0)
    r = tl.fma(t, v, d1)
    X_4 = tl.fma(0.0013390810927376151, r, 0.009676089510321617)
    X_3 = tl.fma(X_4, r, 0.05550354719161987)
    X_2 = tl.fma(X_3, r, 0.240220308303833)
    X_1 = tl.fma(X_2, r, 0.6931467652320862)
    X = tl.fma(X_1, r, 1.0000001192092896)
    E = F(B(X) + (B(kf) << 23))
    w = t * E
    Q = E + 1.0
    g = tl.div_rn(w, Q)
    y0 = R - g
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y0)
    y_1 = tl.where(B(x) == 0x33800000, F(tl.full(x.shape, 0x33800000, tl.uint32)), y)
    y_2 = tl.where(B(x) == 0xbe7fc000, F(tl.full(x.shape, 0xbdcd6000, tl.uint32)), y_1)
    y = y_2.to(tl.float16)
    tl.store(y_pointer + index, y, mask=index < n)
