# exact_value_float32: value of exact, x·Φ(x), in float32, correctly rounded.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make exact --quantity value --dtype float32 --max-ulp 0.5 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float64; degree: 10 17; operations: 48; patched: 2. Results are listed for the float32
# inputs 0xb7b0a46f, 0x37b0a46f.
#
# Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
# included:
#     largest error 0.500000 ULP at x = 1.40129846e-45, 0 misrounded
#     SHA-256 4ea392e58922c87eb36f02f59e95d8bff16c33f98f069d90e8c96e5e8fa988b6
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
def exact_value_float32(x_pointer, y_pointer, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_pointer + index, mask=index < n, other=0)
    x = x.to(tl.float32)
    a = F(B(x) & 0x7FFFFFFF)
    t0 = F(tl.minimum(B(a), 0x4165b275))
    t = t0.to(tl.float64)
    R0 = F(B(x) & (right(x) | 0x80000000))
    R = R0.to(tl.float64)
    z = t * t
    kf = tl.fma(z, double(-0.7213475204444817), double(6755399441055744.0))
    nk = double(6755399441055744.0) - kf
    r0 = tl.fma(z, double(-0.71875), nk)
    r = tl.fma(z, double(-0.0025975204444816935), r0)
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
    d = t + double(6.0)
    i = double(1.0) / d
    v = tl.fma(double(-12.0), i, double(1.0))
    N_16 = tl.fma(double(1.7204139282091513e-07), v, double(1.5856267786651367e-06))
    N_15 = tl.fma(N_16, v, double(2.8983339345466195e-06))
    N_14 = tl.fma(N_15, v, double(-6.60863183718486e-06))
    N_13 = tl.fma(N_14, v, double(-1.5424166808599955e-06))
    N_12 = tl.fma(N_13, v, double(6.44328223206809e-05))
    N_11 = tl.fma(N_12, v, double(-0.00018134147784841458))
    N_10 = tl.fma(N_11, v, double(-3.2788221678634256e-05))
    N_9 = tl.fma(N_10, v, double(0.002131620477600438))
    N_8 = tl.fma(N_9, v, double(-0.01002982949990341))
    N_7 = tl.fma(N_8, v, double(0.03098531273761192))
    N_6 = tl.fma(N_7, v, double(-0.0751719152267937))
    N_5 = tl.fma(N_6, v, double(0.15268023225243377))
    N_4 = tl.fma(N_5, v, double(-0.26797424585100227))
    N_3 = tl.fma(N_4, v, double(0.41390358577045727))
    N_2 = tl.fma(N_3, v, double(-0.5689688918147142))
    N_1 = tl.fma(N_2, v, double(0.701009029590905))
    N = tl.fma(N_1, v, double(-0.777351771893363))
    w0 = E * t
    w = w0 * i
    y0 = tl.fma(w, N, R)
    y1 = y0.to(tl.float32)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y1)
    y_1 = tl.where(B(x) == 0xb7b0a46f, F(tl.full(x.shape, 0xb730a3ad, tl.uint32)), y)
    y_2 = tl.where(B(x) == 0x37b0a46f, F(tl.full(x.shape, 0x3730a531, tl.uint32)), y_1)
    y = y_2
    tl.store(y_pointer + index, y, mask=index < n)
