"""The forms in Arb, whose balls hold the truth, and proofs by branch and bound.

Each piece of a form is a function of a power series (python-flint's `arb_series`), whose
coefficients at x are the form's value and derivatives.
"""

import itertools
from contextlib import suppress
from fractions import Fraction
from math import perm

from flint import arb, arb_series, ctx

from tests.truth.forms import DEFINITIONS

BITS = 120
ORDER = {"value": 0, "gradient": 1, "curvature": 2}


def number(text):
    value = Fraction(text)
    return arb(value.numerator) / value.denominator


def root(value):
    return (value if isinstance(value, arb_series) else arb(value)).sqrt()


FAR = 2**16
"""Beyond it eˣ is a number and a power of 2 of its own: Arb's exp has a least exponent."""


def exponential(x):
    """Return eˣ, which keeps its digits also where x is −10¹⁰⁰, given the precision for that."""
    if x[0] > -FAR or x[0].rad() > 1:
        return x.exp()
    power = (x[0] / arb.const_log2()).mid().floor().unique_fmpz()
    return (x - power * arb.const_log2()).exp() * arb((1, power))


def complement(x):
    """Return erfc(x), which keeps its digits also where x is 10⁵⁰.

    e^(−x²)/(x√π)·(1 − 1/(2x²) + 1·3/(2x²)² − …), between two sums; the derivative is −2e^(−x²)/√π.
    """
    if not x[0] > FAR:
        return x.erfc()
    density = exponential(-x * x) / arb.const_sqrt_pi()
    terms = [arb(1)]
    for n in range(1, 10):
        terms.append(-(2 * n - 1) * terms[-1] / (2 * x[0] * x[0]))
    factor = sum(terms[:-1]).union(sum(terms))
    return (-2 * density * x.derivative()).integral() + density[0] / x[0] * factor


def logistic(x):
    """Return σ(x); eˣ/(1 + eˣ) is the one that keeps its digits, and stays finite, below 0."""
    return 1 / (1 + (-x).exp()) if x[0] > 0 else exponential(x) / (1 + exponential(x))


class Balls:
    """The arithmetic of the forms: balls of Arb, and their power series."""

    number, root, pi = staticmethod(number), staticmethod(root), arb.pi
    erfc, logistic = staticmethod(complement), staticmethod(logistic)

    @staticmethod
    def exp(x):
        return x.exp()

    @staticmethod
    def log1p(x):
        return (1 + x).log()

    @staticmethod
    def expm1(x):
        return x.exp() - 1


FUNCTIONS = {
    "logistic": logistic,
    "tanh_fn": lambda x: 2 * logistic(2 * x) - 1,
    "erf": lambda x: x.erf() if x[0] < 6 else 1 - complement(x),
    "Phi": lambda x: complement(-x / root(2)) / 2,
    "normal_pdf": lambda x: exponential(-x * x / 2) / root(2 * arb.pi()),
}
"""The functions that are no GELUs, of one piece each."""


def pieces(name, **parameters):
    """Return the pieces of a form, or a function, and the kinks between them."""
    if name in FUNCTIONS:
        return [FUNCTIONS[name]], []
    return DEFINITIONS[name](Balls, **parameters)


def kinks(name, **parameters):
    """Return the kinks of a form as floats."""
    with ctx.workprec(BITS):
        return [float(kink) for kink in pieces(name, **parameters)[1]]


def series(piece, ball, length):
    """Return f, f′, f″/2, … on a ball."""
    found = piece(arb_series([ball, 1], length))
    return [found[n] for n in range(length)]


def at(name, quantity, x, **parameters):
    """Return a ball around a quantity of a form at a fraction off its kinks, to 400 bits."""
    with ctx.workprec(400):
        x = number(x)
        functions, kinks = pieces(name, **parameters)
        found = series(functions[sum(bool(kink < x) for kink in kinks)], x, 3)
        return found[ORDER[quantity]] * (2 if quantity == "curvature" else 1)


def split(name, quantity, x):
    """Return an exact number and a ball whose sum is a value or gradient at a float.

    The ball keeps its relative accuracy, so the side of the exact number is known however near
    the sum comes to it: GELU(16) = 16 − 10⁻⁵⁶. f(x) = x + f(−x) where f(x) = x·G(x) and
    G(x) + G(−x) = 1, which ELU and Mish have not. At 0 the left piece holds.
    """
    assert name != "mish"
    order = ORDER[quantity]
    left, right = arb(-abs(x)), x > 0
    if name == "elu":
        if right:
            return arb(x if order == 0 else 1), arb(0)
        if order == 0 and x > -1:
            return arb(0), left.expm1()
        return arb(order - 1), exponential(arb_series([left], 1))[0]
    functions, ends = pieces(name)
    rest = series(functions[sum(bool(end < left) for end in ends)], left, 2)[order]
    if not right:
        return arb(0), rest
    return (arb(x), rest) if order == 0 else (arb(1), -rest)


def middle(ball):
    """Return the middle of a ball as a Fraction."""
    man, exp = ball.mid().man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exp)


def stretches(names, low, high):
    """Yield (low, high, pieces) for the stretches on which each form is one piece.

    Ends that are no floats are moved outward to one: a piece goes on beyond its end.
    """
    forms = [pieces(name) for name in names]
    cuts = sorted({float(kink.mid()) for _, kinks in forms for kink in kinks} | {0.0})
    ends = [low, *(cut for cut in cuts if low < cut < high), high]
    for left, right in itertools.pairwise(ends):
        middle = (left + right) / 2
        yield (
            left - (abs(left) * 2e-16 if low < left else 0),
            right + (abs(right) * 2e-16 if right < high else 0),
            [
                functions[sum(float(kink.mid()) < middle for kink in kinks)]
                for functions, kinks in forms
            ],
        )


def difference(pair, quantity):
    """Return form − target, in a quantity, as a function of a ball that gives Taylor terms."""
    order = ORDER[quantity]

    def terms(x, length):
        u, v = (series(piece, x, length + order) for piece in pair)
        # The n-th term of f′ is (n + 1) times the next one of f, and so on.
        return [(u[n] - v[n]) * perm(n, order) for n in range(order, length + order)]

    return terms


def relative(pair, quantity):
    """Return (form − target)/target likewise, of values the ratio of the gates less 1."""
    order = ORDER[quantity]

    def terms(x, length):
        u, v = (piece(arb_series([x, 1], length + order)) for piece in pair)
        for _ in range(order):
            u, v = u.derivative(), v.derivative()
        ratio = u / v - 1
        return [ratio[n] for n in range(length)]

    return terms


TERMS = 5


def proves_bound(f, low, high, bound):
    """Return whether |f| ≤ bound on [low, high], for certain.

    Boxes are halved until Taylor's formula, its last term on all of the box, says that it is; a
    single point above the bound says that it is not.
    """
    with ctx.workprec(BITS):
        bound, boxes = arb(bound), [(arb(low), arb(high))]
        while boxes:
            left, right = boxes.pop()
            middle = ((left + right) / 2).mid()
            radius = (right - left) / 2
            assert radius > 1e-25, f"neither proved nor refuted near {middle}"
            terms = f(middle, TERMS)
            if abs(terms[0]) > bound:
                return False
            with suppress(ValueError):  # a series divided by a ball around 0
                terms.append(f(arb(middle, radius), TERMS + 1)[TERMS])
                if sum(abs(term) * radius**n for n, term in enumerate(terms)) <= bound:
                    continue
            boxes += [(left, middle), (middle, right)]
    return True
