"""What `gelu table`, `error`, `locate`, `variance`, `fit` and `block` answer, from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from gelu_cli.errors import UsageError, briefly
from gelu_cli.old.api.arguments import (
    FormWord,
    check_names,
    digits_of,
    finite,
    form_of,
    format_of,
    forms_of,
    listed,
    numbers_of,
    positive,
    quantity_of,
    rounding_of,
    setting,
)
from gelu_cli.old.api.messages import asked_in_python
from gelu_cli.old.api.results import (
    Best,
    Change,
    ErrorSummary,
    Landmark,
    Landmarks,
    Moments,
    Point,
    Table,
)
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.arithmetic.typed import real_number
from gelu_cli.old.formulas import QUANTITIES

if TYPE_CHECKING:
    from gelu_cli.old.api.kernels import GluWord
    from gelu_cli.old.fitting.families import Best as BestFound
    from gelu_cli.old.report import Report
    from gelu_cli.old.sweeping.gating import Gating


@asked_in_python
def table(
    points: Iterable[Any],
    forms: FormWord | Iterable[FormWord] = "exact",
    *,
    quantities: str | Sequence[str] | None = None,
    digits: int | None = None,
    dtype: Any = None,
    glu: GluWord = False,
) -> Table:
    """Return values and gradients, or other quantities, of forms at points, correctly rounded.

    Points are numbers, or words such as "1/3" and "pi/2", which count as typed where `digits` are
    asked for; `quantities` are those of `gelu table`. Cells are float64s, numbers of `dtype`, to
    which points are rounded as well, or Decimals of `digits` digits. With `glu`, as `sweep` takes
    it, points are pairs (gate, up), and quantities "value", "gate_gradient" and "up_gradient".

    Raises ValueError for an unknown name, TypeError for a point that is no number.

    >>> table([1.0, 2.0], ["exact", "tanh"], quantities=["value"])["tanh"]
    [0.8411919906082767, 1.954597694087775]
    >>> table([(1.0, 2.0)], "silu", glu=True).rows()[0]["silu_gate_gradient"]
    1.8553410237429735
    """
    from gelu_cli.old.answers.table import DEFAULT_QUANTITIES, QUANTITIES_OF_GLU
    from gelu_cli.old.answers.table import table as report
    from gelu_cli.old.api.kernels import gating_of

    chosen = None if dtype is None else format_of("dtype", dtype)
    gating = gating_of(glu, chosen or FLOAT64)
    usual, known = (QUANTITIES_OF_GLU,) * 2 if gating else (DEFAULT_QUANTITIES, QUANTITIES)
    asked = usual if quantities is None else listed("quantities", quantities)
    names = [quantity_of(each, known) for each in asked]
    blocks = [_points(points, exact=digits is not None, gating=gating)]
    make = partial(report, blocks, forms_of(forms), names, dtype=chosen, gating=gating)
    make(digits=digits_of(digits))  # which refuses what no form of them has
    return Table(tables={"table": make}, digits=digits)


@asked_in_python
def forms(form: FormWord | None = None, *, digits: int | None = None) -> Table:
    """Return all forms, with their definitions, parameters and names; or one of them in full.

    Other tables of the answer are `functions` and `models`; for one form `figures`, its landmarks
    and its distance from GELU, as float64s or Decimals of `digits` digits.

    Raises ValueError for an unknown name.

    >>> forms()["name"][:3], forms("gelu_new").rows()[0]["value"]
    (['exact', 'tanh', 'sigmoid'], 'gelu_new')
    """
    from gelu_cli.old.answers.forms import figures, listing

    if form is None:
        every = (listing.forms, listing.functions, listing.models)
        made = {each.__name__: partial(_whatever_digits, each) for each in every}
        return Table(tables=made, digits=digits_of(digits))
    known = form_of("form", form)
    about = partial(_whatever_digits, partial(listing.about, known))
    tables = {"about": about, "figures": partial(figures.figures, known)}
    return Table(tables=tables, digits=digits_of(digits))


def _whatever_digits(make: Callable[[], Report], *, digits: int | None) -> Report:
    """Return a table without figures."""
    return make()


def _points(points: Iterable[Any], *, exact: bool, gating: Gating | None = None) -> Any:
    """Return numbers and words as points: float64s, or exactly what they are; of a GLU pairs."""
    from gelu_cli.old.values.points import FewPoints, points_of

    if gating:
        from gelu_cli.old.sweeping.pairs import PairPoints

        pairs = [*points]
        if any(not hasattr(pair, "__len__") or len(pair) != 2 for pair in pairs):
            raise TypeError("points must be pairs (gate, up)")
        gates, ups = (_points([pair[place] for pair in pairs], exact=exact) for place in (0, 1))
        return PairPoints(gates, ups, gating)
    numbers = numbers_of("points", points)
    return FewPoints(numbers) if exact else points_of([float(x) for x in numbers])


@overload
def error(
    form: FormWord, target: FormWord = "exact", *, points: None = None, quantity: str = "value",
    low: float = -10.0, high: float = 10.0, mean: float = 0.0, sigma: float = 1.0,
    digits: None = None,
) -> ErrorSummary[float]: ...  # fmt: skip
@overload
def error(
    form: FormWord, target: FormWord = "exact", *, points: None = None, quantity: str = "value",
    low: float = -10.0, high: float = 10.0, mean: float = 0.0, sigma: float = 1.0, digits: int,
) -> ErrorSummary[Decimal]: ...  # fmt: skip
@overload
def error(
    form: FormWord, target: FormWord = "exact", *, points: Iterable[float | str],
    quantity: str = "value", digits: int | None = None,
) -> Table: ...  # fmt: skip
@asked_in_python
def error(
    form: FormWord, target: FormWord = "exact", *, points: Iterable[float | str] | None = None,
    quantity: str = "value", low: float = -10.0, high: float = 10.0, mean: float = 0.0,
    sigma: float = 1.0, digits: int | None = None,
) -> ErrorSummary[Any] | Table:  # fmt: skip
    """Return how far a form is from another: suprema of the error on [low, high], and averages.

    The absolute error is d(x) = |form(x) − target(x)|, the relative one d/|target|; the averages
    are E d(X) and √(E d(X)²) for X ~ N(mean, sigma²). `quantity` is "value", "gradient",
    "curvature" or "gate". Numbers are correctly rounded float64s, or Decimals of `digits` digits.
    With `points` the errors at these are returned, in a `Table`.

    Raises ValueError for an unknown name, an empty range, a mean that is not finite,
    sigma ≤ 0, a form as its own target.
    Derivation: the suprema are critical points or ends, enclosed by certified signs.

    >>> found = error("tanh")
    >>> found.max_abs_error, found.max_abs_error_x
    (0.00047323552068728487, 2.69894138637727)
    >>> error("tanh", points=[1.0])["abs_error"]
    [0.00015275546026624382]
    """
    from gelu_cli.old.answers.error import at_points, regions, summary
    from gelu_cli.old.calculus.comparison import compare, summarise

    check_names(quantity=quantity)
    pair = compare(form_of("form", form), form_of("target", target), quantity)
    if points is not None:
        blocks = [_points(points, exact=digits_of(digits) is not None)]
        return Table(tables={"points": partial(at_points, blocks, [pair])}, digits=digits)
    ends = real_number("low", low), real_number("high", high)
    normal = positive("sigma", sigma), finite("mean", mean)
    found = summarise(pair, *ends, normal[0], rounding_of(digits), normal[1])
    tables = {
        "summary": partial(summary, [pair], *ends, *normal),
        "regions": partial(regions, [pair], *ends),
    }
    return ErrorSummary(*found, tables=tables, digits=digits)


@overload
def locate(form: FormWord = "exact", *, digits: None = None) -> Landmarks[float]: ...
@overload
def locate(form: FormWord = "exact", *, digits: int) -> Landmarks[Decimal]: ...
@asked_in_python
def locate(form: FormWord = "exact", *, digits: int | None = None) -> Landmarks[Any]:
    """Return the minima, where f′ rises through 0, and the inflection points of a form.

    Each has `point`, `x`, `value`, `gradient`, `curvature` and `residual`, correctly rounded
    float64s or Decimals of `digits` digits; of a form without any there are none. GELU's
    inflection points are ±√2, since GELU″ = φ(x)·(2 − x²).

    Raises ValueError for an unknown form.

    >>> locate()[0].x, locate()[0].value
    (-0.7517915246935645, -0.16997120747990366)
    """
    from gelu_cli.old.answers.locate import locate as report
    from gelu_cli.old.calculus.landmarks import landmarks

    chosen = form_of("form", form)
    found = tuple(Landmark(*each) for each in landmarks(chosen, rounding_of(digits)))
    return Landmarks(found, tables={"summary": partial(report, [chosen])}, digits=digits)


@overload
def variance(
    form: FormWord = "exact", *, mean: float = 0.0, sigma: float = 1.0, digits: None = None
) -> Moments[float]: ...
@overload
def variance(
    form: FormWord = "exact", *, mean: float = 0.0, sigma: float = 1.0, digits: int
) -> Moments[Decimal]: ...
@asked_in_python
def variance(
    form: FormWord = "exact", *, mean: float = 0.0, sigma: float = 1.0, digits: int | None = None
) -> Moments[Any]:
    """Return the moments of f(X) and f′(X) for X ~ N(mean, sigma²), E f′(X)² the first of them.

    For GELU and X ~ N(0, 1) that is 1/3 + 2/(3√3·π), by Stein's lemma. Numbers are correctly
    rounded float64s or Decimals of `digits` digits.

    Raises ValueError for an unknown form, a mean that is not finite, or sigma ≤ 0.

    >>> variance("relu").gradient_second_moment, variance("relu", sigma=2.0).second_moment
    (0.5, 2.0)
    """
    from gelu_cli.old.answers.variance import variance as report
    from gelu_cli.old.calculus.moments import gaussian_moments

    chosen, normal = form_of("form", form), (finite("mean", mean), positive("sigma", sigma))
    found = gaussian_moments(chosen, *normal, rounding_of(digits))
    return Moments(*found, tables={"summary": partial(report, [chosen], *normal)}, digits=digits)


@overload
def fit(
    form: FormWord, free: str | Sequence[str] = (), *, fixed: Mapping[str, float | str] = ...,
    criterion: str = "sup", quantity: str = "value", target: FormWord = "exact",
    low: float = -inf, high: float = inf, mean: float = 0.0, sigma: float = 1.0,
    digits: None = None,
) -> Best[float]: ...  # fmt: skip
@overload
def fit(
    form: FormWord, free: str | Sequence[str] = (), *, fixed: Mapping[str, float | str] = ...,
    criterion: str = "sup", quantity: str = "value", target: FormWord = "exact",
    low: float = -inf, high: float = inf, mean: float = 0.0, sigma: float = 1.0, digits: int,
) -> Best[Decimal]: ...  # fmt: skip
@asked_in_python
def fit(
    form: FormWord, free: str | Sequence[str] = (), *,
    fixed: Mapping[str, float | str] = MappingProxyType({}), criterion: str = "sup",
    quantity: str = "value", target: FormWord = "exact", low: float = -inf, high: float = inf,
    mean: float = 0.0, sigma: float = 1.0, digits: int | None = None,
) -> Best[Any]:  # fmt: skip
    """Return the constants of a form that are nearest to a target, and what proves them.

    `free` are the parameters to fit, those usually fitted if none is named; `fixed` sets others,
    exactly as given ("0.8" is 4/5). The `criterion` is "sup", the largest |form − target| on
    [low, high] (minimax), "relative", the same divided by |target|, "rms", √E(form − target)², or
    "mean", E|form − target|, for X ~ N(mean, sigma²); the `quantity` "value", "gradient" or
    "gate". The result has `parameters`, `error`, `lower_bound`, `proof` ("alternation", "bound",
    or how many searches found nothing better), `points` with `x`, `error` and `weight`, and
    `form`, which has the constants. Numbers are correctly rounded float64s, or Decimals of
    `digits` digits.

    Raises ValueError for unknown names and where there are no best constants, ComputationError
    where none are found. Source: Remez and de La Vallée Poussin, as in Cheney, Introduction to
    Approximation Theory (1966).

    >>> best = fit("tanh", quantity="gate", digits=20)
    >>> best.parameters["c"], best.proof
    (Decimal('0.044714911227632494956'), 'alternation')
    >>> error(best.form, quantity="gate", digits=9).max_abs_error
    Decimal('0.000178921311')
    """
    from gelu_cli.old.answers.fit import best as views
    from gelu_cli.old.calculus.integrals import Normal
    from gelu_cli.old.fitting.best import best_constants, family_of
    from gelu_cli.old.fitting.families import Criterion

    check_names(criterion=criterion, quantity=quantity)
    digits = digits_of(digits)
    free = listed("free", free)
    if not isinstance(fixed, Mapping):
        raise TypeError(f"fixed must be a mapping of names to numbers, not {briefly(fixed)}")
    chosen = form_of("form", form)
    if fixed:
        settings = {name: setting(name, value) for name, value in fixed.items()}
        label = ":".join([chosen.label, *(f"{name}={value}" for name, value in fixed.items())])
        chosen = chosen.with_settings(label, {**chosen.chosen, **settings})
    normal = Normal(finite("mean", mean), positive("sigma", sigma))
    asked = Criterion(criterion, real_number("low", low), real_number("high", high), normal)
    family = family_of(chosen, free, form_of("target", target), quantity, asked)
    best = best_constants(family, asked, digits)
    tables = {
        view.__name__: partial(_of_best, best, view, digits)
        for view in (views.summary, views.points, views.others)
    }
    points = tuple(Point(*point) for point in best.points)
    return Best(
        best.parameters, best.error, best.lower_bound, best.proof, best.form, points,
        tables=tables, digits=digits,
    )  # fmt: skip


def _of_best(
    best: BestFound, view: Callable[..., Report], known: int | None, digits: int | None
) -> Report:
    """Return a table of a fit, whose errors have the digits that were asked of the fit."""
    return view(lambda: best, digits=known)


@overload
def block(
    form: FormWord, target: FormWord = "exact", *, mean: float = 0.0, sigma: float = 1.0,
    digits: None = None, glu: GluWord = False,
) -> Change[float]: ...  # fmt: skip
@overload
def block(
    form: FormWord, target: FormWord = "exact", *, mean: float = 0.0, sigma: float = 1.0,
    digits: int, glu: GluWord = False,
) -> Change[Decimal]: ...  # fmt: skip
@asked_in_python
def block(
    form: FormWord, target: FormWord = "exact", *, mean: float = 0.0, sigma: float = 1.0,
    digits: int | None = None, glu: GluWord = False,
) -> Change[Any]:  # fmt: skip
    """Return what changes in a block W₂·f(W₁x + b₁) + b₂ where another form g is computed for f.

    For pre-activations h ~ N(mean, sigma²) and independent weights W₂ of mean 0 the output changes
    by `relative_rms`, √(E(g − f)²/E f²), whatever the widths; f is the target, g the form. The
    result has the same as `db` and `bits`, `relative_rms_centred`, `gain`, `one_minus_cosine`,
    `gradient_relative_rms` and `gradient_db`: correctly rounded float64s, or Decimals of `digits`
    digits. Its tables say whether that is below the rounding noise of a format. With `glu` it is
    a gated block, W₂·(f(W₁x)·(Vx)): True, or a dictionary with `gate_limit`, `up_limit`,
    `up_offset` and `intermediate`.

    Raises ValueError for an unknown form, a mean that is not finite, or sigma ≤ 0, ComputationError
    where f or f′ is as good as 0. Derivation: E‖W₂u‖² is E‖u‖² times the variance of a weight times
    the number of outputs, for the change u = g − f as for u = f.

    >>> block("tanh").relative_rms, block("sigmoid").relative_rms
    (0.0001974874751491593, 0.010592470838065917)
    """
    from gelu_cli.old.answers.block import DEFAULT_FORMAT, OfNormal, Question
    from gelu_cli.old.api.kernels import gating_of
    from gelu_cli.old.network.change import change_of

    pair = form_of("form", form), form_of("target", target)
    normal = finite("mean", mean), positive("sigma", sigma)
    if not isinstance(glu, bool) and not {"packed", "up"}.isdisjoint(glu):
        raise UsageError("packed and up of glu are for kernels; leave them out")
    gating = gating_of(glu, format_of("dtype", DEFAULT_FORMAT))
    question = Question([pair[0]], pair[1], *normal).of(gating)
    pair = question.forms[0], question.target
    found = change_of(*pair, *normal, rounding_of(digits), question.ups)
    return Change(*found, tables=OfNormal(question).views, digits=digits)
