"""`gelu sweep`, as a user runs it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.sweeping.routines import ROUTINES
from tests.old.cli.commands.columns import VIEWS
from tests.old.cli.runner import Terminal, assert_all_refused, gelu, run_gelu
from tests.truth.mpmath import FORMS as TRUTHS
from tests.truth.mpmath import M, fraction

KERNEL = """
import numpy as np
from gelu_cli import gelu, gelu_gradient

def right(x):
    return gelu(x)

def scaled(x, by=1.0):
    return gelu(x) * x.dtype.type(by)

def times(upstream, x):  # 8 bits times 3 are 10, which float32 holds
    return (upstream.astype(np.float64) * gelu_gradient(x.astype(np.float64))).astype(x.dtype)

def raises(x):
    if (x == 2).any():
        raise ArithmeticError("two is too much")
    return gelu(x)

def leaves(x):
    raise SystemExit(5)

def shape(x):
    return gelu(x)[:-1]

def flushes(x):
    y = gelu(x)
    return np.where(abs(y) < 2.0**-126, x.dtype.type(0), y)

class Kernel:
    def __init__(self, by=1.0):
        self.by = by

    def __call__(self, x):
        return scaled(x, self.by)

number = 3
"""


FILES = {
    "mykernel.py": KERNEL,
    "one.py": "import math\n\n\ndef f(x):\n    return 0.5 * x * math.erfc(-x / math.sqrt(2))\n",
    "broken.py": "1 / 0\n",
    "leaves.py": "raise SystemExit(3)\n",
}
pytestmark = pytest.mark.usefixtures("folder")


SMALL = ("--dtype", "float8_e5m2")


def half(*words, **settings):
    return gelu("sweep", *SMALL, *words, **settings)


# What comes out


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_the_columns_of_the_contract(view):
    assert half("erfc", "--range", "1:2", "--view", view).columns == VIEWS[view].split(",")


def test_by_default_every_routine_is_swept():
    assert [row["routine"] for row in half().rows] == list(ROUTINES)


def test_view_all_is_all_views_with_a_line_between(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    text = half("erfc", "--range", "1:2", "-q", "--view", "all", stdout=Terminal).out
    titles = ("By region of x", "Results by their error in ULP", "The worst inputs")
    assert all(f"\n\n {title}\n" in text for title in titles)


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize("quantity", ["value", "gradient"])
def test_the_worst_inputs_are_as_bad_as_mpmath_finds_them(routine, quantity):
    words = (routine, "--quantity", quantity, "--worst", "3", "--view", "worst")
    number_format = FORMATS["bfloat16"]
    rows = gelu("sweep", "--dtype", "bfloat16", "--form", "self", *words).rows
    for row in rows:
        x, got = float(row["x"]), float(row["got"])
        assert number_format.hexadecimal(x) == row["x_bits"]
        assert number_format.hexadecimal(got) == row["got_bits"]
        if not row["ulp"]:
            assert not math.isfinite(got)
            continue
        f = TRUTHS[ROUTINES[routine].form]
        true = f(M.mpf(x)) if quantity == "value" else M.diff(f, M.mpf(x))
        unit = Fraction(2) ** (max(math.floor(M.log(abs(true), 2)), -126) - 7)
        error = abs(Fraction(got) - fraction(true)) / unit
        assert float(row["ulp"]) == pytest.approx(float(error), rel=1e-9)
        assert float(row["want"]) == number_format.exactly(fraction(true))


def test_the_counts_of_the_views_add_up():
    words = ("erf_sum", "--range", "-8:8")
    (summary,) = half(*words).rows
    assert summary["exhaustive"] == "yes"
    for view, column in (("regions", "inputs"), ("histogram", "count")):
        rows = half(*words, "--view", view).rows
        assert sum(int(row[column]) for row in rows) == int(summary["inputs"])
        ends = [(float(row["low"]), float(row["high"])) for row in rows]
        assert all(one[1] == other[0] for one, other in itertools.pairwise(ends))
        worst = [float(row.get("max_ulp_x", row["low"])) for row in rows]
        assert all(low <= x <= high for (low, high), x in zip(ends, worst, strict=True))
    assert [float(row["low"]) for row in rows[:5]] == [0, 0.5, 1, 2, 4]
    over = [row for row in rows if float(row["low"]) >= 0.5]
    assert sum(int(row["count"]) for row in over) == int(summary["over_half_ulp"])


def test_a_wider_inside_is_never_worse():
    narrow, wide = (
        half("erf_sum", *words).floats("max_ulp") for words in ([], ["--compute", "float32"])
    )
    assert wide < narrow


def test_the_form_itself_is_judged_by_target_self():
    of_gelu, of_itself = (half("sigmoid", "--form", target).rows[0] for target in ("exact", "self"))
    assert (of_gelu["target"], of_itself["target"]) == ("exact", "sigmoid")
    assert float(of_itself["max_ulp"]) < float(of_gelu["max_ulp"])


def test_a_range_takes_its_numbers_only():
    (row,) = half("erfc", "--range", "-1:1").rows
    inside = [x for x in FORMATS["float8_e5m2"].finite_numbers() if -1 <= x <= 1]
    assert int(row["inputs"]) == len(inside)
    assert abs(float(row["max_ulp_x"])) <= 1


def test_a_sample_is_a_lower_bound_and_the_same_for_a_seed():
    words = ("sweep", "erfc", "--samples", "200", "--seed", "5")
    first = gelu(*words)
    assert first.rows[0]["exhaustive"] == "no"
    assert gelu(*words).out == first.out
    assert gelu(*words[:-1], "6").out != first.out
    assert "max ULP ≥" in gelu(*words, "-f", "table").out


def test_all_float32s_of_a_range_are_more_than_a_sample():
    words = ("sweep", "erf_sum", "--range", "1:1.01")
    (every,), (some,) = (gelu(*words, *more).rows for more in (["--all"], ["--samples", "500"]))
    first, last = (int(np.float32(x).view(np.uint32)) for x in (1, 1.01))
    assert int(every["inputs"]) == last - first + (np.float32(1.01) <= 1.01)
    assert every["exhaustive"] == "yes"
    assert float(every["max_ulp"]) >= float(some["max_ulp"])


def test_flushed_results_are_right_on_a_machine_that_flushes():
    words = ("mykernel.py:flushes", "--all", "--range", "-13.2:-13.15")  # the tail in it
    (strict,), (flushing,) = (gelu("sweep", *words, *more).rows for more in ([], ["--ftz"]))
    assert int(strict["wrong_zero"]) > 0
    assert flushing["wrong_zero"] == flushing["misrounded"] == "0"
    assert float(flushing["max_ulp"]) <= 0.5


def test_a_bad_kernel_is_as_bad_on_a_machine_that_flushes():
    words = ("sigmoid", "--range", "0.5:9", "--view")
    for view in ("summary", "worst"):
        assert half(*words, view).rows == half(*words, view, "--ftz").rows


# The limit


def test_what_exceeds_max_ulp_fails():
    words = ("mykernel.py:scaled", "--kwarg", "by=0.5", *SMALL)
    answer = run_gelu("sweep", *words, "--max-ulp", "1")
    assert answer.code == 1
    assert len(answer.rows) == 1
    assert "ULP at x = " in answer.err
    assert "exceeds --max-ulp 1" in answer.err


def test_a_nan_fails_any_limit():
    answer = run_gelu("sweep", "exp_ratio", "--dtype", "bfloat16", "--max-ulp", "1e9")
    assert answer.code == 1
    assert "nan at x = " in answer.err


# A function of one's own


@pytest.mark.parametrize(
    "words",
    ["mykernel:right", "./mykernel.py:right", "mykernel:Kernel", "mykernel.py:right --ftz"],
)
def test_a_right_kernel_is_found_and_has_nothing_wrong(words):
    (row,) = half(*words.split(), "--max-ulp", "0.5").rows
    assert row["routine"] == words.split()[0]
    counts = ("misrounded", "wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "non_monotone")
    assert [row[name] for name in counts] == ["0"] * 6


def test_a_class_is_made_with_the_arguments():
    (row,) = half("mykernel.py:Kernel", "--kwarg", "by=0.0").rows
    results = [number * math.erfc(-number / math.sqrt(2)) / 2
               for number in FORMATS["float8_e5m2"].finite_numbers()]  # fmt: skip
    assert int(row["wrong_zero"]) == sum(abs(result) > 2**-17 for result in results)


FAILING = [
    ("mykernel.py:raises", "ArithmeticError at x = 2.0", "too much"),
    ("mykernel.py:leaves", "SystemExit at x = 0.0: 5"),
    ("mykernel.py:shape", "and returned the shape (247,)"),
    ("one.py:f", "one.py:f raised TypeError", "numpy.vectorize"),
    ("broken.py:f", "importing 'broken.py' failed: ZeroDivisionError"),
    ("leaves.py:f", "importing 'leaves.py' failed: SystemExit"),
]
"""Functions that are there, and fail."""

REFUSED_BY_A_FUNCTION = [
    ("mykernel.py:number", "is no function but int"),
    ("mykernel.py:rigth", "did you mean 'right'"),
    ("mykernel.py", "mykernel.py:CALLABLE"),
    ("nokernel.py:right", "there is no file 'nokernel.py'"),
    ("no.such.module:f", "there is no module 'no'"),
    ("mykernel.py:Kernel --kwarg to=1", "unexpected keyword argument 'to'", "see --kwarg"),
    ("mykernel.py:scaled --kwarg by", "--kwarg 'by' must be NAME=VALUE"),
    ("mykernel.py:right --backend keras", "--backend: unknown backend 'keras'"),
    ("mykernel.py:right --form self", "name the form"),
    (
        "mykernel.py:right --compute float32",
        "--compute is for a routine, not for the kernel mykernel.py:right, a Python function",
    ),
    ("mykernel.py:right --upstream 2 --quantity value", "--upstream is for gradients"),
    ("mykernel.py:right --backward own --quantity value", "--backward is for gradients"),
    (
        "mykernel.py:right --upstream 1e9 --dtype float16",
        "upstream is beyond the largest float16",
    ),
]
"""A process has to look at the function."""
REFUSED = [
    ("", "name a kernel, as in: gelu sweep erfc --dtype bfloat16"),
    ("erfc --upstream 2", "--upstream is for a Python function or a C function, not for the ke"),
    ("--exec cat --upstream 2", "--upstream is for a Python function", "the kernel cat, a program"),
    ("--result floot16", "--result: unknown dtype 'floot16'"),
    ("--kwarg by=1", "--kwarg is for a Python function, and none is named; leave --kwarg out"),
    ("--backend numpy", "--backend is for a Python function, and none is named"),
    ("erf_sun", "unknown routine 'erf_sun'; did you mean 'erf_sum'"),
    ("--quantity curvature", "choose from value, gradient"),
    ("--all --dtype float64", "2^64 patterns"),
    ("--samples 10 --dtype bfloat16", "every bfloat16 is taken"),
    ("--samples 10 --all", "leave it out"),
    ("--range 1:0", "A not above B"),
    ("--range 1000000:2000000 --dtype float16", "holds no number of float16"),
    ("--range 1e-60:2e-60 --all", "holds no number of float32"),
    ("--max-ulp -1", "must not be negative"),
    ("--jobs 0", "--jobs 0"),
    ("--worst 3", "--worst is for --view worst, not for summary"),
    ("--worst 3 --view plot", "--worst is for --view worst, not for plot"),
    (
        "--digits 3 --view plot",
        "--digits is for --view summary, regions, worst, profile, not for plot",
    ),
    ("--no-header -o a.svg", "--no-header is for --view summary", "not for plot"),
    ("--no-header -f text", "--no-header is for --view summary", "not for plot"),
    ("-f csv --view plot", "--view plot is a picture, not csv"),
]


def test_a_function_that_fails_is_one_line_and_4():
    assert_all_refused("sweep", *SMALL, cases=FAILING, code=4)


@pytest.mark.parametrize("cases", [REFUSED_BY_A_FUNCTION, REFUSED], ids=["function", "line"])
def test_what_cannot_be_meant_is_one_line(cases):
    assert_all_refused("sweep", cases=cases)


def test_a_function_of_numpy_may_be_the_gradient_itself():
    words = ("gelu_cli:gelu_gradient", "--quantity", "gradient")
    (row,) = half(*words, "--view", "summary").rows
    assert (row["misrounded"], row["quantity"]) == ("0", "gradient")


# Two formats, and gradients from above


def test_the_formats_are_columns_where_they_differ():
    view = half("--result", "float16", "erfc", "--compute", "float64")
    (row,) = view.rows
    usual = VIEWS["summary"].split(",")
    assert view.columns == [*usual[:2], "result", *usual[2:-6], "saturated", *usual[-6:]]
    assert (row["dtype"], row["result"], row["inputs"]) == ("float8_e5m2", "float16", "248")
    assert row["misrounded"] == row["saturated"] == "0"


def test_inputs_and_results_are_printed_in_their_formats():
    words = "--result float8_e5m2 tanh_sum --range -3:-1 --view worst --worst 1"
    (row,) = gelu("sweep", "--dtype", "bfloat16", *words.split()).rows
    assert [len(row[name]) for name in ("x_bits", "got_bits", "want_bits")] == [6, 4, 4]
    title = gelu("sweep", "--dtype", "bfloat16", *words.split()[:5], "-f", "table").out
    assert "in bfloat16 → float8_e5m2" in title


def test_upstream_asks_for_gradients_and_is_rounded():
    words = ("sweep", "mykernel.py:times", *SMALL, "--backward", "own", "--upstream")
    answer = run_gelu(*words, "3.01")
    (row,) = answer.rows
    assert (row["quantity"], row["misrounded"]) == ("gradient", "0")
    assert "saturated" in row
    assert "the upstream gradient is rounded to float8_e5m2: 3.0" in answer.err
    assert "upstream: results are U·f′(x), U = 3" in gelu(*words, "3", "--format", "table").out


# PyTorch and JAX


@pytest.mark.parametrize("quantity", ["value", "gradient"])
def test_pytorch_is_judged_by_its_own_arrays_and_gradients(quantity):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    words = ("torch.nn.functional:gelu", "--kwarg", "approximate=tanh")
    options = ("--dtype", "bfloat16", "--quantity", quantity, "--form", "tanh", "--view", "worst")
    numbers = list(FORMATS["bfloat16"].finite_numbers())
    x = torch.tensor(numbers, dtype=torch.bfloat16, requires_grad=True)
    y = torch.nn.functional.gelu(x, approximate="tanh")
    y.sum().backward()
    results = (y if quantity == "value" else x.grad).tolist()
    got = {x: result for x, result in zip(numbers, results, strict=True) if x}
    rows = gelu("sweep", *words, *options).rows
    assert len(rows) == 10
    assert rows[0]["routine"] == "torch.nn.functional:gelu(approximate='tanh')"
    # In text, as a NaN is what some of the gradients are.
    assert [row["got"].lower() for row in rows] == [repr(got[float(row["x"])]) for row in rows]


def test_jax_is_judged_by_its_own_arrays_and_gradients():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    words = ("jax.nn:gelu", "--dtype", "bfloat16", "--form", "tanh", "--view", "worst")
    for row in gelu("sweep", *words, "--quantity", "gradient").rows[:3]:
        got = float(jax.grad(jax.nn.gelu)(jax.numpy.bfloat16(float(row["x"]))))
        assert float(row["got"]) == got or math.isnan(got)
