"""`gelu forms`."""

import json

import pytest

from gelu_cli.old.cli.choices import choices_of
from gelu_cli.old.formulas import all_forms
from gelu_cli.old.formulas.models import all_models
from tests.old.cli.runner import Terminal, assert_refused, gelu, run_gelu

# What the frameworks call them: names that users paste from their configurations.
CONTRACT = {
    "exact": "none gelu gelu_python",
    "tanh": "gelu_new gelu_fast gelu_pytorch_tanh gelu_tanh gelu_accurate",
    "tanh_taylor": "",
    "sigmoid": "quick quick_gelu gelu_quick",
    "sigmoid_taylor": "",
    "igelu": "i_gelu",
    "hard": "hard_gelu h_gelu",
    "erf_as": "",
    "relu": "",
    "elu": "",
    "silu": "swish",
    "softplus": "",
    "mish": "",
    "noisy_relu": "",
    "polynomial": "",
}
PARAMETERS = {
    "tanh": "c=0.044715 a=√(2/π) d=0",
    "sigmoid": "beta=1.702",
    "elu": "alpha=1",
    "hard": "slope=1.702",
    "igelu": "a=-0.2888 b=-1.769",
}
ROWS = {row["name"]: row for row in gelu("forms").rows}


def test_the_columns_are_those_of_the_contract():
    assert gelu("forms").columns == ["name", "definition", "parameters", "aliases", "used_by"]


def test_every_form_has_a_row_with_a_definition():
    assert list(ROWS) == list(all_forms())
    assert all(row["definition"] for row in ROWS.values())


@pytest.mark.parametrize("name", CONTRACT)
def test_a_form_of_the_contract_has_its_names_and_parameters(name):
    assert set(CONTRACT[name].split()) <= set(ROWS[name]["aliases"].split())
    if name in PARAMETERS:
        assert ROWS[name]["parameters"] == PARAMETERS[name]


@pytest.mark.parametrize(
    ("alias", "name"),
    [(alias, row["name"]) for row in ROWS.values() for alias in row["aliases"].split()],
)
def test_an_alias_gives_the_column_of_its_form_under_its_own_name(alias, name):
    words = ["table", "-1.5", "2", "--form"]
    given, usual = gelu(*words, alias), gelu(*words, name)
    assert given.columns == ["x", alias, f"{alias}_gradient"]
    assert given.out.splitlines()[1:] == usual.out.splitlines()[1:]


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row["parameters"]])
def test_the_parameters_listed_are_the_ones_in_force(name):
    words = ["table", "-1.5", "2", "--no-header", "--form"]
    typed = [each for each in ROWS[name]["parameters"].split() if "√" not in each]
    settings = ":".join([name, *typed])
    assert gelu(*words, settings).out == gelu(*words, name).out


def test_without_header_the_first_row_is_a_form():
    assert gelu("forms", "--no-header").out.startswith("exact,")


# One form in full, and models


def test_a_name_in_a_pipe_gives_the_words_and_a_terminal_the_figures_as_well():
    words = gelu("forms", "gelu_new", "--view", "about")
    assert gelu("forms", "gelu_new").out == words.out
    assert words.columns == ["property", "value"]
    shown = run_gelu("forms", "gelu_new", stdout=Terminal).out
    assert "gelu_new, another name of tanh" in shown
    assert "Figures of gelu_new" in shown
    assert "huggingface/transformers" not in shown


def test_figures_have_the_digits_that_are_asked_for():
    answer = gelu("forms", "gelu", "--view", "figures", "--digits", "30")
    assert answer.columns == ["figure", "x", "value"]
    (minimum,) = (row for row in answer.rows if row["figure"] == "minimum")
    found = next(iter(gelu("locate", "--form", "gelu", "--digits", "30", "-q").rows))
    assert (minimum["x"], minimum["value"]) == (found["x"], found["value"])
    assert len(minimum["x"]) == len("-0.") + 30
    assert [row["x"] for row in answer.rows if row["figure"] == "second_moment"] == [""]


def test_json_has_numbers_for_figures_and_null_where_there_is_no_place():
    rows = json.loads(gelu("forms", "relu", "--view", "figures", "-f", "json").out)
    assert {"figure": "kink", "x": 0.0, "value": 0.0} in rows
    assert {"figure": "second_moment", "x": None, "value": 0.5} in rows


def test_models_are_those_of_one_form_or_all():
    every = gelu("forms", "--view", "models")
    assert every.columns == ["name", "form", "since", "source"]
    assert len(every.rows) == len(all_models())
    some = gelu("forms", "quick_gelu", "--view", "models").rows
    assert some == [row for row in every.rows if row["form"] == "sigmoid"]


# Gemma's configuration says gelu_pytorch_tanh, Whisper calls nn.GELU, and BERT has had both.
@pytest.mark.parametrize(
    ("word", "model", "form"),
    [
        ("gemma", "Gemma", "tanh"),
        ("GEMMA", "Gemma", "tanh"),
        ("gemma 3", "Gemma 3", "tanh"),
        ("whisp", "Whisper", "exact"),
        ("gpt", "GPT", "tanh"),
        ("mobilenet", "MobileNetV3", "hard:slope=1"),
    ],
)
def test_the_name_of_a_model_shows_the_form_that_it_computes(word, model, form):
    answer = run_gelu("forms", word)
    assert (answer.code, answer.rows) == (0, gelu("forms", form).rows)
    assert answer.err.startswith(f"gelu: note: {model} computes {form} (")
    shown = run_gelu("forms", word, stdout=Terminal).out
    assert f"{form}, the form of {model}\x1b" in shown
    assert f"Figures of {form}" in shown


def test_other_models_of_that_beginning_are_named_and_listed():
    said = run_gelu("forms", "gemma").err
    assert "other models whose names begin so: Gemma 2, Gemma 3; --view models lists them" in said
    assert "other models" not in run_gelu("forms", "gemma 2").err
    rows = gelu("forms", "gemma", "--view", "models").rows
    assert [(row["name"], row["form"]) for row in rows] == [
        ("Gemma", "tanh"),
        ("Gemma 2", "tanh"),
        ("Gemma 3", "tanh"),
    ]


def test_a_beginning_of_several_models_lists_them():
    rows = gelu("forms", "Bert").rows
    assert {row["name"]: row["form"] for row in rows} == {
        "BERT (Google, 2018)": "exact",
        "BERT (Transformers)": "exact",
        "BERT (Google, since 2019)": "tanh",
    }
    assert rows == gelu("forms", "bert", "--view", "models").rows


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ("bert --view figures", "of one form, and 'bert' is the beginning of BERT (Google, 2018)"),
        ("bert --digits 9", "--digits is for --view figures, not for models"),
        ("berta", "unknown form 'berta'"),
        ("tnah", "did you mean 'tanh'?"),
        ("-3", "unknown form '-3'"),
        ("tanh:b=2", "'b'"),
        ("--view figures", "--view figures is of one form; name it"),
        ("tanh --view forms", "--view forms has all forms; leave 'tanh' out"),
        ("--digits 9", "--digits is for the figures of one form; name it"),
        ("tanh --digits 9", "--digits is for --view figures"),
        ("--view models --digits 9", "--digits"),
        ("tanh --view models --digits 9", "--digits is for --view figures, not for models"),
        ("tanh relu", "unexpected 'relu'"),
    ],
)
def test_what_cannot_be_meant_is_refused(words, fragment):
    assert_refused(run_gelu("forms", *words.split()), fragment)


@pytest.mark.parametrize(
    "alias", [row["aliases"].split()[-1] for row in ROWS.values() if row["aliases"]]
)
def test_completion_knows_every_name(alias):
    assert {alias, "puma", "tanh"} <= {name for name, _ in choices_of("forms_by_any_name")}
