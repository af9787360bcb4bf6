"""The library's front door: GELU on numbers and arrays, and what each command answers.

Whatever the caller's floating-point environment is, digits are computed in the standard one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial, wraps
from math import inf, isfinite
from numbers import Integral
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from gelu_cli.arithmetic import Rounding
from gelu_cli.arithmetic.formats import FLOAT64, FORMATS, find_format
from gelu_cli.arithmetic.typed import MOST_DIGITS, parse_number, real_number
from gelu_cli.environment import standard_environment
from gelu_cli.errors import GeluError, UsageError, briefly, unknown
from gelu_cli.forms import find_form
from gelu_cli.parallel import available_cores
from gelu_cli.values.evaluate import evaluate

if TYPE_CHECKING:
    import numpy as np

    from gelu_cli.block.change import Change
    from gelu_cli.budgets import BoundedVerdict as Verdict
    from gelu_cli.budgets import Budget as Budget  # noqa: PLC0414  # gelu_cli has it from here
    from gelu_cli.budgets import load_budget as load_budget  # noqa: PLC0414
    from gelu_cli.calculus.comparison import ErrorSummary
    from gelu_cli.calculus.landmarks import Landmark
    from gelu_cli.calculus.moments import Moments
    from gelu_cli.fitting.families import Best
    from gelu_cli.guests.calling import Calling
    from gelu_cli.sweeping.implementations import Implementation

    Array = TypeVar("Array", bound=np.ndarray[Any, Any])

F = TypeVar("F", bound=Callable[..., Any])


def __getattr__(name: str) -> object:
    if name in ("Budget", "load_budget"):
        from gelu_cli import budgets  # which loads numpy

        return getattr(budgets, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@overload
def gelu(x: float, approximate: str = "none") -> float: ...
@overload
def gelu(x: Array, approximate: str = "none") -> Array: ...
@standard_environment()
def gelu(x: Any, approximate: str = "none") -> Any:
    """Return GELU(x) = x·Φ(x), or another form of it, correctly rounded.

    `x` is a number or an array of any shape, of float64, float32, float16 or one of ml_dtypes'
    bfloat16, float8_e4m3fn and float8_e5m2; the result has the same shape and dtype. Integers
    are taken as float64. `approximate` names the form as the frameworks or `gelu forms` do:
    "none", "tanh", "sigmoid", "quick_gelu", …

    Raises TypeError for any other dtype, ValueError for an unknown form, OverflowError for an int
    beyond float64. Source: Hendrycks & Gimpel, arXiv:1606.08415.

    >>> gelu(-1.0), gelu(-1.0, approximate="tanh")
    (-0.15865525393145705, -0.1588080093917233)
    >>> import numpy as np
    >>> gelu(np.array([[0.5], [1.0]], dtype=np.float32))
    array([[0.34573123],
           [0.8413448 ]], dtype=float32)
    """
    return _apply(x, approximate, "value")


@overload
def gelu_gradient(x: float, approximate: str = "none") -> float: ...
@overload
def gelu_gradient(x: Array, approximate: str = "none") -> Array: ...
@standard_environment()
def gelu_gradient(x: Any, approximate: str = "none") -> Any:
    """Return GELU′(x) = Φ(x) + x·φ(x), or another form's derivative, correctly rounded.

    Arguments, result and errors are those of `gelu`. At a kink (ReLU at 0) the gradient is what
    the frameworks have there.

    >>> gelu_gradient(0.0), gelu_gradient(0.0, approximate="relu")
    (0.5, 0.0)
    """
    return _apply(x, approximate, "gradient")


@standard_environment()
def approximation_error(
    form: str,
    target: str = "exact",
    *,
    quantity: str = "value",
    low: float = -10.0,
    high: float = 10.0,
    mean: float = 0.0,
    sigma: float = 1.0,
    digits: int | None = None,
) -> ErrorSummary:
    """Return how far a form is from another: suprema of the error on [low, high], and averages.

    The absolute error is d(x) = |form(x) − target(x)|, the relative one d/|target|; the averages
    are E d(X) and √(E d(X)²) for X ~ N(mean, sigma²). `quantity` is "value", "gradient",
    "curvature" or "gate". Numbers are correctly rounded float64s, or Decimals of `digits` digits.

    Raises ValueError for an unknown name, an empty range, a mean that is not finite,
    sigma ≤ 0, a form as its own target.
    Derivation: the suprema are critical points or ends, enclosed by certified signs.

    >>> error = approximation_error("tanh")
    >>> error.max_abs_error, error.max_abs_error_x
    (0.00047323552068728487, 2.69894138637727)
    """
    from gelu_cli.calculus.comparison import compare, summarise

    _check_names(form=form, target=target, quantity=quantity)
    comparison = compare(find_form(form), find_form(target), quantity)
    return summarise(
        comparison, real_number("low", low), real_number("high", high),
        _positive("sigma", sigma), _rounding(digits), _finite("mean", mean),
    )  # fmt: skip


@standard_environment()
def best_constants(
    form: str,
    free: Sequence[str] = (),
    *,
    fixed: Mapping[str, float | str] = MappingProxyType({}),
    criterion: str = "sup",
    quantity: str = "value",
    target: str = "exact",
    low: float = -inf,
    high: float = inf,
    mean: float = 0.0,
    sigma: float = 1.0,
    digits: int | None = None,
) -> Best:
    """Return the constants of a form that are nearest to a target, and what proves them.

    `free` are the parameters to fit, those usually fitted if none is named; `fixed` sets others,
    exactly as given ("0.8" is 4/5). The `criterion` is "sup", the largest |form − target| on
    [low, high], "relative", the same divided by |target|, "rms", √E(form − target)², or "mean",
    E|form − target|, for X ~ N(mean, sigma²); the `quantity` "value", "gradient" or "gate". The
    result has `parameters`, `error`, `lower_bound`, `proof` ("alternation", "bound", or how many
    searches found nothing better), `points` with `x`, `error` and `weight`, and `form`, which has
    the constants. Numbers are correctly rounded float64s, or Decimals of `digits` digits.

    Raises ValueError for unknown names and where there are no best constants, ComputationError
    where none are found. Source: Remez and de La Vallée Poussin, as in Cheney, Introduction to
    Approximation Theory (1966).

    >>> best = best_constants("tanh", quantity="gate", digits=20)
    >>> best.parameters["c"], best.proof
    (Decimal('0.044714911227632494956'), 'alternation')
    """
    from gelu_cli.calculus.integrals import Normal
    from gelu_cli.fitting.best import best_constants, family_of
    from gelu_cli.fitting.families import Criterion

    digits = None if digits is None else _count("digits", digits, 1, MOST_DIGITS)
    _check_names(form=form, criterion=criterion, quantity=quantity, target=target)
    free = _listed("free", free)
    if not isinstance(fixed, Mapping):
        raise TypeError(f"fixed must be a mapping of names to numbers, not {briefly(fixed)}")
    settings = {name: _setting(name, value) for name, value in fixed.items()}
    label = ":".join([form, *(f"{name}={value}" for name, value in fixed.items())])
    chosen = find_form(form).with_settings(label, settings) if settings else find_form(form)
    normal = Normal(_finite("mean", mean), _positive("sigma", sigma))
    asked = Criterion(criterion, real_number("low", low), real_number("high", high), normal)
    family = family_of(chosen, free, find_form(target), quantity, asked)
    return best_constants(family, asked, digits)


@standard_environment()
def block_change(
    form: str,
    target: str = "exact",
    *,
    mean: float = 0.0,
    sigma: float = 1.0,
    digits: int | None = None,
) -> Change:
    """Return what changes in a block W₂·f(W₁x + b₁) + b₂ where another form g is computed for f.

    For pre-activations h ~ N(mean, sigma²) and independent weights W₂ of mean 0 the output changes
    by `relative_rms`, √(E(g − f)²/E f²), whatever the widths; f is the target, g the form. The
    result has the same as `db` and `bits`, `relative_rms_centred`, `gain`, `one_minus_cosine`,
    `gradient_relative_rms` and `gradient_db`: correctly rounded float64s, or Decimals of `digits`
    digits.

    Raises ValueError for an unknown form, a mean that is not finite, or sigma ≤ 0, ComputationError
    where f or f′ is as good as 0. Derivation: E‖W₂u‖² is E‖u‖² times the variance of a weight times
    the number of outputs, for the change u = g − f as for u = f.

    >>> block_change("tanh").relative_rms, block_change("sigmoid").relative_rms
    (0.0001974874751491593, 0.010592470838065917)
    """
    from gelu_cli.block.change import change_of

    _check_names(form=form, target=target)
    normal = _finite("mean", mean), _positive("sigma", sigma)
    return change_of(find_form(form), find_form(target), *normal, _rounding(digits))


@standard_environment()
def landmarks(form: str = "exact", *, digits: int | None = None) -> list[Landmark]:
    """Return the minima, where f′ rises through 0, and the inflection points of a form.

    Each has `point`, `x`, `value`, `gradient`, `curvature` and `residual`, correctly rounded
    float64s or Decimals of `digits` digits; a form without any gives an empty list. GELU's
    inflection points are ±√2, since GELU″ = φ(x)·(2 − x²).

    Raises ValueError for an unknown form.

    >>> landmarks()[0].x, landmarks()[0].value
    (-0.7517915246935645, -0.16997120747990366)
    """
    from gelu_cli.calculus.landmarks import landmarks

    _check_names(form=form)
    return landmarks(find_form(form), _rounding(digits))


@standard_environment()
def moments(
    form: str = "exact", *, mean: float = 0.0, sigma: float = 1.0, digits: int | None = None
) -> Moments:
    """Return the moments of f(X) and f′(X) for X ~ N(mean, sigma²), E f′(X)² the first of them.

    For GELU and X ~ N(0, 1) that is 1/3 + 2/(3√3·π), by Stein's lemma. Numbers are correctly
    rounded float64s or Decimals of `digits` digits.

    Raises ValueError for an unknown form, a mean that is not finite, or sigma ≤ 0.

    >>> moments("relu").gradient_second_moment, moments("relu", sigma=2.0).second_moment
    (0.5, 2.0)
    """
    from gelu_cli.calculus.moments import gaussian_moments

    _check_names(form=form)
    normal = _finite("mean", mean), _positive("sigma", sigma)
    return gaussian_moments(find_form(form), *normal, _rounding(digits))


def _told_plainly(function: F) -> F:
    """Return a function whose errors have the caller's line, and no lines of this package."""

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True  # from pytest
        try:
            return function(*arguments, **named)
        except GeluError as error:
            raise error.with_traceback(None) from error.__cause__

    return called  # type: ignore[return-value]


@_told_plainly
@standard_environment()
def sweep(
    function: Any,
    *,
    dtype: str = "float32",
    result: str | None = None,
    target: str = "exact",
    quantity: str | None = None,
    backend: str | None = None,
    backward: str | None = None,
    upstream: float = 1.0,
    device: str | None = None,
    batch: int | None = None,
    signature: str | None = None,
    timeout: float | None = None,
    low: float = -inf,
    high: float = inf,
    every: bool = False,
    samples: int = 1_000_000,
    seed: int = 0,
    ftz: bool = False,
    shapes: bool = False,
    criteria: bool = False,
) -> Verdict:
    """Return how far results of a function are from the truth, |got − y|/ulp(y), and what fails.

    `function` takes and returns arrays of `dtype` of its own library, "numpy", "torch", "jax",
    "cupy" or "tensorflow" (`backend`; found out if None), on a `device` in that library's words,
    and `batch` numbers at a time (as the sweep is cut if None). It is called by this thread, in the
    caller's floating-point environment (flush-to-zero, rounding), on which judging does not depend.
    A word names a function that runs in a process of its own and cannot harm this one:
    "mykernel.py:gelu", "torch.nn.functional:gelu", or in C "./libkernel.so:gelu", declared as
    void f(const T *x, T *y, size_t n), or with `signature` "scalar" as T f(T x). A call of it may
    take `timeout` seconds (any time if None). Large sweeps of a word take every core. Under
    `joblib.parallel_config` a function that is no word is called by joblib's backend instead, a
    Dask cluster for example.

    16- and 8-bit formats are swept whole, and so are ranges with no more than `samples` numbers; of
    float32 and float64 so many inputs are taken, and neighbours of the worst, of float32 `every`
    one if so asked. Results are numbers of `result`, by default of `dtype`. `quantity` is "value"
    or "gradient": autograd's, or the function's own where `backward` is "own" and it is a backward
    pass (upstream, x) → dx. Gradients are judged as `upstream`·f′(x). The verdict has
    `within`, which says whether bounds are kept, `max_ulp`, `exhaustive`, `failures` (a NaN or an
    infinity that is wrong), `worst`, `total` with all counts, `regions` and `notes`. With `shapes`
    the function is called in other surroundings as well, and `changes` has inputs whose results
    differ there; with `criteria`, `criteria` has what other people's checks say of the results.
    The target "auto" is the form that the results are nearest to.

    Raises ValueError for an unknown name, RuntimeError where the function raises (what it raised is
    the `__cause__`) or returns no such array, TypeError for what is no name or number at all; an
    interrupt goes on as KeyboardInterrupt.
    Source: the measure is that of Arm's optimized routines and of the OpenCL conformance tests.

    >>> import numpy as np
    >>> def rough(x):
    ...     return x / (1 + np.exp(-1.702 * x))
    >>> bool(sweep(rough, dtype="float16").within(max_ulp=2))
    False
    """
    from gelu_cli.budgets import BoundedVerdict
    from gelu_cli.comparison.criteria import CriteriaObserver
    from gelu_cli.guests.calling import BACKWARDS, Calling
    from gelu_cli.sweeping import LARGEST_BATCH
    from gelu_cli.sweeping.inputs import Inputs
    from gelu_cli.sweeping.routines import check_quantity
    from gelu_cli.sweeping.sweep import sweep
    from gelu_cli.sweeping.truth import Question, upstream_in

    named = {
        "result": result, "quantity": quantity, "backend": backend, "backward": backward,
        "device": device, "signature": signature,
    }  # fmt: skip
    given = {argument: name for argument, name in named.items() if name is not None}
    _check_names(dtype=dtype, target=target, **given)
    samples = _count("samples", samples, 1, 10**9)
    batch = None if batch is None else _count("batch", batch, 1, LARGEST_BATCH)
    number_format = find_format(dtype)
    typed = _finite("upstream", upstream)
    quantity = _quantity(quantity, backward, typed)
    check_quantity(quantity)
    above = upstream_in(number_format, typed)
    low, high = float(real_number("low", low)), float(real_number("high", high))
    if not low <= high:
        raise UsageError(f"low must not be above high, but {low!r} is above {high!r}")
    if every and number_format.width == 64:
        raise UsageError("float64 has 2^64 patterns; leave every=True out, or take float32")
    results = number_format if result is None else find_format(result)
    auto = target.lower() == "auto"
    form = find_form("exact" if auto else target)
    question = Question(form, quantity, number_format, results, above.value, auto)
    whole = every or number_format.width <= 16
    inputs = Inputs(low, high, whole, samples, _count("seed", seed, 0, 2**63))
    if backward is not None and backward not in BACKWARDS:
        raise unknown("backward", backward, BACKWARDS)
    calling = Calling(
        question.dtype,
        question.result,
        quantity=question.quantity,
        backward=backward,
        upstream=question.upstream,
        backend=backend,
        device=device,
        batch=batch,
        signature=_signature(function, signature),
        timeout=_timeout(function, timeout),
    )
    observers = [CriteriaObserver([question])] if criteria else []
    judge = partial(
        sweep, question=question, inputs=inputs, ftz=ftz, shapes=shapes, observers=observers
    )
    if isinstance(function, str):
        from gelu_cli.guests.hosted import GuestImplementation

        with GuestImplementation(function, function, {}, calling) as guest:
            found = judge(guest, jobs=available_cores())
    else:
        # In this thread, so that an interrupt ends a function that hangs.
        found = judge(_called_here(function, calling))
    verdict = BoundedVerdict(**vars(found))
    verdict.notes += above.notes
    if verdict.failure:
        raise verdict.failure
    if not verdict.complete:
        raise KeyboardInterrupt
    return verdict


def _signature(function: Any, signature: str | None) -> str:
    """Return how a function in C is declared."""
    from gelu_cli.guests.calling import SIGNATURES
    from gelu_cli.guests.libraries import names_library

    if signature is None:
        return "array"
    if signature not in SIGNATURES:
        raise unknown("signature", signature, SIGNATURES)
    if not (isinstance(function, str) and names_library(function)):
        raise UsageError("signature is for a function in C, 'FILE.so:SYMBOL'; leave it out")
    return signature


def _timeout(function: Any, timeout: float | None) -> float | None:
    """Return how many seconds a call may take."""
    if timeout is None:
        return None
    if not isinstance(function, str):
        raise UsageError(
            "timeout is for a function that a word names, as 'FILE.py:CALLABLE': one that is "
            "called by this thread cannot be ended"
        )
    return float(_positive("timeout", timeout))


def _called_here(function: Any, calling: Calling) -> Implementation:
    from gelu_cli.guests.names import name_of
    from gelu_cli.guests.python_functions import implementation_of

    return implementation_of(name_of(function), function, calling)


def _quantity(quantity: str | None, backward: str | None, upstream: Fraction) -> str:
    """Return what is judged: gradients, where an argument is for them."""
    for_gradients = backward is not None or upstream != 1
    if quantity == "value" and for_gradients:
        raise UsageError("backward and upstream are for gradients; take quantity='gradient'")
    if quantity is None:
        return "gradient" if for_gradients else "value"
    return quantity


def _check_names(**names: object) -> None:
    """Raise TypeError for an argument that is no text."""
    for argument, name in names.items():
        if not isinstance(name, str):
            raise TypeError(f"{argument} must be a name, not {briefly(name)}")


def _listed(argument: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple; raises TypeError for one name, or what is none."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"{argument} must be a list of names, not {briefly(names)}")
    listed = tuple(names)
    _check_names(**{f"{argument}[{i}]": name for i, name in enumerate(listed)})
    return listed


def _setting(name: str, value: float | str) -> Fraction:
    """Return what a parameter is set to, exactly."""
    number = parse_number(value) if isinstance(value, str) else real_number(name, value)
    if isinstance(number, float) and isfinite(number):  # -0.0
        return Fraction(number)
    if not isinstance(number, Fraction):
        raise UsageError(f"{name} must be a decimal number or a fraction, not {briefly(value)}")
    return number


def _count(name: str, count: int, least: int, most: int) -> int:
    """Return a whole number; raises UsageError for any other."""
    if isinstance(count, bool) or not isinstance(count, Integral) or not least <= count <= most:
        raise UsageError(
            f"{name} must be a whole number from {least} to {most:,}, not {briefly(count)}"
        )
    return int(count)


def _rounding(digits: int | None) -> Rounding:
    if digits is None:
        return FLOAT64
    from gelu_cli.arithmetic.decimals import Decimals

    return Decimals(_count("digits", digits, 1, MOST_DIGITS))


def _finite(name: str, value: float) -> Fraction:
    number = real_number(name, value)
    if not isinstance(number, Fraction):
        raise UsageError(f"{name} must be finite, not {number}")
    return number


def _positive(name: str, value: float) -> Fraction:
    number = real_number(name, value)
    if not (isinstance(number, Fraction) and number > 0):
        raise UsageError(f"{name} must be positive and finite, not {briefly(value)}")
    return number


def _apply(x: Any, approximate: str, quantity: str) -> Any:
    _check_names(approximate=approximate)
    form = find_form(approximate)
    if isinstance(x, (int, float)) and not hasattr(x, "dtype"):
        (result,) = evaluate(form, [quantity], float(x), FLOAT64)
        return float(result)

    import numpy as np

    from gelu_cli.values.evaluate_arrays import evaluate_many

    array = np.asarray(x)
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype.name not in FORMATS:
        raise TypeError(f"gelu takes {', '.join(FORMATS)} or integers, not {array.dtype.name}")
    with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
        points = np.ascontiguousarray(array, dtype=np.float64).reshape(-1)
    number_format = FORMATS[array.dtype.name]
    (results,) = evaluate_many(form, [quantity], points, number_format, available_cores())
    return results.astype(array.dtype).reshape(array.shape)[()]
