"""README and docs are what the program prints: their commands are run and compared."""

import doctest
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.cli import commands as command_files
from gelu_cli.cli.output import output as _output
from gelu_cli.forms import find_form
from gelu_cli.registry import module_names
from tests.cli.runner import run_gelu

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
OTHERS = {"errata", "reference"}
"""Pages with tests of their own."""
PAGES = [README, *(page for page in sorted(DOCS.glob("*.md")) if page.stem not in OTHERS)]
TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}
CONSOLE = re.compile(r"```console\n\$ gelu ([^\n]*)\n(.*?)```", re.S)
BLOCKS = [(page, *block) for page in PAGES for block in CONSOLE.findall(TEXTS[page])]
LIBRARIES = {"torch": r"PyTorch ([\w.+]+):", "jax": r"JAX ([\d.]+) "}
KERNELS = DOCS / "kernels"


def skip_without_the_library_that_the_page_names(page, line):
    for name, stated in LIBRARIES.items():
        if f"--impl {name}." in line:
            wanted = re.search(stated, TEXTS[page])[1]
            library = pytest.importorskip(name, reason=f"the page shows what {name} prints")
            if library.__version__ != wanted:
                pytest.skip(f"the page is about {name} {wanted}, not {library.__version__}")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The repository's own files, and the results of the kernels in C, as the pages make them."""
    folder = tmp_path_factory.mktemp("pages")
    for name in ("docs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    compiler = shutil.which("cc")
    text = TEXTS[DOCS / "measuring.md"]
    for line in re.findall(r"^ {4}((?:cc|\./gelu_c) .*)$", text, re.M) if compiler else ():
        subprocess.run(line, shell=True, cwd=folder, check=True)
    return folder


def test_every_block_is_parsed():
    assert len(BLOCKS) == sum(text.count("```console") for text in TEXTS.values())


@pytest.mark.parametrize(
    ("page", "line", "printed"), BLOCKS, ids=[f"{page.stem}: {line}" for page, line, _ in BLOCKS]
)
def test_a_command_on_a_page_prints_what_stands_there(page, line, printed, folder, monkeypatch):
    skip_without_the_library_that_the_page_names(page, line)
    words = shlex.split(line)
    if any(word.endswith(".bin") and not (folder / word).exists() for word in words):
        pytest.skip("there is no C compiler (cc) to make the page's results")
    if words[-2:] == ["|", "cat"]:
        words = words[:-2]
    else:
        monkeypatch.setattr(_output, "_on_terminal", lambda stream=None: True)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(folder)
    answer = run_gelu(*words)
    assert answer.out + answer.err == printed
    failed = "  wrong\n" in printed or ",wrong\n" in printed or "--max-ulp" in answer.err
    assert answer.code == (1 if failed else 0)


def test_every_command_has_an_example():
    commands = set(module_names(command_files.__path__))
    shown = {line.split()[0] for page, line, _ in BLOCKS if page == README}
    assert shown | {"completion"} == commands  # whose scripts are long


def test_the_python_of_the_readme_runs():
    examples = doctest.DocTestParser().get_doctest(TEXTS[README], {}, "README.md", str(README), 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


LINKS = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#:]+)\)", TEXTS[page])]


@pytest.mark.parametrize(("page", "link"), LINKS, ids=[f"{page.stem}: {to}" for page, to in LINKS])
def test_a_link_leads_somewhere(page, link):
    assert (page.parent / link).exists()


# Tables that no command prints


def table_rows(page, heading):
    """The rows of the first table after a heading, each a list of cells."""
    after = TEXTS[DOCS / page].split(f"\n## {heading}\n")[1]
    lines = re.search(r"(?:^\|.*\n)+", after, re.M)[0].splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def test_the_formats_are_those_of_the_registry():
    rows = {
        name: (p, emin, numbers)
        for name, p, emin, numbers in table_rows("errors.md", "In a format")
    }
    assert rows.keys() == FORMATS.keys()
    for name, number_format in FORMATS.items():
        finite = 2 * (number_format.bits(number_format.largest) + 1)
        shown = (str(number_format.precision), f"{number_format.emin:d}", f"{finite:,}")
        assert rows[name] == (shown[0], shown[1].replace("-", "−"), shown[2])


NAMED = [row for row in table_rows("choosing.md", "Who computes what") if "Hugging Face" in row[0]]


def test_names_of_frameworks_are_names_of_forms():
    assert len(NAMED) > 2
    for names, form in NAMED:
        for name in re.findall(r'(?:^|[ =`])`?"(\w+)"', names):
            assert f"`{find_form(name).name}`" == form


@pytest.mark.parametrize(("call", "form"), table_rows("choosing.md", "Who computes what")[:4])
def test_frameworks_compute_what_the_page_says(call, form):
    library = call[1:].split(".")[0]
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    for expression in re.findall(r"`([^`]*)`", call):
        layer = "GELU()" in expression
        x = module.tensor([2.7]) if library == "torch" else module.numpy.asarray([2.7])
        got = eval(expression + "(x)" if layer else expression, {library: module, "x": x})
        distances = {
            name: abs(float(got[0]) - run_gelu("table", "2.7", "--form", name).floats(name)[0])
            for name in ("exact", "tanh")
        }
        assert f"`{min(distances, key=distances.get)}`" == form


@pytest.mark.skipif(not shutil.which("nvcc"), reason="there is no nvcc to compile the CUDA program")
def test_the_program_in_cuda_compiles(tmp_path):
    command = ["nvcc", "-c", "-o", str(tmp_path / "gelu.o"), str(KERNELS / "gelu.cu")]
    subprocess.run(command, check=True, capture_output=True)
