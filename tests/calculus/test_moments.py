"""One entry for each moment; that their numbers are right is judged in tests/answers."""

from fractions import Fraction

from gelu_cli.calculus.moments import MOMENTS, Moments, gaussian_moments
from gelu_cli.forms import find_form


def test_every_entry_is_a_field_of_the_record_in_the_same_order():
    assert tuple(moment.name for moment in MOMENTS) == Moments._fields


def test_an_entry_is_its_own_moment():
    """ReLU and a normal variable: E f′ = E f′² = 1/2, Var f′ = 1/4, E f² = 1/2."""
    found = gaussian_moments(find_form("relu"), Fraction(0), Fraction(1))
    by_heading = {moment.heading: y for moment, y in zip(MOMENTS, found, strict=True)}
    assert by_heading["E f′"] == by_heading["E f′²"] == by_heading["E f²"] == 0.5
    assert by_heading["Var f′"] == 0.25
    assert by_heading["1/√E f′²"] == by_heading["1/√E f²"] == 2**0.5
