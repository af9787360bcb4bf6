# silu_value_float16: value of silu, x·σ(x), in float16, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make silu --quantity value --dtype float16 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float32; degree: 5; operations: 19; patched: 1. Results are listed for the float32
# inputs 0x33800000.
#
# Proved for every one of the 65,536 inputs, subnormal numbers, infinities and NaN included:
#     largest error 0.500000 ULP at x = -0.00048828125, 0 misrounded
#     SHA-256 9920d6c12f34224ce88fc96d0d9152a8caabc12958b72f8f7bbd33768361bd83
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
def silu_value_float16(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t = F(tl.minimum(B(a), 0x41a2c000))
    R = F(B(x) & (right(x) | 0x80000000))
    kf = tl.fma(t, -1.4426950216293335, 12582912.0)
    nk = 12582912.0 - kf
    r0 = tl.fma(t, -1.442626953125, nk)
    r = tl.fma(t, -6.808776379330084e-05, r0)
    X_4 = tl.fma(0.001339084468781948, r, 0.00967601127922535)
    X_3 = tl.fma(X_4, r, 0.0555034875869751)
    X_2 = tl.fma(X_3, r, 0.24022075533866882)
    X_1 = tl.fma(X_2, r, 0.6931459903717041)
    X = tl.fma(X_1, r, 1.0)
    E = F(B(X) + (B(kf) << 23))
    w = t * E
    Q = E + 1.0
    g = tl.div_rn(w, Q)
    y0 = R - g
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y0)
    y_1 = tl.where(B(x) == 0x33800000, F(tl.full(x.shape, 0x33800000, tl.uint32)), y)
    y = y_1.to(tl.float16)
    tl.store(y_pointer + index, y, mask=index < n)
