"""Change of a block if a form replaces another, or f(h) is rounded.

A block computes W₂·f(h) + b₂ from pre-activations h. If g replaces f, the output changes by
W₂·(g − f)(h). If the weights W₂ have mean 0 and are independent of h and of each other, the mean
square of W₂·y is the mean square of y times a factor that is the same for every y. So at every
width of the block the relative mean square of the change is E(g − f)²/E f², where h ~ N(M, S²).

In a gated block W₂·(f(h)·u), u ~ N(0, S²) is independent of h. The factor E u² = S² of each mean
square cancels in E(g − f)²/E f². The gradient has two components, f′(h)·u by h and f(h) by u.

A cell is a set of values that round to the same number, a part is an interval of h on which f is
monotone. The noise E(round(f(h)) − f(h))² is a sum over the cells of all parts. In a fine format
many cells of one width w form a run, which adds w²/12 times its probability. Cells near an end of a
part stay single, since the density of f(h) may be infinite at the end. `top` is the h at which
f(h)²·density(h) is largest.

In a gated block the products f(h)·u are rounded. The density of y = |f(h)·u| is the average over h
of 2·p(y/|f(h)|)/|f(h)|, where p is the density of u. A spline in log y interpolates this average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from gelu_cli.calculus.averages import Normal, averaged, differences, mean_square
from gelu_cli.calculus.covering import zeros
from gelu_cli.calculus.curves import Comparison, float_of, on_line, position
from gelu_cli.errors import ComputationError
from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64_of_piece
from gelu_cli.numbers.arrays import ulps
from gelu_cli.numbers.formats import FLOAT64, Format
from gelu_cli.numbers.rounding import Rounded, Target, working

DIGITS = 9
"""Significant digits to which a noise is computed."""

REACH, STEPS = 45, 4
"""The mesh covers REACH standard deviations on each side of the mean, with STEPS points in each."""

AROUND_0 = np.exp2(np.arange(-160, 49) / 8)
"""Mesh points 2⁻²⁰ … 2⁶ on both sides of 0, both unscaled and multiplied by sigma."""

NARROWEST = 2.0**-22
"""Least accepted sigma/|mean|: if it is smaller, float64s near the mean are too coarse for h."""

LITTLE = -30.0
"""If f(h)²·density is below e^LITTLE·maximum, the rms error is taken as ulp/√12."""

LARGEST_EXPONENT = 600.0
"""Cap on log(density(h)/density(top)): beyond the cap |f(h)| < e^−300·|f(top)|, as good as 0."""

LEAST = 2.0**-800
"""Least accepted |f(top)|: if |f(top)| is smaller, f(h) may underflow at other h that matter."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
HALVINGS = 40

MANY, NEAR_ENDS = 1 << 12, 1 << 9
"""If more than MANY cells have one width, only the NEAR_ENDS cells next to an end stay single."""

FINEST = 40
"""In a precision above FINEST bits float64s are too coarse: more than MANY cells are one run."""

TURN_BITS = 128
"""Bits to which an extremum of f is found, so that the extremum, rounded to float64, is right."""

PIECES, OCTAVES = 16, 12
"""The density of y = |f(h)·u| is computed at PIECES points per octave. The first point is OCTAVES
octaves below the least |f(h)|·sigma that matters, since |u| < 2⁻¹²·sigma does not matter."""

Array: TypeAlias = NDArray[np.float64]
Function: TypeAlias = Callable[[Array], Array]


class Change(NamedTuple):
    """Relative changes of a block's output and of its gradient.

    `relative_rms` is r = √(E(g − f)²/E f²), and `db` is 20·log₁₀ r. For the gradient r is
    √(E(g′ − f′)²/E f′²); in a gated block each mean square is the sum over both components.
    """

    relative_rms: Rounded
    db: Rounded
    gradient_relative_rms: Rounded
    gradient_db: Rounded


def change(
    form: Form, target: Form, of: Normal, to: Target = FLOAT64, *, gated: bool = False
) -> Change:
    """Measure the change of a block if `form` (g) replaces `target` (f).

    Pre-activations h have the distribution `of`. In a gated block u has mean 0 and the sigma of h.
    Each number is correctly rounded to `to`.

    Raises ComputationError if the digits of a number stay uncertain at the highest precision.

    >>> from gelu_cli.calculus.averages import normal
    >>> relu, mean_of_relu = find_form("relu"), find_form("noisy_relu")
    >>> change(relu, mean_of_relu, normal()).gradient_relative_rms  # √(1/12)/√(1/3)
    0.5
    """
    names = "value", "gradient"
    changed = [differences(Comparison(form, target, name), of) for name in names]
    if all(curve.vanishes for curve, *_ in changed[0]):
        return Change(to.zero(False), -math.inf, to.zero(False), -math.inf)
    parts = [*(on_line(target, name) for name in names), *changed]

    def statistics(bits: int) -> Sequence[Any]:
        squares = (mean_square(each, of, bits) for each in parts)
        square, slope_square, change_square, slope_change = squares
        if gated:
            up_square = arb(of.sigma * of.sigma)
            slope_square = up_square * slope_square + square
            slope_change = up_square * slope_change + change_square
        return [*root_and_db(change_square / square), *root_and_db(slope_change / slope_square)]

    return Change(*averaged(statistics, to))


def root_and_db(square: arb) -> tuple[arb, arb]:
    """Return the square root of a ratio of squares, and the ratio in decibels."""
    return square.sqrt(), 10 * square.log() / arb(10).log()


class Part(NamedTuple):
    """A function that is monotone on a mesh, and smooth between mesh points."""

    f: Function
    mesh: Array


def noise(to: Format, form: Form, of: Normal, *, gated: bool = False) -> float:
    """Compute the relative noise of rounding f(h) to a format, to 9 digits.

    The noise is √(E(round(f) − f)²/E f²), as if the format had no largest exponent; h has the
    distribution `of`. If `gated`, f is f(h)·u instead, with u ~ N(0, sigma²).

    Raises ComputationError if |f(h)| is as good as 0 at all likely h, or if sigma < |mean|/2²².

    >>> from gelu_cli.calculus.averages import normal
    >>> noise(FORMATS["bfloat16"], find_form("exact"), normal())
    0.00166480879
    """
    mean, sigma = float_of(of.mean), float_of(of.sigma)
    if sigma < abs(mean) * NARROWEST:
        raise ComputationError(f"sigma is too small for float64s near {mean:g}; increase --sigma")
    with np.errstate(all="ignore"):
        parts = list(monotone_parts(form, mean, sigma))
        x = np.concatenate([part.mesh for part in parts])
        values = np.abs(np.concatenate([f(mesh) for f, mesh in parts]))
        weights = 2 * np.log(values) - ((x - mean) / sigma) ** 2 / 2
        top = np.argmax(weights)
        size, least = values[top], values[weights >= weights[top] + LITTLE].min()
        if not size > LEAST:
            all_h = f"h ~ N({mean:g}, {sigma:g}²)"
            raise ComputationError(f"{form.label} is as good as 0 for {all_h}; take another --mean")
        density: Function = partial(density_over, float(x[top]), mean, sigma)
        square = sum(average_square(density, part, lambda y: y / size) for part in parts)
        if gated:
            least, square = least * sigma, square * sigma**2
            parts, density = products(parts, density, sigma, math.log2(least) - OCTAVES)
        error = math.fsum(on_part(to, part, density, least, size) for part in parts)
    return float(f"{math.sqrt(error / square):.{DIGITS}g}")


def density_over(top: float, mean: float, sigma: float, x: Array) -> Array:
    """Return N(mean, sigma²)'s density, scaled to 1/(√(2π)·sigma) at `top`."""
    exponents = (top - x) * (top + x - 2 * mean) / (2 * sigma**2)
    exponents = np.minimum(exponents, LARGEST_EXPONENT)  # avoids 0·∞ where f is 0
    return np.asarray(np.exp(exponents) / (math.sqrt(2 * math.pi) * sigma))


def weighted(density: Function, mesh: Array) -> tuple[Array, Array]:
    """Return Gauss's nodes in each mesh interval, and weights times a density."""
    half = np.diff(mesh)[:, None] / 2
    x = mesh[:-1, None] + half * (1 + NODES)
    return x, half * WEIGHTS * density(x)


def average_square(density: Function, part: Part, of: Function) -> float:
    """Integrate `of(f(x))²` times a density over a part."""
    x, weights = weighted(density, part.mesh)
    return float(np.sum((of(part.f(x)) * np.sqrt(weights)) ** 2))


def monotone_parts(form: Form, mean: float, sigma: float) -> Iterator[Part]:
    """Yield f on each part of the real axis where f is monotone."""
    around_mean = mean + sigma * np.arange(-REACH * STEPS, REACH * STEPS + 1) / STEPS
    around_0 = np.concatenate([AROUND_0, sigma * AROUND_0])
    points = np.unique([*-around_0, *around_0, *around_mean])
    for stretch in on_line(form, "gradient"):
        f = partial(float64_of_piece, form, stretch.curve.form.i, "value")
        turns = [float(bracket.narrowed(TURN_BITS).mid()) for bracket in zeros(stretch)]
        with working(64):
            ends = [float(each.mid()) for each in map(position, stretch.ends())]
        inside = np.clip([ends[0], *turns, ends[1]], points[0], points[-1])
        for low, high in pairwise(inside.tolist()):
            if low < high:
                between = points[(low < points) & (points < high)]
                yield Part(f, np.array([low, *between, high]))


def products(
    parts: Sequence[Part], density: Function, sigma: float, first: float
) -> tuple[list[Part], Function]:
    """Return a part with the values |f(h)·u| ≥ 2**first, and their density."""
    rules = [(f, *weighted(density, mesh)) for f, mesh in parts]
    values = np.concatenate([np.abs(f(x)).ravel() for f, x, _ in rules])
    weights = np.concatenate([weights.ravel() for *_, weights in rules])
    shares = values**2 * weights
    matter = shares > shares.max() * math.exp(LITTLE)
    values, weights = values[matter], (2 * weights / values)[matter]
    exponents = np.arange(first, math.log2(9 * sigma * values.max()), 1 / PIECES)
    densities = [weights @ density_over(0, 0, sigma, y / values) for y in 2.0**exponents]
    spline = make_interp_spline(exponents, np.log(densities), 7)
    return [Part(np.abs, 2.0**exponents)], lambda y: np.exp(spline(np.log2(y)))


def on_part(to: Format, part: Part, density: Function, floor: float, size: float) -> float:
    """Integrate (rounding error/`size`)² times a density over a part."""
    f, mesh = part
    low, high = sorted(f(mesh[[0, -1]]).tolist())
    cuts = boundaries(to, low, high, floor)
    mesh = np.unique([*mesh, *inverse(part, cuts[1:-1])])
    cell = np.searchsorted(cuts, f((mesh[:-1] + mesh[1:]) / 2)).clip(1, len(cuts) - 1)
    middle, width = (cuts[cell - 1] + cuts[cell]) / 2, cuts[cell] - cuts[cell - 1]
    unit = ulps(to, middle)
    number, is_one_cell = (np.rint(middle / unit) * unit)[:, None], (width < 2 * unit)[:, None]

    def error(y: Array) -> Array:
        expected = np.minimum(ulps(to, y) / math.sqrt(12), np.abs(y))
        return np.asarray(np.where(is_one_cell, y - number, expected) / size)

    return average_square(density, Part(f, mesh), error)


def inverse(part: Part, values: Array) -> Array:
    """Find for each value y the x of a part with f(x) = y, by bisection."""
    f, mesh = part
    at_mesh = f(mesh)
    sign = 1 if at_mesh[-1] > at_mesh[0] else -1
    after = np.clip(np.searchsorted(sign * at_mesh, sign * values), 1, len(mesh) - 1)
    low, high = mesh[after - 1], mesh[after]
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_beyond = sign * f(middle) >= sign * values
        low, high = np.where(is_beyond, low, middle), np.where(is_beyond, middle, high)
    return high


def boundaries(to: Format, low: float, high: float, floor: float) -> Array:
    """Return the ends of cells, and of runs of cells, from `low` to `high`.

    Let 2ᵏ ≤ `floor` < 2ᵏ⁺¹. If k exceeds the format's emin, all |y| < 2ᵏ are one run.
    """
    ends = abs(low), abs(high)
    first = max(to.emin, math.frexp(floor)[1] - 1)
    cuts = [np.array([2.0**first])] if first > to.emin else [midpoints(to, 0, first, ends)]
    cuts += [midpoints(to, 1, e, ends) for e in range(first, math.frexp(max(ends))[1])]
    both = np.concatenate([*cuts, *(-each for each in cuts)])
    return np.array([low, *np.unique(both[(low < both) & (both < high)]), high])


def midpoints(to: Format, leading: int, exponent: int, ends: tuple[float, float]) -> Array:
    """Return the ends of cells in a binade, or below 2^emin if `leading` is 0.

    If there are more than MANY ends, return only those near an end of the part or of the binade, or
    only the end of the binade if the precision exceeds FINEST.
    """
    count = 1 << (to.precision - 1)
    unit = math.ldexp(1.0, exponent - to.precision + 1)
    last = min(count, math.ceil(max(ends) / unit) - leading * count)
    if last <= MANY:
        k = np.arange(max(last, 0))
    elif to.precision > FINEST:
        return np.array([math.ldexp(1.0, exponent + 1)])
    else:
        near = (0, *(round(end / unit) - leading * count for end in ends), count)
        k = np.unique([np.arange(each - NEAR_ENDS, each + NEAR_ENDS) for each in near])
        k = k[(k >= 0) & (k < count)]
    return np.asarray((leading * count + k + 0.5) * unit)
