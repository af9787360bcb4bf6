"""Numbers as bits and back, against the single numbers of the formats and ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.arithmetic.memory import to_bits, to_floats

SMALL = [name for name, number_format in FORMATS.items() if number_format.width <= 16]


@pytest.mark.parametrize("name", SMALL)
def test_every_pattern_is_what_it_is_there_and_back(name):
    number_format = FORMATS[name]
    every = np.arange(1 << number_format.width).astype(f"u{number_format.width // 8}")
    floats = to_floats(number_format, every)
    theirs = every.view(getattr(ml_dtypes, name, name)).astype(np.float32)
    np.testing.assert_array_equal(floats, theirs)
    assert (np.signbit(floats) == np.signbit(theirs))[~np.isnan(theirs)].all()
    back = to_bits(number_format, floats)
    nan = np.isnan(floats)
    assert (back == every)[~nan].all()
    assert np.isnan(to_floats(number_format, back[nan])).all()


@pytest.mark.parametrize(("name", "unsigned"), [("float32", "u4"), ("float64", "u8")])
def test_wide_numbers_keep_their_bits(name, unsigned):
    bits = np.random.default_rng(0).integers(0, 1 << 63, 1000).astype(unsigned)
    assert (to_bits(FORMATS[name], to_floats(FORMATS[name], bits)) == bits).all()
