"""Textbook definitions of forms in mpmath, independent of `formulas`.

Derivatives are numerical. The precision is raised until two results agree; `confirm` compares a
printed number with the last result.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from mpmath import diff, erf, exp, expm1, log1p, mp, mpf, ncdf, npdf, pi, sqrt, tanh

from gelu_cli.errors import ComputationError
from gelu_cli.formulas import ORDERS, Form
from gelu_cli.formulas.pieces import to_fraction

MOST_DIGITS = 50  # of a longer number only the first 50 digits are compared
FARTHEST = 10**4  # nothing is compared at larger |x|
LONGEST = 1 << 10  # most bits of precision; if no two results agree, nothing is compared


def logistic(x: Any, beta: Any = 1) -> Any:
    """Return σ(βx)."""
    return 1 / (1 + exp(-beta * x))


def of_tanh(x: Any, s: int, c: Any, a: Any = None, d: Any = 0) -> Any:
    """Return (1 + tanh u)/2 = σ(2u), u = a(x + cx³ + dx⁵)."""
    return logistic((sqrt(2 / pi) if a is None else a) * (x + c * x**3 + d * x**5), 2)


def abramowitz(x: Any, s: int, p: Any, **a: Any) -> Any:
    """Return (1 + erf z)/2, z = x/√2, with Abramowitz & Stegun's 7.1.26."""
    z = s * x / sqrt(2)
    t = 1 / (1 + p * z)
    tail = sum(c * t**n for n, c in enumerate(a.values(), 1)) * exp(-z * z) / 2
    return tail if s < 0 else 1 - tail


def i_bert(x: Any, s: int, a: Any, b: Any) -> Any:
    """Return (1 + L(x/√2))/2, L the polynomial of I-BERT for erf."""
    return (1 + s * (a * (min(s * x / sqrt(2), -b) + b) ** 2 + 1)) / 2


def odd(x: Any, s: int, A: Any, **c: Any) -> Any:  # noqa: N803
    """Return ½ + c1·x + c3·x³ + … on [−A, A], 0 or 1 outside."""
    inside = sum((v * x ** int(n[1:]) for n, v in c.items()), mpf(1) / 2)
    return inside if abs(x) <= A else mpf(s > 0)


GATES: dict[str, Any] = {
    "exact": lambda x, s: ncdf(x),
    "tanh": of_tanh,
    "tanh_taylor": lambda x, s: of_tanh(x, s, (4 - pi) / (6 * pi)),
    "sigmoid": lambda x, s, beta: logistic(x, beta),
    "sigmoid_taylor": lambda x, s: logistic(x, sqrt(8 / pi)),
    "silu": lambda x, s: logistic(x),
    "mish": lambda x, s: tanh(log1p(exp(x))),
    "erf_as": abramowitz,
    "igelu": i_bert,
    "relu": lambda x, s: mpf(s > 0),
    "leaky_relu": lambda x, s, slope: slope if s < 0 else mpf(1),
    "hard": lambda x, s, slope: min(max((slope * x + 3) / 6, mpf(0)), mpf(1)),
    "polynomial": odd,
}
"""Gates G(x, s) of x·G(x). s is the sign of x (−1 at 0), fixed while a derivative varies x."""

FUNCTIONS: dict[str, Any] = {
    "elu": lambda x, s, alpha: x if s > 0 else alpha * expm1(x),
    "softplus": lambda x, s: log1p(exp(x)),
    "squareplus": lambda x, s, b: (x + sqrt(x * x + b)) / 2,
    "noisy_relu": lambda x, s, sigma: x * ncdf(x / sigma) + sigma * npdf(x / sigma),
    "logistic": lambda x, s: logistic(x),
    "tanh_fn": lambda x, s: tanh(x),
    "erf": lambda x, s: erf(x),
    "Phi": lambda x, s: ncdf(x),
    "normal_pdf": lambda x, s: npdf(x),
}
"""Functions f(x, s) without a gate. No published set with its own formula is defined here."""


def of_form(form: Form, quantity: str, x: Any) -> Any:
    """Compute a value, gradient, curvature or gate in working precision."""
    s, gated = 1 if x > 0 else -1, form.name in GATES
    parameters = {
        each.name: to_mpf(form.settings[each.name])
        for each in form.parameters
        if each.exact is None or each.name in form.chosen
    }

    def function(y: Any) -> Any:
        found = (GATES if gated else FUNCTIONS)[form.name](y, s, **parameters)
        return y * found if gated and quantity != "gate" else found

    return diff(function, x, ORDERS[quantity])


def to_mpf(x: Any) -> Any:
    """Convert a number of any type, rounded to the working precision."""
    if isinstance(x, Decimal):  # its exponent may be too large for a fraction
        return mpf(str(x))
    return mpf(int(to_fraction(x).p)) / int(to_fraction(x).q)


def reference(
    form: Form,
    quantity: str,
    x: Any,
    digits: int,
    target: Form | None = None,
    relative: bool = False,
) -> Any:
    """Return a quantity or its error; None unless two precisions agree.

    >>> mp.nstr(reference(find_form("exact"), "value", 1, 20), 20)
    '0.84134474606854294859'
    """
    bits, last = 4 * digits + 80, mpf("nan")
    while bits <= LONGEST:
        with mp.workprec(bits):
            y = of_form(form, quantity, to_mpf(x))
            if target is not None:
                aim = of_form(target, quantity, to_mpf(x))
                y = (y - aim) / (aim or mpf("nan")) if relative else y - aim
            if y and abs(y - last) <= abs(y) * mpf(10) ** (-digits - 2):
                return y
        last, bits = y, bits * 3 // 2
    return None


def confirm(
    printed: Any, form: Form, quantity: str, x: Any, target: Any = None, relative: bool = False
) -> None:
    """Raise ComputationError unless mpmath's result rounds to `printed`.

    `printed` is a quantity of the form at x; with a target, |form − target| or, if `relative`,
    |form/target − 1|. `x` is a float64 or exact; the x of a supremum needs more digits than are
    printed. Nothing is compared if a form is not defined here, |x| > FARTHEST, the printed number
    is not finite, or `reference` returns None.
    """
    known = {form.name, (target or form).name} <= {*GATES, *FUNCTIONS}
    if not known or not math.isfinite(printed) or abs(x) > FARTHEST:
        return
    digits = len(printed.as_tuple().digits) if isinstance(printed, Decimal) else 17
    y = reference(form, quantity, x, min(digits, MOST_DIGITS) + 3, target, relative)
    if y is None:
        return
    with mp.workprec(4 * MOST_DIGITS + 200):
        last = mpf(10) ** int(Decimal(printed).as_tuple().exponent)
        unit = to_mpf(math.ulp(printed)) if isinstance(printed, float) else last
        unit = max(unit, abs(y) * mpf(10) ** -MOST_DIGITS)
        off = abs(y) - abs(to_mpf(printed)) if target else y - to_mpf(printed)
        if abs(off) <= unit * (mpf(1) / 2 + mpf(10) ** -9):
            return
    raise ComputationError(
        f"mpmath does not confirm {printed} for {quantity} of '{form.label}' at x = {x}; "
        "please report this as an error of gelu"
    )
