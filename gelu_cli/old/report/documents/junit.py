"""A test case for each limit, as JUnit XML, which GitLab and Jenkins read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import gelu_cli
from gelu_cli.old.report.documents import Document, Finding
from gelu_cli.old.report.numbers import machine_text

SUFFIXES = (".xml",)
FIRST = True


def render(document: Document) -> Iterator[str]:
    """Yield a test suite for each kernel: what was asked and found of it, and its limits."""
    figures: dict[str, dict[str, str]] = {}
    for table in list(document.views.values())[:1]:
        names = [column.name for column in table.columns[1:]]
        for kernel, *cells in table.rows:
            figures[machine_text(kernel)] = dict(zip(names, map(machine_text, cells), strict=True))
    findings, notes = defaultdict[str, list[Finding]](list), defaultdict[str, list[str]](list)
    for finding in document.findings:
        findings[finding.kernel].append(finding)
    for note in document.remarks:
        for end in re.finditer(": ", note):
            notes[note[: end.start()]].append(note)
    own = defaultdict[str, dict[str, str]](dict)
    for i, kernel in enumerate(document.question.get("kernels", ())):
        own[kernel["name"]] |= _flat(kernel, f"question.kernels.{i}.")
    common = {name: value for name, value in document.question.items() if name != "kernels"}
    asked = {
        "gelu": document.gelu or gelu_cli.__version__, "command": document.command,
        **dict(_flat(common, "question.")),
    }  # fmt: skip
    suites = Element("testsuites", name=document.title)
    for name in dict.fromkeys([*figures, *findings]):
        said = " ".join(each.text for each in document.words if each.kernel in ("", name))
        verdict = {"verdict": said} if said else {}
        properties = {**asked, **own[name], **figures.get(name, {}), **verdict}
        suites.append(_suite(name, properties, findings[name], notes[name]))
    _count(suites, document.findings, sum(len(suite.findall("testcase")) for suite in suites))
    indent(suites)
    yield tostring(suites, encoding="us-ascii", xml_declaration=True).decode() + "\n"


def _suite(
    kernel: str, properties: Mapping[str, str], findings: Sequence[Finding], notes: Sequence[str]
) -> Element:
    suite = Element("testsuite", name=kernel)
    _count(suite, findings, len(findings) or 1)
    listed = SubElement(suite, "properties")
    for name, value in properties.items():
        SubElement(listed, "property", name=name, value=value)
    for finding in findings:
        suite.append(_case(finding))
    if not findings:
        SubElement(suite, "testcase", classname=kernel, name="measured")
    if notes:
        SubElement(suite, "system-out").text = "\n".join(notes)
    return suite


def _case(finding: Finding) -> Element:
    case = Element("testcase", classname=finding.kernel, name=finding.limit)
    if finding.file:
        case.set("file", finding.file)
    if finding.line:
        case.set("line", str(finding.line))
    if finding.holds:
        SubElement(case, "system-out").text = finding.said
    else:
        kind, what = ("error", "incomplete") if finding.broken else ("failure", "limit")
        SubElement(case, kind, message=finding.said, type=what).text = finding.said
    return case


def _count(suite: Element, findings: Sequence[Finding], tests: int) -> None:
    errors = sum(finding.broken for finding in findings)
    failures = sum(not finding.holds for finding in findings) - errors
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": 0}
    for name, count in counts.items():
        suite.set(name, str(count))


def _flat(values: Mapping[Any, Any], before: str) -> Iterator[tuple[str, str]]:
    """Yield values of JSON with their names, of those in others both names."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        elif isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
            yield from _flat(dict(enumerate(value)), f"{before}{name}.")
        else:
            yield f"{before}{name}", _said(value)


def _said(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_said, value))
    return "" if value is None else str(value)
