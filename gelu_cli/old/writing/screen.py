"""The answer on kernels on one screen: in words, its figures, the worst inputs, and what is more.

The tables of the views have what it shows, so an answer that was recorded looks as it did fresh.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gelu_cli.old.report import Cell, Column, Report, Sentence, stream_of
from gelu_cli.old.report.documents import Table, table_of
from gelu_cli.old.writing.destinations import Output, Views
from gelu_cli.old.writing.progress import Progress

IN_TITLE = "target", "quantity"
ALWAYS = (
    "max_ulp", "max_ulp_x", "max_ulp_up", "over_1_ulp", "max_abs_error", "rms_error",
    "noise_ratio", "nearer_share",
)  # fmt: skip
OF_ONE = ("inputs", "mean_ulp", "misrounded", "non_monotone")
COUNTS = ("wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "saturated")
"""The figures, those of a kernel alone, and those that are shown where they are not 0."""

OF_MANY = ("max_ulp", "max_ulp_x", "max_ulp_up", "noise_ratio")
SIDE_BY_SIDE = 3
"""More kernels have a row each, with these figures, and no words."""

OF_RESULT = ("x", "up", "got", "want", "ulp")
OF_TWO_RESULTS = ("worst_of", "x", "up", "a", "b", "a_ulp", "b_ulp")
BRIEF = ("differ", "better", "sample", "within", "outside")
"""What is said of each of two kernels, whose figures are beside one another; the last not of three.
"""

ASKED = ("shapes", "criteria")
"""Views that an option of their own asks for."""

MOST_ASKED = 6
"""Rows of such a view, those that fail first."""

MOST_WORST = 3
"""The columns of the worst inputs, and how many of these there are."""


def write_screen(views: Views, output: Output, worst: int | None) -> None:
    """Write an answer on a screen of 80 columns and 40 lines, or with so many of the worst."""
    with Progress(output.quiet):
        tables = {
            name: table_of(views[name]()) for name in ("summary", "worst", *ASKED) if name in views
        }
    others = [name for name in views if name != "summary"]
    reports = [*_reports(tables["summary"], tables.get("worst"), worst)]
    beside = [tables[name] for name in ASKED if name in tables]
    reports += [_few(each).report() for each in beside if each.rows]
    last = reports[-1]
    more = {"more": f"--view {', '.join(others)}; all of it: --view all"} if others else {}
    reports[-1] = last._replace(stream=stream_of(last.stream, facts=more))  # type: ignore[arg-type]
    for number, report in enumerate(reports):
        if number:
            print()
        output.write(report)


def _reports(summary: Table, worst: Table | None, most: int | None) -> Iterator[Report]:
    names = [column.name for column in summary.columns]
    many = len(summary.rows) > SIDE_BY_SIDE
    asked = {name: {str(row[names.index(name)]) for row in summary.rows} for name in IN_TITLE}
    same = all(len(values) == 1 for values in asked.values())
    shown = [
        i for i, name in enumerate(names)
        if not i or name in (OF_MANY if many else ALWAYS)
        or (name in IN_TITLE and not same)
        or (name in OF_ONE and len(summary.rows) == 1)
        or (name in COUNTS and not many and any(row[i] for row in summary.rows))
    ]  # fmt: skip
    shown = [i for i in shown if any(row[i] is not None for row in summary.rows)]
    few = summary._replace(
        columns=[summary.columns[i] for i in shown],
        rows=[[row[i] for i in shown] for row in summary.rows],
    )
    ending = {"words": () if many else summary.words}
    if not many:  # the names stand above the words
        letters = {row[0]: letter for row, letter in zip(summary.rows, "abc", strict=False)}
        if len(letters) == 1:
            letters = dict.fromkeys(letters, "")
        else:
            told = BRIEF if len(letters) == 2 else BRIEF[:-1]
            words = [_lettered(each, letters) for each in summary.words if each.about in told]
            ending = {"words": words}
        heads = [Column(letter, letter) for letter in letters.values()]
        few = few.turned()._replace(columns=[Column("figure", "figure"), *heads])
    title = f"{few.title}: {min(asked['quantity'])} against {min(asked['target'])}" * same
    yield Report(
        title or few.title, few.columns, stream_of([few.rows], **ending), few.digits, 1, not many
    )
    if worst and worst.rows and not many:
        yield _worst_inputs(worst, len(summary.rows), most)


def _few(asked: Table) -> Table:
    """Return of a table that was asked for what fails, or else its first rows, without a legend."""
    names = [column.name for column in asked.columns]
    rows = asked.rows
    if "verdict" in names:
        place = names.index("verdict")
        rows = sorted(rows, key=lambda row: row[place] != "fails")
    left = {"measure"} if len({row[0] for row in rows}) > 1 else {"measure", "routine"}
    shown = [i for i, name in enumerate(names) if name not in left]
    table = [[row[i] for i in shown] for row in rows[:MOST_ASKED]]
    return Table(asked.title, [asked.columns[i] for i in shown], table, {}, asked.digits)


def _lettered(sentence: Sentence, letters: Mapping[Cell, str]) -> Sentence:
    letter = letters.get(sentence.kernel)
    return sentence._replace(kernel=f"{letter}: {sentence.kernel}") if letter else sentence


def _worst_inputs(worst: Table, kernels: int, most: int | None) -> Report:
    """Return a few of the worst inputs, of each of several kernels as many."""
    names = [column.name for column in worst.columns]
    each = most or max(MOST_WORST // kernels, 1)
    seen: dict[object, int] = {}
    rows = []
    for row in worst.rows:
        seen[row[0]] = seen.get(row[0], 0) + 1
        if seen[row[0]] <= each:
            rows.append(row)
    wanted: tuple[str, ...] = OF_RESULT if kernels == 1 else ("routine", *OF_RESULT)
    wanted = OF_TWO_RESULTS if "worst_of" in names else wanted
    shown = [i for i, name in enumerate(names) if name in wanted]
    table = [[row[i] for i in shown] for row in (rows if most else rows[:MOST_WORST])]
    return Report(worst.title, [worst.columns[i] for i in shown], [table], worst.digits, 1)
