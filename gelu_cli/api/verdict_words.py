"""The answer in sentences, with the numbers of the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from gelu_cli.accuracy.differences import Differences
from gelu_cli.accuracy.measure import Measured
from gelu_cli.accuracy.regions import Place
from gelu_cli.accuracy.selection import SMALL
from gelu_cli.accuracy.verdict import Verdict as Found
from gelu_cli.api.questions import input_names
from gelu_cli.api.verdict_cells import Cells
from gelu_cli.api.verdict_views import rows_of
from gelu_cli.output.renderers import to_short_text

Row: TypeAlias = Mapping[str, Any]

WRONG = {
    "wrong_nan": "wrong NaNs", "wrong_inf": "wrong infinities", "wrong_sign": "wrong signs",
    "wrong_zero": "wrong zeros", "wrong_special": "wrong results at ±∞ or NaN",
}  # fmt: skip

FAILURES = ("wrong_nan", "wrong_inf", "wrong_sign")
MOST_INTERVALS = 3


def words_of(found: Found, digits: int | None = None) -> list[str]:
    """Describe a kernel in two to four sentences.

    They say where results are within 1 ULP, how large errors get and what is wrong otherwise, what
    errors are for inputs drawn from N(M, S²), and what a sample leaves open.
    """
    if not (found.total["judged"] or _failed(found)):
        return ["No result was measured; nothing is known of errors."]
    row = next(rows_of("summary", found, digits))
    made = (
        _within(found, row, digits),
        _outside(found, row),
        _of_draws(found, row),
        _sample(found, row),
    )
    return [sentence for sentence in made if sentence]


def words_on(found: Sequence[Found], digits: int | None = None) -> list[str]:
    """Describe kernels: one at length, of several where errors are large."""
    if len(found) == 1:
        return words_of(found[0], digits)
    return [f"{each.label}: {' '.join(words_of(each, digits)[:2])}" for each in found]


def _sampled(found: Found) -> bool:
    """Return True if other inputs may have larger errors."""
    return not (found.exhaustive and found.complete)


def _failed(found: Found) -> int:
    """Count wrong NaNs, infinities and signs."""
    return sum(found.total[name] for name in FAILURES)


def _within(found: Found, row: Row, digits: int | None) -> str:
    """Say where results are within 1 ULP: everywhere, or around 0."""
    count, total, worst = f"{row['inputs']:,}", found.total, found.largest(found.total)
    measured = " that was measured" * _sampled(found)
    but = ", but for those that saturate," * bool(total["saturated"])
    if not _failed(found) and (worst is None or worst.ulp is None or worst.ulp <= 1):
        wrong = row["misrounded"]
        how = f"within 1 ULP; not correctly rounded: {wrong:,}" if wrong else "correctly rounded"
        return f"All {count} results{measured.replace('was', 'were')}{but} are {how}."
    around = list(rows_of("profile", found, digits))
    near = next((each for each in around if each["bound"] == 1), around[-1])
    if not near["share"]:  # no interval around 0, or a single number
        over = row["over_1_ulp"]
        return f"Of {count} results {over:,} exceed 1 ULP." * bool(over)
    if near["left_out"]:
        but = f", but for {near['left_out']:,} zeros in place of subnormal numbers,"
    bound, share, low, high = (to_short_text(near[e]) for e in ("bound", "share", "low", "high"))
    name = input_names(found.question)[0]
    return (
        f"Every result{measured}{but} is within {bound} ULP for {low} ≤ {name} ≤ {high}, "
        f"a share of {share} of inputs {found.normal}."
    )


def _outside(found: Found, row: Row) -> str:
    """Say how large errors get, and count what is wrong otherwise."""
    parts, worst, total = [], found.largest(found.total), found.total
    if worst and worst.ulp and worst.ulp > 1:
        relative = worst.relative
        lost = relative is not None and relative * 2 > 1
        parts.append(
            f"the largest error{' found' * _sampled(found)} is {_largest(found, row)}"
            f"{', where no digit of the result is right' * lost}"
        )
    parts += [f"{words}: {row[name]:,}" for name, words in WRONG.items() if row[name]]
    parts += [f"results that saturate: {total['saturated']:,}"] * bool(total["saturated"])
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _largest(found: Found, row: Row) -> str:
    """Print the largest error; what exceeds 1 ULP is not printed as 1."""
    text = to_short_text(row["max_ulp"])
    places = zip(input_names(found.question), ("max_ulp_x", "max_ulp_up"), strict=False)
    at = ", ".join(f"{name} = {to_short_text(row[place])}" for name, place in places)
    return f"{'a little over ' * (text == '1')}{text} ULP, at {at}"


def _of_draws(found: Found, row: Row) -> str:
    """Compare the RMS error of draws with that of correct rounding."""
    if row["rms_error"] is None:
        return ""
    both = "two independent " * bool(found.question.glu)
    lost = f" of the {1 - found.lost_share:.4g} that are numbers" * bool(found.lost_share)
    times = f", {to_short_text(row['noise_ratio'])} times that of correct rounding"
    return (
        f"For {both}inputs {found.normal} the RMS error{lost} is "
        f"{'about ' * _sampled(found)}{to_short_text(row['rms_error'])}"
        f"{times * bool(found.total['least'])}."
    )


def _sample(found: Found, row: Row) -> str:
    """Say what a sample leaves open, and how to take all inputs."""
    if not _sampled(found):
        return ""
    question, more = found.question, ""
    what = f"pairs of {' and '.join(input_names(question))}" if question.glu else "inputs"
    if found.inputs and found.complete:  # not results of a file, not an interrupted sweep
        more = "; --all takes each float32" * (question.dtype.name == "float32")
        if question.glu:
            more = "; --up all takes each number as up" * (question.dtype.width <= SMALL)
    return f"{row['inputs']:,} {what} were measured, not all: others may have larger errors{more}."


# Two kernels


def words_on_two(found: Measured, digits: int | None = None) -> list[str]:
    """Say where two kernels differ, which is nearer, and by how much."""
    total, both = found.total, found.verdicts
    one = both[0]
    a, b = rows = [next(rows_of("summary", each, digits)) for each in both]
    if not total.differ:
        same = f"{a['kernel']} and {b['kernel']} agree in every bit of {total.inputs:,} results."
        return [same, *words_of(one, digits)]
    better = list(_better(found, digits))
    made = [
        f"{a['kernel']} (a) and {b['kernel']} (b) differ at {total.differ:,} of {total.inputs:,} "
        f"inputs: a is nearer to the exact value at {total.nearer_a:,}, b at {total.nearer_b:,}.",
        f"Nearer more often: {'; '.join(better)}." if better else "",
    ]
    if all(row["max_ulp"] is not None for row in rows):
        ulp, other = map(_largest, both, rows)
        made.append(f"The largest error of a is {ulp}; of b {other}.")
    if all(row["rms_error"] is not None for row in rows):
        rms, other = (to_short_text(row["rms_error"]) for row in rows)
        made.append(
            f"For inputs {one.normal} a share of {_share(found)} of results differs; the RMS error "
            f"of a is {rms}, of b {other}."
        )
    return [sentence for sentence in [*made, _sample(one, a)] if sentence]


def _share(found: Measured) -> str:
    """Print the share of draws that differ, an estimate with ±."""
    share = f"{found.differ_share or 0:.4g}"
    return f"{share} ± {found.share_error:.1g}" if found.drawn.inputs else share


def _better(found: Measured, digits: int | None) -> Iterator[str]:
    """Yield the intervals in which each kernel is nearer more often."""
    question = found.verdicts[0].question
    x = Cells(digits, question.dtype, question.result).x
    by_x: dict[Place, Differences] = {}
    for place, each in found.differences.items():
        by_x.setdefault(Place(place.x), Differences()).add(each, 0)
    in_order = sorted(by_x.items(), key=lambda item: item[0].order)
    runs = [(name, [*run]) for name, run in groupby(in_order, lambda item: _winner(item[1]))]
    for name in "ab":
        won = [run for winner, run in runs if winner == name]
        won.sort(key=lambda run: -sum(count.differ for _, count in run))
        ends = [(run[0][0].x.ends[0], run[-1][0].x.ends[1]) for run in won[:MOST_INTERVALS]]
        texts = [f"from {to_short_text(x(low))} to {to_short_text(x(high))}" for low, high in ends]
        texts += ["elsewhere"] * (len(won) > MOST_INTERVALS)
        if won:
            yield f"{name} for {input_names(question)[0]} {' and '.join(texts)}"


def _winner(count: Differences) -> str:
    if count.nearer_a == count.nearer_b:
        return ""
    return "a" if count.nearer_a > count.nearer_b else "b"
