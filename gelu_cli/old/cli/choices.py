"""What an option may be, by the name of the list: for parsers, help, completion and the manual.

Each list has names, each with a few words on what it is. Those of the registries are functions,
as what they read is imported late.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from gelu_cli.old.registry import module_words

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


def _of(module: str, name: str) -> Any:
    """Return what a module has, which is imported late."""
    return getattr(import_module(f"gelu_cli.old.{module}"), name)


def _forms() -> Iterable[Any]:
    forms: Mapping[str, Any] = _of("formulas", "all_forms")()
    return forms.values()


def _defined(entries: Iterable[Any]) -> Choices:
    return [(each.name, each.definition) for each in entries]


def _forms_by_any_name() -> Choices:
    from gelu_cli.old.formulas import all_functions
    from gelu_cli.old.formulas.published import published_forms

    forms = (*_forms(), *published_forms().values(), *all_functions().values())
    aliases = [(alias, f"another name of {form.name}") for form in forms for alias in form.aliases]
    return [*_defined(forms), *aliases]


def _fitted_parameters() -> Iterator[tuple[str, str]]:
    for name in dict.fromkeys(each.name for form in _forms() for each in form.parameters):
        forms = (form.name for form in _forms() if name in {each.name for each in form.parameters})
        yield name, f"of {', '.join(forms)}"


def _documents(*names: str) -> Choices:
    from gelu_cli.old.report.documents import document_names

    package = "gelu_cli.old.report.documents"
    return [(name, module_words(f"{package}.{name}")) for name in names or document_names()]


def _formats() -> Choices:
    from gelu_cli.old.report.formats import format_names

    known = ((name, module_words(f"gelu_cli.old.report.formats.{name}")) for name in format_names())
    return [("auto", "table on a terminal, csv otherwise"), *known, *_documents("html")]


def _pictures() -> Choices:
    return [
        ("auto", "text, or as the file ends"),
        ("text", "characters, 80 wide in a file"),
        ("svg", "a file: SVG"),
        *(
            (kind, f"a file, by matplotlib: {kind.upper()}")
            for kind in _of("report.plots", "PICTURES")
            if kind != "svg"
        ),
        *_documents("html"),
    ]


AUTO = ("auto", "the form that the results are nearest to")
REGISTRIES: Mapping[str, Callable[[], Iterable[tuple[str, str]]]] = {
    "forms": lambda: _defined(_forms()),
    "forms_by_any_name": _forms_by_any_name,
    "fitted_forms": lambda: _defined(form for form in _forms() if form.parameters),
    "fitted_parameters": _fitted_parameters,
    "targets": lambda: [*_forms_by_any_name(), AUTO, ("self", "the routine's own form")],
    "targets_of_results": lambda: [*_forms_by_any_name(), AUTO],
    "routines": lambda: _defined(_of("sweeping.routines", "ROUTINES").values()),
    "dtypes": lambda: (
        (name, f"{each.width} bits, {each.precision} significant")
        for name, each in _of("arithmetic.formats", "FORMATS").items()
    ),
    "backends": lambda: (
        (name, f"arrays of {name}") for name in _of("guests.backends", "backend_names")()
    ),
    "signatures": lambda: _of("guests.calling", "SIGNATURES").items(),
    "backwards": lambda: _of("guests.calling", "BACKWARDS").items(),
    "packings": lambda: _of("guests.calling", "PACKINGS").items(),
    "criteria": lambda: _of("fitting", "CRITERIA").items(),
    "sweep_views": lambda: _of("answers.sweep", "VIEWS").items(),
    "compare_views": lambda: _of("answers.compare.kernels", "VIEWS").items(),
    "formats": _formats,
    "documents": _documents,
    "pictures": _pictures,
    "formats_of_kernels": lambda: dict([*_formats(), *_documents(), *_pictures()[1:]]).items(),
    "topics": lambda: [
        *_of("cli.app", "app").summaries(),
        *_of("cli.manual.guides", "pages")().items(),
    ],
}
NAMES = (*LISTS, *REGISTRIES)


def settings() -> Choices:
    """Return the parameters of forms, as they are set after the name: sigmoid:beta=.

    >>> settings()[0]
    ('tanh:c=', 'a parameter of tanh')
    """
    return [
        (f"{name}:{parameter.name}=", f"a parameter of {name}")
        for form in _forms()
        for name in (form.name, *form.aliases)
        for parameter in form.parameters
    ]


def formats_by_suffix(suffix: str) -> Iterator[str]:
    """Yield the formats whose files end so: tables, documents, pictures.

    >>> list(formats_by_suffix("md")), list(formats_by_suffix("htm"))
    (['markdown'], ['html'])
    """
    from gelu_cli.old.report.documents import document_for_suffix
    from gelu_cli.old.report.formats import name_for_suffix
    from gelu_cli.old.report.plots import SUFFIXES

    for find in (name_for_suffix, document_for_suffix, SUFFIXES.get):
        if name := find(f".{suffix}"):
            yield name


def choices_of(name: str) -> Choices:
    """Return the list of that name.

    >>> choices_of("results")
    [('value', 'f(x)'), ('gradient', 'f′(x)')]
    """
    return LISTS[name] if name in LISTS else list(REGISTRIES[name]())


def fill(text: str) -> str:
    """Return a help text in which {forms} and the like are lists of names.

    >>> fill("{results}.")
    'value, gradient.'
    """
    return re.sub(
        r"\{(\w+)\}", lambda found: ", ".join(name for name, _ in choices_of(found[1])), text
    )
