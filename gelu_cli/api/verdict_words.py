"""The answer in sentences, with the numbers of the tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gelu_cli.api.verdict_views import Row

if TYPE_CHECKING:
    from gelu_cli.api.records import Record

WRONG = {"wrong_nan": "wrong NaNs", "wrong_inf": "wrong infinities", "wrong_sign": "wrong signs"}
"""Counts of results that break every bound."""

FAULTS = {
    **WRONG,
    "wrong_zero": "wrong zeros",
    "wrong_special": "wrong results at ±∞ or NaN",
    "saturated": "results that saturate",
}


def words_on(record: Record) -> list[str]:
    """Describe one kernel in full, of several kernels the large errors."""
    if len(record.kernels) > 1 and not record.two:
        return [f"{line}." for line in lines_on(record)]
    found = [*(_on_two(record) if record.two else _on_one(record, record.kernels[0]))]
    if not record.exhaustive:
        count = f"{record.kernels[0]['inputs']:,}"
        found[:0] = [f"{count} inputs were measured, not all: others may have larger errors."]
    return found


def lines_on(record: Record) -> list[str]:
    """Name the largest error of each kernel, or count differences of two."""
    if record.two:
        a, b = record.kernels
        both = f"{a['kernel']} and {b['kernel']}"
        return [f"{both} differ at {a['differ']:,} of {a['inputs']:,} inputs"]
    found, least = [], "" if record.exhaustive else "≥ "
    for row in record.kernels:
        largest = record.text(row, "max_ulp") or "unknown"
        failures = {
            "wrong NaN, infinity or sign": sum(row[name] for name in WRONG),
            FAULTS["wrong_special"]: row["wrong_special"],
        }
        failed = [f", {words}: {count:,}" for words, count in failures.items() if count]
        found.append(f"{row['kernel']}: max ULP {least}{largest}{''.join(failed)}")
    return found


def _on_one(record: Record, row: Row) -> Iterator[str]:
    """Describe small errors, large ones, and errors of draws."""
    if row["over_1_ulp"] or any(row[name] for name in WRONG):
        yield from _interval(record, row)
    elif row["mean_ulp"] is not None:
        some = " that do not saturate" * bool(row["saturated"])
        wrong = f"within 1 ULP; not correctly rounded: {row['misrounded']:,}"
        how = wrong if row["misrounded"] else "correctly rounded"
        yield f"All {row['inputs']:,} results{some} are {how}."
    parts = [f"{words}: {row[name]:,}" for name, words in FAULTS.items() if row[name]]
    if row["over_1_ulp"]:
        largest = ("" if record.exhaustive else "≥ ") + record.text(row, "max_ulp")
        parts[:0] = [f"the largest error is {largest} ULP{record.place(row, 'max_ulp_')}"]
    if text := "; ".join(parts):
        yield f"{text[0].upper()}{text[1:]}."
    if row["rms_error"] is not None:
        about = "" if record.exhaustive else "about "
        lost = " of results that are numbers" * bool(row["lost_share"])
        rms = f"the RMS error{lost} is {about}{record.text(row, 'rms_error')}"
        times = f"{record.text(row, 'noise_ratio')} times that of correct rounding"
        yield f"For inputs {record.normal} {rms}, {times}."


def _interval(record: Record, row: Row) -> Iterator[str]:
    """Name the interval around 0 in which results are within 1 ULP."""
    rows = [each for each in record.rows("profile") if each["kernel"] == row["kernel"]]
    near = [each for each in rows if each["bound"] <= 1][-1]
    if near["share"]:  # not a single number
        zeros = f", but for zeros in place of subnormal numbers ({near['left_out']:,})"
        bound, low, high, share = (record.text(near, n) for n in ("bound", "low", "high", "share"))
        every = f"For {low} ≤ x ≤ {high} every result is within {bound} ULP"
        draws = f"an input from {record.normal} is there with probability {share}"
        yield f"{every}{zeros * bool(near['left_out'])}; {draws}."


def _on_two(record: Record) -> Iterator[str]:
    """Count the differences of two kernels, and name the nearer one."""
    a, b = record.kernels
    nearer = [f"{each['kernel']} at {each['nearer']:,}" for each in (a, b)]
    yield f"{lines_on(record)[0]}; nearer to the exact value is {', '.join(nearer)}."
    if a["differ_share"] is not None:
        share = record.text(a, "differ_share")
        yield f"For inputs {record.normal} a share of {share} of results differs."
