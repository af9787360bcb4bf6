"""The rounding noise of a format: what rounding f(h) to it costs the output of a block.

E(round(f(h)) − f(h))² is a sum over the cells of the format: in each the error is f(h) less one
number. Cells are intervals of f's values, and so of h wherever f is monotone. Where very many cells
have one width u, and each is so narrow that the density of f(h) hardly changes in it, they are
taken together, as u²/12 times their probability.

In a gated block products p = f(h)·c(u) are rounded. They have a density, for f alone may have none:
that of |p| is the average over h of the density of c(u) at ±p/f(h), divided by |f(h)|. It is a
smooth function of log p.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.interpolate import make_interp_spline

from gelu_cli.old.arithmetic.arrays import ARRAYS
from gelu_cli.old.arithmetic.format_arrays import Array, ulps
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.calculus.coverings import sign_changes
from gelu_cli.old.calculus.roots import rounded_root
from gelu_cli.old.calculus.stretches import Place, curve_of, grid, piece_of, stretches
from gelu_cli.old.formulas import Form
from gelu_cli.old.network.change import as_good_as_0
from gelu_cli.old.network.gated import Ups

DIGITS = 9
"""Significant digits of a noise that are sure; float64 arithmetic leaves some more."""

REACH, STEPS = 45, 4
"""Standard deviations beyond which no h matters, and steps in each of them.

Far to the left of 0 f(h) falls off as the density does: most of E f² is then far from the mean.
"""

NARROWEST = Fraction(1, 1 << 22)
"""Where sigma is less of |mean|, float64s have too few digits to tell one h from another."""

LITTLE = -30.0
"""Where f(h)² times its density is so little beside the largest, as a logarithm, the errors are
added up by their expected size and not by cells."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
"""Between two points of the mesh f and the density are smooth enough for these."""

HALVINGS = 36
"""At the end of a cell its error is as large as that of the next: the place need not be exact."""

MANY, NEAR_ENDS = 1 << 12, 1 << 9
"""More cells of one width are one interval, but for those near both ends of what is cut."""

FINEST = 40
"""Bits of a format whose cells float64s still divide."""

FREE, FARTHEST = 7, 8
"""Standard deviations of ups: a limit from 7 on changes E c² by 10⁻¹⁰ of it, and an offset beyond 8
makes the density of products too narrow."""

PIECES, OCTAVES = 16, 12
"""Points in an octave at which the density of products is computed, and octaves below the least f
that matters: ups below 2⁻¹² of sigma do not.
"""

Function: TypeAlias = Callable[[Array], Array]
Part: TypeAlias = tuple[Function, Array]
"""A function that is monotone from the first point of a mesh to the last, and smooth between."""


class Noise(NamedTuple):
    """The rounding noise of a format in f(h)."""

    relative_rms: float
    """√(E(round(f(h)) − f(h))²/E f²), as if the exponents of the format had no upper end."""

    beyond: float
    """The probability that f(h) is beyond the largest number of the format."""


def noise_of(
    number_format: Format, form: Form, mean: Fraction, sigma: Fraction, ups: Ups | None = None
) -> Noise:
    """Return the rounding noise of a format in f(h) for h ~ N(mean, sigma²), to `DIGITS` digits.

    With ups it is that of products f(h)·c(u), u ~ N(0, sigma²); where f(h) is rounded before, both
    errors are taken to be independent. It is NaN where sigma is below |mean|/2²², or ups have a
    limit below 7·sigma or an offset beyond 8·sigma. Raises `ComputationError` where f(h) is 0 for
    all h that matter.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> noise_of(FORMATS["bfloat16"], find_form("exact"), Fraction(0), Fraction(1)).relative_rms
    0.00166480879
    """
    limit, offset, inner, _ = ups or Ups()
    cut = limit is not None and limit < FREE * sigma
    if cut or abs(offset) > FARTHEST * sigma or sigma < abs(mean) * NARROWEST:
        return Noise(math.nan, math.nan)
    first = noise_of(inner, form, mean, sigma).relative_rms if inner else 0.0
    with np.errstate(all="ignore"):
        parts = list(_monotone_parts(form, mean, sigma))
        z = (np.concatenate([mesh for _, mesh in parts]) - float(mean)) / float(sigma)
        sizes = np.abs(np.concatenate([f(mesh) for f, mesh in parts]))
        weights = 2 * np.log(sizes) - z * z / 2
        top = np.argmax(weights)
        least = float(sizes[weights >= weights[top] + LITTLE].min())
        raised = float(z[top] * z[top] / 2)
        density: Function = partial(_density, float(mean), float(sigma), raised)
        square = math.fsum(_average(density, f, lambda y: y**2, mesh) for f, mesh in parts)
        if not (least and square):
            raise as_good_as_0(form.label, mean, sigma)
        if ups:
            scale = math.hypot(sigma, offset)
            least, square = least * scale, square * scale**2
            given = float(sigma), offset, math.log2(least) - OCTAVES
            parts, density = _of_products(parts, density, *given)
        found = [_on_part(number_format, *part, density, least) for part in parts]
    errors, beyond = map(math.fsum, zip(*found, strict=True))
    both = math.hypot(first, math.sqrt(errors / square))
    return Noise(rounded(both), rounded(beyond * math.exp(-raised)))


def rounded(number: float) -> float:
    """Return a number with no more digits than are sure."""
    return float(f"{number:.{DIGITS}g}")


def _density(mean: float, sigma: float, raised: float, x: Array) -> Array:
    """Return the density of N(mean, sigma²) times e^raised: it may be too small for float64s."""
    z = (x - mean) / sigma
    return np.exp(raised - z * z / 2) / (math.sqrt(2 * math.pi) * sigma)


def _weighted(density: Function, mesh: Array) -> tuple[Array, Array]:
    """Return the nodes of a rule on a mesh, and their weights times a density."""
    half = np.diff(mesh)[:, None] / 2
    x = mesh[:-1, None] + half * (1 + NODES)
    return x, half * WEIGHTS * density(x)


def _average(density: Function, f: Function, of: Callable[[Array], Any], mesh: Array) -> float:
    """Return the integral of of(f) times the density over a mesh."""
    x, weights = _weighted(density, mesh)
    return float(np.sum(of(f(x)) * weights))


def _of_products(
    parts: Sequence[Part], density: Function, sigma: float, offset: float, first: float
) -> tuple[list[Part], Function]:
    """Return a part of the sizes of f(h)·c(u), from 2**first on, and their density."""
    rules = [(f, *_weighted(density, mesh)) for f, mesh in parts]
    sizes = np.concatenate([np.abs(f(x)).ravel() for f, x, _ in rules])
    weights = np.concatenate([weights.ravel() for *_, weights in rules])
    shares = sizes**2 * weights
    matter = shares > shares.max() * math.exp(LITTLE)
    sizes, weights = sizes[matter], (weights / sizes)[matter]
    up = partial(_density, offset, sigma, 0.0)
    last = math.log2(sizes.max() * (abs(offset) + 9 * sigma))
    step = 1 / (PIECES * max(1, abs(offset) / sigma))
    exponents = np.arange(first, last, step)
    densities = [weights @ (up(y / sizes) + up(-y / sizes)) for y in 2.0**exponents]
    spline = make_interp_spline(exponents, np.log(densities), 7)
    return [(np.abs, 2.0**exponents)], lambda y: np.exp(spline(np.log2(y)))


def _monotone_parts(form: Form, mean: Fraction, sigma: Fraction) -> Iterator[Part]:
    """Yield the parts of the line that matter: f, and points on each, its ends among them."""
    ends = mean - REACH * sigma, mean + REACH * sigma
    steps = np.linspace(float(ends[0]), float(ends[1]), 2 * REACH * STEPS + 1)
    low, high = map(Place.of, ends)
    for stretch in stretches(low, high, [form]):
        f, slope = _on_piece(form, piece_of(form, stretch)), curve_of(form, stretch, "gradient")
        _, brackets = sign_changes(slope, stretch)
        turns = [rounded_root(slope, bracket, FLOAT64) for bracket in brackets]
        start, stop = map(float, stretch)
        inner = steps[(start < steps) & (steps < stop)]
        mesh = np.unique([start, *grid(stretch), *inner, stop])
        for left, right in pairwise([start, *turns, stop]):
            yield f, np.unique([left, *mesh[(left < mesh) & (mesh < right)], right])


def _on_piece(form: Form, piece: int) -> Function:
    """Return f on one piece, as a function of arrays."""
    return lambda x: np.broadcast_to(form.on_piece(piece, ARRAYS, x, 0).value, x.shape)


def _on_part(
    number_format: Format, f: Function, mesh: Array, density: Function, floor: float
) -> tuple[float, float]:
    """Return what a monotone part adds to the mean square of the errors, and to what is beyond."""
    first, last = f(mesh[[0, -1]]).tolist()
    cuts = _boundaries(number_format, min(first, last), max(first, last), floor)
    middles, widths = (cuts[:-1] + cuts[1:]) / 2, np.diff(cuts)
    number = nearest(number_format, middles)
    in_one_cell = widths < 2 * ulps(number_format, middles)
    between = _inverse(f, cuts[1:-1], mesh)
    mesh = np.unique([*mesh, *between])
    # Of each step of the mesh, which interval of values it lies in.
    which = np.searchsorted(np.sort(between), (mesh[:-1] + mesh[1:]) / 2)
    if last < first:
        which = len(middles) - 1 - which
    one, y = in_one_cell[which, None], number[which, None]

    def errors(values: Array) -> Array:
        expected = np.minimum(ulps(number_format, values) ** 2 / 12, values**2)
        return np.where(one, (values - y) ** 2, expected)

    beyond = np.abs(y) > number_format.largest
    return _average(density, f, errors, mesh), _average(density, f, lambda values: beyond, mesh)


def _inverse(f: Function, values: Array, mesh: Array) -> Array:
    """Return where f, monotone on a mesh, has the values."""
    at_mesh = f(mesh)
    sign = 1 if at_mesh[-1] > at_mesh[0] else -1
    after = np.clip(np.searchsorted(sign * at_mesh, sign * values), 1, len(mesh) - 1)
    low, high = mesh[after - 1], mesh[after]
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = sign * f(middle) >= sign * values
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return high


def nearest(number_format: Format, values: Array) -> Array:
    """Return the nearest numbers of a format whose exponents have no upper end."""
    unit = ulps(number_format, values)
    return np.asarray(np.rint(values / unit) * unit)


def _boundaries(number_format: Format, low: float, high: float, floor: float) -> Array:
    """Return where to cut the values between two ends, these included, in ascending order.

    An interval between two cuts lies in one cell of the format or, in a run of cells of one width,
    is many of them. Numbers of a size below `floor` are one interval. The exponents have no upper
    end.
    """
    ends = [abs(low), abs(high)]
    first = number_format.emin
    lowest = math.frexp(floor)[1] - 1 if floor else first
    binades = [(1, exponent) for exponent in range(max(first, lowest), math.frexp(max(ends))[1])]
    cuts = [np.array([2.0**lowest])] if lowest > first else []
    if not cuts:  # the subnormal numbers, in units of the first binade
        binades.insert(0, (0, first))
    cuts += [_middles(*each, number_format, ends) for each in binades]
    sizes = np.concatenate(cuts)
    both = np.concatenate([-sizes, sizes])
    return np.concatenate([[low], np.unique(both[(low < both) & (both < high)]), [high]])


def _middles(leading: int, exponent: int, number_format: Format, ends: Sequence[float]) -> Array:
    """Return the middles between neighbours in a binade, or below it where the leading bit is 0."""
    count = 1 << (number_format.precision - 1)
    unit = math.ldexp(1.0, exponent - number_format.precision + 1)
    last = min(count, math.ceil(max(ends) / unit) - leading * count)
    if last <= MANY:
        k = np.arange(max(last, 0), dtype=float)
    elif number_format.precision > FINEST:
        return np.array([math.ldexp(1.0, exponent + 1)])
    else:
        places = [0, *(round(end / unit) - leading * count for end in ends), count]
        near = [np.arange(place - NEAR_ENDS, place + NEAR_ENDS) for place in places]
        k = np.unique(np.concatenate(near)).astype(float)
        k = k[(k >= 0) & (k < count)]
    return (leading * count + k + 0.5) * unit
