"""The answer in sentences, with the numbers of the tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, TypeAlias

from gelu_cli.api.questions import SMALL
from gelu_cli.api.verdict_views import rows_of
from gelu_cli.old.comparison.differences import Comparison, Count
from gelu_cli.old.sweeping.drawn import Drawn
from gelu_cli.old.sweeping.exact_errors import ExactError
from gelu_cli.old.sweeping.rows import Numbers
from gelu_cli.old.sweeping.tally import FAILED
from gelu_cli.old.sweeping.verdict import Verdict as Found
from gelu_cli.output.renderers import to_short_text

Row: TypeAlias = Mapping[str, Any]

WRONG = {
    "wrong_nan": ("NaN", "NaNs"), "wrong_inf": ("infinity", "infinities"),
    "wrong_sign": ("sign", "signs"), "wrong_zero": ("zero", "zeros"),
    "wrong_special": ("result at ±∞ or NaN", "results at ±∞ or NaN"),
}  # fmt: skip
"""Counts of wrong results, and the words for one and for several."""

USUAL, BESIDE = 1.0, (0.5, 2.0)
"""The bound in ULP of the first sentence, and those named after it."""

LARGE = 2
"""Errors of more ULP are worth another command."""

NOTABLE = 0.01
"""An interval with a smaller share of the draws is not named."""

NEARLY_ALL = 0.99
MUCH = 2
"""A kernel's own noise is much more than that of rounding from here, hardly more up to 1/MUCH."""

MOST_INTERVALS = 3


def words_of(found: Found, digits: int | None = None) -> list[str]:
    """Describe a kernel in two to five sentences.

    They say where results are within 1 ULP, how large errors get outside, what errors are for
    inputs drawn from N(M, S²), what a sample leaves open, and which command to try next.
    """
    if not (found.total.judged or found.failures):
        return ["No result was measured; nothing is known of errors."]
    row = next(rows_of("summary", found, digits))
    worst = found.largest(found.total)
    largest = worst.ulp if worst else Fraction(0)
    made = (
        _within(found, row, largest, list(rows_of("profile", found, digits))),
        _outside(found, row, worst, digits),
        _matters(found, row),
        _sample(found, row),
        _next(found, largest),
    )
    return [sentence for sentence in made if sentence]


def words_on(found: Sequence[Found], digits: int | None = None) -> list[str]:
    """Describe kernels: one at length, of several where errors are large."""
    if len(found) == 1:
        return words_of(found[0], digits)
    return [f"{each.name}: {' '.join(words_of(each, digits)[:2])}" for each in found]


def _sampled(found: Found) -> bool:
    """Return True if other inputs may have larger errors."""
    return not (found.exhaustive and found.complete)


def _within(found: Found, row: Row, largest: Fraction, profile: Sequence[Row]) -> str:
    """Say where results are within 1 ULP: everywhere, or around 0."""
    count, wrong, saturated = row["inputs"], row["misrounded"], found.total.saturated
    measured = " that was measured" * _sampled(found)
    if largest <= USUAL and not found.failures:
        some = f"but {saturated} of " * bool(saturated)
        results = f"All {some}{count} results{measured.replace('was', 'were')} are"
        results = results if count > 1 else f"The one result{measured} is"
        few = f"within 1 ULP; {wrong} {'is' if wrong == 1 else 'are'} not " if wrong else ""
        return f"{results} {few}correctly rounded."
    usual = next((each for each in profile if each["bound"] == USUAL), profile[-1])
    bound, normal = usual["bound"], found.question.normal
    if found.question.gating and bound == USUAL and usual["share"] < NOTABLE:
        # Ups that make products of most gates subnormal leave an interval that says little.
        return (
            f"Of {count} results{measured.replace('was', 'were')} {row['over_1_ulp']} exceed 1 ULP."
        )
    if usual["low"] is None:
        return (
            f"The result at the input nearest to 0 is over {to_short_text(bound)} ULP off already."
        )
    but = ", but for tiny ones that are 0" * (found.total.flushed > bound)
    but += ", but for those that saturate" * bool(saturated)
    beside = "".join(
        f"; within {to_short_text(each['bound'])} ULP {_interval(each, found)}"
        for each in profile
        if each["bound"] in BESIDE and each["share"] >= NOTABLE and each["share"] != usual["share"]
    )
    return (
        f"Every result{measured} is within {to_short_text(bound)} ULP {_interval(usual, found)}"
        f"{but}, a share of {to_short_text(usual['share'])} of inputs {normal}{beside}."
    )


def _interval(row: Row, found: Found) -> str:
    low, high, x = to_short_text(row["low"]), to_short_text(row["high"]), found.question.names[0]
    return f"at {x} = {low} alone" if low == high else f"for {low} ≤ {x} ≤ {high}"


def _outside(found: Found, row: Row, worst: ExactError | None, digits: int | None) -> str:
    """Say how large errors get, and count what is wrong otherwise."""
    parts = []
    if worst and worst.ulp > USUAL:
        lost = abs(Fraction(worst.got) - worst.exact) * 2 > abs(worst.exact)
        parts.append(
            f"the largest error{' found' * _sampled(found)} is {_largest(found, row)}"
            f"{', where no digit of the result is right' * lost}"
        )
    counts = {words: row[name] for name, words in WRONG.items() if row[name]}
    wrong = [f"{count} wrong {words[count != 1]}" for words, count in counts.items()]
    if count := found.total.saturated:
        largest = f"the largest {found.question.result.name}"
        parts.append(f"{count} results saturate: they are {largest}, the exact value is beyond")
    if wrong:
        parts.append(f"there {'is' if wrong[0][:2] == '1 ' else 'are'} {', '.join(wrong)}")
    over, question = found.total.first_over, found.question
    first = [x for (place, _), x in over.items() if place == FAILED]
    if first:
        x = Numbers(digits, question.dtype, question.result).x(min(first, key=abs))
        parts.append(
            f"the wrong NaN or infinity nearest to 0 is at {question.names[0]} = {to_short_text(x)}"
        )
    return _sentence(parts)


def _largest(found: Found, row: Row, column: str = "max_ulp") -> str:
    """Print an error and its input; what exceeds 1 ULP is not printed as 1."""
    ulp, text = column == "max_ulp", to_short_text(row[column])
    columns = (f"{column.removesuffix('_error')}_{name}" for name in ("x", "up"))
    places = zip(found.question.names, columns, strict=False)
    at = [f"{name} = {to_short_text(row[place])}" for name, place in places]
    over = "a little over " * (ulp and text == "1")
    return f"{over}{text}{' ULP' * ulp}, at {', '.join(at)}"


def _matters(found: Found, row: Row) -> str:
    """Name the largest absolute error, and the RMS error of draws."""
    parts, drawn, sampled = [], found.total.drawn, _sampled(found)
    if row["max_abs_error"]:
        what = f"the largest absolute error{' found' * sampled}"
        parts.append(f"{what} is {_largest(found, row, 'max_abs_error')}")
    if row["rms_error"] is not None:
        numbers = " of those that are numbers" * bool(found.failures)
        part = ", of those that were measured," * (drawn.weight <= NEARLY_ALL and not numbers)
        both = "two independent " * bool(found.question.gating)
        parts.append(
            f"for {both}inputs {found.question.normal}{part} the RMS error{numbers} is "
            f"{'about ' * sampled}{to_short_text(row['rms_error'])}{_beside_rounding(drawn, row)}"
        )
    return _sentence(parts)


def _beside_rounding(drawn: Drawn, row: Row) -> str:
    """Compare an RMS error with that of correct rounding."""
    if not drawn.least:
        return ", where correct rounding has none" * bool(drawn.squares)
    own = drawn.noise_ratio**2 - 1  # squares of the kernel's own noise and of rounding add up
    much = ": hardly more" if own <= 1 / MUCH**2 else ": much more" if own >= MUCH**2 else ""
    return f", {to_short_text(row['noise_ratio'])} times that of correct rounding{much}"


def _sample(found: Found, row: Row) -> str:
    """Say what a sample leaves open, and how to take all inputs."""
    if not _sampled(found):
        return ""
    question = found.question
    what = f"pairs of {' and '.join(question.names)}" if question.gating else "inputs"
    more = ""
    if found.inputs and found.complete:  # not results of a file, not an interrupted sweep
        more = "; --all takes each float32" * (question.dtype.name == "float32")
        if question.gating:
            more = "; --up all takes each number as up" * (question.dtype.width <= SMALL)
    return f"{row['inputs']} {what} were measured, not all: others may have larger errors{more}."


def _next(found: Found, largest: Fraction) -> str:
    """Name the command that finds the form of a kernel with large errors."""
    asked, question = found.asked, found.question
    if question.auto or question.gating or not (found.failures or largest > LARGE):
        return ""
    if not {"impl", "exec"} & asked.keys():
        return ""
    words = ["gelu", "sweep", *["--exec"] * ("exec" in asked), found.name]
    options = {
        "dtype": question.dtype.name,
        "result": question.result.name if question.result is not question.dtype else None,
        "quantity": question.quantity if question.quantity != "value" else None,
        **{name: asked.get(name) for name in ("backend", "device", "signature")},
    }
    for name, value in options.items():
        if value is not None and value != "array" and f":{name}=" not in found.name:
            words += [f"--{name}", str(value)]
    words += ["--backward"] * (asked.get("backward") == "own")
    return f"To see which form it computes: {shlex.join([*words, '--form', 'auto'])}"


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


# Two kernels


def words_on_two(found: Comparison, digits: int | None = None) -> list[str]:
    """Say where two kernels differ, which is nearer, and by how much."""
    total, both = found.total, found.verdicts
    a, b = rows = [next(rows_of("summary", each, digits)) for each in both]
    if not total.differ:
        same = f"{a['kernel']} and {b['kernel']} agree in every bit of {total.inputs} results."
        return [same, *words_of(found.a, digits)]
    better = list(_better(found, digits))
    made = [
        f"{a['kernel']} (a) and {b['kernel']} (b) differ at {total.differ} of {total.inputs} "
        f"inputs: a is nearer to the exact value at {total.nearer_a}, b at {total.nearer_b}.",
        f"Nearer more often: {'; '.join(better)}." if better else "",
    ]
    if all(row["max_ulp"] is not None for row in rows):
        ulp, other = map(_largest, both, rows)
        made.append(f"The largest error of a is {ulp}; of b {other}.")
    if all(row["rms_error"] is not None for row in rows):
        rms, other = (to_short_text(row["rms_error"]) for row in rows)
        normal = found.a.question.normal
        made.append(f"For inputs {normal} the RMS error of a is {rms}, of b {other}.")
    return [sentence for sentence in [*made, _sample(found.a, a)] if sentence]


def _better(found: Comparison, digits: int | None) -> Iterator[str]:
    """Yield the intervals in which each kernel is nearer more often."""
    question = found.a.question
    x = Numbers(digits, question.dtype, question.result).x
    in_order = sorted(found.by_x.items(), key=lambda item: item[0].ends)
    runs = [(name, [*run]) for name, run in groupby(in_order, lambda item: _winner(item[1]))]
    for name in "ab":
        won = [run for winner, run in runs if winner == name]
        won.sort(key=lambda run: -sum(count.differ for _, count in run))
        ends = [(run[0][0].ends[0], run[-1][0].ends[1]) for run in won[:MOST_INTERVALS]]
        texts = [f"from {to_short_text(x(low))} to {to_short_text(x(high))}" for low, high in ends]
        texts += ["elsewhere"] * (len(won) > MOST_INTERVALS)
        if won:
            yield f"{name} for {question.names[0]} {' and '.join(texts)}"


def _winner(count: Count) -> str:
    if count.nearer_a == count.nearer_b:
        return ""
    return "a" if count.nearer_a > count.nearer_b else "b"
