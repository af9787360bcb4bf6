# exact_value_float32: value of exact, x·Φ(x), in float32, within 0.501 ULP.
#
# SPDX-License-Identifier: 0BSD
#
# Made and proved by gelu 0.2.0, which makes it anew:
#     gelu make exact --quantity value --dtype float32 --max-ulp 0.501 --language triton
# and proves this file again:
#     gelu make --check FILE
#
# Inside: float64; degree: 8 12; operations: 39; patched: 0.
#
# Proved for every one of the 4,294,967,296 inputs, subnormal numbers, infinities and NaN
# included:
#     largest error 0.500677 ULP at x = -11.2765388, 6,926 misrounded
#     SHA-256 23cfa6b61535451ce26e22c04eab8c55a66f6ec4540fb5fbc399e7c218399b32
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
    X_7 = tl.fma(double(1.3255224878668817e-06), r, double(1.5310079402249296e-05))
    X_6 = tl.fma(X_7, r, double(0.00015403455852453838))
    X_5 = tl.fma(X_6, r, double(0.0013333450568000645))
    X_4 = tl.fma(X_5, r, double(0.009618129159402558))
    X_3 = tl.fma(X_4, r, double(0.05550410941205933))
    X_2 = tl.fma(X_3, r, double(0.2402265069581299))
    X_1 = tl.fma(X_2, r, double(0.6931471805459335))
    X = tl.fma(X_1, r, double(0.9999999999999999))
    E = (X.to(tl.uint64, bitcast=True) + (kf.to(tl.uint64, bitcast=True) << 52)).to(tl.float64, bitcast=True)
    d = t + double(4.0)
    i = double(1.0) / d
    v = tl.fma(double(-8.0), i, double(1.0))
    N_11 = tl.fma(double(-8.1576081442808e-06), v, double(-3.525723145347618e-05))
    N_10 = tl.fma(N_11, v, double(7.772038105410921e-06))
    N_9 = tl.fma(N_10, v, double(0.0002339428128340134))
    N_8 = tl.fma(N_9, v, double(-0.00013476125415016308))
    N_7 = tl.fma(N_8, v, double(-0.001632029324640484))
    N_6 = tl.fma(N_7, v, double(0.003479771690022835))
    N_5 = tl.fma(N_6, v, double(0.007540384000808193))
    N_4 = tl.fma(N_5, v, double(-0.06039656495607899))
    N_3 = tl.fma(N_4, v, double(0.18652184542631517))
    N_2 = tl.fma(N_3, v, double(-0.3871374016139812))
    N_1 = tl.fma(N_2, v, double(0.6078966422019381))
    N = tl.fma(N_1, v, double(-0.7552851304099719))
    w0 = E * t
    w = w0 * i
    y0 = tl.fma(w, N, R)
    y1 = y0.to(tl.float32)
    y = tl.where(B(a) > 0x7F800000, F(tl.full(a.shape, 0x7FC00000, tl.uint32)), y1)
    y = y
    tl.store(y_pointer + index, y, mask=index < n)
