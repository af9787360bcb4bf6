"""Values in units of the last place, against Arb to 2,000 bits."""

import math
from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from gelu_cli.formulas import find_form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FORMATS
from gelu_cli.numbers.arrays import in_units_array
from gelu_cli.numbers.formats import LITTLE, power_of_two
from gelu_cli.numbers.points import in_units, refine_until
from gelu_cli.numbers.rounding import sign

RNG = np.random.default_rng(3)
POINTS = np.concatenate(
    [
        RNG.normal(size=60) * 3,
        (RNG.normal(size=60) * 4).astype(np.float16),
        RNG.uniform(1, 2, 30) * 2.0 ** RNG.integers(-140, 9, 30) * RNG.choice([-1, 1], 30),
        [0.0, 1.0, -1.0, 2.0, 64.0, -40.0],
    ]
)
CASES = [
    ("exact", "value", "bfloat16"),
    ("exact", "gradient", "float32"),
    ("tanh", "value", "float64"),
    ("silu", "gradient", "float16"),
    ("relu", "value", "float8_e4m3fn"),
    ("softplus", "value", "bfloat16"),
    ("elu", "value", "float16"),
    ("leaky_relu", "value", "float32"),
]


def fault(form, quantity, x, m, low, exponent, error):
    """Return what the contract of `units` does not allow; "" if all is well."""
    unit, near = power_of_two(int(exponent)), to_fraction(float(m)) + to_fraction(float(low))

    def decide(exact, rest):
        truth = exact / unit
        beside = arb(0) if rest is None else rest * (1 / unit)
        if not abs(beside + arb(truth - near)) <= arb(to_fraction(error)):
            return "error"
        half = (2 * near).floor()
        for k in (half - 1, half, half + 1):
            here = sign(near - fmpq(k, 2))
            there = sign(beside + arb(truth - fmpq(k, 2))) if rest is not None else None
            if rest is not None and not there:
                return None
            if (there if rest is not None else sign(truth - fmpq(k, 2))) != here:
                return f"side of {k}/2"
        return ""

    return refine_until(form, quantity, to_fraction(x), 2000, decide)


def test_arrays_and_points_keep_the_contract():
    for name, quantity, dtype in CASES:
        form, to = find_form(name), FORMATS[dtype]
        *rows, error = in_units_array(form, quantity, POINTS, to)
        assert error <= 2.0**-12
        for x, m, low, exponent in zip(POINTS.tolist(), *rows, strict=True):
            assert not fault(form, quantity, x, m, low, exponent, 2.0**-12), (name, x)
            point = in_units(form, quantity, x, to)
            assert not fault(form, quantity, x, *point, 2.0**-12), (name, x)
            assert point[2] == exponent
            assert max(abs(low), abs(point[1])) <= 2.0**-39 * max(abs(m), 1.0), "m alone is near"


def test_units_are_ulps_of_the_truth():
    to = FORMATS["bfloat16"]
    assert in_units(find_form("relu"), "value", 3.0, to) == (192.0, 0.0, -6)
    # GELU(64) is 64 less next to nothing: the unit is that of the binade below.
    m, low, exponent = in_units(find_form("exact"), "value", 64.0, to)
    assert (m, low, exponent) == (256.0, -LITTLE, -2)
    *rows, _ = in_units_array(find_form("exact"), "value", np.full(100, 64.0), to)
    m, low, exponent = (row[0] for row in rows)
    assert (m, exponent) == (256.0, -2)
    assert -4 * LITTLE < low < 0


def test_at_a_tie_of_float64s_a_rest_however_small_decides():
    # x − erf(x) is x + 1 less 10^−10³² there, and float64s are units themselves.
    m, low, _ = in_units(find_form("erf"), "complement", -(2.0**53) - 2, FORMATS["float64"])
    assert (m, low) == (-(2.0**52) - 1, 0.5 - 2.0**-53) or (m, low) == (-(2.0**52), -0.5 - 2.0**-53)


def test_a_factor_is_part_of_the_truth():
    to, up = FORMATS["float16"], Fraction(3)
    m, low, exponent = in_units(find_form("relu"), "value", 1.5, to, up)
    assert (m + low) * math.ldexp(1, exponent) == 4.5


def test_a_value_beside_half_a_unit_is_on_its_side():
    """3·GELU(x) is less than 3x, which is half way between two float64s."""
    x = 1.0477022112123e55
    low = in_units(find_form("exact"), "value", x, FORMATS["float64"], 3)[1]
    assert low == 0.5 - 2.0**-53
