# tanh_gradient_float16: gradient of tanh, ½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c =
# 0.044715, d = 0, in float16, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make tanh --quantity gradient --dtype float16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 5; operations: 33; patched: 1. Results are listed for the float32
# inputs 0x3a70a000.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.499995 ULP at x = 0.0781860352, 0 misrounded
#     SHA-256 71a5d5c6c683c2aa57c59fc21c1663d5d4cd9f1866601e7dd75b45a90e47ccd4
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
def tanh_gradient_float16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x40b20000))
    R = F(right(x) & 0x3F800000)
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
    X_4 = tl.fma(0.0013390823733061552, r, 0.009676008485257626)
    X_3 = tl.fma(X_4, r, 0.05550353229045868)
    X_2 = tl.fma(X_3, r, 0.24022144079208374)
    X_1 = tl.fma(X_2, r, 0.6931474208831787)
    X = tl.fma(X_1, r, 1.0)
    E = F(B(X) + (B(kf) << 23))
    D = tl.fma(E, 1.0, 1.0)
    h0 = tl.fma(t, -1.595703125, D)
    t3 = t * z
    h1 = tl.fma(t3, -0.21406444907188416, h0)
    h2 = tl.fma(t, -6.599660264328122e-05, h1)
    w = E * h2
    DD = D * D
    g = tl.div_rn(w, DD)
    gs = F(B(g) ^ (~B(x) & 0x80000000))
    y0 = tl.fma(gs, 1.0, R)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y0)
    y_1 = tl.where(B(x) == 0x3a70a000, F(tl.full(x.shape, 0x3f002000, tl.uint32)), y)
    y = y_1.to(tl.float16)
    tl.store(y_pointer + index, y, mask=index < n)
