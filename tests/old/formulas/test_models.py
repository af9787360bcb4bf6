"""Which models compute which form: that the list is whole, and the answers that people mistake."""

import re

from gelu_cli.old.formulas import all_forms, find_form, typed_form
from gelu_cli.old.formulas.form import Form
from gelu_cli.old.formulas.models import all_models, users_of
from tests.old.every import every

PLACE = re.compile(r"[\w.-]+/[\w.-]+: [\w./-]+\.(py|cfg|yml|md)\b|arXiv:\d{4}\.\d{5}")
"""A file of a repository, or a paper."""


def test_names_are_unique():
    assert len({model.name for model in all_models()}) == len(all_models()) > 50


@every("model", all_models(), ids=lambda model: model.name)
def test_a_model_has_a_form_that_is_found_a_year_and_a_source(model):
    assert isinstance(typed_form(model.form), Form)
    assert typed_form(model.form).label == model.form
    assert model.since >= 2017
    assert PLACE.search(model.source)
    assert model in users_of(typed_form(model.form))


def test_models_stand_in_the_order_of_the_forms_and_then_of_their_years():
    forms = list(all_forms())
    keys = [(forms.index(typed_form(model.form).name), model.since) for model in all_models()]
    assert keys == sorted(keys)


# Of the programs themselves: google-research/bert and vision_transformer, zihangdai/xlnet,
# EleutherAI/gpt-neox, and Hugging Face's transformers, whose names and defaults these are.
@every(
    ("name", "form"),
    [
        ("BERT (Google, 2018)", "exact"),
        ("BERT (Google, since 2019)", "tanh"),
        ("BERT (Transformers)", "exact"),
        ("XLNet (Google)", "tanh"),
        ("XLNet (Transformers)", "exact"),
        ("ViT (Google)", "tanh"),
        ("ViT (Transformers)", "exact"),
        ("Pythia (as trained)", "tanh"),
        ("Pythia (Transformers)", "exact"),
        ("GPT-2", "tanh"),
        ("CLIP", "sigmoid"),
        ("OpenCLIP", "exact"),
        ("Gemma", "tanh"),
        ("Llama", "silu"),
        ("T5", "relu"),
        ("T5 v1.1", "tanh"),
    ],
)
def test_one_name_in_two_programs_may_be_two_forms(name, form):
    assert {model.name: model.form for model in all_models()}[name] == form


def test_the_names_in_a_source_are_names_of_its_form():
    names = {alias: form.name for form in all_forms().values() for alias in form.aliases}
    for model in all_models():
        # Of two names, as in `gated-gelu: gelu_new`, the second is what the first stands for.
        last = model.source.split()[-1]
        if "configuration_" in model.source and last in names:
            assert names[last] == typed_form(model.form).name, model


def test_who_computes_a_form_is_asked_of_the_function_and_not_of_its_name():
    sigmoid = find_form("quick_gelu")
    assert [model.name for model in users_of(sigmoid)] == ["CLIP"]
    half = {"beta": sigmoid.settings["beta"] / 2}
    assert users_of(sigmoid.with_settings("sigmoid:beta=0.851", half)) == []
    same = sigmoid.with_settings("sigmoid:beta=1.702", dict(sigmoid.settings))
    assert users_of(same) == users_of(sigmoid)
    assert users_of(find_form("hard")) == []
