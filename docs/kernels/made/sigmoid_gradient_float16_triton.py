# sigmoid_gradient_float16: gradient of sigmoid, x·σ(β·x), β = 1.702, in float16, correctly
# rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make sigmoid --quantity gradient --dtype float16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 5; operations: 22; patched: 0.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.499947 ULP at x = 0.000860691071, 0 misrounded
#     SHA-256 1a8b6d6eff0cb7a8dd6023c730091e579493f40a8c8551858ae2af958a73fc6f
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
def sigmoid_gradient_float16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x413ec000))
    R = F(right(x) & 0x3F800000)
    kf = tl.fma(t, -2.4554669857025146, 12582912.0)
    nk = 12582912.0 - kf
    r0 = tl.fma(t, -2.45556640625, nk)
    r = tl.fma(t, 9.944665362127125e-05, r0)
    X_4 = tl.fma(0.001339092617854476, r, 0.009676003828644753)
    X_3 = tl.fma(X_4, r, 0.055503614246845245)
    X_2 = tl.fma(X_3, r, 0.2402210235595703)
    X_1 = tl.fma(X_2, r, 0.6931474804878235)
    X = tl.fma(X_1, r, 1.0)
    E = F(B(X) + (B(kf) << 23))
    D = tl.fma(E, 1.0, 1.0)
    h0 = tl.fma(t, -1.701904296875, D)
    h2 = tl.fma(t, -9.570312249707058e-05, h0)
    w = E * h2
    DD = D * D
    g = tl.div_rn(w, DD)
    gs = F(B(g) ^ (~B(x) & 0x80000000))
    y0 = tl.fma(gs, 1.0, R)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y0)
    y = y.to(tl.float16)
    tl.store(y_pointer + index, y, mask=index < n)
