"""What values mean: the ends of the numbers that round to them."""

from decimal import Decimal
from fractions import Fraction

from gelu_cli.formulas.pieces import as_fraction
from gelu_cli.identification.candidates import Given
from gelu_cli.numbers import FORMATS


def test_the_numbers_that_round_to_a_result_end_half_way_to_its_neighbours():
    """At the largest number, beyond which there is none, as far away as on the other side."""
    for result in FORMATS.values():
        largest = result.largest
        numbers = [0.0, 1.0, -1.0, 1.5, -(2.0**result.emin), largest, -largest]
        given = Given("", "value", [1.0] * len(numbers), numbers, result)
        for place, y in enumerate(numbers):
            bits = result.bits(abs(y))
            size = Fraction(abs(y))
            inner = Fraction(result.number(bits - 1)) if bits else -Fraction(result.number(1))
            outer = 2 * size - inner if abs(y) == largest else Fraction(result.number(bits + 1))
            ends = sorted([(size + inner) / 2, (size + outer) / 2])
            want = ends if y >= 0 else [-end for end in ends[::-1]]
            assert [*map(as_fraction, given.ends(place))] == want, (result.name, y)


def test_a_decimal_ends_half_a_unit_away_with_its_zeros():
    for text, half in {"1.9546": "0.00005", "1.50": "0.005", "-2": "0.5", "2E+1": "5"}.items():
        given = Given("", "value", [Decimal(1)], [Decimal(text)])
        ends = [*map(as_fraction, given.ends(0))]
        assert ends == [Fraction(text) - Fraction(half), Fraction(text) + Fraction(half)], text
