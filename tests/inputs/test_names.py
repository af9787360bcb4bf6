"""Names of forms, quantities and formats."""

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import choose, to_form, to_format, to_forms, to_quantities

FORMATS = {
    "float32": "float32",
    "bf16": "bfloat16",
    "half": "float16",
    "torch.bfloat16": "bfloat16",
    "e4m3": "float8_e4m3fn",
    np.float64: "float64",
    np.dtype("float16"): "float16",
}
REFUSED_FORMS = {
    "tnah": "did you mean 'tanh'",
    "tanh:c": "NAME:PARAM=VALUE",
    "tanh:c=1:c=2": "each PARAM once",
    "tanh:c=x": "c of 'tanh:c=x'",
    "tanh:c=1e7": "1e-6 to 1e6",
    "sigmoid:beta=inf": "finite",
}


def test_parameters_are_set_exactly():
    form = to_form("tanh:c=0.044")
    assert form.label == "tanh:c=0.044"
    assert to_form(form) is form
    assert form.settings["c"] * 1000 == 44


def test_bad_forms_are_refused_with_the_remedy():
    for word, remedy in REFUSED_FORMS.items():
        with pytest.raises(UsageError) as refused:
            to_form(word)
        assert remedy in str(refused.value), word


def test_lists_of_forms_have_each_once():
    assert [each.label for each in to_forms(["exact,tanh", "tanh", to_form("relu")])] == [
        "exact",
        "tanh",
        "relu",
    ]
    with pytest.raises(UsageError, match="names no form"):
        to_forms(" , ")


def test_all_quantities_are_those_that_each_form_has():
    gated = to_quantities("all", [to_form("exact")])
    assert {*gated} - {*to_quantities("all", [to_form("exact"), to_form("elu")])} == {
        "gate",
        "gate_gradient",
        "mask_variance",
    }
    assert to_quantities("value,gradient,value", [to_form("elu")]) == ["value", "gradient"]
    for words in ("gate", "slopes"):
        with pytest.raises(UsageError):
            to_quantities(words, [to_form("elu")])


def test_formats_by_name_and_by_dtype():
    assert {word: to_format(word).name for word in FORMATS} == FORMATS
    with pytest.raises(UsageError, match="float"):
        to_format("int8")


def test_choices_name_what_is_meant():
    assert choose("view", "worst", ["summary", "worst"]) == "worst"
    for word, hint in {
        "wrost": "did you mean 'worst'",
        1.9: "unknown view '1.9'; choose from",
    }.items():
        with pytest.raises(UsageError, match=hint):
            choose("view", word, ["summary", "worst"])
