# silu_gradient_float16: gradient of silu, x·σ(x), in float16, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make silu --quantity gradient --dtype float16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 5; operations: 22; patched: 1. Results are listed for the float32
# inputs 0xbfba4000.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.500000 ULP at x = -0.000244140625, 0 misrounded
#     SHA-256 2b1dee0db0719840f86e841c44ab8c137ebea5e48c4d7d0285e0565e60150526
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
def silu_gradient_float16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x41a26000))
    R = F(right(x) & 0x3F800000)
    kf = tl.fma(t, -1.4426950216293335, 12582912.0)
    nk = 12582912.0 - kf
    r0 = tl.fma(t, -1.442626953125, nk)
    r = tl.fma(t, -6.808776379330084e-05, r0)
    X_4 = tl.fma(0.0013390898238867521, r, 0.009676066227257252)
    X_3 = tl.fma(X_4, r, 0.055503565818071365)
    X_2 = tl.fma(X_3, r, 0.24021808803081512)
    X_1 = tl.fma(X_2, r, 0.6931468844413757)
    X = tl.fma(X_1, r, 1.000000238418579)
    E = F(B(X) + (B(kf) << 23))
    D = tl.fma(E, 1.0, 1.0)
    h0 = tl.fma(t, -1.0, D)
    w = E * h0
    DD = D * D
    g = tl.div_rn(w, DD)
    gs = F(B(g) ^ (~B(x) & 0x80000000))
    y0 = tl.fma(gs, 1.0, R)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y0)
    y_1 = tl.where(B(x) == 0xbfba4000, F(tl.full(x.shape, 0xbd0b6000, tl.uint32)), y)
    y = y_1.to(tl.float16)
    tl.store(y_pointer + index, y, mask=index < n)
