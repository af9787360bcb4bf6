"""Every output format: what it makes of every kind of cell."""

import json
import math
import re
from collections import Counter
from decimal import Decimal
from itertools import count, cycle, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.old.report import Column, Ending, Labelled, Page, Report
from gelu_cli.old.report.formats import (
    find_renderer,
    format_names,
    name_for_suffix,
)
from tests.old.report.documents import TEXT_FORMATS

COLUMNS = [Column("x", "x"), Column("f_gradient", "f′"), Column("who", "who & why")]
BLOCKS = [
    [(-0.5, Decimal("1.50"), "a,b"), (3.0, None, 'say "|"')],
    [(2.5e-7, math.inf, "50 %"), (-0.0, math.nan, "")],
]
FACTS = {"rounding": "6 digits"}
RENDERED = {
    "csv": 'x,f_gradient,who\n-0.5,1.50,"a,b"\n3.0,,"say ""|"""\n2.5e-07,inf,50 %\n-0.0,NaN,\n',
    "tsv": 'x\tf_gradient\twho\n-0.5\t1.50\ta,b\n3.0\t\t"say ""|"""\n2.5e-07\tinf\t50 %\n'
    "-0.0\tNaN\t\n",
    "json": r"""[
  {"x": -0.5, "f_gradient": 1.50, "who": "a,b"},
  {"x": 3.0, "f_gradient": null, "who": "say \"|\""},
  {"x": 2.5e-07, "f_gradient": null, "who": "50 %"},
  {"x": -0.0, "f_gradient": null, "who": ""}
]
""",
    "jsonl": r"""{"x": -0.5, "f_gradient": 1.50, "who": "a,b"}
{"x": 3.0, "f_gradient": null, "who": "say \"|\""}
{"x": 2.5e-07, "f_gradient": null, "who": "50 %"}
{"x": -0.0, "f_gradient": null, "who": ""}
""",
    "markdown": r"""| x | f′ | who & why |
| ---: | ---: | :--- |
| -0.5 | 1.50 | a,b |
| 3 |  | say "\|" |
| 2.5e-07 | inf | 50 % |
| -0 | NaN |  |
""",
    "latex": r"""\begin{tabular}{rrl}
\toprule
x & f$'$ & who \& why \\
\midrule
$-0.5$ & $1.50$ & a,b \\
$3$ &  & say "$|$" \\
$2.5 \times 10^{-7}$ & $\infty$ & 50 \% \\
$-0$ & $\mathrm{NaN}$ &  \\
\bottomrule
\end{tabular}
""",
    "table": """ Title

       x      f′  who & why
───────────────────────────
-0.5        1.50  a,b
 3                say "|"
 2.5e-07  inf     50 %
-0        NaN

 rounding: 6 digits
""",
}
every_format = pytest.mark.parametrize("name", TEXT_FORMATS)
REPORT = Report("Title", COLUMNS, [*BLOCKS, Ending(FACTS)])


def rendered(name, report, **page):
    return "".join(find_renderer(name).render(report, Page(**page)))


def numbers_report(*rows, digits=None):
    columns = [Column(f"c{i}", f"c{i}") for i in range(len(rows[0]))]
    return Report("T", columns, [rows], digits=digits)


@every_format
def test_every_format_renders_every_kind_of_cell_in_blocks_of_any_size(name):
    rows = [row for block in BLOCKS for row in block]
    for blocks in (BLOCKS, [rows], [[row] for row in rows]):
        report = REPORT._replace(stream=[*blocks, Ending(FACTS)])
        assert rendered(name, report) == RENDERED[name]
        if name in {"csv", "tsv"}:
            assert rendered(name, report, header=False) == RENDERED[name].partition("\n")[2]


FLOATS = [(-0.5, 3.0), (2.5e-7, math.inf), (-0.0, math.nan), (1e-5, -1e16)]


@every_format
@pytest.mark.parametrize("digits", [None, 6, 18])
def test_an_array_is_rendered_as_its_rows_are(name, digits):
    columns = [Column("x", "x"), Column("100%s", "f′")]
    as_rows = Report("T", columns, [FLOATS, FLOATS[:1], [], FLOATS], digits)
    array = np.array(FLOATS)
    for blocks in ([array, array[:1], array[:0], array], [array, FLOATS[:1], array]):
        assert rendered(name, as_rows._replace(stream=blocks)) == rendered(name, as_rows)
    if name in {"csv", "tsv"}:
        alone = rendered(name, as_rows._replace(stream=[array]), header=False)
        assert rendered(name, as_rows).partition("\n")[2].startswith(alone)


def test_json_tells_places_apart_that_are_not_finite_and_has_no_such_results():
    columns = [Column(name, name) for name in ("form", "low", "high", "max_abs_x", "f")]
    floats = np.array([[-math.inf, 0.0, math.nan, math.inf], [0.0, math.inf, -1.0, math.nan]])
    rows = [("a", *floats[0].tolist()), ("b", *floats[1].tolist())]
    want = [
        {"form": "a", "low": "-inf", "high": 0.0, "max_abs_x": "nan", "f": None},
        {"form": "b", "low": 0.0, "high": "inf", "max_abs_x": -1.0, "f": None},
    ]
    for block in (rows, Labelled([("a",), ("b",)], floats)):
        assert json.loads(rendered("json", Report("T", columns, [block]))) == want


@every_format
@pytest.mark.parametrize("labels", [[("a,b%s", "100%")], [("a", "é"), ("", '"'), ("c", "d")]])
def test_labelled_floats_are_rendered_as_their_rows_are(name, labels):
    columns = [Column(key, key) for key in ("form", "quantity", "x", "100%s")]
    labelled = Labelled(labels, np.array(FLOATS))
    rows = [(*label, *row) for label, row in zip(cycle(labels), FLOATS, strict=False)]
    as_rows = Report("T", columns, [rows, rows])
    assert rendered(name, as_rows._replace(stream=[labelled, labelled])) == rendered(name, as_rows)


@every_format
def test_rows_stream(name):
    endless = REPORT._replace(stream=([(float(n), 0.5, "")] for n in count()))
    texts = find_renderer(name).render(endless, Page())
    assert "0.5" in "".join(islice(texts, 2))


EMPTY = {
    "csv": "x,f_gradient,who\n",
    "tsv": "x\tf_gradient\twho\n",
    "json": "[]\n",
    "jsonl": "",
    "markdown": "| x | f′ | who & why |\n| :--- | :--- | :--- |\n",
    "latex": "\\begin{tabular}{lll}\n\\toprule\nx & f$'$ & who \\& why \\\\\n\\midrule\n"
    "\\bottomrule\n\\end{tabular}\n",
    "table": " Title\n\nx  f′  who & why\n────────────────\n",
}


@every_format
@pytest.mark.parametrize("blocks", [[], [[]]], ids=["no block", "an empty block"])
def test_a_report_without_rows_is_still_a_document(name, blocks):
    assert rendered(name, REPORT._replace(stream=blocks)) == EMPTY[name]


@every_format
@given(rows=st.lists(st.tuples(st.floats(), st.floats()), min_size=1, max_size=5))
@settings(max_examples=15)
def test_no_format_loses_a_digit(name, rows):
    """Not even the table, however far the columns' numbers differ."""
    text = rendered(name, numbers_report(*rows))
    if name == "latex":
        text = re.sub(r" \\times 10\^\{(-?)(\d+)\}", r"e\1\2", text).replace(r"\infty", "inf")
    words = re.findall(r"-?(?:\d[\d.]*(?:e[+-]?\d+)?|inf|NaN)", text)
    numbers = {repr(float(word)) for word in words}
    for x in (cell for row in rows for cell in row):
        if name not in {"json", "jsonl"} or math.isfinite(x):
            assert repr(x) in numbers


@pytest.mark.parametrize("width", [10, 19, 25, 30, 38, 41, 43, 44, 60, 80])
def test_a_narrow_table_folds_numbers_or_moves_columns_but_cuts_nothing(width):
    row = (-0.7517915246935645, -0.16997120747990369, 2.1184613523340935e-298)
    text = rendered("table", numbers_report(row), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    digits = Counter("".join(map(repr, row)))
    assert Counter(text) >= digits
    if width >= 44:
        assert all(repr(x) in text for x in row)


@pytest.mark.parametrize("width", [25, 40, 80])
def test_panels_repeat_the_key_and_show_every_column_once(width):
    report = numbers_report(*[(float(i), *(i + k / 8 for k in range(1, 12))) for i in range(2)])
    words = rendered("table", report, width=width).split()
    assert all(words.count(f"c{k}") == 1 for k in range(1, 12))
    assert words.count("c0") == words.count("0") > 1 or width == 80


def test_panels_repeat_the_keys_that_tell_rows_apart():
    rows = [("tanh", name, *(k / 8 for k in range(1, 12))) for name in ("value", "gradient")]
    words = rendered("table", numbers_report(*rows)._replace(keys=2), width=20).split()
    assert words.count("c1") == words.count("value") == words.count("gradient") > 1
    assert words.count("c0") == 1


@pytest.mark.parametrize(
    "column",
    [(0.5, 12.25, -3.0), (1e-07, 2.5e-07), (Decimal("1.00"), Decimal("-12.0")), (1e22, 1.5e22)],
    ids=str,
)
def test_the_decimal_points_of_a_table_stand_in_one_column(column):
    lines = rendered("table", numbers_report(*[(x, "|") for x in column])).splitlines()[4:]
    places = [re.match(r" *-?\d+", line).end() for line in lines]
    assert len(places) == len(column)
    assert len(set(places)) == 1


def test_a_long_table_repeats_its_header_and_keeps_every_row():
    text = rendered("table", numbers_report(*[(float(n),) for n in range(1005)]))
    rows = [line.strip() for line in text.splitlines()[4:] if line.strip("─")]
    assert rows == [*map(str, range(1000)), "c0", *map(str, range(1000, 1005))]


def test_colour_is_for_those_who_ask():
    coloured = rendered("table", REPORT, colour=True)
    assert "\x1b[36m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured).split() == RENDERED["table"].split()


def test_markup_of_rich_and_emoji_codes_are_mere_text():
    text = rendered("table", Report("[b]T[/b]", COLUMNS[:1], [[("[red]:smile:",)]]))
    assert "[b]T[/b]" in text
    assert "[red]:smile:" in text


@pytest.mark.parametrize("name", ["json", "jsonl"])
@pytest.mark.parametrize(
    ("digits", "text"), [(17, '{"c0": 0.10, "c1": 0.5}'), (18, '{"c0": "0.10", "c1": "0.5"}')]
)
def test_json_carries_more_digits_than_a_float64_has_as_text(name, digits, text):
    report = numbers_report((Decimal("0.10"), 0.5), digits=digits)
    assert text in rendered(name, report)


def test_latex_escapes_what_latex_would_read_as_markup():
    report = Report("T", COLUMNS[:1], [[(r"\a{b} $1 # ~^_ <|>",)]])
    assert (
        r"\textbackslash{}a\{b\} \$1 \# \textasciitilde{}\textasciicircum{}\_ $<$$|$$>$"
        in rendered("latex", report)
    )


@pytest.mark.parametrize(
    ("suffix", "name"),
    [(".csv", "csv"), (".CSV", "csv"), (".tsv", "tsv"), (".tab", "tsv"), (".json", "json"),
     (".jsonl", "jsonl"), (".ndjson", "jsonl"), (".md", "markdown"), (".markdown", "markdown"),
     (".tex", "latex"), (".txt", "table"), (".npy", "npy"),
     (".parquet", "parquet"), (".pickle", None), ("", None)],
)  # fmt: skip
def test_a_suffix_names_the_format(suffix, name):
    assert name_for_suffix(suffix) == name


def test_the_formats_are_those_promised():
    assert set(TEXT_FORMATS) == set(RENDERED)
    assert {*format_names()} - {*TEXT_FORMATS} == {"npy", "parquet"}
    assert {n for n in TEXT_FORMATS if find_renderer(n).people} == {"table", "markdown", "latex"}
