"""What is asked: one question a file, each a pure function from values to a `Report`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import UsageError
from gelu_cli.old.report import Column, Ending, Report, rows_of, stream_of

if TYPE_CHECKING:
    from gelu_cli.old.report import Block, Stream

HEADINGS = {
    "curvature": "f″", "gradient": "f′", "used_by": "used by", "max_off": "max off",
    "error_fitted": "error fitted", "error_published": "error published",
    "lower_bound": "lower bound",
    # of blocks
    "relative_rms": "r", "db": "dB", "relative_rms_centred": "r centred",
    "one_minus_cosine": "1 − cos", "gradient_relative_rms": "r of f′", "gradient_db": "dB of f′",
    "times_bfloat16": "r/bfloat16", "times_float16": "r/float16", "times_float32": "r/float32",
    "usual_model": "2⁻ᵖ/√3", "times_model": "r/model", "beyond_largest": "beyond largest",
    "gaussian_relative_rms": "r if normal", "times_gaussian": "r/that",
    "top_share": "share of top 1%", "negative_share": "share below 0",
    "sampled_relative_rms": "r sampled", "standard_error": "± standard error",
    "sampled_gradient_relative_rms": "r of f′ sampled",
    "gradient_standard_error": "± standard error",
    # of sweeps
    "exhaustive": "every input", "max_ulp": "max ULP", "max_ulp_x": "at x",
    "max_ulp_x_bits": "x bits", "max_ulp_up": "and up", "max_ulp_up_bits": "up bits",
    "max_ordinal_up": "and up", "max_abs_up": "and up", "up_bits": "up bits", "up_low": "ups from",
    "up_high": "to", "max_ordinal": "max ordinal", "max_ordinal_x": "ordinal at x",
    "mean_ulp": "mean ULP", "max_ulp_jax": "max ULP (JAX)", "x_bits": "x bits",
    "got_bits": "got bits", "want_bits": "want bits", "usual_bits": "usual bits", "ulp": "ULP",
    "max_abs_error": "max |error|", "max_abs_x": "|error| at x", "max_rel_error": "max relative",
    "rms_error": "RMS error", "noise_ratio": "noise ratio",
    # of comparisons
    "nearer_share": "nearer, of draws",
    "nearer_a": "nearer: a", "nearer_b": "nearer: b", "max_ulp_a": "max ULP of a",
    "max_ulp_a_x": "at x (a)", "max_ulp_a_up": "and up (a)", "max_ulp_b_up": "and up (b)",
    "max_ulp_b": "max ULP of b", "max_ulp_b_x": "at x (b)",
    "mean_ulp_a": "mean ULP of a", "mean_ulp_b": "mean ULP of b",
    "max_difference": "largest difference, ULP", "worst_of": "worst of", "a_bits": "a bits",
    "b_bits": "b bits", "a_ulp": "ULP of a", "b_ulp": "ULP of b", "difference": "difference, ULP",
}  # fmt: skip
"""The headings of columns that are not called by their names."""


def report_of(
    title: str,
    columns: str | Iterable[str] | Mapping[str, str],
    rows: Stream | Iterable[Block],
    digits: int | None = None,
    keys: int = 1,
    *,
    headed: bool = False,
    **ending: Any,
) -> Report:
    """Return a report with these columns, named in one text or with their headings by name.

    `rows` come in blocks, with an `Ending` after the last one, or with what is known of it here.

    >>> report_of("", "x used_by", []).columns, report_of("", {"x": "at x"}, []).columns
    ([Column(name='x', heading='x'), Column(name='used_by', heading='used by')], \
[Column(name='x', heading='at x')])
    """
    if not isinstance(columns, Mapping):
        names = columns.split() if isinstance(columns, str) else columns
        columns = {name: HEADINGS.get(name, name) for name in names}
    stream = stream_of(rows, **ending) if ending else rows  # type: ignore[arg-type]
    named = [Column(*pair) for pair in columns.items()]
    return Report(title, named, stream, digits, keys, headed)


def behind(
    report: Report, names: Sequence[str], kept: Iterator[Sequence[str]], rows_each: int = 1
) -> Report:
    """Return a report on points behind cells that are `kept` of each; a point has `rows_each`."""
    columns = [*(Column(name, name) for name in names), *report.columns]
    for name in {*names} & {column.name for column in report.columns}:
        raise UsageError(f"--keep {name}: the answer has a column '{name}' of its own")

    def stream() -> Stream:
        cells = chain.from_iterable(repeat(each, rows_each) for each in kept)
        for item in report.stream:
            if isinstance(item, Ending):
                yield item
            else:
                yield [(*next(cells), *row) for row in rows_of(item)]

    if not names:
        return report
    return report._replace(columns=columns, stream=stream(), keys=report.keys + len(names))
