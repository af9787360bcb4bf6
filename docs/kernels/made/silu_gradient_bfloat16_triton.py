# silu_gradient_bfloat16: gradient of silu, x·σ(x), in bfloat16, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make silu --quantity gradient --dtype bfloat16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 4; operations: 20; patched: 0.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.500000 ULP at x = -0.001953125, 0 misrounded
#     SHA-256 4150adb3f6d5689c6ee002a55ba045abcc254b8e837ae3135c2dcb624632162c
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
def silu_gradient_bfloat16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = F(x.to(tl.uint16, bitcast=True).to(tl.uint32) << 16)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x42c30000))
    R = F(right(x) & 0x3F800000)
    kf = tl.fma(t, -1.4426950216293335, 12582912.0)
    nk = 12582912.0 - kf
    r0 = tl.fma(t, -1.44268798828125, nk)
    r = tl.fma(t, -7.052607543300837e-06, r0)
    X_3 = tl.fma(1.783132810547036e+17, r, 1.0315758279526973e+18)
    X_2 = tl.fma(X_3, r, 4.4313377990477087e+18)
    X_1 = tl.fma(X_2, r, 1.2785825994732732e+19)
    X = tl.fma(X_1, r, 1.844677486003513e+19)
    E = F(B(X) + (B(kf) << 23))
    D = tl.fma(E, 5.421010862427522e-20, 1.0)
    h0 = tl.fma(t, -1.0, D)
    w = E * h0
    DD = D * D
    g = tl.div_rn(w, DD)
    gs = F(B(g) ^ (~B(x) & 0x80000000))
    y0 = tl.fma(gs, 5.421010862427522e-20, R)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y0)
    u = B(y)
    y = ((u + 0x8000 - (u >> 31)) >> 16).to(tl.uint16).to(tl.bfloat16, bitcast=True)
    tl.store(y_pointer + index, y, mask=index < n)
