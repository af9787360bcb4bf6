"""`gelu variance`, as a user runs it."""

import pytest

from tests.old.cli.runner import assert_all_refused, gelu
from tests.truth.mpmath import M

COLUMNS = ["form", "gradient_second_moment", "gradient_mean", "gradient_variance", "mean",
           "second_moment", "variance", "gain_variance", "gain_second_moment", "gain_gradient",
           "closed_form"]  # fmt: skip
LAST = ["negative_probability"]


def test_the_defaults():
    answer = gelu("variance")
    assert answer.columns == [*COLUMNS, *LAST]
    assert [row["form"] for row in answer.rows] == [
        "exact", "tanh", "sigmoid", "relu", "elu", "silu", "softplus"]  # fmt: skip
    first = answer.rows[0]
    assert first["gradient_second_moment"] == "0.4558508656492871"
    assert first["closed_form"] == "1/3 + 2/(3√3·π)"


def test_a_small_sigma_of_relu_is_all_digits_and_no_error():
    (row,) = gelu("variance", "--form", "relu", "--sigma", "1e-6").rows
    assert (row["gradient_second_moment"], row["second_moment"]) == ("0.5", "5e-13")


def test_fifty_digits_are_the_closed_forms():
    (row,) = gelu("variance", "--form", "exact", "--digits", 50).rows
    with M.workdps(80):
        third, root = M.mpf(1) / 3, M.sqrt(3)
        for column, want in (
            ("gradient_second_moment", third + 2 / (3 * root * M.pi)),
            ("mean", 1 / (2 * M.sqrt(M.pi))),
            ("second_moment", third + 1 / (2 * root * M.pi)),
        ):
            assert row[column] == M.nstr(want, 50, strip_zeros=False)


def test_momentum_adds_a_column():
    answer = gelu("variance", "--form", "relu", "--momentum", "0.9", "--digits", 20)
    assert answer.columns == [*COLUMNS, "momentum_variance", *LAST]
    assert M.nstr(M.mpf(1) / 38, 20) == answer.rows[0]["momentum_variance"]


def test_samples_add_an_estimate_that_a_seed_repeats():
    words = ["variance", "--form", "exact", "--form", "elu", "--samples", "20000", "--seed"]
    one, same, other = (gelu(*words, seed) for seed in (1, 1, 2))
    assert one.columns == [*COLUMNS, "sampled_second_moment", "standard_error", *LAST]
    assert one.out == same.out != other.out
    for row in one.rows:
        exact, got, error = (
            float(row[name])
            for name in ("gradient_second_moment", "sampled_second_moment", "standard_error")
        )
        assert abs(got - exact) <= 4 * error


def test_digits_are_those_of_the_estimate_too():
    words = ["variance", "--form", "relu", "--samples", "20000", "--seed", "1"]
    (full,), (short,) = gelu(*words).rows, gelu(*words, "--digits", "4").rows
    for name in ("sampled_second_moment", "standard_error"):
        assert short[name] == M.nstr(M.mpf(full[name]), 4, strip_zeros=False)


def test_mean_and_sigma_count_as_typed():
    (row,) = gelu("variance", "--form", "relu", "--mean", "1/3", "--sigma", "0.1", "--digits", "30",
                  ).rows  # fmt: skip
    with M.workdps(60):
        want = M.ncdf(M.mpf(10) / 3)
        assert row["gradient_mean"] == M.nstr(want, 30, strip_zeros=False)
    assert row["closed_form"] == "Φ(10/3)"


NARROW = [
    (["--form", "noisy_relu:sigma=1e-4"], "gradient_mean", "0.5"),
    (["--form", "noisy_relu:sigma=1e-12", "--sigma", "1e12"], "gradient_mean", "0.5"),
    (["--form", "relu", "--mean", "-30", "--sigma", "1e-3"], "gradient_mean", "0.0"),
    (["--form", "erf_as", "--mean", "-40", "--digits", "12"],
     "gradient_second_moment", "4.15467790152E-231"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "column", "want"), NARROW)
def test_what_is_narrow_or_far_away_is_computed(words, column, want):
    (row,) = gelu("variance", *words).rows
    assert float(row[column]) == float(want)


REFUSED = [
    ("--sigma 0", "sigma must be positive"),
    ("--sigma inf", "--sigma must be finite"),
    ("--mean inf", "--mean must be finite"),
    ("--momentum 1", "momentum must be in [0, 1)"),
    ("--momentum -0.1", "momentum must be in [0, 1)"),
    ("--samples 1", "--samples 1"),
    ("--samples 2.5", "--samples 2.5"),
    ("--samples 10 --seed -1", "--seed -1"),
]


def test_what_cannot_be_meant_is_refused_in_one_line():
    assert_all_refused("variance", cases=REFUSED)
