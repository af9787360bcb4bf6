"""Forms by their labels."""

import pickle
from fractions import Fraction

import pytest

from gelu_cli.errors import UsageError
from gelu_cli.formulas import (
    OF_GATES,
    all_forms,
    all_functions,
    canonical,
    find_form,
    published_forms,
    typed_form,
)
from gelu_cli.formulas.catalog import all_models, all_sets, users_of

LABELS = {
    "tanh": ("tanh", "tanh"),
    "GELU_new": ("tanh", "GELU_new"),
    "mlx precise": ("tanh", "mlx precise"),
    "ndtr": ("Phi", "ndtr"),
    "phi": ("Phi", "phi"),
    "Puma": ("puma", "Puma"),
    "quick_gelu": ("sigmoid", "quick_gelu"),
    "swish": ("silu", "swish"),
    "h_gelu": ("hard", "h_gelu"),
}
REFUSED = {
    "tnah": "did you mean 'tanh'?",
    "relu:c=1": "has no parameters",
    "tanh:beta=1": "unknown parameter 'beta'",
    "sigmoid:beta=0": "must be positive",
    "igelu:b=1": "must be negative",
    "tanh:d=-0.001": "give parameters with d > 0",
    "tanh:c=-0.1": "give parameters with d > 0",
}


def test_a_form_keeps_the_label_as_it_was_typed():
    found = {label: (find_form(label).name, find_form(label).label) for label in LABELS}
    assert found == LABELS


def test_parameters_count_as_typed_and_labels_are_kept():
    form = typed_form("quick_gelu:beta=1.6")
    assert form.label == "quick_gelu:beta=1.6"
    assert form.settings == {"beta": Fraction(8, 5)}
    assert canonical(form.label) == "sigmoid:beta=1.6"


def test_labels_that_name_no_form_are_refused_with_a_remedy():
    for label, words in REFUSED.items():
        with pytest.raises(UsageError, match=words.replace("?", r"\?")):
            typed_form(label)


def test_a_form_is_one_object_in_every_process():
    for label in ("exact", "GELU_new", "tanh:c=0.044:a=0.8", "puma", "Phi"):
        form = typed_form(label)
        again = pickle.loads(pickle.dumps(form))
        assert again is pickle.loads(pickle.dumps(form))
        assert (again.label, again.function) == (form.label, form.function)


def test_the_forms_that_users_know_are_there():
    names = {"exact", "tanh", "tanh_taylor", "sigmoid", "sigmoid_taylor", "igelu", "hard", "erf_as"}
    names |= {"relu", "elu", "silu", "softplus", "mish", "noisy_relu", "polynomial"}
    assert set(all_forms()) == names | {"leaky_relu", "squareplus"}
    assert list(all_forms())[:3] == ["exact", "tanh", "sigmoid"]
    assert list(all_functions()) == ["logistic", "tanh_fn", "erf", "Phi", "normal_pdf"]


def test_only_forms_written_with_a_gate_have_one():
    without = {"elu", "softplus", "noisy_relu", "squareplus", *all_functions()}
    forms = {**all_forms(), **all_functions()}
    assert {name for name, form in forms.items() if not form.has_gate} == without
    with pytest.raises(UsageError, match="has no gate"):
        find_form("elu").require(OF_GATES)


def test_every_published_set_is_a_form_with_a_source():
    for name, each in all_sets().items():
        assert each.source, name
        assert each.is_own_form == (name in published_forms())
        assert each.form.cuts, name
        assert any(cut.square == 0 for cut in each.form.cuts), name


def test_every_model_computes_a_known_form():
    for model in all_models():
        assert model in users_of(typed_form(model.form))
