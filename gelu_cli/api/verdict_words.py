"""The answer in sentences, with the numbers of the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gelu_cli.accuracy.selection import SMALL
from gelu_cli.api.verdict_cells import Row
from gelu_cli.api.verdict_rows import WRONG
from gelu_cli.numbers import find_format
from gelu_cli.output.renderers import to_short_text

if TYPE_CHECKING:
    from gelu_cli.api.records import Record

FAULTS = {
    **WRONG,
    "wrong_zero": "wrong zeros",
    "wrong_special": "wrong results at ±∞ or NaN",
}


def words_on(record: Record) -> list[str]:
    """Describe one kernel in full, of several kernels the large errors."""
    rows = [record.cells.row(row) for row in record.kernels]
    if record.two:
        return _on_two(record, *rows)
    if len(rows) == 1:
        return _on_one(record, rows[0])
    return [f"{row['kernel']}: {' '.join(_on_one(record, row)[:2])}" for row in rows]


def _on_one(record: Record, row: Row) -> list[str]:
    """Describe a kernel in two to four sentences.

    They say where results are within 1 ULP, how large errors get and what is wrong otherwise, what
    errors are for inputs drawn from N(M, S²), and what a sample leaves open.
    """
    if row["mean_ulp"] is None and not _failed(row):
        return ["No result was measured; nothing is known of errors."]
    made = (_within, _outside, _of_draws, _sample)
    return [sentence for make in made if (sentence := make(record, row))]


def _sampled(row: Row) -> bool:
    """Return True if other inputs may have larger errors."""
    return bool(row["exhaustive"] != "yes")


def _failed(row: Row) -> bool:
    return any(row[name] for name in WRONG)


def _within(record: Record, row: Row) -> str:
    """Name the interval in which results are within 1 ULP."""
    count, measured = f"{row['inputs']:,}", " that was measured" * _sampled(row)
    but = ", but for those that saturate," * bool(row["_saturated"])
    if not _failed(row) and not row["over_1_ulp"]:
        wrong = row["misrounded"]
        how = f"within 1 ULP; not correctly rounded: {wrong:,}" if wrong else "correctly rounded"
        return f"All {count} results{measured.replace('was', 'were')}{but} are {how}."
    around = [each for each in record.rows("profile") if each["kernel"] == row["kernel"]]
    near = record.cells.row(next((each for each in around if each["bound"] == 1), around[-1]))
    if not near["share"]:  # no interval around 0, or a single number
        over = row["over_1_ulp"]
        return f"Of {count} results {over:,} exceed 1 ULP." * bool(over)
    if near["left_out"]:
        but = f", but for {near['left_out']:,} zeros in place of subnormal numbers,"
    bound, share, low, high = (to_short_text(near[e]) for e in ("bound", "share", "low", "high"))
    return (
        f"Every result{measured}{but} is within {bound} ULP for {low} ≤ {record.names[0]} ≤ "
        f"{high}, a share of {share} of inputs {record.normal}."
    )


def _outside(record: Record, row: Row) -> str:
    """Name the largest error, and count wrong results."""
    parts = []
    if row["over_1_ulp"]:
        relative = row["_max_ulp_relative"]
        lost = relative is not None and relative * 2 > 1
        parts.append(
            f"the largest error{' found' * _sampled(row)} is {_largest(record, row)}"
            f"{', where no digit of the result is right' * lost}"
        )
    parts += [f"{words}: {row[name]:,}" for name, words in FAULTS.items() if row[name]]
    if row["_saturated"]:
        parts.append(f"results that saturate: {row['_saturated']:,}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _largest(record: Record, row: Row) -> str:
    """Print the largest error; what exceeds 1 ULP is not printed as 1."""
    text = to_short_text(row["max_ulp"])
    places = zip(record.names, ("max_ulp_x", "max_ulp_up"), strict=False)
    at = ", ".join(f"{name} = {to_short_text(row[place])}" for name, place in places)
    return f"{'a little over ' * (text == '1')}{text} ULP, at {at}"


def _of_draws(record: Record, row: Row) -> str:
    """Compare the RMS error of draws with that of correct rounding."""
    if row["rms_error"] is None:
        return ""
    both = "two independent " * record.pairs
    share = row["_lost_share"]
    lost = f" of the {1 - share:.4g} that are numbers" * bool(share)
    error, ratio = (to_short_text(row[name]) for name in ("rms_error", "noise_ratio"))
    times = f", {ratio} times that of correct rounding" * (row["rms_error"] != 0 and ratio != "inf")
    about = "about " * _sampled(row)
    return f"For {both}inputs {record.normal} the RMS error{lost} is {about}{error}{times}."


def _sample(record: Record, row: Row) -> str:
    """Warn that a sample proves little, and name the option for all inputs."""
    if not _sampled(row):
        return ""
    question, more = record.question, ""
    what = f"pairs of {' and '.join(record.names)}" if record.pairs else "inputs"
    if question["range"] and row["exhaustive"] == "no":  # of kernels, not of results in a file
        more = "; --all takes each float32" * (question["dtype"] == "float32")
        if record.pairs:
            small = find_format(question["dtype"]).width <= SMALL
            more = "; --up all takes each number as up" * small
    return f"{row['inputs']:,} {what} were measured, not all: others may have larger errors{more}."


def _on_two(record: Record, a: Row, b: Row) -> list[str]:
    """Describe the differences of two kernels, and name the nearer one."""
    count, inputs, share = a["differ"], a["inputs"], to_short_text(a["differ_share"] or 0)
    if not count:
        same = f"{a['kernel']} and {b['kernel']} agree in every bit of {inputs:,} results."
        made = [make(record, a) for make in (_outside, _of_draws, _sample)]
        return [same, *filter(None, made)]
    made = [
        f"{a['kernel']} (a) and {b['kernel']} (b) differ at {count:,} of {inputs:,} inputs: a is "
        f"nearer to the exact value at {a['nearer']:,}, b at {b['nearer']:,}.",
    ]
    if a["max_ulp"] is not None and b["max_ulp"] is not None:
        of_a, of_b = (_largest(record, row) for row in (a, b))
        made.append(f"The largest error of a is {of_a}; of b {of_b}.")
    if a["rms_error"] is not None and b["rms_error"] is not None:
        of_a, of_b = (to_short_text(row["rms_error"]) for row in (a, b))
        made.append(
            f"For inputs {record.normal} a share of {share} of results differs; the RMS error of a "
            f"is {of_a}, of b {of_b}."
        )
    return [sentence for sentence in [*made, _sample(record, a)] if sentence]
