"""Arrays: the same numbers as point by point, and the lemma on their error."""

import math
from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from gelu_cli.formulas import (
    OF_GATES,
    QUANTITIES,
    all_forms,
    all_functions,
    find_form,
    published_forms,
)
from gelu_cli.formulas.pieces import as_fraction
from gelu_cli.numbers import FORMATS, Decimals, evaluate
from gelu_cli.numbers.arrays import decimals_of_array, evaluate_array, line_of
from gelu_cli.numbers.cells import PAIRED, QUICK, rest_of
from gelu_cli.numbers.rounding import working
from gelu_cli.numbers.series import Smooth

RNG = np.random.default_rng(7)
POINTS = np.concatenate(
    [RNG.normal(size=4) * 2, [0.0, -0.0, math.inf, -math.inf, math.nan, 40.0, -37.5, 1e-9]]
)


FAR = RNG.uniform(1, 2, 20) * 2.0 ** RNG.integers(-1074, 1023, 20) * RNG.choice([-1, 1], 20)


def quantities(form):
    """Return the quantities that a form has."""
    return [name for name in QUANTITIES if form.has_gate or name not in OF_GATES]


def test_arrays_are_points_in_every_form_quantity_and_format():
    wrong = differing([*all_forms(), *all_functions(), *published_forms()], POINTS)
    assert not (wrong + differing(["exact", "tanh", "squareplus"], FAR))[:5]


def differing(names, points):
    """Return where an array is not what single points are."""
    wrong, formats = [], list(FORMATS.values())
    for n, name in enumerate(names):
        form = find_form(name)
        for k, quantity in enumerate(quantities(form)):
            to = formats[(n + k) % len(formats)]
            got = evaluate_array(form, quantity, points, to)
            want = np.array([evaluate(form, [quantity], x, to)[0] for x in points.tolist()], float)
            same = (got.view(np.int64) == want.view(np.int64)) | (np.isnan(got) & np.isnan(want))
            wrong += [(name, quantity, to.name, x) for x in points[~same].tolist()]
    return wrong


def test_results_do_not_depend_on_the_length_of_an_array():
    x = np.ascontiguousarray(RNG.normal(size=20_000) * 2)
    whole = evaluate_array(find_form("tanh"), "gradient", x)
    parts = [evaluate_array(find_form("tanh"), "gradient", z) for z in np.split(x[:600], 200)]
    np.testing.assert_array_equal(whole[:600], np.concatenate(parts))


def test_the_error_of_every_sum_is_within_its_bound():
    """The lemma of docs/proofs.md, at points drawn anew in cells of many sizes."""
    cases = [("exact", "value"), ("exact", "complement"), ("silu", "curvature")]
    cases += [("mish", "gradient"), ("squareplus", "value"), ("erf_as", "gate")]
    x = -np.abs(np.concatenate([RNG.normal(size=60) * 4, 2.0 ** RNG.uniform(-60, 4.5, 60)]))
    for name, quantity in cases:
        curve = Smooth(find_form(name), 0, quantity)
        for pairs in (QUICK, PAIRED):
            p, q, error, scale = rest_of(curve, x, pairs)
            for values in zip(
                x.tolist(), p.tolist(), q.tolist(), error.tolist(), scale, strict=True
            ):
                at, high, low, bound, factor = values
                with working(2000):
                    exact = curve.expand(arb(at), 1)[0] * float(factor)
                    off = abs(exact - high - low)
                    assert off <= bound, (name, quantity, pairs, at)
                if math.isfinite(bound) and at > -16:
                    assert bound <= abs(high) * 2.0**-45, "a bound so wide certifies nothing"


def test_lines_are_within_their_bounds():
    lines = [(fmpq(1, 3), fmpq(2, 7)), (fmpq(0), fmpq(1, 2)), (fmpq(1, 3), fmpq(0))]
    for a, b in [*lines, (fmpq(0), fmpq(5, 3))]:
        found = [np.broadcast_to(each, FAR.shape).tolist() for each in line_of((a, b), FAR)]
        for x, high, low, bound in zip(FAR.tolist(), *found, strict=True):
            exact = as_fraction(a) + as_fraction(b) * Fraction(x)
            assert abs(exact - Fraction(high) - Fraction(low)) <= Fraction(bound), (a, b, x)


def test_decimals_of_arrays_are_those_of_points():
    x = RNG.normal(size=300)
    form = find_form("exact")
    for digits in (6, 14, 20):
        got = decimals_of_array(form, "value", x, digits)
        want = [evaluate(form, ["value"], each, Decimals(digits))[0] for each in x.tolist()]
        assert list(map(str, got)) == list(map(str, want))


def test_parameters_beside_zero_and_cuts_are_left_to_points():
    hard = find_form("hard")
    cut = -3 / 1.702
    x = np.array([np.nextafter(cut, k) for k in (-9.0, 9.0)] * 6 + [cut, -cut])
    got = evaluate_array(hard, "value", x)
    slope = Fraction("1.702")
    for at, y in zip(x.tolist(), got.tolist(), strict=True):
        exact = Fraction(at) * min(max((slope * Fraction(at) + 3) / 6, Fraction(0)), Fraction(1))
        assert y == float(exact), at
