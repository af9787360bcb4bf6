"""Numbers far out, for all |x| ≥ 2ᵏ on one side of 0 at once.

A number is a sum of a few terms C(y)·yᵖ·e^(−E(y)), y = |x|, in the order of their growth. E is a
polynomial. C(y) is in a disc around a real number for all complex y with |y| ≥ NEAREST·2ᵏ and
|arg y| ≤ ANGLE, so Cauchy's estimate bounds its derivatives. A polynomial keeps all its terms; of
other sums those beyond a few go into the disc of the last one, as they are smaller by a factor that
falls. So signs and bounds hold up to infinity. If they are not certain `Undecided` is raised: for a
larger k they are.
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
"""A coefficient below FAINT is taken for 0, as the difference of two that are alike."""

FARTHEST = 160
"""The largest k that is tried."""

HALF = fmpq(1, 2)
SIGNS, ROOT, LOGARITHM = (
    (1, -1, 1, -1),
    (1, HALF, -(HALF**3), HALF**4),
    (0, 1, -HALF, fmpq(1, 3)),
)
"""The first coefficients of 1/(1 + w), √(1 + w) and log(1 + w)."""

TERMS = len(SIGNS) + 1
"""Terms of a sum: what is left of two that are alike, or the way in which a limit is approached, is
in the second; the last bounds the others."""

SHRINK, ANGLE, NEAREST = 12, 0.2503, arb(0.77)
"""A derivative holds where the disc of radius |y|/SHRINK around y is in the number's sector. So
three times: ANGLE > 3·asin(1/SHRINK), NEAREST < (1 − 1/SHRINK)³."""

A = TypeVar("A")


class Undecided(ArithmeticError):
    """A ray begins too near to 0."""


def on_first_ray(start: int, question: Callable[[int], A]) -> A:
    """Return the answer question(k) at the first k ≥ start that decides.

    Raises
    ------
    ComputationError
        If none does.
    """
    found = on_rays(range(start, max(FARTHEST, start + 1)), question)
    if found is None:
        raise ComputationError("the limit of a form cannot be told; take other parameters")
    return found[1]


def on_rays(starts: Iterable[int], question: Callable[[int], A]) -> tuple[int, A] | None:
    """Return the first k that decides a question, with the answer, or None."""
    with working(PRECISION):
        for k in starts:
            try:
                return k, question(k)
            except Undecided:
                continue
    return None


def certain(y: arb) -> int:
    """Return the sign of a ball that has one."""
    if found := sign(y):
        return found
    raise Undecided


class Term(NamedTuple):
    """size·y^power·e^(−exponent), the size in a disc for all y."""

    size: arb
    power: int = 0
    exponent: arb_poly = arb_poly([])

    def times(self, other: Term) -> Term:
        """Multiply by a term."""
        exponent = self.exponent + other.exponent
        return Term(self.size * other.size, self.power + other.power, exponent)

    def over(self, other: Term) -> Term:
        """Divide by a term of size 1."""
        return Term(self.size, self.power - other.power, self.exponent - other.exponent)

    def way(self) -> int:
        """Return 1 for a term that tends to infinity, −1 for one to 0, else 0."""
        for c in reversed(self.exponent.coeffs()):
            if not abs(c) < FAINT:
                return -certain(c)
        return sign(self.power)

    def most(self, start: int, real: bool = False) -> arb:
        """Bound |term| in the sector, or for real y, if it does not grow there."""
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
        # Where the leading term outweighs the others the slope of |y|ᵖ·e^(−Re E) is negative.
        (degree, leading), others = terms[-1], terms[:-1]
        rising = sum(((-n * c).max(arb(0)) for n, c in others), arb(max(self.power, 0)))
        if not degree * leading > rising:
            raise Undecided
        return (size * (-sum((c for _, c in others), leading)).exp()).upper()


def compared(one: Term, other: Term) -> int:
    """Return 1 if a term grows more slowly than another, −1 if faster."""
    return other.over(one).way()


def summed(start: int, terms: Iterable[Term]) -> list[Term]:
    """Add terms that grow alike; fold those beyond TERMS into the last."""
    kept = list[Term]()
    for term in sorted(terms, key=cmp_to_key(compared)):
        if kept and not term.over(kept[-1]).way():
            kept[-1] = kept[-1]._replace(size=kept[-1].size + term.size)
        else:
            kept.append(term)
    kept = [term for term in kept if not abs(term.size) < FAINT]
    if all(term.power >= 0 and not term.exponent for term in kept):
        return kept
    for term in kept[TERMS:]:
        last = kept[TERMS - 1]
        kept[TERMS - 1] = last._replace(size=last.size + arb(0, term.over(last).most(start)))
    return kept[:TERMS]


class Ray(Number):
    """A number for all y ≥ 2ᵏ: a sum of terms."""

    def __init__(self, start: int, terms: Iterable[Term]) -> None:
        self.start, self.terms = start, summed(start, terms)

    def of(self, other: Any) -> Ray:
        """Return another number as one of this ray."""
        return other if isinstance(other, Ray) else Ray(self.start, [Term(arb(other))])

    def size(self) -> arb:
        """Return the number divided by yᵖ·e^(−E) of its first term, for real y."""
        first, *others = self.terms
        shares = (each._replace(size=arb(1)).over(first).most(self.start, True) for each in others)
        parts = zip(others, shares, strict=True)
        return sum((each.size * arb(0).union(share) for each, share in parts), first.size)

    def sign(self) -> int:
        """Return the sign that the number has everywhere on the ray; 0 if it is 0."""
        return certain(self.size()) if self.terms else 0

    def most(self, real: bool = False, start: int | None = None) -> arb:
        """Bound |number| in the sector, or for real y; from a later 2ᵏ on."""
        return sum((each.most(start or self.start, real) for each in self.terms), arb(0)).upper()

    def grows(self) -> bool:
        """Return True if the number is unbounded."""
        return bool(self.terms) and self.terms[0].way() > 0

    def limit(self) -> tuple[arb, Ray]:
        """Return the limit of a bounded number, and the number less its limit."""
        if self.terms and not self.terms[0].way():
            return self.terms[0].size, Ray(self.start, self.terms[1:])
        return arb(0), self

    def derivative(self) -> Ray:
        """Return the derivative in y, at most three times."""
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
        """Split into t·(1 + w): return 1/t and w."""
        if not self.terms or not sign(self.terms[0].size):
            raise Undecided
        inverse = Term(1 / self.terms[0].size).over(self.terms[0])
        return inverse, Ray(self.start, [each.times(inverse) for each in self.terms[1:]])

    def series(self, coefficients: Sequence[Any], remainder: Any = None) -> Ray:
        """Return c₀ + c₁w + … + r·wᴺ, |r| ≤ the remainder, of a w that falls.

        Without a remainder the series goes on with |cₙ| ≤ 1, and |w| < 1.
        """
        if remainder is None:
            if not self.most() < 1:
                raise Undecided
            remainder = 1 / (1 - self.most())
        total = self.of(arb(0, remainder))
        for c in reversed(coefficients):
            total = total * self + c
        return total

    def inverse(self) -> Ray:
        """Return 1/number."""
        inverse, w = self.split()
        return w.series(SIGNS) * Ray(self.start, [inverse])

    def exp(self) -> Ray:
        """Return e^y of a polynomial whose coefficients are known."""
        coefficients = [arb(0)] * (1 + max((each.power for each in self.terms), default=0))
        for size, power, exponent in self.terms:
            if power < 0 or exponent or not size.rad() < FAINT:
                raise Undecided
            coefficients[power] = -size
        constant = (-coefficients[0]).exp()
        return Ray(self.start, [Term(constant, 0, arb_poly([arb(0), *coefficients[1:]]))])

    def sqrt(self) -> Ray:
        """Return √number."""
        (size, power, exponent), w = self.split()
        if size < 0 or power % 2 or exponent:
            raise Undecided
        return w.series(ROOT) * Ray(self.start, [Term(1 / size.sqrt(), -power // 2)])

    def log1p(self) -> Ray:
        """Return log(1 + y) of a number y that tends to 0."""
        return self.series(LOGARITHM)

    def logistic(self) -> Ray:
        """Return σ(y)."""
        if self.sign() > 0:
            return 1 / (1 + (-self).exp())
        e = self.exp()
        return e / (1 + e)

    def normal_cdf(self) -> Ray:
        """Return Φ(−z), z → ∞, by its asymptotic series φ(z)/z·(1 − 1/z² + …)."""
        inverse = (-self).inverse()
        mills: Ray = inverse * (inverse * inverse).series((1, -1, 3, -15), 105)
        return mills * self.of(normal_density(self))

    def erfc(self) -> Ray:
        """Return erfc(z) = 2Φ(−√2·z)."""
        return (self * -arb(2).sqrt()).normal_cdf() * 2


def first_ray(*forms: Form) -> int:
    """Return the least k ≥ 3 with 2ᵏ beyond all cuts."""
    squares = (abs(cut.square) for form in forms for cut in form.cuts)
    return max(3, *(int(square.ceil()).bit_length() // 2 + 1 for square in squares))


def ray_variable(start: int, right: bool) -> Ray:
    """Return x for |x| ≥ 2ᵏ on a side."""
    return Ray(start, [Term(arb(1 if right else -1), 1)])


@lru_cache(4096)
def rest_on_ray(form: Form, quantity: str, right: bool, start: int) -> Ray:
    """Return the rest of a quantity for |x| ≥ 2ᵏ on a side."""
    i = form.outer(right)
    with working(PRECISION):
        x = ray_variable(start, right)
        tails = [form.tail(i, x) if form.has_tail(i) else x.of(0)]
        for _ in range(ORDERS[quantity]):
            tails.append(tails[-1].derivative() * (1 if right else -1))
        return x.of(form.split(i, quantity, x, tails)[2])


class Far(NamedTuple):
    """A quantity far out is k₀ + k₁x + rest; the rest has one sign from 2ᵏ on."""

    k0: fmpq
    k1: fmpq
    sign: int
    start: int


@lru_cache(4096)
def far_out(form: Form, quantity: str, right: bool) -> Far:
    """Return the behaviour of a quantity far out on a side.

    Raises
    ------
    ComputationError
        If its sign cannot be told.
    """
    start, way = on_first_ray(
        first_ray(form), lambda k: (k, rest_on_ray(form, quantity, right, k).sign())
    )
    return Far(*form.line(form.outer(right), quantity), way, start)


@lru_cache(4096)
def faint_from(form: Form, quantity: str, right: bool, exponent: int) -> int:
    """Return k with |rest| < 2^−exponent from 2ᵏ on, else FARTHEST."""
    start = far_out(form, quantity, right).start
    rest = rest_on_ray(form, quantity, right, start)

    def faint(k: int) -> bool:
        try:
            return bool(rest.most(True, k) < arb((1, -exponent)))
        except Undecided:
            return False

    with working(PRECISION):
        return start + bisect_left(range(start, FARTHEST), True, key=faint)
