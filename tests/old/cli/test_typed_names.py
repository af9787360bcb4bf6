"""The name that was typed is the name that is printed, in every command, and it is read again."""

import json

import pytest

from gelu_cli import error
from tests.old.cli.runner import Terminal, gelu, run_gelu

NAME = "sigmoid"
ONE, OTHER = "quick_gelu", "gelu_quick"
"""Two aliases of it, as long as each other: pictures of both have one layout."""

PUBLISHED = "x,{0},{0}_gradient\n1,0.8458,1.0678\n"
RESULTS = "x,{0}\n1,0.84375\n"
LINES = {
    "table 1 --form {0} --form {0}:beta=1.6 --quantity value --quantity gate -f table": "",
    "table 1 --dtype bfloat16 --bits --form {0}": "",
    "error --form {0} -f table": "",
    "error 1 2 --form {0}": "",
    "error --form {0} --view regions": "",
    "locate --form {0}": "",
    "variance --form {0} -f table": "",
    "fit {0} --range 0:2 -f table": "",
    "fit {0} --range 0:2 --view code": "",
    "fit {0} --range 0:2 --constants-in float8_e5m2 -f table": "",
    "block --form {0}:beta=2 --target {0} --dtype bfloat16 -f table": "",
    "sweep tanh_sum --form {0} --dtype float8_e5m2 -f table": "",
    "sweep tanh_sum --form {0} --dtype float8_e5m2 -f text": "",
    "compare tanh_sum erfc --form {0} --dtype float8_e5m2 -f table": "",
    "check - --digits 5": PUBLISHED,
    "check - --dtype bfloat16 -f table": RESULTS,
    "plot --form {0} --quantity value -f text": "",
    "plot --form relu --error absolute --target {0} -f svg": "",
    "forms {0} --view about -f table": "",
    "forms {0} --view figures -f table": "",
    "forms {0} --view models -f table": "",
    "table 1 --form {0}:gamma=1": "",
    "error --form {0} --target {0}": "",
    "fit {0}:beta=1": "",
}


def answer(line, name):
    found = run_gelu(*line.format(name).split(), stdin=LINES[line].format(name).encode())
    return found.code, found.out + found.err


@pytest.mark.parametrize("line", LINES)
def test_every_command_prints_the_name_that_was_typed_and_no_other(line):
    """Another alias, or the same in the other case."""
    (code, one), (same_code, other), (_, swapped) = (
        answer(line, name) for name in (ONE, OTHER, ONE.swapcase())
    )
    assert code == same_code
    assert ONE in one
    registry = "about" in line or "models" in line  # they have every name
    assert registry or (one.replace(ONE, OTHER) == other and NAME not in one)
    assert "about" in line or one.replace(ONE, ONE.swapcase()) == swapped


@pytest.mark.parametrize(
    ("word", "name"), [("GELU", "gelu"), ("Tanh", "tanh"), ("ReLU", "relu"), ("PUMA", "puma")]
)
def test_a_form_is_found_in_upper_and_lower_case(word, name):
    words = ("table", "-1.5", "2", "--quantity", "value", "--form")
    found = gelu(*words, word)
    assert found.columns == ["x", word]
    assert found.out.splitlines()[1:] == gelu(*words, name).out.splitlines()[1:]


def test_the_routines_own_form_is_asked_for_in_upper_case():
    words = ("sweep", "tanh_sum", "--dtype", "float8_e5m2", "--form")
    assert gelu(*words, "SELF").rows == gelu(*words, "tanh").rows


def test_a_form_in_upper_case_is_no_other_name():
    assert "another name" not in run_gelu("forms", "TANH", stdout=Terminal).out
    (row,) = (each for each in gelu("forms", "TANH").rows if each["property"] == "aliases")
    (same,) = (each for each in gelu("forms", "tanh").rows if each["property"] == "aliases")
    assert row == same


def test_columns_of_a_table_are_named_in_upper_and_lower_case():
    text = b"x,Tanh,GELU_gradient\n1,0.8412,1.0833\n"
    checked = run_gelu("check", "-", stdin=text)
    assert [(row["column"], row["verdict"]) for row in checked.rows] == [
        ("Tanh", "right"),
        ("GELU_gradient", "right"),
    ]


def test_two_names_of_a_form_make_two_columns_of_the_same_numbers():
    (row,) = gelu("table", 1, "--form", NAME, "--form", ONE, "--quantity", "value").rows
    assert list(row) == ["x", NAME, ONE]
    assert row[NAME] == row[ONE]


@pytest.mark.parametrize(("form", "target"), [(ONE, NAME), (NAME, ONE), (ONE, OTHER)])
def test_a_form_is_itself_under_each_of_its_names(form, target):
    refused = run_gelu("error", "--form", form, "--target", target)
    assert refused.code == 2
    assert f"the error of '{form}' against '{target}', the same function, is 0" in refused.err
    assert gelu("block", "--form", form, "--target", target).floats("relative_rms") == [0]


def test_a_parameter_next_to_a_default_that_is_no_fraction_makes_another_function():
    (row,) = gelu("block", "--form", "tanh:a=0.7978845608028654", "--target", "gelu_new").rows
    assert 0 < float(row["relative_rms"]) < 1e-15


def test_what_is_printed_under_an_alias_is_read_again():
    table = gelu("table", 1, 2, "--form", ONE, "--form", f"{ONE}:beta=1.6").out
    checked = run_gelu("check", "-", stdin=table.encode())
    assert (checked.code, [row["verdict"] for row in checked.rows]) == (0, ["right"] * 8)
    assert {row["column"] for row in checked.rows} == set(table.splitlines()[0].split(",")[1:])


def test_a_record_and_a_budget_know_a_form_by_each_of_its_names(tmp_path):
    sweep = ["sweep", "tanh_sum", "--dtype", "float8_e5m2", "--form"]
    paths = []
    for name in (NAME, ONE):
        path = tmp_path / f"{name}.json"
        assert run_gelu(*sweep, name, "-o", path).code == 0
        assert json.loads(path.read_text())["question"]["target"] == name
        paths.append(path)
    assert "no figure differs" in run_gelu("compare", *paths).err
    budget = tmp_path / "budget.toml"
    assert run_gelu(*sweep, ONE, "--budget", budget, "--tighten").code == 0
    assert run_gelu(*sweep, OTHER, "--budget", budget).code == 0


def test_the_library_knows_a_form_by_each_of_its_names():
    assert error("Quick_GELU", "EXACT") == error("sigmoid")
