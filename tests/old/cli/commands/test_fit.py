"""`gelu fit`, as a user runs it."""

import json
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.cli import choices
from gelu_cli.old.code import code_of
from gelu_cli.old.fitting.refusals import free_parameters
from gelu_cli.old.formulas import all_forms, find_form
from tests.old.cli.runner import Terminal, assert_all_refused, assert_refused, gelu, run_gelu
from tests.old.cli.terminals import plain

SUMMARY = ["form", "quantity", "criterion", "range", "parameter", "fitted", "published",
           "error_fitted", "error_published", "gain", "lower_bound", "proof"]  # fmt: skip
POINTS = ["x", "error", "weight"]
OTHERS = ["form", "quantity", "criterion", "range", "error_fitted", "error_published", "gain"]


def test_where_the_published_constants_come_from_to_twenty_digits():
    """They are the minimax constants of the gate Φ."""
    (row,) = gelu("fit", "sigmoid", "--quantity", "gate", "--digits", "20").rows
    assert row["fitted"] == "1.7017449253380033123"
    assert (row["published"], row["proof"]) == ("1.7020000000000000000", "alternation")
    words = ["fit", "tanh", "--quantity", "gate", "--digits", "20"]
    (row,) = gelu(*words).rows
    assert row["fitted"] == "0.044714911227632494956"
    points = gelu(*words, "--view", "points")
    assert points.columns == POINTS
    assert [len(row["x"].replace(".", "").lstrip("0")) for row in points.rows] == [20, 20]


def test_the_summary_has_a_row_for_each_constant():
    answer = gelu("fit", "tanh", "--free", "a,c", "--range", "0:2")
    assert answer.columns == SUMMARY
    assert [row["parameter"] for row in answer.rows] == ["a", "c"]
    assert answer.rows[0]["published"] == "0.7978845608028654"
    first = answer.rows[0]
    assert float(first["lower_bound"]) <= float(first["error_fitted"])
    assert float(first["gain"]) == pytest.approx(
        float(first["error_published"]) / float(first["error_fitted"]), rel=1e-3
    )


def test_gelu_error_says_the_same_of_the_fitted_form():
    said = json.loads(gelu("fit", "sigmoid", "--format", "json").out)[0]
    label = f"sigmoid:beta={said['fitted']}"
    rows = gelu("error", "--form", label, "--range", "-inf:inf", "--quiet").rows
    assert rows[0]["metric"] == "max_abs_error"
    assert float(rows[0]["value"]) == said["error_fitted"]


def test_others_are_every_quantity_and_criterion_at_the_fitted_constants():
    answer = gelu("fit", "sigmoid", "--view", "others")
    assert answer.columns == OTHERS
    rows = answer.rows
    keys = [(row["quantity"], row["criterion"]) for row in rows]
    assert keys == [(quantity, criterion) for quantity in ("value", "gradient", "gate")
                    for criterion in ("sup", "rms", "mean")]  # fmt: skip
    gains = {key: float(row["gain"]) for key, row in zip(keys, rows, strict=True)}
    # A better supremum, and a worse mean square.
    assert gains["value", "sup"] > 1 > gains["value", "rms"]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_terminal_shows_the_summary_and_the_points_within_its_width(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run_gelu("fit", "tanh", "--quantity", "gate", stdout=Terminal)
    assert shown.code == 0
    lines = plain(shown.out).splitlines()
    assert "Best constants" in shown.out
    assert "Where the error is largest" in shown.out
    assert max(map(len, lines)) <= width
    for number in ("0.04471491122763249", "0.000178921", "alternation"):
        assert number in shown.out


def test_a_fit_without_a_proof_says_so():
    answer = run_gelu("fit", "sigmoid", "--criterion", "rms")
    assert answer.code == 0
    assert answer.rows[0]["lower_bound"] == ""
    assert answer.err == (
        "gelu: note: nothing proves these constants best: they are the best of 8 starts\n"
    )


REFUSED = [
    ("", "no form is given"),
    ("tanh -o new.c", "--output 'new.c' is a program; add --view code"),
    ("tanh --view code --language python -o new.c", "--output 'new.c' is not for --language"),
    ("silu", "fit sigmoid"),
    ("relu", "'relu' has no parameters to fit; these have: "),
    ("exact", "'exact' has no parameters to fit"),
    ("tanh --free beta", "unknown parameter 'beta' of 'tanh'"),
    ("tanh --free c,c", "--free names c more than once"),
    ("tanh --free=", "unknown parameter '' of 'tanh'"),
    ("tanh:a=0.8 --free a", "a is set in 'tanh:a=0.8' and free by --free; choose one"),
    ("tanh:c=0.04", "nothing is left to fit: c is set in 'tanh:c=0.04'; name another by --free"),
    ("sigmoid:beta=1.7", "nothing is left to fit: beta is set in 'sigmoid:beta=1.7'; leave it out"),
    ("tanh --free d", "d of 'tanh' has no best value on the whole line", "--range -4:4"),
    ("tanh --criterion relative", "near x = -32 the relative error is 1 or has no bound"),
    ("tanh --criterion max", "--criterion: unknown criterion 'max'; choose from sup, relative"),
    ("tanh --quantity curvature", "--quantity: unknown quantity 'curvature'"),
    ("tanh --range 1:1", "the range 1:1 is empty"),
    ("tanh --free a,c --range -1e-6:1e-6", "too small to tell a and c apart"),
    ("tanh --criterion rms --range -1:1", "--range is for --criterion sup, relative"),
    ("tanh --criterion rms --view points", "--view points is for --criterion sup, relative"),
    ("tanh --mean 1", "--mean is for --criterion rms, mean, or --view others"),
    ("tanh --criterion rms --sigma 0", "sigma must be positive"),
    ("tanh --language c", "--language is for --view code; add it"),
    ("tanh --view points --dtype bfloat16", "--dtype is for --view summary, code; change the view"),
    ("tanh --constants-in bfloat16 --dtype bfloat16", "--dtype is for --view summary, code"),
    ("tanh --view code --language rust", "--language: unknown language 'rust'"),
    ("tanh --degree 3", "--degree is for polynomial, not for tanh"),
    ("polynomial --degree 4", "--degree 4 is even"),
    ("polynomial --degree 17", "--degree"),
    ("polynomial --degree 3 --free A", "--degree says which parameters are free; leave --free out"),
    ("elu", "the largest error, 0.16997, does not depend on alpha: no constants are best"),
    ("tanh --published", "is for a fit; leave --published out"),
    ("--published --quantity gate", "--quantity is for a fit; leave --published out"),
    ("tanh --view code --no-header", "--no-header is for csv and tsv, not for code"),
    ("tanh 1", "'1'"),
    ("tanh --view code -o gelu.xlsx", "'.xlsx'"),
]  # fmt: skip


def test_a_fit_that_cannot_be_meant_is_refused_in_one_line():
    assert_all_refused("fit", cases=REFUSED)


@pytest.mark.parametrize(
    "line", ["tanh --free d -o a.csv", "elu -o a.csv", "tanh --free d --view code -o gelu.c",
             "silu --view code -o gelu.c"],
)  # fmt: skip
def test_a_refusal_writes_no_file(folder, line):
    assert_refused(run_gelu("fit", *line.split()), "")
    assert not list(folder.iterdir())


def test_a_degree_stands_for_the_coefficients_and_the_edge():
    rows = gelu("fit", "polynomial", "--degree", "3").rows
    assert [row["parameter"] for row in rows] == ["A", "c1", "c3"]
    assert {row["published"] for row in rows} == {""}
    (row,) = gelu("fit", "polynomial:A=2", "--degree", "1").rows
    assert row["parameter"] == "c1"


def test_a_file_has_the_view_that_its_suffix_stands_for(folder):
    words = ["fit", "hard", "--range", "0:2", "-o"]
    gelu(*words, "a.csv")
    assert (folder / "a.csv").read_text(encoding="utf-8").startswith(",".join(SUMMARY))
    gelu(*words, "gelu.c", "--view", "code")
    assert "float" in (folder / "gelu.c").read_text(encoding="utf-8")
    gelu(*words, "gelu.py", "--view", "code")
    compile((folder / "gelu.py").read_text(encoding="utf-8"), "gelu.py", "exec")


needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler (cc)")


def compiled(name):
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", f"{name}.so", f"{name}.c", "-lm"]
    subprocess.run(command, check=True)
    return f"./{name}.so:gelu"


@needs_compiler
@pytest.mark.usefixtures("folder")
def test_a_program_with_fitted_constants_has_the_error_that_the_fit_says():
    """And less than the constants in use have: as gelu sweep judges the compiled function."""
    fitted = gelu("fit", "tanh", "--free", "a,c", "-f", "json").out
    gelu("fit", "tanh", "--free", "a,c", "--view", "code", "-o", "gelu.c")
    (row,) = gelu("sweep", compiled("gelu"), "--dtype", "float32", "--range", "2.1:4",
                  "--samples", "20000", "--quiet").rows  # fmt: skip
    largest = float(row["max_ulp"]) * 2.0**-22  # an ULP from 2 to 4
    best = json.loads(fitted)[0]
    assert largest == pytest.approx(best["error_fitted"], abs=4 * 2.0**-22)
    assert largest < best["error_published"] / 1.7


@needs_compiler
@pytest.mark.usefixtures("folder")
def test_a_program_with_bfloat16_constants_beats_the_usual_ones():
    """Over all bfloat16s, as gelu compare judges the two compiled functions."""
    fit = ["fit", "tanh", "--free", "a,c", "--constants-in", "bfloat16"]
    row = json.loads(gelu(*fit, "-f", "json", "--quiet").out)[-1]
    assert gelu(*fit, "--view", "code", "--dtype", "bfloat16", "-o", "best.c").code == 0
    usual = find_form("tanh").with_settings(
        "tanh:a=0.796875:c=0.044677734375",  # the bfloat16s next to √(2/π) and 0.044715
        {"a": Fraction("0.796875"), "c": Fraction("0.044677734375")},
    )
    Path("usual.c").write_text(code_of(usual, "c", FORMATS["bfloat16"]), encoding="utf-8")
    best, worse = gelu("compare", compiled("best"), compiled("usual"), "--dtype", "bfloat16",
                       "--range=-3:8", "--quiet").rows  # fmt: skip
    assert row["error_fitted"] < row["error_published"] / 1.5
    assert float(best["max_ulp"]) < float(worse["max_ulp"]) / 1.5
    assert int(best["nearer"]) > int(worse["nearer"])


def test_completion_offers_the_parameters_that_forms_have():
    assert {name for name, _ in choices.choices_of("fitted_forms")} == {
        name for name, form in all_forms().items() if form.parameters
    }
    for name, forms in choices.choices_of("fitted_parameters"):
        for form in forms.removeprefix("of ").split(", "):
            free_parameters(find_form(form), [name])


def test_errors_that_floats_do_not_see_have_no_best_constants():
    """At N(100, 0.01²) both are x less 10⁻²¹⁰⁰ and less."""
    words = ["fit", "tanh", "--free", "c", "--criterion", "mean", "--target", "sigmoid"]
    answer = run_gelu(*words, "--mean", "100", "--sigma", "0.01")
    assert (answer.code, answer.out) == (4, "")
    assert answer.err.splitlines() == [
        "gelu: no best constants are found; take another criterion, or fewer --free"
    ]


@pytest.mark.usefixtures("folder")
def test_a_fit_says_how_many_ulp_the_program_is_off():
    """A sweep of the file that is written finds as many."""
    fit = ["fit", "polynomial", "--degree", "3", "--dtype", "bfloat16", "-q"]
    row = gelu(*fit).rows[0]
    (file, target) = "best.py", ["--form", "exact", "--view", "summary", "--dtype", "bfloat16"]
    assert gelu(*fit, "--view", "code", "-o", file).code == 0
    (swept,) = gelu("sweep", f"{file}:gelu", *target, "-q").rows
    assert (row["max_ulp"], row["max_ulp_x"]) == (swept["max_ulp"], swept["max_ulp_x"])
    said = f"it is off exact by {float(row['max_ulp']):.6g} ULP at x = {row['max_ulp_x']}, over all"
    assert said in " ".join(Path(file).read_text().split())


def test_of_a_large_format_samples_on_the_range_say_at_least_how_many():
    text = run_gelu("fit", "tanh", "--range", "0:4", "--view", "code", "--language", "python").out
    found = re.search(r"off exact by at least ([\d.e+]+) ULP at x = ([\d.]+), over 65,536 samples",
                      " ".join(text.split()))  # fmt: skip
    assert 0 <= float(found[2]) <= 4
    assert float(found[1]) > 100
