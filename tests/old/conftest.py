"""Tests that take over 2 s are slow."""

import os
from pathlib import Path

import pytest

SLOW = {
    "calculus/test_comparison.py": "an_error_that_no_float_sees a_form_much_narrower "
    "they_are_those_of_gausss_rule on_the_whole_line_the_absolute",
    "calculus/test_coverings.py": "a_form_that_always_rises roots_are_found_on_every_scale",
    "calculus/test_extremes.py": "a_wide_distribution_sees_relu far_to_the_right_a_narrow "
    "a_narrow_distribution",
    "calculus/test_integrals.py": "the_mean_error_of_forms what_nobody_can_prove",
    "calculus/test_landmarks.py": "none_is_missed floats_near_the_least each_is_mpmaths_root",
    "calculus/test_moments.py": "they_are_those_of_gausss_rule a_small_sigma a_steep_form",
    "code/test_code.py": "a_sweep_finds_a_program",
    "comparison/test_acceptance_checks.py": "assert_close_is_that_of_pytorch",
    "comparison/test_pairs_compared.py": "some_pairs_are_compared",
    "fitting/test_averages.py": "where_sigma_is_small a_clamp_that_is_free",
    "fitting/test_best.py": "the_gradient_of_igelu the_bound_is_next a_member_is_found",
    "formulas/test_functions.py": "of_many_16_bit_inputs",
    "arithmetic/test_balls.py": "taylors_theorem",
    "guests/test_names.py": "those_of_pytorch",
    "identification/test_pairs.py": "a_kernel_is_what_it_is an_interval_of_beta printed_figures",
    "sweeping/test_nearest.py": "no_routine_is_told a_kernel_within_3_ulp",
    "sweeping/test_pairs.py": "every_pair_of_a_small_format backward_passes_are_judged "
    "one_of_several_upstreams runs_of_ups_that_double",
    "sweeping/test_executors.py": "each_process_loads several_kernels_at_once",
    "sweeping/test_judging.py": "some_inputs_are_judged",
    "values/test_masks.py": "nearly_every_point in_every_format",
    "network/test_change.py": "the_figures_are_those_of_gausss_rule",
    "sweeping/test_profile.py": "the_largest_errors",
    "sweeping/test_runs.py": "some_runs_are_what_they_say",
}


def pytest_collection_modifyitems(items):
    for item in items:
        begun = SLOW.get(os.path.relpath(item.path, Path(__file__).parent), "").split()
        if any(item.name.startswith(f"test_{name}") for name in begun):
            item.add_marker(pytest.mark.slow)
