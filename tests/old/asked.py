"""Forms, comparisons and sweeps, as tests ask the numeric rooms for them."""

from contextlib import ExitStack
from fractions import Fraction
from math import inf

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.calculus.comparison import compare
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.guests.kinds import name_of
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping import sweep as sweeping
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.truth import Question


def set_to(name, **settings):
    """Return a form with settings, which are texts or numbers."""
    chosen = {key: Fraction(value) for key, value in settings.items()}
    return find_form(name).with_settings(name, chosen)


def comparison(form, target="exact", quantity="value"):
    """Compare two forms, or those of two names."""
    pair = (find_form(each) if isinstance(each, str) else each for each in (form, target))
    return compare(*pair, quantity)


def swept(function, *, dtype="float32", result=None, form="exact", quantity="value", upstream=1.0,
          low=-inf, high=inf, every=False, samples=None, ftz=False, jobs=1, **calling):  # fmt: skip
    """Return the verdict on a function, or on a word that names one."""
    number_format, results = FORMATS[dtype], FORMATS[result or dtype]
    auto = form == "auto"
    question = Question(find_form("exact" if auto else form), quantity, number_format, results,
                        upstream, auto)  # fmt: skip
    asked = Calling(number_format, results, quantity, upstream=upstream, **calling)
    few = {} if samples is None else {"samples": samples}
    inputs = Inputs(low, high, every or number_format.width <= 16, **few)
    with ExitStack() as guests:
        if isinstance(function, str):
            own = guests.enter_context(GuestImplementation(function, function, {}, asked))
        else:
            own = implementation_of(name_of(function), function, asked)
        found = sweeping.sweep(own, question, inputs, jobs=jobs, ftz=ftz)
    if found.failure:
        raise found.failure
    return found
