"""What pictures of forms are called, and their axes, as a person would write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gelu_cli.answers.table import HEADINGS
from gelu_cli.forms import Form

if TYPE_CHECKING:
    from gelu_cli.calculus.comparison import Comparison

NOUNS = {
    "gradient": ("gradient", "gradients"),
    "curvature": ("curvature", "curvatures"),
    "gate": ("gate", "gates"),
    "complement": ("complement", "complements"),
    "gate_gradient": ("gate gradient", "gate gradients"),
    "mask_variance": ("mask variance", "mask variances"),
}
"""What quantities but the value are called, of one form and of several."""

SIGNS = {
    "value": "f(x)",
    "gradient": "f′(x)",
    "curvature": "f″(x)",
    "gate": "G(x)",
    "complement": "x − f(x)",
    "gate_gradient": "G′(x)",
    "mask_variance": "x²·G(x)·(1 − G(x))",
}
MOST_NAMES = 4
GELU = "GELU"


def title_of_forms(forms: Sequence[Form], quantities: Sequence[str]) -> str:
    """Return the title of a picture of forms.

    >>> from gelu_cli.forms import find_form
    >>> exact, silu = find_form("exact"), find_form("silu")
    >>> title_of_forms([exact], ["value", "gradient"]), title_of_forms([exact, silu], ["gate"])
    ('GELU and its gradient', 'Gates of GELU and silu')
    >>> title_of_forms([exact, silu], ["value", "gradient", "curvature"])
    'GELU and silu, their gradients and curvatures'
    """
    several = len(forms) > 1
    names, whose = names_of(forms), "their" if several else "its"
    nouns = [NOUNS[quantity][several] for quantity in quantities if quantity in NOUNS]
    if not nouns:
        return names
    if "value" not in quantities:
        said = listed(nouns)
        return f"{said[0].upper()}{said[1:]} of {names}"
    joined = " and" if len(nouns) == 1 and not several else ", and" if len(nouns) == 1 else ","
    return f"{names}{joined} {whose} {listed(nouns)}"


def title_of_errors(comparisons: Sequence[Comparison], error: str) -> str:
    """Return the title of a picture of errors, "absolute" or "relative".

    >>> from gelu_cli.calculus.comparison import compare
    >>> from gelu_cli.forms import find_form
    >>> pair = find_form("tanh"), find_form("exact")
    >>> title_of_errors([compare(*pair, "value")], "absolute")
    'Error of tanh against GELU'
    >>> title_of_errors([compare(*pair, "gradient")], "relative")
    'Relative error of the gradient of tanh against that of GELU'
    """
    _, target, quantity = comparisons[0]
    forms = [comparison.form for comparison in comparisons]
    kind = "Error" if error == "absolute" else "Relative error"
    if quantity == "value":
        return f"{kind} of {names_of(forms)} against {name_of(target)}"
    noun = NOUNS[quantity][len(forms) > 1]
    return f"{kind} of the {noun} of {names_of(forms)} against that of {name_of(target)}"


def label_of_errors(comparisons: Sequence[Comparison], error: str) -> str:
    """Return what the axis of a picture of errors shows.

    >>> from gelu_cli.calculus.comparison import compare
    >>> from gelu_cli.forms import find_form
    >>> label_of_errors([compare(find_form("tanh"), find_form("exact"), "gradient")], "relative")
    '(tanh′ − GELU′)/GELU′'
    """
    form, target, quantity = comparisons[0]
    heading = HEADINGS[quantity]
    one = heading.format("form" if len(comparisons) > 1 else form.label)
    other = heading.format(name_of(target))
    return f"{one} − {other}" if error == "absolute" else f"({one} − {other})/{other}"


def names_of(forms: Sequence[Form]) -> str:
    """Return what forms are called in a title, or how many they are."""
    if len(forms) > MOST_NAMES:
        return f"{len(forms)} forms"
    return listed([name_of(form) for form in forms])


def name_of(form: Form) -> str:
    """Return what a form is called in a title: GELU is, whatever it was asked for as."""
    return GELU if form.name == "exact" else form.label


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
