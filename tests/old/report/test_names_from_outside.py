"""Names from outside hold anything; every format says them in one line, and reads back as them.

Each format is read by somebody else: csv, json, markdown-it, an XML parser, and for LaTeX a rule.
"""

import csv
import json
import re
import unicodedata
from decimal import Decimal
from io import StringIO
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from gelu_cli.old.report import Column, Ending, Labelled, Page, Report, rows_of, stream_of
from gelu_cli.old.report.formats import find_renderer
from gelu_cli.old.report.plots import Axis, Level, Mark, Plot, Trace, image, svg, terminal
from gelu_cli.old.report.plots.scales import linear
from gelu_cli.old.report.text import NARROW, cells, cut, printable, shortened, with_texts, wrapped
from tests.old.report.documents import TEXT_FORMATS

UNSEEN = {
    "\x1b[31mred": r"\x1b[31mred",
    "a\nb": r"a\nb",
    "a\rb": r"a\rb",
    "a\tb\0\x07\x7f": r"a\tb\x00\x07\x7f",
    "\x80\x9b2J": r"\x80\x9b2J",
    "\u202egpj.exe\u202c\u2066\u2069\u200e\u200f\u061c": r"\u202egpj.exe\u202c\u2066\u2069\u200e"
    r"\u200f\u061c",
    "a\u2028b\u2029": r"a\u2028b\u2029",
    "zero\u200bwidth\u200d\ufeff\u00ad": r"zero\u200bwidth\u200d\ufeff\xad",
    "half\udcff": r"half\udcff",
    "not a space\u00a0\u3000": r"not a space\xa0\u3000",
    "\ufffe\U000e0001": r"\ufffe\U000e0001",
}
"""What is not seen, and how it leaves."""
HEEDED = {
    "##[error]f": r"##\x5berror]f",
    "f##[group]##[x": r"f##\x5bgroup]##\x5bx",
    "###[f": r"###\x5bf",
    "::error::f": r"\x3a:error::f",
    "  ::f": r"  \x3a:f",
    "φ ::##[": r"φ ::##\x5b",
}
"""What GitHub's runner heeds in a log, `##[` anywhere and `::` where a line begins."""
MARKUP = [
    "tanh_sum", "_a_", "__init__", "f(x, _y='_z')", "a*b*c", "**a**", "x * y", "a\\b", "\\",
    "a\\|b", "|", "`x`", "``", "<b>a</b>", "<!--", "&amp;", "&#65;", "A & B", "[a](b)", "![a](b)",
    "[a]", "~~a~~", "$x$", "{a}", "#1", "%s %(x)d", "a--b---c", "``a''", "[1]", "*1", "=1+1", '"',
    "'", "a,b;c", "{}", "\\n", "^~", "?`!`", "e\u0301", "漢字", "😀", "½Φ(x)·2",
]  # fmt: skip
every_format = pytest.mark.parametrize("name", TEXT_FORMATS)


def report_of(texts):
    columns = [Column("name", "the name"), Column(texts[0], texts[0])]
    rows = [(text, float(n)) for n, text in enumerate(texts)]
    return Report(texts[0], columns, [rows, Ending({texts[0]: texts[-1]})])


def rendered(name, texts, width=None):
    return "".join(find_renderer(name).render(report_of(texts), Page(width)))


def read_delimited(delimiter):
    def read(text):
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True))
        return rows[0][1], [row[0] for row in rows[1:]]

    return read


def read_json(rows):
    return list(rows[0])[1], [row["name"] for row in rows]


def read_markdown(text):
    """Return the heading and the names as a parser has them: texts alone, without markup."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children}
    assert kinds <= {"text", "text_special"}
    found = ["".join(child.content for child in token.children) for token in inline]
    return found[1], found[2::2]


READERS = {
    "csv": read_delimited(","),
    "tsv": read_delimited("\t"),
    "json": lambda text: read_json(json.loads(text)),
    "jsonl": lambda text: read_json([json.loads(line) for line in text.split("\n")[:-1]]),
    "markdown": read_markdown,
}


def assert_seen(name, text):
    """Assert that a text has nothing unseen but line ends, and the tabs of TSV."""
    text.encode()
    assert text.replace("\n", "").replace("\t" if name == "tsv" else "\n", "").isprintable()


def assert_reads_back(name, texts):
    text = rendered(name, texts)
    assert_seen(name, text)
    heading, names = READERS[name](text)
    expected = list(map(printable, texts))
    if name == "markdown":  # white space at the ends of a cell is no part of it
        heading, expected = heading.strip(), [each.strip() for each in expected]
    assert (heading, names) == (expected[0], expected)


def test_what_is_not_seen_is_an_escape():
    assert {text: printable(text) for text in UNSEEN} == UNSEEN
    assert all(map(str.isprintable, UNSEEN.values()))
    seen = "".join(map(chr, range(32, 127))) + "Φ′½·−漢😀e\u0301 lib::f(::g) #[a] # #[b]"
    assert printable(seen) == seen
    assert {text: printable(text) for text in HEEDED} == HEEDED
    assert all(printable(text) == text for text in HEEDED.values())


def test_no_sign_that_moves_or_hides_others_is_let_through():
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    signs = map(chr, range(0x110000))
    assert not [c for c in signs if unicodedata.category(c) in hidden and printable(c) == c]
    ignorable = "\u034f\u115f\u17b4\u180b\u180f\u3164\ufe0f\uffa0\U000e01ef"  # of no category above
    assert not [c for c in ignorable + "\u2800" if printable(f"a{c}b") == f"a{c}b"]


@pytest.mark.parametrize("name", READERS)
def test_a_name_reads_back_as_it_is_seen(name):
    assert_reads_back(name, [*UNSEEN, *HEEDED, *MARKUP])


SIGNS = st.one_of(st.sampled_from(" \\|`*_~<>&#;[]()!$\"'-=,{}a1\n\r\t\x1b"), st.characters())


@pytest.mark.parametrize("name", READERS)
@given(names=st.lists(st.text(SIGNS, min_size=1, max_size=12), min_size=1, max_size=3))
@settings(max_examples=40)
def test_any_name_reads_back_as_it_is_seen(name, names):
    assert_reads_back(name, [*names[:1], "tanh_sum", *names[1:]])


@every_format
def test_what_is_not_seen_leaves_no_format(name):
    seen = rendered(name, list(UNSEEN.values()))
    assert rendered(name, list(UNSEEN)) == seen
    assert_seen(name, seen)


# LaTeX


COMMAND = re.compile(
    r"\\(textbackslash|textasciitilde|textasciicircum|ldots)\{\}|\\[&%$#_{}]"
    r"|\$(<|>|\||'{1,2}|-|\^[\dx]|_\d|\\[A-Za-z]+(12)?)\$|\{\}|[^\\&%$#_{}^~|<>]"
)
"""A sign that LaTeX takes for itself, or all that stands for another one."""


@given(text=st.text(SIGNS, min_size=1, max_size=20))
@example(text="".join(MARKUP))
@settings(max_examples=100)
def test_latex_has_a_cell_of_signs_that_stand_for_themselves(text):
    lines = rendered("latex", [text]).splitlines()
    cell = lines[4].removeprefix("{}").partition(" & $0$ ")[0]
    assert cell.isascii()
    assert COMMAND.sub("", cell) == ""
    assert not re.search(r"--|``|''(?!\$)|[?!]`", cell)
    assert not re.match(r"[\[*]", lines[4])  # the argument of the \midrule before


# Tables


@pytest.mark.parametrize("width", [None, 24, 40])
def test_the_columns_of_a_table_are_aligned_in_cells(width):
    names = ["漢字の名前", "😀", "e\u0301e\u0301e\u0301", "plain", "漢字" * 30]
    columns = [Column("name", "名"), Column("v", "値")]
    report = Report("", columns, [[(name, 12.5) for name in names]])
    lines = "".join(find_renderer("table").render(report, Page(width))).splitlines()
    ends = {cell_len(line) for line in lines if line.endswith("12.5")}
    assert sum(line.endswith("12.5") for line in lines) == len(names)
    assert len(ends) == 1
    assert max(map(cell_len, lines)) <= (width or 10**6)
    assert "".join(lines).count("漢") == 31


# Pictures

X = np.linspace(-4.0, 4.0, 9)
AXIS = Axis("x", linear())


def plot_of(text):
    axis = Axis(text, linear())
    traces = [Trace(text, X, X), Trace("other", X, -X)]
    return Plot(text, axis, axis, traces, [Mark(1.0, 1.0, text)], [Level(0.5, text)])


def test_a_picture_of_text_has_every_name_on_lines_as_wide_as_it():
    for text in [*UNSEEN, "漢字😀" * 30, "a" * 300, "_" * 90]:
        lines = terminal.render(plot_of(text), 60, 30).splitlines()
        assert max(map(cell_len, lines)) <= 60
        assert all(map(str.isprintable, lines))
    assert all(UNSEEN[text] in terminal.render(plot_of(text), 60, 30) for text in [*UNSEEN][:5])


def test_a_file_is_xml_whose_labels_are_the_names():
    names = [*UNSEEN, "_hidden", "a$b$c", r"\$x $\nosuch$", "<b>&amp;--]]>", "漢字"]
    plot = Plot("a$t$\n", AXIS, AXIS, [Trace(name, X, X) for name in names])
    root = ElementTree.fromstring(svg.render(plot))
    texts = {"".join(each.itertext()).strip() for each in root.iter() if each.tag.endswith("}text")}
    assert {*map(printable, names), r"a$t$\n"} <= texts


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_no_name_fails_in_a_file_or_has_a_warning(kind):
    assert image.render(plot_of("漢字😀\x1b$\\nosuch$ " + "_" * 300), kind)


# Lengths


def test_what_counts_as_narrow_is():
    signs = [c for c in map(chr, range(0x3000)) if re.fullmatch(NARROW, c) and c.isprintable()]
    assert len(signs) > 1500
    assert {cell_len(c) for c in signs} == {1}


@given(text=st.text(st.characters(categories=["L", "N", "P", "So"]), max_size=60),
       width=st.integers(2, 30))  # fmt: skip
@settings(max_examples=100)
def test_what_is_cut_fits_and_what_is_wrapped_is_whole(text, width):
    assert cells(cut(text, width)) <= width
    assert cells(shortened(text, width)) <= width
    assert shortened(text, 10**3) == text
    lines = wrapped(text, width, " ")
    assert all(cells(line) <= width for line in lines if len(line) > 2)
    assert "".join(line.strip() for line in lines) == text


def test_what_is_shortened_has_both_ends():
    assert shortened("a" * 10**6 + "z", 9) == "aaaa…aaaz"
    assert shortened("漢" * 9, 9) == "漢漢…漢漢"
    assert shortened("\u0301" * 10**5, 9) == "\u0301" * 4 + "…" + "\u0301" * 4


def test_texts_of_rows_and_labels_are_escaped_and_other_blocks_are_not_made_anew():
    rows = [("tanh", 1.0, Decimal("0.50"))] * 300
    labelled = Labelled([("\x1b[31m", "value")], np.array([[1.0], [2.0]]))
    blocks = [rows, [*rows, ("\x1b[31m", 1.0, None)], labelled]
    report = Report("", [Column(name, name) for name in "abc"], stream_of(blocks))
    same, changed, labels, _ = with_texts(report, printable).stream
    assert same is rows
    assert [tuple(row) for row in changed] == [*rows, ("\\x1b[31m", 1.0, None)]
    assert rows_of(labels) == [("\\x1b[31m", "value", 1.0), ("\\x1b[31m", "value", 2.0)]
