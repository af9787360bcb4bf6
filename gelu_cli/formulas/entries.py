"""Forms from their entries in `forms.toml` and `published.toml`.

A formula is an expression of Python in x and the parameters, with the functions of `NAMES` and the
signs of `SIGNS`. Decimals with a point, and quotients of integers, are exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flint import fmpq, fmpq_poly

from gelu_cli.formulas import special
from gelu_cli.formulas.form import Form, Parameter
from gelu_cli.formulas.pieces import Cut, Piece, mirrored, to_fraction, with_zero

NAMES: dict[str, Any] = {
    "Φ": special.normal_cdf,
    "φ": special.normal_density,
    "σ": special.logistic,
    "square": lambda x: x * x,  # a power of a ball around 0 has no bound
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


def formula(text: str, names: Sequence[str]) -> Callable[..., Any]:
    """Return a formula as a function of names.

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
    """Return the form of an entry."""
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
        if len(usual) == len(pieces):  # 0 is inside of a piece
            at = [cut.square for cut in usual].index(fmpq(0))
            pieces.insert(at, pieces[at])
    return Form(
        name,
        tuple(pieces),
        all_cuts,
        parameters,
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
    """Return a piece from a tail, or from a tail and a polynomial."""
    parts = {"tail": given} if isinstance(given, str) else given
    tail = formula(parts["tail"], ["x", *names]) if "tail" in parts else None
    # A polynomial has no parameters that are irrational: only fractions are given.
    line = formula(parts.get("polynomial", "0"), ["x", *(f"{name}=None" for name in names)])
    return Piece(tail, lambda **settings: fmpq_poly(line(X, **settings)), gated)


def _cut(names: Sequence[str], place: str, holds: str = "left") -> Callable[..., Cut]:
    """Return a function of parameters that makes a cut at a place like `b√2`."""
    factor, _, radicand = place.partition("√")
    size, under = formula(factor, names), to_fraction(radicand or "1")

    def cut(**settings: fmpq) -> Cut:
        x = fmpq(size(**settings))
        return Cut(x * abs(x) * under, holds)

    return cut
