"""Numbers on rays: what is said of all |x| ≥ 2ᵏ holds at points drawn there."""

import random
from contextlib import suppress
from itertools import product

import pytest
from flint import acb, arb

from gelu_cli.formulas import OF_GATES, QUANTITIES, all_forms, all_functions, typed_form
from gelu_cli.numbers.rays import (
    ANGLE,
    NEAREST,
    Ray,
    Term,
    Undecided,
    far_out,
    ray_variable,
    rest_on_ray,
)
from gelu_cli.numbers.rounding import sign, working

NAMES = [*all_forms(), *all_functions(), "as_7_1_28", "as_26_2_16", "novigrad", "puma"]


def test_signs_and_bounds_of_rests_hold_at_every_point_of_a_ray():
    chance = random.Random(1)
    labels = [*NAMES, "tanh:c=0:a=2", "sigmoid:beta=0.05", "erf_as:a1=0.01:a2=-3"]
    for label, quantity, right in product(labels, QUANTITIES, (False, True)):
        form = typed_form(label)
        if quantity in OF_GATES and not form.has_gate:
            continue
        far = far_out(form, quantity, right)
        ray = rest_on_ray(form, quantity, right, far.start)
        for size in (1, *(1 + chance.random() * 40 for _ in range(2))):
            x = (1 if right else -1) * arb(2.0**far.start * size)
            with working(8000):
                rest = form.evaluate(form.outer(right), quantity, x)[2]
                found = sign(rest)
                if found or rest.is_zero():
                    assert found == far.sign, (label, quantity, right, size)
                with suppress(Undecided):  # it grows, or rises at first
                    assert not abs(rest) > ray.bound(True), (label, quantity, size)


def test_terms_hold_in_the_whole_sector_so_that_derivatives_are_bounded():
    chance = random.Random(2)
    for label, right in product(NAMES, (False, True)):
        form = typed_form(label)
        if not form.has_tail(i := form.outer(right)):
            continue
        with working(2000):
            start = far_out(form, "value", right).start
            terms = form.tail(i, ray_variable(start, right)).terms
            for angle in (-ANGLE, ANGLE, chance.uniform(-ANGLE, ANGLE)):
                y = acb(NEAREST * 2**start * (1 + 9 * chance.random() ** 4)) * acb(0, angle).exp()
                distance, radius = form.tail(i, y if right else -y), arb(0)
                for size, power, exponent in terms:
                    powers = (c * y**n for n, c in enumerate(exponent.coeffs()))
                    growth = y**power * (-sum(powers, acb(0))).exp()
                    distance, radius = (
                        distance - size.mid() * growth,
                        radius + size.rad() * abs(growth),
                    )
                assert not abs(distance) > radius, label


def test_sums_are_taken_by_the_term_that_grows_faster():
    with working(100):
        x = ray_variable(4, False)
        slow, fast = x.exp(), (x * 2).exp()
        assert (slow - fast * 1000).sign() > 0  # e⁻ʸ > 1000·e⁻²ʸ from 16 on
        with pytest.raises(Undecided):
            (slow - slow * arb(1, 1e-20)).sign()
        with pytest.raises(Undecided):
            Ray(4, [Term(arb(-16)), Term(arb(1), 1)]).sign()  # y − 16 is 0 at 16
