"""Completion in shells: the scripts in completions/, and the words that they ask for."""

import os
from pathlib import Path
from unittest import mock

from tests.runner import gelu

SCRIPTS = {"bash": "gelu.bash", "zsh": "_gelu", "fish": "gelu.fish"}
FOLDER = Path(__file__).parents[2] / "completions"

COMPLETED = {
    "gelu ta": {"table"},
    "gelu table --form sil": {"silu"},
    "gelu table --form exact,tan": {"exact,tanh"},
    "gelu error --target soft": {"softplus"},
    "gelu table -f ": {"table", "csv", "json", "markdown", "latex"},
    "gelu table --dtype float8": {"float8_e4m3fn", "float8_e5m2"},
    "gelu sweep tanh": {"tanh_sum"},
    "gelu sweep --view ": {"summary", "regions", "worst", "profile", "criteria", "plot", "all"},
    "gelu error --view re": {"regions"},
    "gelu table --quantity value,gr": {"value,gradient"},
    "gelu fit sigm": {"sigmoid"},
    "gelu forms sil": {"silu"},
    "gelu sweep erfc --max-u": {"--max-ulp"},
    "gelu model net.py:net --view la": {"layers"},
}
"""Lines, and words that complete them."""


def run(**environment):
    """Run `gelu` as a shell does that wants to complete a line."""
    with mock.patch.dict(os.environ, environment):
        return gelu()


def complete(line):
    """Complete the last word of a line, as bash asks for it."""
    words = line.split(" ")
    place = str(len(words) - 1)
    return run(COMP_WORDS=line, COMP_CWORD=place, _GELU_COMPLETE="complete_bash").out.split()


def test_the_scripts_are_those_that_typer_makes():
    for shell, name in SCRIPTS.items():
        made = run(_GELU_COMPLETE=f"source_{shell}").out
        assert (FOLDER / name).read_text(encoding="utf-8").strip() == made.strip(), shell


def test_names_are_completed():
    found = {line: complete(line) for line in COMPLETED}
    assert {line: words for line, words in found.items() if not {*words} >= COMPLETED[line]} == {}
    begun = {line: line.rpartition(" ")[2] for line in found}
    assert all(word.startswith(begun[line]) for line in found for word in found[line])


def test_other_shells_ask_for_the_same_words():
    words = "gelu sweep erf"
    zsh = run(_TYPER_COMPLETE_ARGS=words, _GELU_COMPLETE="complete_zsh").out
    fish = {"_TYPER_COMPLETE_FISH_ACTION": "get-args", "_GELU_COMPLETE": "complete_fish"}
    listed = run(_TYPER_COMPLETE_ARGS=words, **fish).out
    assert listed.split() == complete(words) == ["erf_sum", "erfc"]
    assert '"erf_sum"' in zsh
    assert '"erfc"' in zsh
