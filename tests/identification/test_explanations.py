"""What explains values best: each form, routine and mistake, from its own values."""

from decimal import Decimal
from itertools import pairwise

import numpy as np

from gelu_cli.formulas import all_forms, find_form
from gelu_cli.identification.candidates import FORM, Candidate, Given, explain
from gelu_cli.identification.explanations import elsewhere, explained
from gelu_cli.kernels import ROUTINES
from gelu_cli.numbers import FORMATS
from tests.identification.test_mistakes import DEFINITIONS
from tests.identification.test_parameters import printed_by
from tests.truth.mpmath import FORMS, M

NINE_DIGITS = ["-0.5", "2.5"]


def best_of(function, quantity="value"):
    """The label and the others that explain all of nine decimals."""
    given = printed_by(function, NINE_DIGITS, 9, quantity)
    first, *others = explained(given).explanations
    assert first.agrees.all()
    return first.candidate.label, [each.candidate.label for each in others if each.agrees.all()]


def test_each_form_explains_its_values_and_its_gradients_alone():
    for name in ("exact", "tanh", "sigmoid", "hard", "igelu", "erf_as", "softplus", "mish"):
        assert best_of(FORMS[name]) == (name, []), name
    for name in ("exact", "elu", "tanh_taylor"):
        assert best_of(lambda x, f=FORMS[name]: M.diff(f, x), "gradient") == (name, []), name


def test_each_mistake_explains_its_values_and_no_form_does():
    for name, function in DEFINITIONS.items():
        assert best_of(function) == (name, []), name


def test_routines_are_found_from_their_results():
    """In float16 each operation is rounded, here by numpy, so that forms explain fewer results."""
    x = np.linspace(-4, 4, 301).astype(np.float16)
    half, one = np.float16(0.5), np.float16(1)
    u = np.float16(np.sqrt(2 / np.pi)) * (x + np.float16(0.044715) * x * x * x)
    results = {
        "tanh_sum": half * x * (one + np.tanh(u)),
        "logistic": x * (one / (one + np.exp(-(np.float16(2) * u)))),
        "sigmoid": x * (one / (one + np.exp(-(np.float16(1.702) * x)))),
    }
    for name, y in results.items():
        given = Given("", "value", x.tolist(), y.tolist(), FORMATS["float16"])
        best = explained(given).explanations[0]
        assert (best.candidate.routine, best.candidate.compute) == (name, FORMATS["float16"])
        assert best.candidate.form.name == ROUTINES[name].form
        assert best.agree >= 300, name


def test_results_that_are_no_numbers_are_explained_by_nothing():
    x = np.linspace(-2, 2, 65)
    given = Given("", "value", x.tolist(), [float("nan")] * 65, FORMATS["float16"])
    assert not explained(given).explanations[0].agree


def test_a_digit_that_is_cut_is_told_from_one_that_is_rounded():
    """GELU(−1) = −0.158655… and GELU(2) = 1.954499…: the cut ones are nearer to 0."""
    cut = Given("", "value", [Decimal(-1), Decimal(2)], [Decimal("-0.1586"), Decimal("1.9544")])
    best = explained(cut).explanations[0].candidate
    assert (best.label, best.cut) == ("exact", True)
    away = Given("", "value", [Decimal(-1), Decimal(2)], [Decimal("-0.1588"), Decimal("1.9546")])
    assert not explained(away).explanations[0].candidate.cut


def test_both_decimals_beside_a_tie_are_explained():
    """0.01·(−0.25) is half way between −0.003 and −0.002."""
    for text in ("-0.003", "-0.002"):
        given = Given("", "value", [Decimal("-0.25")], [Decimal(text)])
        assert explain(given, Candidate(find_form("leaky_relu"), "value", "", FORM)).agree == 1


def test_explanations_of_as_many_values_are_ordered_by_errors():
    x = [Decimal(n) for n in range(5)]
    given = Given("", "value", x, [Decimal(text) for text in ("0", "0.9", "1.9", "2.9", "3.9")])
    found = [each for each in explained(given).explanations if each.agree < len(x)]
    ranks = [(-each.agree, each.candidate.kind, each.max_off) for each in found]
    assert ranks == sorted(ranks)
    words = {1: "does not", 2: "does not", 3: "explains most"}
    assert {each.agree: each.verdict for each in found} == words


def test_an_x_that_distinguishes_two_forms_has_their_values():
    given = Given("", "value", [Decimal(1)], [Decimal("0.84")])
    forms = [*all_forms()]
    for first, second in pairwise(forms[:7]):
        pair = [Candidate(find_form(name), "value", name, FORM) for name in (first, second)]
        x, texts, decimals = next(elsewhere(pair, given))
        places = int(decimals.split()[2]) if decimals else 2
        want = [printed_by(FORMS[n], [x], places).y[0] for n in (first, second)]
        assert [Decimal(text) for text in texts] == want
        assert abs(want[0] - want[1]) >= 2 * Decimal(1).scaleb(-places)
