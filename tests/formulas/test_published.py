"""Every published set against its source, in mpmath."""

from fractions import Fraction

from gelu_cli.formulas.catalog import all_sets
from gelu_cli.numbers import FLOAT64, evaluate
from tests.truth.mpmath import M
from tests.truth.published import SETS

POINTS = [-6.5, -4.5, -3.0625, -2.125, -1.3, -0.4, 0.3, 1.125, 2.25, 2.75, 3.25, 6.0]


def test_published_sets_are_their_definitions_rounded():
    for name, (definition, _) in SETS.items():
        form = all_sets()[name].form
        for x in POINTS:
            want = float(definition(M.mpf(x)))
            assert evaluate(form, ["value"], x, FLOAT64) == [want], (name, x)


def test_a_curve_holds_at_its_cuts_as_its_source_says():
    for name in ("puma", "bolt", "xnnpack_6_4", "tt_metal_13", "tt_metal_quartic"):
        definition, kinks = SETS[name]
        for x in map(Fraction, kinks):
            want = float(definition(M.mpf(x.numerator) / x.denominator))
            assert evaluate(all_sets()[name].form, ["value"], x, FLOAT64) == [want], (name, x)
