"""What an option may be, from the registries: for help, completion and the manual alike.

Each function returns names, each with a few words on what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

Choices: TypeAlias = list[tuple[str, str]]

GATE = ("gate", "G(x), where f(x) = x·G(x)")


def forms() -> Choices:
    """Return the forms."""
    from gelu_cli.forms import all_forms

    return [(form.name, form.definition) for form in all_forms().values()]


def forms_by_name() -> Choices:
    """Return the forms, and the published approximations, which are found by name as well."""
    from gelu_cli.forms.published import published_forms

    return [*forms(), *((form.name, form.definition) for form in published_forms().values())]


def forms_by_any_name() -> Choices:
    """Return what `forms_by_name` does, and the other names of forms."""
    from gelu_cli.forms import all_forms

    others = [
        (alias, f"another name of {form.name}")
        for form in all_forms().values()
        for alias in form.aliases
    ]
    return [*forms_by_name(), *others]


def settings() -> Choices:
    """Return the parameters of forms, as they are set after the name: sigmoid:beta=.

    >>> settings()[0]
    ('tanh:c=', 'a parameter of tanh')
    """
    from gelu_cli.forms import all_forms

    return [
        (f"{name}:{parameter.name}=", f"a parameter of {name}")
        for form in all_forms().values()
        for name in (form.name, *form.aliases)
        for parameter in form.parameters
    ]


def forms_views() -> Choices:
    """Return the tables of `gelu forms`."""
    return [
        ("forms", "all forms"),
        ("about", "one form in words"),
        ("figures", "one form in numbers"),
        ("models", "models, and what they compute"),
    ]


def targets() -> Choices:
    """Return what a routine may be judged against."""
    return [*targets_of_results(), ("self", "the routine's own form")]


def targets_of_results() -> Choices:
    """Return what results in a file may be judged against."""
    return [*forms_by_any_name(), ("auto", "the form that the results are nearest to")]


def routines() -> Choices:
    """Return the routines."""
    from gelu_cli.sweeping.routines import ROUTINES

    return [(routine.name, routine.definition) for routine in ROUTINES.values()]


def quantities() -> Choices:
    """Return the quantities of a form, and the word for all of them."""
    return [
        *derivatives(),
        GATE,
        ("complement", "x − f(x)"),
        ("gate_gradient", "G′(x)"),
        ("mask_variance", "x²·G(x)·(1 − G(x))"),
        ("all", "every quantity that all the forms have"),
    ]


def derivatives() -> Choices:
    """Return the quantities that every form has."""
    return [*results(), ("curvature", "f″(x)")]


def results() -> Choices:
    """Return the quantities that kernels compute."""
    return [("value", "f(x)"), ("gradient", "f′(x)")]


def dtypes() -> Choices:
    """Return the formats of numbers."""
    from gelu_cli.arithmetic.formats import FORMATS

    return [
        (name, f"{number_format.width} bits, {number_format.precision} significant")
        for name, number_format in FORMATS.items()
    ]


def formats() -> Choices:
    """Return the output formats."""
    from gelu_cli.report.formats import format_names, format_summary

    auto = "table on a terminal, csv otherwise"
    return [("auto", auto), *((name, format_summary(name)) for name in format_names())]


def formats_by_suffix(suffix: str) -> Iterator[str]:
    """Yield the formats whose files end so: tables, documents, pictures.

    >>> list(formats_by_suffix("md")), list(formats_by_suffix("htm"))
    (['markdown'], ['html'])
    """
    from gelu_cli.report.documents import document_for_suffix
    from gelu_cli.report.formats import name_for_suffix
    from gelu_cli.report.plots import SUFFIXES

    for find in (name_for_suffix, document_for_suffix, SUFFIXES.get):
        if name := find(f".{suffix}"):
            yield name


def backends() -> Choices:
    """Return the libraries whose arrays a function may take."""
    from gelu_cli.guests.backends import backend_names

    return [(name, f"arrays of {name}") for name in backend_names()]


def signatures() -> Choices:
    """Return what a C function may be."""
    from gelu_cli.guests.calling import SIGNATURES

    return list(SIGNATURES.items())


def backwards() -> Choices:
    """Return how gradients may come about."""
    from gelu_cli.guests.calling import BACKWARDS

    return list(BACKWARDS.items())


def error_views() -> Choices:
    """Return the tables of `gelu error`."""
    return [
        ("summary", "suprema and averages, or maxima, averages and percentiles over points"),
        ("points", "errors at the points given"),
        ("regions", "suprema or maxima by region of x"),
        ("histogram", "how many points have which error"),
    ]


def sweep_views() -> Choices:
    """Return the tables of `gelu sweep`."""
    from gelu_cli.answers.sweep import VIEWS

    return list(VIEWS.items())


def check_views() -> Choices:
    """Return the tables of `gelu check`: records may have all that sweeps find."""
    return sweep_views()


def fitted_forms() -> Choices:
    """Return the forms that have parameters to fit."""
    from gelu_cli.forms import all_forms

    return [(form.name, form.definition) for form in all_forms().values() if form.parameters]


def fitted_parameters() -> Choices:
    """Return the parameters of all forms, each with the forms that have it."""
    from gelu_cli.forms import all_forms

    forms: dict[str, list[str]] = {}
    for form in all_forms().values():
        for parameter in form.parameters:
            forms.setdefault(parameter.name, []).append(form.name)
    return [(name, f"of {', '.join(names)}") for name, names in forms.items()]


def compared_quantities() -> Choices:
    """Return the quantities whose errors are told."""
    return [*derivatives(), GATE]


def fitted_quantities() -> Choices:
    """Return the quantities that may be fitted."""
    return [*results(), GATE]


def criteria() -> Choices:
    """Return what a fit may make least."""
    from gelu_cli.fitting.names import CRITERIA

    return list(CRITERIA.items())


def languages() -> Choices:
    """Return the languages that a form is programmed in."""
    return [("c", "C"), ("python", "Python with numpy")]


def fit_views() -> Choices:
    """Return the tables of `gelu fit`."""
    return [
        ("summary", "constants, errors, proof"),
        ("points", "where the error is largest"),
        ("others", "errors by other criteria"),
        ("code", "functions in C and Python"),
    ]


def block_views() -> Choices:
    """Return the tables of `gelu block`."""
    return [
        ("summary", "what each form changes"),
        ("formats", "rounding noise of formats"),
        ("moments", "the pre-activations of --input"),
        ("units", "hidden units of --input where r is largest"),
    ]


def compare_views() -> Choices:
    """Return the tables of `gelu compare`."""
    from gelu_cli.answers.compare.kernels import VIEWS

    return list(VIEWS.items())


def pictures() -> Choices:
    """Return what a picture may be."""
    from gelu_cli.report.plots import PICTURES

    files = [(kind, f"a file, by matplotlib: {kind.upper()}") for kind in PICTURES]
    return [
        ("auto", "text, or as the file ends"),
        ("text", "characters, 80 wide in a file"),
        *files,
    ]


def documents() -> Choices:
    """Return the formats of a whole answer on kernels."""
    from gelu_cli.report.documents import document_names, document_summary

    return [(name, document_summary(name)) for name in document_names()]


def formats_of_kernels() -> Choices:
    """Return the output formats of an answer on kernels: tables, a whole document, a picture."""
    return [*formats(), *documents(), *pictures()[1:]]


def kinds_of_error() -> Choices:
    """Return the errors that are drawn."""
    return [("absolute", "form − target"), ("relative", "(form − target)/target")]


def themes() -> Choices:
    """Return the themes of pictures in files."""
    return [("light", "dark curves on white"), ("dark", "light curves on black")]


def marks() -> Choices:
    """Return what is marked in pictures of forms, and of errors."""
    return [
        ("minimum", "where a form is least"),
        ("inflection", "where it begins to bend the other way"),
        ("supremum", "where an error is largest"),
        ("all", "all of these that the picture has"),
    ]


def shells() -> Choices:
    """Return the shells that have completion scripts."""
    from gelu_cli.cli.manual import SHELLS

    return [(shell, f"completion for {shell}") for shell in SHELLS]


CHOICES: Mapping[str, Callable[[], Choices]] = {
    choices.__name__: choices
    for choices in (
        forms, targets, routines, quantities, derivatives, results, dtypes, formats, backends,
        signatures, backwards, fitted_forms, fitted_parameters, fitted_quantities,
        compared_quantities, criteria,
        languages, fit_views, block_views, forms_views, error_views, sweep_views, check_views,
        compare_views, shells, pictures, documents, formats_of_kernels, kinds_of_error, marks,
        themes,
    )
}  # fmt: skip


def fill(text: str) -> str:
    """Return a help text in which {forms} and the like are lists of names.

    >>> fill("{results}.")
    'value, gradient.'
    """
    return re.sub(
        r"\{(\w+)\}", lambda found: ", ".join(name for name, _ in CHOICES[found[1]]()), text
    )
