"""What a contributor adds, one of each, to a copy of the program: in as few places as promised."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house import copy_of_the_house, environment, insert, run

ROOT = Path(__file__).parents[1]
PLACES = dict(
    re.findall(r"^\| (\w[\w ]+) \| (\d+) \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M)
)
"""How many places each addition touches, as CONTRIBUTING states."""

FORM = """
    Form(
        name="late_relu",
        definition="max(0, x − √2)",
        pieces=(Direct(closed_gate), Direct(late)),
        kinks_at=lambda: (Kink(Fraction(2), "left"),),
        source="made up",
    ),
"""
PIECE = '''

def late(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield x − √2 with two derivatives."""
    yield x - a.sqrt(a.rational(2))
    yield from open_gate(a, x)
'''
IN_MPMATH = """

@form
def late_relu(x):
    return max(M.zero, x - M.sqrt(2))

"""
IN_ARB = """

@form
def late_relu():
    return [nothing, lambda x: x - root(2)], [root(2)]

"""
PUBLISHED = '    PublishedSet("lazy", constants(SIGMOID, beta="1.5"), "made up", (bound("0.1"),)),'
SECOND_WRITING = """

@published()
def lazy(x):
    return logistic(x, ratio("1.5"))
"""
MODEL = '    Model("Late", "hard:slope=1.5", 2026, "made up"),'
ROUTINE = """
        Routine(
            "erfc_halves",
            "exact",
            "x·(½erfc(−x/√2))",
            lambda a, x: erfc_gate(a, x) * x,
            lambda a, x: erfc_gate(a, x) + x * density(a, x),
        ),
"""
NUMBER_FORMAT = '        Format("float8_e3m4", 5, -2, 8),'
OUTPUT_FORMAT = '''"""A list of words."""

from gelu_cli.report import blocks_of, rows_of


def render(report, page):
    """Yield a line for each row."""
    for block in blocks_of(report):
        yield "".join(" ".join(map(str, row)) + "\\n" for row in rows_of(block))
'''
DOCUMENT = '''"""A word for each limit."""

SUFFIXES = (".words",)


def render(document):
    """Yield whether each limit holds, and the tables there are."""
    yield from ("holds " if finding.holds else "fails " for finding in document.findings)
    yield " ".join(document.views) + "\\n"
'''
BACKEND = '''"""Masked arrays."""

from gelu_cli.kernels.backends import Backend


class Arrays(Backend):
    """Masked arrays of numpy."""

    def from_bits(self, bits):
        """Return masked numbers."""
        return self.module.MaskedArray(bits.view(self.dtype.name))
'''
KERNEL = """import masked

def gelu(x):
    assert isinstance(x, masked.MaskedArray), type(x)
    return -x
"""
METRICS = """
    Metric("over_2_ulp", "over 2 ULP", lambda block: count(block.errors > 2)),
    Metric("zeros", "zeros", lambda block: count(block.got == 0), in_regions=True),
"""
CRITERION = """
    Criterion("max_abs_3", lambda result: max_abs(3)),
"""
MISTAKE = """
    _form("square_root_of_x", "x·√(1 + x²)", Direct(lambda a, x: iter([x * a.sqrt(1 + x * x)]))),
"""
DEFINITION = """    "square_root_of_x": lambda x: x * M.sqrt(1 + x * x),"""
ANSWER = '''"""How many forms are there?"""

from gelu_cli.forms import all_forms
from gelu_cli.report import Column, Report, stream_of


def count():
    """Return their number."""
    return Report("Forms", [Column("forms", "forms")], stream_of([[(len(all_forms()),)]]))
'''
COMMAND = '''"""`gelu count`: how many forms there are."""

from gelu_cli.cli import leaving, options


def count(output=leaving.OUTPUT_OF_NAMES):
    """How many forms there are."""
    from gelu_cli.answers import count as answer

    output.write(answer.count())
'''


@pytest.fixture
def house(tmp_path):
    return copy_of_the_house(tmp_path)


def added(house, what, **texts):
    """Add texts, files or entries after a line, to as many places as CONTRIBUTING says."""
    assert len(texts) == int(PLACES[what])
    for place, (after, text) in texts.items():
        path = house / f"{place.replace('__', '/')}.py"
        if after is None:
            path.write_text(text, encoding="utf-8")
        else:
            insert(path, after, text)


def printed(house, *words):
    answer = run(house, *words)
    assert (answer.returncode, answer.stderr) == (0, ""), words
    return answer.stdout


def rows(house, *words):
    return json.loads(printed(house, *words, "--format", "json"))


def passed(house, *words):
    """Return how many tests pass in a copy that has them, none of which may fail."""
    judged = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=house, env=environment(house), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert judged.returncode == 0, judged.stdout
    return int(re.search(r"(\d+) passed", judged.stdout)[1])


def test_a_form_is_an_entry_and_its_two_definitions(house):
    shutil.copytree(ROOT / "tests", house / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", house)
    added(
        house,
        "form",
        gelu_cli__forms__rectifiers=("FORMS = (", FORM),
        tests__truth__mpmath=("    return x * M.erfc(-x / M.sqrt(2)) / 2", IN_MPMATH),
        tests__truth__arb=("    return [lambda x: x * complement(-x / root(2)) / 2], []", IN_ARB),
    )
    rectifiers = house / "gelu_cli/forms/rectifiers.py"
    insert(rectifiers, "ZERO, ONE = Gated(closed_gate), Gated(open_gate)", PIECE)
    assert rows(house, "table", "3", "--form", "late_relu") == [
        {"x": 3.0, "late_relu": 1.5857864376269049, "late_relu_gradient": 1.0}
    ]
    assert "late_relu" in printed(house, "forms")
    assert "late_relu" in printed(house, "completion", "bash")
    assert passed(house, "tests/forms", "tests/values", "-k", "late_relu") > 2


def test_a_published_set_is_an_entry_and_its_second_writing(house):
    shutil.copytree(ROOT / "tests", house / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", house)
    added(
        house,
        "published set",
        gelu_cli__forms__published__sigmoid=("SETS = (", PUBLISHED),
        tests__truth__published=("    return M.sqrt(2 / M.pi)", SECOND_WRITING),
    )
    assert passed(house, "tests/forms/test_published_forms.py", "-k", "lazy or writing") == 3


def test_a_model_is_an_entry(house):
    added(house, "model", gelu_cli__forms__models=("OTHERS = (", MODEL))
    (found,) = rows(house, "forms", "hard:slope=1.5", "--view", "models")
    assert found == {"name": "Late", "form": "hard:slope=1.5", "since": 2026, "source": "made up"}


def test_a_routine_is_an_entry(house):
    added(house, "routine", gelu_cli__kernels__routines=("    for routine in (", ROUTINE))
    words = ("sweep", "--routine", "erfc_halves", "--routine", "erfc", "--dtype", "float8_e5m2")
    new, old = rows(house, *words)
    assert new == old | {"routine": "erfc_halves"}  # of two factors the order does not matter


def test_a_number_format_is_an_entry(house):
    added(
        house, "number format", gelu_cli__arithmetic__formats=("    for entry in (", NUMBER_FORMAT)
    )
    words = ("table", "1.03", "--dtype", "float8_e3m4", "--form", "relu", "--show", "value")
    (found,) = rows(house, *words, "--bits")
    assert found == {"x": 1.0, "x_bits": "0x30", "relu": 1.0, "relu_bits": "0x30"}
    (found,) = rows(house, "sweep", "--routine", "erfc", "--dtype", "float8_e3m4")
    assert (found["inputs"], found["exhaustive"]) == (224, "yes")


def test_an_output_format_is_a_file(house):
    added(house, "output format", gelu_cli__report__formats__words=(None, OUTPUT_FORMAT))
    assert printed(house, "table", "1", "--form", "relu", "-f", "words") == "1.0 1.0 1.0\n"
    assert "words" in printed(house, "table", "--help")
    assert "words:a list of words" in printed(house, "completion", "zsh")
    refused = run(house, "table", "1", "-f", "words", "--no-header")
    assert (refused.returncode, "--no-header is for csv" in refused.stderr) == (2, True)


def test_a_format_of_whole_answers_is_a_file(house):
    added(house, "format of whole answers", gelu_cli__report__documents__words=(None, DOCUMENT))
    words = ("sweep", "--routine", "erfc", "--dtype", "float8_e5m2", "--range", "1:2")
    told = printed(house, *words, "--max-ulp", "9", "-f", "words")
    assert told.startswith("holds summary regions histogram worst")
    printed(house, *words, "--max-ulp", "9", "-o", str(house / "a.words"))
    assert (house / "a.words").read_text() == told
    assert "words:a word for each limit" in printed(house, "completion", "zsh")


def test_a_backend_is_a_file(house):
    (house / "masked.py").write_text(
        "from numpy.ma import MaskedArray\n__version__ = '1.0'\n", encoding="utf-8"
    )
    (house / "mykernel.py").write_text(KERNEL, encoding="utf-8")
    words = ("sweep", "--impl", "mykernel.py:gelu", "--dtype", "float16", "--range", "1:2")
    without = run(house, *words)
    assert (without.returncode, "ndarray" in without.stderr) == (4, True)
    added(house, "backend", gelu_cli__kernels__backends__masked=(None, BACKEND))
    assert "numpy, torch, jax, cupy, tensorflow, masked" in " ".join(
        printed(house, "sweep", "--help").split()
    )
    (found,) = rows(house, *words)
    assert (found["inputs"], found["misrounded"], found["wrong_sign"]) == (1025, 1025, 1025)


def test_a_metric_is_an_entry(house):
    added(house, "metric", gelu_cli__kernels__metrics=("METRICS = (", METRICS))
    words = ("sweep", "--routine", "erf_sum", "--dtype", "float8_e4m3fn", "--view")
    markdown = printed(house, *words, "summary", "--format", "markdown")
    headings, _, cells = ([*map(str.strip, line.split("|"))] for line in markdown.splitlines()[-3:])
    summary = dict(zip(headings, cells, strict=True))
    beyond = [row["count"] for row in rows(house, *words, "histogram") if row["low"] >= 2]
    assert int(summary["over 2 ULP"]) == sum(beyond) > 0
    regions = rows(house, *words, "regions")
    assert sum(row["zeros"] for row in regions) == int(summary["zeros"]) > 2
    assert "over_2_ulp" not in regions[0]


def test_a_criterion_is_an_entry(house):
    added(house, "criterion", gelu_cli__kernels__criteria__checks=("CRITERIA = (", CRITERION))
    words = ("--dtype", "float8_e5m2", "--criteria", "--view", "criteria")
    judged, drawn, *_ = rows(house, "sweep", "--routine", "erf_sum", *words)
    assert (judged["criterion"], judged["threshold"], judged["verdict"]) == (
        "max_abs_3",
        3,
        "passes",
    )
    assert (drawn["measure"], drawn["found"]) == ("P(|got − want| > 3)", 0)


def test_a_command_is_a_file_and_its_answer(house):
    added(
        house,
        "command",
        gelu_cli__cli__commands__count=(None, COMMAND),
        gelu_cli__answers__count=(None, ANSWER),
    )
    (found,) = rows(house, "count")
    assert found["forms"] > 10
    assert "How many forms there are." in printed(house, "--help")
    assert "count" in printed(house, "completion", "fish")


def test_a_known_mistake_is_an_entry_and_its_definition(house):
    shutil.copytree(ROOT / "tests", house / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    added(
        house,
        "known mistake",
        gelu_cli__identification__mistakes=("VALUES = (", MISTAKE),
        tests__identification__test_mistakes=("DEFINITIONS = {", DEFINITION),
    )
    (first, *_) = rows(house, "identify", "2=4.47214", "-1=-1.41421", "--quiet")
    assert (first["form"], first["verdict"]) == ("square_root_of_x", "explains all")
