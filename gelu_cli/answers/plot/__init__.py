"""What `gelu plot` draws: forms, and what sweeps have found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gelu_cli.forms import Form

GELU = "GELU"


def name_of(form: Form) -> str:
    """Return what a form is called in a title: GELU is, whatever it was asked for as."""
    return GELU if form.name == "exact" else form.label
