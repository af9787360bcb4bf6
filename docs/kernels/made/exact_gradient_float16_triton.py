# exact_gradient_float16: gradient of exact, x·Φ(x), in float16, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make exact --quantity gradient --dtype float16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 5 6; operations: 30; patched: 1. Results are listed for the float32
# inputs 0xbdca2000.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.499980 ULP at x = -0.245849609, 0 misrounded
#     SHA-256 53d23233e6706a7582f7e356059e95eaeebbe71e53f0bd10d0b1e9589e76084d
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
def exact_gradient_float16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x40c10000))
    R = F(right(x) & 0x3F800000)
    z = t * t
    kf = tl.fma(z, -0.7213475108146667, 12582912.0)
    nk = 12582912.0 - kf
    r0 = tl.fma(z, -0.75, nk)
    r = tl.fma(z, 0.028652479872107506, r0)
    X_4 = tl.fma(0.0013390763197094202, r, 0.009676014073193073)
    X_3 = tl.fma(X_4, r, 0.055503278970718384)
    X_2 = tl.fma(X_3, r, 0.24022099375724792)
    X_1 = tl.fma(X_2, r, 0.6931473612785339)
    X = tl.fma(X_1, r, 1.0)
    E = F(B(X) + (B(kf) << 23))
    d = t + 4.0
    i = tl.div_rn(1.0, d)
    v = tl.fma(-8.0, i, 1.0)
    N_5 = tl.fma(0.0006185144302435219, v, 0.0021981033496558666)
    N_4 = tl.fma(N_5, v, -0.009370619431138039)
    N_3 = tl.fma(N_4, v, 0.028080714866518974)
    N_2 = tl.fma(N_3, v, -0.0604703351855278)
    N_1 = tl.fma(N_2, v, 0.10336554050445557)
    N = tl.fma(N_1, v, -0.4622112214565277)
    s0 = t + -0.7517915368080139
    s1 = s0 + 1.211444988769017e-08
    w = E * s1
    sw = F(B(w) ^ (~B(x) & 0x80000000))
    y0 = tl.fma(sw, N, R)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y0)
    y_1 = tl.where(B(x) == 0xbdca2000, F(tl.full(x.shape, 0x3ed7e000, tl.uint32)), y)
    y = y_1.to(tl.float16)
    tl.store(y_pointer + index, y, mask=index < n)
