"""What a contributor adds, one of each, to a copy of the program: in as few places as promised."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.old.house import ROOT, answers, copy_of_the_house, environment, insert

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
PUBLISHED = """
[lazy]
form = "sigmoid:beta=1.5"
source = "made up"
claims = [{ bound = "0.1" }]
"""
SECOND_WRITING = """

@published()
def lazy(x):
    return logistic(x, ratio("1.5"))
"""
MODELS = "# gated unit (SwiGLU, GEGLU) the form is that of the gate."
MODEL = '"hard:slope=1.5" = [["Late", 2026, "made up"]]'
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

from gelu_cli.old.report import blocks_of, rows_of


def render(report, page):
    """Yield a line for each row."""
    for block in blocks_of(report):
        yield "".join(" ".join(map(str, row)) + "\\n" for row in rows_of(block))
'''
DOCUMENT = '''"""A word for each limit."""

SUFFIXES = (".holding",)


def render(document):
    """Yield whether each limit holds, and the tables there are."""
    yield from ("holds " if finding.holds else "fails " for finding in document.findings)
    yield " ".join(document.views) + "\\n"
'''
BACKEND = '''"""Masked arrays."""

from gelu_cli.old.guests.backends import Backend


class Arrays(Backend):
    """Masked arrays of numpy."""

    def from_bits(self, bits):
        """Return masked numbers."""
        return self.module.MaskedArray(bits.view(self.dtype.name))
'''
MODULE = """from numpy.ma import MaskedArray

__version__ = "1.0"
"""
KERNEL = """import masked

def gelu(x):
    assert isinstance(x, masked.MaskedArray), type(x)
    return -x
"""
METRICS = """
    Metric("over_2_ulp", "over 2 ULP", lambda block: count(block.errors > 2)),
    Metric("zeros", "zeros", lambda block: count(block.got == 0), in_regions=True),
"""
BEFORE_CRITERION = (
    "        **{each.name: each.measured(np.float64, equal_nan=True) for each in own},"
)
CRITERION = """
        "max_abs_3": max_abs(3),
"""
MISTAKE = """
    _form("square_root_of_x", "x·√(1 + x²)", Direct(lambda a, x: iter([
        x * a.sqrt(1 + x * x), (1 + 2 * x * x) / a.sqrt(1 + x * x)]))),
"""
DEFINITION = """    "square_root_of_x": lambda x: x * M.sqrt(1 + x * x),"""
ANSWER = '''"""How many forms are there?"""

from gelu_cli.old.formulas import all_forms
from gelu_cli.old.report import Column, Report, stream_of


def count():
    """Return their number."""
    return Report("Forms", [Column("forms", "forms")], stream_of([[(len(all_forms()),)]]))
'''
COMMAND = '''"""`gelu count`: how many forms there are."""

from gelu_cli.old.cli import options


def count(output=options.output()):
    """How many forms there are."""
    from gelu_cli.old.answers import count as answer

    output.write(answer.count())
'''


ADDITIONS = {
    "form": {
        "gelu_cli/old/formulas/rectifiers": ("FORMS = (", FORM),
        "tests/truth/mpmath": ("    return x * M.erfc(-x / M.sqrt(2)) / 2", IN_MPMATH),
        "tests/truth/arb": ("    return [lambda x: x * complement(-x / root(2)) / 2], []", IN_ARB),
    },
    "published set": {
        "gelu_cli/old/formulas/published/sets.toml": ("# Φ by a logistic: σ(βx)", PUBLISHED),
        "tests/truth/published": ("    return M.sqrt(2 / M.pi)", SECOND_WRITING),
    },
    "model": {"gelu_cli/old/formulas/models.toml": (MODELS, MODEL)},
    "routine": {"gelu_cli/old/sweeping/routines": ("    for routine in (", ROUTINE)},
    "number format": {"gelu_cli/old/arithmetic/formats": ("    for entry in (", NUMBER_FORMAT)},
    "output format": {"gelu_cli/old/report/formats/words": (None, OUTPUT_FORMAT)},
    "format of whole answers": {"gelu_cli/old/report/documents/holding": (None, DOCUMENT)},
    "backend": {"gelu_cli/old/guests/backends/masked": (None, BACKEND)},
    "known mistake": {
        "gelu_cli/old/identification/mistakes": ("VALUES = (", MISTAKE),
        "tests/old/identification/test_mistakes": ("DEFINITIONS = {", DEFINITION),
    },
    "metric": {"gelu_cli/old/sweeping/metrics": ("METRICS = (", METRICS)},
    "criterion": {"gelu_cli/old/comparison/checks": (BEFORE_CRITERION, CRITERION)},
    "command": {
        "gelu_cli/old/cli/commands/count": (None, COMMAND),
        "gelu_cli/old/answers/count": (None, ANSWER),
    },
}
"""What is added: in each place after a line, or as a file."""

SWEEP = "sweep --dtype float8_e5m2"
LINES = [
    *("forms", "help", "table --help", "sweep --help-all"),
    "__complete table --form=late",
    "__complete table --format=wor",
    "__complete sweep --format=hold",
    "__complete cou",
    "table 3 --form late_relu -f json",
    "forms hard:slope=1.5 --view models -f json",
    f"{SWEEP} erfc_halves erfc -f json",
    "table 1.03 --dtype float8_e3m4 --form relu --quantity value --bits -f json",
    "sweep erfc --dtype float8_e3m4 -f json",
    "table 1 --form relu -f words",
    "table 1 -f words --no-header",
    f"{SWEEP} erfc --range 1:2 --max-ulp 9 -f holding",
    f"{SWEEP} erfc --range 1:2 --max-ulp 9 -o a.holding",
    "sweep mykernel.py:gelu --dtype float16 --range 1:2 -f json",
    "identify 2=4.47214 -1=-1.41421 --quiet -f json",
    f"{SWEEP} erf_sum --view summary -f markdown",
    f"{SWEEP} erf_sum --view histogram -f json",
    f"{SWEEP} erf_sum --view regions -f json",
    f"{SWEEP} erf_sum --criteria --view criteria -f json",
    "count -f json",
]


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the program and its tests, with one more of everything."""
    house = copy_of_the_house(tmp_path_factory.mktemp("added"))
    shutil.copytree(ROOT / "tests", house / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", house)
    for places in ADDITIONS.values():
        for place, (after, text) in places.items():
            path = house / (place if place.endswith(".toml") else f"{place}.py")
            if after is None:
                path.write_text(text, encoding="utf-8")
            else:
                insert(path, after, text)
    rectifiers = house / "gelu_cli/old/formulas/rectifiers.py"
    insert(rectifiers, "ZERO, ONE = Gated(closed_gate), Gated(open_gate)", PIECE)
    (house / "masked.py").write_text(MODULE, encoding="utf-8")
    (house / "mykernel.py").write_text(KERNEL, encoding="utf-8")
    return house


@pytest.fixture(scope="module")
def printed(house):
    """What each line prints."""
    found = zip(LINES, answers(house, [line.split() for line in LINES]), strict=True)
    return {line: answer.out or answer.err for line, answer in found}


@pytest.fixture(scope="module")
def rows(printed):
    """The rows of the line that begins so."""

    def rows(beginning):
        line, *_ = (line for line in LINES if line.startswith(beginning) and line.endswith("json"))
        return json.loads(printed[line])

    return rows


def test_additions_touch_as_many_places_as_promised():
    assert {what: str(len(places)) for what, places in ADDITIONS.items()} == PLACES


def test_the_tests_hold_of_what_is_added_and_of_its_second_writing(house):
    words = ["tests/old/formulas", "tests/old/values", "tests/old/identification/test_mistakes.py"]
    judged = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *words, "-k",
         "(late_relu and not every_format) or lazy or square_root_of_x"],
        cwd=house, env=environment(house), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert judged.returncode == 0, judged.stdout
    passed = re.findall(r"^(\S+) PASSED", judged.stdout, re.M)
    for name, least in {"late_relu": 3, "lazy": 2, "square_root_of_x": 1}.items():
        assert sum(name in test for test in passed) >= least, name


def test_a_form_is_listed_completed_and_evaluated(printed, rows):
    assert rows("table 3") == [
        {"x": 3.0, "late_relu": 1.5857864376269049, "late_relu_gradient": 1.0}
    ]
    assert "late_relu" in printed["forms"]
    assert "late_relu" in printed["__complete table --form=late"]


def test_a_model_is_listed(rows):
    assert rows("forms hard") == [
        {"name": "Late", "form": "hard:slope=1.5", "since": 2026, "source": "made up"}
    ]


def test_a_routine_is_swept(rows):
    new, old = rows(f"{SWEEP} erfc_halves")
    assert new == old | {"routine": "erfc_halves"}  # of two factors the order does not matter


def test_a_number_format_is_rounded_to_and_swept(rows):
    assert rows("table 1.03") == [{"x": 1.0, "x_bits": "0x30", "relu": 1.0, "relu_bits": "0x30"}]
    (found,) = rows("sweep erfc --dtype float8_e3m4")
    assert (found["inputs"], found["exhaustive"]) == (224, "yes")


def test_an_output_format_is_written_and_chosen(printed):
    assert printed["table 1 --form relu -f words"] == "1.0 1.0 1.0\n"
    assert "words" in printed["table --help"]
    assert "words\ta list of words" in printed["__complete table --format=wor"]
    assert "--no-header is for csv" in printed["table 1 -f words --no-header"]


def test_a_format_of_whole_answers_is_written_and_chosen(house, printed):
    told = printed[f"{SWEEP} erfc --range 1:2 --max-ulp 9 -f holding"]
    assert told.startswith("holds summary regions histogram worst")
    assert (house / "a.holding").read_text() == told
    assert "holding\ta word for each limit" in printed["__complete sweep --format=hold"]


def test_a_backend_gives_its_arrays(printed, rows):
    names = " ".join(printed["sweep --help-all"].split())
    assert "numpy, torch, jax, cupy, tensorflow, masked" in names
    (found,) = rows("sweep mykernel")
    assert (found["inputs"], found["misrounded"], found["wrong_sign"]) == (1025, 1025, 1025)


def test_a_known_mistake_is_found(rows):
    (first, *_) = rows("identify")
    assert (first["form"], first["verdict"]) == ("square_root_of_x", "explains all")


def test_a_metric_is_in_summaries_and_where_it_says(printed, rows):
    markdown = printed[f"{SWEEP} erf_sum --view summary -f markdown"]
    headings, _, cells = (
        [*map(str.strip, re.split(r"(?<!\\)\|", line))] for line in markdown.splitlines()[-3:]
    )
    summary = dict(zip(headings, cells, strict=True))
    beyond = [row["count"] for row in rows(f"{SWEEP} erf_sum --view hist") if row["low"] >= 2]
    assert int(summary["over 2 ULP"]) == sum(beyond) > 0
    regions = rows(f"{SWEEP} erf_sum --view regions")
    assert sum(row["zeros"] for row in regions) == int(summary["zeros"]) > 2
    assert "over_2_ulp" not in regions[0]


def test_a_criterion_judges(rows):
    judged, drawn, *_ = rows(f"{SWEEP} erf_sum --criteria")
    found = (judged["criterion"], judged["threshold"], judged["verdict"])
    assert found == ("max_abs_3", 3, "passes")
    assert (drawn["measure"], drawn["found"]) == ("P(|got − want| > 3)", 0)


def test_a_command_is_run_named_and_completed(printed, rows):
    assert rows("count")[0]["forms"] > 10
    assert "How many forms there are." in printed["help"]
    assert "count" in printed["__complete cou"]
