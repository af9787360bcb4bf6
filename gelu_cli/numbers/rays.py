"""Numbers on a whole ray, from a power of 2 to infinity.

y = |x| runs over [T, ∞), T = 2ᵏ. A number is a sum of a few terms C(y)·yᵖ·e^(−E(y)), in the order
of their growth: C(y) is in a ball for all y, and E a sum of polynomials that tend to infinity. What
has no exponential, and no negative power, is a polynomial, all of whose terms are kept. Of other
sums the terms beyond a few go into the ball of the last one, as they are smaller by a factor that
falls from T on. So the sign of a number, and a bound on its size, hold up to infinity. Where they
cannot be told `Undecided` is raised: from a larger T on they can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from flint import arb, fmpq

from gelu_cli.errors import ComputationError
from gelu_cli.formulas.special import Number
from gelu_cli.numbers.rounding import HUGE, TINY, sign, working

Coefficient: TypeAlias = "arb | fmpq"
PRECISION = 256
FARTHEST = 160
"""The exponent of 2 up to which a ray is moved."""

TERMS = 3
"""Terms of a sum: what is left of two that are alike, or the way in which a limit is neared, is in
the second; the third bounds the others."""


class Undecided(ArithmeticError):
    """A ray begins too near to 0."""


A = TypeVar("A")


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


class Exponent(NamedTuple):
    """A polynomial c₁y + c₂y² + … that tends to +∞."""

    coefficients: tuple[Coefficient, ...]

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exponent) and self.key == other.key

    @property
    def key(self) -> tuple[Any, ...]:
        """Fractions as they are, balls by their identity.

        Equal balls may be two numbers.
        """
        return tuple(c if isinstance(c, fmpq) else id(c) for c in self.coefficients)


Exponents: TypeAlias = "Mapping[Exponent, int]"
"""A sum of exponents, each with how often it is in it."""

NO_EXPONENTS: Exponents = MappingProxyType({})


def merged(one: Exponents, other: Exponents, times: int = 1) -> Exponents:
    """Return one + times·other."""
    total = {each: one.get(each, 0) + times * other.get(each, 0) for each in {**one, **other}}
    return {each: n for each, n in total.items() if n}


def polynomial_of(exponents: Exponents) -> list[arb]:
    """Return a sum of exponents as coefficients, that of y first."""
    rows = [[arb(c) * n for c in each.coefficients] for each, n in exponents.items()]
    return [sum(column, arb(0)) for column in zip_longest(*rows, fillvalue=arb(0))]


class Term(NamedTuple):
    """size·y^power·e^(−exponents), the size in a ball for all y."""

    size: Any
    power: int = 0
    exponents: Exponents = NO_EXPONENTS

    def times(self, other: Term) -> Term:
        """Multiply by a term."""
        exponents = merged(self.exponents, other.exponents)
        return Term(self.size * other.size, self.power + other.power, exponents)

    def inverse(self) -> Term:
        """Return 1/term."""
        return Term(1 / self.size, -self.power, merged(NO_EXPONENTS, self.exponents, -1))

    def compared(self, other: Term) -> int:
        """Return 1 if this term grows faster than the other, 0 if alike, else −1."""
        if self.exponents != other.exponents:
            difference = polynomial_of(merged(self.exponents, other.exponents, -1))
            for c in reversed(difference):
                if found := sign(c):
                    return -found
                if not c.is_zero():
                    raise Undecided
        return sign(self.power - other.power)

    def share(self, other: Term, start: int) -> arb:
        """Return [0, supremum] of its quotient by a faster term, without sizes."""
        difference = polynomial_of(merged(self.exponents, other.exponents, -1))
        return arb(0).union(falling(difference, self.power - other.power, start))


CONSTANT = Term(fmpq(1))


def is_nothing(size: Coefficient) -> bool:
    """Return True for an exact 0."""
    return size == 0 if isinstance(size, fmpq) else size.is_zero()


def summed(start: int, terms: Iterable[Term]) -> tuple[Term, ...]:
    """Add terms that grow alike; fold those beyond TERMS into the last."""
    kept: list[Term] = []
    for term in terms:
        for i, other in enumerate(kept):
            way = term.compared(other)
            if way == 0:
                kept[i] = other._replace(size=other.size + term.size)
            elif way > 0:
                kept.insert(i, term)
            else:
                continue
            break
        else:
            kept.append(term)
    kept = [term for term in kept if not is_nothing(term.size)]
    if all(term.power >= 0 and not term.exponents for term in kept):
        return tuple(kept)
    for term in kept[TERMS:]:
        last = kept[TERMS - 1]
        size = last.size + term.share(last, start) * term.size
        kept[TERMS - 1] = last._replace(size=size)
    return tuple(kept[:TERMS])


class Ray(Number):
    """A number for all y ≥ 2ᵏ: a sum of terms."""

    def __init__(self, start: int, terms: Iterable[Term]) -> None:
        self.start, self.terms = start, summed(start, terms)

    @classmethod
    def polynomial(cls, start: int, *coefficients: Coefficient) -> Ray:
        """Return a polynomial by its coefficients, the constant first."""
        return cls(start, [Term(c, power) for power, c in enumerate(coefficients)])

    def of(self, other: Any) -> Ray:
        """Return another number as one of this ray."""
        if isinstance(other, Ray):
            return other
        return Ray(self.start, [Term(fmpq(other) if isinstance(other, int) else other)])

    @property
    def is_zero(self) -> bool:
        """True for 0."""
        return not self.terms

    def size(self) -> arb:
        """Return the number divided by yᵖ·e^(−E) of its first term, as a ball."""
        first, *others = self.terms or (Term(fmpq(0)),)
        shares = (each.share(first, self.start) * each.size for each in others)
        return sum(shares, arb(first.size))

    def sign(self) -> int:
        """Return the sign that the number has everywhere on the ray; 0 if it is 0."""
        found = sign(self.size())
        if not found and not self.is_zero:
            raise Undecided
        return found

    def most(self, start: int | None = None) -> arb:
        """Return a bound on |number| from the start on, or from a later one."""
        if self.is_zero:
            return arb(0)
        first, at = self.terms[0], self.start if start is None else start
        return abs(self.size()).upper() * falling(polynomial_of(first.exponents), first.power, at)

    def grows(self) -> bool:
        """Return True if the number is unbounded."""
        return bool(self.terms) and self.terms[0].compared(CONSTANT) > 0

    def limit(self) -> tuple[Any, Ray]:
        """Return the limit of a bounded number, and the number less its limit."""
        if self.terms and not self.terms[0].compared(CONSTANT):
            return self.terms[0].size, Ray(self.start, self.terms[1:])
        return fmpq(0), self

    def height(self) -> arb:
        """Enclose |number|: around its limit, or above HUGE if it grows."""
        if self.grows():
            if not self.inverse().most() < TINY:
                raise Undecided
            return HUGE * arb(2, 1)
        limit, rest = self.limit()
        return abs(arb(limit) + arb(0, rest.most()))

    def __add__(self, other: Any) -> Ray:
        return Ray(self.start, [*self.terms, *self.of(other).terms])

    def __neg__(self) -> Ray:
        return Ray(self.start, [each._replace(size=-each.size) for each in self.terms])

    def __mul__(self, other: Any) -> Ray:
        others = self.of(other).terms
        return Ray(self.start, [a.times(b) for a in self.terms for b in others])

    def split(self) -> tuple[Ray, Ray, arb]:
        """Split into t·(1 + w): return the term t, w, and a ball around 1 + w.

        |w| < 1 falls.
        """
        first = Ray(self.start, self.terms[:1])
        if not first.sign():
            raise Undecided
        w = Ray(self.start, self.terms[1:]) * Ray(self.start, [self.terms[0].inverse()])
        most = w.most()
        if not most < 1:
            raise Undecided
        return first, w, arb(1, most)

    def inverse(self) -> Ray:
        """Return 1/number, by 1/(1 + w) = 1 − w + w²/(1 + w)."""
        first, w, ball = self.split()
        inverse = Ray(self.start, [first.terms[0].inverse()])
        return inverse if w.is_zero else inverse * (1 - w + w * w * (1 / ball))

    def __truediv__(self, other: Any) -> Ray:
        return self * self.of(other).inverse()

    def exp(self) -> Ray:
        """Return e^y of a polynomial."""
        coefficients: list[Any] = [fmpq(0)] * (1 + max((t.power for t in self.terms), default=0))
        for term in self.terms:
            assert term.power >= 0
            assert not term.exponents
            coefficients[term.power] = term.size
        constant, *higher = coefficients
        size = arb(constant).exp()
        if not higher:
            return Ray(self.start, [Term(size)])
        leading = sign(higher[-1])
        if not leading:
            raise Undecided
        exponent = Exponent((*(leading * c for c in higher),))
        return Ray(self.start, [Term(size, 0, {exponent: -leading})])

    def sqrt(self) -> Ray:
        """Return √number, by √(1 + w) = 1 + w/2 − w²/(2(1 + √(1 + w))²)."""
        first, w, ball = self.split()
        ((size, power, exponents),) = first.terms
        if size <= 0 or power % 2 or exponents:
            raise Undecided
        root = Ray(self.start, [Term(arb(size).sqrt(), power // 2)])
        return root * (1 + w / 2 - w * w * (1 / (2 * (1 + ball.sqrt()) ** 2)))

    def log1p(self) -> Ray:
        """Return log(1 + y) of a small number.

        It is y − y²/2·[1/(1 + m), 1/(1 − m)], m = max |y|.
        """
        most = self.most()
        if not most < 0.5:
            raise Undecided
        return self - self * self * (1 / (2 * arb(1, most)))

    def mills(self, power: int, first: fmpq, second: int) -> Ray:
        """Return y⁻ᵖ·(1 − first/y² + [0, second]/y⁴), a tail by its density.

        Two partial sums of an alternating series that envelops it.
        """
        inverse = self.inverse()
        square = inverse * inverse
        found = 1 - square * first + square * square * arb(0).union(arb(second))
        for _ in range(power):
            found = found * inverse
        return found


def falling(difference: Sequence[arb], power: int, start: int) -> arb:
    """Return the supremum of yᵖ·e^(−D(y)) from 2ᵏ on, if it does not rise."""
    if all(c.is_zero() for c in difference):
        if power > 0:
            raise Undecided
        return arb((1, power * start))
    y = arb((1, start))
    terms = [c * y**n for n, c in enumerate(difference, 1)]
    slope = sum((n * term for n, term in enumerate(terms, 1)), arb(-power))
    lower = sum((n * abs(term) for n, term in enumerate(terms[:-1], 1)), arb(abs(power)))
    # y·D′(y) − p is positive at T, and beyond as its leading term outweighs the others.
    if not (slope > 0 and len(terms) * terms[-1] > 2 * lower):
        raise Undecided
    return ((-sum(terms, arb(0))).exp() * arb((1, power * start))).upper()
