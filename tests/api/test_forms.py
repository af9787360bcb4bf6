"""The forms: each can be named, by its names, its published constants and its models."""

from gelu_cli import forms, table
from tests.runner import gelu
from tests.truth.mpmath import FORMS, FUNCTIONS
from tests.truth.published import SETS

LISTED = ["name", "definition", "parameters", "aliases", "used_by"]
MODELS = ["name", "form", "since", "source"]
PUBLISHED = ["name", "form", "definition", "claims", "source"]


def about(*words):
    """The properties of a form on the command line."""
    run = gelu("forms", *words)
    assert list(run.rows[0]) == ["property", "value"]
    return {row["property"]: row["value"] for row in run.rows}


def test_each_view_has_its_columns_and_names():
    for words, columns, names in (
        ([], LISTED, FORMS),
        (["--view", "forms"], LISTED, FORMS),
        (["--view", "functions"], LISTED, FUNCTIONS),
        (["--view", "published"], PUBLISHED, SETS),
    ):
        rows = gelu("forms", *words).rows
        assert list(rows[0]) == columns
        assert {row["name"] for row in rows} >= {*names}
    rows = gelu("forms", "--view", "models").rows
    assert list(rows[0]) == MODELS
    assert [form.name for form in forms()][:3] == ["exact", "tanh", "sigmoid"]
    assert {*gelu("forms", "--view", "all", "-f", "json").json} == {
        "forms",
        "functions",
        "models",
        "published",
    }


def test_a_form_is_described():
    assert about("hard:slope=1") == {
        "name": "hard:slope=1",
        "definition": "x·relu6(slope·x + 3)/6, slope = 1.702",
        "parameters": "slope=1",
        "gate": "f(x) = x·G(x)",
        "models": "MobileNetV3",
        "source": "of hard: hard-swish (Howard et al., arXiv:1905.02244) with the slope 1.702",
    }
    assert (about("relu")["since"], about("swish")["aliases"]) == ("2010", "silu")
    assert "parameters" not in about("relu")
    assert "gate" not in about("erf")
    assert about("tanh:c=1/8")["parameters"] == "c=0.125 a=√(2/π) d=0"


def test_every_name_finds_its_form():
    for view in ("forms", "functions"):
        for row in forms().view(view):
            for name in [row["name"], *row["aliases"].split(), row["name"].upper()]:
                found = forms(name)
                assert (found.name, found.definition) == (name, row["definition"])
                assert name not in found.aliases.split()


def test_every_model_finds_its_form_and_the_form_its_models():
    for row in forms().view("models"):
        assert row in forms(row["name"]).view("models")
        found = forms(row["form"])
        assert row["name"] in found.models
        assert row in found.view("models")
    run = gelu("forms", "gemma")
    assert list(run.rows[0]) == MODELS
    assert [(row["name"], row["form"]) for row in run.rows] == [
        (name, "tanh") for name in ("Gemma", "Gemma 2", "Gemma 3")
    ]
    assert [model.form for model in forms("bert")] == ["exact", "exact", "tanh"]


def test_every_published_set_finds_its_form():
    for row in forms().view("published"):
        found = forms(row["name"])
        assert row in found.view("published")
        assert found.name in (row["name"], row["form"])
        own = row["form"] == row["name"]
        assert row["definition"] == (found.definition if own else "")


def test_what_can_be_named_can_be_evaluated():
    names = [row["form"] for row in forms().view("published")]
    assert {*table([1], names, "value").columns} == {*names}


def test_claims_are_written_out():
    claims = {row["name"]: row["claims"] for row in forms().view("published")}
    assert claims["mlx_2023"] == "sup error of the value ≤ 0.0003 on -6:6"
    assert claims["camilli_1994"] == "sup error of the gate ≤ 0.01"
    assert "rms error of the value = 0.0082 on -4:4" in claims["i_bert"]
