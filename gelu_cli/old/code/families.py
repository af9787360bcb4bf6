"""The families of forms as programs: constants, and statements in which nothing cancels.

A statement is one of Python on numbers. It may use `exp`, `abs`, `min`, `max` and `LARGEST`, the
largest number of the format; a condition stands for all of a right-hand side. The languages spell
these in their own ways. Statements hold for every x: what overflows does so to the right infinity,
no product is ∞·0, not even one that a condition leaves out, and a NaN stays one although min and
max may lose it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import isinf, isqrt
from typing import NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.formulas import Form

SQRT_2 = Fraction(isqrt(2 << 600), 1 << 300)
"""√2 to 300 bits."""


def nearest(value: Fraction, number_format: Format) -> Fraction:
    """Return the number of the format that is nearest to `value`."""
    number = number_format.exactly(value)
    if isinf(number) or (value and not number):
        raise UsageError(f"a constant, about {float(value):.3g}, is beyond {number_format.name}")
    return Fraction(number)


def rest(value: Fraction, number_format: Format) -> Fraction:
    """Return what the nearest number leaves of `value`, to nearest.

    Both together are `value` to twice the digits.
    """
    return Fraction(number_format.exactly(value - nearest(value, number_format)))


def below(value: Fraction, number_format: Format) -> Fraction:
    """Return the largest number of the format that is not above `value` > 0.

    A number of the format is at most that if and only if it is at most `value`.
    """
    number = nearest(value, number_format)
    if number <= value:
        return number
    return Fraction(number_format.number(number_format.bits(float(number)) - 1))


class Constant(NamedTuple):
    """A constant of a program: its name, the real number it stands for, and what that is.

    `part` makes a number of a format of it.
    """

    name: str
    value: Fraction
    meaning: str = ""
    part: Callable[[Fraction, Format], Fraction] = nearest

    def text(self, number_format: Format) -> str:
        """Return the constant in decimal.

        That is `value` itself where it has no more than 17 digits and is a number of the format,
        otherwise the shortest decimal that reads back as the number meant, in this format and
        through float64 alike.

        >>> from gelu_cli.old.arithmetic.formats import FORMATS
        >>> [Constant("c", Fraction(c)).text(FORMATS["float32"]) for c in ("0.044715", "1/3")]
        ['0.044715', '0.33333334']
        >>> Constant("c", Fraction(183, 4096)).text(FORMATS["float32"])
        '0.044677734375'
        """
        number = float(self.part(self.value, number_format))
        text = f"{number:.17g}"
        if Fraction(text) != self.value:
            text = number_format.shortest(number)
        return text if set(text) & set(".e") else f"{text}.0"


class Program(NamedTuple):
    """What a function computes, as a formula for the reader, and how."""

    formula: str
    constants: Sequence[Constant]
    statements: Sequence[str]


def sigmoid(form: Form) -> Program:
    """Return x·σ(βx)."""
    beta = form.settings["beta"]
    return Program(
        "x*sigma(beta*x)",
        [Constant("beta", beta)],
        [
            "w = beta * x",
            "h = exp(-0.5 * abs(w))  # h*h = e^-|w|",
            *_gated_by_logistic("w", rises=beta > 0),
        ],
    )


def tanh(form: Form, *, factored: bool = False) -> Program:
    """Return x·σ(2u), u = a·(x + c·x³ + d·x⁵) or, factored, a·x + b·x³ + e·x⁵, b = a·c, e = a·d."""
    a = Constant("a", form.settings["a"], "" if "a" in form.chosen else "sqrt(2/pi)")
    powers = _up_to_last([Constant(name, form.settings[name]) for name in "cd"])
    rises = a.value * (powers[-1].value if powers else 1) > 0
    square = ["s = x * x"] if powers else []
    if factored:
        products = zip("be", powers, strict=False)
        powers = [Constant(b, a.value * c.value, f"a*{c.name}") for b, c in products]
    names = [power.name for power in powers]
    if not powers:
        formula, u = "a*x", "a * x"
    elif factored:
        formula, u = _terms(["a", *names]), f"x * ({_horner(['a', *names])})"
    else:
        formula, u = f"a*({_terms(['', *names])})", f"a * x * ({_horner(['1', *names])})"
    exponential = "h = exp(-abs(u))  # h*h = e^-|2u|"
    return Program(
        f"x*sigma(2*u), u = {formula}",
        [a, *powers],
        [*square, f"u = {u}", exponential, *_gated_by_logistic("u", rises=rises)],
    )


def _gated_by_logistic(w: str, *, rises: bool) -> list[str]:
    """Return the statements for x·g²/(1 + h²) with g = h where w < 0, otherwise 1.

    With h² = e^−|w| nothing overflows, and h does not underflow before the result. `rises` says
    whether w and x have the same sign where x is large.
    """
    finite = "max(x, -LARGEST)" if rises else "min(x, LARGEST)"
    return [
        f"g = h if {w} < 0 else 1",
        f"finite = {finite}  # infinity * 0 would be NaN",
        "return finite * g * g / (1 + h * h)",
    ]


def hard(form: Form) -> Program:
    """Return x·relu6(slope·x + 3)/6."""
    slope = form.settings["slope"]
    return Program(
        "x*relu6(slope*x + 3)/6",
        [Constant("slope", slope), *_in_two_parts(3 / slope, "3/slope")],
        [
            "t = slope * ((x + k) + k_rest)  # slope*x + 3",
            "return 0 if t <= 0 else x * (min(t, 6) / 6)",
        ],
    )


def igelu(form: Form) -> Program:
    """Return x·½(1 + L(x/√2)), on the left x·(−½a)·(b + |x|/√2)²."""
    a, b = form.settings["a"], form.settings["b"]
    return Program(
        "x*(1 + L(x/sqrt(2)))/2, L(z) = sign(z)*(a*(min(|z|, -b) + b)^2 + 1)",
        [Constant("a", a), *_in_two_parts(-b * SQRT_2, "-b*sqrt(2)")],
        [
            "t = (k - abs(x)) + k_rest  # how far from where L is clipped",
            "left = -0.25 * a * t * t  # the gate at -|x|",
            "gate = left if x < 0 else 1 - left",
            "return max(x, 0) if t <= 0 else x * gate",
        ],
    )


def _in_two_parts(end: Fraction, meaning: str) -> list[Constant]:
    """Return the number x + k is 0 at, to twice the digits: the sum is right next to it."""
    return [Constant("k", end, f"k + k_rest = {meaning}"), Constant("k_rest", end, part=rest)]


def erf_as(form: Form) -> Program:
    """Return x times the left gate, ½(a₁t + … + a₅t⁵)·e^(−x²/2), or one minus that at −x."""
    names = [f"a{i}" for i in range(1, 6)]
    return Program(
        "x*P(x), P(x) = 1 - P(-x) = (a1*t + ... + a5*t^5)/2*e^(-x^2/2) for x < 0, "
        "t = 1/(1 + p*|x|/sqrt(2))",
        [
            Constant("root", SQRT_2 / 2, "sqrt(1/2)"),
            *(Constant(name, form.settings[name]) for name in ("p", *names)),
        ],
        [
            "t = 1 / (1 + p * (root * abs(x)))",
            f"q = 0.5 * t * ({_horner(names, 't')})",
            "h = exp(-0.25 * x * x)  # h*h = e^(-x^2/2)",
            "finite = min(abs(x), LARGEST)  # infinity * 0 would be NaN",
            "tail = finite * q * h * h  # |x|*P(-|x|)",
            "return -tail if x < 0 else x - tail",
        ],
    )


def polynomial(form: Form) -> Program:
    """Return x·(½ + c₁x + c₃x³ + …) for |x| ≤ A, ReLU beyond."""
    odd = sorted((int(name[1:]), name) for name in form.settings if name != "A")
    powers = _up_to_last([Constant(name, form.settings[name]) for _, name in odd], least=1)
    names = [power.name for power in powers]
    return Program(
        f"x*(1/2 + {_terms(names)}) for |x| <= A, relu(x) beyond",
        [Constant("A", form.settings["A"], part=below), *powers],
        [
            "s = x * x",
            f"odd = x * ({_horner(names)})",
            "return max(x, 0) if abs(x) > A else x * (0.5 + odd)",
        ],
    )


def _up_to_last(constants: list[Constant], least: int = 0) -> list[Constant]:
    """Return the constants up to the last that is not 0, but no fewer than `least`."""
    while len(constants) > least and not constants[-1].value:
        constants = constants[:-1]
    return constants


def _horner(coefficients: Sequence[str], variable: str = "s") -> str:
    """Return a polynomial by Horner's rule, the lowest power first: 1 + s * (c + d * s)."""
    first, *others = coefficients
    if not others:
        return first
    inner = _horner(others, variable)
    return f"{first} + " + (f"{variable} * ({inner})" if others[1:] else f"{inner} * {variable}")


def _terms(coefficients: Sequence[str]) -> str:
    """Return a sum of odd powers of x for the reader, of a few terms in full: x + c*x^3 + d*x^5."""
    powers = [f"x^{2 * i + 1}" if i else "x" for i in range(len(coefficients))]
    terms = [f"{c}*{x}" if c else x for c, x in zip(coefficients, powers, strict=True)]
    return " + ".join(terms if len(terms) <= 3 else [terms[0], "...", terms[-1]])


FAMILIES: Mapping[str, Callable[[Form], Program]] = {
    family.__name__: family for family in (sigmoid, tanh, hard, igelu, erf_as, polynomial)
}
"""The programs of forms by name."""

FACTORED: Mapping[str, Callable[[Form], Program]] = {"tanh": partial(tanh, factored=True)}
"""Those with the products of constants in place of factors."""
