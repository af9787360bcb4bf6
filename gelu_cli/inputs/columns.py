"""Meanings of headings, as `table` or as people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import NamedTuple

from gelu_cli.errors import UsageError, briefly
from gelu_cli.formulas import Form, by_any_name, published_forms
from gelu_cli.inputs.files import Columns
from gelu_cli.inputs.names import to_form
from gelu_cli.inputs.numbers import listed

SIGNS = str.maketrans("’′−–²∂_", "''--2d ", "*$^`")
WRITTEN = {
    "complement": r"x - (.+)|(.+) complement",
    "gate_gradient": r"(.+) gate(?:'| gradient)",
    "up_gradient": r"(.+) up gradient",
    "mask_variance": r"(.+) mask variance",
    "curvature": r"d2/dx2 (.+)|d2(.+)/dx2|second derivative of (.+)|(.+)''|(.+) curvature",
    "gradient": r"d/dx (.+)|d(.+)/dx|(?:gradient|derivative) of (.+)|(.+)'|"
    r"(.+) (?:grad|gradient|derivative)",
    "gate": r"(.+) gate",
    "value": r"GELU \((.+)\)|(.+?)(?: value)?",
}
"""Spellings of quantities of a form; the first that matches is meant."""

FUNCTIONS = ("tanh(x)", "sigmoid(x)", "phi(x)")
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

    >>> [meaning_of(each).name for each in ("x_bits", "gelu'(x)", "d/dx SiLU", "x - tanh")]
    ['x', 'gelu_gradient', 'SiLU_gradient', 'tanh_complement']
    >>> meaning_of("remark") is None
    True
    """
    text = re.sub(r"('+)\(x\)", r"(x)\1", heading.replace("″", "''").translate(SIGNS).strip())
    text, bits = text.removesuffix(" bits"), text.endswith(" bits")
    if text.lower() in ("x", "up"):
        return Meaning(None, text.lower(), bits)
    for quantity, pattern in WRITTEN.items():
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            name = match[match.lastindex or 0].strip()
            known = name.removesuffix("(x)").replace(" ", "_")
            word = known.partition(":")[0].lower()
            if name.lower() in FUNCTIONS or word not in {**by_any_name(), **published_forms()}:
                return None
            return Meaning(to_form(known), quantity, bits)
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
    renamed, ignored = {}, listed(ignore)
    for word in listed(rename):
        name, _, meant = word.partition("=")
        if not (meaning := meaning_of(meant)):
            raise UsageError(f"--rename {word}: write NAME=F_gradient, e.g. grad=tanh_gradient")
        renamed[name] = meaning
    for name in (*renamed, *ignored):
        columns[name]
    names = [name for name in columns.cells if name not in ignored]
    found = {name: renamed.get(name) or meaning_of(name or "exact") for name in names}
    others = [name for name, each in found.items() if each is None or each.form]
    if form or quantity:
        if len(others) > 1:
            several = f"one column, {columns.name} has {', '.join(others)}"
            raise UsageError(f"--form and --quantity are for {several}; add --ignore NAME")
        for name in others:
            own = found[name] or Meaning(to_form("exact"), "value")
            found[name] = own._replace(form=form or own.form, quantity=quantity or own.quantity)
    for name, each in found.items():
        if each is None:
            what = f"column {briefly(name)} of {columns.name} is not understood"
            word = quote(name)
            remedy = f"--column {word} if it is x, --rename {word}=F_gradient, or --ignore {word}"
            raise UsageError(f"{what}; add {remedy}")
    return {name: each for name, each in found.items() if each}


def input_column(meanings: Mapping[str, Meaning], columns: Columns, name: str) -> str:
    """Find the column of an input, of bit patterns before numbers."""
    by_bits = {each.bits: key for key, each in meanings.items() if each[:2] == (None, name)}
    if not by_bits:
        has = f"{columns.name} has no column {name}, but {', '.join(columns.cells)}"
        raise UsageError(f"{has}; add --rename NAME={name}")
    return by_bits.get(True) or by_bits[False]
