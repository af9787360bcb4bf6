"""What the tests believe: the forms by mpmath, in a context of its own, and each rounding.

Derivatives are mpmath's, of the value. DIGITS are many more than any test rounds to.
"""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from mpmath import libmp, mp

from tests.truth.exact import rounded
from tests.truth.forms import DEFINITIONS

M = mp.clone()
M.dps = DIGITS = 120


def ratio(value):
    return M.mpf(Fraction(value).numerator) / Fraction(value).denominator


class Numbers:
    """The arithmetic of the forms: numbers of mpmath."""

    number, root, exp, expm1 = staticmethod(ratio), M.sqrt, M.exp, M.expm1
    erfc, log1p = M.erfc, M.log1p

    @staticmethod
    def pi():
        return +M.pi

    @staticmethod
    def logistic(x):
        return 1 / (1 + M.exp(-x))


def evaluated(definition):
    """Return a form as a function of a number of mpmath."""

    def function(x, **parameters):
        pieces, kinks = definition(Numbers, **parameters)
        return pieces[sum(kink < x for kink in kinks)](x)

    return function


FORMS = {name: evaluated(each) for name, each in DEFINITIONS.items()}
"""Every form by name."""

FUNCTIONS = {
    "logistic": lambda x: 1 / (1 + M.exp(-x)),
    "tanh_fn": lambda x: M.sinh(x) / M.cosh(x),
    "erf": lambda x: 2 * x / M.sqrt(M.pi) * M.hyp1f1(1 / M.mpf(2), 3 / M.mpf(2), -x * x),
    "Phi": M.ncdf,
    "normal_pdf": M.npdf,
}
"""The functions that are no GELUs."""


ORDER = {"value": 0, "gradient": 1, "curvature": 2}


def truth(name, quantity, x, **parameters):
    """Return a quantity of a form at x, off its kinks, to about DIGITS digits as a Fraction.

    Far to the right the curvature is what is left when x is taken away, e^(−x²/2) or e^(−x³/14).
    """
    if quantity == "complement":  # the smaller part has as many digits as the larger one
        return Fraction(x) - truth(name, "value", x, **parameters)
    lost = int(x**2 / 4 + x**3 / 25) if x > 0 else 0
    with M.workdps(M.dps + lost):
        definition = {**FORMS, **FUNCTIONS}[name]
        f, x = (lambda t: definition(t, **parameters)), ratio(x)
        if quantity in ORDER:
            found = M.diff(f, x, ORDER[quantity])
            return simplest(fraction(left(found, f(x))), lost)
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

    For float64 that is how Python divides integers.
    """
    return value.numerator / value.denominator if dtype == "float64" else rounded(dtype, value)


def bits(array):
    """Return the bit patterns of a numpy array as integers."""
    return array.view(f"u{array.dtype.itemsize}")


def identical(got, want):
    """Return whether two floats are the same number, the sign of a zero included, or both NaN."""
    return repr(float(got)) == repr(float(want))
