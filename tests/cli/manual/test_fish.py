"""What fish offers at the end of a line, by its own `complete -C`, with nothing in PATH."""

import shutil
import subprocess

import pytest

from gelu_cli.cli.app import app
from gelu_cli.cli.manual.program import describe
from tests.cli.manual.shells import SCRIPTS

FISH = shutil.which("fish")
COMMANDS = describe(app).commands
pytestmark = pytest.mark.skipif(not FISH, reason="fish is not installed")


def offered(folder, *lines):
    """Return for each line what may come, sorted, without descriptions."""
    script = f"source '{SCRIPTS}/gelu.fish'\n" + "\n".join(
        f"complete -C '{line}'; echo ----" for line in lines
    )
    env = {"HOME": str(folder), "PATH": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [FISH, "--no-config", "-c", script], env=env, cwd=folder, capture_output=True, check=True
    )
    parts = done.stdout.decode().split("----\n")[:-1]
    words = [[line.partition("\t")[0] for line in part.splitlines()] for part in parts]
    return [sorted({word.removeprefix("--form=") for word in each}) for each in words]


LINES = {
    "gelu er": ["error"],
    "gelu table --form=ta": ["tanh", "tanh_taylor"],
    "gelu table --form ta": ["tanh", "tanh_taylor"],
    "gelu table --form exact,ta": ["exact,tanh", "exact,tanh_taylor"],
    "gelu table --form=exact,elu,quick_g": ["exact,elu,quick_gelu"],
    "gelu table --form sigmoid:": ["sigmoid:beta="],
    "gelu table --form exact,quick_gelu:b": ["exact,quick_gelu:beta="],
    "gelu table --form=tanh:a=0.8:": ["tanh:a=0.8:a=", "tanh:a=0.8:c=", "tanh:a=0.8:d="],
    "gelu fit sigmoid:": ["sigmoid:beta="],
    "gelu help ta": ["table"],
    "gelu sweep --dtype bf": ["bfloat16"],
    "gelu sweep --dtype float32,bf": [],
    "gelu table -3 -1 --fo": ["--form", "--format"],
    "gelu table -3 -1e-3 -f js": ["json", "jsonl"],
    "gelu error --range -3:3 --view ": ["histogram", "points", "regions", "summary"],
    "gelu check ker": ["kernel.bin", "kernel.csv"],
    "gelu table -o kernel.b": ["kernel.bin"],
    "gelu completion ": ["bash", "fish", "zsh"],
    "gelu table --digits ": [],
    "gelu sweep --format table --bi": [],
}


def test_lines_are_completed(tmp_path):
    (tmp_path / "kernel.bin").touch()
    (tmp_path / "kernel.csv").touch()
    assert dict(zip(LINES, offered(tmp_path, *LINES), strict=True)) == LINES


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_option_and_every_choice_is_offered(command, tmp_path):
    asked = {f"gelu {command.name} -": [n for option in command.options for n in option.names]}
    for option in command.options:
        if option.choices:
            line = f"gelu {command.name} {option.names[-1]} "
            asked[line] = [name for name, _ in option.choices]
    wanted = [sorted(words) for words in asked.values()]
    assert offered(tmp_path, *asked) == wanted


def test_every_command_is_offered(tmp_path):
    assert {command.name for command in COMMANDS} == set(offered(tmp_path, "gelu ")[0])
