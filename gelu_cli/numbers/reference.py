"""Textbook definitions in mpmath, which share nothing with `formulas`.

Each is its limit on either side plus a tail that does not cancel; derivatives are numerical ones,
to as many digits as are asked for. `confirm` compares a number that is printed with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from mpmath import diff, exp, log1p, mp, mpf, ncdf, npdf, pi, sqrt

from gelu_cli.errors import ComputationError
from gelu_cli.formulas import ORDERS, Form

MOST_DIGITS = 50
"""Digits that are confirmed; the first ones of more."""

SLACK = mpf(10) ** -9
FAR = 10**5
FARTHEST = 10**9
"""Beyond it derivatives are not confirmed: numerical ones have no digits there."""

LEAST = mpf(10) ** -(10**17 + 100)
"""Smaller numbers are 0 in every format, and as decimals."""
Tail = Callable[..., Any]


def below(x: Any) -> Any:
    """Return Φ(x) of x ≤ 0; far out, where mpmath fails, asymptotically."""
    if x > -FAR:
        return ncdf(x)
    total = term = mpf(1)
    k = 0
    while abs(term) > mp.eps:
        k += 1
        term *= -(2 * k - 1) / (x * x)
        total += term
    return npdf(x) / -x * total


def sigma(x: Any) -> Any:
    """Return σ(x) of x ≤ 0."""
    e = exp(x)
    return e / (1 + e)


def cubic(x: Any, c: Any, a: Any = None, d: Any = 0) -> Any:
    """Return (1 + tanh u)/2, u = a(x + cx³ + dx⁵)."""
    scale = sqrt(2 / pi) if a is None else a
    return sigma(2 * scale * (x + c * x**3 + d * x**5))


def abramowitz(x: Any, p: Any, **a: Any) -> Any:
    """Return (1 − erf(−x/√2))/2 with 7.1.26 for erf."""
    z = -x / sqrt(2)
    t = 1 / (1 + p * z)
    return sum(c * t**n for n, c in enumerate(a.values(), 1)) * exp(-z * z) / 2


def i_bert(x: Any, a: Any, b: Any) -> Any:
    """Return (1 − L(−x/√2))/2 of I-BERT."""
    return (1 - (a * (min(-x / sqrt(2), -b) + b) ** 2 + 1)) / 2


def odd(x: Any, A: Any, **c: Any) -> Any:  # noqa: N803
    """Return ½ + c1·x + c3·x³ + …, 0 below −A."""
    return sum((v * x ** int(n[1:]) for n, v in c.items()), mpf(1) / 2) if x >= -A else mpf(0)


GATES: dict[str, Tail] = {
    "exact": below,
    "tanh": cubic,
    "tanh_taylor": lambda x: cubic(x, (4 - pi) / (6 * pi)),
    "sigmoid": lambda x, beta: sigma(beta * x),
    "sigmoid_taylor": lambda x: sigma(sqrt(8 / pi) * x),
    "silu": sigma,
    "erf_as": abramowitz,
    "igelu": i_bert,
    "relu": lambda x: mpf(0),
    "hard": lambda x, slope: max((slope * x + 3) / 6, mpf(0)),
    "polynomial": odd,
}
"""G(x) of x ≤ 0, where G(x) + G(−x) = 1."""

RAMPS: dict[str, Tail] = {
    "softplus": lambda x: log1p(exp(x)),
    "squareplus": lambda x, b: (b / 2) / (sqrt(x * x + b) - x),
    "noisy_relu": lambda x, sigma: x * below(x / sigma) + sigma * npdf(x / sigma),
}
"""f(x) of x ≤ 0, where f(x) − f(−x) = x."""

HALVES: dict[str, tuple[bool, tuple[Any, int], Tail, tuple[Any, int], Tail]] = {
    "mish": (
        True, (0, 0), lambda x: 1 / (1 + 2 / (exp(x) * (2 + exp(x)))),
        (1, 0), lambda x: -2 * exp(-2 * x) / (exp(-2 * x) + (1 + exp(-x)) ** 2),
    ),
    "leaky_relu": (
        True, (0, 0), lambda x, slope: slope + 0 * x, (1, 0), lambda x, slope: mpf(0),
    ),
    "elu": (
        False, ("-alpha", 0), lambda x, alpha: alpha * exp(x), (0, 1), lambda x, alpha: mpf(0),
    ),
    "logistic": (False, (0, 0), sigma, (1, 0), lambda x: -sigma(-x)),
    "tanh_fn": (False, (-1, 0), lambda x: 2 * sigma(2 * x), (1, 0), lambda x: -2 * sigma(-2 * x)),
    "erf": (
        False, (-1, 0), lambda x: 2 * below(x * sqrt(2)),
        (1, 0), lambda x: -2 * below(-x * sqrt(2)),
    ),
    "Phi": (False, (0, 0), below, (1, 0), lambda x: -below(-x)),
    "normal_pdf": (False, (0, 0), npdf, (0, 0), npdf),
}  # fmt: skip
"""Gated or not; on the left and on the right a line, (level, slope), and what is added to it."""


def halves(name: str) -> tuple[bool, tuple[Any, int], Tail, tuple[Any, int], Tail] | None:
    """Return how a form is on the left and on the right.

    None for one that is not defined here.
    """
    if name in GATES:
        gate = GATES[name]
        return True, (0, 0), gate, (1, 0), lambda x, **p: -gate(-x, **p)
    if name in RAMPS:
        ramp = RAMPS[name]
        return False, (0, 0), ramp, (0, 1), lambda x, **p: ramp(-x, **p)
    return HALVES.get(name)


def defines(form: Form) -> bool:
    """Return True if the form is defined here.

    Published curves and new forms are not.
    """
    return halves(form.name) is not None


def parts(form: Form, quantity: str, x: Any) -> tuple[Any, Any]:
    """Return the line and the rest of a quantity at x, approximately."""
    found = halves(form.name)
    assert found is not None
    gated, left_line, left, right_line, right = found
    (level, slope), tail = (right_line, right) if x > 0 else (left_line, left)
    parameters = parameters_of(form)
    if level == "-alpha":
        level = -parameters["alpha"]

    def t(order: int) -> Any:
        if not order:
            return tail(x, **parameters)
        return diff(lambda y: tail(y, **parameters), x, order)

    if not gated and quantity != "complement":
        order = {"value": 0, "gradient": 1, "curvature": 2}[quantity]
        return (level + slope * x, slope, 0)[order], t(order)
    if quantity == "mask_variance":
        rest = t(0)
        return level * (1 - level), x * x * rest * (1 - 2 * level - rest)
    if quantity == "complement":
        line, rest = parts(form, "value", x)
        return x - line, -rest
    known: dict[str, Callable[[], Any]] = {
        "gate": lambda: (level, t(0)),
        "gate_gradient": lambda: (0, t(1)),
        "value": lambda: (level * x, x * t(0)),
        "gradient": lambda: (level, t(0) + x * t(1)),
        "curvature": lambda: (0, 2 * t(1) + x * t(2)),
    }
    line, rest = known[quantity]()
    return line, rest


def parameters_of(form: Form) -> Mapping[str, Any]:
    """Return the parameters as mpmath's numbers.

    A constant that was not set is left out.
    """
    return {
        each.name: to_mpf(form.settings[each.name])
        for each in form.parameters
        if each.exact is None or each.name in form.chosen
    }


def to_mpf(x: Any) -> Any:
    """Return a number of any kind to the working precision."""
    if isinstance(x, float | int):
        return mpf(x)
    if isinstance(x, Decimal):  # whose exponent may be beyond all fractions
        whole, exponent = x.as_tuple().digits, int(x.as_tuple().exponent)
        size = mpf(int("".join(map(str, whole)))) * mpf(10) ** exponent
        return -size if x < 0 else size
    numerator, denominator = (x.p, x.q) if hasattr(x, "p") else (x.numerator, x.denominator)
    return mpf(int(numerator)) / int(denominator)


def reference(
    form: Form,
    quantity: str,
    x: Any,
    digits: int = 17,
    target: Form | None = None,
    relative: bool = False,
) -> Any:
    """Return a quantity or an error at x on which two precisions agree.

    >>> from gelu_cli.formulas import find_form
    >>> mp.nstr(reference(find_form("exact"), "value", 1, 20), 20)
    '0.84134474606854294859'
    """
    if (
        relative
        and quantity == "value"
        and form.has_gate
        and target is not None
        and target.has_gate
    ):
        quantity = "gate"
    bits, last = 4 * digits + 80, mpf("nan")
    while True:
        with mp.workprec(bits):
            at = to_mpf(x)
            line, y = parts(form, quantity, at)
            size = abs(line) + abs(y)
            if target is not None:
                other, z = parts(target, quantity, at)
                lines = 0 if line == other else abs(line) + abs(other)  # equal ones cancel
                base = other + z if relative else 1
                if not base:  # all of its digits are lost, as yet
                    if bits > LONGEST:
                        return None
                    bits = bits * 3 // 2
                    continue
                size = (lines + abs(y) + abs(z)) / abs(base)
                y = ((line - other) + (y - z)) / base
            else:
                y = line + y
            if size < LEAST:
                return y
            agree = abs(y - last) <= abs(y) * mpf(10) ** (-digits - 2)
            noise = abs(y) <= size * mpf(2) ** (-bits // 2)
            if (agree and not noise) or bits > LONGEST or size == 0:
                return y
        last, bits = y, bits * 3 // 2


LONGEST = 1 << 13
"""Bits after which a number that is still only noise is taken for 0."""


def confirms(
    printed: float | Decimal,
    form: Form,
    quantity: str,
    x: Any,
    target: Form | None = None,
    relative: bool = False,
    size: bool = False,
) -> bool:
    """Return True if a printed number rounds the reference correctly.

    Infinite errors, derivatives beyond FARTHEST, and forms not defined here are not compared.

    >>> from gelu_cli.formulas import find_form
    >>> confirms(0.8413447460685429, find_form("exact"), "value", 1)
    True
    """
    known = defines(form) and (target is None or defines(target))
    if not known or not math.isfinite(printed) or (ORDERS[quantity] and abs(x) > FARTHEST):
        return True
    digits = len(printed.as_tuple().digits) if isinstance(printed, Decimal) else 17
    y = reference(form, quantity, x, min(digits, MOST_DIGITS) + 3, target, relative)
    if y is None:
        return True
    with mp.workprec(4 * MOST_DIGITS + 200):
        shown = abs(to_mpf(printed))
        if isinstance(printed, Decimal):
            unit = mpf(10) ** int(printed.as_tuple().exponent)
            unit = max(unit, abs(y) * mpf(10) ** -MOST_DIGITS)
            unit = mpf(10) ** -(10**17) if not shown else unit
        else:
            unit = to_mpf(Fraction(math.ulp(printed)))
        return bool(
            abs(shown - abs(y)) <= unit * (mpf(1) / 2 + SLACK)
            and (size or shown * y * sign_of(printed) >= 0)
        )


def sign_of(printed: float | Decimal) -> int:
    """Return the sign of a number that is not 0."""
    return -1 if printed < 0 else 1


def confirm(
    printed: float | Decimal,
    form: Form,
    quantity: str,
    x: Any,
    target: Form | None = None,
    relative: bool = False,
    size: bool = False,
) -> None:
    """Raise ComputationError unless mpmath confirms a printed number.

    Parameters
    ----------
    printed
        A quantity of the form at x, or if there is a target |form − target| or its ratio with sign.
    x
        A float64, or an exact number: for suprema the place to more digits than are printed.
    size
        The sign does not count: suprema are of |form − target|.
    """
    if not confirms(printed, form, quantity, x, target, relative, size):
        of = f" against '{target.label}'" if target else ""
        raise ComputationError(
            f"mpmath does not confirm {printed} for {quantity} of '{form.label}'{of} at x = {x}; "
            "please report this as an error of gelu"
        )
