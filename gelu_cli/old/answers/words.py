"""The answer in words: a few sentences about a kernel, each true of its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from itertools import groupby
from math import isnan
from shlex import join
from typing import TYPE_CHECKING

from gelu_cli.old.report import Cell, Sentence
from gelu_cli.old.sweeping.rows import FEW_DIGITS, Numbers, short_text, shown

if TYPE_CHECKING:
    from gelu_cli.old.comparison.differences import Comparison, Count
    from gelu_cli.old.sweeping.profile import Within
    from gelu_cli.old.sweeping.verdict import Verdict

WRONG = {
    "wrong_nan": ("NaN", "NaNs"), "wrong_inf": ("infinity", "infinities"),
    "wrong_zero": ("zero", "zeros"), "wrong_sign": ("sign", "signs"),
}  # fmt: skip
"""What is counted as wrong of a result, and the words for one and for several."""

USUAL, ALSO = 1.0, (0.5, 2.0)
"""The bound in ULP that is told of first, and those that are told of beside it."""

LARGE = 2
"""Errors of more ULP have a cause that is worth looking for."""

NEAR_ONE = 0.99
"""Larger shares are told by what is left out."""

SURE = 1e-10
"""Shares are sure to this."""

NOTABLE = 0.01
"""An interval with fewer of the draws is not told of beside another."""

MUCH = 2
"""Noise of at most half that of rounding is hardly more, of at least twice is much more."""

CALLED = ("backward", "signature", "backend", "device", "batch")
"""What decides how a kernel is called, beside its arguments."""

DIGITS = 4
MOST_INTERVALS = 3


def of_verdict(verdict: Verdict, limit: Fraction | None = None) -> list[Sentence]:
    """Return what a sweep has found of a kernel in words; `limit` is that of --max-ulp.

    >>> import numpy as np
    >>> from gelu_cli import sweep
    >>> relu = lambda x: np.maximum(x, x.dtype.type(0))
    >>> verdict = sweep(relu, dtype="bfloat16", low=-8, form="relu")
    >>> of_verdict(verdict)[0].text
    'All 49,281 results are correctly rounded.'
    """
    if not verdict.total.judged and not verdict.failures:
        text = "No result was judged: there is nothing to say of its errors."
        return [Sentence("within", text, {}, verdict.name)]
    also: Sequence[float] = ALSO
    if limit:  # which is told by the largest bound of a profile that is not above it
        from gelu_cli.old.sweeping.tally import ENDS

        also = *ALSO, max((end for end in ENDS if end <= limit), default=ENDS[0])
    made = (_within(verdict, also), _outside(verdict), _around(verdict), _matters(verdict),
            _sample(verdict), _next(verdict))  # fmt: skip
    return [sentence._replace(kernel=verdict.name) for sentence in made if sentence.text]


def _within(verdict: Verdict, also: Sequence[float]) -> Sentence:
    """Say where all results keep a bound: everywhere, or in which interval of inputs around 0."""
    from gelu_cli.old.sweeping.profile import profile

    total, judged = verdict.total, "" if verdict.exhaustive else " that was judged"
    results = f"{total.inputs:,} results{judged.replace('was', 'were')}"
    everything, are = f"All {results}", "are"
    if total.inputs == 1:
        everything, are = f"The one result{judged}", "is"
    figures: dict[str, Cell] = {"inputs": total.inputs, "misrounded": total.misrounded}
    largest = _largest(verdict)
    if largest is not None and largest <= USUAL:
        few = f"{total.misrounded:,} {'is' if total.misrounded == 1 else 'are'}"
        limit = f"within 1 ULP; {few} not " if total.misrounded else ""
        return Sentence("within", f"{everything} {are} {limit}correctly rounded.", figures)
    found = {each.bound: each for each in profile(verdict)}
    # Without the usual bound only failures, and tiny results that are 0, are beyond the last one.
    usual = found.get(USUAL) or found[max(found)]
    figures |= {name: getattr(usual, name) for name in ("bound", "low", "high", "share")}
    words = f"within {shown(Fraction(usual.bound))} ULP"
    if verdict.question.gating and usual.bound == USUAL and not usual.share >= NOTABLE:
        # Some second inputs make products of most gates subnormal: an interval says little.
        counts = (total.over_1_ulp, total.wrong_nan, total.wrong_inf, total.saturated)
        figures["within_1_ulp"] = within = total.inputs - sum(counts)
        return Sentence("within", f"{within:,} of {results} are {words}.", figures)
    if usual.low is None:
        text = f"At the input nearest to 0 the result is not {words} already."
        return Sentence("within", text, figures)
    flushed = ", but for tiny ones that are 0" * (total.flushed > usual.bound)
    text = f"Every result{judged} is {words} {_for(usual, verdict)}{flushed}"
    others = [found[each] for each in dict.fromkeys(also) if each in found and each != usual.bound]
    beside = [f"; within {shown(Fraction(each.bound))} ULP {_for(each, verdict)}"
              for each in others if each.share >= NOTABLE]  # fmt: skip
    return Sentence("within", f"{text}: {_share(usual, verdict)}{''.join(beside)}.", figures)


def _largest(verdict: Verdict) -> Fraction | None:
    """Return the largest error in ULP, None where a result fails."""
    errors = verdict.errors(verdict.total)[:1]
    return errors[0].ulp if errors and not verdict.failures else None


def _least(verdict: Verdict, number: Fraction, digits: int = DIGITS) -> tuple[str, Fraction]:
    """Return an error as it is, or rounded down, as a sample has a lower bound of it."""
    if verdict.exhaustive:
        return "", number
    down = Context(digits, ROUND_FLOOR).divide(number.numerator, number.denominator)
    return "at least ", Fraction(down)


def _for(within: Within, verdict: Verdict) -> str:
    low, high = (minus(short_text(end or 0.0, verdict.question.dtype)) for end in within[1:3])
    x = verdict.question.names[0]
    return f"at {x} = {low} alone" if low == high else f"for {low} ≤ {x} ≤ {high}"


def at(verdict: Verdict, x: float, up: float, set_number: Callable[[str], str]) -> str:
    """Return where a result is: at x, or at both inputs, with numbers as they are to be set."""
    texts = (set_number(short_text(each, verdict.question.dtype)) for each in (x, up))
    return "at " + ", ".join(map(" = ".join, zip(verdict.question.names, texts, strict=False)))


def _share(within: Within, verdict: Verdict) -> str:
    """Return how many draws are in an interval, at most as many as there are."""
    of = f"of inputs {verdict.question.normal}"
    if within.share <= NEAR_ONE:
        return f"{_few(100 * within.share, ROUND_FLOOR)} % {of}"
    left = max(1 - within.share, 0) + SURE
    return f"all {of} but a share of {_few(left, ROUND_CEILING)}"


def _few(number: float, rounding: str) -> str:
    """Return a number in three digits, rounded up or down."""
    return f"{float(Context(3, rounding).create_decimal(number)):.3g}"


def _outside(verdict: Verdict) -> Sentence:
    """Say how large errors get, and what is wrong otherwise."""
    total = verdict.total
    worst = next(iter(verdict.errors(total)), None)
    counts = {name: total.counts[name] for name in WRONG if total.counts[name]}
    figures: dict[str, Cell] = dict(counts)
    said = []
    if worst and worst.ulp > USUAL:
        least, much = _least(verdict, worst.ulp)
        where = at(verdict, worst.x, worst.up, minus)
        figures |= {"max_ulp": float(worst.ulp), "max_ulp_x": worst.x}
        figures |= {"max_ulp_up": worst.up} if verdict.question.gating else {}
        half = abs(Fraction(worst.got) - worst.exact) * 2 > abs(worst.exact)
        digits = ", where no digit of the result is right" * half
        said.append(f"The largest error is {least}{shown(much, DIGITS)} ULP, {where}{digits}.")
    if counts:
        words = [f"{count:,} wrong {WRONG[name][count > 1]}" for name, count in counts.items()]
        said.append(f"There {'is' if [*counts.values()] == [1] else 'are'} {', '.join(words)}"
                    f"{_first_failure(verdict)}.")  # fmt: skip
    return Sentence("outside", " ".join(said), figures)


def _around(verdict: Verdict) -> Sentence:
    """Say whether results depend on what is around their inputs, where that was looked for."""
    first = verdict.changes.largest(1) if verdict.changes else []
    if not first:
        return Sentence("shapes", "")
    x, shape = first[0].x, first[0].shape
    text = (
        f"In other surroundings results are others, first {at(verdict, x, first[0].up, minus)} "
        f"({shape}): what is said here is of full blocks."
    )
    return Sentence("shapes", text, {"x": x, "shape": shape})


def _first_failure(verdict: Verdict) -> str:
    """Return the input nearest to 0 whose result is no number, or is one that should not be."""
    from gelu_cli.old.sweeping.tally import FAILED

    over = verdict.total.first_over
    first = [over[FAILED, below] for below in (False, True) if (FAILED, below) in over]
    if not first:
        return ""
    x = minus(short_text(min(first, key=abs), verdict.question.dtype))
    return f"; NaN or infinity first at {verdict.question.names[0]} = {x}"


def _matters(verdict: Verdict) -> Sentence:
    """Say what errors do to sums: the largest absolute one, and the RMS beside rounding noise."""
    drawn, largest, said = verdict.total.drawn, verdict.farthest("abs"), []
    error = verdict.farthest_error("abs")
    figures: dict[str, Cell] = {}
    numbers = Numbers(DIGITS, verdict.question.dtype, verdict.question.result)
    if largest and error and largest[0]:
        size, x = largest
        least, much = _least(verdict, size, 3)
        where = at(verdict, x, error.up, minus)
        said.append(f"The largest absolute error is {least}{float(much):.3g}, {where}.")
        figures |= {"max_abs_error": numbers.in_few(size, FEW_DIGITS["max_abs_error"]),
                    "max_abs_x": x}  # fmt: skip
    ratio = drawn.noise_ratio
    if drawn.weight and not isnan(ratio):
        few = numbers.in_few(ratio, FEW_DIGITS["noise_ratio"])
        figures |= {"rms_error": numbers.in_few(drawn.rms, FEW_DIGITS["rms_error"]),
                    "noise_ratio": few}  # fmt: skip
        about = "" if verdict.exhaustive else "about "
        both = "two independent " if verdict.question.gating else ""
        numbers_only = " of those that are numbers" if verdict.failures else ""
        part = "" if drawn.weight > NEAR_ONE or numbers_only else ", of those that were judged,"
        beside = f", {about}{float(ratio):.3g} times that of correct rounding{_weighed(ratio)}"
        if not drawn.least:
            beside = ", where correct rounding has none" if drawn.squares else ""
        said.append(
            f"For {both}inputs {verdict.question.normal}{part} the RMS error{numbers_only} is "
            f"{about}{drawn.rms:.3g}{beside}."
        )
    return Sentence("matters", " ".join(said), figures)


def _weighed(ratio: float) -> str:
    """Return how a kernel's own noise, √(ratio² − 1) times that of rounding, compares with it."""
    own = ratio * ratio - 1
    return ": hardly more" if own <= 1 / MUCH**2 else ": much more" if own >= MUCH**2 else ""


def _sample(verdict: Verdict) -> Sentence:
    if verdict.exhaustive:
        return Sentence("sample", "")
    what, inputs = "inputs", verdict.inputs
    if verdict.question.gating:
        seconds = f", with {len(inputs.ups):,} {verdict.question.names[1]}s," if inputs else ""
        what = f"pairs of inputs{seconds}"
    text = f"{verdict.total.inputs:,} {what} were judged, not all: others may have larger errors."
    return Sentence("sample", text, {"inputs": verdict.total.inputs})


def _next(verdict: Verdict) -> Sentence:
    """Say which command looks for the cause of large errors, if one does."""
    largest, asked, question = _largest(verdict), verdict.asked, verdict.question
    impl = asked.get("impl")
    if not impl or question.gating or question.upstream != 1:
        return Sentence("next", "")
    if not (verdict.failures or (largest or 0) > LARGE):
        return Sentence("next", "")
    words = ["gelu", "identify", str(impl), "--dtype", question.dtype.name]
    if question.result is not question.dtype:
        words += ["--result", question.result.name]
    if question.quantity != "value":
        words += ["--quantity", question.quantity]
    for name in CALLED:
        words += [f"--{name}", str(asked[name])] if asked.get(name) not in (None, "array") else []
    for name, value in (asked.get("kwargs") or {}).items():
        words += ["--kwarg", f"{name}={value}"]
    return Sentence("next", f"What it computes: {join(words)}", {"command": join(words)})


def minus(text: str) -> str:
    """Return a number with a true minus.

    >>> minus("-3"), minus("1e-5")
    ('−3', '1e-5')
    """
    return text.replace("-", "−", 1) if text.startswith("-") else text


# Two kernels


def of_comparison(found: Comparison) -> list[Sentence]:
    """Return where two kernels differ and where each is better, and a few words on each."""
    total = found.total
    figures: dict[str, Cell] = {"inputs": total.inputs, "differ": total.differ}
    if not total.differ:
        text = f"No result differs, at {total.inputs:,} inputs; a NaN is a NaN."
        return [Sentence("differ", text, figures), *of_verdict(found.a)]
    said = f"They differ at {total.differ:,} of {total.inputs:,} inputs"
    said += f": a is nearer at {total.nearer_a:,}, b at {total.nearer_b:,}."
    sentences = [Sentence("differ", said, figures | {"nearer_a": total.nearer_a,
                                                     "nearer_b": total.nearer_b})]  # fmt: skip
    better = [*_better(found)]
    if better:
        sentences.append(Sentence("better", f"Nearer more often: {'; '.join(better)}."))
    sentences.append(_sample(found.b))
    for verdict in found.verdicts:
        both = _within(verdict, ()), _outside(verdict)
        sentences += [each._replace(kernel=verdict.name) for each in both]
    return [each for each in sentences if each.text]


def _better(found: Comparison) -> Iterator[str]:
    """Yield for each kernel the intervals of x in which it is nearer more often, largest first."""
    x = "gates" if found.a.question.gating else "x"
    in_order = sorted(found.by_x.items(), key=lambda item: item[0].ends)
    runs = [(winner, [*run]) for winner, run in groupby(in_order, lambda item: _winner(item[1]))]
    for name in "ab":
        won = [run for winner, run in runs if winner == name]
        won.sort(key=lambda run: -sum(count.differ for _, count in run))
        ends = [(run[0][0].ends[0], run[-1][0].ends[1]) for run in won[:MOST_INTERVALS]]
        texts = [f"from {minus(f'{low:g}')} to {minus(f'{high:g}')}" for low, high in ends]
        more = ["elsewhere"] * (len(won) > MOST_INTERVALS)
        if won:
            yield f"{name} for {x} {' and '.join([*texts, *more])}"


def _winner(count: Count) -> str:
    if count.nearer_a == count.nearer_b:
        return ""
    return "a" if count.nearer_a > count.nearer_b else "b"
