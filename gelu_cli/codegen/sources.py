"""Forms as programs: constants and statements, by `programs.toml`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FORMATS, round_fraction

FLOAT32 = FORMATS["float32"]

SQRT_2 = Fraction(math.isqrt(2 << 600), 1 << 300)
"""√2 to 300 bits."""

OWN_K: Mapping[str, Callable[[Mapping[str, Fraction]], Fraction]] = {
    "hard": lambda settings: 3 / settings["slope"],
    "igelu": lambda settings: -settings["b"] * SQRT_2,
    "erf_as": lambda settings: SQRT_2 / 2,
}
"""The constant k of forms that have one."""


class Program(NamedTuple):
    """A function: its formula for the reader, and its statements."""

    formula: str
    constants: Mapping[str, Fraction]
    statements: Sequence[str]


@cache
def all_programs() -> Mapping[str, Any]:
    """Read the programs of forms by name."""
    from tomllib import loads

    return loads((get_data("gelu_cli.codegen", "programs.toml") or b"").decode())


def program_of(form: Form) -> Program:
    """Return the program of a form.

    Raises UsageError if there is none.
    """
    programs = all_programs()
    if form.name not in programs:
        raise UsageError(f"there is no code of '{form.label}'; take one of {', '.join(programs)}")
    entry, values = programs[form.name], form.settings
    if form.name in OWN_K:
        values["k"] = values["k_rest"] = OWN_K[form.name](values)
    powers = list(entry.get("powers", ()))
    while powers[1:] and not values[powers[-1]]:
        powers.pop()
    exponents = range(entry.get("first", 0), 16, 2)
    terms = [f"{c}*x^{n}" if n > 1 else f"{c}*x" for c, n in zip(powers, exponents)]  # noqa: B905
    polynomial = horner(powers, entry["variable"]) if powers else ""
    statements = entry["statements"].strip().replace("{horner}", polynomial).splitlines()
    constants = {name: values[name] for name in [*entry["constants"], *powers]}
    return Program(entry["formula"].replace("{terms}", " + ".join(terms)), constants, statements)


def horner(names: Sequence[str], variable: str) -> str:
    """Write a polynomial by Horner's rule, the lowest power first.

    >>> horner(["c1", "c3", "c5"], "s")
    '(c1 + s * (c3 + s * c5))'
    """
    first, *others = names
    return f"({first} + {variable} * {horner(others, variable)})" if others else first


def number(name: str, value: Fraction) -> Fraction:
    """Return the float32 that a constant is.

    The nearest one; of an edge A the nearest that is not beyond it; what k leaves of its value.
    """
    nearest = rounded(value)
    if math.isinf(nearest) or (value and not nearest):
        raise UsageError(
            f"a constant, about {float(value):.3g}, is beyond float32; take other parameters"
        )
    found = Fraction(nearest)
    if name == "k_rest":
        return Fraction(rounded(value - found))
    if name == "A" and found > value:
        return Fraction(FLOAT32.number(FLOAT32.bits(nearest) - 1))
    return found


def rounded(value: Fraction) -> float:
    """Round a fraction to float32."""
    return float(round_fraction(FLOAT32, to_fraction(value)))


def decimal(name: str, value: Fraction) -> str:
    """Write a constant in decimal; it reads back through float64, too.

    >>> [decimal("c", Fraction(c)) for c in ("0.044715", "1/3")]
    ['0.044715', '0.33333334']
    """
    found = float(number(name, value))
    text = f"{found:.17g}"
    if Fraction(text) != value:
        text = FLOAT32.shortest(found)
    return text if {*text} & {*".e"} else f"{text}.0"
