"""Values at points: ties, tails, infinities, zeros with signs, sides of numbers."""

import math
from decimal import Decimal
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from gelu_cli.formulas import OF_GATES, QUANTITIES, all_forms, all_functions, find_form, typed_form
from gelu_cli.numbers import FLOAT64, FORMATS, Decimals, evaluate, side, value
from tests.truth.mpmath import M, decimal_of, identical, nearest, truth

GELU = find_form("exact")
INFINITIES = {
    ("exact", "value"): (-0.0, math.inf),
    ("exact", "gradient"): (-0.0, 1.0),
    ("exact", "curvature"): (-0.0, -0.0),
    ("exact", "complement"): (-math.inf, 0.0),
    ("relu", "value"): (0.0, math.inf),
    ("leaky_relu", "value"): (-math.inf, math.inf),
    ("leaky_relu", "mask_variance"): (math.inf, 0.0),
    ("elu", "value"): (-1.0, math.inf),
    ("softplus", "value"): (0.0, math.inf),
    ("squareplus", "gradient"): (0.0, 1.0),
    ("tanh_fn", "value"): (-1.0, 1.0),
    ("tanh_fn", "complement"): (-math.inf, math.inf),
    ("normal_pdf", "gradient"): (0.0, -0.0),
}
EXACT = {
    # A tie of bfloat16, a rational value of a root, and a zero that no ball can tell.
    ("relu", "value", Fraction(257, 256), "bfloat16"): 1.0,
    ("squareplus", "value", Fraction(3, 2), "float64"): 2.0,
    ("normal_pdf", "curvature", Fraction(-1), "float64"): 0.0,
    ("hard:slope=1", "value", Fraction(-3), "float64"): 0.0,
    ("hard:slope=1", "gradient", Fraction(-3), "float64"): 0.0,
    ("xnnpack_6_4", "gate", Fraction(0), "float16"): 0.5,
    # At 0 the conventions of frameworks hold.
    ("relu", "gradient", 0.0, "float64"): 0.0,
    ("elu:alpha=3", "gradient", 0.0, "float64"): 3.0,
    ("igelu", "gate", 0.0, "float64"): 0.5,
    ("igelu", "gradient", 0.0, "float64"): 0.5,
    ("erf_as", "gate", 0.0, "float64"): 0.5,
    ("hard", "gate", 0.0, "float64"): 0.5,
    ("logistic", "value", 0.0, "float64"): 0.5,
    ("sigmoid:beta=3", "curvature", 0.0, "float64"): 1.5,
    ("erf", "curvature", 0.0, "float64"): 0.0,
    ("leaky_relu", "gradient", 0.0, "float64"): 0.01,
}


def test_limits_at_infinities_have_the_sign_of_the_approach():
    for (name, quantity), wants in INFINITIES.items():
        for x, want in zip((-math.inf, math.inf), wants, strict=True):
            (got,) = evaluate(find_form(name), [quantity], x, FLOAT64)
            assert identical(got, want), (name, quantity, x, got)


def test_minus_zero_has_the_sign_of_the_approach_from_below():
    names = {"exact": -0.0, "relu": 0.0, "elu": -0.0, "leaky_relu": -0.0, "tanh_fn": -0.0}
    for name, want in names.items():
        assert identical(evaluate(find_form(name), ["value"], -0.0, FLOAT64)[0], want), name
    assert identical(evaluate(GELU, ["complement"], -0.0, FLOAT64)[0], -0.0)
    assert identical(evaluate(GELU, ["value"], 0.0, FLOAT64)[0], 0.0)


def test_fractions_are_told_from_what_is_beside_them():
    for (label, quantity, x, name), want in EXACT.items():
        got = evaluate(typed_form(label), [quantity], x, FORMATS[name])
        assert got == [want], (label, quantity)


def test_beside_a_tie_the_side_of_the_line_decides():
    # GELU(x) < x by less than 10⁻³⁵⁰⁰⁰ where x is a tie of bfloat16.
    x = 257.0
    below, tie_to_even = 256.0, 256.0
    assert evaluate(GELU, ["value"], x, FORMATS["bfloat16"]) == [below]
    assert evaluate(find_form("relu"), ["value"], x, FORMATS["bfloat16"]) == [tie_to_even]
    x = 259.0  # the tie goes up to even, GELU stays below
    assert evaluate(GELU, ["value"], x, FORMATS["bfloat16"]) == [258.0]
    assert evaluate(find_form("softplus"), ["value"], 257.0, FORMATS["bfloat16"]) == [258.0]


def test_known_values():
    known = {1: "0.8413447460685429485852325", -1: "-0.1586552539314570514147675"}
    for x, want in known.items():
        assert evaluate(GELU, ["value"], Fraction(x), Decimals(25)) == [Decimal(want)]
    tail = decimal_of(-100 * M.erfc(100 / M.sqrt(2)) / 2, 20)
    assert evaluate(GELU, ["value"], Fraction(-100), Decimals(20)) == [tail]


@given(
    st.sampled_from(sorted({*all_forms(), *all_functions()})),
    st.sampled_from(QUANTITIES),
    st.floats(-40, 12),
    st.sampled_from([*FORMATS, 1, 3, 17, 60]),
)
@example("erf", "complement", 2.0**-24, 1)  # a wide ball across a power of 10
@example("noisy_relu", "value", -30.0, 60)
@example("exact", "gradient", -0.7517915246935645, 17)
def test_values_are_the_nearest_to_the_truth(name, quantity, x, to):
    form = find_form(name)
    cuts = {
        math.copysign(math.sqrt(abs(float(c.square.p) / float(c.square.q))), float(c.square.p))
        for c in form.cuts
    }
    if (quantity in OF_GATES and not form.has_gate) or any(abs(x - cut) < 1e-9 for cut in cuts):
        return
    exact = truth(name, quantity, Fraction(x))
    if abs(exact) < Fraction(1, 10**90):
        return  # mpmath's derivative has fewer digits there
    if isinstance(to, int):
        assert evaluate(form, [quantity], x, Decimals(to)) == [decimal_of(exact, to)]
    elif abs(exact) <= FORMATS[to].largest:
        (got,) = evaluate(form, [quantity], x, FORMATS[to])
        assert got == nearest(exact, to)


def test_a_factor_is_multiplied_before_the_rounding():
    x, up = -1.3, Fraction(1, 3)
    want = nearest(truth("exact", "value", Fraction(x)) * up, "bfloat16")
    assert evaluate(GELU, ["value"], x, FORMATS["bfloat16"], up) == [want]
    assert evaluate(GELU, ["value"], math.inf, FLOAT64, -2) == [-math.inf]
    assert evaluate(GELU, ["value"], -1.0, FLOAT64, 0) == [0.0]


def test_sides_are_told_however_near_a_number_is():
    assert side(GELU, "value", 1e30, 1e30) == -1
    assert side(find_form("relu"), "value", 1e30, 1e30) == 0
    assert side(GELU, "gradient", 1e6, 1) == 1
    assert side(GELU, "value", Fraction(1), Fraction("0.8413447460685429")) == 1
    assert side(GELU, "value", 1e30, -2e30, -2) == 1


def test_values_to_many_bits_are_near_the_truth():
    exact = truth("exact", "gradient", Fraction(-2.5))
    found = value(GELU, "gradient", -2.5, 300)
    near = Fraction(int(found.p), int(found.q))
    assert abs(near - exact) < abs(exact) / 2**290
