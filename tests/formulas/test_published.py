"""Published curves against their definitions, in fractions or mpmath."""

from fractions import Fraction

from gelu_cli.formulas import find_form
from gelu_cli.numbers import FLOAT64, evaluate
from tests.truth.mpmath import M, nearest, ratio

HALF = Fraction(1, 2)


def polynomial(text, x):
    """Return a polynomial of decimals, the lowest power first."""
    return sum(Fraction(c) * x**k for k, c in enumerate(text.split()))


def puma(x):
    cubic = "-.5054031199708174 -.42226581151983866 -.11807612951181953 -.011034134030615728"
    sextic = (
        ".008526321541038084 .5 .3603292692789629 0 -.037688200365904236 0 .0018067462606141187"
    )
    if x < -4:
        return Fraction(0)
    if x < Fraction("-1.95"):
        return polynomial(cubic, x)
    return polynomial(sextic, x) if x <= 3 else x


def xnnpack_6_4(x):
    if abs(x) >= Fraction(7, 2):
        return max(x, Fraction(0))
    p = polynomial(".79763203859 .1539786756 .0045998394489", x * x)
    return x * HALF * (1 + x * p / polynomial("1 .35756936669 .042862996459", x * x))


def tt_metal_quartic(x):
    if abs(x) >= Fraction(5, 2):
        return max(x, Fraction(0))
    right = polynomial(".49866379 .41314081 -.03048313 -.05281024 .0122792", abs(x))
    return x * right if x >= 0 else x * (1 - right)


RATIONAL = {"puma": puma, "xnnpack_6_4": xnnpack_6_4, "tt_metal_quartic": tt_metal_quartic}


def as_7_1_27(x):
    z = abs(x) / M.sqrt(2)
    coefficients = (1, "0.278393", "0.230389", "0.000972", "0.078108")
    d = sum(ratio(c) * z**k for k, c in enumerate(coefficients))
    erf = 1 - 1 / d**4
    return x * (1 + M.sign(x) * erf) / 2


def as_26_2_16(x):
    t = 1 / (1 + ratio("0.33267") * abs(x))
    tail = M.npdf(x) * sum(
        ratio(b) * t**k for k, b in enumerate(("0.4361836", "-0.1201676", "0.937298"), 1)
    )
    return x * (tail if x < 0 else 1 - tail)


def same_variance(x):
    return x / (1 + M.exp(-M.pi / M.sqrt(3) * x))


def novigrad(x):
    u = M.sqrt(M.mpf(2) / 5) * (x + ratio("0.044715") * x**3)
    return x / (1 + M.exp(-2 * u))


REAL = {
    "as_7_1_27": as_7_1_27,
    "as_26_2_16": as_26_2_16,
    "same_variance": same_variance,
    "novigrad": novigrad,
}
POINTS = [-4.5, -3.0, -2.125, -1.3, -0.4, 0.3, 1.0, 2.25, 2.75, 3.25, 6.0]


def test_curves_over_the_fractions_are_rounded_once():
    for name, definition in RATIONAL.items():
        for x in POINTS:
            want = nearest(definition(Fraction(x)))
            assert evaluate(find_form(name), ["value"], x, FLOAT64) == [want], (name, x)


def test_curves_with_roots_and_exponentials_are_their_definitions():
    for name, definition in REAL.items():
        for x in POINTS:
            want = float(definition(M.mpf(x)))
            assert evaluate(find_form(name), ["value"], x, FLOAT64) == [want], (name, x)


def test_a_curve_holds_at_its_cuts_as_its_source_says():
    holds = {("puma", -1.95): puma(Fraction("-1.95")), ("xnnpack_6_4", 3.5): Fraction(7, 2)}
    for (name, x), want in holds.items():
        exact = Fraction(str(x))
        assert evaluate(find_form(name), ["value"], exact, FLOAT64) == [nearest(want)]
