"""`gelu completion`: the scripts that shells read."""

from tests.old.cli.manual.shells import SCRIPTS, SHELLS
from tests.old.cli.runner import assert_refused, gelu, run_gelu


def test_the_files_are_what_gelu_prints():
    for shell, path in {"bash": "gelu.bash", "fish": "gelu.fish", "zsh": "_gelu"}.items():
        assert gelu("completion", shell).out == (SCRIPTS / path).read_text(encoding="utf-8")


def test_an_unknown_shell_is_refused():
    assert_refused(run_gelu("completion", "bsh"), "unknown shell 'bsh'", "'bash'")
    assert_refused(run_gelu("completion"), "no shell", "bash, fish, zsh")


def test_the_page_tells_where_scripts_go():
    text = (SCRIPTS.parent / "docs/commands/completion.md").read_text(encoding="utf-8")
    assert all(f"gelu completion {shell}" in text for shell in SHELLS)
