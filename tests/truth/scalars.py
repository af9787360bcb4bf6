"""What the analysis is judged by: numbers rounded by hand, and scipy's integrals.

`scalar(name)` is a form in plain floats, written for complex numbers: its derivative at x is the
imaginary part at x + ih over h, to every digit that floats have.
"""

import itertools
import math
from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np
from scipy import integrate, special

from tests.truth.mpmath import fraction

CLIP = 1.769 * math.sqrt(2)
KINKS = {"relu": [0], "elu": [0], "erf_as": [0], "hard": [-3 / 1.702, 3 / 1.702],
         "igelu": [-CLIP, 0, CLIP]}  # fmt: skip
STEP = 1e-30


def decimal_of(number, digits):
    """Return the Decimal of so many digits that is nearest to an mpmath number."""
    value = fraction(number)
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=10**6, Emin=-(10**6))
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def logistic(z):
    return 1 / (1 + np.exp(-z)) if z.real > 0 else np.exp(z) / (1 + np.exp(z))


def parabola(z):
    side = 1 if z.real > 0 else -1
    w = side * z / math.sqrt(2)
    return z * (1 + side * (-0.2888 * (w - 1.769) ** 2 + 1)) / 2


def abramowitz(z):
    side = 1 if z.real > 0 else -1
    w = side * z / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * w)
    series = np.polyval([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0], t)
    tail = series * np.exp(-w * w) / 2
    return z * (tail if side < 0 else 1 - tail)


def mish(z):
    if z.real > 30:
        return z
    square = np.exp(z) * (2 + np.exp(z))
    return z * square / (square + 2)


ROOT = math.sqrt(2 / math.pi)
CUBIC = (4 - math.pi) / (6 * math.pi)
SCALARS = {
    "exact": lambda z: z * special.erfc(-z / math.sqrt(2)) / 2,
    "tanh": lambda z: z * logistic(2 * ROOT * (z + 0.044715 * z**3)),
    "tanh_taylor": lambda z: z * logistic(2 * ROOT * (z + CUBIC * z**3)),
    "sigmoid": lambda z: z * logistic(1.702 * z),
    "sigmoid_taylor": lambda z: z * logistic(2 * ROOT * z),
    "silu": lambda z: z * logistic(z),
    "igelu": lambda z: parabola(z) if abs(z.real) < CLIP else max(z.real, 0) and z,
    "hard": lambda z: z * (1.702 * z + 3) / 6 if abs(z.real) < 3 / 1.702 else max(z.real, 0) and z,
    "erf_as": abramowitz,
    "relu": lambda z: max(z.real, 0) and z,
    "elu": lambda z: z if z.real > 0 else np.expm1(z),
    "softplus": lambda z: z if z.real > 40 else np.log1p(np.exp(z)),
    "mish": mish,
    "noisy_relu": lambda z: z * special.erfc(-z / math.sqrt(2)) / 2
    + np.exp(-z * z / 2) / math.sqrt(2 * math.pi),
}  # fmt: skip


def value_and_gradient(name, x):
    """Return a form and its derivative at a float off its kinks."""
    z = complex(SCALARS[name](complex(x, STEP)))
    return z.real, z.imag / STEP


def expectation(f, mean, sigma, cuts, limit=200):
    """Return E f(X) for X ~ N(mean, sigma²) by scipy's adaptive Gauss–Kronrod rule.

    The line is cut at the kinks, where the density starts and ends, and on every scale between
    1 and sigma, which the forms have.
    """
    reach = 12 * sigma
    scales = [side * 4.0**n for n in range(-1, 12) for side in (-1, 1)]
    density = [mean + side * sigma * n for n in (1, 4) for side in (-1, 1)]
    ends = {mean - reach, mean, mean + reach, *density, *cuts, *scales, 0.0}
    ends = sorted({min(max(end, mean - reach), mean + reach) for end in ends})

    floor = 1e-14 * sigma * abs(f(mean + sigma))  # below it there is the noise of floats

    def weighted(x):
        return f(x) * math.exp(-(((x - mean) / sigma) ** 2) / 2)

    parts = (
        integrate.quad(weighted, low, high, epsabs=floor, epsrel=1e-11, limit=limit, full_output=1)[
            0
        ]
        for low, high in itertools.pairwise(ends)
    )
    return math.fsum(parts) / (sigma * math.sqrt(2 * math.pi))
