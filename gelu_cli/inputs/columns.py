"""Meanings of headings, as `table` or as people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import NamedTuple

from gelu_cli.errors import UsageError, briefly
from gelu_cli.formulas import Form, by_any_name, published_forms
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.names import to_form
from gelu_cli.inputs.numbers import listed

SIGNS = str.maketrans(
    {
        **dict.fromkeys("’′", "'"),
        "″": "''",
        **dict.fromkeys("−–", "-"),
        "²": "2",
        "∂": "d",
        **dict.fromkeys("*$^`", ""),
        "_": " ",
    }
)
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
    text = heading.translate(SIGNS).strip().replace("'(x)", "(x)'").replace("'(x)", "(x)'")
    if text.endswith(" bits"):
        found = meaning_of(text.removesuffix(" bits"))
        return found and found._replace(bits=True)
    if text.lower() in ("x", "up"):
        return Meaning(None, text.lower())
    for quantity, pattern in WRITTEN.items():
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            form = _form_of(match[match.lastindex or 0])
            return Meaning(form, quantity) if form else None
    return None


def _form_of(text: str) -> Form | None:
    name = text.strip().removesuffix("(x)").replace(" ", "_")
    word = name.partition(":")[0].lower()
    if text.lower() in FUNCTIONS or not (word in by_any_name() or word in published_forms()):
        return None
    return to_form(name)


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
    renamed, ignored = dict(map(_renamed, listed(rename))), listed(ignore)
    for name in (*renamed, *ignored):
        columns[name]
    names = [name for name in columns.names if name not in ignored]
    found = {name: renamed.get(name) or meaning_of(name or "exact") for name in names}
    if form or quantity:
        others = [name for name, each in found.items() if each is None or each.form]
        if len(others) > 1:
            raise UsageError(
                f"--form and --quantity say what one column is, {columns.name} has "
                f"{', '.join(others)}; add --rename NAME=F_gradient, or --ignore NAME"
            )
        for name in others:
            own = found[name] or Meaning(to_form("exact"), "value")
            found[name] = own._replace(form=form or own.form, quantity=quantity or own.quantity)
    for name, each in found.items():
        if each is None:
            has_x = any(other and not other.form for other in found.values())
            as_x = "" if has_x else f"--column {quote(name)}, if it is x, "
            raise UsageError(
                f"column {briefly(name)} of {columns.name} is not understood; add {as_x}--rename "
                f"{quote(f'{name}=F_gradient')}, F being its form, or --ignore {quote(name)}"
            )
    return {name: each for name, each in found.items() if each}


def _renamed(word: str) -> tuple[str, Meaning]:
    name, _, meant = word.partition("=")
    if not (meaning := meaning_of(meant)):
        raise UsageError(f"--rename {word}: write NAME=F_gradient, such as grad=tanh_gradient")
    return name, meaning


def input_column(meanings: Mapping[str, Meaning], columns: Columns, name: str) -> str:
    """Find the column of an input, of bit patterns before numbers."""
    found = [heading for heading, each in meanings.items() if each[:2] == (None, name)]
    if not found:
        has = f"{columns.name} has no column {name}, but {', '.join(columns.names)}"
        raise UsageError(f"{has}; add --rename NAME={name}")
    by_bits = {meanings[heading].bits: heading for heading in found}
    if len(by_bits) < len(found):
        both = " and ".join(map(repr, found))
        raise UsageError(f"{both} of {columns.name} are both {name}; add --ignore {found[-1]}")
    return by_bits.get(True) or by_bits[False]
