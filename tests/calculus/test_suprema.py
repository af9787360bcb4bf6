"""Suprema: against proofs by Arb, roots by mpmath, and what is known in closed form."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import partial

import pytest
from flint import arb

from gelu_cli.calculus.curves import Curve, compare
from gelu_cli.calculus.suprema import Spot, best_of, error_sup
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.formulas import find_form, typed_form
from gelu_cli.numbers import FLOAT64, Decimals
from gelu_cli.numbers.reference import confirm
from gelu_cli.numbers.series import Smooth
from tests.truth.mpmath import M, truth


def sup(form, target="exact", quantity="value", low=-math.inf, high=math.inf, **more):
    """Return a supremum by the labels of both forms."""
    return error_sup(compare(typed_form(form), typed_form(target), quantity), low, high, **more)


W = M.lambertw(1 / M.e)
KNOWN = {
    # By closed forms: limits, kinks, and 3 − 2√2 at −asinh 1.
    ("relu", "exact", "gate", False): (0.5, 0.0),
    ("elu", "exact", "value", False): (1.0, -math.inf),
    ("leaky_relu", "relu", "value", False): (math.inf, -math.inf),
    ("leaky_relu", "relu", "gradient", False): (0.01, 0.0),
    ("squareplus", "relu", "value", False): (1.0, 0.0),
    ("sigmoid", "exact", "value", True): (math.inf, -math.inf),
    ("tanh", "exact", "value", True): (1.0, -math.inf),
    ("tanh", "as_7_1_28", "value", True): (1.0, -math.inf),
    ("relu", "exact", "gradient", True): (1.0, 0.0),
    ("sigmoid", "exact", "gradient", True): (math.inf, -0.7517915246935645),
    ("softplus", "relu", "value", True): (math.inf, 0.0),
    # At 0 the difference has no second derivative either: σ′(0) and b/2/b^(3/2) are ¼.
    ("softplus", "squareplus", "value", False): (float(1 - M.log(2)), 0.0),
    ("elu", "softplus", "value", False): (1.0, -math.inf),
    # x·σ(−x) is largest, W(1/e), at 1 + W(1/e).
    ("sigmoid:beta=0.01", "relu", "value", False): (float(100 * W), float(100 + 100 * W)),
    ("elu", "softplus", "value", True): (math.inf, -math.inf),
    # Far out erfc(z)·e^(z²) ~ 1/(z√π) and a₁t ~ a₁/(pz), and the quotient rises to its limit.
    ("erf_as", "exact", "value", True): (
        float(M.sqrt(M.pi) * M.mpf("0.254829592") / M.mpf("0.3275911") - 1),
        -math.inf,
    ),
}


def test_known_suprema():
    for (form, target, quantity, relative), want in KNOWN.items():
        found = sup(form, target, quantity, relative=relative)
        if form == "leaky_relu" and quantity == "gradient":
            assert found.value == want[0]
        else:
            assert found[:2] == want, (form, target, quantity)


def test_digits_are_right_to_the_last_one_and_confirmed():
    pair = compare(find_form("sigmoid"), find_form("exact"), "value")
    fifty, float64 = (error_sup(pair, to=to) for to in (Decimals(50), FLOAT64))
    assert float(fifty.value) == float64.value
    confirm(fifty.value, pair.form, "value", fifty.place, pair.target)
    with M.workdps(80):
        near, beta = M.mpf(float64.x), M.mpf(851) / 500
        slope = partial(M.diff, lambda t: t / (1 + M.exp(-beta * t)) - t * M.ncdf(t))
        x = M.findroot(slope, (near - 1e-9, near + 1e-9), tol=1e-60)
    assert fifty.x == Decimal(M.nstr(x, 50))


def test_ends_limits_and_equals():
    # Noisy ReLU's slope is Φ: the difference −xφ(x) has its extremum at −1, the end itself.
    found = sup("noisy_relu", quantity="gradient", low=-math.inf, high=-1)
    assert found[:2] == (float(M.npdf(1)), -1.0)
    # (eˣ − 1)/tanh x tends to 1 at 0, and is least where sinh x = −1.
    found = sup("elu", "tanh_fn", low=-1, high=0, relative=True)
    assert found[:2] == (float(3 - 2 * M.sqrt(2)), float(-M.asinh(1)))
    # GELU/x = Φ is ½ at 0, where a piece of ELU ends.
    assert sup("exact", "elu", low=0, high=5, relative=True)[:2] == (0.5, 0.0)
    found = sup("tanh", low=0, high=Fraction("0.35"), to=Decimals(1))  # a tie of the first digit
    assert found.x == Decimal("0.4")
    # Of ±x the positive one is named, of all x the one nearest to 0.
    assert sup("tanh", quantity="gate").x > 0
    for low, high, x in ((-math.inf, -64, -64.0), (8, 16, 8.0), (-20, -10, -10.0)):
        assert sup("hard", "igelu", "gradient", low, high)[:2] == (0.0, x)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(UsageError, match="is 0 by definition"):
        sup("gelu", "exact")
    with pytest.raises(UsageError, match="is empty"):
        sup("tanh", low=1, high=1)
    with pytest.raises(UsageError, match="has no gate"):
        sup("elu", quantity="gate")


def test_ranges_may_reach_far_out():
    for form, x in (("tanh", 9.5), ("sigmoid", 12.0), ("erf_as", 12.0)):
        want = float(abs(truth(form, "value", x) - truth("exact", "value", x)))
        for far in (x + 1, 1e5, 1e300, math.inf):
            assert sup(form, low=x, high=far)[:2] == (want, x), (form, far)
            assert sup(form, low=-far, high=-x)[:2] == (want, -x), (form, far)
    # eˣ/2 over σ(x) is (1 + eˣ)/2.
    ratio = sup("elu:alpha=0.5", "softplus", "gradient", -64, -32, relative=True, to=Decimals(40))
    with M.workdps(60):
        assert ratio.value == Decimal(M.nstr((1 - M.exp(-64)) / 2, 40))
    pole = sup("silu", quantity="gradient", low=-1000, high=1000, relative=True)
    assert pole[:3] == (math.inf, -0.7517915246935645, False)
    with pytest.raises(ComputationError, match="too far out for relative errors; take a"):
        sup("tanh", low=-1e300, high=1, relative=True)


def test_a_maximum_is_rounded_for_all_candidates_that_may_be_the_highest():
    """One is 1, the other on either side of the tie above 1."""
    curve = Curve(Smooth(find_form("relu"), 0, "value"))
    one = Spot(curve, math.inf, arb(1))  # of equals the one on the right is named
    other = Spot(curve, -math.inf, arb(1, 2**-52))
    for spots in ([one, other], [other, one]):
        with pytest.raises(ComputationError, match="middle between two numbers"):
            best_of(spots, FLOAT64)
    assert best_of([one, Spot(curve, -math.inf, arb(1))], FLOAT64).value == 1
