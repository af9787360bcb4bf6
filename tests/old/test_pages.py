"""The pages say what the program does: their commands run, their links lead somewhere."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from difflib import unified_diff
from functools import cache
from io import TextIOWrapper
from pathlib import Path

import pytest

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.cli import commands as command_files
from gelu_cli.old.formulas import find_form
from gelu_cli.old.registry import module_names
from tests.old.cli.runner import Terminal, gelu, run_gelu

ROOT = Path(__file__).parents[2]
README, CONTRIBUTING = ROOT / "README.md", ROOT / "CONTRIBUTING.md"
DOCS = ROOT / "docs"
INDEX = DOCS / "README.md"
REFERENCE = DOCS / "reference.md"
"""Made from the program, and compared with it by tests of its own."""

PAGES = [README, *sorted(set(DOCS.rglob("*.md")) - {REFERENCE})]
TEXTS = {page: page.read_text(encoding="utf-8") for page in [*PAGES, CONTRIBUTING, REFERENCE]}
COMMANDS = sorted(module_names(command_files.__path__))


def command_page(command):
    return DOCS / "commands" / f"{command}.md"


# The commands of a page are run, and what they print is compared

CONSOLE = re.compile(r"```console\n\$ ([^\n]*)\n(.*?)```", re.S)
BLOCKS = {page: CONSOLE.findall(TEXTS[page]) for page in PAGES}
LIBRARIES = {
    "torch": r"PyTorch\s+([\w.]+\+\w+)",
    "jax": r"JAX ([\d.]+) ",
    "onnxruntime": r"ONNX Runtime ([\d.]+) ",
}
"""How a page names the version of a library whose figures it shows."""
CALLED = {"onnxruntime": r"_onnx\.py:"}
OF_A_PROCESSOR = ("torch", "onnxruntime")
AVX2 = "a processor with AVX2 alone"
"""What a page says of a library whose figures are of a processor without AVX-512."""
TOOLS = {"cc": "C compiler", "rustc": "Rust compiler"}
STEPS, TOOL_FOR = [], {}
"""Lines of the page that compile kernels or run them, each with the file that it makes, and the
tool without which there is no such file. What nvcc makes needs a GPU, and is not made here."""
for step, made in re.findall(
    r"^ {4}((?:\w+|\./\w+) .*(?:-o|>) (\S+)\b.*)$", TEXTS[DOCS / "measuring.md"], re.M
):
    begun = step.split()[0]
    if tool := begun if begun in TOOLS else TOOL_FOR.get(begun.removeprefix("./")):
        STEPS.append((step, made))
        TOOL_FOR[made] = tool
for line in [line for page in PAGES for line, _ in BLOCKS[page]]:
    if (tool := line.split()[0]) in TOOLS:  # what is compiled on the page itself, and from what
        TOOL_FOR |= dict.fromkeys(re.findall(r"\w+\.(?:c|so)\b", line), tool)


def need_of(line):
    """What a command needs that not every machine has: a library or a compiler."""
    calls = {name: CALLED.get(name, rf"{name}\.") for name in LIBRARIES}
    names = [
        name
        for name, call in calls.items()
        if re.search(rf"(?:sweep|identify|compare) .*{call}", line)
    ]
    tools = [TOOL_FOR[made] for made in TOOL_FOR if re.search(rf"\b{re.escape(made)}\b", line)]
    return [*names, *tools, ""][0]


def skip_without(need, page):
    if need in LIBRARIES:
        wanted = re.search(LIBRARIES[need], TEXTS[page])[1]
        library = pytest.importorskip(need, reason=f"the page shows what {need} prints")
        if library.__version__ != wanted:
            pytest.skip(f"the page is about {need} {wanted}, not {library.__version__}")
        known = Path("/proc/cpuinfo")
        flags = known.read_text(encoding="utf-8").split() if known.exists() else ()
        old = re.search(rf"{LIBRARIES[need]}\s*on\s+{AVX2}", TEXTS[page])
        if need in OF_A_PROCESSOR and not old and "avx512_bf16" not in flags:
            pytest.skip("the page is about a processor with AVX-512 BF16")
        if old and ("avx2" not in flags or "avx512f" in flags):
            pytest.skip(f"the page is about {AVX2}")
    elif need in TOOLS and not shutil.which(need):
        pytest.skip(f"there is no {TOOLS[need]} ({need}) for the kernels of the page")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """`gelu` and `python` for a shell, the repository's files, and the results of kernels in C."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "bin").mkdir()
    for name, words in {"gelu": "-m gelu_cli", "python": ""}.items():
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    for name in ("docs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    for step, made in STEPS:
        if shutil.which(TOOL_FOR[made]):
            subprocess.run(step, shell=True, cwd=folder, check=True)
    return folder


def answer(line):
    """What a line prints, and its exit code: on a terminal, or what goes through its pipes."""
    if line.startswith("gelu ") and " | " not in line:
        done = gelu_of(line, b"", Terminal)
        return done.out + done.err, done.code
    # What is not read, and a pipe that is closed early, take processes.
    whole = re.match(r"for |echo |.* \| head", line)
    stages = [line] if whole else line.removesuffix(" | cat").split(" | ")
    out, said = b"", ""
    for stage in stages:
        out, err, code = piped(stage, out)
        said += err
    return out.decode() + said, code


@cache
def gelu_of(line, stdin, stdout):
    return run_gelu(*shlex.split(line)[1:], stdin=stdin, stdout=stdout)


def piped(stage, stdin):
    """What a part between pipes prints, on both streams, and its exit code.

    `gelu` runs in this process, which has imported all; for all else there is a shell.
    """
    if stage.startswith("gelu ") and " | " not in stage:
        done = gelu_of(stage, stdin, TextIOWrapper)
        return done.out.encode(), done.err, done.code
    path = os.pathsep.join(["bin", os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONUTF8": "1"}
    done = subprocess.run(
        stage, shell=True, env=environment, input=stdin, capture_output=True, check=False
    )
    return done.stdout, done.stderr.decode(), done.returncode


def differences(line, shown):
    """Yield how the answer to a command differs from what a page shows."""
    printed, code = answer(line)
    if printed != shown:
        yield "\n".join(unified_diff(shown.splitlines(), printed.splitlines(), lineterm="", n=1))
    failed = re.search(
        r"\bwrong\n|exceeds --max-ulp|^gelu: \S+\.toml:\d+: .* exceeds ", shown, re.M
    )
    refused = re.match(r"gelu: (?!note: )", shown)
    if code != (1 if failed else 2 if refused else 0):
        yield f"exit code {code}"


GROUPS = sorted({(page, need_of(line)) for page in PAGES for line, _ in BLOCKS[page]})


@pytest.mark.parametrize(
    ("page", "need"), GROUPS, ids=[f"{page.stem}-{need}".strip("-") for page, need in GROUPS]
)
def test_a_page_shows_what_its_commands_print(page, need, folder, monkeypatch):
    skip_without(need, page)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    found = [
        f"{page.name}: $ {line}\n{difference}"
        for line, shown in BLOCKS[page]
        if need_of(line) == need
        for difference in differences(line, shown)
    ]
    assert not found, "\n\n".join(found)


def test_every_block_is_parsed():
    for page in PAGES:
        assert len(BLOCKS[page]) == TEXTS[page].count("```console"), page


def test_every_command_has_a_page_with_an_example():
    assert sorted(page.stem for page in (DOCS / "commands").glob("*.md")) == COMMANDS
    for command in COMMANDS:
        page = command_page(command)
        assert TEXTS[page].startswith(f"# `gelu {command}`: "), page
        assert any(line.startswith(f"gelu {command}") for line, _ in BLOCKS[page]), page
        assert f"(../reference.md#gelu-{command})" in TEXTS[page], page


# Links, and the paths of files that a page names


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page):
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", TEXTS[page], re.M)}


def test_links_lead_somewhere():
    for page in [*PAGES, CONTRIBUTING]:
        for path, anchor in re.findall(r"\]\(([^)#:]*)#?([^):]*)\)", TEXTS[page]):
            to = (page.parent / path).resolve() if path else page
            assert to.exists(), (page, path)
            assert not anchor or anchor in anchors(to), (page, path, anchor)


def test_the_index_lists_every_page():
    listed = {(DOCS / path).resolve() for path in re.findall(r"\]\(([^)#:]+)\)", TEXTS[INDEX])}
    assert set(DOCS.rglob("*.md")) - listed == {INDEX}


def test_files_that_a_page_names_exist():
    path = re.compile(r"(?<![\w/])(?:gelu_cli|tests|tools|benchmarks|docs|completions)/[\w./*-]*\w")
    for page in [*PAGES, CONTRIBUTING]:
        for name in path.findall(TEXTS[page]):
            assert any(ROOT.glob(name.replace("NAME", "*"))), (page, name)


# Columns


DATA = "--input tests/data/preactivations.npy"
SHAPES = "docs/kernels/gelu_tail.py:gelu --dtype float16 --range 1:1.01 --shapes"
COLUMNS = {
    "table": {
        "Columns": "1 --form exact --quantity all --dtype bfloat16 --bits | --glu 1,2 --form exact"
    },
    "forms": {"Columns": ""},
    "error": {
        "summary": "--form relu --samples 10",
        "points": "1 --form relu",
        "regions": "1 --form relu --view regions",
        "histogram": "1 --form relu --view histogram",
    },
    "fit": {view: f"sigmoid --quantity gate --view {view}" for view in ("points", "others", "code")}
    | {"summary": "sigmoid --quantity gate --dtype bfloat16"}
    | {"constants in a format": "sigmoid --constants-in bfloat16", "published": "--published"},
    "block": {
        "summary": f"--form relu --samples 2 | --form relu {DATA}",
        "formats": "--view formats",
        "moments": f"{DATA} --view moments",
        "units": f"{DATA} --view units",
    },
    "locate": {"Columns": ""},
    "variance": {"Columns": "--form relu --momentum 0.9 --samples 2"},
    "check": {
        "Columns": "tests/data/published/000_neighbours.csv | tests/data/glu_figures.csv --glu"
    },
    "sweep": {
        view: f"erfc --dtype float8_e5m2 --result float16 --range 1:2 --view {view}"
        for view in ("summary", "regions", "histogram", "worst")
    }
    | {"shapes": f"{SHAPES} --view shapes"},
    "compare": {
        view: f"erfc erf_sum --dtype float8_e5m2 --result float16 --range 1:2 --view {view}"
        for view in ("summary", "regions", "worst", "first")
    },
}
"""For each table of columns on a page, a command that prints all of them, or several."""


def table_rows(page, heading):
    """The rows of the first table below a heading, each a list of cells."""
    below = re.split(rf"^#+ {re.escape(heading)}$", TEXTS[page], flags=re.M)[1]
    lines = re.search(r"(?:^\|.*\n)+", below, re.M)[0].splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


@pytest.mark.parametrize("command", COLUMNS)
def test_every_column_is_explained(command, monkeypatch):
    monkeypatch.chdir(ROOT)
    for heading, words in COLUMNS[command].items():
        columns = [
            column
            for line in words.split("|")
            for column in gelu(command, *line.split(), "--quiet", "--format", "csv").columns
        ]
        if command == "table":  # whose columns are named after the form, and are many
            columns = [column.replace("exact", "F") for column in columns]
            columns = ["…_bits" if column.endswith("_bits") else column for column in columns]
        rows = table_rows(command_page(command), heading)
        explained = [name for row in rows for name in re.findall(r"`([^`]*)`", row[0])]
        assert sorted(set(columns)) == sorted(explained), heading


# README


def test_the_readme_is_short():
    assert len(TEXTS[README].splitlines()) < 200


WITH_PYTHON = [DOCS / f"{page}.md" for page in ("python", "budgets")]
WITH_PYTHON += [README, command_page("table")]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.stem)
def test_the_python_of_a_page_runs(page):
    examples = doctest.DocTestParser().get_doctest(TEXTS[page], {}, page.name, str(page), 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


# Tables that no command prints


def test_the_formats_are_those_of_the_registry():
    rows = table_rows(DOCS / "errors.md", "In a format")
    assert {name: tuple(cells) for name, *cells in rows} == {
        name: (f"{each.precision}", f"−{-each.emin}", f"{2 * (each.bits(each.largest) + 1):,}")
        for name, each in FORMATS.items()
    }


WHO_COMPUTES_WHAT = table_rows(DOCS / "choosing.md", "Who computes what")


def test_names_of_frameworks_are_names_of_forms():
    named = [row for row in WHO_COMPUTES_WHAT if "Hugging Face" in row[0]]
    assert len(named) > 2
    for names, form in named:
        for name in re.findall(r'(?:^|[ =`])`?"(\w+)"', names):
            assert f"`{find_form(name).name}`" == form


CRITERIA = DOCS / "criteria.md"


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_every_check_is_explained_and_says_of_kernels_what_the_page_says(step, monkeypatch):
    monkeypatch.chdir(ROOT)
    explained = [name for row in table_rows(CRITERIA, "The checks")
                 for name in re.findall(r"`([^`]*)`", row[0])]  # fmt: skip
    columns = [row[0].strip("`") for row in table_rows(CRITERIA, "Columns")]
    heading = re.search(r"^\| kernel \|(.*)$", TEXTS[CRITERIA], re.M)[1]
    checks = re.findall(r"`([^`]*)`", heading)
    rows = table_rows(CRITERIA, "What each check sees")
    assert len(rows) > 7
    for words, *verdicts in rows[::step]:
        asked = ["sweep", *words.strip("`").split(), "--criteria", "--view", "criteria"]
        answer = gelu(*asked, "-f", "csv", "-q")
        drawn = {row["criterion"]: row["verdict"] for row in answer.rows
                 if row["inputs"] == "N(0, 1)"}  # fmt: skip
        assert [drawn[check] for check in checks] == verdicts, words
        assert [*drawn, "twice_ref_dist", "rtol=R,atol=A"] == explained
        assert answer.columns == columns


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_frameworks_compute_what_the_page_says(library):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    rows = [row for row in WHO_COMPUTES_WHAT if row[0].startswith(f"`{library}.")]
    assert rows
    for call, form in rows:
        for expression in re.findall(r"`([^`]*)`", call):
            layer = "GELU()" in expression
            x = module.tensor([2.7]) if library == "torch" else module.numpy.asarray([2.7])
            got = eval(expression + "(x)" if layer else expression, {library: module, "x": x})
            distances = {
                name: abs(float(got[0]) - gelu("table", "2.7", "--form", name).floats(name)[0])
                for name in ("exact", "tanh")
            }
            assert f"`{min(distances, key=distances.get)}`" == form


def test_the_table_of_kernels_of_two_inputs_has_the_figures_of_the_runs():
    """A row has the function's name and format, and counts that a run of the page shows."""
    text = TEXTS[DOCS / "glu.md"]
    shown = set()
    for line, out in BLOCKS[DOCS / "glu.md"]:
        if line.endswith("-f1,5,17-23") and "_gradient" not in line:
            name, _, over, misrounded, nan, infinite, _, zero, _ = out.splitlines()[1].split(",")
            dtype = re.search(r"--dtype (\w+)", line)[1]
            figures = int(over), int(misrounded), int(zero), int(nan) + int(infinite)
            shown.add((name.partition(":")[2], dtype, *(f"{each:,}" for each in figures)))
    rows = re.findall(
        r"^\| .* \(`(\w+)`\) \| (\w+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", text, re.M
    )
    assert len(rows) == len({*rows}) == 14
    assert {*rows} == shown
