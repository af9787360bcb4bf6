"""Arguments by --kwarg: what a function gets for a word, and how an answer names it."""

import json
import math

import pytest

from tests.old.cli.runner import assert_all_refused, gelu, run_gelu

TYPED = {
    "false": False,
    "FALSE": False,
    "True": True,
    "none": None,
    "None": None,
    "3": 3,
    "-3": -3,
    "1_000": 1000,
    "0x10": 16,
    "-0x10": -16,
    "010": 10,
    "2.5": 2.5,
    "1e-3": 0.001,
    "0x1.8p+1": 3.0,
    "inf": float("inf"),
    "-Infinity": float("-inf"),
    "tanh": "tanh",
    "face": "face",
    "": "",
    "a=b": "a=b",
    "1/3": "1/3",
    "(1, 2)": "(1, 2)",
    "[1]": "[1]",
    '"false"': "false",
    "'3'": "3",
    '""': "",
    '"': '"',
    "'a\"": "'a\"",
    r'"a\n"': r"a\n",
}

KERNELS = """
from pathlib import Path
import numpy as np

def relu(x, **arguments):
    Path("seen.txt").write_text(repr([*arguments.values()]))
    return np.maximum(x, 0)

class Relu:
    def __init__(self, **arguments):
        pass

    def __call__(self, x):
        return np.maximum(x, 0)
"""


FILES = {"kernels_with_arguments.py": KERNELS}


def swept(name, *arguments, form=("--view", "summary", "-f", "csv")):
    given = [word for argument in arguments for word in ("--kwarg", argument)]
    words = ["--dtype", "float8_e5m2", "--range=1:1", "--form", "relu", *form, *given]
    return gelu("sweep", f"kernels_with_arguments:{name}", *words)


def test_a_value_has_the_type_that_its_word_shows(folder):
    typed = TYPED | {"NaN": math.nan}
    swept("relu", *(f"a{n}={word}" for n, word in enumerate(typed)))
    # The text of a list tells 1 from 1.0 and True.
    assert (folder / "seen.txt").read_text() == repr([*typed.values()])


LABELS = {
    ("by='1'", "approximate=tanh", "fast=false"): "(by='1', approximate='tanh', fast=False)",
    ("a=1,5", "b=it's", "c=a\tb\x1b"): "(a='1,5', b=\"it's\", c='a\\tb\\x1b')",
    (): "",
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["relu", "Relu"])
@pytest.mark.parametrize(("arguments", "label"), LABELS.items())
def test_an_answer_names_the_arguments(name, arguments, label):
    assert swept(name, *arguments).rows[0]["routine"].partition(name)[2] == label


@pytest.mark.usefixtures("folder")
def test_every_view_message_and_picture_names_the_arguments():
    label = "kernels_with_arguments:relu(a='x,y')"
    views = json.loads(swept("relu", "a=x,y", form=("-f", "record")).out)["views"]
    assert {row["routine"] for rows in views.values() for row in rows} == {label}
    assert label in swept("relu", "a=x,y", form=("--view", "plot", "-f", "text")).out
    words = ("kernels_with_arguments:relu", "--kwarg", "a=x,y", "--dtype", "e5m2")
    failed = run_gelu("sweep", *words, "--range=-1:1", "--max-ulp", "1e-3")
    assert failed.code == 1
    note, complaint = failed.err.splitlines()
    assert note.startswith(f"gelu: note: {label}: ")
    assert complaint.startswith(f"gelu: {label}: ")


REFUSED = [
    ("--kwarg a", "--kwarg 'a' must be NAME=VALUE"),
    ("--kwarg =1", "--kwarg '=1' must be NAME=VALUE"),
    ("--kwarg 1a=1", "--kwarg '1a=1' must be NAME=VALUE"),
    ("--kwarg a=1 --kwarg b=2 --kwarg a=1", "--kwarg gives 'a' more than once"),
]


@pytest.mark.usefixtures("folder")
def test_an_argument_without_a_name_or_with_two_values_is_refused():
    assert_all_refused("sweep", "kernels_with_arguments:relu", cases=REFUSED)
