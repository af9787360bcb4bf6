"""Does a comma stand between two numbers, or for a decimal point?"""

from __future__ import annotations

import re

from gelu_cli.arithmetic.typed import DECIMAL_COMMA


class Commas:
    """What the commas in a list of numbers are, which its first line with any tells.

    In `1,5` one may stand for a decimal point. It stands between two numbers in `1, 5`, in `1,5,2`,
    and where a number of the line has a decimal point.

    >>> [Commas().doubtful(line) for line in ("1,5", "0,5; 1,25", "1, 5", "1,5,2", "1.5,2", "1 5")]
    ['1,5', '0,5', '', '', '', '']
    """

    def __init__(self) -> None:
        self._are_between = False
        self._begun = ""
        """A word like `1,` with which the last part of a line has ended."""

    def are_between(self, text: str) -> bool:
        """Return whether the next lines are known to have no decimal commas."""
        if self._are_between or "," not in self._begun + text:
            return True
        if self._begun:
            return False
        at = text.index(",")
        line, end, _ = text[text.rfind("\n", 0, at) + 1 :].partition("\n")
        self._are_between = _is_list(line if end else _without_begun(line)[0])
        return self._are_between

    def doubtful(self, line: str, *, goes_on: bool = False) -> str:
        """Return the first word of a line that may be one number or two; nothing where none is.

        One that goes on has ended so far after a comma, or after what else separates words.
        """
        if self._are_between:
            return ""
        line, self._begun = self._begun + line, ""
        if goes_on:
            line, self._begun = _without_begun(line)
        self._are_between = _is_list(line)
        return "" if self._are_between else next(iter(_with_commas(line)), "")


def _without_begun(line: str) -> tuple[str, str]:
    """Return a line without its last word, and that word, if it may go on to be like `1,5`."""
    last = line.replace(";", " ").rpartition(" ")[2].rpartition("\t")[2]
    if last.endswith(",") and DECIMAL_COMMA.fullmatch(f"{last}0"):
        return line.removesuffix(last), last
    return line, ""


def _with_commas(line: str) -> list[str]:
    return [word for word in re.split(r"[\s;]+", line) if "," in word]


def _is_list(line: str) -> bool:
    words = _with_commas(line)
    return bool(words) and ("." in line or not all(map(DECIMAL_COMMA.fullmatch, words)))
