"""Figures as a library would print them, from mpmath's truth."""

from decimal import Decimal

from gelu_cli.identification.figures import Printed
from tests.truth.mpmath import M, to_places, truth


def printed(name, points, places, quantity="value", **parameters):
    """Return the figures of a form, to so many decimals."""
    y = [to_places(truth(name, quantity, Decimal(x), **parameters), places) for x in points]
    return Printed("", quantity, [Decimal(x) for x in points], y)


def printed_by(function, points, places, quantity="value"):
    """Return the figures of an mpmath function."""
    y = [to_places(function(M.mpf(x)), places) for x in points]
    return Printed("", quantity, [Decimal(x) for x in points], y)
