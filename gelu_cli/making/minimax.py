"""Minimax fits: the P/Q whose largest relative error on a grid is least, by linear programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.polynomial.chebyshev import chebvander

Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"

POINTS = 600
STEPS = 25
"""Linear programs of one degree: each takes the residual for its unit, so few are needed."""

TRUST = 0.3
"""Largest change of a coefficient in one step: the linear program knows P − fQ, not P/Q."""

TOLERANCE = 1e-9


def rational(
    function: Callable[[Floats], Floats], low: float, high: float, n: int, m: int
) -> tuple[Floats, Floats, float]:
    """Fit P/Q of degrees n and m with Q(0) = 1; also return the largest relative error.

    Coefficients go from low to high. The degrees are raised one at a time: each fit starts from
    that of the degrees below.

    >>> p, q, error = rational(np.exp, 0.0, 1.0, 1, 1)
    >>> bool(error < 2e-3)
    True
    """
    u = -np.cos(np.linspace(0, np.pi, POINTS))
    f = function(low + (high - low) * (u + 1) / 2)
    p, q, error = np.array([np.median(f)]), np.array([1.0]), np.inf
    for a, b in _degrees(n, m):
        p, q = np.pad(p, (0, a + 1 - len(p))), np.pad(q, (0, b + 1 - len(q)))
        enough, before = (0.995 if (a, b) == (n, m) else 0.9), np.inf
        for _ in range(STEPS):
            p, q, error = _step(u, f, p, q)
            if error > before * enough:
                break
            before = error
    top, bottom = _monomials(p, low, high), _monomials(q, low, high)
    return top / bottom[0], bottom / bottom[0], float(error)


def _degrees(n: int, m: int) -> list[tuple[int, int]]:
    """List the degrees on the way to (n, m)."""
    a, b, path = 0, 0, [(0, 0)]
    while (a, b) != (n, m):
        if b < m and (a > b or a >= n):
            b += 1
        else:
            a += 1
        path.append((a, b))
    return path


def _step(u: Floats, f: Floats, p: Floats, q: Floats) -> tuple[Floats, Floats, float]:
    """Improve P/Q by one linear program, and a shorter step if the whole one is worse."""
    from scipy.optimize import linprog

    top, bottom = chebvander(u, len(p) - 1), chebvander(u, len(q) - 1)
    scale = (f * (bottom @ q))[:, None]
    residual = top @ p / scale[:, 0] - 1
    largest = float(np.abs(residual).max())
    # Minimise the bound e of |residual + change| in units of the largest residual.
    change = np.hstack([top / scale, -f[:, None] / scale * bottom[:, 1:]])
    bound = np.ones((len(u), 1))
    found = linprog(
        [*np.zeros(change.shape[1]), 1.0],
        A_ub=np.vstack([np.hstack([change, -bound]), np.hstack([-change, -bound])]),
        b_ub=np.concatenate([-residual, residual]) / largest,
        bounds=[(-TRUST / largest, TRUST / largest)] * change.shape[1] + [(0, None)],
        method="highs",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if found.x is None:
        return p, q, largest
    step = found.x[:-1] * largest
    for _ in range(12):
        p_new, q_new = p + step[: len(p)], q + np.concatenate([[0.0], step[len(p) :]])
        below = bottom @ q_new
        if below.min() > 0:
            error = float(np.abs(top @ p_new / (f * below) - 1).max())
            if error < largest:
                return p_new, q_new, error
        step = step / 2
    return p, q, largest


def _monomials(coefficients: Floats, low: float, high: float) -> Floats:
    """Convert from the Chebyshev polynomials of an interval."""
    series = Chebyshev(coefficients, domain=[low, high])
    found = np.asarray(series.convert(kind=Polynomial, domain=[-1, 1]).coef, np.float64)
    return np.pad(found, (0, len(coefficients) - len(found)))
