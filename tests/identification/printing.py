"""Figures as a library would print them, from mpmath's truth."""

from decimal import Decimal
from fractions import Fraction

from gelu_cli.identification.figures import Printed
from tests.truth.mpmath import M, fraction, truth


def rounded(value, places):
    """Return the decimal of so many places that is nearest to an mpmath number or a Fraction."""
    value = value if isinstance(value, Fraction) else fraction(value)
    return Decimal(round(value * 10**places)).scaleb(-places)


def printed(name, points, places, quantity="value", **parameters):
    """Return the figures of a form, to so many decimals."""
    y = [rounded(truth(name, quantity, Decimal(x), **parameters), places) for x in points]
    return Printed("", quantity, [Decimal(x) for x in points], y)


def printed_by(function, points, places, quantity="value"):
    """Return the figures of an mpmath function."""
    y = [rounded(function(M.mpf(x)), places) for x in points]
    return Printed("", quantity, [Decimal(x) for x in points], y)
