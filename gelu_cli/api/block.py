"""Changes of a feed-forward block if another form replaces its activation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gelu_cli.api.results import Answer, Real, Result, one_or_all
from gelu_cli.calculus.averages import normal
from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import FormLike, each_of, to_form, to_format, to_forms
from gelu_cli.inputs.numbers import distribution, normal_text, to_digits, whole
from gelu_cli.network.changes import DIGITS, change, noise
from gelu_cli.network.changes import Change as Measured
from gelu_cli.numbers import Decimals, rounding_to
from gelu_cli.output.tables import Table, to_short_text

DTYPES = ("bfloat16", "float16", "float32")
HEADINGS = dict(zip(Measured._fields, ("r", "dB", "r of f′", "dB of f′"), strict=True))


@dataclass(frozen=True, kw_only=True)
class Change(Result):
    """Changes of a block's output and gradient if the form g replaces f.

    Attributes
    ----------
    relative_rms, db
        r = √(E(g − f)²/E f²), and 20·log₁₀ r.
    gradient_relative_rms, gradient_db
        s = √(E(g′ − f′)²/E f′²), and 20·log₁₀ s. The gradient of a gated block has two parts, with
        respect to gate and up; s is of both together.
    times_float64, …, times_float8_e5m2
        r divided by the rounding noise of the format (see `block`); None if not in `dtype`.
    verdict
        `below` if r is at most the noise of the first format in `dtype`, else `above`.
    parameters, flops
        Parameters of the block, and operations for one input; None without `shape`.
    """

    form: str
    relative_rms: Real
    db: Real
    gradient_relative_rms: Real
    gradient_db: Real
    times_float64: Real | None = None
    times_float32: Real | None = None
    times_bfloat16: Real | None = None
    times_float16: Real | None = None
    times_float8_e4m3fn: Real | None = None
    times_float8_e5m2: Real | None = None
    verdict: str
    parameters: int | None = None
    flops: int | None = None


def block(
    form: FormLike | Sequence[FormLike] = ("tanh", "sigmoid", "silu", "relu"),
    target: FormLike = "exact",
    *,
    dtype: Any = DTYPES,
    mean: Any = 0,
    sigma: Any = 1,
    shape: str | Sequence[int] | None = None,
    glu: bool = False,
    digits: int | None = None,
) -> Any:
    """Measure how a feed-forward block changes if a form replaces another.

    The block is W₂·f(h) + b₂, h = W₁x + b₁, with h ~ N(mean, sigma²) and independent weights W₂ of
    mean 0. If a form g replaces f, the RMS of the output's change is r = √(E(g − f)²/E f²) if that
    of W₂·f(h) is 1. Rounding f(h) to a format changes the output, too: r is compared with this
    noise.

    Parameters
    ----------
    form
        The form g, or a list of forms, which gives a list of results.
    target
        The form f.
    dtype
        Formats; r is divided by the rounding noise of each. The first format decides the verdict.
    mean, sigma
        Mean and standard deviation of the pre-activations h.
    shape
        Widths (D, FF) of a block D → FF → D whose parameters and operations are counted.
    glu
        True for a gated block W₂·(f(W₁x)·Vx), Vx ~ N(0, sigma²).
    digits
        Return decimals of `digits` significant digits instead of float64s.

    Returns
    -------
    Change or Results[Change]

    Raises
    ------
    UsageError
        If a name is unknown, or sigma is not positive.
    ComputationError
        If f(h) or f′(h) is 0 for all likely h, or sigma is below |mean|/2²².

    Examples
    --------
    >>> change = block("tanh")
    >>> change.relative_rms, change.times_bfloat16, change.verdict
    (0.0001974874751491593, 0.118624719, 'below')
    """
    forms, formats = to_forms(form), [*dict.fromkeys(map(to_format, each_of(dtype)))]
    if not formats:
        raise UsageError("--dtype names no format; write e.g. --dtype bfloat16")
    original, moments, digits = to_form(target), distribution(mean, sigma), to_digits(digits)
    of, size = normal(*moments), {} if shape is None else _size(shape, glu=glu)
    noises = {f"times_{each.name}": noise(each, original, of, gated=glu) for each in formats}
    first, found, to_nine = formats[0].name, list[Change](), Decimals(min(digits or DIGITS, DIGITS))
    for each in forms:
        measure = partial(change, each, target=original, of=of, gated=glu)
        measured = measure(to=rounding_to(digits))
        r = float(measure().relative_rms if digits else measured.relative_rms)
        ratios = {name: to_nine.from_float(r / noise) for name, noise in noises.items()}
        times = ratios if digits else {name: float(ratio) for name, ratio in ratios.items()}
        verdict = "below" if r <= noises[f"times_{first}"] else "above"
        row = {**measured._asdict(), **times, **size, "verdict": verdict}
        found.append(Change(form=each.label, **row))
    words = [
        f"{each.form}: r = {to_short_text(each.relative_rms)}, "
        f"{to_short_text(getattr(each, f'times_{first}'))} times the rounding noise of {first}."
        for each in found
    ]
    headings = HEADINGS | {name: name.replace("times_", "r/") for name in noises}
    meanings = {
        "r": f"√(E(g − f)²/E f²), the change of the output for h ~ {normal_text(*moments)}",
        "noise": ", ".join(f"{name[6:]} {noise}" for name, noise in noises.items()),
    }
    title = f"{'Gated' if glu else 'Feed-forward'} block with another form in place of "
    names, rows = ["form", *headings, "verdict", *size], [each.to_dict() for each in found]
    table = Table.of_rows(title + original.label, names, rows, 1, headings, meanings)
    views, said = {"summary": partial(replace, table)}, " ".join(words).removesuffix(".")
    return one_or_all(form, found, Answer(views, words=words, found=said))


def _size(shape: str | Sequence[int], *, glu: bool) -> dict[str, int]:
    """Count the parameters of a block, and the operations for one input."""
    widths = shape.split(",") if isinstance(shape, str) else list(shape)
    if len(widths) != 2:
        raise UsageError(f"--shape is '{shape}'; give two widths D,FF, e.g. 768,3072")
    d, hidden = (whole(each, "--shape", 1, 10**9) for each in widths)
    matrices, biases = (3, 0) if glu else (2, hidden + d)
    return {"parameters": matrices * d * hidden + biases, "flops": 2 * matrices * d * hidden}
