"""Figures as people print them, and what is refused because it may be two numbers."""

from decimal import Decimal

import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.reading.printed import LONGEST, is_missing, parse_printed
from tests.old.cli.runner import assert_refused, run_gelu

WAYS = {
    "-0.158": ["≈ -0.158", "~-0.158", "ca. -0.158", "−0.158", "–0.158", "-0.158*", "-0.158 †",
               "-0.158[1]", "**-0.158**", "`-0.158`", "$-0.158$", "-15.8%", "-15.8\\%", "-158‰",
               "-0,158", "-1.58·10^-1", "-1.58 × 10⁻¹", "-1.58\\cdot10^{-1}", "-1.58x10**-1",
               "-1.58D-01", "-0.158^a"],
    "1234.5": ["1,234.5", "1 234.5", "1\N{NO-BREAK SPACE}234.5", "1'234.5", "1.234,5", "1234,5"],
    "0.841344746": ["0.841 344 746", "0.84134\N{THIN SPACE}4746"],
    "0.001": ["10^-3", "10⁻³"],
    "1234567": ["1,234,567"],
    "1234.567": ["1234,567", "1.234,567"],
    "0.567": ["0,567", ",567"],
}  # fmt: skip


def test_a_figure_is_the_number_that_a_person_reads():
    read = {word: str(parse_printed(word).number) for words in WAYS.values() for word in words}
    assert read == {word: number for number, words in WAYS.items() for word in words}


def test_an_uncertainty_and_dots_are_what_is_said_of_a_figure():
    for word in ("0.8413 ± 0.0002", "0.8413+/-2e-4", "0.8413(2)", "(84.13 ± 0.02)%",
                 "(8.413 ± 0.002)·10^-1", "84.13% ± 0.02%"):  # fmt: skip
        number, uncertainty, cut = parse_printed(word)
        assert (number, uncertainty, cut) == (Decimal("0.8413"), Decimal("0.0002"), False), word
    for word in ("0.841…", "0.841...", "≈ 0.841…"):
        assert parse_printed(word) == (Decimal("0.841"), None, True)


@pytest.mark.parametrize(
    "word",
    ["1,234", "<1e-5", "0.84 ULP", "(0.158)", "1.2.3", "1 2", "1±2±3", "0.84 ± 0.1%", "0.84/2", "≈",
     "±", "%", "15,8,1", "1e5000(3)", "0.8" + " " * 100_000 + "1", "1" * LONGEST + " %"],
)  # fmt: skip
def test_what_may_be_something_else_is_refused_at_once(word):
    with pytest.raises(UsageError):
        parse_printed(word)


def test_what_may_be_two_numbers_is_named_with_both():
    """Up to three digits may stand before a comma that divides thousands."""
    for whole in ("1", "12", "123"):
        with pytest.raises(UsageError, match=rf"'{whole},234' may be {whole}\.234 or {whole}234"):
            parse_printed(f"{whole},234")


def test_a_cell_without_a_figure_is_not_zero_and_nan_is_a_figure():
    for word in ("", "-", "—", "NA", "n/a", "#N/A", "null", "None", "…"):
        assert is_missing(word)
    assert not is_missing("nan")
    text = "x,exact,tanh\n1,NA,0.8412\n2,—,nan\n"
    answer = run_gelu("check", "-", stdin=text.encode())
    assert [(row["published"], row["verdict"]) for row in answer.rows] == [
        ("0.8412", "right"),
        ("NaN", "wrong"),
    ]


JUDGED = [
    ("0.841 ± 0.001", "1", "exact", "right"),
    ("0.84 ± 0.001", "1", "exact", "right"),  # to its last decimal
    ("0.85 ± 0.01", "1", "exact", "right"),
    ("0.85 ± 0.008", "1", "exact", "wrong"),
    ("0.8400(14)", "1", "exact", "right"),
    ("0.8400(13)", "1", "exact", "wrong"),
    ("1.9544…", "2", "exact", "right"),
    ("1.9545…", "2", "exact", "right"),
    ("1.9543…", "2", "exact", "wrong"),
    ("-0.1586…", "-1", "exact", "right"),
    ("-0.1585…", "-1", "exact", "wrong"),
    ("-15.87%", "-1", "exact", "right"),
    ("-15.86%", "-1", "exact", "wrong"),
    ("-15.9%", "-1", "exact", "right"),
    ("5 ± 1", "inf", "exact", "wrong"),
]


def test_a_figure_is_right_by_what_is_said_of_it():
    for figure, x, column, verdict in JUDGED:
        answer = run_gelu("check", "-", stdin=f"x;{column}\n{x};{figure}\n".encode())
        assert (figure, [row["verdict"] for row in answer.rows]) == (figure, [verdict])
        assert answer.code == (verdict == "wrong")


def test_what_cannot_be_read_is_named_or_left_out_and_counted():
    text = b"x,exact,tanh\n1,0.8413,oops\n?,1,1\n2,1.9545,<2\n"
    refused = run_gelu("check", "-", stdin=text)
    assert_refused(refused, "line 2 of stdin, column 'tanh': 'oops'", "--skip-unreadable")
    answer = run_gelu("check", "-", "--skip-unreadable", stdin=text)
    assert [(row["line"], row["column"]) for row in answer.rows] == [("2", "exact"), ("4", "exact")]
    assert "note: 3 cells cannot be read and are left out; the first: line 2 of stdin" in answer.err
    words = ["--dtype", "float32", "--skip-unreadable", "--view", "worst"]
    results = run_gelu("check", "-", *words, stdin=text)
    assert (results.code, [row["x"] for row in results.rows]) == (0, ["1.0", "2.0"])
    assert (
        "note: 3 cells cannot be read and are left out; the first: line 2 of stdin" in results.err
    )
    assert run_gelu("check", "-", *words, "-q", stdin=text).err == ""
    nothing = run_gelu("check", "-", "--skip-unreadable", stdin=b"x,exact\n1,oops\n")
    assert_refused(nothing, "stdin holds no figures")
