"""Forms with settings and comparisons of two forms, as tests ask for them."""

from fractions import Fraction

from gelu_cli.old.calculus.comparison import compare
from gelu_cli.old.formulas import find_form


def set_to(name, **settings):
    """Return a form with settings, which are texts or numbers."""
    chosen = {key: Fraction(value) for key, value in settings.items()}
    return find_form(name).with_settings(name, chosen)


def comparison(form, target="exact", quantity="value"):
    """Compare two forms, or those of two names."""
    pair = (find_form(each) if isinstance(each, str) else each for each in (form, target))
    return compare(*pair, quantity)
