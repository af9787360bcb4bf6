"""Which figures are known to be numbers of a format: those of numpy and of mpmath's truth are."""

from decimal import Decimal
from fractions import Fraction

import ml_dtypes
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.values.figures import Figure
from gelu_cli.old.values.figures_in_formats import Suspicion
from tests.old.every import every
from tests.truth.mpmath import truth

NARROW = ["float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
SURE_AFTER = {"float32": 1, "float16": 2, "bfloat16": 3, "float8_e4m3fn": 6, "float8_e5m2": 8}


def kind(dtype):
    return np.dtype(dtype) if hasattr(np, dtype) else np.dtype(getattr(ml_dtypes, dtype))


def figure(x, published, name="exact", quantity="value"):
    return Figure(2, Decimal(x), name, find_form(name), quantity, Decimal(published))


def result(dtype, x, name="exact", quantity="value"):
    """The truth at a number, rounded by numpy, both in the digits of a float64."""
    x = float(kind(dtype).type(x))
    exactly = np.float64(float(truth(name, quantity, Fraction(x))))
    return figure(repr(x), repr(float(exactly.astype(kind(dtype)))), name, quantity)


def suspicion(*figures):
    found = Suspicion()
    found.narrow(figures)
    for each in figures:
        found.weigh(each)
    return found


def names(found):
    return [each.name for each in found.explaining]


@every("dtype", NARROW)
def test_so_many_results_are_known_beyond_doubt(dtype):
    # 0.25 is in every format; what takes all bits of the format is in few others.
    results = (result(dtype, k / 16 + 0.3) for k in range(-40, 40))
    long = {each.published: each for each in results if len(str(each.published)) > 6}.values()
    some = list(long)[: SURE_AFTER[dtype]]
    assert suspicion(*some[:-1]).certain is None
    assert suspicion(*some).certain.name == dtype


@given(st.sampled_from(NARROW), st.floats(-6, 6), st.sampled_from(["exact", "tanh", "mish"]),
       st.sampled_from(["value", "gradient", "curvature"]))  # fmt: skip
def test_a_right_result_is_explained_and_its_neighbours_are_not(dtype, x, name, quantity):
    right = result(dtype, x, name, quantity)
    assert dtype in names(suspicion(right))
    number_format = FORMATS[dtype]
    for step in (-1, 1):
        bits = number_format.bits(float(right.published)) + step
        if bits & (1 << number_format.width - 1) - 1:
            neighbour = right._replace(published=Decimal(repr(number_format.number(bits))))
            if neighbour.published.is_finite():
                assert dtype not in names(suspicion(neighbour))


def test_a_figure_that_is_said_twice_counts_once():
    one = figure("1", "0.83984375")
    assert suspicion(*[one] * 9).certain is None
    assert suspicion(one, figure("-1", "-0.158203125"), figure("2", "1.953125")).certain


def test_results_of_a_kernel_are_known_though_many_are_wrong():
    dtype = FORMATS["bfloat16"]
    x = np.array([-4.0, -3.5, -3.0, -2.5, -2.0, -1.0], np.float32)
    got = routine_implementation(find_routine("erf_sum"), "value", dtype)(x)
    found = suspicion(*(figure(str(a), str(b)) for a, b in np.column_stack([x, got]).tolist()))
    assert found.certain is dtype
    assert found.explaining == []


@every(
    "others",
    [
        [("0.3", "0.1854")],  # fewer digits than a number of the format has
        [("0.30000000000000004", "0.25")],  # x is a float64
        [("0.5", "0.34573123063700656")],  # a float64
        [("1", "Infinity"), ("2", "1.9544997"), ("3", "2.996")],
    ],
)
def test_one_figure_that_cannot_be_of_the_format_leaves_doubt(others):
    results = [result("float32", x) for x in (-2, -1, 1)]
    assert suspicion(*results).certain.name == "float32"
    assert suspicion(*results, *(figure(*each) for each in others)).certain is None


def test_x_may_be_shortened_and_figures_have_any_number_of_digits():
    value = float(result("float32", 0.1).published)  # at 0.10000000149011612
    for text in (repr(value), f"{value:.16e}", f"{value:.24e}", f"{value:.11e}"):
        assert suspicion(figure("0.1", text)).explaining == [FORMATS["float32"]]


@given(
    st.lists(
        st.tuples(st.decimals(-4, 4, places=2), st.decimals(-1, 4, places=4)),
        min_size=30,
        max_size=40,
    )
)
def test_wrong_figures_of_people_are_never_numbers_of_a_format_beyond_doubt(pairs):
    assert suspicion(*(figure(x, published) for x, published in pairs)).certain is None


@every("published", ["1e-99999999999999999", "1e99999999999999999", "-5.4e-544"])
def test_what_is_beyond_every_float_is_of_no_format(published):
    found = suspicion(figure("-50", published))
    assert (found.certain, found.explaining) == (None, [])
