"""Each statement of docs/errata.md: its command runs, and prints the numbers of the truth."""

import re
import shlex
from decimal import Decimal

from tests.pages import ROOT
from tests.runner import gelu

NUMBER = re.compile(r"(?<![\w.])[-−±]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?![\w%²³])")
TEXT = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in TEXT.splitlines()
    if re.match(r"\| (00\d|prose)", line)
]


def sizes(text):
    """The numbers of a text without their signs, as decimals; not those of formulas in brackets."""
    text = re.sub(r"\([^)]*[a-zπ][^)]*\)", "", text)
    found = (each.strip("-−±").replace(",", "") for each in NUMBER.findall(text))
    return [abs(Decimal(each)) for each in found]


def is_among(number, printed):
    """Whether a number is one that is printed, rounded to its own last digit."""
    unit = Decimal(1).scaleb(number.as_tuple().exponent)
    return any(abs(each - number) * 2 <= unit for each in printed)


def test_each_statement_has_a_command_that_prints_the_truth():
    wrong, count = [], 0
    for where, claim, verdict, truth, cell in ROWS:
        commands = re.findall(r"`gelu ([^`]+)`", cell)
        runs = [gelu(*shlex.split(command)) for command in commands]
        wrong += [(claim, run.err) for run in runs if run.code != 0]
        printed = [each for run in runs for each in sizes(run.out + run.err)]
        lacking = [number for number in sizes(truth) if not is_among(number, printed)]
        if commands and lacking:
            wrong.append((where, claim, [*map(str, lacking)]))
        assert commands or "documentation" in verdict, claim
        count += 1
    assert not wrong, "\n".join(map(str, wrong))
    assert count > 25
