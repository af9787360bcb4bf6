"""Completion in real shells, none of which find a Python to start."""

import os
import pty
import shutil
from pathlib import Path

import pytest

from gelu_cli.commands._program import describe
from gelu_cli.commands.app import app
from tests.commands.runner import assert_refused, gelu, run_gelu
from tests.manual.shells import ROOT, SCRIPTS, environment, needs, offered, read_until

PROGRAM = describe(app)
COMMANDS = {command.name: command for command in PROGRAM.commands}
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
all_shells = pytest.mark.parametrize("shell", SCRIPTS)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kernel.bin").touch()
    (tmp_path / "kernel.csv").touch()
    return tmp_path


@all_shells
@pytest.mark.parametrize(
    ("line", "words"),
    {
        "gelu er": "error",
        "gelu ta": "table",
        "gelu table --form=ta": "tanh tanh_taylor",
        "gelu table --form ta": "tanh tanh_taylor",
        "gelu error --form tanh --form sil": "silu",
        "gelu sweep --dtype bf": "bfloat16",
        "gelu sweep --dtype=bf": "bfloat16",
        "gelu sweep --dtype=float8_e4": "float8_e4m3fn",
        "gelu sweep --target se": "self",
        "gelu table -3 -1 --fo": "--form --format",
        "gelu table -3 -1e-3 --form sig": "sigmoid sigmoid_taylor",
        "gelu error --range -3:3 --view ": "summary points regions",
        "gelu variance --mean -1 --f": "--form --format",
        "gelu table -.5 -f j": "json jsonl",
        "gelu check ker": "kernel.bin kernel.csv",
        "gelu check -q ker": "kernel.bin kernel.csv",
        "gelu table -o kernel.b": "kernel.bin",
        "gelu table --output=kernel.b": "kernel.bin",
        "gelu completion ": "bash fish zsh",
        "gelu table --digits ": "",
        "gelu table --nosuch": "",
        "gelu nosuch --f": "",
    }.items(),
)  # fmt: skip
def test_a_line_is_completed(shell, line, words, folder):
    assert offered(shell, line, folder) == sorted(words.split())


@all_shells
def test_every_command_is_offered(shell, tmp_path):
    assert {*COMMANDS} <= set(offered(shell, "gelu ", tmp_path))


@all_shells
@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_offered(shell, name, tmp_path):
    options = {each for option in COMMANDS[name].options for each in option.names}
    assert set(offered(shell, f"gelu {name} -", tmp_path)) == options


@all_shells
@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option.names[-1]) for name, command in COMMANDS.items()
     for option in command.options if option.choices],
)  # fmt: skip
def test_every_choice_of_an_option_is_offered(shell, name, option, tmp_path):
    (choices,) = (each.choices for each in COMMANDS[name].options if option in each.names)
    words = sorted(word for word, _ in choices)
    assert offered(shell, f"gelu {name} {option} ", tmp_path) == words


@pytest.mark.parametrize("setup", ["source", "bash-completion"])
def test_the_tab_key_completes_in_bash(setup, tmp_path):
    needs("bash")
    env = {**environment(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    if setup == "source":
        script = SCRIPTS["bash"]
    else:
        script = BASH_COMPLETION
        if not script.exists():
            pytest.skip("bash-completion is not installed")
        place = tmp_path / "bash-completion" / "completions"
        place.mkdir(parents=True)
        shutil.copy(SCRIPTS["bash"], place / "gelu")
    process, terminal = pty.fork()
    if process == 0:
        os.execve(shutil.which("bash"), ["bash", "--norc", "-i"], env)
    try:
        os.write(terminal, f"gelu() {{ echo [$*]; }}; source {script}; echo REA'DY'\n".encode())
        read_until(terminal, "READY")
        os.write(terminal, b"gelu er\t--target=mi\t -3 --vi\tre\t; echo DO'NE'\n")
        shown = read_until(terminal, "DONE")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    assert "[error --target=mish -3 --view regions]" in shown


@all_shells
def test_gelu_completion_prints_the_script(shell):
    assert gelu("completion", shell).out == SCRIPTS[shell].read_text(encoding="utf-8")


def test_an_unknown_shell_is_refused():
    assert_refused(run_gelu("completion", "bsh"), "unknown shell 'bsh'", "'bash'")
    assert_refused(run_gelu("completion"), "no shell", "bash, fish, zsh")


def test_the_readme_tells_where_scripts_go():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"gelu completion {shell}" in text for shell in SCRIPTS)
