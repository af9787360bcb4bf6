# exact_gradient_bfloat16: gradient of exact, x·Φ(x), in bfloat16, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make exact --quantity gradient --dtype bfloat16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 4 5; operations: 29; patched: 1. Results are listed for the float32
# inputs 0x3dba0000.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.499922 ULP at x = 0.91015625, 0 misrounded
#     SHA-256 37232b253d91027a66c121b18bc9e3f78523c510b4a08a84c573b9decaf52125
#         stand-in by numpy:  (fused)
#
# No GPU has run this text. A stand-in ran the same operations on the CPU, in the order and with
# the roundings that are written here.
#
# Not for machines that flush subnormal numbers to zero, other roundings than to nearest, or
# -ffast-math.

import triton
import triton.language as tl


@triton.jit
def B(x):
    return x.to(tl.uint32, bitcast=True)


@triton.jit
def F(bits):
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def right(x):
    return ~(x.to(tl.int32, bitcast=True) >> 31).to(tl.uint32, bitcast=True)


@triton.jit
def exact_gradient_bfloat16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = F(x.to(tl.uint16, bitcast=True).to(tl.uint32) << 16)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x415d0000))
    R = F(right(x) & 0x3F800000)
    z = t * t
    kf = tl.fma(z, -0.7213475108146667, 12582912.0)
    k = kf - 12582912.0
    nk = -k
    r0 = tl.fma(z, -0.72265625, nk)
    r = tl.fma(z, 0.0013087295228615403, r0)
    X_3 = tl.fma(1.783121300034683e+17, r, 1.0315775459396157e+18)
    X_2 = tl.fma(X_3, r, 4.43127650127446e+18)
    X_1 = tl.fma(X_2, r, 1.2786017309755965e+19)
    X = tl.fma(X_1, r, 1.844678365612815e+19)
    E = F(B(X) + (B(kf) << 23))
    d = t + 4.0
    i = tl.div_rn(1.0, d)
    v = tl.fma(-8.0, i, 1.0)
    N_4 = tl.fma(6.643053849762592e-23, v, -5.176438112220027e-22)
    N_3 = tl.fma(N_4, v, 1.5346652016334345e-21)
    N_2 = tl.fma(N_3, v, -3.276503401846065e-21)
    N_1 = tl.fma(N_2, v, 5.602331518417917e-21)
    N = tl.fma(N_1, v, -2.505640904700506e-20)
    s0 = t + -0.7517915368080139
    s1 = s0 + 1.211444988769017e-08
    w = E * s1
    sw = F(B(w) ^ (~B(x) & 0x80000000))
    y0 = tl.fma(sw, N, R)
    y = F(B(y0) | (B(a) > 0x7F800000).to(tl.uint32) * 0x7FC00000)
    y_1 = tl.where(B(x) == 0x3dba0000, F(tl.full(x.shape, 0x3f120000, tl.uint32)), y)
    u = B(y_1)
    y = ((u + 0x8000 - (u >> 31)) >> 16).to(tl.uint16).to(tl.bfloat16, bitcast=True)
    tl.store(y_pointer + index, y, mask=index < n)
