"""Formulas: an entry for each form.

`forms.toml` has the forms, `entries` reads an entry, `catalog` finds a form by its label; `form`
says what a form is; `published` and `models` say who uses which constants.
"""

from gelu_cli.formulas.catalog import (
    all_forms,
    all_functions,
    by_any_name,
    canonical,
    find_form,
    labelled,
    published_forms,
    read_table,
    typed_form,
)
from gelu_cli.formulas.entries import form_of
from gelu_cli.formulas.form import OF_GATES, ORDERS, QUANTITIES, Form, Parameter

__all__ = [
    "OF_GATES",
    "ORDERS",
    "QUANTITIES",
    "Form",
    "Parameter",
    "all_forms",
    "all_functions",
    "by_any_name",
    "canonical",
    "find_form",
    "form_of",
    "labelled",
    "published_forms",
    "read_table",
    "typed_form",
]
