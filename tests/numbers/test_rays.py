"""Numbers on rays: what is said of all |x| ≥ 2ᵏ holds at points drawn there."""

import random

import pytest
from flint import arb, fmpq

from gelu_cli.formulas import OF_GATES, QUANTITIES, all_forms, all_functions, find_form, typed_form
from gelu_cli.numbers.far import far_out, rest_on_ray
from gelu_cli.numbers.points import enclose
from gelu_cli.numbers.ray_series import RaySeries
from gelu_cli.numbers.rays import Ray, Undecided
from gelu_cli.numbers.rounding import sign, working

NAMES = [*all_forms(), *all_functions(), "as_7_1_28", "as_26_2_16", "novigrad", "puma"]


def test_rests_have_the_sign_of_their_ray_at_every_point_of_it():
    chance = random.Random(1)
    for label in [*NAMES, "tanh:c=0:a=2", "sigmoid:beta=0.05", "erf_as:a1=0.01:a2=-3"]:
        form = typed_form(label)
        for quantity in QUANTITIES:
            if quantity in OF_GATES and not form.has_gate:
                continue
            for right in (False, True):
                far = far_out(form, quantity, right)
                for _ in range(3):
                    size = 2.0**far.start * (1 + chance.random() * 40)
                    x = fmpq(*(size if right else -size).as_integer_ratio())
                    with working(8000):
                        rest = form.evaluate(form.outer(right), quantity, arb(x))[2]
                        found = sign(rest)
                    if found or rest.is_zero():
                        assert found == far.sign, (label, quantity, right, size)


def test_bounds_on_rays_hold_at_their_beginning_and_beyond():
    for name in ("exact", "tanh", "silu", "softplus", "squareplus", "noisy_relu", "erf_as"):
        form = find_form(name)
        for quantity in ("value", "gradient", "curvature"):
            start = far_out(form, quantity, False).start
            most = rest_on_ray(form, quantity, False, start)[0].most()
            with working(4000):
                for times in (1, 2, 5, 20):
                    x = fmpq(-times * 2**start)
                    exact, rest = enclose(form, quantity, x)
                    size = abs(arb(exact) + rest)
                    assert size <= most * (1 + arb(2) ** -60), (name, times)


def test_sums_are_taken_by_the_term_that_grows_faster():
    with working(100):
        x = RaySeries([Ray.polynomial(4, fmpq(0), fmpq(-1)), Ray.polynomial(4, fmpq(1))])
        slow, fast = (x * c for c in (fmpq(1), fmpq(2)))
        assert (slow.exp()[0] - fast.exp()[0] * 1000).sign() > 0  # e⁻ʸ > 1000·e⁻²ʸ from 16 on
        with pytest.raises(Undecided):
            (slow.exp()[0] - slow.exp()[0] * arb(1, 1e-20)).sign()
        with pytest.raises(Undecided):
            Ray.polynomial(4, fmpq(-16), fmpq(1)).sign()  # y − 16 is 0 at 16
