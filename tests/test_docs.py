"""The pages say what the program does: their commands run, their links lead somewhere."""

import doctest
import importlib.util
import re

import pytest

from tests.pages import PAGES, ROOT, agree, make_folder, printed, shown_in

TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("pages"))


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_page_shows_what_its_commands_print(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    wrong, missing = [], set()
    for each in shown_in(TEXTS[page]):
        lacks = [name for name in each.needs if not importlib.util.find_spec(name)]
        missing.update(lacks)
        if not lacks and not agree(output := printed(each.line, folder), each.output):
            wrong.append(f"$ {each.line}\n{output}")
    assert not wrong, "\n".join(wrong[:5])
    if missing:
        pytest.skip(f"lines that need {', '.join(sorted(missing))} did not run")


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_python_on_a_page_runs(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    text = "\n".join(re.findall(r"```python\n(>>>.*?)```", TEXTS[page], re.S))
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    needed = {name for name in ("torch", "jax", "pandas") if re.search(rf"\b{name}\b", text)}
    for name in needed:
        pytest.importorskip(name, reason="the page shows it")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert not runner.run(test).failed


def test_links_lead_somewhere():
    broken = []
    for page, text in TEXTS.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = target.partition("#")
            if re.match(r"\w+:", path):
                continue
            linked = (page.parent / path).resolve() if path else page
            if not linked.exists():
                broken.append(f"{page.name}: {target}")
            elif anchor and anchor not in anchors(linked):
                broken.append(f"{page.name}: {target} has no such heading")
    assert not broken, "\n".join(broken)


def anchors(page):
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
