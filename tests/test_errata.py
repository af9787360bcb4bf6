"""Each statement of docs/errata.md and docs/constants.md: its commands print the numbers."""

import re
import shlex
from decimal import Decimal
from functools import cache

from tests.pages import ROOT
from tests.runner import gelu

NUMBER = re.compile(r"(?<![\w.])[-−±]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?![\w%²³])")


def statements(page):
    """Yield what is true, and the cell of commands, of each row of tables that have both."""
    header = []
    for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        cells = [each.strip().replace("\\|", "|") for each in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells or not header:
            header = cells
        elif "command" in header and not set(line) <= set("|-: "):
            row = dict(zip(header, cells, strict=True))
            yield row.get("truth") or row.get("value") or row["true"], row["command"]


def sizes(text):
    """The numbers of a text without their signs, as decimals; not those of formulas in brackets."""
    text = re.sub(r"\([^)]*[a-zπ][^)]*\)", "", text)
    found = (each.strip("-−±").replace(",", "") for each in NUMBER.findall(text))
    return [abs(Decimal(each)) for each in found]


def is_among(number, printed):
    """Whether a number is one that is printed, rounded to its own last digit."""
    unit = Decimal(1).scaleb(number.as_tuple().exponent)
    return any(abs(each - number) * 2 <= unit for each in printed)


def test_each_statement_has_commands_that_print_its_numbers():
    wrong, without = [], []
    run = cache(lambda line: gelu(*shlex.split(line)))
    rows = [*statements("errata.md"), *statements("constants.md")]
    for truth, cell in rows:
        runs = [run(command) for command in re.findall(r"`gelu ([^`]+)`", cell)]
        wrong += [(truth, each.err) for each in runs if each.code != 0]
        printed = [number for each in runs for number in sizes(each.out + each.err)]
        lacking = [str(number) for number in sizes(truth) if not is_among(number, printed)]
        wrong += [(truth, lacking)] * bool(runs and lacking)
        without += [truth] * (not runs)
    assert not wrong, "\n".join(map(str, wrong))
    assert without == ["the exact form; JAX computes the tanh form"]  # what others document
    assert len(rows) > 45
