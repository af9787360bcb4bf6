"""What the tests believe: each form in a line or two of mathematics, and each rounding.

Written from the definitions in the literature, on an mpmath context of its own; nothing here
comes from gelu_cli. Derivatives are mpmath's, of the value. DIGITS are many more than any test
rounds to.
"""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import ml_dtypes
import numpy as np
from mpmath import libmp, mp

M = mp.clone()
M.dps = DIGITS = 120


def ratio(value):
    return M.mpf(Fraction(value).numerator) / Fraction(value).denominator


FORMS = {}
"""Every form by name."""


def form(definition):
    FORMS[definition.__name__] = definition
    return definition


@form
def exact(x):
    return x * M.erfc(-x / M.sqrt(2)) / 2


@form
def tanh(x, c="0.044715", a=None, d="0"):
    scale = M.sqrt(2 / M.pi) if a is None else ratio(a)
    u = scale * (x + ratio(c) * x**3 + ratio(d) * x**5)
    return x / (1 + M.exp(-2 * u))


@form
def tanh_taylor(x):
    u = M.sqrt(2 / M.pi) * (x + (4 - M.pi) / (6 * M.pi) * x**3)
    return x / (1 + M.exp(-2 * u))


@form
def sigmoid(x, beta="1.702"):
    return x / (1 + M.exp(-ratio(beta) * x))


@form
def sigmoid_taylor(x):
    return x / (1 + M.exp(-M.sqrt(8 / M.pi) * x))


@form
def silu(x):
    return x / (1 + M.exp(-x))


@form
def igelu(x, a="-0.2888", b="-1.769"):
    a, b, z = ratio(a), ratio(b), x / M.sqrt(2)
    return x * (1 + M.sign(z) * (a * (min(abs(z), -b) + b) ** 2 + 1)) / 2


@form
def hard(x, slope="1.702"):
    return x * min(max(ratio(slope) * x + 3, 0), 6) / 6


@form
def erf_as(
    x,
    p="0.3275911",
    a1="0.254829592",
    a2="-0.284496736",
    a3="1.421413741",
    a4="-1.453152027",
    a5="1.061405429",
):
    z = abs(x) / M.sqrt(2)
    t = 1 / (1 + ratio(p) * z)
    tail = sum(ratio(a) * t**n for n, a in enumerate((a1, a2, a3, a4, a5), 1))
    tail *= M.exp(-(z**2)) / 2
    return x * (tail if x < 0 else 1 - tail)


@form
def polynomial(x, A="2.775023", **chosen):  # noqa: N803
    if abs(x) > ratio(A):
        return max(M.zero, x)
    defaults = {"c1": "0.37476888", "c3": "-0.042710738", "c5": "0.0022649414"}
    terms = (ratio(c) * x ** int(name[1:]) for name, c in {**defaults, **chosen}.items())
    return x * (ratio("1/2") + sum(terms))


@form
def relu(x):
    return max(M.zero, x)


@form
def elu(x, alpha="1"):
    return x if x > 0 else ratio(alpha) * M.expm1(x)


@form
def softplus(x):
    return M.log1p(M.exp(x))


@form
def mish(x):
    return x * M.tanh(softplus(x))


@form
def noisy_relu(x, sigma="1"):
    z = x / ratio(sigma)
    return x * M.erfc(-z / M.sqrt(2)) / 2 + ratio(sigma) * M.npdf(z)


def squareplus(x, b="4"):
    return (x + M.sqrt(x * x + ratio(b))) / 2


def leaky_relu(x, slope="0.01"):
    return x if x > 0 else ratio(slope) * x


NEW = {"squareplus": squareplus, "leaky_relu": leaky_relu}
"""Forms that the old rooms do not have."""

FUNCTIONS = {
    "logistic": lambda x: 1 / (1 + M.exp(-x)),
    "tanh_fn": lambda x: M.sinh(x) / M.cosh(x),
    "erf": lambda x: 2 * x / M.sqrt(M.pi) * M.hyp1f1(1 / M.mpf(2), 3 / M.mpf(2), -x * x),
    "Phi": M.ncdf,
    "normal_pdf": M.npdf,
}
"""The functions that are no GELUs."""


def gradient(x):
    """Return GELU′."""
    return M.ncdf(x) + x * M.npdf(x)


def curvature(x):
    """Return GELU″."""
    return M.npdf(x) * (2 - x**2)


ORDER = {"value": 0, "gradient": 1, "curvature": 2}


def truth(name, quantity, x, **parameters):
    """Return a quantity of a form at x, off its kinks, to about DIGITS digits as a Fraction.

    Far to the right the curvature is what is left when x is taken away, e^(−x²/2) or e^(−x³/14).
    """
    if quantity == "complement":  # the smaller part has as many digits as the larger one
        return Fraction(x) - truth(name, "value", x, **parameters)
    lost = int(x**2 / 4 + x**3 / 25) if x > 0 else 0
    with M.workdps(M.dps + lost):
        definition = {**FORMS, **NEW, **FUNCTIONS}[name]
        f, x = (lambda t: definition(t, **parameters)), ratio(x)
        if quantity in ORDER:
            return simplest(fraction(M.diff(f, x, ORDER[quantity])), lost)
        gate = f(x) / x
        others = {
            "gate": gate,
            "gate_gradient": left(M.diff(f, x) - gate, gate) / x,
            "mask_variance": x * x * gate * left(1 - gate, 1),
        }
        return simplest(fraction(others[quantity]), lost)


def left(difference, size):
    """Return what is left of numbers of a size, 0 where that is but the rounding of one of them."""
    return difference if abs(difference) > abs(size) * M.mpf(10) ** (5 - M.dps) else M.zero


def simplest(value, lost):
    """Return the simple fraction that a value is but for rounding, if any: it may be a tie.

    The value has `lost` digits more than DIGITS.
    """
    simple = value.limit_denominator(10**50)
    return simple if abs(simple - value) <= abs(value) / 10 ** (DIGITS - 5 + lost) else value


def fraction(number):
    """Return the Fraction that an mpmath number is."""
    return Fraction(*libmp.to_rational(number._mpf_))


def decimal_of(number, digits):
    """Return the Decimal of so many digits that is nearest to an mpmath number or a Fraction."""
    value = number if isinstance(number, Fraction) else fraction(number)
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=10**6, Emin=-(10**6))
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def to_places(number, places):
    """Return the Decimal of so many decimals that is nearest to an mpmath number or a Fraction."""
    value = number if isinstance(number, Fraction) else fraction(number)
    return Decimal(f"{round(value * Fraction(10) ** places)}e{-places}")


def nearest(value, dtype="float64"):
    """Return the number of a format that is nearest to a Fraction within its range.

    For float64 that is how Python divides integers. Elsewhere it is the best of three neighbours,
    of two equally near ones the one with the even bit pattern.
    """
    quotient = value.numerator / value.denominator
    if dtype == "float64":
        return quotient
    middle = np.array(quotient).astype(dtype)
    largest = ml_dtypes.finfo(dtype).max
    around = [middle, np.nextafter(middle, -largest), np.nextafter(middle, largest)]
    best = min(
        filter(np.isfinite, around),
        key=lambda y: (abs(Fraction(float(y)) - value), int(bits(y)) & 1),
    )
    return float(np.copysign(np.float64(best), quotient))


def mpf(value):
    """Return the raw mpmath number that a dyadic Fraction is."""
    return libmp.from_man_exp(value.numerator, 1 - value.denominator.bit_length())


def bits(array):
    """Return the bit patterns of a numpy array as integers."""
    return array.view(f"u{array.dtype.itemsize}")


def identical(got, want):
    """Return whether two floats are the same number, the sign of a zero included, or both NaN."""
    return repr(float(got)) == repr(float(want))
