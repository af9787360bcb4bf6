"""Where whole arrays are tested, and what Arb says the forms are worth there, rounded."""

import math
from fractions import Fraction

import numpy as np
from flint import ctx

from gelu_cli.old.arithmetic.extended.functions import EXTENDED
from gelu_cli.old.arithmetic.extended.number import extended
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.formulas import all_forms, all_functions, find_form
from gelu_cli.old.values.evaluate_arrays import attempt, smooth_parts
from tests.truth.arb import number, pieces, series

CASES = {
    **{name: (name, {}) for name in all_forms()},
    "sigmoid:beta=3": ("sigmoid", {"beta": "3"}),
    "sigmoid:beta=-5/7": ("sigmoid", {"beta": "-5/7"}),
    "elu:alpha=1/3": ("elu", {"alpha": "1/3"}),
    "noisy_relu:sigma=1/2": ("noisy_relu", {"sigma": "1/2"}),
    "tanh:c=0.05": ("tanh", {"c": "0.05"}),
    "tanh:a=4/5:d=1e-5": ("tanh", {"a": "4/5", "d": "1e-5"}),
    "igelu:b=-3/2": ("igelu", {"b": "-3/2"}),
    "erf_as:p=1/3:a3=1": ("erf_as", {"p": "1/3", "a3": "1"}),
    "polynomial:A=2.1:c15=1e-9": ("polynomial", {"A": "2.1", "c15": "1e-9"}),
}
"""Every form, and some with parameters: the form's name and the settings."""

OTHERS = {name: (name, {}) for name in all_functions()}
"""The functions that are no GELUs."""

GRADIENT_ZERO = -0.7517915246935645  # the float64 nearest to where GELU′ is 0
LANDMARKS = [GRADIENT_ZERO, math.sqrt(2), 1.0, 2.0, 0.5, 3 / 1.702, 1.769 * math.sqrt(2), 2.775023,
             4.0, 8.3, 21.4, 26.7, 27.2, 37.5, 38.4, 38.6, 2.0**-7 * math.sqrt(2), 2.0**-7,
             1e-5, 2.0**-27, 2.0**-54, 2.0**200, 2.0**-200, 2.0**-1022, 709.0, 745.0,
             math.sqrt(2.0**16), 2.0**15, 89.09, 1e15, 1.7e308]  # fmt: skip
ARB_BITS = (200, 800, 3200)


def form_of(case):
    name, settings = {**CASES, **OTHERS}[case]
    form = find_form(name)
    if not settings:
        return form
    return form.with_settings(case, {key: Fraction(value) for key, value in settings.items()})


def quantities_of(form):
    return ["value", "gradient", "curvature", *(["gate"] if form.has_gate else [])]


def masks_of(form):
    """Return the other quantities, which are computed beside anchors."""
    return ["complement", *(["gate_gradient", "mask_variance"] if form.has_gate else [])]


def kinks_of(form):
    """Return the kinks of a form as floats."""
    return [math.copysign(math.sqrt(abs(kink.square)), kink.square) for kink in form.kinks]


def around(x, ulps):
    """Return the floats within so many units of each number."""
    steps = np.arange(-ulps, ulps + 1)
    x = np.asarray(x, dtype=float)[:, None]
    with np.errstate(over="ignore"):
        near = (x + steps * np.spacing(x)).ravel()
    return near[np.isfinite(near) & (near != 0)]


def sign_changes(form, quantity):
    """Return the floats just before a quantity changes its sign, by bisection."""
    grid = np.arange(-12, 12, 0.173)
    found = []
    (y,), _ = attempt(form, [quantity], grid, FLOAT64)
    for k in np.flatnonzero(np.sign(y[:-1]) * np.sign(y[1:]) < 0):
        low, high, sign = float(grid[k]), float(grid[k + 1]), np.sign(y[k])
        while low < (middle := (low + high) / 2) < high:
            (at,), _ = attempt(form, [quantity], np.array([middle]), FLOAT64)
            low, high = (middle, high) if np.sign(at[0]) == sign else (low, middle)
        found.append(low)
    return found


def spread(n, seed):
    """Return points of all binades and both signs, of the usual range and of the tails."""
    generator = np.random.default_rng(seed)
    third = n // 3
    binades = np.ldexp(1 + generator.random(third), generator.integers(-1074, 1024, third))
    usual = generator.normal(size=third) * generator.choice([0.1, 1, 4], third)
    rest = n - 2 * third
    tails = generator.random(rest) * generator.choice([9, 40, 40, 180, 760, 40000], rest)
    x = np.concatenate([binades, usual, tails])
    return x * generator.choice([-1.0, 1.0], n)


def special(form, ulps):
    """Return the neighbours of the landmarks, of the zeros and of the kinks."""
    zeros = [x for quantity in ("gradient", "curvature") for x in sign_changes(form, quantity)]
    return around([*LANDMARKS, *(-x for x in LANDMARKS), *zeros, *kinks_of(form)], ulps)


def near_ties(form, quantity, candidates, count, seed):
    """Return points whose result goes on, after its last bit, with 1000… or 0111…, or 000…, 111….

    These are the nearest of the candidates. And return how many such bits the last of them has.
    """
    generator = np.random.default_rng(seed)
    half = candidates // 2
    x = np.concatenate([generator.normal(size=half) * 2, -generator.random(half) * 30])
    points, parts = [np.empty(0)], [np.empty(0)]
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            y = getattr(form.on_piece(piece, EXTENDED, extended(x[where]), 2), quantity)
            low, high = (np.broadcast_to(part, x[where].shape) for part in (y.low, y.high))
            inexact = low != 0
            if inexact.any():
                points.append(x[where][inexact])
                parts.append((np.abs(low) / np.spacing(np.abs(high)))[inexact])
    x, part = np.concatenate(points), np.concatenate(parts)  # of a unit, 0 to ½
    by_tie, by_number = np.argsort(0.5 - part)[:count], np.argsort(part)[: count // 2]
    bits = -np.log2(0.5 - part[by_tie[-1]] + 2.0**-60) if len(x) else math.inf
    return np.concatenate([x[by_tie], x[by_number]]), bits


def rounded_end(ball, number_format):
    """Round an exact ball; what is beyond every format is not written out."""
    man, exp = ball.man_exp()
    man, exp = int(man), int(exp)
    size = man.bit_length() + exp
    if man and size < -1200:
        return 0.0 if man > 0 else -0.0
    if size > 1200:
        man, exp = (1 if man > 0 else -1), 1200
    return number_format.exactly(Fraction(man) * Fraction(2) ** exp)


def same(a, b):
    return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (
        math.isnan(a) and math.isnan(b)
    )


def balls_of(case, x):
    """Return a form's quantities at x by Arb, to its precision; none where a series has none."""
    name, settings = {**CASES, **OTHERS}[case]
    point = number(x)
    functions, kinks = pieces(name, **settings)
    try:
        f, f1, f2 = series(functions[sum(bool(kink < point) for kink in kinks)], point, 3)
    except ValueError:  # a ball around 0 in a denominator
        return {}
    return {
        "value": f, "gradient": f1, "curvature": 2 * f2, "gate": f / point,
        "complement": point - f, "gate_gradient": (f1 - f / point) / point,
        "mask_variance": f * (point - f),
    }  # fmt: skip


def by_arb(case, quantities, x, number_format=FLOAT64):
    """Return the quantities at x by Arb, rounded; None where its balls do not settle that."""
    results = dict.fromkeys(quantities)
    for bits in ARB_BITS:
        with ctx.workprec(bits):
            balls = balls_of(case, x)
            if not balls:
                continue
            for quantity in quantities:
                ball = balls[quantity]
                if results[quantity] is None and ball.is_finite():
                    ends = [rounded_end(end, number_format)
                            for end in (ball.lower(), ball.upper())]  # fmt: skip
                    certain = ball.is_exact() or bool(ball != 0)
                    if certain and same(*ends):
                        results[quantity] = ends[0]
        if None not in results.values():
            break
    return [results[quantity] for quantity in quantities]
