"""What has no best constants, and why: each is refused in one line with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf, isinf

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.arithmetic import Result
from gelu_cli.old.fitting import QUANTITIES
from gelu_cli.old.fitting.families import Criterion, Family
from gelu_cli.old.fitting.search import Found
from gelu_cli.old.formulas import Form, all_forms

LARGEST = 1e6
"""A parameter that a search finds to be so large has no best value: the error falls for ever."""

LEAST = 1e-5
"""One that must not change its sign and is found to be so small has none either."""

LEAST_LIKENESS = 2.0**-40
"""Below it float64s cannot tell the parameters apart."""

WHOLE = 1 - 2.0**-20
"""A relative error above it is taken for 1."""


def free_parameters(form: Form, free: Sequence[str]) -> tuple[str, ...]:
    """Return the parameters of a form to fit: those named, or else those usually fitted.

    Raises `UsageError` if the form has no such parameters, one is named twice, or all are set.
    """
    names = [parameter.name for parameter in form.parameters]
    if form.fit.instead:
        raise UsageError(
            f"'{form.typed_name}' has no parameters: it is a member of {form.fit.instead}; "
            f"fit {form.fit.instead}"
        )
    if not names:
        fitted = ", ".join(each.name for each in all_forms().values() if each.parameters)
        raise UsageError(f"'{form.typed_name}' has no parameters to fit; these have: {fitted}")
    for name, times in Counter(free).items():
        if times > 1:
            raise UsageError(f"--free names {name} more than once")
        if name not in names:
            raise unknown("parameter", name, names, where=f" of '{form.typed_name}'")
        if name in form.chosen:
            raise UsageError(f"{name} is set in '{form.label}' and free by --free; choose one")
    usual = form.fit.free or names
    if not (free := free or [name for name in usual if name not in form.chosen]):
        one, are = ("it", "is") if len(usual) == 1 else ("one", "are")
        remedy = "name another by --free" if {*names} - {*form.chosen} else f"leave {one} out"
        raise UsageError(
            f"nothing is left to fit: {' and '.join(usual)} {are} set in '{form.label}'; {remedy}"
        )
    return tuple(free)


def check_family(family: Family, criterion: Criterion) -> None:
    """Raise `UsageError` for an unknown quantity, and where no constants are known to be best."""
    if family.quantity not in QUANTITIES:
        raise unknown("quantity", family.quantity, QUANTITIES)
    if family.quantity == "gate":
        family.form.require_gate()
        family.target.require_gate()
    edge = family.form.fit.edge
    if edge and edge not in family.free:
        end = family.form.settings[edge]
        if criterion.low >= end or criterion.high <= -end:
            raise UsageError(
                f"--range is beyond {edge} = {float(end):g}: no constants matter there"
            )
    endless = criterion.low == -inf or criterion.high == inf
    for name, reason in family.form.fit.no_best_on_the_line.items():
        if name in family.free and endless and not criterion.is_average:
            raise UsageError(
                f"{name} of '{family.form.typed_name}' has no best value on the whole line: "
                f"{reason}; take a range, like --range -4:4"
            )


def check_values(family: Family, values: Sequence[float]) -> None:
    """Raise `UsageError` for a parameter that a search has moved far away."""
    for name, value, sign in zip(family.free, values, family.signs, strict=True):
        if abs(value) > LARGEST or (abs(value) < LEAST and sign):
            end = "0" if abs(value) < LEAST else "−∞" if value < 0 else "∞"
            raise UsageError(f"{name} has no best value: the error falls as it goes to {end}")


def check_bounded(family: Family, criterion: Criterion, error: Result) -> None:
    """Raise `UsageError` for a relative error that is 1, or infinite where the target is 0."""
    if criterion.name == "relative" and WHOLE <= error < inf:
        raise UsageError(
            f"the relative error is 1 whatever {' and '.join(family.free)} is: no constants are "
            "best; take a range on which it is less"
        )
    if isinf(error):
        raise UsageError(
            f"the relative error has no bound: the {family.quantity} of '{family.target.label}' "
            "is 0 in the range where the form's is not; take another range"
        )


def check_found(family: Family, criterion: Criterion, found: Found) -> None:
    """Raise `UsageError` where a search shows that no constants are best."""
    names = " and ".join(family.free)
    x = f"{max(found.contacts, key=lambda contact: contact.weight).x:.3g}" if found.contacts else ""
    if not found.error < inf:
        raise UsageError(
            f"the error of '{family.form.label}' is infinite whatever {names} is; take a range"
        )
    if criterion.name == "relative" and found.error >= WHOLE:
        raise UsageError(
            f"near x = {x} the relative error is 1 or has no bound whatever {names} is: no "
            "constants are best; take a range on which it is less"
        )
    if found.idle and not found.is_member:
        values = ", ".join(f"{value:.3g}" for value in found.values)
        raise UsageError(
            f"near {names} = {values} the largest error, {found.error:.6g}, does not depend on "
            f"{names}: no constants are best; take another range or another criterion"
        )
    check_values(family, found.values)
    if found.likeness < LEAST_LIKENESS:
        raise UsageError(
            f"--range is too small to tell {names} apart; take a wider one, or fewer --free"
        )
