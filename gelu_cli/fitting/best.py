"""The best constants of a form, to the digits asked for, with what proves them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from gelu_cli.arithmetic import Result
from gelu_cli.fitting.families import Best, Criterion, Family, check_criterion, constants_rounding
from gelu_cli.fitting.least_averages import least_average
from gelu_cli.fitting.least_suprema import least_supremum
from gelu_cli.fitting.refusals import check_family, check_free, nothing_free
from gelu_cli.forms import Form
from gelu_cli.values.evaluate import rounded_constant, rounding_to


def family_of(
    form: Form, free: Sequence[str], target: Form, quantity: str, criterion: Criterion
) -> Family:
    """Return the family to fit; without free parameters named it is the one usually fitted.

    Raises `UsageError` for parameters that the form has not, or that are set, and where none is
    left to fit.
    """
    check_free(form, free)
    usual = form.fit.free or tuple(parameter.name for parameter in form.parameters)
    names = free or [name for name in usual if name not in form.chosen]
    if not names:
        raise nothing_free(form, usual)
    return Family(form, tuple(names), target, quantity, criterion.name == "relative")


def best_constants(family: Family, criterion: Criterion, digits: int | None = None) -> Best:
    """Return the constants of a family that make a criterion least.

    Raises `UsageError` where there are none, `ComputationError` where they are not found.

    >>> from gelu_cli.forms import find_form
    >>> gate = Family(find_form("tanh"), ("c",), find_form("exact"), "gate")
    >>> best = best_constants(gate, Criterion("sup"))
    >>> best.constants, best.error, best.proof
    ([0.04471491122763249], 0.00017892131094522117, 'alternation')
    """
    check_criterion(criterion)
    check_family(family, criterion)
    itself = _target_itself(family, criterion, digits)
    if itself:
        return itself
    if criterion.is_average:
        return least_average(family, criterion, digits)
    return least_supremum(family, criterion, digits)


def _target_itself(family: Family, criterion: Criterion, digits: int | None) -> Best | None:
    """Return the constants of the target, if it is a member by its name."""
    form, target, rounding = family.form, family.target, constants_rounding(digits)
    kept = set(form.settings) - set(family.free)
    if form.name != target.name or any(form.settings[k] != target.settings[k] for k in kept):
        return None

    def setting(name: str) -> Result:
        return rounded_constant(lambda a: target.settings_in(a)[name], rounding)

    constants = list(map(setting, family.free))
    comparison = family.comparison_as_printed(constants)
    same = all(comparison.form.chosen.get(name) == target.chosen.get(name, target.settings[name])
               for name in family.free)  # fmt: skip
    zero = rounding_to(digits).exactly(Fraction(0))
    error = zero if same else criterion.error(comparison, rounding_to(digits))
    return Best(family, criterion, constants, error, zero, "bound")
