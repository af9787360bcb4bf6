"""What an option may be, by the name of the list: for parsers, help, completion and the manual.

Each list has names, each with a few words on what it is. Those of the registries are functions,
as what they read is imported late.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TypeAlias

Choices: TypeAlias = list[tuple[str, str]]

GATE = ("gate", "G(x), where f(x) = x·G(x); no GLU's gate")
RESULTS = [("value", "f(x)"), ("gradient", "f′(x)")]
DERIVATIVES = [*RESULTS, ("curvature", "f″(x)")]
QUANTITIES = [
    *DERIVATIVES,
    GATE,
    ("complement", "x − f(x)"),
    ("gate_gradient", "G′(x); of a GLU F′(gate)·up"),
    ("mask_variance", "x²·G(x)·(1 − G(x))"),
]
EVERY = ("all", "every quantity that all the forms have")

LISTS: Mapping[str, Choices] = {
    "results": RESULTS,
    "results_of_kernels": [
        ("value", "f(x), or F(gate)·up"),
        ("gradient", "f′(x)"),
        ("gate_gradient", "F′(gate)·up"),
        ("up_gradient", "F(gate)"),
    ],
    "derivatives": DERIVATIVES,
    "compared_quantities": [*DERIVATIVES, GATE],
    "fitted_quantities": [*RESULTS, GATE],
    "quantities": [*QUANTITIES, EVERY],
    "quantities_of_table": [*QUANTITIES, ("up_gradient", "of a GLU, F(gate)"), EVERY],
    "forms_views": [
        ("forms", "all forms"),
        ("functions", "erf, tanh and others inside them"),
        ("about", "one form in words"),
        ("figures", "one form in numbers"),
        ("models", "models, and what they compute"),
    ],
    "error_views": [
        ("summary", "suprema and averages, or maxima, averages and percentiles over points"),
        ("points", "errors at the points given"),
        ("regions", "suprema or maxima by region of x"),
        ("histogram", "how many points have which error"),
        ("all", "all tables"),
    ],
    "fit_views": [
        ("summary", "constants, errors, proof"),
        ("points", "where the error is largest"),
        ("others", "errors by other criteria"),
        ("code", "functions in C and Python"),
        ("all", "all tables"),
    ],
    "block_views": [
        ("summary", "what each form changes"),
        ("formats", "rounding noise of formats"),
        ("moments", "the pre-activations of --input"),
        ("units", "hidden units of --input where r is largest"),
        ("all", "all tables"),
    ],
    "languages": [("c", "C"), ("python", "Python with numpy")],
    "kinds_of_error": [("absolute", "form − target"), ("relative", "(form − target)/target")],
    "themes": [("light", "dark curves on white"), ("dark", "light curves on black")],
    "marks": [
        ("minimum", "where a form is least"),
        ("inflection", "where it begins to bend the other way"),
        ("supremum", "where an error is largest"),
        ("all", "all of these that the picture has"),
    ],
    "shells": [(shell, f"completion for {shell}") for shell in ("bash", "fish", "zsh")],
}


def _forms() -> Choices:
    from gelu_cli.formulas import all_forms

    return [(form.name, form.definition) for form in all_forms().values()]


def _forms_by_any_name() -> Choices:
    from gelu_cli.formulas import all_forms, all_functions
    from gelu_cli.formulas.published import published_forms

    others = (*published_forms().values(), *all_functions().values())
    aliases = [
        (alias, f"another name of {form.name}")
        for form in (*all_forms().values(), *others)
        for alias in form.aliases
    ]
    return [*_forms(), *((form.name, form.definition) for form in others), *aliases]


def _fitted_forms() -> Choices:
    from gelu_cli.formulas import all_forms

    return [(form.name, form.definition) for form in all_forms().values() if form.parameters]


def _fitted_parameters() -> Choices:
    from gelu_cli.formulas import all_forms

    forms: dict[str, list[str]] = {}
    for form in all_forms().values():
        for parameter in form.parameters:
            forms.setdefault(parameter.name, []).append(form.name)
    return [(name, f"of {', '.join(names)}") for name, names in forms.items()]


def _targets_of_results() -> Choices:
    return [*_forms_by_any_name(), ("auto", "the form that the results are nearest to")]


def _targets() -> Choices:
    return [*_targets_of_results(), ("self", "the routine's own form")]


def _routines() -> Choices:
    from gelu_cli.sweeping.routines import ROUTINES

    return [(routine.name, routine.definition) for routine in ROUTINES.values()]


def _dtypes() -> Choices:
    from gelu_cli.arithmetic.formats import FORMATS

    return [
        (name, f"{number_format.width} bits, {number_format.precision} significant")
        for name, number_format in FORMATS.items()
    ]


def _backends() -> Choices:
    from gelu_cli.guests.backends import backend_names

    return [(name, f"arrays of {name}") for name in backend_names()]


def _formats() -> Choices:
    from gelu_cli.report.formats import format_names, format_summary

    auto = "table on a terminal, csv otherwise"
    known = ((name, format_summary(name)) for name in format_names())
    return [("auto", auto), *known, *_pages()]


def _pages() -> Choices:
    from gelu_cli.report.documents import PAGE, document_summary

    return [(PAGE, document_summary(PAGE))]


def _documents() -> Choices:
    from gelu_cli.report.documents import document_names, document_summary

    return [(name, document_summary(name)) for name in document_names()]


def _pictures() -> Choices:
    from gelu_cli.report.plots import PICTURES

    return [
        ("auto", "text, or as the file ends"),
        ("text", "characters, 80 wide in a file"),
        ("svg", "a file: SVG"),
        *((kind, f"a file, by matplotlib: {kind.upper()}") for kind in PICTURES if kind != "svg"),
        *_pages(),
    ]


def _formats_of_kernels() -> Choices:
    return list(dict([*_formats(), *_documents(), *_pictures()[1:]]).items())


def _topics() -> Choices:
    from gelu_cli.cli.app import app
    from gelu_cli.cli.manual.guides import pages

    return [*app.summaries(), *pages().items()]


def _named(module: str, table: str) -> Callable[[], Choices]:
    """Return what reads names and descriptions from a table of a module."""
    return lambda: list(getattr(import_module(f"gelu_cli.{module}"), table).items())


REGISTRIES: Mapping[str, Callable[[], Choices]] = {
    "forms": _forms,
    "forms_by_any_name": _forms_by_any_name,
    "fitted_forms": _fitted_forms,
    "fitted_parameters": _fitted_parameters,
    "targets": _targets,
    "targets_of_results": _targets_of_results,
    "routines": _routines,
    "dtypes": _dtypes,
    "backends": _backends,
    "signatures": _named("guests.calling", "SIGNATURES"),
    "backwards": _named("guests.calling", "BACKWARDS"),
    "packings": _named("guests.calling", "PACKINGS"),
    "criteria": _named("fitting", "CRITERIA"),
    "sweep_views": _named("answers.sweep", "VIEWS"),
    "compare_views": _named("answers.compare.kernels", "VIEWS"),
    "formats": _formats,
    "documents": _documents,
    "pictures": _pictures,
    "formats_of_kernels": _formats_of_kernels,
    "topics": _topics,
}
NAMES = (*LISTS, *REGISTRIES)


def settings() -> Choices:
    """Return the parameters of forms, as they are set after the name: sigmoid:beta=.

    >>> settings()[0]
    ('tanh:c=', 'a parameter of tanh')
    """
    from gelu_cli.formulas import all_forms

    return [
        (f"{name}:{parameter.name}=", f"a parameter of {name}")
        for form in all_forms().values()
        for name in (form.name, *form.aliases)
        for parameter in form.parameters
    ]


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


def choices_of(name: str) -> Choices:
    """Return the list of that name.

    >>> choices_of("results")
    [('value', 'f(x)'), ('gradient', 'f′(x)')]
    """
    return LISTS[name] if name in LISTS else REGISTRIES[name]()


def fill(text: str) -> str:
    """Return a help text in which {forms} and the like are lists of names.

    >>> fill("{results}.")
    'value, gradient.'
    """
    return re.sub(
        r"\{(\w+)\}", lambda found: ", ".join(name for name, _ in choices_of(found[1])), text
    )
