"""The pages of docs/ in the terminal: listed, found by name, shown whole, and named by messages."""

import re
from pathlib import Path

import pytest

from gelu_cli.old.cli.manual.completion import completions
from gelu_cli.old.cli.manual.guides import guides, on_screen, pages
from tests.old.cli.runner import Terminal, assert_refused, gelu, run_gelu

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(
    path.relative_to(DOCS).with_suffix("").as_posix()
    for path in [*DOCS.glob("*.md"), *DOCS.glob("commands/*.md")]
    if path.name != "README.md"
)


def test_every_page_is_a_topic_and_every_guide_has_a_line_of_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert sorted(pages()) == PAGES
    lines = (
        gelu("help").out.split("Guides, as gelu help lesson:\n")[1].split("\n\n")[0].splitlines()
    )
    assert [line.split()[0] for line in lines] == [name for name, _ in guides()]
    assert all(about in line for line, (_, about) in zip(lines, guides(), strict=True))


@pytest.mark.parametrize("name", PAGES)
def test_a_pipe_gets_the_text_of_a_page(name):
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert gelu("help", name).out == text
    if "/" not in name:
        assert gelu("help", f"{name}.md").out == text


WORD = re.compile(r"\w{4,}")


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("name", ["glossary", "criteria", "commands/forms"])
def test_a_terminal_shows_every_word_of_a_page_and_none_is_cut(name, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    shown = gelu("help", name, stdout=Terminal).out
    assert max(map(len, shown.splitlines())) <= columns
    text = re.sub(r"\]\([^)]*\)|```\w*", "", (DOCS / f"{name}.md").read_text(encoding="utf-8"))
    joined = re.sub(r"\s", "", shown)
    if columns == 80:
        assert [word for word in WORD.findall(text) if word not in joined] == []
    assert shown.count("…") <= text.count("…")


def test_a_link_to_a_page_is_the_command_that_shows_it():
    text = "See [errors.md](errors.md#in-a-format), the [list](budgets.md) and [a](https://b.c)."
    assert on_screen(text) == "See gelu help errors, the list and a (https://b.c)."


def test_a_page_that_there_is_not_names_the_nearest():
    assert_refused(run_gelu("help", "records"), "unknown topic 'records'; did you mean 'record'?")
    assert_refused(run_gelu("help", "lesson", "--all"), "--all is for a command")


def test_tab_knows_the_pages():
    found = {name: pages()[name] for name in ("glossary", "glu")}
    assert dict(completions(["help", "gl"])) == found
    assert {"check", "choosing", "ci"} <= {word for word, _ in completions(["help", "c"])}


def test_pages_that_messages_name_are_there():
    """Each `gelu help NAME` in the program and on the pages names what there is."""
    known = {*pages(), *(path.stem for path in DOCS.glob("commands/*.md"))}
    for path in [*(ROOT / "gelu_cli").rglob("*.py"), *DOCS.rglob("*.md"), ROOT / "README.md"]:
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"gelu help ([a-z/]*[a-z])\b(?!/)", text):
            assert name in known, (path, name)
