"""Other tools' words lead to gelu's: each to one that there is, none of them gelu's own."""

import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import find_format
from gelu_cli.old.cli.manual.program import describe
from gelu_cli.old.formulas import QUANTITIES, find_form
from gelu_cli.old.synonyms import ABSENT, NAMES, OPTIONS
from tests.old.cli.runner import assert_refused, run_gelu

FIND = {"form": find_form, "dtype": find_format}


def options():
    """Every option of every command."""
    return {name for each in describe().commands for option in each.options for name in option.opts}


def test_options_that_are_meant_are_there():
    known = options()
    for typed, means in OPTIONS.items():
        for meant in means.split(", or "):
            assert meant[:2] != "--" or meant.split()[0] in known, typed


def test_names_that_are_meant_are_there_and_those_typed_are_not():
    for kind, names in NAMES.items():
        for typed, meant in names.items():
            if kind == "quantity":
                assert meant in QUANTITIES
                assert typed not in QUANTITIES
                continue
            assert FIND[kind](meant)
            said = f"unknown {kind} '{typed}'; did you mean '{meant}'"
            with pytest.raises(UsageError, match=said):
                FIND[kind](typed)
    for name in ABSENT["form"]:
        with pytest.raises(UsageError, match=r"unknown form .*; choose from exact"):
            find_form(name)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sweep --tolerance 1", "did you mean --max-ulp?"),
        ("error --tolerance 1", "see gelu error --help"),
        ("variance --std 2", "did you mean --sigma?"),
        ("plot --from 1", "did you mean --range A:B?"),
        ("table 1 --step 3", "did you mean a range START:STOP:STEP?"),
        ("table 1 --derivative gradient", "did you mean --quantity gradient?"),
        ("table 1 --kernel k.py:f", "see gelu table --help"),
        ("sweep --kernel k.py:f", "did you mean KERNEL without an option?"),
        ("sweep erfc --target tanh", "did you mean --form?"),
        ("check a.csv --reference tanh", "did you mean --form?"),
        ("error --reference tanh", "did you mean --target?"),
        ("sweep --quantty value", "did you mean --quantity?"),
        ("table linspace(-4,4,9)", "write -4:4:/9"),
        ("table np.arange(0,1,0.1)", "write 0:1:0.1"),
        ("table [-1,2]", "write -1 2"),
        ("table -4..4", "write -4:4:STEP"),
        ("sweep k.c", "cc -O2 -shared -fPIC -o libkernel.so k.c"),
        ("identify k.py", "name the function in it, k.py:CALLABLE"),
        ("sweep nb.ipynb:f", "write the function to a file"),
        ("compare k.onnx erfc", "docs/kernels/gelu_onnx.py"),
        ("sweep /", "'/' names no function: it is a folder; name a file in it, "),
        ("compare tanh sigmoid", "gelu error --form tanh compares forms"),
        ("sweep tanh", "a form, not a kernel: tanh_sum, logistic, exp_ratio compute it; gelu err"),
        ("sweep gradient", "'gradient' is no kernel; write --quantity gradient"),
    ],
)
def test_a_word_in_another_notation_is_answered_with_gelus(words, said):
    assert_refused(run_gelu(*words.split()), said)
