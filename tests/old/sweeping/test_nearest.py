"""Which function results are: notes where they are another one than is due, and --form auto."""

import math

import numpy as np
import pytest

from gelu_cli.old.arithmetic.format_arrays import held, nearest, ulps
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import all_forms, find_form
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.nearest import Sample, nearest_form, notes_on, points_of
from gelu_cli.old.sweeping.routines import ROUTINES
from gelu_cli.old.sweeping.truth import Question
from tests.old.asked import swept
from tests.old.every import every
from tests.truth.arb import values_and_gradients
from tests.truth.mpmath import FORMS, M

erfc = np.vectorize(math.erfc, otypes=[float])
erf = np.vectorize(math.erf, otypes=[float])

WIDE = ["float64", "float32", "float16", "bfloat16"]
NARROW = ["float8_e4m3fn", "float8_e5m2"]
QUANTITIES = ["value", "gradient"]


def cdf(x):
    return erfc(-x / math.sqrt(2)) / 2


def density(x):
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


OF_GELU = {
    "value": lambda x: x * cdf(x),
    "gate": cdf,
    "gradient": lambda x: cdf(x) + x * density(x),
    "curvature": lambda x: np.where(abs(x) < 50, density(x) * (2 - np.minimum(x * x, 1e9)), 0),
}
"""In float64 by their formulas."""


def kernel(compute):
    """A function of numpy: what is computed in float64, rounded to the type of x."""

    def f(x):
        with np.errstate(all="ignore"):
            return compute(x.astype(np.float64)).astype(x.dtype)

    return f


def notes(function, **settings):
    return swept(function, **{"dtype": "float8_e5m2"} | settings).notes


def of_sample(form, quantity, dtype, compute):
    """What is said of a sample of results: those of a function of float64s, rounded."""
    x = points_of(FORMATS[dtype])
    question = Question(find_form(form), quantity, FORMATS[dtype])
    return notes_on(question, Sample(x, nearest(FORMATS[dtype], compute(x))[0]))


def of_arb(name, quantity, x):
    """A form from its definition in Arb, as float64s."""
    return values_and_gradients(name, x)[QUANTITIES.index(quantity)]


# Another form


def results(name, quantity, dtype, compute=None):
    number_format = FORMATS[dtype]
    inner = FORMATS[compute] if compute else None
    x = points_of(number_format)
    routine = routine_implementation(ROUTINES[name], quantity, number_format, inner)
    return Sample(x, routine(held(number_format, x)).astype(np.float64))


@every("quantity", QUANTITIES)
@every("dtype", FORMATS)
@every("name", ROUTINES)
def test_no_routine_is_told_to_be_another_form_than_its_own(name, dtype, quantity):
    question = Question(find_form(ROUTINES[name].form), quantity, FORMATS[dtype])
    for compute in FORMATS:  # also if its operations are much coarser than its results
        assert notes_on(question, results(name, quantity, dtype, compute)) == []


ALIKE = {("float16", "tanh_sum"), ("float16", "exp_ratio")}
ALIKE |= {("bfloat16", "tanh_sum"), ("bfloat16", "exp_ratio")}
"""Their sums cancel where the forms differ: results in 16 bits are as far from one as the other."""


@every("quantity", QUANTITIES)
@every("dtype", FORMATS)
@every("name", ROUTINES)
def test_a_routine_of_another_form_is_told_against_exact(name, dtype, quantity):
    own = ROUTINES[name].form
    said = notes_on(
        Question(find_form("exact"), quantity, FORMATS[dtype]), results(name, quantity, dtype)
    )
    if own == "exact" or dtype in NARROW or (dtype, name) in ALIKE:
        assert said == []
    else:
        (note,) = said
        assert note.startswith(f"the results are much nearer to {own} (")
        assert note.endswith(f") than to exact: add --form {own}")


@every("quantity", QUANTITIES)
@every("dtype", ["float32", "bfloat16"])
@every("name", ["tanh", "sigmoid", "silu", "igelu", "hard", "relu", "mish"])
def test_correctly_rounded_results_of_a_form_are_told_to_be_its(name, dtype, quantity):
    def compute(x):
        return of_arb(name, quantity, x)

    (note,) = of_sample("exact", quantity, dtype, compute)
    assert note.startswith(f"the results are much nearer to {name} (0")
    assert of_sample(name, quantity, dtype, compute) == []


@every("quantity", QUANTITIES)
@every("dtype", FORMATS)
def test_a_kernel_within_3_ulp_is_never_told_to_be_another_form(dtype, quantity):
    """Moved by 2.5 ULP towards each of the other forms, and rounded."""
    number_format, x = FORMATS[dtype], points_of(FORMATS[dtype])
    x = x[x != 0]
    question = Question(find_form("exact"), quantity, number_format)
    y = of_arb("exact", quantity, x)
    for name in all_forms():
        other = of_arb(name, quantity, x)
        most = 2.5 * ulps(number_format, y)
        moved = np.clip(other, y - most, y + most)
        assert notes_on(question, Sample(x, nearest(number_format, moved)[0])) == [], name


def test_the_medians_are_those_of_the_inputs_that_tell():
    """By mpmath: over the inputs from −5 to 5 at which the forms are 4 ULP of a bfloat16 apart."""
    (note,) = of_sample("exact", "value", "bfloat16", lambda x: of_arb("tanh", "value", x))
    x = points_of(FORMATS["bfloat16"])
    assert (x[0], x[-1], len(x) > 450) == (-5, 5, True)
    off = {name: [] for name in ("tanh", "exact")}
    for each in x[x != 0].tolist():
        exact, tanh = (FORMS[name](M.mpf(each)) for name in ("exact", "tanh"))
        units = [M.mpf(2) ** (M.floor(M.log(abs(y), 2)) - 7) for y in (exact, tanh)]
        if abs(exact - tanh) >= 4 * max(units):
            (got,), _ = nearest(FORMATS["bfloat16"], np.array([float(tanh)]))
            off["exact"].append(float(abs(got - exact) / units[0]))
            off["tanh"].append(float(abs(got - tanh) / units[1]))
    near, far = (float(np.median(off[name])) for name in ("tanh", "exact"))
    assert f"({near:.3g} ULP in the median of {len(off['tanh'])} inputs, against {far:.3g})" in note


@every(
    "compute",
    [
        lambda x: 0 * x,
        lambda x: x,
        lambda x: 0 * x + 1,
        lambda x: 0.7 * x * cdf(x),
        lambda x: np.full_like(x, np.nan),
        np.sin,
        lambda x: np.where(x < 0, 0.3 * x, x),
    ],
)
@every("dtype", FORMATS)
def test_what_is_near_to_nothing_is_told_to_be_nothing(compute, dtype):
    assert of_sample("exact", "value", dtype, compute) == []
    assert of_sample("tanh", "gradient", dtype, compute) == []


def test_few_inputs_tell_nothing():
    assert notes(kernel(lambda x: np.maximum(x, 0)), dtype="float16", low=-0.01, high=-0.0099) == []
    assert notes(kernel(lambda x: np.maximum(x, 0)), dtype="float16", low=6.0) == []


@every("upstream", [-3.0, 0.0])
def test_gradients_times_one_from_above_are_told_as_well(upstream):
    def backward(above, x):
        return (above * (1 / (1 + np.exp(-1.702 * x)))).astype(x.dtype)

    said = notes(backward, dtype="bfloat16", backward="own", upstream=upstream)
    assert len(said) == (upstream != 0)


# Functions that are no forms

FUNCTIONS = {
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "tanh_fn": np.tanh,
    "erf": erf,
    "Phi": cdf,
}
GRADIENTS = {
    "logistic": lambda x: 1 / (2 + np.exp(-x) + np.exp(x)),
    "tanh_fn": lambda x: 1 / np.cosh(x) ** 2,
    "erf": lambda x: 2 * np.exp(-x * x) / math.sqrt(math.pi),
    "Phi": density,
}


@every("dtype", WIDE)
@every("name", FUNCTIONS)
def test_a_function_that_is_no_form_is_named(name, dtype):
    for quantity, of in (("value", FUNCTIONS), ("gradient", GRADIENTS)):
        (note,) = of_sample("tanh", quantity, dtype, of[name])
        assert note.startswith(f"the results are much nearer to {name}, which is no GELU, (")
        assert note.endswith(f" than to tanh: add --form {name}")
        assert of_sample(name, quantity, dtype, of[name]) == []


@every("dtype", NARROW)
def test_the_logistic_function_is_no_sigmoid_form_in_8_bits_either(dtype):
    (note,) = of_sample("sigmoid", "value", dtype, FUNCTIONS["logistic"])
    assert "much nearer to logistic, which is no GELU" in note


# Another quantity


@every("target", ["exact", "tanh"])
@every("dtype", FORMATS)
@every("quantity", QUANTITIES)
def test_a_function_that_is_another_quantity_is_told(quantity, dtype, target):
    for name, compute in OF_GELU.items():
        said = of_sample(target, quantity, dtype, compute)
        if name != quantity:
            (note,) = said
            if dtype in NARROW or target == "exact":
                assert f"nearer to the {name} of {target} (" in note
            else:  # a quantity of GELU is told from that of the tanh form; Φ is that of noisy_relu
                assert f"the {name} of " in note or "Phi" in note or "noisy_relu" in note
        elif target == "exact":
            assert said == []


def test_the_remedy_is_told():
    said = notes(kernel(OF_GELU["gradient"]))[0]
    assert "than to its value: add --quantity gradient" in said
    assert notes(kernel(OF_GELU["gate"]))[0].endswith("than to its value: multiply them by x")
    (said,) = notes(kernel(OF_GELU["value"]), quantity="gradient")
    assert "than to its gradient: remove --quantity gradient" in said
    (said,) = notes(kernel(density), quantity="gradient", dtype="bfloat16", low=-5, high=-0.1)
    assert said.endswith("than to its gradient: multiply the function by x")


@every("name", ["relu", "elu", "softplus"])
def test_the_quantities_of_other_forms_are_told_apart(name):
    (said,) = of_sample(name, "value", "bfloat16", lambda x: of_arb(name, "gradient", x))
    assert f"nearer to the gradient of {name} (" in said


def test_autograd_would_differentiate_a_derivative_again():
    torch = pytest.importorskip("torch", reason="torch is not installed")

    def slope(x):
        s = torch.sigmoid(1.5957691216 * (x + 0.044715 * x * x * x))
        return s + x * s * (1 - s) * 1.5957691216 * (1 + 3 * 0.044715 * x * x)

    settings = {"backend": "torch", "dtype": "float32", "samples": 500, "form": "tanh"}
    (said,) = notes(slope, **settings)
    assert "nearer to the gradient of tanh (" in said
    assert "returns gradients takes (upstream, x)" in said
    (said,) = notes(slope, **settings, quantity="gradient")
    assert "nearer to the curvature of tanh (" in said
    assert said.endswith("wrap it as (upstream, x) → dx and add --backward")


def test_no_call_is_made_for_it():
    calls = []

    def f(x):
        calls.append(len(x))
        return np.maximum(x, 0)

    assert "nearer to relu" in notes(f, dtype="float16")[0]
    whole, other, *again = calls
    assert again == [other, whole]


# --form auto


@every("quantity", QUANTITIES)
@every("dtype", ["float32", "float16", "bfloat16"])
@every("name", ["exact", "tanh", "sigmoid", "silu", "softplus", "mish", "relu"])
def test_the_nearest_form_is_found(name, dtype, quantity):
    question = Question(find_form("exact"), quantity, FORMATS[dtype], auto=True)
    x = points_of(FORMATS[dtype])
    got = nearest(FORMATS[dtype], of_arb(name, quantity, x[x != 0]))[0]
    assert nearest_form(question, Sample(x[x != 0], got)).name == name


@every("dtype", FORMATS)
@every("name", ["erf_sum", "erfc"])
def test_a_poor_routine_of_exact_is_still_exact(name, dtype):
    question = Question(find_form("exact"), "value", FORMATS[dtype], auto=True)
    assert nearest_form(question, results(name, "value", dtype)).name == "exact"


def test_what_is_no_form_is_judged_by_the_nearest_and_told():
    found = swept(kernel(np.tanh), dtype="float16", low=-5, high=5, form="auto").notes
    assert found[0].startswith("judged against elu, ")
    assert "much nearer to tanh_fn, which is no GELU" in found[1]
