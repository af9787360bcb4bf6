"""Tables in each format: the same cells, exactly, and what readers get back."""

import csv
import json
import re
from contextlib import redirect_stdout
from decimal import Decimal
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.api.results import Answer, Result
from gelu_cli.output.tables import RENDERERS, Table, to_short_text
from gelu_cli.output.writer import Output
from tests.runner import Terminal

TABLE = Table(
    "A title",
    {
        "form": ["tanh:c=1", 'a "b", c'],
        "max_error": [0.25, -1e-7],
        "count": np.array([65280.0, np.nan]),
        "exact": [Decimal("0.500"), None],
    },
    headings={"max_error": "max |error|"},
    meanings={"exact": "a word"},
)
TEXTS = {
    "csv": """\
form,max_error,count,exact
tanh:c=1,0.25,65280.0,0.500
"a ""b"", c",-1e-07,NaN,
""",
    "json": r"""[
{"form": "tanh:c=1", "max_error": 0.25, "count": 65280.0, "exact": 0.5},
{"form": "a \"b\", c", "max_error": -1e-07, "count": "NaN", "exact": null}
]
""",
    "markdown": r"""| form | max \|error\| | count | exact |
| :--- | ---: | ---: | ---: |
| tanh:c=1 | 0.25 | 65280 | 0.500 |
| a "b", c | -1e-07 | NaN |  |
""",
    "latex": r"""\begin{tabular}{lrrr}
\toprule
form & max |error| & count & exact \\
\midrule
tanh:c=1 & $0.25$ & $65280$ & $0.500$ \\
a "b", c & $-1 \times 10^{-7}$ & $\mathrm{NaN}$ &  \\
\bottomrule
\end{tabular}
""",
    "table": """\
 A title

form      max |error|  count  exact
───────────────────────────────────
tanh:c=1        0.25   65280  0.500
a "b", c       -1e-07    NaN

 exact: a word
""",
}


@pytest.mark.parametrize("name", RENDERERS)
def test_each_format_is_this_text(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "²")
    monkeypatch.setenv("LINES", "²")
    out = StringIO()
    RENDERERS[name](TABLE, out)
    assert out.getvalue() == TEXTS[name]


def test_texts_are_not_numbers():
    assert [to_short_text(each) for each in (2.0, "blocks.0")] == ["2", "blocks.0"]


def test_latex_escapes_its_signs():
    table = Table("", {"x": [r"a\b_c {½}"]})
    RENDERERS["latex"](table, out := StringIO())
    assert r"a\textbackslash{}b\_c \{$\frac12$\}" in out.getvalue()


@given(st.lists(st.floats(), min_size=1))
def test_float64s_read_back_from_csv_and_json(numbers):
    table, out, text = Table("", {"x": np.array(numbers)}), StringIO(), StringIO()
    RENDERERS["csv"](table, out)
    RENDERERS["json"](table, text)
    for found in (
        [float(row["x"]) for row in csv.DictReader(StringIO(out.getvalue()))],
        [float(row["x"]) for row in json.loads(text.getvalue())],
    ):
        assert np.array_equal(found, numbers, equal_nan=True)


@given(st.integers(-(10**15), 10**15) | st.integers(10**17), st.integers(-2000, 2000))
def test_decimals_keep_their_digits_in_json(digits, exponent):
    """Those of 16 and 17 digits become the nearest float64."""
    y, out = Decimal(digits).scaleb(exponent), StringIO()
    RENDERERS["json"](Table("", {"x": [y]}), out)
    found = json.loads(out.getvalue())[0]["x"]
    assert Decimal(str(found)) == y


def test_several_tables_have_an_empty_line_between_them():
    result = Result(answer=Answer({"one": lambda: TABLE, "two": lambda: TABLE}))
    for name in ("table", "markdown", "latex"):
        with redirect_stdout(StringIO()) as out:
            Output(name, None, None, True, "all", ["one", "two"]).write(result)
        assert out.getvalue() == f"{TEXTS[name]}\n{TEXTS[name]}"


@pytest.mark.parametrize("width", [18, 30, 80])
def test_a_narrow_terminal_has_each_digit_and_the_keys_again(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    out = Terminal()
    RENDERERS["table"](TABLE, out)
    lines = re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()).splitlines()
    assert max(map(len, lines)) <= width
    assert sum("tanh:c=1" in line for line in lines) == (2 if width == 30 else 1)
    assert all(number in out.getvalue() for number in ("0.25", "-1e-07", "65280", "0.500"))
