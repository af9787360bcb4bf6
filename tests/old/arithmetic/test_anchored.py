"""Anchored numbers, against balls of Arb of 3000 bits: the rest is known to the end."""

from fractions import Fraction

import numpy as np
from flint import arb, ctx

from gelu_cli.old.arithmetic.anchored import ANCHORED, anchored
from gelu_cli.old.formulas import all_forms, find_form
from gelu_cli.old.values.evaluate_arrays import smooth_parts
from tests.old.every import every
from tests.truth.arb import pieces, series

BITS = 3000
TURNS = [0.01, 0.2, 0.25, 0.3, 0.5, 1.0, 1.7, 2.5, 4.0, 5.5, 8.0, 11.0, 16.0, 20.0, 32.0, 37.0]
SIZES = np.array([*2.0 ** np.arange(-250, -6, 12), *TURNS])
POINTS = np.concatenate([-SIZES[::-1], SIZES])
QUANTITIES = "value", "gradient", "curvature"


def part(number, shape, i):
    """Return one entry of a part of an array of numbers, exactly."""
    return arb(float(np.broadcast_to(number, shape)[i]))


def checked(name, quantity):
    """Yield (x, anchor, rest, error, truth) for each point, all in Arb."""
    form, order = find_form(name), QUANTITIES.index(quantity)
    functions, kinks = pieces(name)
    for piece, where in smooth_parts(form, POINTS):
        x = POINTS[where]
        with np.errstate(all="ignore"):
            y = getattr(form.on_piece(piece, ANCHORED, anchored(x), order), quantity)
        scale = np.broadcast_to(0 if y.rest.scale is None else y.rest.scale, x.shape)
        for i, point in enumerate(x.tolist()):
            function = functions[sum(bool(kink < point) for kink in kinks)]
            truth = series(function, arb(point), 3)[order] * (2 if order == 2 else 1)
            power = arb((1, int(scale[i])))
            rest = part(y.rest.high, x.shape, i) + part(y.rest.low, x.shape, i)
            error = part(y.rest.error, x.shape, i) * (1 + arb(2) ** -20)
            yield point, part(y.anchor, x.shape, i), rest * power, error * power, truth


@every("quantity", QUANTITIES)
@every("name", all_forms())
def test_every_form_is_within_its_bound_and_its_distance_from_an_anchor_keeps_digits(
    name, quantity
):
    """GELU(37) is 37 less 2·10⁻²⁹⁸, and that to 12 digits at least; Mish is known less well."""
    anchors = 0
    with ctx.workprec(BITS):
        for x, anchor, rest, error, truth in checked(name, quantity):
            assert abs(anchor + rest - truth) <= error + arb(2) ** -2900 * abs(truth), x
            if quantity != "curvature" and name != "mish":
                assert error <= arb(2) ** -40 * abs(rest) or (rest == 0 and error == 0), x
                anchors += bool(anchor != 0)
    assert anchors >= len(SIZES) - 12 or quantity == "curvature" or name == "mish"


def test_far_out_the_side_of_the_limit_is_known():
    x = np.array([1e3, 1e10, 1e100, 1e300])
    sides = {
        ("exact", "value"): -1, ("exact", "gradient"): 1, ("tanh", "value"): -1,
        ("sigmoid", "gradient"): 1, ("softplus", "value"): 1, ("softplus", "gradient"): -1,
        ("noisy_relu", "gradient"): -1,
    }  # fmt: skip
    for (name, quantity), side in sides.items():
        form = find_form(name)
        with np.errstate(all="ignore"):
            y = getattr(form.on_piece(0, ANCHORED, anchored(x), 1), quantity)
        line = x if quantity == "value" else np.ones(4)
        np.testing.assert_array_equal(y.anchor, line)
        assert (np.sign(y.rest.high) == side).all()
        assert (np.abs(y.rest.high) > y.rest.error).all()


@every("x", [-3, -0.1, 0.1, 3])
def test_of_a_constant_the_logistics_are_those_of_its_two_signs(x):
    pair = ANCHORED.logistics(ANCHORED.rational(Fraction(x)))
    with ctx.workprec(BITS):
        for got, sign in zip(pair, (1, -1), strict=True):
            rest, error = arb(float(got.rest.high)) + float(got.rest.low), float(got.rest.error)
            assert abs(arb(float(got.anchor)) + rest - 1 / (1 + (-sign * arb(x)).exp())) <= error
