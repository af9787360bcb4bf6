"""Documents as others read them: JUnit XML, workflow commands, Markdown, and a page's source."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from gelu_cli.old.report.documents import Finding
from gelu_cli.old.report.documents.github import summary
from gelu_cli.old.report.numbers import human_text, machine_text
from gelu_cli.old.report.text import printable
from tests.old.report.documents import (
    BROKEN,
    DOCUMENT,
    FINDINGS,
    HOSTILE,
    NAMES,
    NOTHING,
    ODD,
    SUMMARY,
    rendered,
)  # fmt: skip

# Pages


def test_a_page_is_one_file_in_ascii_and_the_same_whenever_it_is_made():
    source = rendered("html", DOCUMENT)
    assert source.isascii()
    assert source == rendered("html", DOCUMENT)
    assert not re.search(r"""(?:src|href|action)=["']|url\(|@import|@font-face""", source)


def test_a_page_says_in_words_first_what_fails():
    words = re.sub(r"<[^>]*>", " ", rendered("html", DOCUMENT))
    order = ["1 of 2 limits does not hold.", "&#10007; fails", "&#10003; holds",
             "Errors in bfloat16", "Largest errors", "By region", "How to repeat it",
             "What was asked", "Where it was computed"]  # fmt: skip
    places = [words.index(each, words.index("Verdict")) for each in order]
    assert places == sorted(places)
    assert "No limit was given" in rendered("html", NOTHING)
    assert "The answer is not complete" in rendered("html", BROKEN)


def test_a_page_says_in_short_what_was_asked():
    (short,) = re.findall(r'<dl class="asked">(.*?)</dl>', rendered("html", DOCUMENT), re.DOTALL)
    asked = re.sub(r"<[^>]*>", " ", short).split()
    assert asked == ["dtype", "bfloat16", "all", "yes", "samples", "300"]


def test_a_long_list_of_limits_that_hold_is_to_be_opened():
    document = DOCUMENT._replace(findings=[FINDINGS[0]] * 20 + [FINDINGS[1]])
    source = rendered("html", document)
    assert "<summary>20 hold</summary>" in source
    assert source.index("fails</b>") < source.index("20 hold")


# JUnit


def cases(document):
    """Return of each case its kernel, its name, and what it has but properties."""
    root = ElementTree.fromstring(rendered("junit", document))
    return [
        (suite.get("name"), case.get("name"), [(each.tag, each.text) for each in case])
        for suite in root
        for case in suite.findall("testcase")
    ]


def test_junit_has_a_case_for_each_limit_or_kernel_and_an_error_for_what_breaks():
    assert cases(DOCUMENT) == [
        (finding.kernel, finding.limit,
         [("system-out" if finding.holds else "failure", printable(finding.said))])
        for finding in FINDINGS
    ]  # fmt: skip
    assert cases(NOTHING) == [(name, "measured", []) for name in NAMES]
    assert cases(BROKEN)[0] == ("erfc", "every input is judged", [("error", printable(ODD))])


COUNTS = [(DOCUMENT, (3, 1, 0)), (NOTHING, (3, 0, 0)), (BROKEN, (3, 0, 1))]


@pytest.mark.parametrize(("document", "counts"), COUNTS, ids=["judged", "not judged", "broken"])
def test_junit_counts_what_it_has(document, counts):
    root = ElementTree.fromstring(rendered("junit", document))
    for element in (root, *root):
        assert [int(element.get(name)) for name in ("tests", "failures", "errors", "skipped")] == [
            len([*element.iter(tag)]) for tag in ("testcase", "failure", "error", "skipped")
        ]
    assert tuple(int(root.get(name)) for name in ("tests", "failures", "errors")) == counts


def test_junit_has_the_figures_and_the_question_of_each_kernel():
    root = ElementTree.fromstring(rendered("junit", DOCUMENT))
    for suite, row in zip(root, SUMMARY.rows, strict=True):
        found = {each.get("name"): each.get("value") for each in suite.find("properties")}
        for column, cell in [*zip(SUMMARY.columns, row, strict=True)][1:]:
            assert found[column.name] == machine_text(cell)
        assert found["question.dtype"] == "bfloat16"
        assert found["question.kwargs.a"] == HOSTILE
        assert found["question.kwargs.b"] == "1, 0.5"
        of_this = suite.get("name") == HOSTILE
        assert found.get("question.kernels.0.name") == (HOSTILE if of_this else None)
        assert found["command"] == DOCUMENT.command


def test_junit_is_as_long_as_there_are_kernels():
    """Each suite has what was asked of its own kernel, its own limits and its own notes."""
    names = [f"kernel {i:03}: one" for i in range(10)]
    document = DOCUMENT._replace(
        question={"kernels": [{"name": name, "target": "exact"} for name in names]},
        views={"summary": SUMMARY._replace(rows=[[name] * 8 for name in names])},
        findings=[Finding(name, "max_ulp ≤ 1", True, name) for name in names],
        notes=[f"{name}: a note" for name in names],
    )
    text = rendered("junit", document)
    for once in (": a note", 'value="exact"', "<testcase"):
        assert text.count(once) == len(names)
    suites = [ElementTree.tostring(suite).rstrip() for suite in ElementTree.fromstring(text)]
    assert len({*map(len, suites)}) == 1


def test_junit_is_read_by_a_library(tmp_path):
    junitparser = pytest.importorskip("junitparser", reason="it reads JUnit XML")
    path = tmp_path / "report.xml"
    path.write_text(rendered("junit", DOCUMENT), encoding="utf-8")
    read = junitparser.JUnitXml.fromfile(str(path))
    assert (read.tests, read.failures, read.errors) == (3, 1, 0)
    found = [(case.classname, case.name, case.is_passed) for suite in read for case in suite]
    assert found == [(each.kernel, each.limit, each.holds) for each in FINDINGS]
    (failing,) = [case for suite in read for case in suite if not case.is_passed]
    assert failing.result[0].message == printable(FINDINGS[1].said)


# Workflow commands


def commands(text):
    """Read lines as GitHub's runner does: between two pairs of colons a name and properties."""

    def decoded(text, *signs):
        for sign in (*signs, "%"):  # the sign of percent last, as it begins the others
            text = text.replace(f"%{ord(sign):02X}", sign)
        return text

    found = []
    for line in text.splitlines():
        assert line.startswith("::")
        end = line.index("::", 2)
        name, _, listed = line[2:end].partition(" ")
        pairs = [each.partition("=")[::2] for each in listed.split(",")]
        properties = {key: decoded(value, "\r", "\n", ":", ",") for key, value in pairs}
        found.append((name, properties, decoded(line[end + 2 :], "\r", "\n")))
    return found


def test_what_fails_is_an_error_at_its_line_and_what_is_to_be_done_a_warning():
    assert commands(rendered("github", DOCUMENT)) == [
        ("error",
         {"file": "budgets/a,b.toml", "line": "12", "title": f"{HOSTILE}: over_1_ulp ≤ 3"},
         printable(FINDINGS[1].said)),
        ("warning", {"file": "b.toml", "line": "3", "title": f"{NAMES[2]}: wrong_zero ≤ 9"},
         "5 fail, 9 are known"),
        ("notice", {"title": "gelu"}, printable(DOCUMENT.notes[0])),
        ("notice", {"title": "gelu"}, "1 of 2 limits does not hold."),
    ]  # fmt: skip
    assert commands(rendered("github", BROKEN))[0][0::2] == ("error", printable(ODD))
    assert commands(rendered("github", NOTHING)) == [
        ("notice", {"title": "gelu"}, "No limit was given, so nothing is judged.")
    ]


def test_signs_of_workflow_commands_are_encoded_as_github_says():
    line = rendered("github", DOCUMENT).splitlines()[0]
    for part in ("file=budgets/a%2Cb.toml,line=12,title=<script>", "http%3A//", "100%25: ",
                 "%250A::error::x"):  # fmt: skip
        assert part in line


def test_no_name_is_a_command_of_its_own():
    """The runner heeds `##[command]` anywhere in a line."""
    heeded = "##[error]f"
    finding = FINDINGS[1]._replace(kernel=heeded, said=f"{heeded}: 3", file=f"{heeded}.toml")
    document = DOCUMENT._replace(findings=[finding], notes=[heeded], caveats=[heeded])
    text = rendered("github", document)
    assert text.count(r"##\x5berror]f") == 5
    assert "##[" not in text


# The summary of a job


def test_the_summary_is_markdown_in_which_names_are_text():
    text = "".join(summary(DOCUMENT))
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    markup = [token.content for token in tokens if token.type == "html_block"]
    assert all(re.match(r"<details><summary>[\w ()]*</summary>|</details>", each)
               for each in markup)  # fmt: skip
    assert len(markup) == 4
    children = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= {
        "text", "text_special", "strong_open", "strong_close"
    }  # fmt: skip
    cells = [
        "".join(child.content for child in inline.children)
        for cell, inline in pairwise(tokens)
        if cell.type in ("td_open", "th_open")
    ]
    head = ["verdict", "kernel", "limit", "found", "stated in"]
    row = ["✗ fails", HOSTILE, "over_1_ulp ≤ 3", printable(FINDINGS[1].said),
           "budgets/a,b.toml, line 12"]  # fmt: skip
    assert cells[:10] == head + row
    turned = [*NAMES, *(human_text(row[3]) for row in SUMMARY.rows)]
    assert all(each in cells for each in turned)
    command = [token.content for token in tokens if token.type == "code_block"]
    assert command == [DOCUMENT.command + "\n"]


def test_a_table_that_is_too_long_for_a_summary_is_left_out_and_said():
    long = SUMMARY._replace(rows=SUMMARY.rows * 40, title="A long table")
    text = "".join(summary(DOCUMENT._replace(views={"summary": SUMMARY, "shapes": long})))
    assert "A long table (120 rows): too long for this summary." in text
    assert text.count("0xc148") == 3
