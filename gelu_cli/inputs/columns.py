"""What the headings of columns mean, as `table` or as people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import NamedTuple

from gelu_cli.errors import UsageError, briefly
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.names import to_form
from gelu_cli.inputs.numbers import listed
from gelu_cli.old.formulas import QUANTITIES, Form, by_any_name
from gelu_cli.old.formulas.published import published_forms

SIGNS = str.maketrans({
    **dict.fromkeys("’‘ʹ´`′", "'"), "″": "''", '"': "''", "−": "-", "–": "-", "²": "2", "∂": "d",
    **dict.fromkeys("·*⋅×$\\{}^", ""), "Φ": "Phi", "φ": "normal_pdf", "ϕ": "normal_pdf",
    "σ": "logistic",
})  # fmt: skip
"""Signs of derivatives, products and mathematics, in plain letters."""

UNIT = re.compile(r"\s*(?:\[[^\]]*\]|\((?:1|-|a\.?u\.?)\))$")
LEIBNIZ = re.compile(r"d(2?)\s*/\s*dx\1\s*(.+)|d(2?)\s*(\S.*?)\s*/\s*dx\3", re.IGNORECASE)
ENDINGS = {
    "grad": "gradient", "derivative": "gradient", "prime": "gradient", "cdf": "gate",
    "second_derivative": "curvature", "hessian": "curvature", "up_gradient": "up_gradient",
    **{name: name for name in QUANTITIES},
}  # fmt: skip
"""How headings end, and the quantities that this means."""

BEGINNINGS = {
    "second_derivative_of_": "curvature", "derivative_of_": "gradient", "gradient_of_": "gradient",
    "grad_of_": "gradient", "grad_": "gradient",
}  # fmt: skip
DERIVATIVES = {
    "value": ["value", "gradient", "curvature"], "gradient": ["gradient", "curvature"],
    "curvature": ["curvature"], "gate": ["gate", "gate_gradient"],
}  # fmt: skip
PRODUCTS = {"xphi": "gelu", "xlogistic": "silu"}
FUNCTIONS = re.compile(r"(?i:tanh|sigmoid)\(x\)|phi\(x\)")
"""Headings that mean another function than the form of their name."""


class Meaning(NamedTuple):
    """Meaning of a column: a quantity of a form; without form an input."""

    form: Form | None
    quantity: str
    bits: bool = False

    @property
    def name(self) -> str:
        """The name that `table` gives the column, without `_bits`."""
        if self.form is None or self.quantity == "value":
            return self.form.label if self.form else self.quantity
        return f"{self.form.label}_{self.quantity}"


def meaning_of(heading: str) -> Meaning | None:
    """Understand a heading; None if it names neither an input nor a form.

    >>> [meaning_of(each).name for each in ("x [V]", "gelu'(x)", "d/dx SiLU", "x - tanh")]
    ['x', 'gelu_gradient', 'SiLU_gradient', 'tanh_complement']
    >>> meaning_of("remark") is None
    True
    """
    for ending in ("_bits", " bits"):
        if heading.endswith(ending) and (found := meaning_of(heading.removesuffix(ending))):
            return found._replace(bits=True)
    text = UNIT.sub("", heading.strip().translate(SIGNS))
    primes = text.count("'")
    text = text.replace("'", "")
    if text.lower() in ("x", "up"):
        return None if primes else Meaning(None, text.lower())
    if leibniz := LEIBNIZ.fullmatch(text):
        primes += 2 if leibniz[1] or leibniz[3] else 1
        text = leibniz[2] or leibniz[4]
    if FUNCTIONS.fullmatch(text):
        return None
    text, quantity = _split(text.replace("(x)", ""))
    derivatives = DERIVATIVES.get(quantity, [quantity])
    form = _form_of(text)
    if form is None or primes >= len(derivatives):
        return None
    return Meaning(form, derivatives[primes])


def _split(text: str) -> tuple[str, str]:
    """Split a heading into the name of a form and a quantity."""
    if complement := re.fullmatch(r"x\s*-\s*(.+)", text):
        return complement[1], "complement"
    joined = re.sub(r"[\s()]+", "_", text).strip("_")
    for beginning, quantity in BEGINNINGS.items():
        if joined.lower().startswith(beginning):
            return joined[len(beginning) :], quantity
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if joined.lower().endswith(f"_{ending}"):
            return joined[: -len(ending) - 1], ENDINGS[ending]
    return joined, "value"


def _form_of(name: str) -> Form | None:
    """Find a form by its name, alone or beside GELU; None without one."""
    word, colon, settings = name.partition(":")
    plain = word.lower().replace("-", "_")
    for each in (word, plain, plain.removeprefix("gelu_"), plain.removesuffix("_gelu")):
        known = PRODUCTS.get(each.lower(), each)
        if known.lower() in by_any_name() or known.lower() in published_forms():
            return to_form(f"{known}{colon}{settings}")
    return None


def understand(
    columns: Columns,
    rename: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    form: Form | None = None,
    quantity: str | None = None,
) -> dict[str, Meaning]:
    """Understand the headings of a file, but those to `ignore`.

    `rename` has words NAME=F_gradient. A `form` or `quantity` is what the only column is, whatever
    its heading; a column "" is the value of `exact`.
    """
    renamed, ignored = dict(_renamed(word) for word in listed(rename)), listed(ignore)
    for name in (*renamed, *ignored):
        columns.index(name)
    found: dict[str, Meaning | None] = {}
    for name in (each for each in columns.names if each not in ignored):
        try:
            found[name] = renamed.get(name) or meaning_of(name or "exact")
        except UsageError as error:
            raise UsageError(f"column '{name}' of {columns.name}: {error}") from None
    if form or quantity:
        _set_only(found, columns.name, form, quantity)
    for name, each in found.items():
        if each is None:
            raise UsageError(
                f"column {briefly(name)} of {columns.name} is not understood; add --rename "
                f"{quote(f'{name}=F_gradient')}, F being its form, or --ignore {quote(name)}"
            )
    return {name: each for name, each in found.items() if each}


def input_columns(meanings: Mapping[str, Meaning], columns: Columns, name: str) -> dict[bool, str]:
    """Find the columns of an input: its numbers, and by True its bit patterns."""
    found: dict[bool, str] = {}
    for heading, each in meanings.items():
        if each.form is None and each.quantity == name:
            if other := found.get(each.bits):
                both = f"'{other}' and '{heading}' of {columns.name} are both {name}"
                raise UsageError(f"{both}; add --ignore {heading}")
            found[each.bits] = heading
    if not found:
        has = f"{columns.name} has no column {name}, but {', '.join(columns.names)}"
        raise UsageError(f"{has}; add --rename NAME={name}")
    return found


def _set_only(
    found: dict[str, Meaning | None], file: str, form: Form | None, quantity: str | None
) -> None:
    """Set the meaning of the only column that is not an input."""
    others = {name: each for name, each in found.items() if each is None or each.form}
    if len({each.name if each else name for name, each in others.items()}) != 1:
        raise UsageError(
            f"--form and --quantity say what one column is, {file} has {', '.join(others)}; "
            "name columns by --rename NAME=F_gradient, or --ignore them"
        )
    for name, each in others.items():
        own = each or Meaning(to_form("exact"), "value")
        found[name] = Meaning(form or own.form, quantity or own.quantity, own.bits)


def _renamed(word: str) -> tuple[str, Meaning]:
    name, _, meant = word.partition("=")
    if not (meaning := meaning_of(meant)):
        raise UsageError(f"--rename {word}: write NAME=F_gradient, such as grad=tanh_gradient")
    return name, meaning
