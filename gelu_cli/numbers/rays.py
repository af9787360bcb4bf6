"""Asymptotic expansions of functions, valid on a ray: |x| ≥ 2ᵏ on a side.

On one side of 0, with y = |x|, a function is a sum of terms C(y)·yᵖ·e^(−E(y)), the fastest growing
first. E is a polynomial; a disc around a real number contains C(y) for all complex y of the sector
|y| ≥ NEAREST·2ᵏ, |arg y| ≤ ANGLE, so Cauchy's estimate bounds C′. A sum keeps TERMS terms (a
polynomial keeps all). Any further term is yᵖ·e^(−E) of the last kept term times a factor that
decreases in y; a bound of this factor widens the disc of the last kept term. So signs and bounds
hold on the whole ray. If a ball does not decide, `Undecided` is raised, and a larger k is tried.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key, lru_cache
from typing import Any, NamedTuple, TypeVar

from flint import arb, arb_poly, fmpq

from gelu_cli.errors import ComputationError
from gelu_cli.formulas import ORDERS, Form
from gelu_cli.formulas.special import Number, normal_density
from gelu_cli.numbers.rounding import sign, working

PRECISION = 1024
FAINT = arb((1, -900))
"""Differences of equal coefficients are below FAINT; smaller coefficients are taken for 0."""

FARTHEST = 160
"""k stays below FARTHEST, unless the cuts of a form (where pieces meet) are farther out."""

HALF = fmpq(1, 2)
SIGNS, ROOT, LOGARITHM = (
    (1, -1, 1, -1),
    (1, HALF, -(HALF**3), HALF**4),
    (0, 1, -HALF, fmpq(1, 3)),
)
"""The first Taylor coefficients of 1/(1 + w), √(1 + w) and log(1 + w)."""

TERMS = len(SIGNS) + 1
"""Number of terms kept of a sum. If the first term cancels or is a limit, the second term decides a
sign; the last kept term encloses the remainder as well."""

SHRINK, ANGLE, NEAREST = 12, 0.2503, arb(0.77)
"""Cauchy's estimate of C′(y) needs C on the disc of radius |y|/SHRINK around y, so a derivative
narrows the sector. As ANGLE > 3·asin(1/SHRINK) and NEAREST < (1 − 1/SHRINK)³, the sector contains
the real ray even after three derivatives."""

A = TypeVar("A")


class Undecided(ArithmeticError):
    """No decision on this ray; a ray that begins farther out may decide."""


def on_first_ray(start: int, question: Callable[[int], A]) -> A:
    """Return question(k) of the first k that decides, or ComputationError."""
    found = on_rays(range(start, max(FARTHEST, start + 1)), question)
    if found is None:
        raise ComputationError("the limit of a form cannot be determined; take other parameters")
    return found[1]


def on_rays(starts: Iterable[int], question: Callable[[int], A]) -> tuple[int, A] | None:
    """Return the first k that decides, and question(k); None if no k does."""
    with working(PRECISION):
        for k in starts:
            try:
                return k, question(k)
            except Undecided:
                continue
    return None


def certain(y: arb) -> int:
    """Return the sign of a ball; raise Undecided if the ball contains 0."""
    if found := sign(y):
        return found
    raise Undecided


class Term(NamedTuple):
    """C(y)·y^power·e^(−exponent(y)); the ball `size` contains all C(y)."""

    size: arb
    power: int = 0
    exponent: arb_poly = arb_poly([])

    def times(self, other: Term) -> Term:
        """Return the product with another term."""
        exponent = self.exponent + other.exponent
        return Term(self.size * other.size, self.power + other.power, exponent)

    def over(self, other: Term) -> Term:
        """Divide by y^p·e^(−E) of another term; ignore the other `size`."""
        return Term(self.size, self.power - other.power, self.exponent - other.exponent)

    def trend(self) -> int:
        """Return 1 if the term tends to infinity, −1 if to 0, 0 if to a constant."""
        for c in reversed(self.exponent.coeffs()):
            if not abs(c) < FAINT:
                return -certain(c)
        return sign(self.power)

    def bound(self, start: int, real: bool = False) -> arb:
        """Bound |term| on the sector or real ray; Undecided if |term| may grow."""
        angle, y = (0.0, arb((1, start))) if real else (ANGLE, NEAREST * arb((1, start)))
        size = abs(self.size).upper() * y**self.power
        terms = [
            (n, c * y**n * (math.cos(n * angle) if c > 0 else 1))
            for n, c in enumerate(self.exponent.coeffs())
            if not abs(c) < FAINT
        ]
        if not terms:
            if self.power > 0:
                raise Undecided
            return size.upper()
        # p − Σ n·c = y·d/dy log(yᵖ·e^(−E)) stays < 0 farther out: the leading c grows fastest.
        (degree, leading), others = terms[-1], terms[:-1]
        rising = sum(((-n * c).max(arb(0)) for n, c in others), arb(max(self.power, 0)))
        if not degree * leading > rising:
            raise Undecided
        return (size * (-sum((c for _, c in others), leading)).exp()).upper()


def compared(one: Term, other: Term) -> int:
    """Return −1 if `one` grows faster, 1 if `other` does, 0 if both are alike."""
    return other.over(one).trend()


def summed(start: int, terms: Iterable[Term]) -> list[Term]:
    """Add terms of equal growth; widen the last kept term by further terms."""
    kept = list[Term]()
    for term in sorted(terms, key=cmp_to_key(compared)):
        if kept and not term.over(kept[-1]).trend():
            kept[-1] = kept[-1]._replace(size=kept[-1].size + term.size)
        else:
            kept.append(term)
    kept = [term for term in kept if not abs(term.size) < FAINT]
    if all(term.power >= 0 and not term.exponent for term in kept):
        return kept
    for term in kept[TERMS:]:
        last = kept[TERMS - 1]
        kept[TERMS - 1] = last._replace(size=last.size + arb(0, term.over(last).bound(start)))
    return kept[:TERMS]


class Ray(Number):
    """A function of y for all y ≥ 2ᵏ (k = `start`): a sum of terms."""

    def __init__(self, start: int, terms: Iterable[Term]) -> None:
        self.start, self.terms = start, summed(start, terms)

    def of(self, other: Any) -> Ray:
        """Return a number as a constant function on this ray."""
        return other if isinstance(other, Ray) else Ray(self.start, [Term(arb(other))])

    def size(self) -> arb:
        """Enclose function/(yᵖ·e^(−E)) on the real ray, p and E of the first term."""
        first, *others = self.terms
        shares = (each._replace(size=arb(1)).over(first).bound(self.start, True) for each in others)
        parts = zip(others, shares, strict=True)
        return sum((each.size * arb(0).union(share) for each, share in parts), first.size)

    def sign(self) -> int:
        """Return the sign of the function on the whole ray; 0 if it is 0."""
        return certain(self.size()) if self.terms else 0

    def bound(self, real: bool = False, start: int | None = None) -> arb:
        """Bound |function| on the sector or real ray; `start` can be a larger k."""
        return sum((each.bound(start or self.start, real) for each in self.terms), arb(0)).upper()

    def grows(self) -> bool:
        """Return True if the function is unbounded."""
        return bool(self.terms) and self.terms[0].trend() > 0

    def limit(self) -> tuple[arb, Ray]:
        """Return the limit of a bounded function, and function − limit."""
        if self.terms and not self.terms[0].trend():
            return self.terms[0].size, Ray(self.start, self.terms[1:])
        return arb(0), self

    def derivative(self) -> Ray:
        """Return the derivative in y; the sector allows three in a row."""
        found = list[Term]()
        for size, power, exponent in self.terms:
            found.append(Term(size * power + arb(0, SHRINK * size.rad()), power - 1, exponent))
            found += [
                Term(-n * c * size, power + n - 1, exponent)
                for n, c in enumerate(exponent.coeffs())
                if n
            ]
        return Ray(self.start, found)

    def __add__(self, other: Any) -> Ray:
        return Ray(self.start, [*self.terms, *self.of(other).terms])

    def __neg__(self) -> Ray:
        return Ray(self.start, [each._replace(size=-each.size) for each in self.terms])

    def __mul__(self, other: Any) -> Ray:
        others = self.of(other).terms
        return Ray(self.start, [a.times(b) for a in self.terms for b in others])

    def __truediv__(self, other: Any) -> Ray:
        return self * self.of(other).inverse()

    def split(self) -> tuple[Term, Ray]:
        """Write the function as t·(1 + w), t its first term; return 1/t and w."""
        if not self.terms or not sign(self.terms[0].size):
            raise Undecided
        inverse = Term(1 / self.terms[0].size).over(self.terms[0])
        return inverse, Ray(self.start, [each.times(inverse) for each in self.terms[1:]])

    def series(self, coefficients: Sequence[Any], remainder: Any = None) -> Ray:
        """Return c₀ + c₁w + … + r·wᴺ for w = self and all |r| ≤ remainder.

        Without a remainder all further |cₙ| must be ≤ 1. Then |r| ≤ 1/(1 − max |w|); `Undecided` is
        raised unless |w| < 1.
        """
        if remainder is None:
            if not self.bound() < 1:
                raise Undecided
            remainder = 1 / (1 - self.bound())
        total = self.of(arb(0, remainder))
        for c in reversed(coefficients):
            total = total * self + c
        return total

    def inverse(self) -> Ray:
        """Return 1/self."""
        inverse, w = self.split()
        return w.series(SIGNS) * Ray(self.start, [inverse])

    def exp(self) -> Ray:
        """Return exp(self); self must be a polynomial with exact coefficients."""
        coefficients = [arb(0)] * (1 + max((each.power for each in self.terms), default=0))
        for size, power, exponent in self.terms:
            if power < 0 or exponent or not size.rad() < FAINT:
                raise Undecided
            coefficients[power] = -size
        constant = (-coefficients[0]).exp()
        return Ray(self.start, [Term(constant, 0, arb_poly([arb(0), *coefficients[1:]]))])

    def sqrt(self) -> Ray:
        """Return √self."""
        (size, power, exponent), w = self.split()
        if size < 0 or power % 2 or exponent:
            raise Undecided
        return w.series(ROOT) * Ray(self.start, [Term(1 / size.sqrt(), -power // 2)])

    def log1p(self) -> Ray:
        """Return log(1 + self) for |self| < 1."""
        return self.series(LOGARITHM)

    def logistic(self) -> Ray:
        """Return σ(self)."""
        if self.sign() > 0:
            return 1 / (1 + (-self).exp())
        e = self.exp()
        return e / (1 + e)

    def normal_cdf(self) -> Ray:
        """Return Φ(self) for self = −z → −∞: φ(z)/z·(1 − 1/z² + 3/z⁴ − …)."""
        inverse = (-self).inverse()
        mills: Ray = inverse * (inverse * inverse).series((1, -1, 3, -15), 105)
        return mills * self.of(normal_density(self))

    def erfc(self) -> Ray:
        """Return erfc(self) = 2Φ(−√2·self)."""
        return (self * -arb(2).sqrt()).normal_cdf() * 2


def first_ray(*forms: Form) -> int:
    """Return a k ≥ 3 with 2ᵏ beyond all cuts of the forms."""
    squares = (abs(cut.square) for form in forms for cut in form.cuts)
    return max(3, *(int(square.ceil()).bit_length() // 2 + 1 for square in squares))


def ray_variable(start: int, right: bool) -> Ray:
    """Return the function x on the ray |x| ≥ 2ᵏ of a side."""
    return Ray(start, [Term(arb(1 if right else -1), 1)])


@lru_cache(4096)
def rest_on_ray(form: Form, quantity: str, right: bool, start: int) -> Ray:
    """Return the rest (quantity − k₀ − k₁x) on the ray |x| ≥ 2ᵏ of a side."""
    i = form.outer(right)
    with working(PRECISION):
        x = ray_variable(start, right)
        tails = [form.tail(i, x) if form.has_tail(i) else x.of(0)]
        for _ in range(ORDERS[quantity]):
            tails.append(tails[-1].derivative() * (1 if right else -1))
        return x.of(form.split(i, quantity, x, tails)[2])


class Far(NamedTuple):
    """The asymptote k₀ + k₁x, and the sign of the rest for |x| ≥ 2^start."""

    k0: fmpq
    k1: fmpq
    sign: int
    start: int


@lru_cache(4096)
def far_out(form: Form, quantity: str, right: bool) -> Far:
    """Return `Far` of a quantity; ComputationError if no ray decides the sign."""
    start, rest_sign = on_first_ray(
        first_ray(form), lambda k: (k, rest_on_ray(form, quantity, right, k).sign())
    )
    return Far(*form.line(form.outer(right), quantity), rest_sign, start)


@lru_cache(4096)
def faint_from(form: Form, quantity: str, right: bool, exponent: int) -> int:
    """Return a k with |rest| < 2^−exponent on the ray; k ≥ FARTHEST: unknown."""
    start = far_out(form, quantity, right).start
    rest = rest_on_ray(form, quantity, right, start)

    def faint(k: int) -> bool:
        try:
            return bool(rest.bound(True, k) < arb((1, -exponent)))
        except Undecided:
            return False

    with working(PRECISION):
        return start + bisect_left(range(start, FARTHEST), True, key=faint)
