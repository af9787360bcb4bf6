"""A release: one version everywhere, a wheel that runs, an sdist with all there is."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from packaging.metadata import Metadata

import gelu_cli
from tests.old.cli.runner import gelu

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGE = Path("gelu_cli")
DOCS = ROOT / "docs"
PAGES = [*DOCS.glob("*.md"), *DOCS.glob("commands/*.md")]
CHANGES = r"## (\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)"
LARGEST = 100_000  # bytes; the tables of erfcx are 77 kB


def run(*words, cwd, umask=-1, **environment):
    """Run Python with these words; what it prints, if it succeeds."""
    done = subprocess.run(
        [sys.executable, *map(str, words)], cwd=cwd, env=os.environ | environment,
        umask=umask, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


BUILD = ["-m", "build", "--no-isolation", "--outdir"]


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """A folder with the wheel, made from the sdist, and the sdist."""
    for tool in ("build", "hatchling"):
        pytest.importorskip(tool)
    folder = tmp_path_factory.mktemp("dist")
    run(*BUILD, folder, ROOT, cwd=folder, umask=0o022, TZ="UTC", PYTHONHASHSEED="1")
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    (path,) = dist.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


@pytest.fixture(scope="module")
def sdist(dist):
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        yield archive


def install(dist, folder):
    """Install the wheel in a folder of its own, beside the version that is being tested."""
    pytest.importorskip("pip", reason="uv makes environments without it")
    (path,) = dist.glob("*.whl")
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", folder]
    run(*pip, path, cwd=folder.parent)


def contents(sdist):
    """The files of the sdist, as paths below its one folder."""
    return {Path(*Path(m.name).parts[1:]): m for m in sdist.getmembers() if m.isfile()}


def headings():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("## ")]


def citation():
    """The entries of CITATION.cff that fit a line."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z-]+): (.+)$", text, re.MULTILINE)), text


def test_the_changelog_has_a_heading_a_version_the_newest_first():
    matches = [re.fullmatch(CHANGES, heading) for heading in headings()]
    assert all(matches), headings()
    versions = [tuple(map(int, match[1].split("."))) for match in matches]
    assert versions == sorted(set(versions), reverse=True)
    assert "unreleased" not in [match[2] for match in matches[1:]]


def test_the_version_is_one():
    version = gelu_cli.__version__
    assert gelu("--version").out.split() == ["gelu", version]
    assert citation()[0]["version"] == version
    assert re.fullmatch(CHANGES, headings()[0])[1] == version


def test_the_citation_has_what_its_format_requires_and_the_addresses_of_the_project():
    entries, text = citation()
    assert entries["cff-version"] == "1.2.0"
    assert entries["license"] == PROJECT["license"]
    assert entries["title"].strip('"').startswith("gelu")
    assert entries["message"]
    assert re.search(r"^authors:\n  - name: \S", text, re.MULTILINE)
    urls = PROJECT.get("urls", {})
    assert urls.get("Source") == entries.get("repository-code")
    assert urls.get("Homepage") == entries.get("url")


def test_pythons_named_start_at_the_one_required():
    prefix = "Programming Language :: Python :: 3."
    minors = [int(c.removeprefix(prefix)) for c in PROJECT["classifiers"] if c.startswith(prefix)]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert PROJECT["requires-python"] == f">=3.{minors[0]}"


def test_the_readme_installs_extras_that_there_are():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = PROJECT["optional-dependencies"]
    assert set(re.findall(r'"\.\[(\w+)\]"', readme)) == {"test", "plot"} <= extras.keys()
    assert any(name.startswith("pytest-xdist") for name in extras["test"])  # for -n auto


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = {Path(name) for name in wheel.namelist()}
    package = {name for name in names if not name.parts[0].endswith((".dist-info", ".data"))}
    files = {path for path in (ROOT / PACKAGE).rglob("*") if path.is_file()}
    pages = {Path(PACKAGE, "docs", path.relative_to(DOCS)) for path in PAGES}
    assert len(pages) > 30
    made = {path.relative_to(ROOT) for path in files if "__pycache__" not in path.parts}
    assert package == made | pages


def test_the_pages_in_the_wheel_are_those_of_the_repository(wheel):
    for path in PAGES:
        shipped = wheel.read(f"gelu_cli/docs/{path.relative_to(DOCS).as_posix()}")
        assert shipped == path.read_bytes()
    assert sum(map(len, map(Path.read_bytes, PAGES))) < 500_000


def test_the_wheel_puts_completions_and_manual_where_shells_and_man_look(wheel):
    placed = {
        "share/bash-completion/completions/gelu": "completions/gelu.bash",
        "share/zsh/site-functions/_gelu": "completions/_gelu",
        "share/fish/vendor_completions.d/gelu.fish": "completions/gelu.fish",
        "share/man/man1/gelu.1": "docs/gelu.1",
    }
    data = f"gelu_cli-{gelu_cli.__version__}.data/data/"
    assert {name for name in wheel.namelist() if ".data/" in name} == {data + to for to in placed}
    for to, source in placed.items():
        assert wheel.read(data + to) == (ROOT / source).read_bytes()


def test_the_wheel_runs_by_itself(wheel, tmp_path):
    wheel.extractall(tmp_path)
    where = "import gelu_cli; print(gelu_cli.__file__)"
    assert Path(run("-c", where, cwd=tmp_path).strip()).is_relative_to(tmp_path)
    words = ["table", "0:1:/1000", "--form", "exact"]  # so many need the tables
    assert run("-m", "gelu_cli", *words, cwd=tmp_path) == gelu(*words).out
    assert run("-m", "gelu_cli", "help", "lesson", cwd=tmp_path) == gelu("help", "lesson").out


def test_indexes_and_installers_find_nothing_wrong_with_the_metadata(wheel, sdist):
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    of_sdist = sdist.extractfile(contents(sdist)[Path("PKG-INFO")]).read()
    assert wheel.read(name) == of_sdist
    metadata = Metadata.from_email(of_sdist, validate=True)  # raises on what a field may not have
    assert (metadata.name, str(metadata.version)) == ("gelu-cli", gelu_cli.__version__)
    assert metadata.author == "The gelu maintainers"
    assert (metadata.license_expression, metadata.license_files) == ("MIT", ["LICENSE"])
    assert metadata.requires_python == PROJECT["requires-python"]
    assert metadata.description_content_type == "text/markdown"
    assert metadata.description == (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_wheel_runs_under_its_own_name_and_that_of_the_package(dist, tmp_path):
    install(dist, tmp_path)
    programs = sorted((tmp_path / "bin").iterdir())
    # uvx and pipx run the script named like the package.
    assert [program.name for program in programs] == ["gelu", PROJECT["name"]]
    for program in programs:
        words = [program, "table", "1", "--form", "exact"]
        assert run(*words, cwd=tmp_path, PYTHONPATH=str(tmp_path)) == gelu(*words[1:]).out


def digests(folder):
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_a_build_elsewhere_and_at_another_time_has_the_same_bytes(dist, sdist, tmp_path):
    again = tmp_path / "again"
    sdist.extractall(tmp_path / "another place", filter="data")
    (source,) = (tmp_path / "another place").iterdir()
    for path in source.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)
        os.utime(path, (981173106, 981173106))
    run(*BUILD, again, source, cwd=tmp_path, umask=0o077, TZ="Asia/Tokyo", PYTHONHASHSEED="2")
    assert digests(again) == digests(dist)


@pytest.mark.skipif(
    not (ROOT / ".git").exists() or not shutil.which("git"), reason="this is no git checkout"
)
def test_the_sdist_holds_what_the_repository_does(sdist):
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    there = {Path(line) for line in listed.splitlines() if (ROOT / line).is_file()}
    assert set(contents(sdist)) == there | {Path("PKG-INFO")}


def test_the_sdist_holds_nothing_large_and_no_compiled_thing(sdist):
    files = contents(sdist)
    assert {str(path): file.size for path, file in files.items() if file.size > LARGEST} == {}
    assert not {path.suffix for path in files} & {".pyc", ".so", ".o", ".whl", ".gz", ".zip"}


@pytest.mark.slow
def test_the_tests_of_the_sdist_pass_on_the_wheel(dist, sdist, tmp_path):
    site, source = tmp_path / "site", tmp_path / "source"
    install(dist, site)
    sdist.extractall(source, filter="data")
    (source,) = source.iterdir()
    shutil.rmtree(source / PACKAGE)
    # All but this file, which builds: the package is elsewhere now.
    words = [
        "-m",
        "pytest",
        "-q",
        "--ignore=tests/old/test_release.py",
        "tests",
        "--pyargs",
        PACKAGE,
    ]
    run(*words, cwd=source, PYTHONPATH=str(site))
