"""Forms by label, read from TOML files; published sets; models.

A published set is a form with constants, or a formula, from a paper or a program. A label is the
name or alias of a form, or the name of a published set; parameters may follow: `tanh:c=0.044`.
Forms are in `forms.toml` and `published.toml`. A formula there is a Python expression in x and the
parameters, with the functions in `NAMES` and the signs in `SIGNS`; decimals with a point and
quotients of integers are exact. A model, such as BERT, is a row in `models.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from pkgutil import get_data
from tomllib import loads
from types import MappingProxyType
from typing import Any, NamedTuple

from flint import fmpq, fmpq_poly

from gelu_cli.errors import unknown
from gelu_cli.formulas import special
from gelu_cli.formulas.form import Form, Parameter
from gelu_cli.formulas.pieces import Cut, Piece, mirrored, to_fraction, with_zero

NAMES: dict[str, Any] = {
    "Φ": special.normal_cdf,
    "φ": special.normal_density,
    "σ": special.logistic,
    "square": lambda x: x * x,  # x**2 is NaN for a ball around 0
    **vars(special),
}

SIGNS = {
    "√½": "sqrt_half()",
    "√(2/π)": "sqrt_two_over_pi()",
    "√": "sqrt",
    "π": "pi()",
    "½": "1/2",
    "·": "*",
}
NUMBER = re.compile(r"(?<![\w.])(?:\d*\.\d+(?:e-?\d+)?|\d+/\d+)")
FACTS = ("definition", "used_by", "since", "same_as", "gradient_second_moment")
X = fmpq_poly([0, 1])

FIRST = ("exact", "tanh", "sigmoid")
"""The forms in widest use come first in every list; other forms follow in alphabetical order."""

FUNCTIONS = ("logistic", "tanh_fn", "erf", "Phi", "normal_pdf")
"""Names of the functions that occur in forms; each function is itself a form."""


def formula(text: str, names: Sequence[str]) -> Callable[..., Any]:
    """Compile a formula to a function of the variables `names`.

    >>> formula("½ + 0.1·x", ["x"])(2)
    7/10
    """
    constants: dict[str, fmpq] = {}

    def named(number: re.Match[str]) -> str:
        name = f"_{len(constants)}"
        constants[name] = to_fraction(number[0])
        return name

    for sign, word in SIGNS.items():
        text = text.replace(sign, word)
    source = f"lambda {', '.join(names)}: ({NUMBER.sub(named, text)})"
    function: Callable[..., Any] = eval(source, NAMES | constants)
    return function


def form_of(name: str, entry: Mapping[str, Any]) -> Form:
    """Return the form that a TOML entry defines."""
    parameters = tuple(_parameter(each, entry) for each in entry.get("parameters", ()))
    names = [each.name for each in parameters]
    given = entry.get("gate") or entry["value"]
    pieces = [
        _piece(each, names, "gate" in entry)
        for each in (given if isinstance(given, list) else [given])
    ]
    places = [[each] if isinstance(each, str) else each for each in entry.get("cuts", ())]
    cuts = [_cut(names, *each) for each in places]
    symmetry = entry.get("symmetry", "complementary")

    def all_cuts(**settings: fmpq) -> list[Cut]:
        found = with_zero([cut(**settings) for cut in cuts])
        return found if symmetry == "none" else mirrored(found)

    if symmetry != "none":
        pieces += [piece.mirrored(symmetry) for piece in reversed(pieces)]
    else:
        usual = all_cuts(**{each.name: each.default for each in parameters})
        if len(usual) == len(pieces):  # 0 is inside a piece: cut the piece at 0
            at = [cut.square for cut in usual].index(fmpq(0))
            pieces.insert(at, pieces[at])
    return Form(
        name,
        tuple(pieces),
        all_cuts,
        parameters,
        parity="" if "gate" in entry else symmetry,
        symmetric=symmetry == ("complementary" if "gate" in entry else "ramp"),
        zeros=frozenset(map(tuple, entry.get("zeros", ()))),
        needs=entry.get("needs", ""),
        fulfils=formula(entry.get("needs", "True"), names),
        source=entry.get("form_source") or entry.get("source", ""),
        aliases=tuple(entry.get("aliases", ())),
        **{fact: entry[fact] for fact in FACTS if fact in entry},
    )


def _parameter(name: str, entry: Mapping[str, Any]) -> Parameter:
    given = entry["parameters"][name]
    sign = (name in entry.get("positive", ())) - (name in entry.get("negative", ()))
    if isinstance(given, str):
        return Parameter(name, to_fraction(given), sign)
    text, near = given
    return Parameter(name, to_fraction(near), sign, formula(text, ()), text)


def _piece(given: Any, names: Sequence[str], gated: bool) -> Piece:
    """Make a piece from the formula of its tail, or from a table of formulas."""
    parts = {"tail": given} if isinstance(given, str) else given
    tail = formula(parts["tail"], ["x", *names]) if "tail" in parts else None
    # `line` gets rational parameters only: no polynomial depends on an irrational parameter.
    line = formula(parts.get("polynomial", "0"), ["x", *(f"{name}=None" for name in names)])
    return Piece(tail, lambda **settings: fmpq_poly(line(X, **settings)), gated)


def _cut(names: Sequence[str], place: str, holds: str = "left") -> Callable[..., Cut]:
    """Return a function of the parameters: the cut at `place`, such as `b√2`."""
    factor, _, radicand = place.partition("√")
    size, under = formula(factor, names), to_fraction(radicand or "1")

    def cut(**settings: fmpq) -> Cut:
        x = fmpq(size(**settings))
        return Cut(x * abs(x) * under, holds)

    return cut


@cache
def read_table(file: str, package: str = "gelu_cli.formulas") -> dict[str, Any]:
    """Read a TOML file of a package.

    >>> list(read_table("models.toml"))[:3]
    ['exact', 'tanh', 'sigmoid']
    """
    return loads((get_data(package, file) or b"").decode())


@cache
def _registered(name: str) -> Form:
    return form_of(name, read_table("forms.toml")[name])


@cache
def all_forms() -> Mapping[str, Form]:
    """Return the forms of `forms.toml` by name, without `FUNCTIONS`.

    >>> list(all_forms())[:4]
    ['exact', 'tanh', 'sigmoid', 'elu']
    """
    others = sorted({*read_table("forms.toml")} - {*FIRST, *FUNCTIONS})
    return MappingProxyType({name: _registered(name) for name in (*FIRST, *others)})


@cache
def all_functions() -> Mapping[str, Form]:
    """Return the functions that occur in forms, by name.

    >>> list(all_functions())
    ['logistic', 'tanh_fn', 'erf', 'Phi', 'normal_pdf']
    """
    return MappingProxyType({name: _registered(name) for name in FUNCTIONS})


@cache
def published_forms() -> Mapping[str, Form]:
    """Return the published sets with formulas of their own, as forms by name.

    >>> published_forms()["puma"].definition[:21]
    '0 for x < −4, a cubic'
    """
    entries = read_table("published.toml")
    own = {name: entry for name, entry in entries.items() if "form" not in entry}
    return MappingProxyType({name: form_of(name, entry) for name, entry in own.items()})


@cache
def by_any_name() -> Mapping[str, str]:
    """Map every name and alias of a form, in lower case, to the form's name.

    >>> by_any_name()["ndtr"]
    'Phi'
    """
    entries = read_table("forms.toml").items()
    aliases = {alias: name for name, entry in entries for alias in entry.get("aliases", ())}
    return {**{name.lower(): name for name, _ in entries}, **aliases}


@lru_cache(1024)
def find_form(name: str) -> Form:
    """Return the form, function or published set with a name or alias.

    Upper and lower case are the same, and a blank is an underscore. The label of the form is the
    name as given. Raises UsageError if no form has the name.

    >>> find_form("GELU_new").name, find_form("GELU_new").label
    ('tanh', 'GELU_new')
    """
    word, known = name.lower().replace(" ", "_"), by_any_name()
    if word in known:
        form = _registered(known[word])
    elif word in published_forms():
        form = published_forms()[word]
    else:
        raise unknown("form", name, [*known, *published_forms()])
    return form if name == form.name else replace(form, typed=name)


@lru_cache(1024)
def labelled(name: str, label: str, settings: tuple[tuple[str, Fraction], ...]) -> Form:
    """Return the form with a label and parameters: the same object each time."""
    form = find_form(label.partition(":")[0] or name)
    return form.with_settings(label, dict(settings)) if settings else form


def typed_form(label: str) -> Form:
    """Return the form of a label; parameters in it are decimals or quotients.

    >>> typed_form("hard:slope=1").settings["slope"]
    Fraction(1, 1)
    """
    name, *typed = label.split(":")
    pairs = (setting.split("=") for setting in typed)
    settings = {parameter: Fraction(value) for parameter, value in pairs}
    return labelled(name, label, tuple(settings.items()))


def canonical(label: str) -> str:
    """Replace an alias in a label by the name of the form.

    >>> canonical("quick_gelu:beta=1.6"), canonical("exact")
    ('sigmoid:beta=1.6', 'exact')
    """
    name, colon, settings = label.partition(":")
    return f"{find_form(name).name}{colon}{settings}"


class PublishedSet(NamedTuple):
    """A published set; `claims` are values or bounds of its errors, as text."""

    name: str
    form: Form
    source: str
    claims: list[str]

    @property
    def is_own_form(self) -> bool:
        """True if the set has a formula of its own."""
        return self.form.name == self.name


@cache
def all_sets() -> Mapping[str, PublishedSet]:
    """Return every published set by its name."""
    sets = {}
    for name, entry in read_table("published.toml").items():
        form = typed_form(entry["form"]) if "form" in entry else published_forms()[name]
        sets[name] = PublishedSet(name, form, entry["source"], entry.get("claims", []))
    return MappingProxyType(sets)


class Model(NamedTuple):
    """A model, the label of its form, the year of paper or release, a source.

    A source is a GitHub repository with a file and setting or function; or a paper with a section.
    """

    name: str
    form: str
    since: int
    source: str


@cache
def all_models() -> tuple[Model, ...]:
    """Return every model in the order of `models.toml`: by form, then year."""
    return tuple(
        Model(name, form, since, source)
        for form, models in read_table("models.toml").items()
        for name, since, source in models
    )


def users_of(form: Form) -> list[Model]:
    """List the models that compute a form with the same parameters.

    >>> [model.name for model in users_of(typed_form("mish"))]
    ['YOLOv4']
    """
    return [model for model in all_models() if typed_form(model.form).function == form.function]


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", name.lower())


def models_named(word: str) -> list[Model]:
    """List the models whose names begin with a word, the shortest first.

    Letters (in either case), digits and points are compared; other signs are ignored.

    >>> [model.name for model in models_named("gemma")]
    ['Gemma', 'Gemma 2', 'Gemma 3']
    """
    found = [model for model in all_models() if _letters(model.name).startswith(_letters(word))]
    return sorted(found, key=lambda model: len(model.name))
