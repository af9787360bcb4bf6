"""The best constants of a form, with proof."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, TypeAlias

from gelu_cli.api.results import Answer, Result
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, choose, to_form
from gelu_cli.inputs.numbers import finite, listed, parse_interval, positive, whole
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.calculus.integrals import Normal
from gelu_cli.old.code import code_of
from gelu_cli.old.fitting import CRITERIA
from gelu_cli.old.fitting.best import best_constants, family_of
from gelu_cli.old.fitting.families import Best, Criterion, constants_rounding
from gelu_cli.old.formulas import Form
from gelu_cli.old.formulas.polynomial import of_degree
from gelu_cli.old.stages import part
from gelu_cli.old.values.evaluate import rounded_constant, rounding_to
from gelu_cli.output.tables import Table

Real: TypeAlias = float | Decimal

QUANTITIES = ("value", "gradient", "gate")
LANGUAGES = ("c", "python")
HIGHEST_DEGREE = 15
DTYPE, SAMPLES = FORMATS["float32"], 1 << 16
"""Format of programs, and the number of inputs at which they are measured."""

COLUMNS = (
    "form quantity criterion range parameter fitted published error_fitted error_published gain "
    "lower_bound proof"
)
MIRRORED = "errors at x and −x are equal in size: these are the points of one side"


@dataclass(frozen=True, kw_only=True)
class Fit(Result):
    """The best constants of a form.

    Attributes
    ----------
    form, quantity, criterion
        Name of the form, what of it is fitted, and what is made least.
    range
        Interval of x, or the distribution of x for `rms`.
    parameters
        The best constants by name.
    published
        The constants in use by name; None if no constants of the form are published.
    error_fitted, error_published
        The criterion for the constants as printed.
    gain
        error_published/error_fitted.
    lower_bound
        No constants have a smaller error; None without a proof.
    proof
        `equioscillation`, `convex`, or `bound` if other constants are covered by branch and
        bound; without a proof `best of N starts`.
    """

    form: str
    quantity: str
    criterion: str
    range: str
    parameters: dict[str, Real]
    published: dict[str, Real] | None
    error_fitted: Real
    error_published: Real | None
    gain: float | None
    lower_bound: Real | None
    proof: str


def fit(
    form: FormLike,
    free: str | Sequence[str] = (),
    *,
    criterion: str = "sup",
    quantity: str = "value",
    range: str | Sequence[Any] | None = None,
    mean: Any = None,
    sigma: Any = None,
    degree: Any = None,
    digits: int | None = None,
) -> Fit:
    """Find the constants with which a form is nearest to GELU.

    Parameters
    ----------
    form
        A form; a parameter that is set, as in `"tanh:a=0.8"`, keeps its value.
    free
        Names of the parameters to fit. Default: c of tanh, all of other forms.
    criterion
        `sup`, the largest |error| on the range, or `rms`, √E error(X)² for X ~ N(mean, sigma²).
    quantity
        `value`, `gradient` or `gate`.
    range
        Interval of `sup`, `"-4:4"` or (-4, 4). Default: the real axis.
    mean, sigma
        Mean and standard deviation of X for `rms`. Default: 0 and 1.
    degree
        Of polynomial: fit A and the coefficients of the gate up to this odd degree.
    digits
        Return decimals of this many significant digits instead of float64s. Constants have
        them from 18 digits on, else they are float64s.

    Raises
    ------
    UsageError
        If a name is unknown, options contradict each other, or no constants are best.
    ComputationError
        If no best constants are found.

    References
    ----------
    E. W. Cheney, Introduction to Approximation Theory, 1966: the theorem of de La Vallée Poussin.

    Examples
    --------
    >>> best = fit("tanh", quantity="gate")
    >>> best.parameters, best.proof
    ({'c': 0.04471491122763249}, 'equioscillation')
    """
    chosen, names = to_form(form), listed(free)
    if degree is not None:
        chosen, names = _of_degree(chosen, names, degree)
    asked = _criterion(criterion, range, mean, sigma)
    choose("quantity", quantity, QUANTITIES)
    family = family_of(chosen, names, to_form("exact"), quantity, asked)
    with part(chosen.label):
        best = best_constants(family, asked, digits)
        used = _published(chosen, best.parameters, digits) if chosen.fit.published else None
        usual = family._replace(free=()).comparison(())
        error = asked.error(usual, rounding_to(digits)) if used else None
    fields: dict[str, Any] = {
        "form": chosen.typed_name, "quantity": quantity, "criterion": criterion,
        "range": _range_text(asked), "parameters": dict(best.parameters), "published": used,
        "error_fitted": best.error, "error_published": error, "gain": _gain(error, best.error),
        "lower_bound": best.lower_bound, "proof": _proof(best),
    }  # fmt: skip
    return Fit(**fields, answer=_answer(best, fields))


def _of_degree(form: Form, free: Sequence[str], degree: object) -> tuple[Form, list[str]]:
    if form.name != "polynomial":
        raise UsageError(
            f"--degree is for polynomial, not for {form.typed_name}; name --free parameters"
        )
    if free:
        raise UsageError("--degree names the free parameters; remove --free")
    return of_degree(form, whole(degree, "--degree", 1, HIGHEST_DEGREE))


def _criterion(
    name: str, range: str | Sequence[Any] | None, mean: object, sigma: object
) -> Criterion:
    choose("criterion", name, ("sup", "rms"))
    if name == "sup":
        if mean is not None or sigma is not None:
            raise UsageError("--mean and --sigma are for --criterion rms; remove them")
        return Criterion(name, *parse_interval("-inf:inf" if range is None else range))
    if range is not None:
        raise UsageError("rms over a range cannot be fitted yet; remove --range for N(M, S²)")
    return Criterion(name, normal=Normal(finite(mean or 0, "--mean"), positive(
        1 if sigma is None else sigma, "--sigma")))  # fmt: skip


def _range_text(criterion: Criterion) -> str:
    """Print what a criterion is taken over, as options have it."""
    if criterion.name == "rms":
        mean, sigma = (f"{float(each):.12g}" for each in criterion.normal)
        return f"N({mean}, {sigma}{'²' * (criterion.normal.sigma != 1)})"
    return f"{float(criterion.low):.12g}:{float(criterion.high):.12g}"


def _published(form: Form, names: Iterable[str], digits: int | None) -> dict[str, Real]:
    """Round the constants in use like the best ones."""
    defaults = {each.name: each.default_in for each in form.parameters}
    return {name: rounded_constant(defaults[name], constants_rounding(digits)) for name in names}


def _gain(published: Real | None, fitted: Real) -> float | None:
    if published is None or not fitted:
        return None
    return float(f"{float(published) / float(fitted):.4g}")


def _proof(best: Best) -> str:
    """Name the proof; an average has a bound if it is convex in the constants."""
    if best.proof == "alternation":
        return "equioscillation"
    return "convex" if best.proof == "bound" and best.criterion.name == "rms" else best.proof


def _answer(best: Best, fields: Mapping[str, Any]) -> Answer:
    """Make the views of a fit, and the answer in words."""
    criterion, range = fields["criterion"], fields["range"]
    found = f"{best.form.label}: {criterion} error {float(best.error):.4g} over {range}"
    words = found
    if fields["error_published"] is not None:
        error, gain = float(fields["error_published"]), fields["gain"]
        words += f"; the published constants have {error:.4g}, {gain:g} times as much"
    why = f"no proof that these constants are best: they are the {best.proof}"
    if best.lower_bound is not None:
        least = f"{float(best.lower_bound):.6g}"
        by = {"convex": "convexity", "bound": "a bound"}.get(fields["proof"], fields["proof"])
        why = f"no constants have less than {least}, proved by {by}"
    points = {"points": partial(_points, best)} if criterion == "sup" else {}
    programs = {language: partial(_program, best, why, language) for language in LANGUAGES}
    return Answer(
        {"summary": partial(_summary, best, fields), **points, **programs},
        words=[f"{words}.", f"{why[0].upper()}{why[1:]}."],
        screen=lambda: [
            _summary(best, fields, "parameter fitted published"),
            *(make() for make in points.values()),
        ],
        notes=[why] if best.lower_bound is None else [],
        found=found if best.lower_bound is None else f"{found}; {why}",
    )


def _summary(best: Best, fields: Mapping[str, Any], columns: str = COLUMNS) -> Table:
    """Make a row for each parameter."""
    used = fields["published"] or {}
    rows = [{**fields, "parameter": name, "fitted": value, "published": used.get(name)}
            for name, value in best.parameters.items()]  # fmt: skip
    keys = 5 if columns == COLUMNS else 1
    meanings = {"fitted": best.form.label}
    if best.scope:
        meanings["bound"] = f"for {best.scope}"
    return Table.of_rows("Best constants", columns, rows, keys, {}, meanings)


def _points(best: Best) -> Table:
    """Make a row for each point at which the error is largest."""
    meanings = {"error": "of the best real constants, before they are rounded"}
    both = best.family.form.symmetric and best.criterion.low < 0 < best.criterion.high
    return Table(
        "Where the error is largest",
        {name: [getattr(point, name) for point in best.points] for name in ("x", "error")},
        meanings=meanings | ({"x": MIRRORED} if both else {}),
    )


def _program(best: Best, why: str, language: str) -> Table:
    """Write a program, with what is known of its error."""
    from gelu_cli.old.guests.calling import Calling
    from gelu_cli.old.guests.python_functions import implementation_of
    from gelu_cli.old.sweeping.inputs import Inputs
    from gelu_cli.old.sweeping.sweep import sweep
    from gelu_cli.old.sweeping.truth import Question

    name, low, high, _ = best.criterion
    module: dict[str, Any] = {}
    exec(code_of(best.form, "python", DTYPE), module)
    kernel = implementation_of("gelu", module["gelu"], Calling(DTYPE, DTYPE))
    inputs = Inputs(float(low), float(high), every=False, samples=SAMPLES)
    verdict = sweep(kernel, Question(best.family.target, "value", DTYPE), inputs, keep=1)
    (worst,) = verdict.errors(verdict.total)[:1]
    note = (
        f"Fitted to exact by {name} ({CRITERIA[name]}) of the {best.family.quantity}, "
        f"{_range_text(best.criterion)}: {float(best.error):.6g} before constants are rounded to a "
        f"format; {why}.\nIn {DTYPE.name} it is off exact by at least {verdict.max_ulp:.6g} ULP at "
        f"x = {worst.x!r}, over {SAMPLES:,} samples, as numpy computes it."
    )
    lines = code_of(best.form, language, DTYPE, note=note).splitlines()
    return Table(f"A program in {language}", {"code": lines})
